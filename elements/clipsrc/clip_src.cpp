// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The GObject shell of ClipSource (element_shell.h).
#include "elements/clipsrc/clip_src.h"

#include <chrono>

#include "elements/clipsrc/clip_source.h"
#include "elements/clipsrc/playlist_opener.h"
#include "elements/element_log.h"
#include "elements/element_shell.h"
#include "elements/post_error.h"

namespace genclip {

struct GenclipSrc {
  GstBaseSrc parent;
  ClipSource *source;
};
struct GenclipSrcClass {
  GstBaseSrcClass parent_class;
};

static void genclip_src_uri_handler_init(gpointer iface, gpointer data) noexcept;

G_DEFINE_TYPE_WITH_CODE(GenclipSrc, genclip_src, GST_TYPE_BASE_SRC,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_URI_HANDLER, genclip_src_uri_handler_init))

namespace {

GstStaticPadTemplate kClipSrc =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

constexpr guint kDefaultBlockSize = 64 * 1024;

ClipSource &source_of(gpointer object) { return *static_cast<GenclipSrc *>(object)->source; }

void set_text(GValue *value, const std::string &text) {
  g_value_set_string(value, text.empty() ? nullptr : text.c_str());
}

const ReadOnly<ClipSource> kClipReadOnly[] = {
    {[](GParamFlags flags) {
       return g_param_spec_enum("status", "Status", "Status of the clip", clip_status_get_type(),
                                static_cast<int>(ClipStatus::idle), flags);
     },
     [](const ClipSource &source, GValue *value) {
       g_value_set_enum(value, static_cast<int>(source.state().status));
     }},
    {[](GParamFlags flags) {
       return g_param_spec_int("progress", "Progress", "Progress of the task in percent, -1 unknown", -1, 100,
                               -1, flags);
     },
     [](const ClipSource &source, GValue *value) { g_value_set_int(value, source.state().progress); }},
    {[](GParamFlags flags) {
       return g_param_spec_double("amount", "Amount", "Cost of the task in credits, -1 unknown", -1,
                                  G_MAXDOUBLE, -1, flags);
     },
     [](const ClipSource &source, GValue *value) { g_value_set_double(value, source.state().amount); }},
    {[](GParamFlags flags) {
       return g_param_spec_double("estimate", "Estimate",
                                  "Likely cost in credits, by what such clips have cost; -1 unknown", -1,
                                  G_MAXDOUBLE, -1, flags);
     },
     [](const ClipSource &source, GValue *value) { g_value_set_double(value, source.state().estimate); }},
    {[](GParamFlags flags) {
       return g_param_spec_double("eta", "ETA",
                                  "Seconds until the task is completed, as guessed when the service last "
                                  "told of it; -1 unknown",
                                  -1, G_MAXDOUBLE, -1, flags);
     },
     [](const ClipSource &source, GValue *value) { g_value_set_double(value, source.state().eta); }},
    {[](GParamFlags flags) {
       return g_param_spec_double("actual-duration", "Actual duration",
                                  "Duration that the task used, in seconds, -1 unknown", -1, G_MAXDOUBLE, -1,
                                  flags);
     },
     [](const ClipSource &source, GValue *value) {
       g_value_set_double(value, source.state().actual_duration);
     }},
    {[](GParamFlags flags) {
       return g_param_spec_string("clip-location", "Clip location",
                                  "Path of the stored clip, once it is whole", nullptr, flags);
     },
     [](const ClipSource &source, GValue *value) { set_text(value, source.state().clip_location); }},
};

const ElementProperties<ClipSource, ClipSettings> &clip_element_properties() {
  static const ElementProperties<ClipSource, ClipSettings> all(clip_properties(), kClipReadOnly);
  return all;
}

void genclip_src_set_property(GObject *object, guint id, const GValue *value, GParamSpec *) noexcept {
  clip_element_properties().set(object, source_of(object), genclipsrc_category(), id, value);
}

void genclip_src_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) noexcept {
  // Reads as the task that there is, whether or not it was set.
  if (g_str_equal(spec->name, "task-id"))
    set_text(value, source_of(object).state().task_id);
  else
    clip_element_properties().get(source_of(object), id, value);
}

// An application that drops the element before it is in NULL is told so by GstElement. Until here, the
// generation's threads post its messages.
void genclip_src_dispose(GObject *object) noexcept {
  source_of(object).close();
  G_OBJECT_CLASS(genclip_src_parent_class)->dispose(object);
}

void genclip_src_finalize(GObject *object) noexcept {
  delete &source_of(object);
  G_OBJECT_CLASS(genclip_src_parent_class)->finalize(object);
}

// Validates the request; no request is sent before the first read. Not in change_state: downstream activates
// first, and in pull mode starts to pull before this element's own state change.
gboolean start(GstBaseSrc *src) noexcept {
  if (is_opened_by_playlist(GST_ELEMENT(src))) {
    post_error(GST_ELEMENT(src), genclipsrc_category(),
               {ErrorKind::not_authorized,
                "A playlist names this genclip URI as a segment, a key or another playlist. genclip makes "
                "nothing for "
                "playlists, because whoever wrote one would spend your credits. Open the URI itself."});
    return FALSE;
  }
  const auto prepared = source_of(src).prepare();
  if (!prepared) post_error(GST_ELEMENT(src), genclipsrc_category(), prepared.error());
  return prepared.has_value();
}

gboolean stop(GstBaseSrc *src) noexcept {
  source_of(src).release();
  GST_CAT_INFO_OBJECT(genclipsrc_category(), src, "stopped");
  return TRUE;
}

GstStateChangeReturn change_clip_state(GstElement *element, GstStateChange change) noexcept {
  if (change == GST_STATE_CHANGE_NULL_TO_READY) source_of(element).open();
  const auto changed = GST_ELEMENT_CLASS(genclip_src_parent_class)->change_state(element, change);
  if (change == GST_STATE_CHANGE_READY_TO_NULL) source_of(element).close();
  return changed;
}

// The action signal: applications emit it.
gboolean prefetch_clip(GenclipSrc *self) noexcept {
  const auto started = source_of(self).prefetch();
  if (!started) post_error(GST_ELEMENT(self), genclipsrc_category(), started.error());
  return started.has_value();
}

gboolean is_seekable(GstBaseSrc *src) noexcept { return source_of(src).is_prepared(); }

gboolean get_size(GstBaseSrc *src, guint64 *size) noexcept {
  const auto known = source_of(src).size();
  if (known) *size = *known;
  return known.has_value();
}

gboolean unlock(GstBaseSrc *src) noexcept {
  GST_CAT_DEBUG_OBJECT(genclipsrc_category(), src, "ends all waits");
  source_of(src).interrupt();
  return TRUE;
}

gboolean unlock_stop(GstBaseSrc *src) noexcept {
  GST_CAT_DEBUG_OBJECT(genclipsrc_category(), src, "may wait again");
  source_of(src).resume();
  return TRUE;
}

GstFlowReturn create(GstBaseSrc *src, guint64 offset, guint size, GstBuffer **buffer) noexcept {
  GstPad *pad = GST_BASE_SRC_PAD(src);
  const bool pulled = GST_PAD_MODE(pad) == GST_PAD_MODE_PULL;
  auto bytes = source_of(src).read(offset, size, pulled);
  if (!bytes) {
    if (bytes.error().kind == ErrorKind::cancelled) {
      GST_CAT_DEBUG_OBJECT(genclipsrc_category(), pad, "flushing at %" G_GUINT64_FORMAT, offset);
      return GST_FLOW_FLUSHING;
    }
    post_error(GST_ELEMENT(src), genclipsrc_category(), bytes.error());
    return GST_FLOW_ERROR;
  }
  if (!*bytes) {
    GST_CAT_DEBUG_OBJECT(genclipsrc_category(), pad, "end of the clip at %" G_GUINT64_FORMAT, offset);
    return GST_FLOW_EOS;
  }
  *buffer = bytes->release();
  GST_CAT_LOG_OBJECT(genclipsrc_category(), pad, "%" GST_PTR_FORMAT, static_cast<gpointer>(*buffer));
  return GST_FLOW_OK;
}

// Here the application's thread waits for a disk, so only for as long as one takes whose machine is busy.
constexpr std::chrono::milliseconds kPatienceOfQuery{250};
// Without the size there is no way to begin.
constexpr std::chrono::milliseconds kPatienceOfReverseSeek{1000};

// GstBaseSrc asks for the size when it starts, before the search for a stored clip has ended.
void learn_size(GstBaseSrc *src) {
  const auto size = source_of(src).size_after_look(kPatienceOfQuery);
  if (size) source_of(src).tell_size(*size);
}

// A reverse segment without a stop begins at the clip's end. `segment` is a copy, the element's comes of it.
gboolean do_seek(GstBaseSrc *src, GstSegment *segment) noexcept {
  GST_CAT_DEBUG_OBJECT(genclipsrc_category(), src, "seeks to %" GST_SEGMENT_FORMAT,
                       static_cast<gpointer>(segment));
  const bool begins_at_the_end =
      segment->format == GST_FORMAT_BYTES && segment->rate < 0 && segment->stop == static_cast<guint64>(-1);
  if (begins_at_the_end && segment->duration == static_cast<guint64>(-1)) {
    const auto size = source_of(src).size_after_look(kPatienceOfReverseSeek);
    if (!size) {
      // Amid a run the stream continues without this seek, and an error would end it.
      GST_CAT_WARNING_OBJECT(genclipsrc_category(), src, "refuses to play backwards: the size is unknown");
      if (!GST_BASE_SRC_IS_STARTED(src))
        post_error(GST_ELEMENT(src), genclipsrc_category(),
                   {ErrorKind::settings,
                    "The size of the clip is not known yet, so it cannot be played backwards. Seek once it "
                    "plays."});
      return FALSE;
    }
    segment->duration = segment->position = *size;
  }
  return GST_BASE_SRC_CLASS(genclip_src_parent_class)->do_seek(src, segment);
}

// GstBaseSrc unlocks the streaming thread only after it has waited for it, when a seek does not flush.
void end_read_before_seek(GstBaseSrc *src, GstEvent *event) {
  if (GST_EVENT_TYPE(event) != GST_EVENT_SEEK || !GST_BASE_SRC_IS_STARTED(src) ||
      GST_PAD_MODE(GST_BASE_SRC_PAD(src)) != GST_PAD_MODE_PUSH)
    return;
  GstFormat format;
  GstSeekFlags flags;
  GstSeekType start, stop;
  gst_event_parse_seek(event, nullptr, &format, &flags, &start, nullptr, &stop, nullptr);
  const bool is_relative = start == GST_SEEK_TYPE_END || stop == GST_SEEK_TYPE_END;
  GST_OBJECT_LOCK(src);
  const bool is_of_stream = format == src->segment.format;
  GST_OBJECT_UNLOCK(src);
  // GstBaseSrc refuses others before it waits. Only after a wait it ends the interrupt.
  if ((is_of_stream || is_relative) && !(flags & GST_SEEK_FLAG_FLUSH)) source_of(src).interrupt();
}

// From downstream.
gboolean event(GstBaseSrc *src, GstEvent *event) noexcept {
  end_read_before_seek(src, event);
  return GST_BASE_SRC_CLASS(genclip_src_parent_class)->event(src, event);
}

// From the application.
gboolean send_event(GstElement *element, GstEvent *event) noexcept {
  end_read_before_seek(GST_BASE_SRC(element), event);
  const bool ends = GST_EVENT_TYPE(event) == GST_EVENT_EOS;
  if (ends) source_of(element).announce_end();
  const gboolean sent = GST_ELEMENT_CLASS(genclip_src_parent_class)->send_event(element, event);
  // Only now, for a read that ends before GstBaseSrc knows of the EOS would end the stream without it.
  if (ends) source_of(element).end_early();
  return sent;
}

gboolean query(GstBaseSrc *src, GstQuery *query) noexcept {
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_SCHEDULING:
      gst_query_set_scheduling(query, GST_SCHEDULING_FLAG_SEEKABLE, 1, -1, 0);
      if (source_of(src).settings().random_access) gst_query_add_scheduling_mode(query, GST_PAD_MODE_PULL);
      gst_query_add_scheduling_mode(query, GST_PAD_MODE_PUSH);
      return TRUE;
    case GST_QUERY_DURATION:
    case GST_QUERY_SEEKING: learn_size(src); break;
    case GST_QUERY_URI: {
      // Typefind tries the extension's kind first, where it pulls. The others take longer than the rest of
      // the way to a stored clip's first byte.
      const bool pulled = GST_PAD_MODE(GST_BASE_SRC_PAD(src)) == GST_PAD_MODE_PULL;
      const std::string uri = pulled ? source_of(src).uri_with_extension() : source_of(src).uri();
      gst_query_set_uri(query, uri.empty() ? nullptr : uri.c_str());
      return TRUE;
    }
    default: break;
  }
  return GST_BASE_SRC_CLASS(genclip_src_parent_class)->query(src, query);
}

GstURIType uri_type(GType) noexcept { return GST_URI_SRC; }

const gchar *const *uri_protocols(GType) noexcept {
  static const gchar *const protocols[] = {"genclip", nullptr};
  return protocols;
}

gchar *get_uri(GstURIHandler *handler) noexcept {
  const std::string uri = source_of(handler).uri();
  return uri.empty() ? nullptr : g_strdup(uri.c_str());
}

gboolean set_uri(GstURIHandler *handler, const gchar *uri, GError **error) noexcept {
  const auto set = source_of(handler).set_uri(uri);
  if (set) return TRUE;
  const auto code =
      set.error().kind == ErrorKind::busy ? GST_URI_ERROR_BAD_STATE : GST_URI_ERROR_BAD_REFERENCE;
  g_set_error_literal(error, GST_URI_ERROR, code, set.error().text.c_str());
  return FALSE;
}

}  // namespace

static void genclip_src_uri_handler_init(gpointer iface, gpointer) noexcept {
  auto *handler = static_cast<GstURIHandlerInterface *>(iface);
  handler->get_type = uri_type;
  handler->get_protocols = uri_protocols;
  handler->get_uri = get_uri;
  handler->set_uri = set_uri;
}

static void genclip_src_class_init(GenclipSrcClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = genclip_src_set_property;
  object_class->get_property = genclip_src_get_property;
  object_class->dispose = genclip_src_dispose;
  object_class->finalize = genclip_src_finalize;
  clip_element_properties().install(object_class);

  auto *element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element_class, &kClipSrc);
  gst_element_class_set_static_metadata(element_class, "Generated clip source", "Source/Network",
                                        "Plays a clip that a remote service generates",
                                        "The genclip developers");

  element_class->change_state = change_clip_state;
  element_class->send_event = send_event;
  g_signal_new_class_handler("prefetch", G_TYPE_FROM_CLASS(klass),
                             static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION),
                             G_CALLBACK(prefetch_clip), nullptr, nullptr, nullptr, G_TYPE_BOOLEAN, 0);

  auto *base_class = GST_BASE_SRC_CLASS(klass);
  base_class->start = start;
  base_class->stop = stop;
  base_class->is_seekable = is_seekable;
  base_class->get_size = get_size;
  base_class->unlock = unlock;
  base_class->unlock_stop = unlock_stop;
  base_class->do_seek = do_seek;
  base_class->event = event;
  base_class->create = create;
  base_class->query = query;
}

static void genclip_src_init(GenclipSrc *self) {
  self->source = new ClipSource(GST_BASE_SRC(self));
  gst_base_src_set_format(GST_BASE_SRC(self), GST_FORMAT_BYTES);
  gst_base_src_set_blocksize(GST_BASE_SRC(self), kDefaultBlockSize);
}

bool register_clip_src(GstPlugin *plugin) {
  genclipsrc_category();  // So that --gst-debug-help lists it.
  return gst_element_register(plugin, "genclipsrc", GST_RANK_PRIMARY, genclip_src_get_type());
}

}  // namespace genclip
