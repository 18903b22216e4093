// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/caption_pass.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "plugin/base/clock.h"
#include "plugin/base/mutex.h"
#include "plugin/caption/jpeg_orientation.h"
#include "plugin/caption/question_fault.h"
#include "plugin/caption/stream_text.h"
#include "plugin/film/cue_row.h"
#include "plugin/film/equal_cues.h"
#include "plugin/film/failed_windows.h"
#include "plugin/film/film_run.h"
#include "plugin/film/picture_times.h"
#include "plugin/film/subtitle_file.h"
#include "plugin/film/untimed_pictures.h"

namespace genclip {
namespace {

constexpr const char *kNoPicture = "genclip-no-picture";
constexpr const char *kNoTimes = "genclip-no-times";
constexpr const char *kNoTimesText =
    "GStreamer finds no times in this transport stream, as where the picture begins later than the sound, so "
    "captions would be early; make a copy of it, and caption that: ffmpeg -fflags +genpts -i FILM -c copy "
    "COPY.mkv";
constexpr size_t kMostWarnings = 20;
constexpr auto kPatience = std::chrono::seconds(10);  // Of a user who has asked to stop.

GRef<GstElement> made(const char *factory) {
  GstElement *element = gst_element_factory_make(factory, nullptr);
  return element ? GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(element))) : nullptr;
}

GRef<GstElement> new_pipeline() {
  return GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr))));
}

// What one pad has pushed. Thread-safe.
class Collector {
 public:
  explicit Collector(std::string language) { track_.language = std::move(language); }

  void add(FilmCue cue) {
    MutexLock lock(mutex_);
    track_.cues.push_back(std::move(cue));
  }
  FilmTrack track() const {
    MutexLock lock(mutex_);
    return track_;
  }

 private:
  mutable Mutex mutex_;
  FilmTrack track_ GUARDED_BY(mutex_);
};

// A buffer at the time of the film that it stands for. Players begin a transport stream at 0, whatever the
// times in it are.
FilmCue cue_of(GstSample *sample) {
  GstBuffer *buffer = gst_sample_get_buffer(sample);
  const GstSegment *segment = gst_sample_get_segment(sample);
  const auto time = [&](uint64_t position) {
    const uint64_t at = gst_segment_to_running_time(segment, GST_FORMAT_TIME, position);
    return std::chrono::nanoseconds(GST_CLOCK_TIME_IS_VALID(at) ? at : position);
  };
  FilmCue cue{time(GST_BUFFER_PTS(buffer)), time(GST_BUFFER_PTS(buffer) + GST_BUFFER_DURATION(buffer))};
  cue.text.resize(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, cue.text.data(), cue.text.size());
  return cue;
}

GstBuffer *buffer_of(const FilmCue &cue) {
  GstBuffer *buffer = gst_buffer_new_memdup(cue.text.data(), cue.text.size());
  GST_BUFFER_PTS(buffer) = static_cast<uint64_t>(cue.begin.count());
  GST_BUFFER_DURATION(buffer) = static_cast<uint64_t>((cue.end - cue.begin).count());
  return buffer;
}

GstFlowReturn collect(GstAppSink *sink, gpointer collector) {
  GstSample *sample = gst_app_sink_pull_sample(sink);
  if (!sample) return GST_FLOW_EOS;
  const auto held = GRef<GstSample>::adopt(sample);
  static_cast<Collector *>(collector)->add(cue_of(sample));
  return GST_FLOW_OK;
}

GRef<GstElement> sink_of(Collector &collector) {
  auto sink = made("appsink");
  g_object_set(sink.get(), "sync", FALSE, "async", FALSE, nullptr);
  GstAppSinkCallbacks callbacks = {};
  callbacks.new_sample = collect;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink.get()), &callbacks, &collector, nullptr);
  return sink;
}

// Up to which time of the film a pad has pushed captions and silence.
GstPadProbeReturn note_time(GstPad *pad, GstPadProbeInfo *info, gpointer done) {
  GstClockTime start = GST_CLOCK_TIME_NONE, length = GST_CLOCK_TIME_NONE;
  if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) {
    start = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
    length = GST_BUFFER_DURATION(GST_PAD_PROBE_INFO_BUFFER(info));
  } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_GAP) {
    gst_event_parse_gap(GST_PAD_PROBE_INFO_EVENT(info), &start, &length);
  }
  if (!GST_CLOCK_TIME_IS_VALID(start)) return GST_PAD_PROBE_OK;
  GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  if (!event) return GST_PAD_PROBE_OK;
  const auto held = GRef<GstEvent>::adopt(event);
  const GstSegment *segment = nullptr;
  gst_event_parse_segment(event, &segment);
  const uint64_t end = start + (GST_CLOCK_TIME_IS_VALID(length) ? length : 0);
  const uint64_t time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, end);
  auto &last = *static_cast<std::atomic<int64_t> *>(done);
  if (GST_CLOCK_TIME_IS_VALID(time)) last = std::max(last.load(), static_cast<int64_t>(time));
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn note_picture(GstPad *, GstPadProbeInfo *info, gpointer times) {
  return static_cast<PictureTimes *>(times)->take(info);
}

GstPadProbeReturn look_for_times(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  auto &pictures = *static_cast<UntimedPictures *>(data);
  bool is_lack = false;
  if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) {
    const bool has_time = GST_BUFFER_PTS_IS_VALID(GST_PAD_PROBE_INFO_BUFFER(info));
    is_lack = pictures.add(has_time);
    if (!is_lack) return has_time ? GST_PAD_PROBE_REMOVE : GST_PAD_PROBE_OK;
  } else {
    is_lack = GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS && pictures.end();
    if (!is_lack) return GST_PAD_PROBE_OK;
  }
  const auto demuxer = GRef<GstElement>::adopt(gst_pad_get_parent_element(pad));
  if (demuxer)
    gst_element_post_message(demuxer.get(), gst_message_new_application(GST_OBJECT(demuxer.get()),
                                                                        gst_structure_new_empty(kNoTimes)));
  return GST_PAD_PROBE_REMOVE;
}

// Its caps may come only with the data, its kind is in its name.
void watch_times(GstElement *, GstPad *pad, gpointer) {
  const GStringPtr name(gst_pad_get_name(pad));
  if (!std::string_view(name.get()).starts_with("video")) return;
  const auto data =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
  gst_pad_add_probe(pad, data, look_for_times, new UntimedPictures,
                    [](gpointer pictures) { delete static_cast<UntimedPictures *>(pictures); });
}

// Where other containers tell no times, as AVI, the picture begins with the film.
void note_demuxer(GstBin *, GstBin *, GstElement *element, gpointer) {
  GstElementFactory *factory = gst_element_get_factory(element);
  if (factory && std::string_view(GST_OBJECT_NAME(factory)) == "tsdemux")
    g_signal_connect(element, "pad-added", G_CALLBACK(watch_times), nullptr);
}

// The first picture is captioned; nothing else needs a decoder.
gboolean is_decoded(GstElement *, GstPad *, GstCaps *caps, gpointer) {
  const std::string_view name = gst_structure_get_name(gst_caps_get_structure(caps, 0));
  return !name.starts_with("audio/") && !name.starts_with("text/") && !name.starts_with("subpicture/") &&
         !name.starts_with("application/x-subtitle") && !name.starts_with("closedcaption/");
}

void link_picture(GstElement *, GstPad *pad, gpointer target) {
  const auto caps = GRef<GstCaps>::adopt(gst_pad_get_current_caps(pad));
  const bool is_picture =
      caps && gst_structure_has_name(gst_caps_get_structure(caps.get(), 0), "video/x-raw");
  auto *sink = static_cast<GstPad *>(target);
  if (is_picture && !gst_pad_is_linked(sink)) gst_pad_link(pad, sink);
}

void look_for_picture(GstElement *source, gpointer target) {
  if (gst_pad_is_linked(static_cast<GstPad *>(target))) return;
  gst_element_post_message(
      source, gst_message_new_application(GST_OBJECT(source), gst_structure_new_empty(kNoPicture)));
}

// The gateway asks to wait, has no time, cannot be reached, or its quota is used up: all other films would
// fail now, too, and none of them is to blame.
bool is_for_now(GstMessage *message) { return flag_of_message(message, "retry"); }

// It does not accept the key, or the account: it would refuse all other requests, too.
bool is_of_account(GstMessage *message) {
  const unsigned status = status_of_message(message);
  return status == 401 || status == 403;
}

// A caption of its window, and not that of an earlier one.
bool is_answer(const GstStructure *message) {
  gboolean repeated = FALSE;
  return gst_structure_has_name(message, "gencaption-caption") &&
         gst_structure_get_boolean(message, "repeated", &repeated) && !repeated;
}

// Which captions are missing altogether, though there were windows to ask about; empty: each track has some.
std::string missing_captions(const FilmProgress &progress, const std::vector<FilmTrack> &tracks) {
  if (progress.requests + progress.cached + progress.skipped == 0) return {};
  for (const FilmTrack &track : tracks)
    if (track.cues.empty())
      return "No window has a caption" + (track.language.empty() ? "" : " in " + track.language) + ".";
  return {};
}

uint64_t count_of(const GstStructure *structure, const char *name) {
  guint64 value = 0;
  gst_structure_get_uint64(structure, name, &value);
  return value;
}

class CaptionPass {
 public:
  CaptionPass(const PassSource &source, const GRef<GstElement> &gencaption, FilmListener &listener)
      : gencaption_(gencaption),
        listener_(listener),
        is_text_(source.is_text),
        pictures_(gencaption.get()),
        run_(new_pipeline()) {
    gst_bin_add(run_.bin(), gencaption_.get());
    if (source.is_text)
      add_subtitles(source.uri);
    else
      add_film(source);
    if (source.languages.empty()) add_track("src", "");
    for (const std::string &language : source.languages) add_track("src_" + language, language);
  }

  FilmEnd run() {
    FilmRun::End end = FilmRun::End::error;
    if (problem_.text.empty())
      end = run_.run([this](GstMessage *message) { on_message(message); }, [this] { on_wake(); });
    if (end == FilmRun::End::error) await_answers();
    // Now it is certain whether the requests that were under way have reached the gateway.
    run_.stop();
    read_progress();
    if (untold_warnings_ > 0)
      listener_.on_warning("Further warnings (" + std::to_string(untold_warnings_) + ") are not shown.");
    FilmEnd result;
    result.progress = progress_;
    result.timestamp_map = timestamp_map_;
    if (winding_up_ && end != FilmRun::End::ended) {
      result.how = winding_up_->how;
      result.error = winding_up_->reason;
    } else if (end == FilmRun::End::ended) {
      result.how = end_;
      result.error = problem_;
    } else if (end == FilmRun::End::error) {
      result.error = problem_.text.empty() ? run_.error() : problem_;
      const bool is_of_captions = run_.error_element() == GST_ELEMENT_NAME(gencaption_.get());
      result.how = is_of_captions && is_refused_for_now_       ? FilmEnd::How::paused
                   : result.error.kind == ErrorKind::cancelled ? FilmEnd::How::stopped
                                                               : FilmEnd::How::failed;
      if (!is_of_captions && problem_.text.empty())
        result.error.text = "It cannot be read: " + result.error.text;
    } else {
      result.how = FilmEnd::How::whole;
      for (const auto &collector : collectors_) result.tracks.push_back(track_of(*collector));
      if (const std::string lack = missing_captions(progress_, result.tracks); !lack.empty()) {
        result.how = is_lack_for_now_ ? FilmEnd::How::paused : FilmEnd::How::failed;
        result.error = {ErrorKind::failed, lack + (reason_of_lack_.empty() ? "" : " " + reason_of_lack_)};
      }
    }
    return result;
  }

 private:
  void add_film(const PassSource &source) {
    source_ = made("uridecodebin");
    const auto convert = made("videoconvert");
    if (!source_ || !convert) {
      problem_ = {ErrorKind::not_found, "GStreamer lacks its base plugins: uridecodebin or videoconvert."};
      return;
    }
    g_object_set(source_.get(), "uri", source.uri.c_str(), nullptr);
    set_up_source(source_.get(), source.settings);
    gst_bin_add_many(run_.bin(), source_.get(), convert.get(), nullptr);
    GstElement *upright = convert.get();
    if (const auto turn = jpeg_file_orientation(source.uri)) {
      const auto flip = made("videoflip");
      if (!flip) {
        problem_ = {ErrorKind::not_found, "GStreamer lacks its good plugins: videoflip."};
        return;
      }
      g_object_set(flip.get(), "video-direction", *turn, nullptr);
      gst_bin_add(run_.bin(), flip.get());
      gst_element_link(convert.get(), flip.get());
      upright = flip.get();
    }
    gst_element_link(upright, gencaption_.get());
    picture_ = GRef<GstPad>::adopt(gst_element_get_static_pad(convert.get(), "sink"));
    const auto what =
        static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
    gst_pad_add_probe(picture_.get(), what, note_picture, &pictures_, nullptr);
    g_signal_connect(source_.get(), "deep-element-added", G_CALLBACK(note_demuxer), nullptr);
    g_signal_connect(source_.get(), "autoplug-continue", G_CALLBACK(is_decoded), nullptr);
    g_signal_connect(source_.get(), "pad-added", G_CALLBACK(link_picture), picture_.get());
    g_signal_connect(source_.get(), "no-more-pads", G_CALLBACK(look_for_picture), picture_.get());
  }

  // subparse would leave out cues that overlap.
  void add_subtitles(const std::string &uri) {
    auto read = load_subtitles(uri, [this] { return listener_.stops() > 0; });
    if (!read) {
      problem_ = std::move(read).error();
      return;
    }
    if (!read->assumed_encoding.empty())
      listener_.on_warning(text_of_assumed_encoding(read->assumed_encoding));
    row_ = CueRow(std::move(read->cues));
    timestamp_map_ = std::move(read->timestamp_map);
    source_ = made("appsrc");
    if (!source_) {
      problem_ = {ErrorKind::not_found, "GStreamer lacks its element appsrc."};
      return;
    }
    const auto caps =
        GRef<GstCaps>::adopt(gst_caps_new_simple("text/x-raw", "format", G_TYPE_STRING, "utf8", nullptr));
    g_object_set(source_.get(), "format", GST_FORMAT_TIME, "caps", caps.get(), "max-bytes", guint64{0},
                 nullptr);
    gst_bin_add(run_.bin(), source_.get());
    gst_element_link(source_.get(), gencaption_.get());
    auto *source = GST_APP_SRC(source_.get());
    for (const FilmCue &cue : row_.row()) gst_app_src_push_buffer(source, buffer_of(cue));
    gst_app_src_end_of_stream(source);
  }

  void add_track(const std::string &pad_name, const std::string &language) {
    const bool is_always = language.empty();
    GstPad *pad = is_always ? gst_element_get_static_pad(gencaption_.get(), pad_name.c_str())
                            : gst_element_request_pad_simple(gencaption_.get(), pad_name.c_str());
    const auto held = GRef<GstPad>::adopt(pad);
    if (!pad) {
      problem_ = {ErrorKind::settings, "This gencaption has no pad " + pad_name + "."};
      return;
    }
    const auto &collector = collectors_.emplace_back(std::make_unique<Collector>(language));
    const auto sink = sink_of(*collector);
    gst_bin_add(run_.bin(), sink.get());
    const auto target = GRef<GstPad>::adopt(gst_element_get_static_pad(sink.get(), "sink"));
    gst_pad_link(pad, target.get());
    if (collectors_.size() > 1) return;
    const auto what =
        static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
    gst_pad_add_probe(pad, what, note_time, &done_, nullptr);
  }

  FilmTrack track_of(const Collector &collector) const {
    FilmTrack track = collector.track();
    // A translation keeps the cues that it was given.
    if (is_text_)
      track.cues = row_.all_back(std::move(track.cues));
    else
      track.cues = join_equal_cues(pictures_.holes().hold(std::move(track.cues), progress_.length));
    return track;
  }

  void end(FilmEnd::How how, Error error = {}) {
    end_ = how;
    problem_ = std::move(error);
    run_.end();
  }

  void on_message(GstMessage *message) {
    tell_cost(message, listener_);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) is_refused_for_now_ = is_for_now(message);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) return on_warning(message);
    const GstStructure *structure = gst_message_get_structure(message);
    if (!structure) return;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_APPLICATION && gst_structure_has_name(structure, kNoPicture))
      return end(FilmEnd::How::failed, {ErrorKind::wrong_type, kNoPictureInIt});
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_APPLICATION && gst_structure_has_name(structure, kNoTimes))
      return wind_up(FilmEnd::How::failed, {ErrorKind::wrong_type, kNoTimesText});
    if (is_answer(structure)) on_answer(structure);
    if (gst_structure_has_name(structure, "gencaption-estimate")) {
      progress_.estimate = FilmEstimate{count_of(structure, "windows"), count_of(structure, "requests"),
                                        count_of(structure, "tokens")};
    }
  }

  void on_answer(const GstStructure *structure) {
    gboolean is_cached = FALSE;
    gst_structure_get_boolean(structure, "cached", &is_cached);
    const char *language = gst_structure_get_string(structure, "language");
    if (is_cached)
      failed_windows_.kept(language ? language : "", collectors_.size());
    else
      failed_windows_.answered();
  }

  // A budget that is used up leaves windows out, and so does a gateway that refuses all requests, with
  // on-error=skip: the rest of the film would have none.
  void on_warning(GstMessage *message) {
    const std::string text = without_stream(text_of_message(message));
    const bool is_of_captions = GST_MESSAGE_SRC(message) == GST_OBJECT(gencaption_.get());
    const bool is_shown = is_of_captions && flag_of_message(message, kCaptionShown);
    if (is_shown) progress_.has_unkept = true;
    if (is_of_captions && !is_shown) {
      const bool may_pass = is_for_now(message);
      if (!detail_of_message(message, "budget").empty() ||
          (may_pass &&
           failed_windows_.is_outage(status_of_message(message), flag_of_message(message, kTookTooLong))))
        return wind_up(FilmEnd::How::paused, {ErrorKind::not_authorized, text});
      if (is_of_account(message)) return wind_up(FilmEnd::How::failed, {ErrorKind::not_authorized, text});
      reason_of_lack_ = text;
      is_lack_for_now_ = may_pass;
    }
    tell_once(text);
  }

  // A decoder repeats itself, or two texts in turn.
  void tell_once(const std::string &text) {
    if (told_warnings_.contains(text)) return;
    if (told_warnings_.size() == kMostWarnings) {
      ++untold_warnings_;
      return;
    }
    told_warnings_.insert(text);
    listener_.on_warning(text);
  }

  // What is being asked at this moment is paid, so its answers are waited for: the next run finds them in the
  // store.
  void wind_up(FilmEnd::How how, Error reason = {}) {
    if (winding_up_) return;
    winding_up_ = {how, std::move(reason)};
    if (!ask_nothing_more()) end_wound_up();
  }

  // False: nothing was asked.
  bool ask_nothing_more() {
    g_object_set(gencaption_.get(), "asking", FALSE, nullptr);
    read_progress();
    return progress_.requests > 0;
  }

  // After an error. Whoever counts the signals wakes the main context each second.
  void await_answers() {
    const auto until = stopped_at_.value_or(Clock::system().now()) + kPatience;
    if (!ask_nothing_more()) return;
    while (progress_.in_flight > 0 && listener_.stops() < 2 && Clock::system().now() < until) {
      g_main_context_iteration(nullptr, TRUE);
      read_progress();
      listener_.on_progress(progress_);
      if (listener_.stops() == 0 || stopped_at_) continue;
      stopped_at_ = Clock::system().now();
      if (progress_.in_flight > 0) listener_.on_waiting(progress_.in_flight, kPatience);
    }
  }

  void end_wound_up() { end(winding_up_->how, winding_up_->reason); }

  void on_stop() {
    const auto now = Clock::system().now();
    if (!stopped_at_) {
      stopped_at_ = now;
      wind_up(FilmEnd::How::stopped);
      winding_up_->how = FilmEnd::How::stopped;
      read_progress();
      if (progress_.in_flight > 0) listener_.on_waiting(progress_.in_flight, kPatience);
    }
    if (listener_.stops() > 1 || now - *stopped_at_ >= kPatience) end_wound_up();
  }

  void on_wake() {
    if (listener_.stops() > 0) on_stop();
    read_progress();
    if (winding_up_ && progress_.in_flight == 0) return end_wound_up();
    listener_.on_progress(progress_);
  }

  void read_progress() {
    GstStructure *raw = nullptr;
    g_object_get(gencaption_.get(), "stats", &raw, nullptr);
    const StructurePtr stats(raw);
    if (stats) {
      progress_.requests = count_of(raw, "requests");
      progress_.cached = count_of(raw, "cached");
      progress_.captions = count_of(raw, "captions");
      progress_.skipped = count_of(raw, "skipped");
      progress_.unasked = count_of(raw, "unasked");
      progress_.tokens = count_of(raw, "total-tokens");
      progress_.most_tokens = count_of(raw, "most-tokens");
      progress_.in_flight = count_of(raw, "in-flight");
    }
    progress_.done = std::chrono::nanoseconds(done_.load());
    if (is_text_) progress_.done = row_.back({progress_.done, progress_.done}).begin;
    if (!is_text_) read_length();
  }

  // A sound often lasts a little longer than the picture. Where several parts of a film are shown, only its
  // own length tells of those that are to come; and a gap before the picture is a segment, too.
  void read_length() {
    gint64 length = -1;
    if (film_length_ < 0 && gst_element_query_duration(source_.get(), GST_FORMAT_TIME, &length))
      film_length_ = length;
    const int64_t end = pictures_.end();
    const int64_t last =
        end < 0 || film_length_ < 0 ? std::max(end, film_length_) : std::min(end, film_length_);
    if (last > 0) progress_.length = std::chrono::nanoseconds(last);
  }

  const GRef<GstElement> gencaption_;
  FilmListener &listener_;
  const bool is_text_;
  CueRow row_{{}};             // Of a text.
  std::string timestamp_map_;  // Of a text.
  struct WindingUp {
    FilmEnd::How how;
    Error reason;
  };
  std::optional<WindingUp> winding_up_;  // Why nothing more is asked.
  std::optional<Clock::Time> stopped_at_;
  // Before the run, which ends before they do.
  std::vector<std::unique_ptr<Collector>> collectors_;
  std::atomic<int64_t> done_{0};  // Nanoseconds.
  PictureTimes pictures_;
  int64_t film_length_ = -1;  // Of its container, in nanoseconds; -1: not known yet.
  GRef<GstPad> picture_;
  GRef<GstElement> source_;
  FilmRun run_;
  FilmProgress progress_;
  std::set<std::string> told_warnings_;
  uint64_t untold_warnings_ = 0;
  FailedWindows failed_windows_;
  std::string reason_of_lack_;       // Why gencaption left out a window last.
  bool is_lack_for_now_ = false;     // Later the gateway may answer about it.
  bool is_refused_for_now_ = false;  // Later it may be given.
  FilmEnd::How end_ = FilmEnd::How::failed;
  Error problem_;
};

}  // namespace

Result<void> try_settings(const GRef<GstElement> &gencaption, FilmListener &listener) {
  FilmRun run(new_pipeline());
  gst_bin_add(run.bin(), gencaption.get());
  const auto tell = [&listener](GstMessage *message) {
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
      listener.on_warning(without_stream(text_of_message(message)));
  };
  // Each wake-up brings one message, and the start has posted several.
  const auto end = run.run(tell, [&run] {
    if (!g_main_context_pending(nullptr)) run.end();
  });
  if (end == FilmRun::End::error) return run.error();
  return {};
}

FilmEnd run_caption_pass(const PassSource &source, const GRef<GstElement> &gencaption,
                         FilmListener &listener) {
  return CaptionPass(source, gencaption, listener).run();
}

}  // namespace genclip
