// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The upstream side of the stage, and its start and stop.
#include "elements/captioner/caption_stage.h"

#include <gst/video/video.h>

#include <algorithm>
#include <utility>

#include "elements/captioner/still_maker.h"
#include "elements/captioner/stream_event.h"
#include "elements/element_log.h"
#include "elements/post_error.h"
#include "elements/startup_warnings.h"
#include "plugin/caption/caption_text.h"
#include "plugin/http/api_key.h"
#include "plugin/http/redaction.h"

namespace genclip {

CaptionStage::CaptionStage(GstElement *element, GstPad *sink, GstPad *src)
    : element_(element), sink_(sink), estimate_(element) {
  add_pad(src, "");
}

CaptionStage::~CaptionStage() { release(); }

bool CaptionStage::add_pad(GstPad *pad, const std::string &language) {
  if (pads_.has(language)) return false;
  gst_pad_set_element_private(pad, this);
  const OutletId outlet = queue_.tell(&CaptionSchedule::add_outlet, language);
  pads_.add(std::make_shared<CaptionPad>(*this, GRef<GstPad>::share(pad), outlet, language));
  return true;
}

void CaptionStage::remove_pad(GstPad *pad) {
  if (const CaptionPadPtr one = pads_.find(pad)) queue_.tell(&CaptionSchedule::remove_outlet, one->outlet);
  pads_.remove(pad);
}

void CaptionStage::tell_limits() {
  const CaptionSettings told = told_.get();
  queue_.tell(&CaptionSchedule::limit_requests, told.max_requests, told.asking);
}

Result<void> CaptionStage::prepare() {
  auto good = checked(told_.begin_run());
  if (!good) {
    told_.end_run();
    return std::move(good).error();
  }
  const CaptionSettings &settings = settings_ = *std::move(good);
  GST_CAT_INFO_OBJECT(gencaption_category(), element_, "asks %s of %s", settings.model.c_str(),
                      redact_url(settings.llm_base_url).c_str());
  std::vector<std::string> warnings;
  if (!settings.key.value.empty())
    warnings = warnings_of(settings.key, settings.llm_base_url, "llm-base-url");
  for (std::string &mistakes : unreported_catalog_mistakes()) warnings.push_back(std::move(mistakes));
  for (std::string &warning : warnings)
    post_warning(element_, gencaption_category(), {ErrorKind::settings, std::move(warning)});
  client_ = std::make_unique<ContentClient>(
      HttpClient::shared({settings.proxy, settings.tls_ca_file, true}),
      ContentClientSettings{settings.llm_base_url, settings.key, settings.user_agent, settings.stream,
                            settings.retries, std::chrono::seconds(settings.timeout_s)},
      Clock::system());
  allowance_.begin({settings.store, redact_url(settings.llm_base_url), settings.model, settings.project,
                    settings.max_tokens});
  answers_.begin(settings.store);
  estimate_.begin({settings.store, redact_url(settings.llm_base_url), settings.model, settings.max_requests});
  input_.emplace(settings.input());
  gathering_ = 0;
  refused_ = false;
  has_begun_early_ = false;
  orientation_ = GST_VIDEO_ORIENTATION_IDENTITY;
  orientation_of_stream_ = false;
  caps_ = nullptr;
  looked_live_ = false;
  live_ = false;
  upstream_latency_ = 0;
  own_latency_ = settings.latency_ms * GST_MSECOND;
  least_latency_ = settings.stills == Stills::within ? settings.interval : 0;
  ending_ = Ending::none;
  codecs_.enter();
  measuring_.enter();
  const CaptionScheduleSettings schedule_settings{settings.max_in_flight,
                                                  settings.max_waiting,
                                                  settings.context,
                                                  settings.max_requests,
                                                  settings.late_policy,
                                                  std::chrono::milliseconds(settings.latency_ms),
                                                  settings.limits(),
                                                  settings.cache,
                                                  settings.cues_per_request,
                                                  settings.merge_repeats,
                                                  settings.stream,
                                                  reason_to_ask_nothing(settings),
                                                  settings.on_error == OnError::fail,
                                                  settings.retries,
                                                  settings.asking};
  {
    // The limits may have changed since this run's settings were taken: reading the key takes its time.
    MutexLock lock(telling_mutex_);
    queue_.tell(&CaptionSchedule::start, schedule_settings);
    tell_limits();
  }

  const StillSettings stills{settings.frames, settings.max_frame_size, settings.scene_threshold,
                             settings.interval};
  threads_.emplace_back([this, stills] { make_stills(queue_, codecs_, stills); });
  for (unsigned i = 0; i < settings.max_in_flight; ++i) threads_.emplace_back([this] { work(); });
  return {};
}

void CaptionStage::interrupt() {
  queue_.tell(&CaptionSchedule::close);
  measuring_.leave();
}

void CaptionStage::release() {
  queue_.tell(&CaptionSchedule::stop);
  queue_.cancel_works();
  codecs_.leave();
  if (threads_.empty()) return;
  for (std::thread &thread : threads_) thread.join();
  threads_.clear();
  estimate_.end();
  allowance_.end();
  told_.end_run();
  const CaptionStats run = stats();
  GST_CAT_INFO_OBJECT(gencaption_category(), element_,
                      "stopped: %" G_GUINT64_FORMAT " requests (%" G_GUINT64_FORMAT
                      " of them again), %" G_GUINT64_FORMAT " captions, %" G_GUINT64_FORMAT
                      " windows skipped, %" G_GUINT64_FORMAT " answers late, %" G_GUINT64_FORMAT
                      " from the store",
                      run.requests, run.retries, run.captions, run.skipped, run.late, run.cached);
}

CaptionSlot CaptionStage::new_slot(const CaptionInput::Taken &taken) {
  const AskedTime &asked = *taken.asked;
  CaptionSlot slot;
  slot.id = ++last_slot_;
  slot.stream_time = taken.stream_time;
  slot.timestamp = taken.time;
  slot.window = asked.window;
  slot.end_known = asked.end_known;
  slot.sure_until = asked.sure_until;
  slot.parts = parts_in(pads_.languages());
  slot.request.model = settings_.model;
  slot.request.temperature = settings_.temperature;
  slot.request.top_p = settings_.top_p;
  slot.request.max_output_tokens = settings_.max_output_tokens;
  told_.read([&slot](const CaptionSettings &told) {
    slot.request.prompt = told.prompt;
    slot.request.system_instruction = told.system_instruction;
  });
  // Always the same for the same input: otherwise a loop would pay for its answers again.
  const bool is_text = input_->kind() == InputKind::text || input_->kind() == InputKind::markup;
  const bool may_be_cut = asked.sure_until.has_value();
  if (may_be_cut) slot.shortest = std::min(settings_.min_interval, settings_.interval);
  slot.gathers = settings_.stills == Stills::within && asked.is_window;
  slot.tells_length = slot.gathers && may_be_cut;
  if (!slot.tells_length)
    slot.tell_length(settings_.limits(), is_text ? std::nullopt : std::optional(settings_.interval));
  return slot;
}

// Only upstream knows this, only once data flows, and the answer may change.
void CaptionStage::look_whether_live() {
  GstQuery *raw = gst_query_new_latency();
  const auto query = GRef<GstQuery>::adopt(raw);
  gboolean live = FALSE;
  GstClockTime min = 0;
  if (!gst_pad_peer_query(sink_, raw)) return;
  gst_query_parse_latency(raw, &live, &min, nullptr);
  set_live(live, min);
}

void CaptionStage::set_live(bool live, uint64_t upstream_latency) {
  if (live_ != live)
    GST_CAT_INFO_OBJECT(gencaption_category(), element_, "upstream is %s, its latency %" GST_TIME_FORMAT,
                        live ? "live" : "not live", GST_TIME_ARGS(upstream_latency));
  MutexLock lock(live_mutex_);
  upstream_latency_ = live && GST_CLOCK_TIME_IS_VALID(upstream_latency) ? upstream_latency : 0;
  live_ = live;
  queue_.tell(&CaptionSchedule::set_live, live);
}

// The window of the last caption has ended.
void CaptionStage::end_gathering() {
  if (const SlotId slot = std::exchange(gathering_, 0)) queue_.tell(&CaptionSchedule::complete, slot);
}

// Live, a caption is asked about when its window has ended, and is shown `latency` after its beginning.
// Of the streaming thread alone: upstream's own error, about the flow this ends with, must not come before
// this one.
bool CaptionStage::is_refused_live() {
  if (!live_ || own_latency_ >= least_latency_) return false;
  if (std::exchange(refused_, true)) return true;
  const uint64_t least = least_latency_ / GST_MSECOND;
  post_error(element_, gencaption_category(),
             {ErrorKind::settings,
              "stills=within asks about an interval when it has ended, but live captions must come " +
                  std::to_string(own_latency_ / GST_MSECOND) + " ms after it has begun. Set latency to " +
                  std::to_string(least + CaptionSettings().latency_ms) +
                  " (the interval, and the time of an answer), choose a shorter interval, or use "
                  "stills=before."});
  return true;
}

// Empty: a flush or the change to NULL has ended the wait for it.
std::optional<Thumbnail> CaptionStage::thumbnail_of(const GRef<GstBuffer> &buffer) {
  if (!input_->looks_for_cuts()) return Thumbnail();
  auto made = measuring_.run([picture = Picture{buffer, caps_}](GCancellable *cancellable) {
    return make_thumbnail(picture, cancellable, ThumbnailPixels::some);
  });
  if (!made) return std::nullopt;
  return *made ? **std::move(made) : Thumbnail();
}

GstFlowReturn CaptionStage::chain(GRef<GstBuffer> buffer) {
  const GstFlowReturn flow = take(std::move(buffer));
  told_not_linked_ = flow == GST_FLOW_NOT_LINKED;
  if (flow != GST_FLOW_NOT_LINKED) return flow;
  // A pad may have been linked just before, when upstream was not told yet.
  return pads_.are_loose() || queue_.flow() != Flow::ok ? flow : GST_FLOW_OK;
}

GstFlowReturn CaptionStage::take(GRef<GstBuffer> buffer) {
  GST_CAT_LOG_OBJECT(gencaption_category(), sink_, "%" GST_PTR_FORMAT, static_cast<gpointer>(buffer.get()));
  if (!looked_live_.exchange(true)) {
    look_whether_live();
    tell_estimate();
  }
  if (is_refused_live()) return GST_FLOW_ERROR;
  if (pads_.are_loose()) return GST_FLOW_NOT_LINKED;
  const InputKind kind = input_->kind();
  if (kind == InputKind::none) return GST_FLOW_NOT_NEGOTIATED;
  auto thumbnail = thumbnail_of(buffer);
  if (!thumbnail) return flow_return(queue_.flow());
  const auto taken = input_->take(buffer.get(), live_, *std::move(thumbnail));
  if (taken.behind)
    post_warning(element_, gencaption_category(),
                 {ErrorKind::settings,
                  "The pictures have times that are " + std::to_string(*taken.behind / GST_SECOND) +
                      " s before that of an earlier one, so they have no captions until that time. The "
                      "source must give pictures their times in order, or flush."});
  if (taken.ends_open) queue_.tell(&CaptionSchedule::end_open, *taken.ends_open);
  const Flow flow = taken.is_window ? queue_.tell(&CaptionSchedule::saw, taken.time) : queue_.flow();
  if (taken.silent_until) push_silence({{taken.time, *taken.silent_until}});
  if (!taken.keep) return flow_return(flow);
  if (kind == InputKind::video || kind == InputKind::image) {
    StillJob job;
    job.picture = std::make_shared<const Picture>(Picture{std::move(buffer), caps_, orientation_});
    job.time = taken.stream_time;
    std::optional<CaptionSlot> slot;
    if (taken.asked) {
      end_gathering();
      slot = new_slot(taken);
      if (slot->gathers) gathering_ = slot->id;
      gathering_end_ = taken.asked->window.end;
    }
    return flow_return(queue_.await(&CaptionSchedule::push_still, job, slot));
  }

  std::string bytes(gst_buffer_get_size(buffer.get()), '\0');
  gst_buffer_extract(buffer.get(), 0, bytes.data(), bytes.size());
  std::string text = kind == InputKind::markup ? caption_text_of_markup(bytes) : caption_text(bytes);
  if (text.empty()) return push_silence(silence_of(*taken.asked));
  CaptionSlot slot = new_slot(taken);
  slot.one_piece = true;
  slot.request.text = std::move(text);
  return flow_return(queue_.await(&CaptionSchedule::push_text, slot));
}

GstFlowReturn CaptionStage::stream_start(GstEvent *event) {
  // Downstream ended the previous stream with EOS.
  if (queue_.flow() == Flow::eos && queue_.tell(&CaptionSchedule::resume)) start_tasks();
  end_gathering();
  // Where somebody switches between live sources, the time goes on.
  if (!live_) input_->begin_stream();
  has_begun_early_ = false;
  orientation_ = GST_VIDEO_ORIENTATION_IDENTITY;
  orientation_of_stream_ = false;
  // The pad does not have this event yet, so gst_pad_create_stream_id() would take the id of the last stream.
  const char *id = nullptr;
  gst_event_parse_stream_start(event, &id);
  GstEvent *own = gst_event_new_stream_start((std::string(id) + "/captions").c_str());
  guint group = 0;
  gst_event_set_group_id(own, gst_event_parse_group_id(event, &group) ? group : gst_util_group_id_next());
  gst_event_set_stream_flags(own, GST_STREAM_FLAG_SPARSE);
  gst_event_set_seqnum(own, gst_event_get_seqnum(event));
  const GstFlowReturn flow = push(GRef<GstEvent>::adopt(own));
  if (flow != GST_FLOW_OK) return flow;
  // Upstream may send a segment or EOS without caps. Each pad sends its own instead.
  return push(GRef<GstEvent>::adopt(gst_event_new_caps(caps_of(TextFormat::plain).get())));
}

GstFlowReturn CaptionStage::set_caps(GstEvent *event) {
  GstCaps *caps = nullptr;
  gst_event_parse_caps(event, &caps);
  caps_ = GRef<GstCaps>::share(caps);
  input_->set_caps(caps);
  return GST_FLOW_OK;
}

GstFlowReturn CaptionStage::set_segment(GstEvent *event) {
  const GstSegment *segment = nullptr;
  gst_event_parse_segment(event, &segment);
  const bool is_sought = last_seek_.exchange(gst_event_get_seqnum(event)) == gst_event_get_seqnum(event);
  looked_live_ = false;
  has_begun_early_ = false;
  gint64 duration = -1;
  const bool known = gst_pad_peer_query_duration(sink_, GST_FORMAT_TIME, &duration) && duration > 0;
  const auto [out, continues] = input_->set_segment(
      *segment, known ? std::optional(static_cast<uint64_t>(duration)) : std::nullopt, is_sought);
  if (!continues) end_gathering();
  return push_segment(out, gst_event_get_seqnum(event), continues);
}

GstFlowReturn CaptionStage::push_segment(const GstSegment &out, uint32_t seqnum, bool continues) {
  GstEvent *own = gst_event_new_segment(&out);
  gst_event_set_seqnum(own, seqnum);
  StreamSegment placed{stream_event(GRef<GstEvent>::adopt(own)), out.start, {}, out.rate < 0, continues};
  if (placed.backwards) placed.start = G_MAXUINT64;
  if (GST_CLOCK_TIME_IS_VALID(out.stop)) placed.stop = out.stop;
  return flow_return(queue_.tell(&CaptionSchedule::push_segment, std::move(placed)));
}

GstFlowReturn CaptionStage::push(GRef<GstEvent> event) {
  return flow_return(queue_.tell(&CaptionSchedule::push_event, stream_event(std::move(event))));
}

GstFlowReturn CaptionStage::push_silence(const Silence &silence) {
  return flow_return(queue_.tell(&CaptionSchedule::push_silence, silence));
}

// A text without characters ends the one before it. Others may come within its time.
Silence CaptionStage::silence_of(const AskedTime &asked) const {
  const uint64_t start = asked.window.start;
  const bool is_span = asked.end_known && !live_ && plays_forwards();
  return is_span ? Silence{asked.window, true} : Silence{{start, start}};
}

bool CaptionStage::plays_forwards() const {
  return input_->segment().rate > 0 && input_->segment().applied_rate == 1;
}

// A decoder may hand on GAPs while it holds the segment with its first picture, until downstream has
// prerolled. Their times mean nothing then, and the input knows nothing of this segment.
GstFlowReturn CaptionStage::begin_without_segment() {
  if (std::exchange(has_begun_early_, true)) return flow_return(queue_.flow());
  look_whether_live();
  if (live_) return flow_return(queue_.flow());
  GstSegment all;
  gst_segment_init(&all, GST_FORMAT_TIME);
  return push_segment(all, gst_util_seqnum_next(), false);
}

GstFlowReturn CaptionStage::gap(GstEvent *event) {
  if (!input_->has_segment()) return begin_without_segment();
  GstClockTime start = 0;
  GstClockTime length = 0;
  gst_event_parse_gap(event, &start, &length);
  start = input_->outgoing(start);
  // An unknown duration still announces that nothing comes before it.
  if (length > GST_CLOCK_TIME_NONE - 1 - start) length = 0;
  // First the silence, which ends the window.
  const bool may_be_early = input_->kind() == InputKind::video && plays_forwards();
  const GstFlowReturn flow = push_silence({{start, start + length}, may_be_early});
  if (start + length >= gathering_end_) end_gathering();
  return flow;
}

void CaptionStage::set_tags(GstTagList *tags) {
  const bool of_stream = gst_tag_list_get_scope(tags) == GST_TAG_SCOPE_STREAM;
  if (orientation_of_stream_ && !of_stream) return;
  GstVideoOrientationMethod said = GST_VIDEO_ORIENTATION_IDENTITY;
  if (!gst_video_orientation_from_tag(tags, &said)) return;
  orientation_ = said;
  orientation_of_stream_ = of_stream;
}

void CaptionStage::flush_start(const GRef<GstEvent> &event) {
  last_seek_ = gst_event_get_seqnum(event.get());
  const auto pads = pads_.all();
  for (const CaptionPadPtr &one : pads) gst_pad_push_event(one->pad.get(), GRef<GstEvent>(event).release());
  queue_.tell(&CaptionSchedule::flush);
  measuring_.leave();
  for (const CaptionPadPtr &one : pads) gst_pad_pause_task(one->pad.get());
}

void CaptionStage::flush_stop(const GRef<GstEvent> &event) {
  for (const CaptionPadPtr &one : pads_.all()) {
    gst_pad_push_event(one->pad.get(), GRef<GstEvent>(event).release());
    const auto all = queue_.tell(&CaptionSchedule::take_unsent, one->outlet);
    for (const StreamEvent &unsent : all) {
      if (unsent.kind == StreamEvent::Kind::stream_start) one->is_tagged = false;
      gst_pad_store_sticky_event(one->pad.get(), event_of(*one, event_in(unsent)).get());
    }
  }
  input_->reset();
  has_begun_early_ = false;
  gathering_ = 0;
  measuring_.enter();
  if (queue_.tell(&CaptionSchedule::resume))
    start_tasks();
  else
    measuring_.leave();
}

GstFlowReturn CaptionStage::sink_event(const GRef<GstEvent> &event) {
  GST_CAT_DEBUG_OBJECT(gencaption_category(), sink_, "%s", GST_EVENT_TYPE_NAME(event.get()));
  switch (GST_EVENT_TYPE(event.get())) {
    case GST_EVENT_FLUSH_START: flush_start(event); return GST_FLOW_OK;
    case GST_EVENT_FLUSH_STOP: flush_stop(event); return GST_FLOW_OK;
    case GST_EVENT_STREAM_START: return stream_start(event.get());
    case GST_EVENT_CAPS: return set_caps(event.get());
    case GST_EVENT_SEGMENT: return set_segment(event.get());
    case GST_EVENT_GAP: return gap(event.get());
    case GST_EVENT_TAG: {
      // Stream tags describe the input pictures, not the captions.
      GstTagList *tags = nullptr;
      gst_event_parse_tag(event.get(), &tags);
      set_tags(tags);
      if (gst_tag_list_get_scope(tags) != GST_TAG_SCOPE_GLOBAL) return GST_FLOW_OK;
      break;
    }
    case GST_EVENT_EOS: input_->reset(); [[fallthrough]];
    case GST_EVENT_SEGMENT_DONE: end_gathering(); break;
    default: break;
  }
  const bool serialized = static_cast<unsigned>(GST_EVENT_TYPE(event.get())) & GST_EVENT_TYPE_SERIALIZED;
  if (!serialized) {
    bool is_sent = false;
    for (const CaptionPadPtr &one : pads_.all())
      is_sent |= gst_pad_push_event(one->pad.get(), GRef<GstEvent>(event).release()) == TRUE;
    return is_sent ? GST_FLOW_OK : GST_FLOW_ERROR;
  }
  const GstFlowReturn flow = push(event);
  if (GST_EVENT_TYPE(event.get()) == GST_EVENT_EOS && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS) &&
      flow != GST_FLOW_ERROR)
    GST_ELEMENT_FLOW_ERROR(element_, flow);
  return flow;
}

bool CaptionStage::sink_query(GstQuery *query) {
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_ALLOCATION: return answer_allocation(query);
    // The pads send their own in their turn: whoever waits downstream must not hold up the pictures here.
    case GST_QUERY_DRAIN: return queue_.await(&CaptionSchedule::drain) == Flow::ok;
    default: break;
  }
  return gst_pad_query_default(sink_, GST_OBJECT(element_), query);
}

bool CaptionStage::answer_allocation(GstQuery *query) {
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  GstVideoInfo info;
  if (!caps || input_kind(caps) != InputKind::video || !gst_video_info_from_caps(&info, caps)) return false;
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  // Frames that wait, the one at the encoder, and one more that the encoder was told to leave.
  const guint held = CaptionSchedule::kMaxStills + 2;
  gst_query_add_allocation_pool(query, nullptr, static_cast<guint>(info.size), held, 0);
  return true;
}

bool CaptionStage::activate_src(GstPad *pad, bool active) {
  const CaptionPadPtr one = pads_.find(pad);
  if (!one) return false;
  one->is_active = active;
  if (active) {
    one->is_tagged = false;
    if (queue_.tell(&CaptionSchedule::start_outlet, one->outlet)) start_task(*one);
    return true;
  }
  queue_.tell(&CaptionSchedule::stop_outlet, one->outlet);
  stop_task(*one);
  return true;
}

}  // namespace genclip
