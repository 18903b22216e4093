// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Asks the store's ledger and budget whether a request for a caption may be sent.
//
// The ledger is a file under a lock: a call takes some milliseconds, and as long as the disk hangs. So it
// runs on a disk thread, for a block of requests at a time (plugin/account/account.h). Only the
// workers wait for it, as they wait for the gateway.
//
// Where no limit for captions is set, a ledger that cannot be written stops nobody: there is one warning, and
// what is used is told to the ledger once it can be written again.
#pragma once

#include <gio/gio.h>

#include <memory>
#include <optional>
#include <string>

#include "plugin/account/ledger_entry.h"
#include "plugin/base/clock.h"
#include "plugin/base/error.h"
#include "plugin/base/file_system.h"
#include "plugin/caption/content_client.h"

namespace genclip {

struct AllowanceSettings {
  std::string store;     // Its folder.
  std::string base_url;  // Of the text gateway, without secrets.
  std::string model;
  std::string project;
  uint64_t max_tokens = 0;  // Of the run; 0: no limit.
};

// Threads: the application begins and ends a run; workers ask in between. Borrows both, which must outlive
// this and all disk threads.
class CaptionAllowance {
 public:
  explicit CaptionAllowance(FileSystem &files = FileSystem::posix(), Clock &clock = Clock::system())
      : files_(files), clock_(clock) {}

  // Touches no disk.
  void begin(const AllowanceSettings &settings);

  struct Answer {
    bool may_send = false;
    // To be posted. Each reason is told once; a limit of a day, once a day.
    std::optional<Error> warning = {};
  };
  // Waits for the ledger, and, close to a limit of tokens, for an answer to another request. Once cancelled:
  // false, without a warning. After true, ended() is called exactly once.
  Answer ask(GCancellable *cancellable);
  // The tokens that it counts with.
  uint64_t ended(const ContentTry &used);

  // Tells the ledger what was used and gives back the rest; does not wait for that. No worker is at work.
  void end();

 private:
  struct State;

  FileSystem &files_;
  Clock &clock_;
  std::shared_ptr<State> state_;  // Of the run; disk threads share it.
};

}  // namespace genclip
