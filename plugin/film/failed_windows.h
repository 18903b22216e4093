// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decides, where windows may fail, whether the gateway fails about some of them or about all. A file that
// lacks some windows is what the user asked for; one that lacks the rest would pass for a whole one. Pure.
#pragma once

#include <cstddef>
#include <set>
#include <string>

namespace genclip {

// Hears of the windows in their order. Where a language was asked for alone, its answer is told, too.
class FailedWindows {
 public:
  // This many in a row that have a 5xx or a time-out each show that the gateway has failed. A scene that it
  // cannot read may take two.
  static constexpr unsigned kOutage = 3;

  // A window has failed with what may be over later. `status`: of HTTP; 0: there was no answer.
  // `took_too_long`: the gateway had the request, and did not end its answer in time. True: all others would
  // fail as well. Only a 5xx and such a time-out may be about the window itself: credits, a quota, and a
  // gateway that cannot be reached are the same for all.
  bool is_outage(unsigned status, bool took_too_long) {
    kept_.clear();
    const bool may_be_of_window = status >= 500 || took_too_long;
    return !may_be_of_window || ++in_a_row_ >= kOutage;
  }
  // The gateway has answered about a window.
  void answered() {
    in_a_row_ = 0;
    kept_.clear();
  }
  // The store has the answer in that language, of so many. A film that goes on has the same gaps as one that
  // was never stopped. But answers in one language say nothing of a gateway that is asked for another.
  void kept(const std::string &language, size_t languages) {
    kept_.insert(language);
    if (kept_.size() >= languages) answered();
  }

 private:
  unsigned in_a_row_ = 0;
  std::set<std::string> kept_;  // In these, since the last failure.
};

}  // namespace genclip
