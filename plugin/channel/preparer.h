// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Makes a channel's items ready ahead of time: generates clips, vets them, and keeps them in the store.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/account/budget.h"
#include "plugin/base/utc_time.h"
#include "plugin/catalog/run_settings.h"
#include "plugin/channel/rundown.h"
#include "plugin/channel/shelf.h"
#include "plugin/channel/vetter.h"
#include "plugin/generation/generation_job.h"

namespace genclip {

// What a channel does with an item whose submit's outcome is unknown.
enum class OnUnknown { skip, resubmit };
template <>
inline constexpr Word<OnUnknown> kWords<OnUnknown>[] = {{OnUnknown::skip, "skip"},
                                                        {OnUnknown::resubmit, "resubmit"}};

struct PreparerSettings {
  RunSettings run;       // Of all generations.
  unsigned workers = 3;  // Generations at once.
  OnUnknown on_unknown = OnUnknown::skip;
  double loudness = -23;  // LUFS; 0: off.
  double true_peak = -1;  // dBTP.
  bool is_mono = false;   // What leaves has one channel of sound.
};

// An item in one turn of the rundown.
struct Wish {
  RundownItem item;
  uint64_t turn = 0;
};

// The budget is spent, or the key is refused: nothing is submitted until somebody does something.
struct BudgetNotice {
  bool is_key = false;  // The service refused the key or the account (401, 402), not the store's budget.
  bool lacks_credits = false;  // It refused the account (402).
  bool is_unbound = false;     // The store has no budget, which fresh items need.
  std::string unit;            // Of the three numbers: "credits" or "tasks"; empty: they are not known.
  double limit = 0;
  double spent = 0;
  double reserved = 0;
  std::optional<UtcTime> resumes;  // When the budget resets; nothing: it does not, or is unknown.
  std::string text;                // Sentences for a person.

  // The alarm of it: who tops up an account is not who renews a key.
  const char *alarm() const { return is_key && !lacks_credits ? "key" : "budget"; }
};

// Called with no lock held, on any thread.
class PreparerListener {
 public:
  virtual ~PreparerListener() = default;
  virtual void on_item(const std::string &id, uint64_t turn, const ItemStatus &status) = 0;
  // Nothing: submits go on.
  virtual void on_budget(const std::optional<BudgetNotice> &notice) = 0;
  virtual void on_warning(const Error &warning) = 0;
  // Disk full, and the like: `kind` is a word of the program's alarms. Not active: it is over.
  virtual void on_alarm(const std::string &kind, const std::string &text, bool is_active) = 0;
};

// Thread-safe; no call waits for the network or the disk.
class Preparer : public Shelf {
 public:
  // What a submit may be made for, and what is kept from eviction: these items, in the order in which they
  // will be on the air, and the rundown's fallbacks. What is not in the list any more is let go; its task
  // stays with the service and in the journal. If it is paid, its clip is fetched nevertheless, as long as
  // this runs.
  virtual void want(std::vector<Wish> wishes, std::vector<std::string> fallback) = 0;
  // Whether the store has a budget that ends what fresh takes cost. Without one they wait, as for a spent
  // one.
  virtual void set_bound(bool is_bound) = 0;
  // Looks at once again at the budget, the key and what has failed.
  virtual void reload() = 0;
  // Ends all work; no listener is called afterwards. Never waits for network or disk.
  virtual void close() = 0;
  // Credits that this run has paid.
  virtual double spent() const = 0;
};

// `listener` and `vetter` are borrowed until close() has returned; what still works then does not use the
// listener.
std::shared_ptr<Preparer> make_preparer(PreparerSettings settings, GenerationServices services,
                                        std::shared_ptr<Vetter> vetter, PreparerListener &listener);

inline constexpr char kStillNeedsDuration[] = "It is a still picture, so it needs a duration.";

// Marks with `problem` each item that the catalog or the settings refuse, and what would be paid for and
// never shown: a still that the catalog knows to be one and that has no length, and a part behind the end of
// its clip. A fallback that is refused is left out. Sends nothing; needs no key.
void judge_rundown(Rundown &rundown, const RunSettings &run);
// As it was before judge_rundown(), which may then judge otherwise.
void forget_judgement(Rundown &rundown);
// Whether it ends what a loop of fresh takes costs. A limit of one clip alone does not.
bool is_bound(const Budget &budget);
// An error if an item that is generated for each turn has no budget of the store to bind it. `budget` tells
// the store's, and is only called if there is such an item.
Result<void, RundownLine> check_budget(const Rundown &rundown, const std::function<Result<Budget>()> &budget);

}  // namespace genclip
