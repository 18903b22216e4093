// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip cost correct: enters into the ledger what a task has cost. No network, no key.
#include <set>

#include "plugin/account/decision.h"
#include "plugin/base/credits.h"
#include "plugin/base/number.h"
#include "plugin/command/account_reading.h"
#include "plugin/command/chosen_clips.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/generation/store_account.h"
#include "plugin/store/clip_cost.h"
#include "plugin/store/clip_path.h"

namespace genclip {
namespace {

constexpr CommandText kCorrect{
    "cost correct", "KEY|TASK AMOUNT",
    "Enters into the store's ledger what a task has cost, in credits, as the account\n"
    "at the service says it. That amount then counts, whatever the service told\n"
    "before or tells later. 0: nothing was charged, so a request that nobody knew the\n"
    "outcome of, or whose task the service has lost, is submitted again without a\n"
    "warning.",
    "KEY is a key that genclip cost or genclip store list shows, the first 8 or more\n"
    "digits of one, the clip's genclip:// URI, or the path of the clip or of its\n"
    "folder in the store: the latest task of that clip. TASK is a task's ID. A URI\n"
    "needs GENCLIP_BASE_URL or --base-url.\n\n"
    "Exit code: 0 success, 1 there is no such task or the ledger cannot be written, 2\n"
    "usage error.\n"};

constexpr size_t kShortestKey = 8;

Result<const Charge *> meant_charge(const Account &account, const std::string &root, const std::string &key) {
  if (const Charge *charge = account.find(key)) return charge;
  std::set<std::string> keys;
  for (const Charge &charge : account.charges())
    if (key.size() >= kShortestKey && charge.key.starts_with(key) && account.find(charge.key))
      keys.insert(charge.key);
  if (keys.size() == 1) return account.find(*keys.begin());
  if (keys.empty())
    return Error{ErrorKind::not_found, "The ledger of the store " + root + " has no task of " + key +
                                           ". See: genclip cost --by task"};
  return Error{ErrorKind::settings, "The ledger of the store " + root + " has " +
                                        std::to_string(keys.size()) + " clips named " + key +
                                        ". Give more characters of the name."};
}

LedgerEntry correction_of(const Charge &charge, double amount) {
  LedgerEntry entry(LedgerEvent::correct, charge);
  entry.task_id = charge.task_id;
  entry.amount = amount;
  return entry;
}

std::string told(const Charge &before, double amount) {
  std::string text = "Corrected: ";
  text += before.task_id.empty() ? "The task" : "Task " + printable(before.task_id);
  text += " of clip " + before.key.substr(0, kShortestKey) + " cost " + cost_text(amount) + ". Before, ";
  text += before.amount ? "it was " + cost_text(*before.amount) + "." : "its cost was not told.";
  if (before.is_under_way())
    text += " The task may still be under way; what the service says of its cost will not count.";
  if (before.state == ChargeState::attached)
    text += " It is in no total, because this store did not submit it.";
  return text;
}

}  // namespace

int run_cost_correct(const Words &words) {
  RunSettings run;
  bool json = false;
  CommandOptions options(kCorrect);
  options.add("json", 'j', "Print JSON", json);
  add_choice_options(options, run);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->size() != 2)
    return options.refuse("Give a key or a task ID, and what the task has cost in credits.");
  const auto amount = parse_number<double>(rest->back());
  if (!amount || !is_amount(*amount))
    return options.refuse("AMOUNT must be a number of credits from 0 to 1000000000, such as 12 or 7.5.");
  const std::string root = store_root(run.store);

  auto reading = read_account(root, Reading::whole);
  if (!reading) return report_failure(reading.error(), json);
  const auto key = clip_key(rest->front(), run);
  if (!key) return report_failure(key.error(), json);
  const auto charge = meant_charge(reading->account, root, *key);
  if (!charge) return report_failure(charge.error(), json);
  const Charge before = **charge;
  const LedgerEntry entry = correction_of(before, *amount);
  // First, because a key names another charge once this one is entered.
  const bool is_of_submit = before.task_id.empty();
  // Else the task of the run would count beside what is entered now.
  bool is_busy = false;
  if (is_of_submit && before.is_under_way()) {
    const auto at_work = is_at_work(FileSystem::posix(), root, before.key);
    if (!at_work) return report_failure(at_work.error(), json);
    is_busy = *at_work;
  }
  if (!is_busy && *amount == 0 && (is_of_submit || !before.is_under_way())) {
    const auto settled = settle_submit(FileSystem::posix(), root, before);
    if (!settled) return report_failure(settled.error(), json);
    is_busy = !*settled && (is_of_submit || before.is_in_doubt());
  }
  if (is_busy)
    return report_failure({ErrorKind::busy,
                           "A run is at work on this clip, and may submit it again. Nothing was "
                           "entered. Once it has ended, look with genclip cost again."},
                          json);
  const auto written = ledger_of(root).append({entry}, nullptr);
  if (!written) return report_failure(written.error(), json);
  if (!json) {
    print_prose(told(before, *amount));
    return kOk;
  }
  Account &account = reading->account;
  static_cast<void>(account.apply(entry));
  const Charge *after = account.find(before.task_id.empty() ? before.key : before.task_id);
  StoredPrompts prompts(root);
  print(charge_json(after ? *after : before, 0, prompts).to_pretty_text() + "\n");
  return kOk;
}

}  // namespace genclip
