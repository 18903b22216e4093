// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a worker gets from the schedule, and what it makes of an answer. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "elements/captioner/caption_slot.h"
#include "plugin/base/result.h"
#include "plugin/caption/sentence_splitter.h"

namespace genclip {

// One language of one caption.
struct AskedPart {
  SlotId slot = 0;
  std::string language;  // that it is asked for in
  std::string key;       // question_key()
};

// The worker looks into the store, and then asks about what is not there in one request.
struct Question {
  uint64_t id = 0;
  CaptionCache cache = CaptionCache::off;
  std::vector<AskedPart> parts;  // for which no answer is known
};

// The request that is left of a question.
struct CaptionRequest {
  uint64_t question = 0;
  uint64_t at = 0;  // start of its first window
  CaptionCache cache = CaptionCache::off;
  size_t texts = 1;  // number of captions
  std::vector<AskedPart> parts;
  std::vector<size_t> numbers;  // of the caption that each part belongs to
  ContentRequest content;
  bool is_plain = false;      // the answer, as it is, is that of the only part
  bool by_sentence = false;   // and is shown as it arrives
  bool may_be_empty = false;  // without text it says that there is nothing to say
};

// An answer of one part.
struct Said {
  AskedPart part;
  ContentAnswer answer;                // as received, unless it is too long
  std::vector<std::string> sentences;  // that were not added before
};

// Of a text that is far longer than a caption can be (9000 characters) the beginning is enough: all that
// follows reads the whole of it, some of that under the lock of the schedule.
void cut_long_text(std::string &text, size_t parts = 1);

// A text must not get lost without an error, so an answer about it has text.
Result<ContentAnswer> checked_answer(const CaptionRequest &request, Result<ContentAnswer> answer);

// Those parts that the answer has. `splitter` has had the text as it arrived.
std::vector<Said> said_in(const CaptionRequest &request, const ContentAnswer &answer,
                          SentenceSplitter &splitter);

// Of the text of an answer.
std::vector<std::string> sentences_of(const std::string &text, bool by_sentence);

}  // namespace genclip
