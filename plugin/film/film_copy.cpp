// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The film's own texts come from a second reading of it, which passes over all else. A muxer waits for the
// next cue of each text before it takes more of the picture, and minutes of picture may lie before that cue:
// more than a queue can hold. The second reading is never held up by the picture, so it reaches each cue.
#include "plugin/film/film_copy.h"

#include <gst/app/gstappsrc.h>
#include <gst/tag/tag.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "plugin/base/mutex.h"
#include "plugin/caption/language_tag.h"
#include "plugin/film/copy_stream.h"
#include "plugin/film/copy_tags.h"
#include "plugin/film/copy_times.h"
#include "plugin/film/film_run.h"
#include "plugin/film/kept_text.h"

namespace genclip {
namespace {

// Why a copy ends before the film does.
struct EarlyEnd {
  const char *error;  // Empty: a trial has seen enough.
};
constexpr EarlyEnd kCutInside{
    "Its edit list hides pictures in the middle of the film, which a copy cannot; use --to vtt."};
constexpr EarlyEnd kTurned{
    "Its picture is turned, as those of phones are, which no copy would say; use --to vtt."};
constexpr EarlyEnd kTimeless{
    "Its container does not tell the times of all its pictures and sounds, so a copy would lack some; use "
    "--to vtt, or make a copy that does, and caption that: ffmpeg -fflags +genpts -i FILM -c copy COPY.mkv"};
constexpr EarlyEnd kInParts{kPartsLost};
constexpr EarlyEnd kEndLost{
    "Its edit list hides so much of its beginning that GStreamer loses pictures at its end; make a copy "
    "without an edit list, and caption that: ffmpeg -i FILM -c copy COPY.mkv"};
constexpr EarlyEnd kNoStream{kNoPictureInIt};
constexpr EarlyEnd kTried{""};
constexpr const char *kEarlyEnd = "genclip-early-end";

// What demuxers tell and the muxers of GStreamer 1.22 do not write.
constexpr const char *kLost = "genclip-lost";

constexpr GstClockTime kTrial = 10 * GST_SECOND;

GstElement *added(GstBin *bin, const char *factory) {
  GstElement *element = gst_element_factory_make(factory, nullptr);
  if (element) gst_bin_add(bin, element);
  return element;
}

class FilmCopy {
 public:
  FilmCopy(const CopyOrder &order, const std::vector<FilmTrack> &tracks, FilmListener &listener)
      : order_(order),
        tracks_(tracks),
        listener_(listener),
        run_(GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr))))) {}

  Result<void> run() {
    if (!build()) return Error{ErrorKind::not_found, "GStreamer lacks plugins: parsebin or " + muxer_name()};
    bool stopped = false;
    const auto end = run_.run([&](GstMessage *message) { on_message(message); },
                              [&] {
                                stopped = listener_.stops() > 0;
                                if (stopped) run_.end();
                                // A clip that is generated takes minutes.
                                if (order_.is_trial) listener_.on_progress({});
                              });
    if (stopped) return cancelled();
    if (!unheld_picture_.empty())
      return Error{ErrorKind::wrong_type,
                   "Its picture (" + unheld_picture_ + ") cannot be in " + to_word(order_.format) +
                       (order_.format == FilmFormat::mp4 ? "; use --to mkv, or --to vtt."
                                                         : ", as GStreamer writes it; use --to vtt.")};
    if (early_end_ && *early_end_->error) return Error{ErrorKind::wrong_type, early_end_->error};
    if (end == FilmRun::End::eos || early_end_) return {};
    Error error = run_.error();
    error.text = "It cannot be copied: " + error.text;
    return error;
  }

 private:
  std::string muxer_name() const { return order_.format == FilmFormat::mp4 ? "mp4mux" : "matroskamux"; }

  bool build() {
    muxer_ = added(run_.bin(), muxer_name().c_str());
    GstElement *sink = added(run_.bin(), "filesink");
    if (!muxer_ || !sink) return false;
    if (order_.format == FilmFormat::mkv)
      write_plain_tags(GRef<GstPad>::adopt(gst_element_get_static_pad(muxer_, "src")).get());
    g_object_set(sink, "location", order_.path.c_str(), nullptr);
    gst_element_link(muxer_, sink);
    return read_film(G_CALLBACK(take_stream), G_CALLBACK(note_demuxer));
  }

  // `note`: may be null.
  bool read_film(GCallback take, GCallback note) {
    GstElement *source = added(run_.bin(), "urisourcebin");
    GstElement *parser = added(run_.bin(), "parsebin");
    if (!source || !parser) return false;
    g_object_set(source, "uri", order_.uri.c_str(), nullptr);
    set_up_source(source, order_.source);
    g_signal_connect(source, "pad-added", G_CALLBACK(link_source), parser);
    g_signal_connect(parser, "pad-added", take, this);
    if (order_.format == FilmFormat::mkv)
      g_signal_connect(parser, "autoplug-continue", G_CALLBACK(may_be_parsed), nullptr);
    if (note) g_signal_connect(parser, "deep-element-added", note, this);
    gst_element_sync_state_with_parent(parser);
    gst_element_sync_state_with_parent(source);
    return true;
  }

  void add_track(const FilmTrack &track, std::chrono::nanoseconds hidden) {
    GstElement *source = added(run_.bin(), "appsrc");
    const auto caps = GRef<GstCaps>::adopt(plain_text_caps());
    g_object_set(source, "format", GST_FORMAT_TIME, "max-bytes", guint64{0}, "caps", caps.get(), nullptr);
    gst_element_link_pads(source, "src", muxer_, "subtitle_%u");
    GstTagList *tags = gst_tag_list_new(GST_TAG_LANGUAGE_CODE,
                                        language_in_copy(language_code(track.language).c_str()), nullptr);
    gst_tag_list_set_scope(tags, GST_TAG_SCOPE_STREAM);
    gst_element_send_event(source, gst_event_new_tag(tags));
    auto *app = GST_APP_SRC(source);
    // Before the first cue; mp4mux would write an edit list that is as much too short.
    if (const auto silence = hidden + track.cues.front().begin;
        order_.format == FilmFormat::mp4 && silence.count() > 0) {
      GstBuffer *buffer = gst_buffer_new();
      GST_BUFFER_PTS(buffer) = 0;
      GST_BUFFER_DURATION(buffer) = static_cast<guint64>(silence.count());
      gst_app_src_push_buffer(app, buffer);
    }
    for (const FilmCue &cue : track.cues) {
      GstBuffer *buffer = gst_buffer_new_memdup(cue.text.data(), cue.text.size());
      GST_BUFFER_PTS(buffer) = static_cast<guint64>((hidden + cue.begin).count());
      GST_BUFFER_DURATION(buffer) = static_cast<guint64>((cue.end - cue.begin).count());
      gst_app_src_push_buffer(app, buffer);
    }
    gst_app_src_end_of_stream(app);
    gst_element_sync_state_with_parent(source);
  }

  // parsebin of GStreamer 1.22 would plug ssaparse, which drops styles and positions.
  static gboolean may_be_parsed(GstElement *, GstPad *, GstCaps *caps, gpointer) {
    const GstStructure *structure = gst_caps_get_structure(caps, 0);
    return !gst_structure_has_name(structure, "application/x-ass") &&
           !gst_structure_has_name(structure, "application/x-ssa");
  }

  static void link_source(GstElement *, GstPad *pad, gpointer parser) {
    const auto sink = GRef<GstPad>::adopt(gst_element_get_static_pad(GST_ELEMENT(parser), "sink"));
    if (!gst_pad_is_linked(sink.get())) gst_pad_link(pad, sink.get());
  }

  // Some demuxers have another stream only once they come to its data.
  static void note_demuxer(GstBin *, GstBin *, GstElement *element, gpointer self) {
    const bool is_demuxer =
        gst_element_factory_list_is_type(gst_element_get_factory(element), GST_ELEMENT_FACTORY_TYPE_DEMUXER);
    // id3demux has all its pads from the beginning.
    if (!is_demuxer || GST_ELEMENT(element)->numsrcpads > 0) return;
    auto &copy = *static_cast<FilmCopy *>(self);
    g_signal_connect(element, "no-more-pads", G_CALLBACK(end_of_pads), self);
    MutexLock lock(copy.mutex_);
    copy.demuxers_.insert(element);
  }

  static void end_of_pads(GstElement *demuxer, gpointer self) {
    auto &copy = *static_cast<FilmCopy *>(self);
    {
      MutexLock lock(copy.mutex_);
      copy.demuxers_.erase(demuxer);
    }
    copy.go_on();
  }

  // At the end of a stream, or where one has filled its queue.
  void expect_no_more_pads() {
    {
      MutexLock lock(mutex_);
      demuxers_.clear();
    }
    go_on();
  }
  static void on_full_queue(GstElement *, gpointer self) {
    static_cast<FilmCopy *>(self)->expect_no_more_pads();
  }

  // On its way to the muxer. Lives as long as the copy.
  struct Stream {
    FilmCopy *copy;
    bool is_picture;
    GRef<GstPad> out = {};  // To the muxer.
    gulong block = 0;
    CopyTimes times = {};  // On the thread of the demuxer.
    std::atomic<bool> may_lose_end = false;
    GstClockTime parsed_start = 0;
    bool has_language = false;  // On the thread of its queue.
    GstSegment sent = {};       // There, too.
    GstClockTime sent_from = GST_CLOCK_TIME_NONE;
    CopyLosses parsed_losses = {};             // On the thread of the demuxer.
    CopyLosses losses = {};                    // On the thread of the queue.
    bool is_known = false;                     // With the copy's mutex: its first data or its end is there,
    GstClockTime first = GST_CLOCK_TIME_NONE;  // and begins then.
  };

  // Null: they are not known. A transport stream tells them only with the data.
  static GRef<GstCaps> caps_of(GstPad *pad) {
    GstCaps *current = gst_pad_get_current_caps(pad);
    auto caps = GRef<GstCaps>::adopt(current ? current : gst_pad_query_caps(pad, nullptr));
    if (gst_caps_is_any(caps.get()) || gst_caps_is_empty(caps.get())) return nullptr;
    if (gst_caps_get_size(caps.get()) < 2) return caps;
    // A parser of several codecs (AC-3 and E-AC-3) may be each of them; the demuxer has said which.
    const auto stream = GRef<GstStream>::adopt(gst_pad_get_stream(pad));
    const auto told = GRef<GstCaps>::adopt(stream ? gst_stream_get_caps(stream.get()) : nullptr);
    if (!told || !gst_caps_can_intersect(caps.get(), told.get())) return caps;
    return GRef<GstCaps>::adopt(gst_caps_intersect(caps.get(), told.get()));
  }

  // All streams of a film appear before any of them goes on.
  static void take_stream(GstElement *, GstPad *pad, gpointer self) {
    auto &copy = *static_cast<FilmCopy *>(self);
    const auto caps = caps_of(pad);
    if (caps && is_text(caps.get()) && copy.holds(caps.get())) return copy.await_text(pad);
    // No muxer takes another stream once it has begun.
    if (!caps || copy.has_begun() || !copy.holds(caps.get()) || !copy.add_stream(pad, caps.get()))
      copy.leave_out(pad, caps.get());
  }

  // Of the second reading.
  static void take_text(GstElement *, GstPad *pad, gpointer self) {
    auto &copy = *static_cast<FilmCopy *>(self);
    const auto caps = caps_of(pad);
    if (!caps || !is_text(caps.get()) || !copy.holds(caps.get())) return copy.discard(pad);
    if (!copy.add_stream(pad, caps.get())) copy.lose_text(pad, caps.get());
  }

  static const char *muxer_pad_for(const GstCaps *caps) {
    return pad_for(gst_structure_get_name(gst_caps_get_structure(caps, 0)));
  }
  static bool is_text(const GstCaps *caps) {
    return std::string_view(muxer_pad_for(caps)).starts_with("subtitle");
  }

  bool holds(GstCaps *caps) const {
    const GstStructure *structure = gst_caps_get_structure(caps, 0);
    // mp4mux of GStreamer 1.22 offers to take VP9, and ends the process; it makes a picture in 3D narrower,
    // and does not write that it is one.
    if (order_.format == FilmFormat::mp4 &&
        (gst_structure_has_name(structure, "video/x-vp9") || is_in_3d(structure)))
      return false;
    GstPadTemplate *wanted =
        gst_element_class_get_pad_template(GST_ELEMENT_GET_CLASS(muxer_), muxer_pad_for(caps));
    const auto taken = GRef<GstCaps>::adopt(gst_pad_template_get_caps(wanted));
    const auto offered =
        is_markup_text(caps) ? GRef<GstCaps>::adopt(plain_text_caps())
        : parser_of(structure).factory
            ? GRef<GstCaps>::adopt(gst_caps_new_empty_simple(gst_structure_get_name(structure)))
            : GRef<GstCaps>::share(caps);
    // Of a stream whose caps are complete, a muxer takes no others than these.
    return gst_caps_is_fixed(offered.get()) && !parser_of(structure).factory
               ? gst_caps_is_subset(offered.get(), taken.get())
               : gst_caps_can_intersect(taken.get(), offered.get());
  }

  void await_text(GstPad *pad) {
    {
      MutexLock lock(mutex_);
      ++awaited_texts_;
    }
    discard(pad);
  }

  void lose_text(GstPad *pad, GstCaps *caps) {
    leave_out(pad, caps);
    MutexLock lock(mutex_);
    --awaited_texts_;
    begin_once_all_are_known();
  }

  bool add_stream(GstPad *pad, GstCaps *caps) {
    const GstStructure *structure = gst_caps_get_structure(caps, 0);
    const Parser parser = parser_of(structure);
    const char *pad_name = muxer_pad_for(caps);
    const bool is_markup = is_markup_text(caps);
    std::vector<const char *> factories;
    if (parser.factory) factories.push_back(parser.factory);
    if (parser.timestamper && order_.format == FilmFormat::mp4) factories.push_back(parser.timestamper);
    factories.push_back("queue");
    std::vector<GstElement *> chain;
    for (const char *factory : factories) {
      GstElement *element = added(run_.bin(), factory);
      if (!element) return false;
      if (!chain.empty()) gst_element_link(chain.back(), element);
      chain.push_back(element);
    }
    g_object_set(chain.back(), "max-size-time", guint64{0}, "max-size-buffers", 0U, "max-size-bytes",
                 is_text(caps) ? 0U : order_.most_queued, nullptr);
    g_signal_connect(chain.back(), "overrun", G_CALLBACK(on_full_queue), this);
    if (!gst_element_link_pads(chain.back(), "src", muxer_, pad_name)) return false;
    watch(pad, chain.back(), caps);
    if (order_.format == FilmFormat::mp4 && is_text(caps)) {
      const auto out = GRef<GstPad>::adopt(gst_element_get_static_pad(chain.back(), "src"));
      begin_with_silence(out.get());
    }
    for (GstElement *element : chain) gst_element_sync_state_with_parent(element);
    const auto sink = GRef<GstPad>::adopt(gst_element_get_static_pad(chain.front(), "sink"));
    if (!is_markup) return gst_pad_link(pad, sink.get()) == GST_PAD_LINK_OK;
    make_plain_text(pad, order_.format == FilmFormat::mkv ? TextTags::kept : TextTags::removed);
    // The caps become plain text behind the pad only.
    return gst_pad_link_full(pad, sink.get(), GST_PAD_LINK_CHECK_HIERARCHY) == GST_PAD_LINK_OK;
  }

  // Each stream waits behind its queue until all have their first data: that says how much is hidden. The
  // muxer begins no sooner either.
  void watch(GstPad *pad, GstElement *queue, const GstCaps *caps) {
    const bool is_picture = is_picture_name(gst_structure_get_name(gst_caps_get_structure(caps, 0)));
    Stream *stream = nullptr;
    {
      MutexLock lock(mutex_);
      if (is_text(caps)) --awaited_texts_;
      stream = streams_.emplace_back(new Stream{this, is_picture}).get();
      stream->out = GRef<GstPad>::adopt(gst_element_get_static_pad(queue, "src"));
    }
    const auto data =
        static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
    gst_pad_add_probe(pad, data, set_times, stream, nullptr);
    const auto in = GRef<GstPad>::adopt(gst_element_get_static_pad(queue, "sink"));
    gst_pad_add_probe(in.get(), data, note_first, stream, nullptr);
    gst_pad_add_probe(stream->out.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, set_event, stream, nullptr);
    gst_pad_add_probe(stream->out.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, check_turn, stream, nullptr);
    gst_pad_add_probe(stream->out.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_losses, this, nullptr);
    if (!is_text(caps))
      gst_pad_add_probe(stream->out.get(), GST_PAD_PROBE_TYPE_BUFFER, check_times, stream, nullptr);
    gst_pad_add_probe(in.get(), GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, refuse_query, nullptr, nullptr);
    stream->block =
        gst_pad_add_probe(stream->out.get(), GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, wait, nullptr, nullptr);
  }

  static std::optional<std::chrono::nanoseconds> length_at(GstPad *pad) {
    gint64 length = -1;
    if (!gst_pad_query_duration(pad, GST_FORMAT_TIME, &length) || length <= 0) return std::nullopt;
    return std::chrono::nanoseconds(length);
  }

  static GstPadProbeReturn set_times(GstPad *pad, GstPadProbeInfo *info, gpointer self) {
    auto &stream = *static_cast<Stream *>(self);
    const bool is_hidden = stream.times.take(info);
    stream.may_lose_end = stream.times.may_lose_end();
    if (is_hidden && stream.is_picture) stream.copy->post(kCutInside);
    if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) {
      // h264timestamper would make some up.
      if (stream.parsed_losses.add(!has_time(GST_PAD_PROBE_INFO_BUFFER(info)), stream.is_picture))
        stream.copy->post(kTimeless);
    } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS) {
      if (stream.parsed_losses.are_all()) stream.copy->post(kTimeless);
      if (stream.is_picture && stream.times.has_lost_end(length_at(pad)))
        stream.copy->post(stream.times.is_in_parts() ? kInParts : kEndLost);
      stream.copy->expect_no_more_pads();
    }
    return GST_PAD_PROBE_OK;
  }

  // What stands in the caps, too, needs none.
  static bool has_time(const GstBuffer *buffer) {
    return GST_BUFFER_PTS_IS_VALID(buffer) || GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_HEADER);
  }

  void post(const EarlyEnd &reason) {
    GstStructure *told =
        gst_structure_new(kEarlyEnd, "reason", G_TYPE_POINTER, static_cast<const void *>(&reason), nullptr);
    gst_element_post_message(muxer_, gst_message_new_application(GST_OBJECT(muxer_), told));
  }

  // Muxers drop data without a time, and say so in the log alone.
  static GstPadProbeReturn check_times(GstPad *, GstPadProbeInfo *info, gpointer self) {
    auto &stream = *static_cast<Stream *>(self);
    const GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    const GstClockTime time = GST_BUFFER_PTS(buffer);
    const bool is_lost = !has_time(buffer) || (stream.is_picture && time < stream.sent.start);
    if (stream.losses.add(is_lost, stream.is_picture)) {
      stream.copy->post(kTimeless);
      return GST_PAD_PROBE_REMOVE;
    }
    if (is_lost) return GST_PAD_PROBE_OK;
    if (!GST_CLOCK_TIME_IS_VALID(stream.sent_from)) stream.sent_from = time;
    const bool is_enough =
        GST_CLOCK_TIME_IS_VALID(time) && time > stream.sent_from + kTrial && !stream.may_lose_end;
    if (stream.copy->order_.is_trial && stream.is_picture && is_enough) {
      stream.copy->post(kTried);
      return GST_PAD_PROBE_REMOVE;
    }
    return GST_PAD_PROBE_OK;
  }

  static GstPadProbeReturn note_first(GstPad *, GstPadProbeInfo *info, gpointer self) {
    auto &stream = *static_cast<Stream *>(self);
    const bool is_buffer = GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER;
    GstClockTime first = GST_CLOCK_TIME_NONE;
    if (is_buffer) {
      first = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
      // h264timestamper moves both.
      if (GST_CLOCK_TIME_IS_VALID(first)) first -= stream.parsed_start;
    } else {
      GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
      if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) {
        const GstSegment *segment = nullptr;
        gst_event_parse_segment(event, &segment);
        stream.parsed_start = segment->start;
      }
      if (GST_EVENT_TYPE(event) != GST_EVENT_GAP && GST_EVENT_TYPE(event) != GST_EVENT_EOS)
        return GST_PAD_PROBE_OK;
    }
    stream.copy->know(stream, first);
    return GST_PAD_PROBE_REMOVE;
  }

  // It would wait behind the data, which may wait for what its thread has not read yet. No muxer has memory
  // to offer.
  static GstPadProbeReturn refuse_query(GstPad *, GstPadProbeInfo *info, gpointer) {
    const GstQueryTypeFlags flags = gst_query_type_get_flags(GST_QUERY_TYPE(GST_PAD_PROBE_INFO_QUERY(info)));
    return flags & GST_QUERY_TYPE_SERIALIZED ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  }

  static GstPadProbeReturn wait(GstPad *, GstPadProbeInfo *, gpointer) { return GST_PAD_PROBE_OK; }

  // No muxer of GStreamer 1.22 writes how a picture is turned.
  static GstPadProbeReturn check_turn(GstPad *, GstPadProbeInfo *info, gpointer self) {
    const auto &stream = *static_cast<Stream *>(self);
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
    if (!stream.is_picture || GST_EVENT_TYPE(event) != GST_EVENT_TAG) return GST_PAD_PROBE_OK;
    GstTagList *tags = nullptr;
    gst_event_parse_tag(event, &tags);
    const char *turn = nullptr;
    if (gst_tag_list_peek_string_index(tags, GST_TAG_IMAGE_ORIENTATION, 0, &turn) &&
        std::string_view(turn) != "rotate-0")
      stream.copy->post(kTurned);
    return GST_PAD_PROBE_OK;
  }

  static GstPadProbeReturn note_losses(GstPad *, GstPadProbeInfo *info, gpointer self) {
    const auto &copy = *static_cast<FilmCopy *>(self);
    const bool is_mkv = copy.order_.format == FilmFormat::mkv;
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
    if (GST_EVENT_TYPE(event) == GST_EVENT_TOC && !is_mkv) copy.lose("chapters");
    if (GST_EVENT_TYPE(event) != GST_EVENT_TAG) return GST_PAD_PROBE_OK;
    GstTagList *tags = nullptr;
    gst_event_parse_tag(event, &tags);
    if (gst_tag_list_get_tag_size(tags, GST_TAG_ATTACHMENT) > 0) copy.lose("attachments, such as fonts");
    if (gst_tag_list_get_tag_size(tags, GST_TAG_IMAGE) > 0 && is_mkv) copy.lose("cover picture");
    return GST_PAD_PROBE_OK;
  }

  void lose(const char *what) const {
    GstStructure *told = gst_structure_new(kLost, "what", G_TYPE_STRING, what, nullptr);
    gst_element_post_message(muxer_, gst_message_new_application(GST_OBJECT(muxer_), told));
  }

  static GstPadProbeReturn set_event(GstPad *, GstPadProbeInfo *info, gpointer self) {
    auto &stream = *static_cast<Stream *>(self);
    FilmCopy &copy = *stream.copy;
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
    if (GST_EVENT_TYPE(event) == GST_EVENT_TAG) {
      GstTagList *tags = nullptr;
      gst_event_parse_tag(event, &tags);
      stream.has_language |= has_language_in_copy(tags);
      if (!stream.has_language) GST_PAD_PROBE_INFO_DATA(info) = with_some_language(event);
      return GST_PAD_PROBE_OK;
    }
    if (GST_EVENT_TYPE(event) != GST_EVENT_SEGMENT) return GST_PAD_PROBE_OK;
    MutexLock lock(copy.mutex_);
    const GstSegment *parsed = nullptr;
    gst_event_parse_segment(event, &parsed);
    const GstSegment segment = stream.sent = copy_segment(*parsed, copy.hidden_);
    GST_PAD_PROBE_INFO_DATA(info) = gst_event_new_segment(&segment);
    gst_event_unref(event);
    return GST_PAD_PROBE_OK;
  }

  void know(Stream &stream, GstClockTime first) {
    {
      MutexLock lock(mutex_);
      stream.is_known = true;
      stream.first = first;
    }
    go_on();
  }

  // The texts are read behind all others, so that the order of the tracks is the same in each run.
  void go_on() {
    bool begins_texts = false, has_nothing = false;
    {
      MutexLock lock(mutex_);
      begins_texts = awaited_texts_ > 0 && !reads_texts_ && are_all_known();
      reads_texts_ |= begins_texts;
      begin_once_all_are_known();
      has_nothing = has_data_ && demuxers_.empty() && streams_.empty() && awaited_texts_ == 0;
    }
    // A muxer without a stream never ends.
    if (has_nothing) post(kNoStream);
    if (begins_texts) read_film(G_CALLBACK(take_text), nullptr);
  }

  bool has_begun() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return has_begun_;
  }

  bool are_all_known() const REQUIRES(mutex_) {
    return demuxers_.empty() &&
           std::ranges::all_of(streams_, [](const auto &each) { return each->is_known; });
  }

  // With the last of the streams the muxer gets the pads of the captions, too: it begins once all its pads
  // have data. (parsebin has no signal for the last of its pads.)
  void begin_once_all_are_known() REQUIRES(mutex_) {
    if (has_begun_ || awaited_texts_ > 0 || streams_.empty() || !are_all_known()) return;
    has_begun_ = true;
    for (const auto &each : streams_)
      if (each->is_picture) hidden_ = std::max(hidden_, hidden_before(each->first));
    for (const FilmTrack &track : tracks_)
      if (!track.cues.empty()) add_track(track, hidden_);
    for (const auto &each : streams_) gst_pad_remove_probe(each->out.get(), each->block);
  }

  void leave_out(GstPad *pad, GstCaps *caps) {
    const std::string what = caps ? description_of(caps) : "unknown";
    const bool is_picture = caps && is_picture_name(gst_structure_get_name(gst_caps_get_structure(caps, 0)));
    GstStructure *told =
        gst_structure_new("genclip-left-out", "stream", G_TYPE_STRING, what.c_str(), "picture",
                          G_TYPE_BOOLEAN, static_cast<gboolean>(is_picture), nullptr);
    gst_element_post_message(muxer_, gst_message_new_application(GST_OBJECT(muxer_), told));
    discard(pad);
  }

  // The first data come behind all pads, except those that a demuxer adds later.
  static GstPadProbeReturn note_data(GstPad *, GstPadProbeInfo *info, gpointer self) {
    auto &copy = *static_cast<FilmCopy *>(self);
    const bool is_buffer = GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER;
    const bool is_end = !is_buffer && GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS;
    if (!is_buffer && !is_end) return GST_PAD_PROBE_OK;
    {
      MutexLock lock(copy.mutex_);
      if (is_end) copy.demuxers_.clear();
      if (copy.has_data_ && !is_end) return GST_PAD_PROBE_OK;
      copy.has_data_ = true;
    }
    copy.go_on();
    return GST_PAD_PROBE_OK;
  }

  // Its data must go somewhere, or the film would end.
  void discard(GstPad *pad) {
    const auto data =
        static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
    gst_pad_add_probe(pad, data, note_data, this, nullptr);
    GstElement *sink = added(run_.bin(), "fakesink");
    g_object_set(sink, "sync", FALSE, "async", FALSE, nullptr);
    gst_element_sync_state_with_parent(sink);
    const auto target = GRef<GstPad>::adopt(gst_element_get_static_pad(sink, "sink"));
    gst_pad_link(pad, target.get());
  }

  void on_message(GstMessage *message) {
    tell_cost(message, listener_);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
      if (!order_.is_trial || is_clip_source(GST_MESSAGE_SRC(message)))
        listener_.on_warning(text_of_message(message));
      return;
    }
    const GstStructure *structure = gst_message_get_structure(message);
    if (structure && gst_structure_has_name(structure, kEarlyEnd)) {
      early_end_ =
          static_cast<const EarlyEnd *>(g_value_get_pointer(gst_structure_get_value(structure, "reason")));
      return run_.end();
    }
    if (structure && gst_structure_has_name(structure, kLost)) {
      const std::string what = gst_structure_get_string(structure, "what");
      // Each stream tells of it.
      if (!order_.is_trial && lost_.insert(what).second)
        listener_.on_warning("The copy lacks the film's " + what + ": GStreamer writes none into " +
                             to_word(order_.format) + ".");
      return;
    }
    if (!structure || !gst_structure_has_name(structure, "genclip-left-out")) return;
    const std::string what = gst_structure_get_string(structure, "stream");
    gboolean is_picture = FALSE;
    gst_structure_get_boolean(structure, "picture", &is_picture);
    if (is_picture) {
      unheld_picture_ = what;
      return run_.end();
    }
    if (order_.is_trial) return;
    listener_.on_warning("A stream (" + what + ") is left out: it cannot be in " + to_word(order_.format) +
                         ".");
  }

  const CopyOrder &order_;
  const std::vector<FilmTrack> &tracks_;
  FilmListener &listener_;
  GstElement *muxer_ = nullptr;
  Mutex mutex_;
  std::vector<std::unique_ptr<Stream>> streams_ GUARDED_BY(mutex_);
  std::set<const GstElement *> demuxers_ GUARDED_BY(mutex_);  // That may have further streams.
  bool has_begun_ GUARDED_BY(mutex_) = false;
  bool has_data_ GUARDED_BY(mutex_) = false;              // A stream that is left out has begun.
  size_t awaited_texts_ GUARDED_BY(mutex_) = 0;           // Of the film; the second reading brings them.
  bool reads_texts_ GUARDED_BY(mutex_) = false;           // That reading has begun.
  std::chrono::nanoseconds hidden_ GUARDED_BY(mutex_){};  // How much later all streams begin.
  const EarlyEnd *early_end_ = nullptr;
  std::string unheld_picture_;
  std::set<std::string> lost_;
  FilmRun run_;
};

}  // namespace

Result<void> copy_film(const CopyOrder &order, const std::vector<FilmTrack> &tracks, FilmListener &listener) {
  return FilmCopy(order, tracks, listener).run();
}

}  // namespace genclip
