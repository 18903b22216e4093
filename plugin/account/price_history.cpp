// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A few samples a class, the oldest dropped first.
#include "plugin/account/price_history.h"

#include <algorithm>

#include "plugin/catalog/catalog.h"
#include "plugin/catalog/request_meaning.h"

namespace genclip {
namespace {

// A run's line has a default that was spelled out, and one that was imported lacks it.
void set_what_is_unset(PriceClass &found) {
  const auto model = Catalog::built_in()->find(found.model);
  const auto unset = [&](std::string_view field) -> const Json * {
    return model ? meaning_of_unset(*model, field) : nullptr;
  };
  const auto text_or_unset = [&](std::string &text, std::string_view field) {
    if (const Json *value = text.empty() ? unset(field) : nullptr; value && value->string())
      text = *value->string();
  };
  if (const Json *value = found.duration ? nullptr : unset("duration")) found.duration = value->number();
  text_or_unset(found.resolution, "resolution");
  text_or_unset(found.size, "size");
  if (const Json *value = found.audio ? nullptr : unset("generate_audio"); value && value->boolean())
    found.audio = *value->boolean();
}

}  // namespace

PriceClass price_class_of(const ChargeFacts &facts) {
  PriceClass found{facts.base_url, facts.model, facts.duration, facts.resolution, facts.size,
                   facts.audio,    ""};
  for (const auto &[kind, count] : facts.references) {
    if (!found.reference_kinds.empty()) found.reference_kinds += ' ';
    found.reference_kinds += kind;
  }
  set_what_is_unset(found);
  return found;
}

void PriceHistory::put(const PriceClass &price_class, uint64_t number, double amount) {
  const bool is_price = amount > 0;
  auto known = classes_.find(price_class);
  if (known == classes_.end()) {
    if (!is_price) return;
    known = classes_.try_emplace(price_class).first;
  }
  auto &samples = known->second;
  const auto place = std::find_if(samples.begin(), samples.end(),
                                  [&](const Sample &sample) { return sample.number >= number; });
  const bool is_known = place != samples.end() && place->number == number;
  if (is_known && is_price)
    place->amount = amount;
  else if (is_known)
    samples.erase(place);
  else if (is_price)
    samples.insert(place, {number, amount});
  if (samples.size() > kKept) samples.pop_front();
  if (samples.empty()) classes_.erase(known);
}

}  // namespace genclip
