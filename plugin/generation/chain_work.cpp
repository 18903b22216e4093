// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/chain_work.h"

#include <algorithm>
#include <utility>

#include "plugin/account/decision.h"
#include "plugin/core/run_ending.h"
#include "plugin/generation/exit_guard.h"
#include "plugin/generation/generation.h"
#include "plugin/generation/link_work.h"
#include "plugin/generation/paid_amount.h"
#include "plugin/generation/store_account.h"
#include "plugin/generation/wanted_result.h"
#include "plugin/http/public_address.h"
#include "plugin/publish/published_copies.h"
#include "plugin/publish/publisher.h"
#include "plugin/store/clip_folder.h"
#include "plugin/task/media_fetch.h"
#include "plugin/task/media_format.h"
#include "plugin/task/task_client.h"

namespace genclip {
namespace {

// `name`: of the reference.
Error unfetchable(const std::string &name) {
  return {ErrorKind::settings, name + ": The service cannot fetch it: " + std::string(kHowToPublish) + "."};
}

std::shared_ptr<HeldLinks> held_of(const GenerationJob &job) {
  auto held = job.held.lock();
  return held ? held : std::make_shared<HeldLinks>();
}

// What another run has reserved for one of these is paid once, whoever pays it: here it counts as a link that
// is to be paid.
Account without_links(Account account, const std::vector<PlannedLink> &plan) {
  std::vector<LedgerEntry> releases;
  for (const Charge &charge : account.charges())
    if (charge.state == ChargeState::reserved &&
        std::any_of(plan.begin(), plan.end(),
                    [&](const PlannedLink &link) { return link.key() == charge.key; }))
      releases.emplace_back(LedgerEvent::release, charge);
  for (const LedgerEntry &release : releases) static_cast<void>(account.apply(release));
  return account;
}

ChainRun begin(const GenerationJob &job, const std::vector<PlannedLink> &plan) {
  std::vector<std::vector<size_t>> needs;
  for (const PlannedLink &link : plan) needs.push_back(link.needs());
  return begin_chain({job.max_amount, job.paid_before, job.may_submit}, std::move(needs));
}

}  // namespace

bool HeldLinks::hold(ClipFolder &folder) {
  auto use = folder.lock_use();
  if (!use) return use.error().kind != ErrorKind::not_found;
  if (!*use) return false;
  const std::string key = folder.path().digest();
  MutexLock lock(mutex_);
  if (locks_.size() < most_ || locks_.contains(key)) locks_.insert_or_assign(key, std::move(**use));
  return true;
}

void HeldLinks::let_go(const std::string &key) {
  MutexLock lock(mutex_);
  locks_.erase(key);
}

ChainWork::ChainWork(Generation &generation)
    : generation_(generation),
      job_(generation.job()),
      request_(*job_.request),
      plan_(plan_chain(request_, generation.identified())),
      held_(held_of(job_)),
      run_(begin(job_, plan_)),
      materials_(request_.media().size()) {
  for (size_t i = 0; i < materials_.size(); ++i) {
    const MediaReference &reference = request_.media()[i];
    materials_[i].url = reference.url;
    // Its content stands in the journal in its place.
    if (job_.reference_identity == ReferenceIdentity::content && reference.source == MediaSource::url)
      for (std::string &copy : copy_names_in(reference.url))
        materials_[i].used = {reference.field, reference.index, "", std::move(copy), "", ""};
    if (reference.source != MediaSource::file && reference.source != MediaSource::clip) continue;
    materials_[i].used.field = reference.field;
    materials_[i].used.index = reference.index;
    if (reference.source == MediaSource::file)
      materials_[i].used.sha256 = generation.identified().files.at(i).sha256;
  }
}

bool ChainWork::is_cancelled() const { return g_cancellable_is_cancelled(generation_.cancellable()); }

Result<PreparedRequest> ChainWork::run() {
  while (run_.step != ChainStep::submit)
    if (auto taken = take_step(); !taken) return std::move(taken).error();
  return prepared();
}

Result<PreparedRequest> ChainWork::renew() {
  for (Material &material : materials_)
    if (material.may_expire) material.is_published = false;
  if (auto published = publish_all(); !published) return std::move(published).error();
  return prepared();
}

PreparedRequest ChainWork::prepared() const {
  std::vector<std::string> urls;
  PreparedRequest prepared{request_, {}};
  for (const Material &material : materials_) {
    urls.push_back(material.url);
    if (!material.used.field.empty()) prepared.references.push_back(material.used);
  }
  prepared.request = request_.with_urls(urls);
  return prepared;
}

Result<void> ChainWork::take_step() {
  switch (run_.step) {
    case ChainStep::look: return look();
    case ChainStep::judge: return judge();
    case ChainStep::try_publishing: return try_to_publish();
    case ChainStep::publish: {
      auto published = publish_all();
      if (published) learn(MediaPublished{});
      return published;
    }
    case ChainStep::make: return make();
    case ChainStep::stay_in_doubt: {
      const ChainLink &link = run_.links[run_.link];
      Error error = with_ending(unknown_submit(link.submitted_at), {Outcome::unknown, Charged::maybe, false});
      error.text.insert(0, plan_[run_.link].place);
      return error;
    }
    case ChainStep::refuse: return refusal_error(*run_.refusal);
    case ChainStep::miss: return missed();
    case ChainStep::submit:
    case ChainStep::end: break;
  }
  return {};
}

void ChainWork::learn(const ChainEvent &event) {
  run_ = react_chain(std::move(run_), event);
  if (plan_.size() == 1) return;
  const ChainView view = view_of(run_);
  generation_.change([&](GenerationState &state) {
    if (view.estimate) state.estimate = *view.estimate;
    state.links_amount = view.amount;
    state.link_tasks = view.tasks;
    if (view.charged != state.links_charged) state.charged = state.links_charged = view.charged;
  });
}

Result<void> ChainWork::look() {
  LinksSeen seen;
  seen.links.resize(plan_.size());
  if (plan_.size() > 1 || job_.paid_before > 0) {
    const GenerationServices &services = generation_.services();
    Ledger ledger(*services.files, *services.clock, job_.store);
    auto budget = ledger.budget();
    if (!budget) return refusal_error(unreadable_budget(kNothingSent, budget.error()));
    // What a store of an earlier version knows of prices is in its journals.
    if (auto begun = begin_ledger(*services.files, ledger, job_.store, generation_.cancellable()); !begun)
      return begun;
    // Runs that have died may hold what this one needs.
    if (budget->limits_many())
      if (auto reconciled =
              reconcile(*services.files, ledger, job_.store, plan_.back().key(), generation_.cancellable());
          !reconciled)
        return std::move(reconciled).error();
    auto reading = ledger.read_condensed();
    if (!reading) return std::move(reading).error();
    seen.budget = *budget;
    seen.now = to_utc(services.clock->wall_now());
    for (size_t i = 0; i < plan_.size(); ++i) {
      if (i + 1 < plan_.size()) {
        auto found = look_at(i, ledger, reading->account);
        if (!found) return std::move(found).error();
        seen.links[i] = std::move(*found);
      }
      seen.links[i].needs = run_.links[i].needs;
      seen.links[i].estimate = price_of(job_, plan_[i], reading->account.prices());
    }
    seen.account = without_links(std::move(reading->account), plan_);
    // A link that cannot be held may need what stands before it.
    for (bool is_held = false; !is_held;) {
      is_held = true;
      for (const size_t link : links_to_hold(seen.links)) {
        if (seen.links[link].state != LinkState::stored) continue;
        seen.links[link].state = hold(link, plan_[link].key());
        is_held = is_held && seen.links[link].state == LinkState::stored;
      }
    }
  }
  learn(seen);
  return {};
}

Result<ChainLink> ChainWork::look_at(size_t link, Ledger &ledger, const Account &account) const {
  const auto record = record_of(job_, *plan_[link].identified, generation_.services());
  ChainLink found = link_of(record);
  if (clips_.contains(link)) {
    found.state = LinkState::stored;
  } else if (const std::string key = plan_[link].key(); !record && account.has_open(key)) {
    const auto open = open_charges(ledger, key);
    if (!open) return open.error();
    found = link_of(*open);
  }
  return found;
}

// Another state than stored: the clip is being removed, and is to be made anew; or its file is damaged, and
// its own run fetches it from its task once more.
LinkState ChainWork::hold(size_t link, const std::string &key) {
  if (clips_.contains(link)) return LinkState::stored;
  FileSystem &files = *generation_.services().files;
  ClipFolder folder(files, ClipPath(job_.store, key));
  if (!held_->hold(folder)) return LinkState::absent;
  if (const auto later = job_.held_for_later.lock()) later->hold(folder);
  const auto record = folder.look();
  const auto whole = record ? whole_clip_of(*record) : nullptr;
  if (!whole) return LinkState::absent;
  const LinkState damaged = whole->task_id.empty() ? LinkState::absent : LinkState::under_way;
  const auto looked = folder.look_at_clip(*whole);
  if (!looked || !*looked) return damaged;
  const std::optional<ResultKind> kind = plan_[link].request->spec().result;
  LinkClip clip{key, folder.path().file(whole->clip_name), whole->task_id, nullptr,
                wanted_result(*whole, kind)};
  auto file = LocalFile::open(clip.path, nullptr);
  if (!file) return damaged;
  clip.file = std::make_shared<const LocalFile>(std::move(*file));
  clips_.emplace(link, std::move(clip));
  for (std::string &text : replaced_links(files, job_.store, *whole))
    generation_.warn(about_link({ErrorKind::failed, std::move(text)}, plan_[link]));
  return LinkState::stored;
}

Result<void> ChainWork::check_sources(const PlannedLink &request) const {
  for (const MediaReference &reference : request.request->media())
    if (reference.source == MediaSource::content)
      return Error{ErrorKind::not_found,
                   request.place + reference.name + " is known by its content alone (" + reference.url +
                       "). That is enough to play a stored clip, but this one is not stored: to generate it, "
                       "give the file or its URL."};
  return check_published(request);
}

// The reference that the service cannot fetch from itself, as far as that is known: it has a URL of a whole
// clip, unless that one is old.
Result<const MediaReference *> ChainWork::to_publish(const PlannedLink &request) const {
  for (size_t i = 0; i < request.references.size(); ++i) {
    const MediaReference &reference = request.request->media()[i];
    // The files of the request itself are published before the first link is made.
    if (reference.source == MediaSource::file && &request != &plan_.back()) return &reference;
    if (reference.source != MediaSource::clip) continue;
    if (reference.part.is_frame || !is_public_address(job_.endpoint.base_url)) return &reference;
    if (!clips_.contains(*request.references[i])) continue;
    const auto url = result_url(reference, *request.references[i], false);
    if (!url) return url.error();
    if (url->empty()) return &reference;
  }
  return nullptr;
}

Result<void> ChainWork::check_fetchable(const PlannedLink &request) const {
  if (job_.publish.is_set_up()) return {};
  const auto reference = to_publish(request);
  if (is_cancelled()) return cancelled();
  if (!reference) return reference.error();
  return *reference ? Result<void>(unfetchable(request.place + (*reference)->name)) : Result<void>();
}

// A server may be slow, and a file large.
bool ChainWork::takes_time(const PlannedLink &request) const {
  const bool asks = job_.media_check.depth != MediaCheck::none;
  return (asks && !request.request->untyped_urls().empty()) ||
         std::ranges::any_of(request.request->media(), [&](const MediaReference &reference) {
           return reference.source == MediaSource::file || (asks && reference.source == MediaSource::url);
         });
}

// That references are checked or published, and no clip is made for them.
void ChainWork::tell_references() {
  generation_.change([](GenerationState &state) {
    state.status = ClipStatus::preparing;
    state.link = state.links = 0;
    state.progress = -1;
    state.link_submits = state.link_unfetched = state.link_runs = false;
  });
}

// The request itself first: its own mistakes are the nearest.
Result<void> ChainWork::judge() {
  const GenerationServices &services = generation_.services();
  for (auto i = run_.to_judge.rbegin(); i != run_.to_judge.rend(); ++i) {
    const PlannedLink &request = plan_[*i];
    if (auto given = check_sources(request); !given) return given;
    if (auto fetchable = check_fetchable(request); !fetchable) return fetchable;
    if (takes_time(request)) tell_references();
    auto media = local_media(request, clips_, generation_.cancellable());
    if (!media) return std::move(media).error();
    auto judged = genclip::judge(request, *media, services.http.get(), *services.clock, job_.media_check,
                                 generation_.cancellable());
    if (!judged) return judged;
    if (*i + 1 != plan_.size()) continue;
    for (auto &[index, file] : *media)
      if (!materials_[index].is_published) materials_[index].file = std::move(file);
  }
  learn(RequestsJudged{});
  return {};
}

Result<void> ChainWork::make() {
  const PlannedLink &link = plan_[run_.link];
  GenerationJob job = job_of_inner(job_, *link.request, link.identified);
  job.held = held_;
  job.paid_before = run_.wish.paid_before + run_.paid + run_.untold;
  const auto made =
      make_link(generation_, std::move(job), link, [&](const GenerationState &state, const LinkPaid &paid) {
        learn(paid);
        show_link(state);
      });
  if (!made) {
    if (made.error().kind != ErrorKind::cancelled) learn(LinkFailed{charged_of(made.error())});
    return made.error();
  }
  // Its generation has it in the store until this run has it there, too. Its folder may be another one than
  // was planned (choose_folder).
  hold(run_.link, made->key);
  learn(LinkMade{});
  return {};
}

// While a link is made: its progress.
void ChainWork::show_link(const GenerationState &link) {
  const ChainView view = view_of(run_);
  generation_.change([&](GenerationState &state) {
    state.status = ClipStatus::preparing;
    state.link = static_cast<unsigned>(view.link);
    state.links = static_cast<unsigned>(view.links);
    state.progress = link.status == ClipStatus::completed ? 100 : link.progress;
    state.link_submits = link.is_submitting();
    state.link_unfetched = link.is_unfetched();
    state.link_runs = link.is_running();
  });
}

Error ChainWork::missed() const {
  return about_link({ErrorKind::not_found,
                     "Something has removed it from the store before the next clip was submitted. Run again "
                     "to make it anew, which is charged again."},
                    plan_[run_.link]);
}

// A fresh URL of the stored clip, if the service can fetch from itself; else empty. It is signed: never
// stored, never logged. Where nobody publishes, no other URL takes its place: unless there is an earlier one,
// it is asked for until the timeout; and what keeps the service from telling it is the error.
Result<std::string> ChainWork::result_url(const MediaReference &reference, size_t link,
                                          bool has_earlier) const {
  const LinkClip &clip = clips_.at(link);
  if (!is_public_address(job_.endpoint.base_url) || clip.task_id.empty()) return std::string();
  const GenerationServices &services = generation_.services();
  const bool may_publish = job_.publish.is_set_up(), is_brief = may_publish || has_earlier;
  const auto patience = is_brief ? job_.endpoint.http_timeout : std::chrono::milliseconds(job_.timeout);
  TaskEndpoint endpoint = job_.endpoint;
  endpoint.api = reference.clip->api();
  TaskClient tasks(*services.http, *services.clock, endpoint, RetryPolicy(job_.retries));
  tasks.expect(clip.wanted);
  if (!is_brief)
    tasks.on_outage([&](TaskCall, Error failure) {
      failure.text = "The URL of its clip is not known yet: " + failure.text + " genclip asks again.";
      generation_.warn(about_link(std::move(failure), plan_[link]));
    });
  const bool is_endless = !is_brief && patience.count() == 0;
  const auto task = tasks.query(clip.task_id, std::nullopt, generation_.cancellable(),
                                is_endless ? TaskClient::Deadline() : services.clock->now() + patience);
  if (!task && !may_publish && query_outcome(task.error()) != QueryOutcome::gone)
    return is_cancelled() ? cancelled() : about_link(task.error(), plan_[link]);
  // A preview, perhaps the only URL, is another file than the clip that is stored.
  if (!task || task->result.is_last_resort) return std::string();
  std::string unasked;
  for (const ResultUrl &result : task->result.urls) {
    if (result.is_further || !is_public_address(result.url)) continue;
    const auto there = is_at(result.url, clip);
    if (there == true) return result.url;
    if (!there && unasked.empty()) unasked = result.url;
  }
  return may_publish ? std::string() : unasked;  // Better than none.
}

// The run that has stored it may have passed over others of its task's URLs: a cover, or a page. Nothing: its
// server does not answer, or tells nothing of what is there.
std::optional<bool> ChainWork::is_at(const std::string &url, const LinkClip &clip) const {
  const GenerationServices &services = generation_.services();
  const RetryPolicy retries(job_.media_check.retries);
  for (unsigned attempt = 1;; ++attempt) {
    const auto there =
        fetch_media_headers(*services.http, url, job_.media_check.fetch, generation_.cancellable());
    const auto size = clip.file->size();
    if (there && there->bytes && size) return *there->bytes == *size;
    if (there && !there->media_type.empty())
      return there->media_type == sniff_media_type(clip.file->read_at(0, kSniffedBytes));
    if (there) return std::nullopt;
    if (!there.error().transient) return false;
    const auto pause = retries.delay_before(attempt);
    if (!pause || !services.clock->sleep_until(services.clock->now() + *pause, generation_.cancellable()))
      return std::nullopt;
  }
}

// What its copies are made in is removed even if the process exits.
Result<void> ChainWork::try_to_publish() {
  bool publishes = false;
  for (const size_t i : requests_of(run_)) {
    const auto reference = to_publish(plan_[i]);
    if (!reference) return reference.error();
    publishes = *reference != nullptr;
    if (publishes) break;
  }
  if (!publishes) return learn(PublishingTried{}), Result<void>();
  const ExitGuard guard;
  const GenerationServices &services = generation_.services();
  auto tried = try_publishing(job_.publish, {services.http.get(), services.clock, services.files}, job_.store,
                              generation_.cancellable());
  if (is_cancelled()) return cancelled();
  if (!tried) {
    tried.error().text.insert(0, std::string(kNothingSent) + "publishing does not work. ");
    return tried;
  }
  learn(PublishingTried{});
  return {};
}

Result<void> ChainWork::publish_all() {
  for (size_t i = 0; i < materials_.size(); ++i) {
    Material &material = materials_[i];
    const auto link = plan_.back().references[i];
    // What is signed expires, so what comes of links is published when nothing else has to be waited for.
    if (!material.file || material.is_published || (link && makes_a_link())) continue;
    const bool was_published = material.may_expire;
    const auto [earlier_url, earlier] = std::pair(std::exchange(material.url, ""), material.used);
    if (auto published = publish_one(i, was_published); !published) {
      // What was published may still be there. The file may have changed meanwhile, for example.
      if (!was_published || is_cancelled()) return published;
      generation_.warn({published.error().kind,
                        "The URL of the first publication is sent, because the next "
                        "one failed. " +
                            published.error().text});
      material.url = earlier_url;
      material.used = earlier;
    }
    // Before the links are made, it was a trial.
    material.is_published = !material.may_expire || !makes_a_link();
    if (!material.may_expire) material.file.reset();
  }
  return {};
}

// The service may have a URL of its own.
Result<void> ChainWork::publish_one(size_t index, bool has_earlier) {
  Material &material = materials_[index];
  const MediaReference &reference = request_.media()[index];
  if (const auto link = plan_.back().references[index]) {
    const LinkClip &clip = clips_.at(*link);
    material.used = {reference.field, reference.index, "", "", clip.key, clip.task_id};
    auto url = reference.part.is_frame ? Result<std::string>("") : result_url(reference, *link, has_earlier);
    if (!url) return std::move(url).error();
    material.url = std::move(*url);
  }
  material.may_expire = !material.url.empty() || !job_.publish.command.empty();
  return material.url.empty() ? publish_file(index) : Result<void>();
}

Result<void> ChainWork::publish_file(size_t index) {
  Material &material = materials_[index];
  if (is_cancelled()) return cancelled();
  if (!job_.publish.is_set_up()) return unfetchable(request_.media()[index].name);
  tell_references();
  std::string sha256 = material.used.sha256;
  if (sha256.empty()) {
    auto computed = material.file->sha256(generation_.cancellable());
    if (!computed) return std::move(computed).error();
    sha256 = std::move(*computed);
  }
  // A command that publishes has a moment to end, and its files are removed, when the process exits.
  const ExitGuard guard;
  const GenerationServices &services = generation_.services();
  const std::string type = sniff_media_type(material.file->read_at(0, kSniffedBytes));
  const auto tell = [this](const std::string &text) { generation_.warn({ErrorKind::busy, text}); };
  auto published = publish(job_.publish, {services.http.get(), services.clock, services.files, tell},
                           job_.store, *material.file, sha256, type, generation_.cancellable());
  if (is_cancelled()) return cancelled();
  if (!published) {
    published.error().text.insert(0, request_.media()[index].name + ": ");
    return std::move(published).error();
  }
  material.url = std::move(published->url);
  material.used.copy = std::move(published->copy);
  material.used.sha256 = std::move(sha256);
  return {};
}

}  // namespace genclip
