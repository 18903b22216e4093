// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/vetting_memory.h"

#include <glib.h>

#include <algorithm>
#include <utility>

#include "plugin/base/background_work.h"
#include "plugin/base/clock.h"
#include "plugin/base/disk_thread.h"
#include "plugin/base/gref.h"

namespace genclip {
namespace {

constexpr size_t kMostKnown = 20000;  // Files: those of a day.
// So long after the vetter's own patience, it hangs.
constexpr auto kVettingHangs = std::chrono::seconds(2);
constexpr auto kCancelLook = std::chrono::milliseconds(50);

// All that the answer depends on but the file's content.
std::string text_of(const VettingRequest &request) {
  const auto number = [](const auto &time) { return std::to_string(time.count()) + " "; };
  std::string text = request.uri + "\n" + number(request.in) + (request.is_generated ? "g " : "f ");
  if (request.length) text += "l" + number(*request.length);
  if (request.still_length) text += "s" + number(*request.still_length);
  if (request.expected) text += "e" + number(*request.expected);
  if (request.is_mono) text += "m ";
  return text + std::to_string(request.target_lufs) + " " + std::to_string(request.true_peak_limit_db);
}

}  // namespace

bool is_same_file(const std::optional<FileInfo> &one, const std::optional<FileInfo> &other) {
  if (!one || !other) return !one && !other;
  const bool is_replaced = one->inode != other->inode && one->changed != other->changed;
  return one->size == other->size && one->modified == other->modified && !is_replaced;
}

struct VettingMemory::Look {
  explicit Look(std::string name) : folder(std::move(name)) {}

  const std::string folder;
  Mutex mutex;
  CondVar changed;
  bool is_open GUARDED_BY(mutex) = false;
  std::optional<VettedFile> result GUARDED_BY(mutex);
  bool is_left GUARDED_BY(mutex) = false;
};

VettedFile VettingMemory::vet(const VettingRequest &request, GCancellable *cancellable) {
  const std::string folder = request.uri.substr(0, request.uri.rfind('/') + 1);
  if (hangs_in(folder))
    return {std::nullopt,
            Error{ErrorKind::timed_out, "It was not opened, because another file of its folder hangs."}};
  const auto look = std::make_shared<Look>(folder);
  on_disk_thread([self = shared_from_this(), request, look, working = std::make_shared<BackgroundWork>(),
                  held = GRef<GCancellable>::share(cancellable)] { self->look(request, held.get(), *look); });

  const auto begin = Clock::system().now();
  MutexLock lock(look->mutex);
  while (!look->result) {
    const auto now = Clock::system().now();
    const auto limit = begin + (look->is_open ? request.patience + kVettingHangs : opening_);
    if (g_cancellable_is_cancelled(cancellable)) return {std::nullopt, cancelled()};
    if (now >= limit) break;
    look->changed.wait_until(lock, std::min(limit, now + kCancelLook));
  }
  if (look->result) return *std::move(look->result);
  look->is_left = true;
  const auto waited = look->is_open ? request.patience : std::chrono::ceil<std::chrono::seconds>(opening_);
  const MutexLock shared(mutex_);
  hung_.insert(folder);
  return {std::nullopt, Error{ErrorKind::timed_out,
                              "It could not be opened within " + std::to_string(waited.count()) + " s."}};
}

// What goes wrong here, the vetter tells.
void VettingMemory::open(const std::string &uri) const {
  const GStringPtr path(g_filename_from_uri(uri.c_str(), nullptr, nullptr));
  if (!path) return;
  std::byte first{};
  if (const auto file = files_.open(resolved_path(path.get()), FileSystem::Mode::read); file)
    static_cast<void>((*file)->read_at(0, {&first, 1}));
}

void VettingMemory::look(const VettingRequest &request, GCancellable *cancellable, Look &look) {
  open(request.uri);
  {
    MutexLock lock(look.mutex);
    look.is_open = true;
    look.changed.notify_all();
  }
  auto vetted = vet_now(request, cancellable);
  MutexLock lock(look.mutex);
  look.result = std::move(vetted);
  look.changed.notify_all();
  if (!look.is_left) return;
  const MutexLock shared(mutex_);
  hung_.erase(hung_.find(look.folder));
}

bool VettingMemory::hangs_in(const std::string &folder) const {
  const MutexLock lock(mutex_);
  return hung_.contains(folder);
}

VettedFile VettingMemory::vet_now(const VettingRequest &request, GCancellable *cancellable) {
  std::string text = text_of(request);
  const auto before = file_of(request.uri);
  if (before)
    if (auto known = recall(text, *before)) return {before, *std::move(known)};
  auto vetted = vetter_->vet(request, cancellable);
  const auto after = file_of(request.uri);
  if (vetted && before && after && is_same_file(before, after)) remember(std::move(text), *after, *vetted);
  return {before, std::move(vetted)};
}

std::optional<VettedMedia> VettingMemory::recall(const std::string &request, const FileInfo &file) const {
  const MutexLock lock(mutex_);
  const auto known = by_request_.find(request);
  if (known == by_request_.end() || !is_same_file(known->second->file, file)) return std::nullopt;
  return known->second->media;
}

std::optional<FileInfo> VettingMemory::file_of(const std::string &uri) const {
  const GStringPtr path(g_filename_from_uri(uri.c_str(), nullptr, nullptr));
  if (!path) return std::nullopt;
  const auto info = files_.info(resolved_path(path.get()));
  return info ? *info : std::nullopt;
}

void VettingMemory::remember(std::string request, const FileInfo &file, const VettedMedia &media) {
  const MutexLock lock(mutex_);
  if (const auto known = by_request_.find(request); known != by_request_.end()) {
    known_.erase(known->second);
    by_request_.erase(known);
  }
  known_.push_back({std::move(request), file, media});
  by_request_[known_.back().request] = std::prev(known_.end());
  if (known_.size() <= kMostKnown) return;
  by_request_.erase(known_.front().request);
  known_.pop_front();
}

}  // namespace genclip
