// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One table, both ways.
#include "plugin/generation/status_word.h"

namespace genclip {
namespace {

struct StatusWord {
  ClipStatus status;
  std::string_view word;
};

constexpr StatusWord kWords[] = {
    {ClipStatus::idle, "idle"},
    {ClipStatus::submitting, "submitting"},
    {ClipStatus::queued, "queued"},
    {ClipStatus::processing, "processing"},
    {ClipStatus::downloading, "downloading"},
    {ClipStatus::completed, "completed"},
    {ClipStatus::failed, "failed"},
};

}  // namespace

std::string_view status_word(ClipStatus status) {
  for (const StatusWord &entry : kWords)
    if (entry.status == status) return entry.word;
  return "idle";
}

ClipStatus status_of(std::string_view word) {
  for (const StatusWord &entry : kWords)
    if (entry.word == word) return entry.status;
  return ClipStatus::queued;
}

}  // namespace genclip
