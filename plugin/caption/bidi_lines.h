// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lines of a text that is written from right to left, or in both directions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace genclip {

// Each line is displayed on its own. So an isolate or embedding (U+202A to U+202E, U+2066 to U+2069) that
// goes on in the next line is closed at the end of the line and opened again, and a line that would get
// another direction than its paragraph starts with a mark (U+200E, U+200F). All other text stays as it is.
class BidiLines {
 public:
  // A new paragraph, which must outlive its lines.
  void begin(std::string_view paragraph);
  // The next line of the paragraph.
  std::string line(std::string_view text);
  // What precedes the text that follows that line.
  std::string opening(std::string_view text) const;

 private:
  std::string_view paragraph_;
  bool is_first_ = true;
  std::vector<std::string> open_;
};

}  // namespace genclip
