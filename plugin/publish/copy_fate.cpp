// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/publish/copy_fate.h"

#include <algorithm>

namespace genclip {
namespace {

bool has_ended(const CopyUse &use) {
  if (!use.state) return false;
  switch (*use.state) {
    case ClipState::intent:
    case ClipState::ambiguous:
    case ClipState::submitted: return false;
    case ClipState::refused:
    case ClipState::failed:
    case ClipState::lost:
    case ClipState::complete: return true;
  }
  return false;
}

}  // namespace

CopyFate copy_fate(int64_t modified, const std::vector<CopyUse> &uses, int64_t now) {
  if (!std::all_of(uses.begin(), uses.end(), has_ended)) return CopyFate::needed;
  const auto is_recent = [&](int64_t time) { return now - time < kCopyGrace; };
  const bool is_kept = is_recent(modified) || std::any_of(uses.begin(), uses.end(), [&](const CopyUse &use) {
                         return is_recent(use.updated_at);
                       });
  return is_kept ? CopyFate::recent : CopyFate::due;
}

}  // namespace genclip
