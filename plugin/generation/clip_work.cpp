// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of ClipWork that works on the store; clip_work_task.cpp talks to the service.
#include "plugin/generation/clip_work.h"

#include <algorithm>

#include "plugin/base/shell_word.h"
#include "plugin/base/shown_text.h"
#include "plugin/core/clip_turn.h"
#include "plugin/frame/c2pa_mark.h"
#include "plugin/generation/chain_plan.h"
#include "plugin/generation/charge_facts.h"
#include "plugin/generation/download.h"
#include "plugin/generation/exit_guard.h"
#include "plugin/generation/generation.h"
#include "plugin/generation/generation_log.h"
#include "plugin/generation/wanted_result.h"
#include "plugin/http/redaction.h"
#include "plugin/store/clip_cost.h"
#include "plugin/store/clip_provenance.h"
#include "plugin/store/clip_removal.h"
#include "plugin/task/reply_error.h"

namespace genclip {
namespace {

// Between two looks at what another process does.
constexpr auto kLookPause = std::chrono::milliseconds(100);
// Nobody waits longer, and a clock cannot tell much longer times.
constexpr std::chrono::seconds kLongestPatience = std::chrono::days(3650);

int64_t unix_seconds(const Clock &clock) {
  return std::chrono::duration_cast<std::chrono::seconds>(clock.wall_now().time_since_epoch()).count();
}

// A channel tells each text once, so this one names its clip.
std::string unanswered_text(const ClipRun &run) {
  const uint64_t submits = run.attempt.unanswered_submits;
  const bool one = submits == 1;
  // Another journal tells the time of another submit.
  const bool is_latest =
      run.found && (run.found->state == ClipState::intent || run.found->state == ClipState::ambiguous);
  const std::string time = time_of_submit(is_latest ? run.found->submitted_at : 0);
  const std::string at = one || time.empty() ? time : ", the last one" + time + ",";
  const std::string runs = one ? "An earlier run" : std::to_string(submits) + " earlier runs";
  const std::string charges = one ? "twice" : std::to_string(submits + 1) + " times";
  return runs + " submitted the request of the clip " + run.record.identity.digest().substr(0, 8) + at +
         " and never learned whether it was accepted. It is submitted again, so it may be charged " +
         charges +
         ". If the service lists a task for it, set task-id to its ID instead. With on-unknown=fail, a run "
         "ends here instead.";
}

std::string displaced_text(const ClipRun &run) {
  std::string text;
  for (const std::string &id : displaced_tasks(run))
    text += (text.empty() ? "" : " ") + ("The task " + id +
                                         " of this request is, or will be, paid for, and its clip is not in "
                                         "the store. To fetch it: genclip store fetch " +
                                         shell_operand(id) + ".");
  return text + " This run attaches to the task that it was given, " + run.wish.task_id +
         ", whose clip becomes that of the request.";
}

std::string warning_text(ClipWarning warning, const ClipRun &run) {
  switch (warning) {
    case ClipWarning::unanswered_submits: return unanswered_text(run);
    case ClipWarning::unknown_tasks:
      return unknown_tasks_text(run.unknown) +
             ", so its clip is lost. The request is submitted again, and charged again.";
    case ClipWarning::failed_tasks:
      return failed_tasks_text(run.failed) + " The request is submitted again, and charged again.";
    case ClipWarning::successor_is_unknown:
      return "The service does not know the task " + run.asked +
             " any more. Its clip was meant to replace the stored one, which is served instead.";
    case ClipWarning::successor_failed:
      return failed_tasks_text(run.failed) +
             " Its clip was meant to replace the stored one, which is served instead.";
    case ClipWarning::paid_before:
      return "The clip of this request was paid for before (" +
             (run.paid_before->amount < 0 ? "cost not told" : cost_text(run.paid_before->amount)) +
             ", task " + run.paid_before->id + "), and is not in the store any more. It is paid for again.";
    case ClipWarning::tasks_displaced: return displaced_text(run);
  }
  return "";
}

// Another clip may be about to replace the one that is whole.
bool has_successor(const ClipRecord &record) {
  return record.state == ClipState::submitted || record.state == ClipState::lost;
}

ClipPath path_of(const Generation &generation) {
  return {generation.job().store, generation.identified().identity.digest()};
}

}  // namespace

ClipWork::ClipWork(Generation &generation)
    : generation_(generation),
      clock_(*generation.services().clock),
      retries_(generation.job().retries),
      tasks_(*generation.services().http, clock_, generation.job().endpoint,
             RetryPolicy(generation.job().submit_once ? 0 : generation.job().retries)),
      folder_(*generation.services().files, path_of(generation)),
      follower_(generation, folder_),
      account_(generation) {
  record_.identity = generation.identified().identity;
  record_.model = generation.job().model;
  tasks_.expect(wanted_result(record_, wanted_kind()));
  tasks_.on_cost([this](const Task &told) {
    const ClipStep step = run_.step;
    const bool is_asked = step == ClipStep::follow || step == ClipStep::ask || step == ClipStep::look;
    if (is_asked) learn_if_possible(CostTold{news_of(told)});
  });
  tasks_.on_outage([this](TaskCall call, const Error &failure) { warn_of_outage(call, failure); });
  run_.wish = {generation.job().reuse,      generation.job().task_id, generation.job().no_key.empty(),
               generation.job().may_submit, generation.job().result,  generation.job().own_task};
}

const char *ClipWork::name() const { return generation_.log_name().c_str(); }

bool ClipWork::serve_stored() {
  const auto record = follower_.look();
  if (!record || record->state != ClipState::complete) return false;
  if (!served_without_turn(*record, run_.wish, false, record->task_id)) return false;
  const auto served = serve_without_lock(*record);
  return served && *served;  // The run reports and repairs what is wrong.
}

Result<void> ClipWork::run() {
  auto done = take_turn();
  lock_.reset();
  if (done) return done;
  const Error &error = done.error();
  Error ended = with_ending(error, ending_of(run_, error));
  return generation_.state().links_charged ? with_charge(std::move(ended)) : std::move(ended);
}

Result<void> ClipWork::take_turn() {
  if (auto knows = check_typefinding(); !knows) return knows;
  // A run that only looks leaves no folder behind.
  if (run_.wish.may_submit == MaySubmit::never && run_.wish.task_id.empty() && !follower_.look()) {
    const auto open = account_.open_charges();
    if (!open) return open.error();
    if (open->is_empty()) return stays_unsubmitted();
  }
  auto lock = wait_for_turn();
  if (!lock) return std::move(lock).error();
  if (!*lock) return {};  // Served.
  lock_ = std::move(*lock);
  auto found = read_journal();
  return found ? work_on(std::move(*found)) : std::move(found).error();
}

// The clip for which this folder of an older version was chosen has been removed or set aside, or its task
// has failed. What begins anew begins in the folder that all runs of the request have.
bool ClipWork::is_folder_empty(const TurnBegins &turn) const {
  if (!generation_.identified().has_older_folder || turn.is_news) return false;
  return (turn.found ? claim_of(*turn.found, run_.wish.reuse) : claim_of(turn.open)) == Claim::none;
}

// Nothing: the clip is served; it was there, or another process fetched it.
Result<std::optional<StoreLock>> ClipWork::wait_for_turn() {
  const GenerationJob &job = generation_.job();
  // The other process may have to make the clips before it, too.
  const auto links =
      job.request ? static_cast<int>(plan_chain(*job.request, generation_.identified()).size()) : 1;
  const auto patience = std::min(links * job.timeout, kLongestPatience);
  const auto end = clock_.now() + patience;
  for (bool is_first = true;; is_first = false) {
    const auto record = follower_.look();
    if (const auto whole = record ? whole_clip_of(*record) : nullptr; whole && is_first)
      first_whole_ = whole->task_id;
    const auto served =
        record ? served_without_turn(*record, run_.wish, is_news(*record), first_whole_) : nullptr;
    const auto serves = [&]() -> Result<bool> { return served ? serve_without_lock(*served) : false; };
    if (record && !has_successor(*record)) {
      const auto done = serves();
      if (!done) return done.error();
      if (*done) return std::optional<StoreLock>();
    }
    auto lock = folder_.lock_writer(tell_damage());
    if (!lock || *lock) return lock;
    if (is_first) GST_CAT_INFO(generation_category(), "%s: another run is at work on it; waits", name());
    // A clip that another process is about to replace is served until then.
    const auto done = serves();
    if (!done) return done.error();
    if (*done) return std::optional<StoreLock>();
    if (record)
      if (auto shown = follower_.show(*record); !shown) return std::move(shown).error();
    if (record && record->state == ClipState::submitted) run_.outcome = Outcome::running;
    if (job.timeout.count() > 0 && clock_.now() >= end) {
      Error late{ErrorKind::busy, "Another process or element has been working on this clip for " +
                                      std::to_string(patience.count()) + " s (property timeout" +
                                      (links > 1 ? ", for each clip of the chain" : "") +
                                      "). Run again to keep waiting."};
      if (record && record->state == ClipState::submitted) late.task_id = record->task_id;
      return late;
    }
    if (!clock_.sleep_until(clock_.now() + kLookPause, generation_.cancellable())) return cancelled();
  }
}

Result<bool> ClipWork::serve_without_lock(const ClipRecord &record) {
  auto use = folder_.lock_use();
  if (use && !*use) return false;  // It is being removed.
  if (!use && use.error().kind == ErrorKind::not_found) return false;
  auto file = folder_.look_at_clip(record);
  if (!file || !*file) return false;
  // A store that this process cannot lock serves its clips nevertheless.
  auto served = serve(record, std::move(*file), use ? std::move(*use) : std::optional<StoreLock>());
  if (!served) return std::move(served).error();
  return true;
}

Result<void> ClipWork::serve(const ClipRecord &record, std::shared_ptr<File> file,
                             std::optional<StoreLock> use) {
  if (auto shown = follower_.hand_over(record); !shown) return std::move(shown).error();
  generation_.hold(std::move(use));
  // Before the end, after which nobody listens.
  for (std::string &text : replaced_links(*generation_.services().files, generation_.job().store, record))
    warn(std::move(text));
  const bool has_marks = has_c2pa_mark(*file);
  generation_.change([&](GenerationState &state) {
    state.status = ClipStatus::completed;
    state.progress = 100;
    if (!record.model.empty()) state.model = record.model;
    state.task_id = record.task_id;
    state.amount = record.amount;
    state.actual_duration = record.actual_duration;
    state.reused = true;
    state.clip_location = folder_.path().file(record.clip_name);
    state.provenance = has_marks ? "c2pa" : "";
  });
  GST_CAT_INFO(generation_category(), "%s: serves %s, %" G_GUINT64_FORMAT " bytes, task %s", name(),
               folder_.path().file(record.clip_name).c_str(), record.clip_size, record.task_id.c_str());
  generation_.clip().start(std::move(file), record.clip_size);
  generation_.clip().advance(record.clip_size);
  generation_.clip().complete();
  return {};
}

Result<std::optional<ClipRecord>> ClipWork::read_journal() {
  if (auto cleared = folder_.set_strangers_aside(tell_damage()); !cleared) return std::move(cleared).error();
  auto found = folder_.read_record(tell_damage());
  if (found && *found)
    if (auto finished = folder_.finish_commit(**found); !finished) return std::move(finished).error();
  return found;
}

Result<bool> ClipWork::serve_whole() {
  auto file = folder_.open_clip(*run_.whole, tell_damage());
  if (!file) return std::move(file).error();
  if (!*file) return false;
  auto use = folder_.lock_use();
  auto served = serve(*run_.whole, std::move(*file), use ? std::move(*use) : std::optional<StoreLock>());
  if (!served) return std::move(served).error();
  return true;
}

// The error with which the run of another process ended while this one waited for it.
Error ClipWork::shared_end() const {
  const ClipRecord &found = *run_.found;
  Error error{ErrorKind::read, found.error};
  if (run_.step == ClipStep::share_failure) error = task_failed(found.task_id, found.error);
  if (run_.step == ClipStep::share_refusal) {
    HttpReply reply;
    reply.status = found.http_status;
    error = reply_error(TaskCall::submit, reply, generation_.job().endpoint.api_key.value);
    error.text = found.error;
  }
  error.task_id = found.task_id;
  return error;
}

// Reports what happened to react(), and does what follows of it but for the next step. The ledger comes after
// the journal, which alone leads to the clip, unless the reaction says otherwise.
Result<void> ClipWork::learn(const ClipEvent &event) {
  const ClipStep before = run_.step;
  Reaction reaction = react(std::move(run_), event);
  run_ = std::move(reaction.run);
  const bool is_news = reaction.write || run_.step != before;
  GST_CAT_LEVEL_LOG(generation_category(), is_news ? GST_LEVEL_INFO : GST_LEVEL_DEBUG, nullptr,
                    "%s: %s; next: %s", name(), event_text(event).c_str(), step_text(run_.step));
  const bool is_intent = std::holds_alternative<SubmitBegins>(event);
  // Progress waits for no disk.
  if (reaction.view && std::holds_alternative<TaskKnown>(event)) show(*std::exchange(reaction.view, {}));
  if (reaction.tells_first)
    if (auto told = account_.tell(std::exchange(reaction.ledger, {}), run_.odd_amount); !told) return told;
  auto saved = !reaction.write ? Result<void>() : is_intent ? save_intent() : save();
  static_cast<void>(account_.tell(std::move(reaction.ledger), run_.odd_amount));
  if (is_intent && !saved) return saved;
  if (reaction.view) show(*reaction.view);
  for (const ClipWarning warning : reaction.warnings) warn(warning_text(warning, run_));
  return saved;
}

void ClipWork::show(const ClipView &view) {
  generation_.change([&](GenerationState &state) {
    static_cast<ClipView &>(state) = view;
    state.charged = view.charged || state.links_charged;
    state.eta = outlook_.eta.value_or(-1);
    state.overdue = outlook_.is_overdue;
  });
}

// The caller's own result is what it reports; a journal that cannot be written only goes to the log.
void ClipWork::learn_if_possible(const ClipEvent &event) {
  if (auto learnt = learn(event); !learnt)
    GST_CAT_WARNING(generation_category(), "%s: continues despite: %s", name(),
                    log_text(learnt.error()).c_str());
}

Result<void> ClipWork::work_on(std::optional<ClipRecord> found) {
  TurnBegins turn;
  if (found && !found->reserved_at.empty()) account_.bury(*found);
  // It is released before the ledger is asked what is open.
  if (const std::string unsent = folder_.unsent(); !found && !unsent.empty())
    account_.bury(std::nullopt, unsent);
  if (!found) {
    auto open = account_.open_charges(has_damage_ || folder_.holds_clip());
    if (!open && run_.wish.task_id.empty()) return std::move(open).error();
    if (open) turn.open = std::move(*open);
  } else {
    if (!unfetched_tasks_of(*found).empty()) turn.open = account_.completed_charges();
    // An earlier run that was to pay again did not.
    if (found->state != ClipState::submitted && !whole_clip_of(*found))
      if (auto open = account_.open_charges()) turn.open.stored = std::move(open->stored);
  }
  turn.is_news = found && is_news(*found);
  turn.found = std::move(found);
  turn.first_whole = first_whole_;
  if (is_folder_empty(turn)) {
    has_lost_folder_ = true;
    return Error{
        ErrorKind::busy,
        "Other processes change the stored clips of this request all the time, so it was not submitted. Run "
        "again."};
  }
  if (auto learnt = learn(turn); !learnt) return learnt;
  if (run_.is_of_ledger) account_.bury(*run_.found);
  while (run_.step != ClipStep::end)
    if (auto taken = take_step(); !taken) return taken;
  return {};
}

Result<void> ClipWork::take_step() {
  switch (run_.step) {
    case ClipStep::serve: {
      const auto served = serve_whole();
      if (!served) return served.error();
      if (!*served) return learn(WholeClipMissing{});
      run_.step = ClipStep::end;
      return {};
    }
    case ClipStep::look: return look();
    case ClipStep::ask: return ask();
    case ClipStep::submit: return submit();
    case ClipStep::follow: return follow();
    case ClipStep::need_key: return lacks_key();
    case ClipStep::stay_in_doubt: return stays_in_doubt();
    case ClipStep::stay_unsubmitted: return stays_unsubmitted();
    case ClipStep::share_failure:
    case ClipStep::share_doubt:
    case ClipStep::share_refusal: return shared_end();
    case ClipStep::end: break;
  }
  return {};
}

// When a successor cannot be fetched, the clip that is there is served.
Result<void> ClipWork::serve_instead(Error missing) {
  if (missing.kind == ErrorKind::cancelled || !generation_.clip().restart()) return missing;
  const auto served = serve_whole();
  if (!served || !*served) return missing;
  // Its task may have ended without it. Then no later run asks for it, as that text would say.
  const std::string why =
      run_.step == ClipStep::follow
          ? missing.text
          : "The service does not have the newer one any more." + it_says(missing.service_message);
  warn(
      "A newer clip of this request was generated and paid for, but could not be fetched. The stored one is "
      "served. " +
      why);
  return {};
}

Result<void> ClipWork::fetch(std::vector<ResultUrl> urls) {
  learn_if_possible(FetchBegins{});
  auto part = folder_.open_part();
  if (!part) return std::move(part).error();
  std::shared_ptr<File> file = std::move(part).value();
  Download::Hooks hooks;
  hooks.fresh_urls = [this](std::optional<Clock::Time> until) -> Result<std::vector<ResultUrl>> {
    // A clip of which a part is there is worth a wait beyond the deadline, but not an endless one.
    const std::string task_id = record_.task_id;  // The record may become another's.
    auto task = query(task_id, until ? until : deadline_from_now());
    if (!task) return std::move(task).error();
    if (task->status == TaskStatus::failed) return task_failed(task_id, task->error_message);
    return urls_of(*task);
  };
  hooks.checkpoint = [this](const PartState &state) {
    record_.part = state;
    // For a task that was lost or failed meanwhile, the journal is final already.
    return run_.step == ClipStep::follow ? save() : Result<void>();
  };
  hooks.begin_file = [this, &file](const PartState &state) -> Result<std::shared_ptr<File>> {
    if (auto removed = folder_.discard_part(); !removed) return std::move(removed).error();
    record_.part = state;
    if (auto saved = save(); !saved) return std::move(saved).error();
    auto begun = folder_.open_part();
    if (begun) file = *begun;
    return begun;
  };
  DownloadOptions options = generation_.job().download;
  options.boot = generation_.services().boot;
  options.log_name = generation_.log_name();
  options.base_url = generation_.job().endpoint.base_url;
  options.secrets = &tasks_.secrets();
  options.wanted = wanted_kind();
  options.deadline = deadline_;
  Download download(*generation_.services().http, clock_, retries_, std::move(options), std::move(hooks),
                    file, generation_.clip());
  auto container = download.run(std::move(urls), record_.part, generation_.cancellable());
  if (container) {
    note_further(download.further_results());
    if (download.is_stump())
      warn(
          "The clip ends in the middle of its data. The media server sent the same bytes again some seconds "
          "later, so they are stored as the clip, and the task is paid for. If the service has all of it "
          "later: genclip store fetch " +
          shell_operand(record_.task_id));
    return commit(file, download.size(), *container);
  }
  Error error = std::move(container).error();
  if (error.task_id.empty()) error.task_id = record_.task_id;
  return error;
}

// Results that this run leaves at the service. Their URLs expire, and the queries of URLs are secret.
void ClipWork::note_further(const std::vector<ResultUrl> &further) {
  record_.further_results.clear();
  for (const ResultUrl &result : further)
    record_.further_results.push_back({result.field, redact_tokens(result.url)});
  if (further.empty()) return;
  const bool one = further.size() == 1;
  warn("The task has " + std::to_string(further.size()) + (one ? " more result" : " more results") +
       "; task.json lists " + (one ? "it" : "them") + ". To fetch " + (one ? "it" : "the next one") +
       ": genclip store fetch --result 2 " + shell_operand(record_.task_id));
}

Result<void> ClipWork::commit(const std::shared_ptr<File> &part, uint64_t size,
                              const MediaContainer &container) {
  learn_if_possible(ClipFetched{});
  record_.clip_name = ClipPath::clip_name(container.extension);
  record_.media_type = container.media_type;
  record_.clip_size = size;
  record_.updated_at = unix_seconds(clock_);
  if (auto committed = folder_.commit(*part, record_); !committed) {
    Error error = std::move(committed).error();
    error.task_id = record_.task_id;
    if (error.kind == ErrorKind::not_found) {
      error.text += " Something removed it from the store. Run again to fetch the clip from its task again.";
      record_.clip_name.clear();
      record_.part = PartState{};
      save_if_possible();
    }
    return error;
  }
  GST_CAT_INFO(generation_category(), "%s: stored as %s, %" G_GUINT64_FORMAT " bytes, task %s", name(),
               folder_.path().file(record_.clip_name).c_str(), size, record_.task_id.c_str());
  if (auto use = folder_.lock_use(); use) generation_.hold(std::move(*use));
  // Whoever sees that the clip is there may look into the ledger.
  learn_if_possible(ClipStored{});
  note_provenance();
  const ExitGuard guard;  // A process whose readers have all bytes but the last may exit before room is made.
  // Reports what is removed before the clip's end is there, because afterwards there may be no listener.
  make_room();
  const bool has_marks = has_c2pa_mark(*part);
  generation_.change([&](GenerationState &state) {
    state.status = ClipStatus::completed;
    state.clip_location = folder_.path().file(record_.clip_name);
    state.provenance = has_marks ? "c2pa" : "";
  });
  generation_.clip().complete();
  return {};
}

// The clip is there without it, so a failure is only logged.
void ClipWork::note_provenance() {
  Provenance provenance = provenance_of(record_);
  provenance.from_media = is_made_of_media(record_.identity);
  const Json *prompt = generation_.job().with_prompt ? record_.identity.request.find("prompt") : nullptr;
  if (prompt && prompt->string()) provenance.prompt = *prompt->string();
  if (auto written = write_xmp(*generation_.services().files, folder_.path(), provenance); !written)
    GST_CAT_WARNING(generation_category(), "%s: %s", name(), written.error().text.c_str());
}

// This clip's own lock keeps it in the store.
void ClipWork::make_room() {
  const GenerationJob &job = generation_.job();
  if (job.store_max_size == 0) return;
  const auto pruned =
      prune_store(*generation_.services().files, job.store, job.store_max_size, folder_.path().digest(), {},
                  [this](const StoredClip &clip) { return account_.bury_removed(clip); });
  if (!pruned) {
    GST_CAT_WARNING(generation_category(), "%s: no room is made: %s", name(),
                    log_text(pruned.error()).c_str());
    return;
  }
  if (std::string text = removal_text(*pruned); !text.empty()) warn(std::move(text));
  if (pruned->size > job.store_max_size)
    GST_CAT_INFO(generation_category(), "%s: %s has %" G_GUINT64_FORMAT " bytes, all in use", name(),
                 job.store.c_str(), pruned->size);
}

Result<void> ClipWork::save() {
  record_.updated_at = unix_seconds(clock_);
  auto saved = folder_.write_record(record_);
  if (saved || saved.error().kind != ErrorKind::not_found) return saved;
  return come_back(std::move(saved).error());
}

Result<void> ClipWork::save_intent() {
  record_.updated_at = unix_seconds(clock_);
  return folder_.write_intent(record_);
}

// The folder was removed, and its lock with it. Writes the record into a new folder, unless another run has
// begun there.
Result<void> ClipWork::come_back(Error lost) {
  auto lock = folder_.lock_writer(tell_damage());
  if (!lock || !*lock || folder_.look()) return lost;
  GST_CAT_WARNING(generation_category(), "%s: its folder was removed meanwhile; makes a new one", name());
  lock_ = std::move(*lock);
  return folder_.write_record(record_);
}

void ClipWork::save_if_possible() {
  if (auto saved = save(); !saved)
    GST_CAT_WARNING(generation_category(), "%s: continues despite: %s", name(),
                    log_text(saved.error()).c_str());
}

void ClipWork::warn(std::string text) {
  Error warning{ErrorKind::failed, std::move(text)};
  warning.task_id = record_.task_id;
  generation_.warn(warning);
}

OnDamage ClipWork::tell_damage() {
  return [this](const std::string &what) {
    has_damage_ = true;
    warn(what);
  };
}

}  // namespace genclip
