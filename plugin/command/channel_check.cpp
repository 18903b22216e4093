// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/channel_check.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugin/account/decision.h"
#include "plugin/account/ledger.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/channel/rundown_source.h"
#include "plugin/channel/shown_source.h"
#include "plugin/command/account_reading.h"
#include "plugin/command/batch_view.h"
#include "plugin/command/command.h"
#include "plugin/command/console.h"
#include "plugin/command/known_models.h"
#include "plugin/command/paid_clips.h"
#include "plugin/command/text_table.h"
#include "plugin/generation/chain_plan.h"
#include "plugin/generation/clip_plan.h"
#include "plugin/store/clip_cost.h"
#include "plugin/store/clip_path.h"

namespace genclip {
namespace {

struct ItemPrice {
  // "file", "missing", "stored", "to pay", "may be paid", "each turn", "same clip", "refused"
  const char *state = "";
  std::optional<Estimate> estimate;
  std::string problem;
  bool is_paid_before = false;  // "to pay", again: it has left the store since.
  bool is_in_doubt = false;     // Nobody knows whether a submit arrived.
  bool is_left_out = false;     // Because of that.
};

bool is_generated(const std::string &source) { return source.starts_with(std::string(kClipUriScheme) + ":"); }

// Not opened: it may come before its turn.
ItemPrice look_at_file(const std::string &source) {
  const GStringPtr path(g_filename_from_uri(source.c_str(), nullptr, nullptr));
  if (!path) return {"file", {}, {}};
  const auto info = FileSystem::posix().info(resolved_path(path.get()));
  if (!info) return {"missing", {}, info.error().text};
  if (!*info) return {"missing", {}, "There is no file " + std::string(path.get()) + "."};
  if (!(*info)->is_regular) return {"missing", {}, std::string(path.get()) + " is not a regular file."};
  return {"file", {}, {}};
}

// `priced`: the keys of the clips that are to be paid so far. Each is paid once, however often it is shown.
// One that is made anew in each turn is paid in each.
ItemPrice price_of(const std::string &source, Fresh fresh, RunSettings run, OnUnknown on_unknown,
                   const GenerationServices &services, PaidClips &paid, std::set<std::string> &priced) {
  if (!is_generated(source)) return look_at_file(source);
  const auto request = parse_clip_uri(*known_models(), source);
  if (!request) return {"refused", {}, request.error().text};
  run.dry_run = true;
  const auto plan = plan_clip(*request, run);
  if (!plan) return {"refused", {}, plan.error().text};
  const auto identified = identify_request(plan->job, services, false, nullptr);
  if (!identified) return {"refused", {}, identified.error().text};
  const bool is_each_turn = fresh == Fresh::each_turn;
  if (!is_each_turn && is_paid(plan->job, *identified, services)) return {"stored", {}, {}};
  if (const auto files = check_chain(plan->job, *identified, services, nullptr); !files)
    return {"refused", {}, files.error().text};
  if (is_each_turn) return {"each turn", estimate_of(plan->job, *identified, services), {}};
  if (!priced.insert(identified->identity.digest()).second) return {"same clip", {}, {}};
  ItemPrice price{"to pay", {}, {}};
  price.is_in_doubt = may_be_paid(plan->job, *identified, services);
  price.is_left_out = price.is_in_doubt && on_unknown == OnUnknown::skip;
  if (price.is_in_doubt)
    price.state = "may be paid";
  else
    price.is_paid_before = paid.contains(identified->identity.digest());
  if (!price.is_left_out) price.estimate = estimate_of(plan->job, *identified, services);
  return price;
}

bool is_to_pay(const ItemPrice &price) {
  return price.state == std::string_view("to pay") || price.state == std::string_view("each turn") ||
         (price.is_in_doubt && !price.is_left_out);
}

std::string cost_of(const ItemPrice &price) {
  if (!is_to_pay(price)) return "";
  return price.estimate ? estimate_range(*price.estimate) : "unknown";
}

Json item_json(const RundownItem &item, const ItemPrice &price) {
  return Json::Object{{"id", item.id},
                      {"title", item.title},
                      {"line", item.line},
                      {"state", price.state},
                      {"estimate", estimate_json(price.estimate)},
                      {"paid_before", price.is_paid_before},
                      {"problem", price.problem.empty() ? Json() : Json(price.problem)}};
}

Json fallback_json(const std::string &source, const ItemPrice &price) {
  return Json::Object{{"source", shown_source(source)},
                      {"state", price.state},
                      {"estimate", estimate_json(price.estimate)},
                      {"paid_before", price.is_paid_before},
                      {"problem", price.problem.empty() ? Json() : Json(price.problem)}};
}

}  // namespace

int check_channel(const std::string &path, const RunSettings &run, OnUnknown on_unknown, bool json) {
  known_models();  // Tells the mistakes in the user's models.
  RundownSource source(FileSystem::posix(), Clock::system(), path, "", run);
  const auto reading = source.read();
  if (!reading) {
    const RundownLine &problem = reading.error();
    const std::string where = problem.line == 0 ? "" : ":" + std::to_string(problem.line);
    print_error(printable(path + where + ": " + problem.text));
    if (json)
      print(Json(Json::Object{{"accepted", false}, {"line", problem.line}, {"text", problem.text}})
                .to_pretty_text() +
            "\n");
    return kFailed;
  }
  const Rundown &rundown = **reading;
  for (const RundownLine &warning : rundown.warnings)
    print_error(printable("Warning: " + path + (warning.line == 0 ? "" : ":" + std::to_string(warning.line)) +
                          ": " + warning.text));

  TextTable table({{"ID"}, {"STATE"}, {"COST", TextTable::Align::right}, {"TITLE OR PROBLEM"}});
  Json::Array items, fallbacks;
  std::vector<Estimate> known;
  const GenerationServices services = services_of_plan({});
  std::set<std::string> priced;
  PaidClips paid(FileSystem::posix(), Clock::system(), store_root(run.store));
  size_t unknown = 0, refused = 0, missing = 0, again = 0;
  std::vector<std::string> in_doubt;
  const auto add = [&](const std::string &id, const ItemPrice &price, const std::string &title) {
    if (price.estimate) known.push_back(*price.estimate);
    if (is_to_pay(price) && !price.estimate) ++unknown;
    again += price.is_paid_before;
    if (price.is_in_doubt) in_doubt.push_back(id);
    table.add({printable(id), price.is_paid_before ? "to pay again" : price.state, cost_of(price),
               printable(price.problem.empty() ? title : price.problem)});
  };
  for (const RundownItem &item : rundown.items) {
    const ItemPrice price = item.problem.empty()
                                ? price_of(item.source, item.fresh, run, on_unknown, services, paid, priced)
                                : ItemPrice{"refused", {}, item.problem};
    refused += price.state == std::string_view("refused");
    missing += price.state == std::string_view("missing");
    add(item.id, price, item.title);
    items.push_back(item_json(item, price));
  }
  const auto add_fallback = [&](const std::string &source, const ItemPrice &price) {
    refused += price.state == std::string_view("refused");
    missing += price.state == std::string_view("missing");
    add("(fallback)", price, shown_source(source));
    fallbacks.push_back(fallback_json(source, price));
  };
  // They are generated before a hole comes. Those that are refused are left out, which a warning says.
  for (const std::string &source : rundown.fallback)
    add_fallback(source, price_of(source, Fresh::never, run, on_unknown, services, paid, priced));
  for (const RefusedFallback &refusal : rundown.refused_fallback)
    add_fallback(refusal.source, {"refused", {}, refusal.problem});
  const auto budget = Ledger(FileSystem::posix(), Clock::system(), store_root(run.store)).budget();
  const double assumed = budget ? budget->assumed_price : 0;
  const std::optional<Estimate> total = known.empty() ? std::nullopt : std::optional(sum_of(known));
  if (json) {
    print(Json(Json::Object{{"accepted", true},
                            {"items", std::move(items)},
                            {"fallback", std::move(fallbacks)},
                            {"total", estimate_json(total)},
                            {"unknown", static_cast<int64_t>(unknown)},
                            {"assumed_price", assumed > 0 ? Json(assumed) : Json()},
                            {"refused", static_cast<int64_t>(refused)},
                            {"missing", static_cast<int64_t>(missing)}})
              .to_pretty_text() +
          "\n");
  } else {
    print(table.to_text(stdout));
    std::string sum = total ? estimate_range(*total) : "nothing";
    if (unknown > 0)
      sum = (total ? sum + ", and " : "") + std::to_string(unknown) +
            (unknown == 1 ? " clip whose cost is unknown" : " clips whose cost is unknown");
    if (unknown > 0 && assumed > 0)
      sum += "; the budget assumes " + cost_text(assumed) + (unknown == 1 ? "" : " each");
    print("\nTo pay for one turn: " + sum + "\n");
    if (again > 0)
      print(std::to_string(again) + (again == 1 ? " clip was" : " clips were") +
            " paid for before, and left the store since.\n");
  }
  if (!in_doubt.empty()) print_error(doubt_text(in_doubt, on_unknown == OnUnknown::skip, "", "skip"));
  return refused + missing > 0 ? kFailed : kOk;
}

}  // namespace genclip
