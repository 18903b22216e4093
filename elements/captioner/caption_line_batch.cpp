// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the line that puts several texts into one request.
//
// A request is worth the wait for more texts, but the wait has limits: the end of the stream, half a second
// without another text, because upstream may wait for an answer before it sends the next one, and in a live
// stream a part of the latency. A file has its texts at once, so that its requests are the same in every run.
#include <algorithm>
#include <chrono>
#include <utility>

#include "elements/captioner/caption_line.h"

namespace genclip {
namespace {

using Progress = CaptionSlot::Progress;

constexpr auto kNextText = std::chrono::milliseconds(500);
// Live: the rest is for the answer.
constexpr int kPartOfLatency = 4;

bool may_share(const CaptionSlot &slot) { return slot.one_piece && !slot.again && !slot.alone; }

bool goes_with(const CaptionSlot &first, const CaptionSlot &slot) {
  const ContentRequest &a = first.request;
  const ContentRequest &b = slot.request;
  return may_share(slot) && slot.epoch == first.epoch && a.prompt == b.prompt &&
         a.system_instruction == b.system_instruction;
}

bool is_same_question(const CaptionSlot &a, const CaptionSlot &b) {
  return std::any_of(a.parts.begin(), a.parts.end(), [&b](const SlotPart &part) {
    return std::any_of(b.parts.begin(), b.parts.end(),
                       [&part](const SlotPart &other) { return part.key == other.key; });
  });
}

}  // namespace

size_t CaptionLine::texts_at_once() const { return numbers_.holds() ? settings_.cues_per_request : 1; }

// The first one and those behind it that can share its request.
SlotBatch CaptionLine::batch_from(const SlotPtr &first) {
  SlotBatch batch{first};
  if (texts_at_once() <= 1 || !may_share(*first)) return batch;
  for (const SlotPtr &slot : slots_) {
    if (batch.size() >= texts_at_once()) break;
    if (slot == first || slot->progress != Progress::waiting) continue;
    if (is_growing(slot) || !goes_with(*first, *slot)) break;
    look_up(*slot);
    // Equal texts are one question, whose answer this one will have soon.
    const bool is_repeated = std::any_of(batch.begin(), batch.end(), [&slot](const SlotPtr &other) {
      return is_same_question(*other, *slot);
    });
    if (!is_repeated && !is_being_asked(*slot)) batch.push_back(slot);
  }
  return batch;
}

// Empty: the request is sent now.
std::optional<Clock::Time> CaptionLine::awaits_more_until(const SlotBatch &batch) const {
  const CaptionSlot &first = *batch.front();
  if (batch.size() >= texts_at_once() || !may_share(first) || !texts_follow_ || !text_) return std::nullopt;
  Clock::Time until = text_->came_in_at + kNextText;
  if (live_) until = std::min(until, first.came_in_at + settings_.latency / kPartOfLatency);
  return Clock::system().now() < until ? std::optional(until) : std::nullopt;
}

void CaptionLine::answered_together(const SlotBatch &batch, const Result<ContentAnswer> &answer,
                                    std::vector<std::vector<Said>> said) {
  MutexLock lock(mutex_);
  leave_flight(*batch.front());
  const auto latency = Clock::system().now() - batch.front()->asked_at;
  if (answer) {
    note_tokens(*answer);
    stats_.latency_sum += latency;
  }
  // One text may be the reason why the model withholds the answers about all of them.
  const bool is_final = !answer && answer.error().kind != ErrorKind::failed;
  bool is_told = false;
  std::optional<Error> warning;
  if (answer)
    warning = numbers_.note(
        std::any_of(said.begin(), said.end(), [](const std::vector<Said> &one) { return !one.empty(); }));
  for (size_t i = 0; i < batch.size(); ++i) {
    CaptionSlot &slot = *batch[i];
    if (slot.progress != Progress::asking) continue;  // dropped in the meantime
    slot.latency = latency;
    if (warning) slot.warning = std::exchange(warning, std::nullopt);
    for (Said &one : said[i]) end_part(slot, std::move(one));
    const bool is_done =
        std::all_of(slot.parts.begin(), slot.parts.end(), [](const SlotPart &part) { return part.done; });
    if (!is_done && !is_final) {
      slot.alone = true;
      slot.progress = Progress::waiting;
      continue;
    }
    if (!is_done) {
      slot.error = answer.error();
      slot.error_told = std::exchange(is_told, true);
    }
    slot.request = {};
    slot.progress = Progress::done;
    note_as_context(slot);
  }
  changed_.notify_all();
}

}  // namespace genclip
