// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/status_word.h"

#include <glib.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "plugin/base/name_letters.h"
#include "plugin/base/trimmed.h"

namespace genclip {
namespace {

struct StatusWord {
  std::string_view word;
  TaskStatus status;
};

// In lower case and without separators: in_progress, "In Progress" and inProgress are the same.
constexpr StatusWord kStatusWords[] = {
    {"queued", TaskStatus::queued},         {"queueing", TaskStatus::queued},
    {"inqueue", TaskStatus::queued},        {"pending", TaskStatus::queued},
    {"submitted", TaskStatus::queued},      {"created", TaskStatus::queued},
    {"preparing", TaskStatus::queued},      {"initializing", TaskStatus::queued},
    {"wait", TaskStatus::queued},           {"waiting", TaskStatus::queued},
    {"starting", TaskStatus::queued},       {"throttled", TaskStatus::queued},
    {"notstart", TaskStatus::queued},       {"processing", TaskStatus::processing},
    {"running", TaskStatus::processing},    {"inprogress", TaskStatus::processing},
    {"generating", TaskStatus::processing}, {"completed", TaskStatus::completed},
    {"complete", TaskStatus::completed},    {"succeeded", TaskStatus::completed},
    {"succeed", TaskStatus::completed},     {"success", TaskStatus::completed},
    {"finished", TaskStatus::completed},    {"done", TaskStatus::completed},
    {"ready", TaskStatus::completed},       {"failed", TaskStatus::failed},
    {"fail", TaskStatus::failed},           {"failure", TaskStatus::failed},
    {"error", TaskStatus::failed},          {"cancelled", TaskStatus::failed},
    {"canceled", TaskStatus::failed},       {"aborted", TaskStatus::failed},
    {"expired", TaskStatus::failed},        {"rejected", TaskStatus::failed},
    {"moderated", TaskStatus::failed},
};

// A text of a few words with one of these says no more than that all is well: "Request successful".
constexpr size_t kMostWords = 4;
constexpr std::string_view kGoodWords[] = {"ok",           "success", "successful",
                                           "successfully", "succeed", "succeeded"};
// With a word for "completed" behind one of these, too: "Task completed". "Credits finished" tells of a
// failure.
constexpr std::string_view kTaskWords[] = {"task", "job", "request", "generation", "video"};
constexpr std::string_view kBadWords[] = {"not", "no", "without", "errors", "but"};
constexpr std::string_view kGoodSigns[] = {"成功"};
constexpr std::string_view kBadSigns[] = {"不成功", "未成功", "失败", "没有"};
constexpr size_t kLongestSigns = 40;  // Bytes.
constexpr std::string_view kNothing[] = {"null", "none", "nil", "n/a", "undefined", "-"};

bool is_one_of(std::string_view word, const auto &known) {
  return std::find(std::begin(known), std::end(known), word) != std::end(known);
}

// Whether it is a text of a few words with a good one among them and no bad one. `of_task`: a task that is
// completed is good, too.
bool says_only(std::string_view text, bool of_task) {
  const auto is_in = [&](std::string_view part) { return text.find(part) != text.npos; };
  if (text.size() <= kLongestSigns && std::any_of(std::begin(kGoodSigns), std::end(kGoodSigns), is_in))
    return std::none_of(std::begin(kBadSigns), std::end(kBadSigns), is_in);
  size_t words = 0;
  bool is_good = false;
  bool ends_well = false;
  std::string before, word;
  for (const char c : std::string(text) + " ") {
    if (g_ascii_isalpha(c)) {
      word += g_ascii_tolower(c);
    } else if (!word.empty()) {
      if (is_one_of(word, kBadWords) || read_status(word) == TaskStatus::failed) return false;
      is_good = is_good || is_one_of(word, kGoodWords);
      ends_well = is_one_of(before, kTaskWords) && read_status(word) == TaskStatus::completed;
      if (++words > kMostWords) return false;
      before = std::exchange(word, {});
    }
  }
  return is_good || (of_task && ends_well);
}

}  // namespace

TaskStatus read_status(std::string_view word) {
  std::string letters = name_letters(trimmed(word));
  for (const std::string_view prefix : {"taskstatus", "jobstatus"})  // TASK_STATUS_SUCCEED
    if (letters.size() > prefix.size() && letters.starts_with(prefix)) letters.erase(0, prefix.size());
  const std::string_view wanted = letters;
  const auto *found = std::find_if(std::begin(kStatusWords), std::end(kStatusWords),
                                   [&](const StatusWord &entry) { return entry.word == wanted; });
  return found == std::end(kStatusWords) ? TaskStatus::unknown : found->status;
}

bool may_be_the_calls(std::string_view text) { return says_only(text, false); }

bool means_success(std::string_view text) {
  return read_status(text) == TaskStatus::completed || says_only(text, true);
}

bool means_nothing(std::string_view text) {
  return std::ranges::any_of(kNothing, [&](std::string_view word) {
    return word.size() == text.size() && g_ascii_strncasecmp(word.data(), text.data(), text.size()) == 0;
  });
}

}  // namespace genclip
