// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Delays the process's exit for a moment while the answer to a submit is outstanding: Ctrl-C at that moment
// would lose the ID of a task that is charged.
#pragma once

namespace genclip {

// Held from before the intent is journalled until the answer is, and while room is made in the store. Any
// thread.
class ExitGuard {
 public:
  ExitGuard();
  ~ExitGuard();
  ExitGuard(const ExitGuard &) = delete;
  ExitGuard &operator=(const ExitGuard &) = delete;
};

}  // namespace genclip
