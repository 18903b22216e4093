// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Keeps the answers of one run, so that a repeated question (a loop, a seek back) is not paid for again.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "plugin/caption/content_answer.h"
#include "plugin/caption/content_wire.h"

namespace genclip {

// Identifies a question: a SHA-256 of everything that is sent, in hexadecimal. With a stream time (ns), two
// times of one film are two questions even if their pictures are the same. The store has files of these
// names, so a question keeps its key. `language` is that of the answer, empty if none was asked for; a
// question has the same key whether or not other languages are asked for in the same request.
std::string question_key(const ContentRequest &request, std::optional<uint64_t> stream_time,
                         std::string_view language = {});

// Keeps the newest, up to a number of bytes. One thread at a time.
class KeptAnswers {
 public:
  explicit KeptAnswers(size_t most_bytes = 1 << 20) : most_bytes_(most_bytes) {}

  // Null: not known. Good until the next call.
  const ContentAnswer *find(const std::string &key) const;
  void keep(const std::string &key, const ContentAnswer &answer);
  void clear();

 private:
  size_t most_bytes_;
  size_t bytes_ = 0;
  std::unordered_map<std::string, ContentAnswer> answers_;
  std::deque<std::string> oldest_first_;
};

}  // namespace genclip
