// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A run of a scene's request in a separate process, which can be stopped and killed.
#pragma once

#include <glib.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace genclip::test {

class Visitor {
 public:
  // Starts at once; its output goes to the file.
  Visitor(const std::vector<std::pair<const char *, std::string>> &properties, std::string file);
  ~Visitor();
  Visitor(const Visitor &) = delete;
  Visitor &operator=(const Visitor &) = delete;

  void signal(int number);
  // The process is dead when this returns.
  void kill();
  // Waits for its end: whether it got the clip, or 3 when it left before; negative: the signal that killed
  // it.
  int end();
  std::string bytes() const;

 private:
  const std::string file_;
  GPid process_ = 0;
  std::optional<int> ended_;
};

}  // namespace genclip::test
