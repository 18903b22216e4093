// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip store list, show, verify, remove and prune: no network, no key.
#include <gst/gst.h>

#include "plugin/catalog/wording.h"
#include "plugin/command/amounts.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/service_options.h"
#include "plugin/command/store_json.h"
#include "plugin/command/text_table.h"
#include "plugin/store/clip_removal.h"
#include "plugin/store/store_listing.h"

namespace genclip {
namespace {

constexpr const char *kKeys =
    "KEY is the first column of genclip store list, the beginning of one (8 digits or\n"
    "more), or the ID of a task.\n\n"
    "Exit code: 0, or 1 when something is wrong, or 2 when the command line makes no\n"
    "sense.\n";

constexpr CommandText kList{
    "store list", "", "Lists what is stored, the least recently used first, with what it cost.",
    "Exit code: 0, or 1 when the store cannot be read, or 2 when the command line makes\n"
    "no sense.\n"};
constexpr CommandText kShow{"store show", "KEY", "Shows all that is known of one clip.", kKeys};
constexpr CommandText kVerify{
    "store verify", "[KEY…]",
    "Looks at every stored clip, or at those given: is it whole, from its first byte to\n"
    "its last?",
    kKeys};
constexpr CommandText kRemove{
    "store remove", "KEY…",
    "Removes clips that nobody reads. A clip that is still on its way stays, and so does\n"
    "the record of a task, unless --any is given.",
    kKeys};
constexpr CommandText kPrune{
    "store prune", "SIZE",
    "Removes the least recently used clips that nobody reads, until the store has at\n"
    "most SIZE bytes.",
    "SIZE is a number of bytes, or has a unit: 500M, 1.5G, 2Gi. 0 removes every clip.\n\n"
    "Exit code: 0, or 1 when the store cannot be read, or 2 when the command line makes\n"
    "no sense.\n"};

FileSystem &files() { return FileSystem::posix(); }

int64_t now() { return g_get_real_time() / G_USEC_PER_SEC; }

struct Totals {
  size_t clips = 0;
  size_t complete = 0;
  uint64_t size = 0;
  double credits = 0;
};

Totals totals_of(const std::vector<StoredClip> &clips) {
  Totals totals;
  for (const StoredClip &clip : clips) {
    ++totals.clips;
    totals.complete += clip.is_complete();
    totals.size += clip.size;
    if (clip.record && clip.record->amount > 0) totals.credits += clip.record->amount;
  }
  return totals;
}

void show_list(const std::vector<StoredClip> &clips) {
  using Align = TextTable::Align;
  TextTable table({{"KEY", Align::left, true},
                   {"STATE", Align::left, true},
                   {"MODEL", Align::left},
                   {"CREDITS", Align::right, true},
                   {"SIZE", Align::right, true},
                   {"USED", Align::left, true},
                   {"TASK", Align::left, true}});
  for (const StoredClip &clip : clips) {
    const ClipRecord record = clip.record.value_or(ClipRecord{});
    table.add({short_key(clip), state_word(clip), printable(record.model), credits_text(record.amount),
               size_text(clip.size), age_text(clip.last_used, now()), printable(record.task_id)},
              printable(clip.record ? clip.prompt() : clip.problem));
  }
  if (!table.empty()) print(table.to_text(stdout) + "\n");
  const Totals totals = totals_of(clips);
  print(counted(static_cast<int64_t>(totals.clips), "clip") + ", " + std::to_string(totals.complete) +
        " complete, " + size_text(totals.size) + ", " + credits_text(totals.credits) + " credits\n");
}

Json list_json(const std::string &root, const std::vector<StoredClip> &clips) {
  Json::Array list;
  for (const StoredClip &clip : clips) list.push_back(stored_json(clip));
  const Totals totals = totals_of(clips);
  return Json::Object{{"store", root},
                      {"clips", std::move(list)},
                      {"total", Json::Object{{"clips", static_cast<int64_t>(totals.clips)},
                                             {"complete", static_cast<int64_t>(totals.complete)},
                                             {"size", static_cast<int64_t>(totals.size)},
                                             {"amount", totals.credits}}}};
}

void show_details(const StoredClip &clip) {
  TextTable table({{""}, {"", TextTable::Align::left, true}});
  const auto row = [&](const char *name, const std::string &value) {
    if (!value.empty()) table.add({name, printable(value)});
  };
  row("Key", clip.digest);
  row("State", state_word(clip));
  row("Problem", clip.problem);
  if (const auto &record = clip.record) {
    row("Error", record->error);
    row("Model", record->model);
    row("Prompt", clip.prompt());
    row("Take", record->identity.take > 0 ? std::to_string(record->identity.take) : "");
    row("Task", record->task_id);
    row("Unanswered submits",
        record->unanswered_submits > 0 ? std::to_string(record->unanswered_submits) : "");
    for (const std::string &task : record->earlier_tasks) row("Earlier task", task);
    row("Credits", credits_text(record->amount));
    row("Seconds used", credits_text(record->actual_duration));
    row("Submitted", date_text(record->submitted_at));
    row("Changed", date_text(record->updated_at));
    row("Service", record->identity.base_url + " (" + record->identity.api + ")");
    row("Media type", record->media_type);
  }
  row("Last used", date_text(clip.last_used));
  row("Size", size_text(clip.size));
  row("Clip", clip.clip_path);
  row("Folder", clip.folder);
  print(table.to_text(stdout));
  if (clip.record) print("\n" + clip.record->identity.request.to_pretty_text() + "\n");
}

// All, or those that the keys name.
Result<std::vector<StoredClip>> chosen(const std::string &root, const Words &keys) {
  if (keys.empty()) return list_store(files(), root);
  std::vector<StoredClip> clips;
  for (const std::string &key : keys) {
    auto clip = find_stored(files(), root, key);
    if (!clip) return std::move(clip).error();
    clips.push_back(std::move(*clip));
  }
  return clips;
}

std::string fetch_hint(const StoredClip &clip) {
  if (!clip.record || clip.record->task_id.empty()) return {};
  return " To get it again: genclip store fetch " + shell_word(clip.record->task_id);
}

}  // namespace

int run_store_list(const Words &words) {
  std::string store;
  bool json = false;
  CommandOptions options(kList);
  options.add("json", 'j', "Print JSON", json);
  add_store_option(options, store);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (!rest->empty()) return options.refuse("There is nothing to give to store list.");
  const std::string root = store_root(store);
  const auto clips = list_store(files(), root);
  if (!clips) return report_failure(clips.error(), json);
  if (json)
    print(list_json(root, *clips).to_pretty_text() + "\n");
  else
    show_list(*clips);
  return kOk;
}

int run_store_show(const Words &words) {
  std::string store;
  bool json = false;
  CommandOptions options(kShow);
  options.add("json", 'j', "Print JSON", json);
  add_store_option(options, store);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->size() != 1) return options.refuse("Give the key of one clip.");
  const auto clip = find_stored(files(), store_root(store), rest->front());
  if (!clip) return report_failure(clip.error(), json);
  if (json)
    print(stored_details_json(*clip).to_pretty_text() + "\n");
  else
    show_details(*clip);
  return kOk;
}

int run_store_verify(const Words &words) {
  std::string store;
  bool json = false;
  CommandOptions options(kVerify);
  options.add("json", 'j', "Print JSON", json);
  add_store_option(options, store);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  gst_init(nullptr, nullptr);
  const auto clips = chosen(store_root(store), *rest);
  if (!clips) return report_failure(clips.error(), json);

  Json::Array verdicts;
  int64_t whole = 0;
  int64_t bad = 0;
  for (const StoredClip &clip : *clips) {
    // Those that are on their way are no damage, unless they were asked for.
    if (rest->empty() && clip.record && !clip.is_complete()) continue;
    const auto verified = verify_clip(files(), clip);
    ++(verified ? whole : bad);
    verdicts.push_back(Json::Object{{"key", clip.digest},
                                    {"whole", verified.has_value()},
                                    {"error", verified ? Json() : Json(verified.error().text)}});
    if (!verified) print_error(short_key(clip) + ": " + printable(verified.error().text + fetch_hint(clip)));
  }
  if (json)
    print(Json(Json::Object{{"clips", std::move(verdicts)}, {"whole", whole}, {"damaged", bad}})
              .to_pretty_text() +
          "\n");
  else
    print(std::to_string(whole) + " whole, " + std::to_string(bad) + " damaged\n");
  return bad == 0 ? kOk : kFailed;
}

int run_store_remove(const Words &words) {
  std::string store;
  bool json = false;
  bool any = false;
  CommandOptions options(kRemove);
  options.add("any", 0, "Remove also what is no whole clip", any);
  options.add("json", 'j', "Print JSON", json);
  add_store_option(options, store);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->empty()) return options.refuse("Give the keys of the clips to remove.");
  const std::string root = store_root(store);
  // A wrong key removes nothing at all.
  const auto clips = chosen(root, *rest);
  if (!clips) return report_failure(clips.error(), json);

  Json::Array removed;
  int exit_code = kOk;
  for (const StoredClip &clip : *clips) {
    if (auto done = remove_clip(files(), root, clip.digest, any ? Removable::any : Removable::complete);
        !done) {
      print_error(short_key(clip) + ": " + printable(done.error().text));
      exit_code = kFailed;
      continue;
    }
    removed.emplace_back(clip.digest);
    if (!json) print("Removed " + short_key(clip) + ", " + size_text(clip.size) + "\n");
  }
  if (json) print(Json(Json::Object{{"removed", std::move(removed)}}).to_pretty_text() + "\n");
  return exit_code;
}

int run_store_prune(const Words &words) {
  std::string store;
  bool json = false;
  CommandOptions options(kPrune);
  options.add("json", 'j', "Print JSON", json);
  add_store_option(options, store);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  const auto size = rest->size() == 1 ? bytes_of(rest->front()) : std::nullopt;
  if (!size) return options.refuse("Give one size, such as 500M or 1.5G.");
  const auto pruned = prune_store(files(), store_root(store), *size);
  if (!pruned) return report_failure(pruned.error(), json);
  if (json) {
    Json::Array removed;
    for (const StoredClip &clip : pruned->removed) removed.emplace_back(clip.digest);
    print(Json(Json::Object{{"removed", std::move(removed)}, {"size", static_cast<int64_t>(pruned->size)}})
              .to_pretty_text() +
          "\n");
  } else {
    for (const StoredClip &clip : pruned->removed)
      print("Removed " + short_key(clip) + ", " + size_text(clip.size) + "\n");
    print(size_text(pruned->size) + " left\n");
  }
  if (pruned->size > *size) print_error("Warning: What is left is in use, on its way, or no whole clip.");
  return kOk;
}

}  // namespace genclip
