// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the line that serves several source pads: each has an outlet, which receives everything.
#include <algorithm>
#include <utility>

#include "elements/captioner/caption_line.h"
#include "elements/captioner/gap_event.h"

namespace genclip {
namespace {

using Progress = CaptionSlot::Progress;

// Upstream sends segments and EOS again after a flush, but not its other sticky events.
bool lasts(GstEvent *event) {
  const GstEventType type = GST_EVENT_TYPE(event);
  const bool sticky = static_cast<unsigned>(type) & GST_EVENT_TYPE_STICKY;
  return sticky && type != GST_EVENT_SEGMENT && type != GST_EVENT_EOS;
}

// As pads have it: of the events of a kind that may be there several times, those of another name stay. The
// name of a TAG is that of its scope.
bool replaces(GstEvent *event, GstEvent *old) {
  if (GST_EVENT_TYPE(event) != GST_EVENT_TYPE(old)) return false;
  if (!(static_cast<unsigned>(GST_EVENT_TYPE(event)) & GST_EVENT_TYPE_STICKY_MULTI)) return true;
  const GstStructure *structure = gst_event_get_structure(event);
  return structure && gst_event_has_name_id(old, gst_structure_get_name_id(structure));
}

}  // namespace

OutletPtr CaptionLine::add_outlet(const std::string &language) {
  auto out = std::make_shared<CaptionOutlet>(CaptionOutlet{language});
  MutexLock lock(mutex_);
  outlets_.push_back(out);
  return out;
}

void CaptionLine::remove_outlet(const OutletPtr &outlet) {
  stop_outlet(*outlet);
  MutexLock lock(mutex_);
  std::erase(outlets_, outlet);
}

bool CaptionLine::start_outlet(CaptionOutlet &out) {
  MutexLock lock(mutex_);
  const bool is_first =
      std::none_of(outlets_.begin(), outlets_.end(), [](const OutletPtr &other) { return other->running; });
  if (is_first && !closed_) flow_ = GST_FLOW_OK;
  if (!std::exchange(out.running, true)) {
    out.timeline = CaptionTimeline(settings_.late_policy, settings_.limits);
    for (const Item &item : beginning_) {
      out.items.push_back(item);
      // Lets downstream preroll, without sending any time.
      if (const auto *segment = std::get_if<Segment>(&item); segment && !segment->backwards)
        out.items.push_back(gap_event(segment->start, 0));
    }
  }
  changed_.notify_all();
  return flow_ == GST_FLOW_OK;
}

void CaptionLine::stop_outlet(CaptionOutlet &out) {
  Cancelled cancelled;
  MutexLock lock(mutex_);
  out.running = false;
  for (const Item &item : out.items) {
    if (!std::holds_alternative<SlotPtr>(item)) continue;
    CaptionSlot &slot = *std::get<SlotPtr>(item);
    if (SlotPart *part = slot.part_in(out.language)) leave_behind(slot, *part, cancelled);
  }
  clear_outlet(out);
  out.unsent.clear();
  const bool was_last =
      std::none_of(outlets_.begin(), outlets_.end(), [](const OutletPtr &other) { return other->running; });
  if (was_last) clear(cancelled);
  changed_.notify_all();
}

void CaptionLine::keep(CaptionOutlet &out, GRef<GstEvent> event) {
  MutexLock lock(mutex_);
  if (lasts(event.get())) out.unsent.insert(out.unsent.begin(), std::move(event));
}

std::vector<GRef<GstEvent>> CaptionLine::take_unsent(CaptionOutlet &out) {
  MutexLock lock(mutex_);
  return std::exchange(out.unsent, {});
}

void CaptionLine::clear_outlet(CaptionOutlet &out) {
  while (!out.items.empty()) {
    if (const auto *event = std::get_if<GRef<GstEvent>>(&out.items.front()))
      if (lasts(event->get())) out.unsent.push_back(*event);
    leave(out);
  }
  out.last_text.clear();
  out.quiet_until = 0;
  out.promised.reset();
  out.timeline.end();
  out.at_end = false;
}

// Removes an item, the first one unless another is meant. A slot that no outlet has any more leaves the line.
void CaptionLine::leave(CaptionOutlet &out, size_t at) {
  const Item item = std::move(out.items[at]);
  out.items.erase(out.items.begin() + static_cast<std::ptrdiff_t>(at));
  changed_.notify_all();
  const auto *slot = std::get_if<SlotPtr>(&item);
  if (slot && --(*slot)->outlets == 0) std::erase(slots_, *slot);
}

// Nobody waits for this part any more. Once that holds for all parts, the request is cancelled.
void CaptionLine::leave_behind(CaptionSlot &slot, SlotPart &part, Cancelled &cancelled) {
  part.done = true;
  part.sentences.clear();
  if (!std::all_of(slot.parts.begin(), slot.parts.end(), [](const SlotPart &other) { return other.done; }))
    return;
  cancelled.add(slot);
  slot.progress = Progress::done;
}

void CaptionLine::put(const Item &item) {
  const auto *slot = std::get_if<SlotPtr>(&item);
  for (const OutletPtr &out : outlets_) {
    if (!out->running) continue;
    out->items.push_back(item);
    if (slot) ++(*slot)->outlets;
  }
  if (slot && (*slot)->outlets > 0) slots_.push_back(*slot);
}

// Keeps what an outlet needs that is added later: sticky events and the segment.
void CaptionLine::remember(const Item &item) {
  if (const auto *segment = std::get_if<Segment>(&item)) {
    std::erase_if(beginning_, [](const Item &old) {
      const auto *event = std::get_if<GRef<GstEvent>>(&old);
      return std::holds_alternative<Segment>(old) || (event && GST_EVENT_TYPE(event->get()) == GST_EVENT_EOS);
    });
    beginning_.push_back(*segment);
    std::get<Segment>(beginning_.back()).continues = false;
    return;
  }
  const auto *event = std::get_if<GRef<GstEvent>>(&item);
  if (!event || !(static_cast<unsigned>(GST_EVENT_TYPE(event->get())) & GST_EVENT_TYPE_STICKY)) return;
  if (GST_EVENT_TYPE(event->get()) == GST_EVENT_STREAM_START) beginning_.clear();
  // A stream may last for days and change its tags each minute.
  const auto old = std::find_if(beginning_.begin(), beginning_.end(), [event](const Item &one) {
    const auto *kept = std::get_if<GRef<GstEvent>>(&one);
    return kept && replaces(event->get(), kept->get());
  });
  if (old != beginning_.end())
    *old = *event;
  else
    beginning_.push_back(*event);
}

}  // namespace genclip
