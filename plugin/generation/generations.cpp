// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A table of weak references, by store and request.
#include "plugin/generation/generations.h"

#include <map>
#include <string>

namespace genclip {
namespace {

// Lock order: before any generation's.
struct Table {
  Mutex mutex;
  std::map<std::string, std::weak_ptr<Generation>> generations GUARDED_BY(mutex);
};

Table &table() {
  static auto &table = *new Table;  // Never destroyed: threads may outlive main().
  return table;
}

// A file may have another content by now than when the running generation read it. Such jobs meet in the
// store.
bool is_shared(const GenerationJob &job) { return !job.request || !names_files(*job.request); }

// The request as it was given.
ClipIdentity spelled(const GenerationJob &job) {
  ClipIdentity identity = job.identity;
  identity.base_url = job.endpoint.base_url;
  if (job.request) identity.request = job.request->body();
  return identity;
}

// A generation that has finished, or may find the clip stored, is shared only with jobs that accept a stored
// clip.
bool fits(const Generation &generation, const GenerationJob &job) {
  if (job.reuse) return true;
  const ClipStatus status = generation.state().status;
  return status == ClipStatus::idle ? !generation.job().reuse : status != ClipStatus::completed;
}

}  // namespace

Joined join_generation(GenerationJob job, GenerationServices services,
                       const std::shared_ptr<GenerationObserver> &observer) {
  // Another spelling of a request may have a clip of an earlier version, so it shares none either.
  // Jobs with different API keys share no generation, so that the refusal of a wrong key affects only its own
  // jobs; jobs that may not submit alike share none, so that none pays for another one's error. A run then
  // waits for the other one as for a run of another process.
  const std::string key = job.store + "\n" + spelled(job).digest() + "\n" + job.task_id + "\n" +
                          std::to_string(static_cast<int>(job.may_submit)) + "\n" +
                          job.endpoint.api_key.value;
  const bool shares = is_shared(job);
  Table &all = table();
  MutexLock lock(all.mutex);
  std::erase_if(all.generations, [](const auto &entry) { return entry.second.expired(); });
  if (auto running = shares ? all.generations[key].lock() : nullptr; running && fits(*running, job))
    if (auto state = running->join(observer)) return {running, *state};

  auto generation = std::make_shared<Generation>(std::move(job), std::move(services));
  auto state = generation->join(observer);
  if (shares) all.generations[key] = generation;
  return {generation, state.value_or(GenerationState{})};
}

}  // namespace genclip
