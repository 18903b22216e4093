// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The answers of captions that the store keeps, so that the same question is not paid for again.
//
// One small file for each answer (docs/store-format.md, Captions). Answers are read and written without a
// lock: a file appears whole under its name, never changes, and is as good as any other answer to the same
// question. Who asks locks the question (plugin/store/question_locks.h), so that no other run pays for it as
// well.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/base/file_system.h"

namespace genclip {

// Holds neither what was asked nor who asked.
struct StoredAnswer {
  std::string model;
  std::string text;
  std::string finish_reason;
  uint64_t prompt_tokens = 0;  // What the answer cost when it was asked for.
  uint64_t output_tokens = 0;
  uint64_t total_tokens = 0;
  int64_t answered_at = 0;  // Unix time in seconds.

  friend bool operator==(const StoredAnswer &, const StoredAnswer &) = default;
};

// The content of an answer's file, and back. `key` is the SHA-256 of the question, in hexadecimal.
// ErrorKind::wrong_type for anything that is not wholly what was written for that key.
std::string answer_text(const std::string &key, const StoredAnswer &answer);
Result<StoredAnswer> read_answer_text(const std::string &key, const std::string &text);

// ErrorKind::not_found when there is none, ErrorKind::wrong_type when it is damaged: another one may take its
// place then. ErrorKind::not_authorized, open_read or read when it is there and cannot be read, by this user
// or at this time.
Result<StoredAnswer> read_answer(FileSystem &files, const std::string &root, const std::string &key);

// Durable on return, and replaces what is there. Makes the folder when it is missing.
Result<void> write_answer(FileSystem &files, const std::string &root, const std::string &key,
                          const StoredAnswer &answer);

// Whether write_answer() could write now: writes a file beside the answers, and removes it.
Result<void> try_writing_answers(FileSystem &files, const std::string &root);

// Remembers that the answer was used now. The time is to a day, so that few files are touched.
void note_use_of_answer(FileSystem &files, const std::string &root, const std::string &key);

// One file of the folder.
struct AnswerFile {
  std::string key;
  uint64_t size = 0;
  int64_t last_used = 0;  // Unix time in seconds: written or used.
};

// The least recently used first. Reads no file. A store without answers has none.
Result<std::vector<AnswerFile>> list_answers(FileSystem &files, const std::string &root);

// Succeeds when there is none.
Result<void> remove_answer(FileSystem &files, const std::string &root, const std::string &key);

// Removes what killed writers left, once it is an hour old.
void remove_answer_leftovers(FileSystem &files, const std::string &root);

}  // namespace genclip
