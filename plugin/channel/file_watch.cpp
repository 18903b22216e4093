// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/file_watch.h"

#include <utility>

namespace genclip {
namespace {

constexpr auto kFileLookInterval = std::chrono::seconds(2);

}  // namespace

void FileWatch::watch(const WishKey &key, const std::string &uri, std::optional<FileInfo> file) {
  files_.insert_or_assign(key, Look{key, ++numbers_, uri, file});
}

void FileWatch::look(Clock::Time now, std::function<void(Looks)> done) {
  if (is_looking_ || now < next_look_) return;
  next_look_ = now + kFileLookInterval;
  if (files_.empty()) return;
  Looks looks;
  looks.reserve(files_.size());
  for (const auto &[key, look] : files_) looks.push_back(look);
  is_looking_ = true;
  queue_->add([vetting = vetting_, cancellable = cancellable_, looks = std::move(looks),
               done = std::move(done)]() mutable {
    if (g_cancellable_is_cancelled(cancellable.get())) return;
    std::erase_if(looks,
                  [&](const Look &look) { return is_same_file(vetting->file_of(look.uri), look.file); });
    done(std::move(looks));
  });
}

std::vector<WishKey> FileWatch::take(const Looks &changed) {
  is_looking_ = false;
  std::vector<WishKey> keys;
  for (const Look &look : changed) {
    const auto found = files_.find(look.key);
    if (found == files_.end() || found->second.number != look.number) continue;
    files_.erase(found);
    keys.push_back(look.key);
  }
  return keys;
}

}  // namespace genclip
