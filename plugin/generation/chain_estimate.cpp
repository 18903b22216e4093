// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/chain_estimate.h"

#include <algorithm>

#include "plugin/account/ledger.h"
#include "plugin/generation/charge_facts.h"
#include "plugin/generation/generation_log.h"
#include "plugin/store/clip_folder.h"
#include "plugin/store/clip_journal.h"

namespace genclip {
namespace {

// The rules of estimate_price(), the surest first.
constexpr std::string_view kBases[] = {"same", "line", "range"};

size_t doubt_of(const Estimate &estimate) {
  return static_cast<size_t>(std::find(std::begin(kBases), std::end(kBases), estimate.basis) - kBases);
}

// A run makes it without paying.
bool is_paid(FileSystem &files, const std::string &store, const ClipIdentity &identity) {
  const auto record = ClipFolder(files, ClipPath(store, identity.digest())).look();
  return record && (whole_clip_of(*record) || record->state == ClipState::submitted);
}

}  // namespace

Estimate sum_of(const std::vector<Estimate> &estimates) {
  Estimate sum = estimates.front();
  for (auto estimate = estimates.begin() + 1; estimate != estimates.end(); ++estimate) {
    sum.low += estimate->low;
    sum.likely += estimate->likely;
    sum.high += estimate->high;
    sum.samples = std::min(sum.samples, estimate->samples);
    if (doubt_of(*estimate) > doubt_of(sum)) sum.basis = estimate->basis;
  }
  return sum;
}

std::optional<Estimate> estimate_of(const GenerationJob &job, const IdentifiedRequest &request,
                                    const GenerationServices &services) {
  Ledger ledger(*services.files, *services.clock, job.store);
  const auto reading = ledger.read_condensed();
  if (!reading) {
    GST_CAT_WARNING(generation_category(), "%s: no estimate: %s", clip_log_name(job.identity).c_str(),
                    log_text(reading.error()).c_str());
    return std::nullopt;
  }
  std::vector<Estimate> estimates;
  const auto add = [&](const ClipIdentity &identity, const std::string &model) {
    const auto estimate =
        estimate_price(reading->account.prices(), charge_facts(identity, model, job.project));
    if (estimate) estimates.push_back(*estimate);
    return estimate.has_value();
  };
  if (!add(request.identity, job.model)) return std::nullopt;
  for (const ChainLink &link : request.links)
    if (!is_paid(*services.files, job.store, link.identity) && !add(link.identity, link.model))
      return std::nullopt;
  return sum_of(estimates);
}

std::optional<Estimate> estimate_of(const GenerationJob &job, const GenerationServices &services) {
  const auto request = identify_request(job, services, false, nullptr);
  if (request) return estimate_of(job, *request, services);
  GST_CAT_INFO(generation_category(), "%s: no estimate: %s", clip_log_name(job.identity).c_str(),
               log_text(request.error()).c_str());
  return std::nullopt;
}

Decision decide_limit(double max_amount, const std::optional<Estimate> &estimate,
                      const GenerationServices &services) {
  return decide(Account(), Budget(), max_amount, estimate,
                std::chrono::floor<std::chrono::milliseconds>(services.clock->wall_now()));
}

}  // namespace genclip
