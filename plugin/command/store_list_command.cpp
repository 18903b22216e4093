// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip store list: lists the stored clips and what they cost.
#include <glib.h>

#include <algorithm>

#include "plugin/base/number.h"
#include "plugin/command/amounts.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/clip_search.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/csv_writer.h"
#include "plugin/command/setting_options.h"
#include "plugin/command/store_json.h"
#include "plugin/command/stored_answers.h"
#include "plugin/command/text_table.h"
#include "plugin/store/clip_cost.h"
#include "plugin/store/store_listing.h"

namespace genclip {
namespace {

constexpr CommandText kListText{
    "store list", "[WORD…]",
    "Lists the stored clips and what they cost, the least recently used first.\n"
    "Neither the list nor the total includes clips that were removed or replaced;\n"
    "genclip cost does. The kept answers of captions are counted below the total.",
    "Lists only clips whose prompt, model, key, task ID or state contains each WORD,\n"
    "in capitals or not. The total is of the clips in the list. DATE is a day in UTC,\n"
    "such as 2026-11-22.\n\n"
    "Exit code: 0 success, 1 the store cannot be read, 2 usage error.\n"};

// Which clips are listed.
struct ClipFilter {
  Words words;
  std::string model;  // Empty: any.
  std::optional<UtcDay> since;

  bool takes(const StoredClip &clip) const {
    const ClipRecord record = clip.record.value_or(ClipRecord{});
    if (!model.empty() && record.model != model) return false;
    if (since && record.submitted_at < since->time_since_epoch() / std::chrono::seconds(1)) return false;
    return has_words(clip, words);
  }
};

struct Totals {
  size_t clips = 0;
  size_t complete = 0;
  uint64_t size = 0;
  ClipsCost cost;
};

Totals totals_of(const std::vector<StoredClip> &clips) {
  Totals totals;
  for (const StoredClip &clip : clips) {
    ++totals.clips;
    totals.complete += clip.is_complete();
    totals.size += clip.size;
  }
  totals.cost = cost_of(clips);
  return totals;
}

// Why there is no clip.
std::string problem_of(const StoredClip &clip) {
  return in_one_line(clip.record ? clip.record->error : clip.problem);
}

std::string take_text(const ClipRecord &record) {
  return record.identity.take > 0 ? std::to_string(record.identity.take) : "";
}

// "pinned", "used 3 min ago", "submitted 2026-11-22 06:13:05", "take 2", "seed 42", "task t-7".
std::vector<std::string> details_of(const StoredClip &clip, const ClipRecord &record) {
  std::vector<std::string> details;
  if (clip.pinned) details.emplace_back("pinned");
  const auto add = [&](const char *name, const std::string &value, const char *after = "") {
    if (!value.empty()) details.push_back(std::string(name) + " " + value + after);
  };
  add("used", age_text(clip.last_used, g_get_real_time() / G_USEC_PER_SEC), " ago");
  // A refused request may never have left this machine.
  add(record.state == ClipState::refused ? "tried" : "submitted", date_text(record.submitted_at));
  add("take", take_text(record));
  add("seed", seed_text(clip));
  add("task", printable(record.task_id));
  return details;
}

// The service has not seen each request that was refused. A journal that is made of the ledger's lines is
// called refused, too, whatever tasks it names, and so is one whose earlier task has failed.
std::string shown_state(const StoredClip &clip) {
  const auto was_sent = [](const ClipRecord &record) {
    return record.http_status != 0 || !record.task_id.empty() || !record.earlier_tasks.empty() ||
           !unfetched_tasks_of(record).empty() || unanswered_submits_of(record) > 0;
  };
  const bool is_unsent = clip.record && clip.record->state == ClipState::refused && !was_sent(*clip.record);
  return is_unsent ? "not sent" : state_word(clip);
}

// A person gets a few lines a clip, and what they come to.
void show_list(const std::vector<StoredClip> &clips, const AnswersTotal &answers) {
  using Align = TextTable::Align;
  TextTable table({{"KEY", Align::left, true},
                   {"STATE", Align::left, true},
                   {"MODEL", Align::left, true},
                   {"CREDITS", Align::right, true},
                   {"SIZE", Align::right, true}});
  const size_t columns = columns_of(stdout);
  const size_t room = columns - TextTable::kIndent;
  for (const StoredClip &clip : clips) {
    const ClipRecord record = clip.record.value_or(ClipRecord{});
    std::vector<std::string> below = listed(details_of(clip, record), room);
    if (const std::string problem = problem_of(clip); !problem.empty()) below.insert(below.begin(), problem);
    if (const std::string prompt = in_one_line(clip.prompt()); !prompt.empty())
      below.insert(below.begin(), cut_to(prompt, room));
    table.add({short_key(clip), shown_state(clip), printable(record.model), credits_text(told_cost(clip)),
               size_text(clip.size)},
              std::move(below));
  }
  if (!table.empty()) print(table.to_text(stdout) + "\n");
  const Totals totals = totals_of(clips);
  const std::string text = counted(static_cast<int64_t>(totals.clips), "clip") + ", " +
                           std::to_string(totals.complete) + " complete, " + size_text(totals.size) + ", " +
                           totals.cost.text();
  print_prose(text);
  if (answers.count > 0) print_prose("Besides, " + answers.text());
}

// A program gets a line a clip, with plain numbers. New columns come behind these.
TextTable rows_of(const std::vector<StoredClip> &clips) {
  TextTable table({{"KEY"},
                   {"STATE"},
                   {"MODEL"},
                   {"CREDITS"},
                   {"BYTES"},
                   {"TAKE"},
                   {"SEED"},
                   {"SUBMITTED"},
                   {"USED"},
                   {"TASK"},
                   {"PROMPT"},
                   {"PROBLEM"},
                   {"PINNED"},
                   {"CHANGED"}});
  for (const StoredClip &clip : clips) {
    const ClipRecord record = clip.record.value_or(ClipRecord{});
    table.add({short_key(clip), state_word(clip), printable(record.model), credits_text(told_cost(clip)),
               std::to_string(clip.size), take_text(record), seed_text(clip), utc_text(record.submitted_at),
               utc_text(clip.last_used), printable(record.task_id), in_one_line(clip.prompt()),
               problem_of(clip), clip.pinned ? "yes" : "", utc_text(record.updated_at)});
  }
  return table;
}

Json::Array rows_json(const std::vector<StoredClip> &clips) {
  Json::Array rows;
  for (const StoredClip &clip : clips) rows.push_back(stored_json(clip));
  return rows;
}

// In the order of the columns in a pipe, with times that a spreadsheet reads.
std::string csv_of_clips(const std::vector<StoredClip> &clips) {
  Json::Array rows = rows_json(clips);
  for (Json &row : rows)
    for (const char *name : {"submitted_at", "last_used", "updated_at"})
      if (const auto *time = row.find(name)->integer()) row.set(name, utc_text(*time));
  return csv_of({"key", "state", "model", "amount", "size", "take", "seed", "submitted_at", "last_used",
                 "task_id", "prompt", "problem", "pinned", "updated_at", "actual_duration", "clip"},
                rows);
}

Json list_json(const std::string &root, const std::vector<StoredClip> &clips, const AnswersTotal &answers) {
  const Totals totals = totals_of(clips);
  return Json::Object{{"store", root},
                      {"clips", rows_json(clips)},
                      {"total", Json::Object{{"clips", static_cast<int64_t>(totals.clips)},
                                             {"complete", static_cast<int64_t>(totals.complete)},
                                             {"size", static_cast<int64_t>(totals.size)},
                                             {"amount", totals.cost.credits}}},
                      {"captions", answers.json()}};
}

}  // namespace

int run_store_list(const Words &words) {
  std::string store;
  bool json = false;
  bool csv = false;
  ClipFilter filter;
  CommandOptions options(kListText);
  options.add("model", 'm', "MODEL", "Only clips of this model", filter.model);
  options.add("since", "Only clips that were submitted on this day or later", filter.since);
  options.add("json", 'j', "Print JSON", json);
  options.add("csv", 0, "Print CSV", csv);
  add_setting(options, "store", store);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (json && csv) return options.refuse("Give --json or --csv, not both.");
  filter.words = *rest;
  const std::string root = store_root(store);
  auto clips = list_store(FileSystem::posix(), root);
  if (!clips) return report_failure(clips.error(), json);
  const auto answers = answers_total(FileSystem::posix(), root);
  if (!answers) return report_failure(answers.error(), json);
  std::erase_if(*clips, [&](const StoredClip &clip) { return !filter.takes(clip); });
  if (json)
    print(list_json(root, *clips, *answers).to_pretty_text() + "\n");
  else if (csv)
    print(csv_of_clips(*clips));
  else if (columns_of(stdout) == kNoLimit)
    print(rows_of(*clips).to_text(stdout));
  else
    show_list(*clips, *answers);
  return kOk;
}

}  // namespace genclip
