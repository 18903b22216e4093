// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Splits text that arrives in pieces into sentences, each as soon as it is complete.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/caption/answer_text.h"

namespace genclip {

// May end a sentence.
bool is_sentence_mark(char32_t c);
// Belongs to the sentence that it follows: a closing quotation mark or bracket.
bool is_closing_mark(char32_t c);

// The sentences do not depend on where the pieces end. The text is valid UTF-8, but a piece may end inside a
// character. A fence of markdown around the text is in no sentence. Takes each character once, however long a
// sentence gets. One thread at a time.
class SentenceSplitter {
 public:
  // The sentences that `piece` completes. A sentence is complete once what follows it has begun.
  std::vector<std::string> push(std::string_view piece);

  // The rest at the end, unless it is blank.
  std::vector<std::string> finish();

 private:
  // The place of the next character.
  enum class Place {
    words,
    marks,    // behind the first mark of a possible end
    closers,  // behind its marks: quotes and brackets belong to it
    blanks,   // behind a possible end: the next character decides whether it is one
  };

  std::vector<std::string> split(std::string_view piece);
  bool take(char32_t c, std::vector<std::string> &sentences);
  void cut(size_t end, std::vector<std::string> &sentences);

  FenceFilter fence_;
  std::string pending_;
  size_t begin_ = 0;  // of the sentence; only while pieces are taken in
  size_t at_ = 0;     // of the next character
  Place place_ = Place::words;
  size_t mark_ = 0;
  size_t end_ = 0;
  bool full_width_ = false;  // the last mark
  bool only_point_ = false;
};

}  // namespace genclip
