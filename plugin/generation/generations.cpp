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
  // By what they are to bring, the latest last: several, if their options differ.
  std::multimap<std::string, std::weak_ptr<Generation>> generations GUARDED_BY(mutex);
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
  identity.base_url = spelled_base_url(job);
  if (job.request) identity.request = job.request->body();
  return identity;
}

// Clients are shared by equal settings. Who accepts a stored clip does not wait for, or fail with, a new one.
// A generation that has finished is shared only with jobs that accept a stored clip.
bool fits(const Generation &generation, const GenerationJob &job, const HttpClient *http) {
  const JobOptions &options = job;
  if (options != generation.job() || http != generation.services().http.get()) return false;
  if (job.reuse != generation.job().reuse) return false;
  return job.reuse || generation.state().status != ClipStatus::completed;
}

}  // namespace

Joined join_generation(GenerationJob job, GenerationServices services,
                       const std::shared_ptr<GenerationObserver> &observer) {
  // Another spelling of a request may have a clip of an earlier version, so it shares none either.
  const std::string key = job.store + "\n" + spelled(job).digest() + "\n" + job.task_id;
  const bool shares = is_shared(job);
  Table &all = table();
  MutexLock lock(all.mutex);
  std::erase_if(all.generations, [](const auto &entry) { return entry.second.expired(); });
  const auto [first, end] = all.generations.equal_range(key);
  for (auto entry = end; shares && entry != first;)
    if (auto running = (--entry)->second.lock(); running && fits(*running, job, services.http.get()))
      if (auto state = running->join(observer)) return {running, *state};

  auto generation = std::make_shared<Generation>(std::move(job), std::move(services));
  auto state = generation->join(observer);
  for (auto entry = first; entry != end; ++entry)
    if (const auto other = entry->second.lock()) {
      other->poll_also_for(generation->job().poll_interval);
      generation->poll_also_for(other->job().poll_interval);
    }
  if (shares) all.generations.emplace(key, generation);
  return {generation, state.value_or(GenerationState{})};
}

}  // namespace genclip
