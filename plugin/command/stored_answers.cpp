// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/stored_answers.h"

#include "plugin/base/number.h"
#include "plugin/command/amounts.h"
#include "plugin/command/console.h"
#include "plugin/store/caption_answers.h"

namespace genclip {

std::string AnswersTotal::text() const {
  return counted(count, "kept answer") + " of captions, " + size_text(size);
}

Json AnswersTotal::json() const {
  return Json::Object{{"answers", count}, {"size", static_cast<int64_t>(size)}};
}

Result<AnswersTotal> answers_total(FileSystem &files, const std::string &root) {
  const auto answers = list_answers(files, root);
  if (!answers) return answers.error();
  AnswersTotal total;
  for (const AnswerFile &answer : *answers) {
    ++total.count;
    total.size += answer.size;
  }
  return total;
}

Result<AnswersCheck> check_answers(FileSystem &files, const std::string &root) {
  const auto answers = list_answers(files, root);
  if (!answers) return answers.error();
  AnswersCheck check;
  for (const AnswerFile &answer : *answers) {
    const auto read = read_answer(files, root, answer.key);
    if (!read && read.error().kind == ErrorKind::not_found) continue;  // removed in the meantime
    ++(read ? check.whole : check.damaged);
    if (!read) print_error(printable(read.error().text));
  }
  return check;
}

Result<AnswersTotal> remove_answers(FileSystem &files, const std::string &root, bool &failed) {
  const auto answers = list_answers(files, root);
  if (!answers) return answers.error();
  AnswersTotal total;
  for (const AnswerFile &answer : *answers) {
    if (auto removed = remove_answer(files, root, answer.key); !removed) {
      print_error(printable(removed.error().text));
      failed = true;
      continue;
    }
    ++total.count;
    total.size += answer.size;
  }
  return total;
}

}  // namespace genclip
