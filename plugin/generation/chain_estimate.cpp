// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/chain_estimate.h"

#include <algorithm>
#include <set>
#include <utility>

#include "plugin/account/ledger.h"
#include "plugin/generation/charge_facts.h"
#include "plugin/generation/generation_log.h"
#include "plugin/store/clip_folder.h"
#include "plugin/store/clip_record.h"

namespace genclip {
namespace {

// The rules of estimate_price(), the surest first.
constexpr std::string_view kBases[] = {"same", "line", "range", "assumed"};

size_t doubt_of(const Estimate &estimate) {
  return static_cast<size_t>(std::find(std::begin(kBases), std::end(kBases), estimate.basis) - kBases);
}

std::optional<ClipRecord> record_of(const GenerationJob &job, const IdentifiedRequest &request,
                                    const GenerationServices &services) {
  auto record = ClipFolder(*services.files, ClipPath(job.store, request.identity.digest())).look();
  return record ? std::optional(std::move(*record)) : std::nullopt;
}

class Links {
 public:
  Links(const GenerationJob &job, const GenerationServices &services, const PriceHistory &prices)
      : job_(job), services_(services), prices_(prices) {}

  void add(const CheckedRequest &request, const IdentifiedRequest &identified) {
    const std::string key = identified.identity.digest();
    if (!known_.insert(key).second) return;
    links_.push_back({key, estimate_price(prices_, charge_facts(identified.identity, request.body(),
                                                                request.model(), job_.project))});
    // What is before a clip that is paid is not made again.
    for (const auto &[index, clip] : identified.clips)
      if (!is_paid(job_, *clip, services_)) add(*request.media()[index].clip, *clip);
  }

  std::vector<LinkEstimate> take() { return std::move(links_); }

 private:
  const GenerationJob &job_;
  const GenerationServices &services_;
  const PriceHistory &prices_;
  std::set<std::string> known_;
  std::vector<LinkEstimate> links_;
};

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

std::vector<LinkEstimate> link_estimates(const GenerationJob &job, const IdentifiedRequest &request,
                                         const PriceHistory &prices, const GenerationServices &services) {
  Links links(job, services, prices);
  links.add(*job.request, request);
  return links.take();
}

std::optional<Estimate> total_of(const std::vector<LinkEstimate> &links, double assumed_price) {
  std::vector<Estimate> estimates;
  for (const LinkEstimate &link : links) {
    if (!link.estimate && assumed_price <= 0) return std::nullopt;
    estimates.push_back(
        link.estimate.value_or(Estimate{assumed_price, assumed_price, assumed_price, 0, "assumed"}));
  }
  return sum_of(estimates);
}

bool is_paid(const GenerationJob &job, const IdentifiedRequest &request, const GenerationServices &services) {
  const auto record = record_of(job, request, services);
  return record && (whole_clip_of(*record) || record->state == ClipState::submitted);
}

bool may_be_paid(const GenerationJob &job, const IdentifiedRequest &request,
                 const GenerationServices &services) {
  const auto record = record_of(job, request, services);
  return record && (unanswered_submits_of(*record) > 0 || record->state == ClipState::lost);
}

std::optional<int64_t> unsettled_submit(const GenerationJob &job, const IdentifiedRequest &request,
                                        const GenerationServices &services) {
  const auto record = record_of(job, request, services);
  const bool is_unsettled =
      record && unanswered_submits_of(*record) > 0 && unfetched_tasks_of(*record).empty();
  return is_unsettled ? std::optional(record->submitted_at) : std::nullopt;
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
  return total_of(link_estimates(job, request, reading->account.prices(), services));
}

std::optional<Decision> limit_refusal(const GenerationJob &job, const std::vector<LinkEstimate> &links,
                                      const Account &account, const Budget &budget, double spent,
                                      const GenerationServices &services) {
  const UtcTime now = to_utc(services.clock->wall_now());
  const bool is_chain = links.size() > 1 || spent > 0;
  for (const LinkEstimate &link : links) {
    Decision decision = decide(account, budget, is_chain ? ClipLimit() : job.max_amount, link.estimate, now);
    if (decision.verdict == Verdict::refuse) return decision;
  }
  if (!is_chain) return std::nullopt;
  auto total = total_of(links, budget.assumed_price);
  if (total) total->high += spent;
  Decision decision = decide(Account(), Budget(), job.max_amount, total, now);
  if (decision.verdict != Verdict::refuse) return std::nullopt;
  decision.spent = spent;
  decision.text += " This is the cost of the whole chain: of its clips that are not stored";
  decision.text += spent > 0 ? ", and of those that this run has paid for." : ".";
  return decision;
}

}  // namespace genclip
