// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip store verify, remove and prune: no network, no key.
#include <gst/gst.h>

#include <algorithm>

#include "plugin/base/shell_word.h"
#include "plugin/command/account_reading.h"
#include "plugin/command/amounts.h"
#include "plugin/command/chosen_clips.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/setting_options.h"
#include "plugin/command/store_json.h"
#include "plugin/command/stored_answers.h"
#include "plugin/generation/store_account.h"
#include "plugin/store/clip_cost.h"
#include "plugin/store/clip_removal.h"
#include "plugin/store/media_container.h"
#include "plugin/store/store_listing.h"

namespace genclip {
namespace {

constexpr CommandText kVerify{
    "store verify", "[KEY…]",
    "Verifies that every stored clip, or each given one, is whole from its first byte\n"
    "to its last. Without a KEY, it verifies the kept answers of captions as well.",
    kKeysText};
constexpr CommandText kRemove{
    "store remove", "[KEY…]",
    "Removes clips that are not in use, and prints what each cost. Without --pinned\n"
    "it keeps pinned clips, and without --any clips that are still being fetched,\n"
    "records of tasks, and clips beside which a paid task may bring another one. It\n"
    "always keeps files that other programs have put into a clip's folder. With\n"
    "--captions it removes all kept answers of captions; the next run of gencaption\n"
    "asks again, and pays again.",
    kKeysText};
constexpr CommandText kPrune{"store prune", "SIZE",
                             "Removes the least recently used clips that are neither pinned nor in use, and\n"
                             "kept answers of captions, until the store takes up at most SIZE bytes, and\n"
                             "prints what each clip cost.",
                             "SIZE is a number of bytes, or has a unit: 500M, 1.5G, 2Gi. 0 removes all of\n"
                             "these.\n\n"
                             "Exit code: 0 success, 1 the store cannot be read, 2 usage error.\n"};

FileSystem &files() { return FileSystem::posix(); }

// The ledger, and not the journal that goes, is to name each task that may still bring a clip, and what each
// has cost: a run may have died, or the store be older than ledgers.
BeforeRemoval keeps_in_ledger(Ledger &ledger, const std::string &root, std::chrono::seconds patience) {
  return [&, patience](const StoredClip &clip) {
    return bury_before_removal(files(), ledger, root, clip, nullptr, patience);
  };
}

void warn_of_tasks(const StoredClip &clip) {
  for (const std::string &text : open_task_texts(clip)) print_error("Warning: " + printable(text));
}

// "Removed 01234567, 1.2 MB, which cost 12 credits, task t-7".
void tell_removed(const StoredClip &clip) {
  std::string text =
      "Removed " + short_key(clip) + ", " + size_text(clip.size) + ", which cost " + cost_text(clip);
  if (clip.record && !clip.record->task_id.empty()) text += ", task " + printable(clip.record->task_id);
  print_prose(text);
}

}  // namespace

int run_store_verify(const Words &words) {
  RunSettings run;
  bool json = false;
  CommandOptions options(kVerify);
  options.add("json", 'j', "Print JSON", json);
  add_choice_options(options, run);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  gst_init(nullptr, nullptr);
  if (auto knows = check_typefinding(); !knows) return report_failure(knows.error(), json);
  auto clips = chosen_clips(*rest, run);
  if (!clips) return report_failure(clips.error(), json);
  const std::string root = store_root(run.store);

  Json::Array verdicts;
  int64_t whole = 0;
  int64_t bad = 0;
  for (StoredClip &clip : *clips) {
    // An unfinished clip is no damage, unless the user asked for it.
    if (rest->empty() && clip.record && !clip.whole()) continue;
    const auto verified = verify_latest(files(), root, clip);
    if (!verified && rest->empty() && clip.record && !clip.whole()) continue;
    ++(verified ? whole : bad);
    verdicts.push_back(Json::Object{{"key", clip.digest},
                                    {"whole", verified.has_value()},
                                    {"error", verified ? Json() : Json(verified.error().text)}});
    if (!verified) print_error(short_key(clip) + ": " + printable(verified.error().text + fetch_hint(clip)));
  }
  auto answers = rest->empty() ? check_answers(files(), root) : Result<AnswersCheck>(AnswersCheck{});
  if (!answers) return report_failure(answers.error(), json);
  if (json) {
    print(Json(Json::Object{
                   {"clips", std::move(verdicts)},
                   {"whole", whole},
                   {"damaged", bad},
                   {"captions", Json::Object{{"whole", answers->whole}, {"damaged", answers->damaged}}}})
              .to_pretty_text() +
          "\n");
  } else {
    print(std::to_string(whole) + " whole, " + std::to_string(bad) + " damaged\n");
    if (answers->whole + answers->damaged > 0)
      print("Of the kept answers of captions: " + std::to_string(answers->whole) + " whole, " +
            std::to_string(answers->damaged) + " damaged\n");
  }
  return bad + answers->damaged == 0 ? kOk : kFailed;
}

int run_store_remove(const Words &words) {
  RunSettings run;
  bool json = false;
  bool any = false;
  bool pinned = false;
  bool captions = false;
  CommandOptions options(kRemove);
  options.add("any", 0, "Also remove damaged clips and records of tasks", any);
  options.add("pinned", 0, "Also remove pinned clips", pinned);
  options.add("captions", 0, "Remove all kept answers of captions", captions);
  options.add("json", 'j', "Print JSON", json);
  add_choice_options(options, run);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->empty() && !captions)
    return options.refuse("Name the clips to remove: by key, task ID, URI or path.");
  const std::string root = store_root(run.store);
  // With one wrong key, nothing is removed.
  const auto clips = rest->empty() ? std::vector<StoredClip>() : chosen_clips(*rest, run);
  if (!clips) return report_failure(clips.error(), json);

  Ledger ledger = ledger_of(root);
  std::vector<StoredClip> removed;
  int exit_code = kOk;
  for (const StoredClip &clip : *clips) {
    auto done = remove_clip(files(), root, clip.digest, any ? Removable::any : Removable::settled,
                            pinned ? Pinned::go : Pinned::stay, keeps_in_ledger(ledger, root, kLockPatience));
    if (!done) {
      print_error(short_key(clip) + ": " + printable(done.error().text));
      exit_code = kFailed;
      continue;
    }
    if (!json) tell_removed(*done);
    warn_of_tasks(*done);
    removed.push_back(std::move(*done));
  }
  Json::Object told{{"removed", keys_of(removed)}};
  if (captions) {
    bool failed = false;
    const auto answers = remove_answers(files(), root, failed);
    if (!answers) return report_failure(answers.error(), json);
    if (failed) exit_code = kFailed;
    if (!json) print("Removed " + answers->text() + "\n");
    told.push_back({"captions", answers->json()});
  }
  if (json) print(Json(std::move(told)).to_pretty_text() + "\n");
  return exit_code;
}

int run_store_prune(const Words &words) {
  std::string store;
  bool json = false;
  CommandOptions options(kPrune);
  options.add("json", 'j', "Print JSON", json);
  add_setting(options, "store", store);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  const auto size = rest->size() == 1 ? bytes_of(rest->front()) : std::nullopt;
  if (!size) return options.refuse("Give one size, such as 500M or 1.5G.");
  if (lacks_unit(rest->front(), *size))
    return options.refuse(rest->front() +
                          " alone is less than 1 MiB: give a unit, such as 500M. For so few bytes write " +
                          rest->front() + "B.");
  const std::string root = store_root(store);
  Ledger ledger = ledger_of(root);
  std::optional<Error> untold;
  const auto before = [&, keep = keeps_in_ledger(ledger, root, kShortLockPatience)](const StoredClip &clip) {
    auto kept = keep(clip);
    if (!kept && !untold) untold = kept.error();
    return kept;
  };
  const auto pruned = prune_store(files(), root, *size, {}, {}, before);
  if (!pruned) return report_failure(pruned.error(), json);
  const ClipsCost cost = cost_of(pruned->removed);
  const AnswersTotal answers{static_cast<int64_t>(pruned->answers), pruned->answers_size};
  if (json) {
    print(Json(Json::Object{{"removed", keys_of(pruned->removed)},
                            {"amount", cost.credits},
                            {"captions", answers.json()},
                            {"size", static_cast<int64_t>(pruned->size)}})
              .to_pretty_text() +
          "\n");
  } else {
    for (const StoredClip &clip : pruned->removed) tell_removed(clip);
    if (pruned->removed.size() > 1) print("The removed clips cost " + cost.text() + " together\n");
    if (answers.count > 0) print("Removed " + answers.text() + "\n");
    print(size_text(pruned->size) + " left\n");
  }
  for (const StoredClip &clip : pruned->removed) warn_of_tasks(clip);
  if (untold)
    print_error("Warning: Clips stay, because the ledger lacks what the journal of one tells. " +
                printable(untold->text));
  else if (pruned->size > *size)
    print_error("Warning: The rest is pinned, in use, still being fetched, or not a whole clip.");
  return kOk;
}

}  // namespace genclip
