// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/captioner/caption_pads.h"

#include <algorithm>
#include <utility>

#include "plugin/caption/language_tag.h"

namespace genclip {

GstFlowReturn combined_flow(const std::vector<GstFlowReturn> &flows) {
  const auto is_final = [](GstFlowReturn flow) {
    return flow == GST_FLOW_FLUSHING || flow <= GST_FLOW_NOT_NEGOTIATED;
  };
  if (const auto found = std::find_if(flows.begin(), flows.end(), is_final); found != flows.end())
    return *found;
  bool is_linked = false;
  bool is_wanted = false;
  for (const GstFlowReturn flow : flows) {
    if (flow != GST_FLOW_NOT_LINKED) is_linked = true;
    if (flow != GST_FLOW_NOT_LINKED && flow != GST_FLOW_EOS) is_wanted = true;
  }
  if (!is_linked) return GST_FLOW_NOT_LINKED;
  return is_wanted ? GST_FLOW_OK : GST_FLOW_EOS;
}

namespace {

GRef<GstEvent> stream_start_in(const GRef<GstEvent> &event, const std::string &language) {
  if (language.empty()) return event;
  const char *id = nullptr;
  guint group = 0;
  GstStreamFlags flags = GST_STREAM_FLAG_NONE;
  gst_event_parse_stream_start(event.get(), &id);
  gst_event_parse_stream_flags(event.get(), &flags);
  GstEvent *own = gst_event_new_stream_start((std::string(id) + "-" + language).c_str());
  if (gst_event_parse_group_id(event.get(), &group)) gst_event_set_group_id(own, group);
  gst_event_set_stream_flags(own, flags);
  gst_event_set_seqnum(own, gst_event_get_seqnum(event.get()));
  return GRef<GstEvent>::adopt(own);
}

}  // namespace

GRef<GstEvent> caps_event(CaptionPad &pad) {
  pad.format = format_for(pad.pad.get());
  return GRef<GstEvent>::adopt(gst_event_new_caps(caps_of(pad.format).get()));
}

GRef<GstEvent> event_of(CaptionPad &pad, const GRef<GstEvent> &event) {
  switch (GST_EVENT_TYPE(event.get())) {
    case GST_EVENT_STREAM_START: return stream_start_in(event, pad.language);
    case GST_EVENT_CAPS: return caps_event(pad);
    default: return event;
  }
}

GRef<GstEvent> language_tag_event(const std::string &language) {
  // Muxers look for this code in the list of ISO 639, which has no regions.
  const std::string code = language_code(language);
  return GRef<GstEvent>::adopt(
      gst_event_new_tag(gst_tag_list_new(GST_TAG_LANGUAGE_CODE, code.c_str(), nullptr)));
}

void CaptionPads::add(CaptionPadPtr pad) {
  MutexLock lock(mutex_);
  pads_.push_back(std::move(pad));
}

void CaptionPads::remove(GstPad *pad) {
  MutexLock lock(mutex_);
  std::erase_if(pads_, [pad](const CaptionPadPtr &one) { return one->pad.get() == pad; });
}

std::vector<CaptionPadPtr> CaptionPads::all() const {
  MutexLock lock(mutex_);
  return pads_;
}

CaptionPadPtr CaptionPads::find(GstPad *pad) const {
  MutexLock lock(mutex_);
  const auto found = std::find_if(pads_.begin(), pads_.end(),
                                  [pad](const CaptionPadPtr &one) { return one->pad.get() == pad; });
  return found == pads_.end() ? nullptr : *found;
}

bool CaptionPads::has(const std::string &language) const {
  MutexLock lock(mutex_);
  return std::any_of(pads_.begin(), pads_.end(),
                     [&language](const CaptionPadPtr &one) { return one->language == language; });
}

std::vector<std::string> CaptionPads::languages() const {
  std::vector<std::string> languages;
  for (const CaptionPadPtr &one : all())
    if (gst_pad_is_linked(one->pad.get()) && one->flow != GST_FLOW_EOS) languages.push_back(one->language);
  return languages.empty() ? std::vector<std::string>{""} : languages;
}

bool CaptionPads::are_loose() const {
  const auto pads = all();
  return std::none_of(pads.begin(), pads.end(), [](const CaptionPadPtr &one) {
    return gst_pad_is_linked(one->pad.get()) || gst_pad_is_blocked(one->pad.get());
  });
}

GstFlowReturn CaptionPads::flow() const {
  std::vector<GstFlowReturn> flows;
  for (const CaptionPadPtr &one : all())
    flows.push_back(gst_pad_is_linked(one->pad.get()) ? one->flow.load() : GST_FLOW_NOT_LINKED);
  return combined_flow(flows);
}

}  // namespace genclip
