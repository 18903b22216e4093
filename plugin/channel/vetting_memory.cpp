// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/vetting_memory.h"

#include <glib.h>

#include <utility>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

constexpr size_t kMostKnown = 20000;  // Files: those of a day.

// All that the answer depends on but the file's content.
std::string text_of(const VettingRequest &request) {
  const auto number = [](const auto &time) { return std::to_string(time.count()) + " "; };
  std::string text = request.uri + "\n" + number(request.in) + (request.is_generated ? "g " : "f ");
  if (request.length) text += "l" + number(*request.length);
  if (request.still_length) text += "s" + number(*request.still_length);
  if (request.expected) text += "e" + number(*request.expected);
  return text + std::to_string(request.target_lufs) + " " + std::to_string(request.true_peak_limit_db);
}

}  // namespace

bool is_same_file(const std::optional<FileInfo> &one, const std::optional<FileInfo> &other) {
  if (!one || !other) return !one && !other;
  return one->size == other->size && one->modified == other->modified;
}

Result<VettedMedia> VettingMemory::vet(const VettingRequest &request, GCancellable *cancellable) {
  std::string text = text_of(request);
  const auto before = file_of(request.uri);
  const auto known = by_request_.find(text);
  if (known != by_request_.end() && before && is_same_file(known->second->file, before))
    return known->second->media;
  auto vetted = vetter_->vet(request, cancellable);
  const auto after = file_of(request.uri);
  if (vetted && before && after && is_same_file(before, after)) remember(std::move(text), *after, *vetted);
  return vetted;
}

std::optional<FileInfo> VettingMemory::file_of(const std::string &uri) const {
  const GStringPtr path(g_filename_from_uri(uri.c_str(), nullptr, nullptr));
  if (!path) return std::nullopt;
  const auto info = files_.info(path.get());
  return info ? *info : std::nullopt;
}

void VettingMemory::remember(std::string request, const FileInfo &file, const VettedMedia &media) {
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
