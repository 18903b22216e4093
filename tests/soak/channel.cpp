// SPDX-License-Identifier: LGPL-2.1-or-later
//
// concat plays one bin after the other; the bus is read by hand.
#include "tests/soak/channel.h"

#include <algorithm>

namespace genclip::soak {
namespace {

constexpr char kEnded[] = "ended";
constexpr int kSinks = 2;

GRef<GstElement> element_of(GstElement *bin, const char *name) {
  return GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(bin), name));
}

void link_decoded(GstElement *, GstPad *pad, gpointer ghost) {
  const auto caps = GRef<GstCaps>::adopt(gst_pad_get_current_caps(pad));
  if (caps && g_str_has_prefix(gst_structure_get_name(gst_caps_get_structure(caps.get(), 0)), "video/"))
    gst_ghost_pad_set_target(GST_GHOST_PAD(ghost), pad);
}

GstPadProbeReturn count_buffer(GstPad *, GstPadProbeInfo *, gpointer count) {
  ++*static_cast<std::atomic<unsigned> *>(count);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn count_caption(GstPad *, GstPadProbeInfo *, gpointer count) {
  ++*static_cast<std::atomic<int> *>(count);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn tell_end(GstPad *pad, GstPadProbeInfo *info, gpointer) {
  if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) != GST_EVENT_EOS) return GST_PAD_PROBE_OK;
  const auto bin = GRef<GstObject>::adopt(gst_object_get_parent(GST_OBJECT(pad)));
  if (bin)
    gst_element_post_message(GST_ELEMENT(bin.get()),
                             gst_message_new_application(bin.get(), gst_structure_new_empty(kEnded)));
  return GST_PAD_PROBE_OK;
}

std::string text_of(GstMessage *message) {
  GErrorPtr error;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning(message, take(error), nullptr);
  else
    gst_message_parse_error(message, take(error), nullptr);
  return error ? error->message : "no text";
}

}  // namespace

Channel::Channel(ChannelPlan plan) : plan_(std::move(plan)) {
  GErrorPtr error;
  const std::string line =
      "concat name=channel ! tee name=out  out. ! queue ! fakesink name=pictures sync=false "
      "out. ! queue ! gencaption name=caption cache=off interval=2000000000 on-error=skip timeout=2 "
      "api-key=sim-key "
      "llm-base-url=" +
      plan_.gateway_url + " ! fakesink name=captions sync=false async=false";
  pipeline_ =
      GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(line.c_str(), take(error)))));
  if (error) g_error("%s", error->message);
  concat_ = element_of(pipeline_.get(), "channel");
  caption_ = element_of(pipeline_.get(), "caption");
  bus_ = GRef<GstBus>::adopt(gst_element_get_bus(pipeline_.get()));
  const auto pad_of = [&](const char *sink) {
    return GRef<GstPad>::adopt(gst_element_get_static_pad(element_of(pipeline_.get(), sink).get(), "sink"));
  };
  gst_pad_add_probe(pad_of("captions").get(), GST_PAD_PROBE_TYPE_BUFFER, count_caption, &captions_, nullptr);
  // Not the pipeline's own message: it may wait for elements that were added during playback.
  for (const char *sink : {"pictures", "captions"})
    gst_pad_add_probe(pad_of(sink).get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, tell_end, nullptr, nullptr);
}

Channel::~Channel() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

void Channel::add(int number) {
  auto player = std::make_unique<Player>();
  player->number = number;
  GErrorPtr error;
  const std::string line = "genclipsrc model=dance-2.5 prompt=\"clip " + std::to_string(number) +
                           "\" api-key=sim-key poll-interval=40 http-timeout=2 base-url=" + plan_.base_url +
                           " store=" + plan_.store + " ! decodebin name=decoder";
  player->bin = GRef<GstElement>::adopt(
      GST_ELEMENT(gst_object_ref_sink(gst_parse_bin_from_description(line.c_str(), FALSE, take(error)))));
  if (error) g_error("%s", error->message);
  player->out = GRef<GstPad>::share(gst_ghost_pad_new_no_target("src", GST_PAD_SRC));
  gst_pad_set_active(player->out.get(), TRUE);
  gst_element_add_pad(player->bin.get(), player->out.get());
  gst_pad_add_probe(player->out.get(), GST_PAD_PROBE_TYPE_BUFFER, count_buffer, &player->frames, nullptr);
  gst_pad_add_probe(player->out.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, tell_end, nullptr, nullptr);
  const auto decoder = element_of(player->bin.get(), "decoder");
  g_signal_connect(decoder.get(), "pad-added", G_CALLBACK(link_decoded), player->out.get());
  gst_bin_add(GST_BIN(pipeline_.get()), player->bin.get());
  player->slot = request_slot();
  gst_pad_link(player->out.get(), player->slot.get());
  ++counts_.attempts;
  GstElement *bin = player->bin.get();
  players_.push_back(std::move(player));
  gst_element_sync_state_with_parent(bin);
  keep_open(request_slot());
}

GRef<GstPad> Channel::request_slot() {
  return GRef<GstPad>::adopt(gst_element_request_pad_simple(concat_.get(), "sink_%u"));
}

// concat ends after its last slot, and a busy machine may play three clips before this thread learns of the
// first one. So one more slot, which never plays, waits for the next clip.
void Channel::keep_open(GRef<GstPad> slot) {
  if (open_) gst_element_release_request_pad(concat_.get(), open_.get());
  open_ = std::move(slot);
}

void Channel::remove(Player &player) {
  // The slot first: this releases a thread that waits for its turn.
  gst_element_release_request_pad(concat_.get(), player.slot.get());
  gst_element_set_state(player.bin.get(), GST_STATE_NULL);
  gst_bin_remove(GST_BIN(pipeline_.get()), player.bin.get());
  players_.remove_if([&](const auto &other) { return other.get() == &player; });
}

Channel::Player *Channel::player_of(GstObject *object) {
  const auto found = std::find_if(players_.begin(), players_.end(), [&](const auto &player) {
    return object == GST_OBJECT(player->bin.get()) ||
           gst_object_has_as_ancestor(object, GST_OBJECT(player->bin.get()));
  });
  return found == players_.end() ? nullptr : found->get();
}

std::string Channel::ended(Player &player) {
  const unsigned frames = player.frames;
  const int number = player.number;
  if (next_ < plan_.clips) add(next_++);
  if (frames != plan_.frames_per_clip) {
    return "clip " + std::to_string(number) + " had " + std::to_string(frames) + " frames of " +
           std::to_string(plan_.frames_per_clip);
  }
  ++counts_.played;
  // The last one stays until its EOS has passed through the whole pipeline.
  if (counts_.played < plan_.clips)
    remove(player);
  else
    keep_open({});
  return {};
}

std::string Channel::failed(Player &player, const std::string &why) {
  const int number = player.number;
  ++counts_.errors[why];
  if (player.frames > 0) return "clip " + std::to_string(number) + " broke while it was on the air: " + why;
  if (++attempts_[number] == plan_.most_attempts)
    return "clip " + std::to_string(number) + " is lost after " + std::to_string(plan_.most_attempts) +
           " attempts: " + why;
  add(number);
  remove(player);
  return {};
}

std::string Channel::hear(GstMessage *message, const std::function<void(const ChannelCounts &)> &after_each) {
  Player *player = player_of(GST_MESSAGE_SRC(message));
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ERROR:
      if (player) return failed(*player, text_of(message));
      // The decoder of a failed clip also posts an error.
      return GST_MESSAGE_SRC(message) == GST_OBJECT(caption_.get()) ? text_of(message) : std::string();
    case GST_MESSAGE_WARNING: {
      const std::string text = text_of(message);
      ++counts_.warnings[text];
      if (text.find("never learned whether it was accepted") != text.npos) ++counts_.announced_repeats;
      return {};
    }
    case GST_MESSAGE_APPLICATION: {
      if (!gst_message_has_name(message, kEnded)) return {};
      if (!player) {
        sinks_ended_ += GST_OBJECT_FLAG_IS_SET(GST_MESSAGE_SRC(message), GST_ELEMENT_FLAG_SINK);
        return {};
      }
      auto wrong = ended(*player);
      counts_.captions = captions_;
      if (wrong.empty()) after_each(counts_);
      return wrong;
    }
    default: return {};
  }
}

std::string Channel::run(const std::function<void(const ChannelCounts &)> &after_each) {
  while (next_ < std::min(plan_.clips, plan_.ahead)) add(next_++);
  gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  const auto wanted =
      static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_APPLICATION);
  while (sinks_ended_ < kSinks) {
    const auto message = GRef<GstMessage>::adopt(gst_bus_timed_pop_filtered(
        bus_.get(), static_cast<GstClockTime>(plan_.patience.count()) * GST_SECOND, wanted));
    if (!message)
      return "The channel stalled: " + std::to_string(counts_.played) + " clips were played, then nothing.";
    if (auto wrong = hear(message.get(), after_each); !wrong.empty()) return wrong;
  }
  counts_.captions = captions_;
  GstStructure *stats = nullptr;
  g_object_get(caption_.get(), "stats", &stats, nullptr);
  guint64 requests = 0, skipped = 0;
  gst_structure_get(stats, "requests", G_TYPE_UINT64, &requests, "skipped", G_TYPE_UINT64, &skipped, nullptr);
  gst_structure_free(stats);
  counts_.requests = static_cast<int>(requests);
  counts_.skipped = static_cast<int>(skipped);
  return {};
}

}  // namespace genclip::soak
