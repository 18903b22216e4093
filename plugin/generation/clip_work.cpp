// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lock, journal, task, download, commit; or the clip that is there; or what another process does.
#include "plugin/generation/clip_work.h"

#include <algorithm>

#include "plugin/generation/download.h"
#include "plugin/generation/exit_guard.h"
#include "plugin/generation/generation.h"
#include "plugin/generation/status_word.h"
#include "plugin/store/clip_removal.h"
#include "plugin/store/store_log.h"
#include "plugin/task/reply_error.h"

namespace genclip {
namespace {

// Between two looks at what another process does.
constexpr auto kLookPause = std::chrono::milliseconds(100);
constexpr size_t kMaxEarlierTasks = 100;

int64_t unix_seconds(const Clock &clock) {
  return std::chrono::duration_cast<std::chrono::seconds>(clock.wall_now().time_since_epoch()).count();
}

ClipPath path_of(const GenerationJob &job) { return {job.store, job.identity.digest()}; }

// What is said before a request is submitted once more.
std::string unanswered_text(uint64_t submits) {
  const bool one = submits == 1;
  const std::string runs = one ? "An earlier run" : std::to_string(submits) + " earlier runs";
  const std::string charges = one ? "twice" : std::to_string(submits + 1) + " times";
  return runs + " submitted this request and never learnt whether it was accepted. It is submitted again, " +
         "so it may be charged " + charges +
         ". If the service lists a task for it, set task-id to its ID instead.";
}

}  // namespace

ClipWork::ClipWork(Generation &generation)
    : generation_(generation),
      clock_(*generation.services().clock),
      retries_(generation.job().retries),
      tasks_(*generation.services().http, clock_, generation.job().endpoint, retries_),
      folder_(*generation.services().files, path_of(generation.job())),
      follower_(generation, folder_) {
  record_.identity = generation.job().identity;
  record_.model = generation.job().model;
}

bool ClipWork::serve_stored() {
  const auto record = follower_.look();
  if (!record || record->state != ClipState::complete || !is_usable(*record)) return false;
  const auto served = serve_without_lock(*record);
  return served && *served;  // What is wrong is told, and mended, by the run.
}

Result<void> ClipWork::run() {
  auto lock = wait_for_turn();
  if (!lock) return std::move(lock).error();
  if (!*lock) return {};  // Served.
  lock_ = std::move(*lock);
  auto found = read_journal();
  auto done = found ? work_on(std::move(*found)) : std::move(found).error();
  lock_.reset();
  return done;
}

// Nothing: another process brought the clip, or it was there.
Result<std::optional<StoreLock>> ClipWork::wait_for_turn() {
  const GenerationJob &job = generation_.job();
  const auto patience = clock_.now() + job.timeout;
  for (;;) {
    const auto record = follower_.look();
    if (record && record->state == ClipState::complete && is_usable(*record)) {
      const auto served = serve_without_lock(*record);
      if (!served) return served.error();
      if (*served) return std::optional<StoreLock>();
    }
    auto lock = folder_.lock_writer(tell_damage());
    if (!lock || *lock) return lock;
    if (record)
      if (auto shown = follower_.show(*record); !shown) return std::move(shown).error();
    if (job.timeout.count() > 0 && clock_.now() >= patience)
      return Error{ErrorKind::busy, "Another process has been at work on this clip for " +
                                        std::to_string(job.timeout.count()) +
                                        " s (property timeout). Run again to go on waiting."};
    if (!clock_.sleep_until(clock_.now() + kLookPause, generation_.cancellable())) return cancelled();
  }
}

// What is stored is of use when it is wanted, or is no older than this run.
bool ClipWork::is_usable(const ClipRecord &record) const {
  const GenerationJob &job = generation_.job();
  const bool is_that_task = job.task_id.empty() || record.task_id == job.task_id;
  return is_that_task && (job.reuse || follower_.has_seen_become(record));
}

Result<bool> ClipWork::serve_without_lock(const ClipRecord &record) {
  auto use = folder_.lock_use();
  if (use && !*use) return false;  // It is being removed.
  if (!use && use.error().kind == ErrorKind::not_found) return false;
  auto file = folder_.look_at_clip(record);
  if (!file || !*file) return false;
  // A store that is not ours to lock serves all the same.
  auto served = serve(record, std::move(*file), use ? std::move(*use) : std::optional<StoreLock>());
  if (!served) return std::move(served).error();
  return true;
}

Result<void> ClipWork::serve(const ClipRecord &record, std::shared_ptr<File> file,
                             std::optional<StoreLock> use) {
  if (auto shown = follower_.hand_over(record); !shown) return std::move(shown).error();
  generation_.hold(std::move(use));
  generation_.change([&](GenerationState &state) {
    state.status = ClipStatus::completed;
    state.progress = 100;
    if (!record.model.empty()) state.model = record.model;
    state.task_id = record.task_id;
    state.amount = record.amount;
    state.actual_duration = record.actual_duration;
    state.reused = true;
    state.clip_location = folder_.path().file(record.clip_name);
  });
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

// How the work of another process ended while this run waited for it: it is this run's end too. What never
// reached the service may fare better from here.
std::optional<Error> ClipWork::fate_of(const ClipRecord &record) const {
  if (!follower_.has_seen_become(record)) return std::nullopt;
  Error error;
  switch (record.state) {
    case ClipState::failed: error = task_failed(record.error); break;
    case ClipState::ambiguous: error = {ErrorKind::read, record.error}; break;
    case ClipState::lost:
      error = {ErrorKind::not_found, record.error};
      error.http_status = record.http_status;
      break;
    case ClipState::refused: {
      if (record.http_status == 0) return std::nullopt;
      HttpReply reply;
      reply.status = record.http_status;
      error = reply_error(TaskCall::submit, reply, generation_.job().endpoint.api_key);
      error.text = record.error;
      break;
    }
    default: return std::nullopt;
  }
  error.task_id = record.task_id;
  return error;
}

Result<void> ClipWork::work_on(std::optional<ClipRecord> found) {
  const GenerationJob &job = generation_.job();
  bool usable = found && is_usable(*found);
  if (usable)
    if (auto fate = fate_of(*found)) return std::move(*fate);
  if (usable && found->state == ClipState::complete) {
    auto file = folder_.open_clip(*found, tell_damage());
    if (!file) return std::move(file).error();
    if (*file) {
      auto use = folder_.lock_use();
      return serve(*found, std::move(*file), use ? std::move(*use) : std::optional<StoreLock>());
    }
  }

  if (!job.no_key.empty()) return Error{ErrorKind::settings, job.no_key};
  if (usable && found->state == ClipState::lost) {
    const auto known = knows(*found);
    if (!known) return known.error();
    usable = *known;
  }
  Result<std::string> task_id = std::string();
  const bool has_task = found && (found->state == ClipState::submitted || found->state == ClipState::lost ||
                                  found->state == ClipState::complete);
  if (usable && has_task && !found->task_id.empty()) {
    // A clip that was lost is fetched again from its task.
    found->identity = record_.identity;
    if (found->model.empty()) found->model = record_.model;
    record_ = std::move(*found);
    record_.clip_name.clear();
    const auto shown = follower_.hand_over(record_);
    if (!shown) return shown.error();
    record_.part.synced = std::max(record_.part.synced, *shown);
    task_id = attach();
  } else {
    if (job.request && job.task_id.empty())
      if (auto looked = check_media(*generation_.services().http, clock_, *job.request, job.media_check,
                                    generation_.cancellable());
          !looked)
        return looked;
    if (found) put_behind(*found);
    if (auto handed = follower_.hand_over(record_); !handed) return std::move(handed).error();
    record_.task_id = job.task_id;
    is_unheard_of_ = !job.task_id.empty();
    task_id = job.task_id.empty() ? submit() : attach();
  }
  if (!task_id) return std::move(task_id).error();
  auto url = follow(*task_id);
  if (!url) return std::move(url).error();
  return fetch(*url);
}

// Another task comes in its place: what was paid stays known, and a whole clip stays until there is a newer
// one.
void ClipWork::put_behind(const ClipRecord &earlier) {
  const bool submits = generation_.job().task_id.empty();
  record_.unanswered_submits = earlier.state == ClipState::complete ? 0 : earlier.unanswered_submits;
  if (submits && (earlier.state == ClipState::intent || earlier.state == ClipState::ambiguous))
    warn(unanswered_text(++record_.unanswered_submits));
  if (submits && earlier.state == ClipState::lost)
    warn("The service does not know the task " + earlier.task_id +
         " of this request any more, so its clip cannot be had. The request is submitted again, and charged "
         "again.");
  record_.earlier_tasks = earlier.earlier_tasks;
  if (!earlier.task_id.empty()) record_.earlier_tasks.push_back(earlier.task_id);
  if (record_.earlier_tasks.size() > kMaxEarlierTasks)
    record_.earlier_tasks.erase(record_.earlier_tasks.begin());
  record_.replaced =
      earlier.state == ClipState::complete ? std::make_shared<const ClipRecord>(earlier) : earlier.replaced;
}

Result<void> ClipWork::fetch(const std::string &url) {
  record_.status = status_word(ClipStatus::downloading);
  record_.progress = 100;
  generation_.change([](GenerationState &state) {
    state.status = ClipStatus::downloading;
    state.progress = 100;
  });
  auto part = folder_.open_part();
  if (!part) return std::move(part).error();
  std::shared_ptr<File> file = std::move(part).value();
  Download::Hooks hooks;
  hooks.fresh_url = [this]() -> Result<std::string> {
    // A clip that is paid for is worth more than the deadline.
    auto task = query(record_.task_id, std::nullopt);
    if (!task) return std::move(task).error();
    if (task->status == TaskStatus::failed) return task_failed(task->error_message);
    return task->clip_url;
  };
  hooks.checkpoint = [this](const PartState &state) {
    record_.part = state;
    // Of a task that was lost meanwhile the journal has the last word already.
    return record_.state == ClipState::lost ? Result<void>() : save();
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
  Download download(*generation_.services().http, clock_, retries_, std::move(options), std::move(hooks),
                    file, generation_.clip());
  auto container = download.run(url, record_.part, generation_.cancellable());
  if (container) return commit(file, download.size(), *container);
  Error error = std::move(container).error();
  if (error.task_id.empty()) error.task_id = record_.task_id;
  return error;
}

Result<void> ClipWork::commit(const std::shared_ptr<File> &part, uint64_t size,
                              const MediaContainer &container) {
  record_.clip_name = ClipPath::clip_name(container.extension);
  record_.media_type = container.media_type;
  record_.clip_size = size;
  record_.updated_at = unix_seconds(clock_);
  if (auto committed = folder_.commit(*part, record_); !committed) {
    Error error = std::move(committed).error();
    error.task_id = record_.task_id;
    if (error.kind == ErrorKind::not_found) {
      error.text +=
          " Something removed it from the store. Run again: the clip is fetched anew from its task.";
      record_.clip_name.clear();
      record_.part = PartState{};
      save_if_possible();
    }
    return error;
  }
  if (auto use = folder_.lock_use(); use) generation_.hold(std::move(*use));
  const ExitGuard guard;  // Whoever gets the last byte may exit before there is room.
  generation_.change([&](GenerationState &state) {
    state.status = ClipStatus::completed;
    state.clip_location = folder_.path().file(record_.clip_name);
  });
  generation_.clip().complete();
  make_room();
  return {};
}

// This clip's own lock keeps it in the store.
void ClipWork::make_room() {
  const GenerationJob &job = generation_.job();
  if (job.store_max_size == 0) return;
  const auto pruned = prune_store(*generation_.services().files, job.store, job.store_max_size);
  if (!pruned)
    GST_CAT_WARNING(store_category(), "%s", pruned.error().text.c_str());
  else if (pruned->size > job.store_max_size)
    GST_CAT_INFO(store_category(), "%s has %" G_GUINT64_FORMAT " bytes, all in use", job.store.c_str(),
                 pruned->size);
}

Result<void> ClipWork::save() {
  record_.updated_at = unix_seconds(clock_);
  auto saved = folder_.write_record(record_);
  if (saved || saved.error().kind != ErrorKind::not_found) return saved;
  return come_back(std::move(saved).error());
}

// Somebody has removed the folder, and with it the lock: what is known of the task goes into a new one,
// unless another run has begun there.
Result<void> ClipWork::come_back(Error lost) {
  auto lock = folder_.lock_writer(tell_damage());
  if (!lock || !*lock || folder_.look()) return lost;
  lock_ = std::move(*lock);
  return folder_.write_record(record_);
}

void ClipWork::save_if_possible() {
  if (auto saved = save(); !saved) GST_CAT_WARNING(store_category(), "%s", saved.error().text.c_str());
}

// No clip comes of this task; the one that it was to replace is served again.
void ClipWork::give_up_task() {
  if (!record_.replaced) return save_if_possible();
  ClipRecord back = *record_.replaced;
  back.earlier_tasks = record_.earlier_tasks;
  std::erase(back.earlier_tasks, back.task_id);
  if (record_.state == ClipState::lost) back.earlier_tasks.push_back(record_.task_id);
  if (auto saved = folder_.write_record(back); !saved)
    GST_CAT_WARNING(store_category(), "%s", saved.error().text.c_str());
}

void ClipWork::warn(std::string text) {
  Error warning{ErrorKind::failed, std::move(text)};
  warning.task_id = record_.task_id;
  generation_.warn(warning);
}

OnDamage ClipWork::tell_damage() {
  return [this](const std::string &what) { warn(what); };
}

}  // namespace genclip
