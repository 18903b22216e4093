// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The GObject shell of ChannelSource (element_shell.h).
#include "elements/channelsrc/channel_src.h"

#include "elements/channelsrc/channel_enums.h"
#include "elements/channelsrc/channel_settings.h"
#include "elements/channelsrc/channel_source.h"
#include "elements/channelsrc/channel_structures.h"
#include "elements/element_log.h"
#include "elements/element_shell.h"
#include "elements/post_error.h"

namespace genclip {

struct GenChannelSrc {
  GstBin parent;
  ChannelSource *source;
};
struct GenChannelSrcClass {
  GstBinClass parent_class;
};

G_DEFINE_TYPE(GenChannelSrc, gen_channel_src, GST_TYPE_BIN)

namespace {

GstStaticPadTemplate kChannelVideo =
    GST_STATIC_PAD_TEMPLATE("video", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw"));
GstStaticPadTemplate kChannelAudio =
    GST_STATIC_PAD_TEMPLATE("audio", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("audio/x-raw"));

ChannelSource &channel_of(gpointer object) { return *static_cast<GenChannelSrc *>(object)->source; }

const ReadOnly<ChannelSource> kChannelReadOnly[] = {
    {[](GParamFlags flags) {
       return g_param_spec_boxed(
           "stats", "Stats",
           "Frames that have left, pieces of each kind, late and dropped frames, credits that were spent",
           GST_TYPE_STRUCTURE, flags);
     },
     [](const ChannelSource &source, GValue *value) { g_value_take_boxed(value, source.stats().release()); }},
    {[](GParamFlags flags) {
       return g_param_spec_boxed("now", "Now", "What is on the air", GST_TYPE_STRUCTURE, flags);
     },
     [](const ChannelSource &source, GValue *value) { g_value_take_boxed(value, source.now().release()); }},
    {[](GParamFlags flags) {
       return g_param_spec_boxed("next", "Next", "What is likely to come next", GST_TYPE_STRUCTURE, flags);
     },
     [](const ChannelSource &source, GValue *value) { g_value_take_boxed(value, source.next().release()); }},
    {[](GParamFlags flags) {
       return gst_param_spec_array("upcoming", "Upcoming", "What is prepared ahead, in its order",
                                   g_param_spec_boxed("item", "Item", "One item", GST_TYPE_STRUCTURE, flags),
                                   flags);
     },
     [](const ChannelSource &source, GValue *value) { source.ahead(value); }},
};

const ElementProperties<ChannelSource, ChannelSrcSettings> &channel_element_properties() {
  static const ElementProperties<ChannelSource, ChannelSrcSettings> all(channel_properties(),
                                                                        kChannelReadOnly);
  return all;
}

void gen_channel_src_set_property(GObject *object, guint id, const GValue *value, GParamSpec *) noexcept {
  channel_element_properties().set(object, channel_of(object), genchannelsrc_category(), id, value);
}

void gen_channel_src_get_property(GObject *object, guint id, GValue *value, GParamSpec *) noexcept {
  channel_element_properties().get(channel_of(object), id, value);
}

void gen_channel_src_finalize(GObject *object) noexcept {
  delete &channel_of(object);
  G_OBJECT_CLASS(gen_channel_src_parent_class)->finalize(object);
}

GstStateChangeReturn channel_change_state(GstElement *element, GstStateChange transition) noexcept {
  ChannelSource &source = channel_of(element);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    if (const auto prepared = source.prepare(); !prepared) {
      post_error(element, genchannelsrc_category(), prepared.error());
      return GST_STATE_CHANGE_FAILURE;
    }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) source.interrupt();
  const auto result = GST_ELEMENT_CLASS(gen_channel_src_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE))
    source.release();
  return result;
}

// EOS ends the channel at one frame for both pads, as it ends a live source: at once. The rest is the bin's.
gboolean channel_send_event(GstElement *element, GstEvent *event) noexcept {
  if (GST_EVENT_TYPE(event) != GST_EVENT_EOS || GST_STATE(element) < GST_STATE_PAUSED)
    return GST_ELEMENT_CLASS(gen_channel_src_parent_class)->send_event(element, event);
  gst_event_unref(event);
  channel_of(element).end(Automation::End::at_once);
  return TRUE;
}

std::string text_of(const char *text) { return text ? text : ""; }

void skip(GenChannelSrc *self) noexcept { channel_of(self).skip(); }
void reload(GenChannelSrc *self) noexcept { channel_of(self).reload(); }
void finish(GenChannelSrc *self) noexcept { channel_of(self).end(Automation::End::behind_clip); }
void hold(GenChannelSrc *self, gboolean is_held) noexcept { channel_of(self).hold(is_held); }
void remove_item(GenChannelSrc *self, const char *id) noexcept { channel_of(self).remove(text_of(id)); }
gboolean insert(GenChannelSrc *self, const char *json, const char *after) noexcept {
  const auto inserted = channel_of(self).insert(text_of(json), text_of(after));
  if (!inserted)
    post_warning(GST_ELEMENT(self), genchannelsrc_category(),
                 {ErrorKind::settings, "The item cannot be inserted. " + inserted.error().text});
  return inserted.has_value();
}
// Null, or why nothing is inserted. The caller's, without a warning on the bus: somebody tells it who asked.
char *try_insert(GenChannelSrc *self, const char *json, const char *after) noexcept {
  const auto inserted = channel_of(self).insert(text_of(json), text_of(after));
  return inserted ? nullptr : g_strdup(inserted.error().text.c_str());
}

// A signal that applications emit: a command. Its return value is that of the handler.
template <typename... Types>
void add_command(GType type, const char *name, GCallback handler, GType returns, Types... parameters) {
  g_signal_new_class_handler(name, type, static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION),
                             handler, nullptr, nullptr, nullptr, returns, sizeof...(parameters),
                             parameters...);
}

}  // namespace

static void gen_channel_src_class_init(GenChannelSrcClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = gen_channel_src_set_property;
  object_class->get_property = gen_channel_src_get_property;
  object_class->finalize = gen_channel_src_finalize;
  channel_element_properties().install(object_class);

  auto *element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element_class, &kChannelVideo);
  gst_element_class_add_static_pad_template(element_class, &kChannelAudio);
  gst_element_class_set_static_metadata(element_class, "Channel of generated clips", "Source/Bin/Audio/Video",
                                        "Plays a rundown of clips, live and without a break",
                                        "The genclip developers");
  element_class->change_state = channel_change_state;
  element_class->send_event = channel_send_event;

  const GType type = G_TYPE_FROM_CLASS(klass);
  add_command(type, "skip", G_CALLBACK(skip), G_TYPE_NONE);
  add_command(type, "reload", G_CALLBACK(reload), G_TYPE_NONE);
  add_command(type, "finish", G_CALLBACK(finish), G_TYPE_NONE);
  add_command(type, "hold", G_CALLBACK(hold), G_TYPE_NONE, G_TYPE_BOOLEAN);
  add_command(type, "insert", G_CALLBACK(insert), G_TYPE_BOOLEAN, G_TYPE_STRING, G_TYPE_STRING);
  add_command(type, "try-insert", G_CALLBACK(try_insert), G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING);
  add_command(type, "remove", G_CALLBACK(remove_item), G_TYPE_NONE, G_TYPE_STRING);
}

static void gen_channel_src_init(GenChannelSrc *self) {
  GstElement *element = GST_ELEMENT(self);
  const auto add_pad = [&](GstStaticPadTemplate &wanted, const char *name) {
    const auto pad_template = GRef<GstPadTemplate>::adopt(gst_static_pad_template_get(&wanted));
    GstPad *pad = gst_ghost_pad_new_no_target_from_template(name, pad_template.get());
    gst_element_add_pad(element, pad);
    return pad;
  };
  GstPad *video = add_pad(kChannelVideo, "video");
  GstPad *audio = add_pad(kChannelAudio, "audio");
  GST_OBJECT_FLAG_SET(element, GST_ELEMENT_FLAG_SOURCE);
  self->source = new ChannelSource(GST_BIN(self), video, audio);
}

bool register_channel_src(GstPlugin *plugin) {
  genchannelsrc_category();  // So that --gst-debug-help lists it.
  return gst_element_register(plugin, "genchannelsrc", GST_RANK_NONE, gen_channel_src_get_type());
}

}  // namespace genclip
