// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip cost: what clips have cost, by the store's ledger. No network, no key.
#include "plugin/account/decision.h"
#include "plugin/base/number.h"
#include "plugin/base/shell_word.h"
#include "plugin/command/account_reading.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/csv_writer.h"
#include "plugin/command/setting_options.h"
#include "plugin/command/text_table.h"
#include "plugin/store/clip_path.h"

namespace genclip {
namespace {

using Align = TextTable::Align;

constexpr CommandText kCost{
    "cost", "",
    "Shows what clips have cost, by the store's ledger. It includes clips that were\n"
    "removed or replaced since. A clip belongs to the day on which it was submitted.",
    "DATE is a day in UTC, such as 2026-11-22; both days are included. GROUP is\n"
    "model, project, day, month or task (a line for each task, with the prompt while\n"
    "the clip is stored).\n\n"
    "To a pipe, each row is one line with tabs between its columns, also those that\n"
    "are 0 everywhere.\n\n"
    "To enter what a task of unknown cost has cost: genclip cost correct.\n\n"
    "Exit code: 0 success, 1 the ledger cannot be read, 2 usage error.\n"};

constexpr size_t kShortKeySize = 8;
constexpr size_t kMostRemarked = 10;

// What the command line asks for.
struct CostQuery {
  std::string root;
  std::optional<UtcDay> since;
  std::optional<UtcDay> until;  // Included.
  CostBy by = CostBy::model;

  Period period() const {
    Period period{since, {}};
    if (until) period.until = *until + std::chrono::days(1);
    return period;
  }
};

std::string count_text(uint64_t count) { return std::to_string(count); }
std::string yes_text(bool flag) { return flag ? "yes" : ""; }

std::string upper(std::string text) {
  for (char &c : text) c = g_ascii_toupper(c);
  return text;
}

// ---- For programs: new columns come behind these.

TextTable rows_for_programs(const CostReport &report, CostBy by) {
  TextTable table({{upper(to_word(by))},
                   {"CLIPS"},
                   {"SPENT"},
                   {"RESERVED"},
                   {"UNKNOWN"},
                   {"CORRECTED"},
                   {"UNTOLD"},
                   {"FAILED"},
                   {"IMPORTED"},
                   {"ATTACHED"},
                   {"REQUESTS"},
                   {"TOKENS"}});
  std::map<std::string, std::pair<CostSums, CaptionUse>> rows;
  for (const auto &[name, sums] : report.rows) rows[name].first = sums;
  for (const auto &[name, captions] : report.captions) rows[name].second = captions;
  for (const auto &[name, row] : rows) {
    const auto &[sums, captions] = row;
    table.add({printable(name), count_text(sums.clips), amount_text(sums.spent), amount_text(sums.reserved),
               count_text(sums.unknown), count_text(sums.corrected), count_text(sums.untold),
               count_text(sums.failed), count_text(sums.imported), count_text(sums.attached),
               count_text(captions.requests), count_text(captions.tokens())});
  }
  return table;
}

TextTable tasks_for_programs(const CostReport &report, double assumed_price, StoredPrompts &prompts) {
  TextTable table({{"KEY"},
                   {"AT"},
                   {"STATE"},
                   {"MODEL"},
                   {"SPENT"},
                   {"RESERVED"},
                   {"TAKE"},
                   {"PROJECT"},
                   {"TASK"},
                   {"CORRECTED"},
                   {"IMPORTED"},
                   {"PROMPT"}});
  for (const Charge *charge : report.charges)
    table.add({charge->key.substr(0, kShortKeySize), utc_text(charge->at), state_word(*charge),
               printable(charge->model), amount_text(charge->spent()),
               amount_text(charge->reserved(assumed_price)),
               charge->take > 0 ? std::to_string(charge->take) : "", printable(charge->project),
               printable(charge->task_id), yes_text(charge->corrected), yes_text(charge->imported),
               in_one_line(prompts.of(charge->key))});
  return table;
}

// ---- CSV, of what JSON has. New columns come behind these, too.

Json sums_json(const CostSums &sums) {
  const auto count = [](uint64_t value) { return Json(static_cast<int64_t>(value)); };
  return Json::Object{{"clips", count(sums.clips)},         {"spent", sums.spent},
                      {"reserved", sums.reserved},          {"unknown", count(sums.unknown)},
                      {"corrected", count(sums.corrected)}, {"untold", count(sums.untold)},
                      {"failed", count(sums.failed)},       {"imported", count(sums.imported)},
                      {"attached", count(sums.attached)}};
}

Json captions_json(const CaptionUse &use) {
  const auto count = [](uint64_t value) { return Json(static_cast<int64_t>(value)); };
  return Json::Object{{"requests", count(use.requests)},
                      {"tokens", count(use.tokens())},
                      {"prompt_tokens", count(use.prompt_tokens)},
                      {"output_tokens", count(use.output_tokens)},
                      {"untold", count(use.untold)}};
}

std::string csv_of_sums(const CostReport &report, CostBy by) {
  std::map<std::string, Json> rows;
  for (const auto &[name, sums] : report.rows) rows[name] = sums_json(sums);
  for (const auto &[name, use] : report.captions) {
    Json &row = rows.emplace(name, sums_json({})).first->second;
    const Json captions = captions_json(use);
    for (const char *member : {"requests", "tokens"}) row.set(member, *captions.find(member));
  }
  Json::Array list;
  for (auto &[name, row] : rows) {
    for (const char *member : {"requests", "tokens"})
      if (!row.find(member)) row.set(member, 0);
    row.set(to_word(by), name);
    list.push_back(std::move(row));
  }
  return csv_of({std::string(to_word(by)), "clips", "spent", "reserved", "unknown", "corrected", "untold",
                 "failed", "imported", "attached", "requests", "tokens"},
                list);
}

std::string csv_of_tasks(const CostReport &report, double assumed_price, StoredPrompts &prompts) {
  Json::Array rows;
  for (const Charge *charge : report.charges) rows.push_back(charge_json(*charge, assumed_price, prompts));
  return csv_of(
      {"key",     "at",        "state",    "model",          "spent", "reserved", "take",     "project",
       "task_id", "corrected", "imported", "prompt",         "api",   "base_url", "duration", "resolution",
       "size",    "amount",    "estimate", "actual_duration"},
      rows);
}

// ---- For a person.

// A project may have a name of any length.
bool is_never_broken(CostBy by) { return by != CostBy::project; }

void show_rows(const CostReport &report, CostBy by) {
  TextTable table({{upper(to_word(by)), Align::left, is_never_broken(by)},
                   {"CLIPS", Align::right, true},
                   {"SPENT", Align::right, true},
                   {"RESERVED", Align::right, true},
                   {"UNKNOWN", Align::right, true},
                   {"CORRECTED", Align::right, true}});
  const auto add = [&](const std::string &name, const CostSums &sums) {
    table.add({name, count_text(sums.clips), amount_text(sums.spent), amount_text(sums.reserved),
               count_text(sums.unknown), count_text(sums.corrected)});
  };
  for (const auto &[name, sums] : report.rows) add(name.empty() ? "(none)" : printable(name), sums);
  add("Total", report.total);
  print(table.to_text(stdout));
}

std::vector<std::string> details_of(const Charge &charge) {
  std::vector<std::string> details;
  if (charge.take > 0) details.push_back("take " + std::to_string(charge.take));
  if (!charge.project.empty()) details.push_back("project " + printable(charge.project));
  if (!charge.task_id.empty()) details.push_back("task " + printable(charge.task_id));
  if (charge.corrected) details.emplace_back("corrected");
  if (charge.imported) details.emplace_back("imported");
  return details;
}

void show_tasks(const std::vector<const Charge *> &charges, double assumed_price, StoredPrompts &prompts) {
  TextTable table({{"KEY", Align::left, true},
                   {"DATE", Align::left, true},
                   {"STATE", Align::left, true},
                   {"MODEL", Align::left, true},
                   {"SPENT", Align::right, true},
                   {"RESERVED", Align::right, true}});
  const size_t room = columns_of(stdout) - TextTable::kIndent;
  for (const Charge *charge : charges) {
    std::vector<std::string> below = listed(details_of(*charge), room);
    if (const std::string prompt = in_one_line(prompts.of(charge->key)); !prompt.empty())
      below.insert(below.begin(), cut_to(prompt, room));
    table.add({charge->key.substr(0, kShortKeySize), day_text(day_of(charge->at)), state_word(*charge),
               printable(charge->model), amount_text(charge->spent()),
               amount_text(charge->reserved(assumed_price))},
              std::move(below));
  }
  if (!table.empty()) print(table.to_text(stdout));
}

struct Remark {
  const char *state;
  uint64_t CostSums::*count;
  const char *text;
};
constexpr Remark kRemarks[] = {
    {"unknown", &CostSums::unknown,
     "whether the task exists, or what became of it, is not known. It stays reserved until it is "
     "corrected:"},
    {"untold", &CostSums::untold,
     "the task was completed, but the service did not say what it cost. It stays reserved until it is "
     "corrected:"},
    {"failed", &CostSums::failed, "the task failed, and the service did not say what it cost. It counts 0."},
    {"attached", &CostSums::attached,
     "the task was named by its ID. This store did not submit it, so it is in no total."},
};

// What corrects that task and no other: a clip may have several, of which the key names the latest.
std::string correction_command(const Charge &charge) {
  const std::string name =
      charge.task_id.empty() ? charge.key.substr(0, kShortKeySize) : shell_operand(charge.task_id);
  return "    genclip cost correct " + name + " AMOUNT\n";
}

// What the totals do not say.
void show_remarks(const CostReport &report, CostBy by, double assumed_price, StoredPrompts &prompts) {
  std::vector<const Charge *> remarkable;
  for (const Charge *charge : report.charges)
    if (is_remarkable(*charge)) remarkable.push_back(charge);
  const size_t more = remarkable.size() - std::min(remarkable.size(), kMostRemarked);
  // The latest are the ones that a person still can find out about.
  remarkable.erase(remarkable.begin(), remarkable.begin() + static_cast<ptrdiff_t>(more));
  if (by != CostBy::task && !remarkable.empty()) {
    print("\n");
    show_tasks(remarkable, assumed_price, prompts);
    if (more > 0) print("    and " + std::to_string(more) + " earlier ones: genclip cost --by task\n");
  }
  if (!remarkable.empty()) print("\n");
  for (const Remark &remark : kRemarks) {
    if (report.total.*remark.count == 0) continue;
    print_prose(std::string(remark.state) + ": " + remark.text);
    for (const Charge *charge : remarkable)
      if (asks_for_correction(*charge) && state_word(*charge) == remark.state)
        print(correction_command(*charge));
  }
  const auto imported = static_cast<int64_t>(report.total.imported);
  if (imported == 0) return;
  if (remarkable.empty()) print("\n");
  print_prose("imported: " + counted(imported, "clip") + (imported == 1 ? " is" : " are") +
              " older than the ledger, and known only from the store's records. Clips that were removed or "
              "replaced before the ledger began are missing. The projects of imported clips are not known.");
}

void show_captions(const CostReport &report, CostBy by) {
  TextTable table({{"CAPTIONS", Align::left, is_never_broken(by)},
                   {"REQUESTS", Align::right, true},
                   {"PROMPT", Align::right, true},
                   {"OUTPUT", Align::right, true},
                   {"TOKENS", Align::right, true}});
  const auto add = [&](const std::string &name, const CaptionUse &use) {
    table.add({name, count_text(use.requests), count_text(use.prompt_tokens), count_text(use.output_tokens),
               count_text(use.tokens())});
  };
  for (const auto &[name, use] : report.captions) add(name.empty() ? "(none)" : printable(name), use);
  add("Total", report.captions_total);
  print("\n" + table.to_text(stdout));
}

void show_report(const CostReport &report, const CostQuery &query, double assumed_price,
                 StoredPrompts &prompts) {
  // Where something should be, this is often the wrong store.
  if (report.charges.empty() && report.captions_total.requests == 0) {
    const char *when = query.since || query.until ? "in this time " : "";
    print(std::string("Nothing was spent ") + when + "in the store " + printable(query.root) + ".\n");
    return;
  }
  if (query.by == CostBy::task) {
    show_tasks(report.charges, assumed_price, prompts);
    if (!report.charges.empty()) print("\n");
    print_prose(counted(static_cast<int64_t>(report.total.clips), "clip") + ", " +
                counted(amount_text(report.total.spent), "credit") + " spent, " +
                amount_text(report.total.reserved) + " reserved");
  } else {
    show_rows(report, query.by);
  }
  if (report.captions_total.requests > 0) show_captions(report, query.by);
  show_remarks(report, query.by, assumed_price, prompts);
}

// ---- JSON.

Json report_json(const CostReport &report, const CostQuery &query, double assumed_price, uint64_t skipped,
                 StoredPrompts &prompts) {
  Json::Array rows, listed, caption_rows;
  for (const auto &[name, use] : report.captions) {
    Json row = Json::Object{{to_word(query.by), name}};
    const Json members = captions_json(use);
    for (const auto &[member, value] : *members.object()) row.set(member, value);
    caption_rows.push_back(std::move(row));
  }
  Json captions = captions_json(report.captions_total);
  captions.set("rows", std::move(caption_rows));
  for (const auto &[name, sums] : report.rows) {
    Json row = Json::Object{{to_word(query.by), name}};
    const Json members = sums_json(sums);
    for (const auto &[member, value] : *members.object()) row.set(member, value);
    rows.push_back(std::move(row));
  }
  for (const Charge *charge : report.charges) {
    if (query.by == CostBy::task) rows.push_back(charge_json(*charge, assumed_price, prompts));
    if (is_remarkable(*charge)) listed.push_back(charge_json(*charge, assumed_price, prompts));
  }
  const auto day = [](const std::optional<UtcDay> &value) { return value ? Json(day_text(*value)) : Json(); };
  return Json::Object{{"store", query.root},
                      {"since", day(query.since)},
                      {"until", day(query.until)},
                      {"by", to_word(query.by)},
                      {"rows", std::move(rows)},
                      {"total", sums_json(report.total)},
                      {"listed", std::move(listed)},
                      {"captions", std::move(captions)},
                      {"skipped", static_cast<int64_t>(skipped)}};
}

}  // namespace

int run_cost(const Words &words) {
  std::string store;
  bool json = false;
  bool csv = false;
  CostQuery query;
  CommandOptions options(kCost);
  options.add("since", "From this day on", query.since);
  options.add("until", "Up to the end of this day", query.until);
  options.add("by", "GROUP", "Sum up by that: model, project, … (model)", query.by);
  options.add("json", 'j', "Print JSON", json);
  options.add("csv", 0, "Print CSV", csv);
  add_setting(options, "store", store);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (!rest->empty())
    return options.refuse(no_command_text("cost", rest->front(), "There are: cost, cost correct."));
  if (json && csv) return options.refuse("Give --json or --csv, not both.");
  if (query.since && query.until && *query.since > *query.until)
    return options.refuse("--since is later than --until.");
  query.root = store_root(store);

  const auto reading = read_account(query.root, Reading::whole);
  if (!reading) return report_failure(reading.error(), json);
  const auto budget = ledger_of(query.root).budget();
  if (!budget) print_warning(budget.error().text);
  const double assumed_price = budget ? budget->assumed_price : 0;
  const CostReport report = cost_report(reading->account, query.period(), query.by, assumed_price);
  StoredPrompts prompts(query.root);
  if (json) {
    print(report_json(report, query, assumed_price, reading->skipped, prompts).to_pretty_text() + "\n");
  } else if (csv) {
    print(query.by == CostBy::task ? csv_of_tasks(report, assumed_price, prompts)
                                   : csv_of_sums(report, query.by));
  } else if (columns_of(stdout) == kNoLimit) {
    const TextTable table = query.by == CostBy::task ? tasks_for_programs(report, assumed_price, prompts)
                                                     : rows_for_programs(report, query.by);
    print(table.to_text(stdout));
  } else {
    show_report(report, query, assumed_price, prompts);
  }
  return kOk;
}

}  // namespace genclip
