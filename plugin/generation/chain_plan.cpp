// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/chain_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "plugin/catalog/inner_clip.h"
#include "plugin/frame/frame.h"
#include "plugin/generation/charge_facts.h"
#include "plugin/generation/generation_log.h"
#include "plugin/generation/store_account.h"
#include "plugin/store/clip_folder.h"
#include "plugin/task/media_check.h"

namespace genclip {
namespace {

class ChainPlanner {
 public:
  size_t add(const CheckedRequest &request, std::shared_ptr<const IdentifiedRequest> identified,
             const std::string &place) {
    const std::string key = identified->identity.digest();
    if (const auto known = by_key_.find(key); known != by_key_.end()) return known->second;
    std::vector<std::optional<size_t>> references(request.media().size());
    for (const auto &[index, clip] : identified->clips) {
      const MediaReference &reference = request.media()[index];
      references[index] = add(*reference.clip, clip, place + reference.name + ": ");
    }
    plan_.push_back({&request, std::move(identified), place, std::move(references)});
    return by_key_[key] = plan_.size() - 1;
  }
  std::vector<PlannedLink> take() { return std::move(plan_); }

 private:
  std::vector<PlannedLink> plan_;
  std::map<std::string, size_t> by_key_;
};

// As a run finds it before its first step.
ChainRun look_at(const GenerationJob &job, const std::vector<PlannedLink> &plan,
                 const GenerationServices &services) {
  ChainRun run;
  for (const PlannedLink &link : plan) {
    const bool is_request = run.links.size() + 1 == plan.size();
    run.links.push_back(is_request ? ChainLink() : link_of(record_of(job, *link.identified, services)));
    run.links.back().needs = link.needs();
  }
  return run;
}

// Of a clip that was paid for by the length that its request tells, and came out some frames shorter.
std::chrono::nanoseconds spare_of(const CheckedRequest &inner) {
  const std::chrono::duration<double> most(clip_duration(inner) ? kOffInLength : 0);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(most);
}

Result<std::shared_ptr<const LocalFile>> frame_of(const LocalFile &clip, const MediaReference &reference,
                                                  GCancellable *cancellable) {
  const FramePosition position{reference.part.time, spare_of(*reference.clip)};
  const auto frame = frame_at(clip.location(), position, {}, cancellable);
  if (g_cancellable_is_cancelled(cancellable)) return cancelled();
  if (!frame) return frame.error();
  auto file = LocalFile::with_content(frame->png);
  if (!file) return std::move(file).error();
  return std::make_shared<const LocalFile>(std::move(*file));
}

void find_replaced(FileSystem &files, const std::string &store, const ClipRecord &record, unsigned depth,
                   std::set<std::string> &seen, std::vector<std::string> &warnings) {
  for (const UsedReference &used : record.references) {
    if (!ClipPath::is_digest(used.clip) || !seen.insert(used.clip).second) continue;
    const auto now = ClipFolder(files, ClipPath(store, used.clip)).look();
    const auto whole = now ? whole_clip_of(*now) : nullptr;
    if (!whole) continue;
    if (whole->task_id != used.task_id)
      warnings.push_back("The clip " + used.clip.substr(0, 8) + ", from which " + used.field +
                         " was taken, has been generated anew since. What is stored still goes on from the "
                         "earlier one; reuse=false generates it anew.");
    else if (depth < kMostClipLevels)
      find_replaced(files, store, *whole, depth + 1, seen, warnings);
  }
}

}  // namespace

std::vector<size_t> PlannedLink::needs() const {
  std::set<size_t> needs;
  for (const auto &link : references)
    if (link) needs.insert(*link);
  return {needs.begin(), needs.end()};
}

std::vector<PlannedLink> plan_chain(const CheckedRequest &request, const IdentifiedRequest &identified) {
  ChainPlanner planner;
  // Borrowed, as the request is.
  planner.add(request, {std::shared_ptr<void>(), &identified}, "");
  return planner.take();
}

std::optional<ClipRecord> record_of(const GenerationJob &job, const IdentifiedRequest &request,
                                    const GenerationServices &services) {
  auto record = ClipFolder(*services.files, ClipPath(job.store, request.identity.digest())).look();
  return record ? std::optional(std::move(*record)) : std::nullopt;
}

ChainLink link_of(const std::optional<ClipRecord> &record) {
  ChainLink link;
  if (!record) return link;
  link.submitted_at = record->submitted_at;
  if (record->state == ClipState::complete)
    link.state = LinkState::stored;
  else if (whole_clip_of(*record) || record->state == ClipState::submitted)
    link.state = LinkState::under_way;
  else if (!unfetched_tasks_of(*record).empty())
    link.state = LinkState::unfetched;
  else if (unanswered_submits_of(*record) > 0)
    link.state = LinkState::in_doubt;
  return link;
}

ChainLink link_of(const OpenCharges &open) {
  ChainLink link;
  link.submitted_at = open.latest_at;
  // A neighbour may be about to send what is reserved.
  const uint64_t under_way = open.reserved_at.empty() ? 0 : 1;
  if (!open.tasks.empty())
    link.state = LinkState::unfetched;
  else if (open.unanswered > under_way)
    link.state = LinkState::in_doubt;
  return link;
}

std::optional<Estimate> price_of(const GenerationJob &job, const PlannedLink &link,
                                 const PriceHistory &prices) {
  return estimate_price(prices, charge_facts(link.identified->identity, *link.request, job.project));
}

bool is_paid(const GenerationJob &job, const IdentifiedRequest &request, const GenerationServices &services) {
  const LinkState state = link_of(record_of(job, request, services)).state;
  return state == LinkState::stored || state == LinkState::under_way;
}

bool may_be_paid(const GenerationJob &job, const IdentifiedRequest &request,
                 const GenerationServices &services) {
  const auto record = record_of(job, request, services);
  return record && (unanswered_submits_of(*record) > 0 || record->state == ClipState::lost);
}

ToPay to_pay(const GenerationJob &job, const IdentifiedRequest &request, const PriceHistory &prices,
             const GenerationServices &services) {
  const std::vector<PlannedLink> plan = plan_chain(*job.request, request);
  const ChainRun run = look_at(job, plan, services);
  ToPay to_pay;
  for (const size_t i : requests_of(run)) {
    to_pay.keys.push_back(plan[i].key());
    to_pay.estimates.push_back(price_of(job, plan[i], prices));
  }
  for (const size_t i : links_to_hold(run.links)) to_pay.links.push_back(plan[i].key());
  return to_pay;
}

std::optional<Estimate> estimate_of(const GenerationJob &job, const IdentifiedRequest &request,
                                    const GenerationServices &services) {
  const auto record = record_of(job, request, services);
  if (record && claim_of(*record, job.reuse) == Claim::clip) return Estimate{0, 0, 0, 0, "paid"};
  KnownCharges own(*services.files, *services.clock);
  const auto account = (services.charges ? *services.charges : own).account(job.store);
  if (!account) {
    GST_CAT_WARNING(generation_category(), "%s: no estimate: %s", clip_log_name(job.identity).c_str(),
                    log_text(account.error()).c_str());
    return std::nullopt;
  }
  return total_of(to_pay(job, request, (*account)->prices(), services).estimates);
}

Result<void> check_chain(const GenerationJob &job, const IdentifiedRequest &request,
                         const GenerationServices &services, GCancellable *cancellable) {
  if (is_paid(job, request, services)) return {};
  MediaCheckOptions options = job.media_check;
  options.depth = MediaCheck::none;
  const std::vector<PlannedLink> plan = plan_chain(*job.request, request);
  const std::vector<size_t> requests = requests_of(look_at(job, plan, services));
  for (auto i = requests.rbegin(); i != requests.rend(); ++i) {
    if (auto published = check_published(plan[*i]); !published) return published;
    const auto media = local_media(plan[*i], {}, cancellable);
    if (!media) return media.error();
    if (auto judged = judge(plan[*i], *media, nullptr, *services.clock, options, cancellable); !judged)
      return judged;
  }
  return {};
}

Result<void> check_published(const PlannedLink &request) {
  const std::vector<Problem> &unpublished = request.request->unpublished();
  if (!unpublished.empty()) return Error{ErrorKind::settings, request.place + problems_text(unpublished)};
  return {};
}

Result<LocalMedia> local_media(const PlannedLink &request, const std::map<size_t, LinkClip> &clips,
                               GCancellable *cancellable) {
  LocalMedia media;
  for (const auto &[index, file] : request.identified->files) media[index] = file.file;
  for (size_t i = 0; i < request.references.size(); ++i) {
    const auto link = request.references[i];
    const auto clip = link ? clips.find(*link) : clips.end();
    if (clip == clips.end()) continue;
    const MediaReference &reference = request.request->media()[i];
    media[i] = clip->second.file;
    if (!reference.part.is_frame) continue;
    auto frame = frame_of(*clip->second.file, reference, cancellable);
    if (!frame) {
      Error error = std::move(frame).error();
      if (error.kind != ErrorKind::cancelled)
        error.text.insert(
            0, request.place + reference.name + " cannot be taken: the clip " + clip->second.path + " ");
      return error;
    }
    media[i] = std::move(*frame);
  }
  return media;
}

Result<void> judge(const PlannedLink &request, const LocalMedia &media, HttpClient *http, Clock &clock,
                   const MediaCheckOptions &options, GCancellable *cancellable) {
  auto judged = check_media(http, clock, *request.request, media, options, cancellable);
  if (!judged && judged.error().kind != ErrorKind::cancelled) judged.error().text.insert(0, request.place);
  return judged;
}

std::vector<std::string> replaced_links(FileSystem &files, const std::string &store,
                                        const ClipRecord &record) {
  std::vector<std::string> warnings;
  std::set<std::string> seen;
  find_replaced(files, store, record, 1, seen, warnings);
  return warnings;
}

}  // namespace genclip
