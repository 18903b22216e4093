// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Carries out what a request needs before it can be submitted: its links are made, and its references become
// URLs. react_chain() (core/chain_run.h) decides what is done, in which order, and when it ends.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/account/ledger.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"
#include "plugin/generation/chain_plan.h"
#include "plugin/generation/clip_status.h"
#include "plugin/store/clip_folder.h"
#include "plugin/store/clip_record.h"
#include "plugin/store/store_lock.h"

namespace genclip {

class Generation;

// Keeps the links of one chain in the store. All runs that make them share it, so that what one has made and
// used is there for the next; with the last of them, it ends. Another one keeps what many chains need.
// Thread-safe.
class HeldLinks {
 public:
  // `most`: each link takes a file descriptor. A chain cannot do without one of its own links.
  explicit HeldLinks(size_t most = SIZE_MAX) : most_(most) {}

  // False: the clip is being removed. A store in which this process cannot lock lends its clips without.
  // Beyond the most, nothing is held.
  bool hold(ClipFolder &folder) EXCLUDES(mutex_);
  void let_go(const std::string &key) EXCLUDES(mutex_);

 private:
  const size_t most_;
  Mutex mutex_;
  std::map<std::string, StoreLock> locks_ GUARDED_BY(mutex_);  // By key.
};

struct PreparedRequest {
  CheckedRequest request;
  std::vector<UsedReference> references;  // For the record.
};

// For the generation's thread; one use. Borrows the generation, which must outlive it.
class ChainWork {
 public:
  // Until it ends, the links stay in the store: to be kept until the request was submitted.
  explicit ChainWork(Generation &generation);
  ~ChainWork() = default;
  ChainWork(const ChainWork &) = delete;
  ChainWork &operator=(const ChainWork &) = delete;

  // Blocks until the links are made, which may be paid for. An error says what to do; what was made until
  // then is stored.
  Result<PreparedRequest> run();
  // After a wait since run() has succeeded: the same request, with fresh URLs where those may have expired.
  Result<PreparedRequest> renew();

 private:
  // One reference of the request itself, on its way to a URL.
  struct Material {
    // Null: it is a URL already, for good, or its link is not made yet.
    std::shared_ptr<const LocalFile> file;
    bool is_published = false;
    bool may_expire = false;  // The service gave its URL, or a command printed it.
    std::string url;
    UsedReference used;
  };

  Result<void> take_step();
  Result<void> look();
  Result<ChainLink> look_at(size_t link, Ledger &ledger, const Account &account) const;
  LinkState hold(size_t link, const std::string &key);
  bool takes_time(const PlannedLink &request) const;
  void tell_references();
  Result<void> judge();
  Result<void> check_sources(const PlannedLink &request) const;
  // Null: none.
  Result<const MediaReference *> to_publish(const PlannedLink &request) const;
  Result<void> check_fetchable(const PlannedLink &request) const;
  Result<void> make();
  Result<void> try_to_publish();
  Result<void> publish_all();
  Result<void> publish_one(size_t index, bool has_earlier);
  Result<void> publish_file(size_t index);
  PreparedRequest prepared() const;
  Result<std::string> result_url(const MediaReference &reference, size_t link, bool has_earlier) const;
  std::optional<bool> is_at(const std::string &url, const LinkClip &clip) const;
  Error missed() const;
  bool makes_a_link() const { return run_.link + 1 < plan_.size(); }
  void learn(const ChainEvent &event);
  void show_link(const GenerationState &link);
  bool is_cancelled() const;

  Generation &generation_;
  const GenerationJob &job_;
  const CheckedRequest &request_;
  const std::vector<PlannedLink> plan_;
  const std::shared_ptr<HeldLinks> held_;
  ChainRun run_;
  std::map<size_t, LinkClip> clips_;  // Of the links that are here.
  std::vector<Material> materials_;   // One for each reference of the request.
};

}  // namespace genclip
