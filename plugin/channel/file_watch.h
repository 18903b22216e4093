// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Looks whether the files of foreign media are still those that were vetted: they may be replaced, or come
// late.
#pragma once

#include <gio/gio.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/disk_queue.h"
#include "plugin/base/gref.h"
#include "plugin/channel/planned_wish.h"
#include "plugin/channel/vetting_memory.h"

namespace genclip {

// One thread.
class FileWatch {
 public:
  struct Look {
    WishKey key;
    uint64_t number = 0;  // Of the call of watch().
    std::string uri;
    std::optional<FileInfo> file;
  };
  using Looks = std::vector<Look>;

  FileWatch(std::shared_ptr<const VettingMemory> vetting, GRef<GCancellable> cancellable)
      : vetting_(std::move(vetting)), cancellable_(std::move(cancellable)) {}

  // `file`: what it was just before it was vetted.
  void watch(const WishKey &key, const std::string &uri, std::optional<FileInfo> file);
  void forget(const WishKey &key) { files_.erase(key); }

  // Looks at all of them, if it is time and the last look has ended. The disk of such a file may hang, so
  // that is done on a thread of its own. It hands those that have changed to `done`, unless it is cancelled;
  // then take() is to be called, on the thread of this.
  void look(Clock::Time now, std::function<void(Looks)> done);
  // Those that are watched still, and are not from now on.
  std::vector<WishKey> take(const Looks &changed);

 private:
  const std::shared_ptr<const VettingMemory> vetting_;
  const GRef<GCancellable> cancellable_;
  const std::shared_ptr<DiskQueue> queue_ = DiskQueue::make();
  std::map<WishKey, Look> files_;
  uint64_t numbers_ = 0;
  bool is_looking_ = false;
  Clock::Time next_look_{};
};

}  // namespace genclip
