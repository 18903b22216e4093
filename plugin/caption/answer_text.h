// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The text that a model means, out of the text that it has written.
//
// Many models put an answer into a fence of markdown, ``` or ~~~, as they do with code. In a text that comes
// in pieces, the end of the fence cannot be seen at its beginning: a fence that ends before the text does is
// dropped there, and stays in a text that is whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace genclip {

// Leaves out the lines of a fence that begins with the text. One thread at a time.
class FenceFilter {
 public:
  // What is known to be no part of a fence. Pieces may end anywhere.
  std::string push(std::string_view piece);
  std::string finish();

  // There is no fence, or its end has come: push() changes nothing any more.
  bool passes_all() const { return place_ == Place::outside; }
  // The text has begun with a fence, and nothing stood behind its end. True only after finish().
  bool was_around_all() const { return is_fenced_ && !has_more_; }

 private:
  enum class Place { begin, inside, outside };

  bool open();
  std::string take_inside(bool is_end);
  std::string one_line();
  std::string emit(std::string text);

  Place place_ = Place::begin;
  std::string held_;     // may belong to the fence
  size_t searched_ = 0;  // of held_: no line feed
  char mark_ = 0;
  size_t width_ = 0;  // marks of the opening fence
  bool is_fenced_ = false;
  bool has_more_ = false;
  bool at_line_start_ = true;
};

// Without blanks around it, and without the fence around all of it. A text that was cut may lack the end of
// the fence.
std::string without_fence(std::string_view text);

// The answer as a caption: caption_text() without a fence. Empty when there is nothing to read.
std::string answer_text(std::string_view text);

}  // namespace genclip
