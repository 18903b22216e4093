// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Two functions wait: read() until interrupt(), and size_after_look() for as long as it is told.
#include "elements/clipsrc/clip_source.h"

#include "elements/element_log.h"
#include "elements/post_error.h"
#include "elements/startup_warnings.h"
#include "plugin/base/disk_thread.h"
#include "plugin/catalog/catalog.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/catalog/request_fields.h"
#include "plugin/generation/chain_plan.h"
#include "plugin/generation/charge_facts.h"
#include "plugin/generation/paid_amount.h"
#include "plugin/http/api_key.h"
#include "plugin/http/redaction.h"
#include "plugin/store/clip_provenance.h"
#include "plugin/task/task_wire.h"

namespace genclip {
namespace {

// No error comes sooner after PAUSED was asked for. gst-launch leaves its main loop for an error, and waits
// forever in one that it enters after that (GStreamer 1.22 and later).
constexpr std::chrono::milliseconds kBeforeErrors{100};

GRef<GstTagList> tags_of(const Generation &generation) {
  auto tags = GRef<GstTagList>::adopt(gst_tag_list_new(GST_TAG_APPLICATION_NAME, "genclip", nullptr));
  const auto comment = [&](const char *key, const std::string &value) {
    if (!value.empty())
      gst_tag_list_add(tags.get(), GST_TAG_MERGE_APPEND, GST_TAG_EXTENDED_COMMENT,
                       (std::string(key) + "=" + value).c_str(), nullptr);
  };
  const GenerationState state = generation.state();
  comment("genclip-model", state.model);
  comment("genclip-task-id", state.task_id);
  comment("genclip-take", std::to_string(generation.job().identity.take));
  // mp4mux keeps no extended comments.
  Provenance provenance;
  provenance.model = state.model;
  provenance.task_id = state.task_id;
  provenance.take = generation.job().identity.take;
  provenance.from_media = is_made_of_media(generation.job().identity);
  gst_tag_list_add(tags.get(), GST_TAG_MERGE_APPEND, GST_TAG_COMMENT, comment_of(provenance).c_str(),
                   nullptr);
  return tags;
}

// On the way to PAUSED: whether the element was added to a pipeline that has played. Bins hand their base
// time on, which they have once they play and keep in READY; a pipeline that takes the element along to
// PAUSED is in READY itself.
bool joins(GstElement *element) {
  auto top = GRef<GstObject>::share(GST_OBJECT(element));
  while (auto parent = GRef<GstObject>::adopt(gst_object_get_parent(top.get()))) top = std::move(parent);
  return gst_element_get_base_time(element) != 0 && GST_STATE(top.get()) >= GST_STATE_PAUSED;
}

void add_estimate(GstStructure *request, const Estimate &estimate) {
  GstStructure *shown =
      gst_structure_new("estimate", "low", G_TYPE_DOUBLE, estimate.low, "likely", G_TYPE_DOUBLE,
                        estimate.likely, "high", G_TYPE_DOUBLE, estimate.high, "samples", G_TYPE_UINT,
                        estimate.samples, "basis", G_TYPE_STRING, estimate.basis.c_str(), nullptr);
  gst_structure_set(request, "estimate", GST_TYPE_STRUCTURE, shown, nullptr);
  gst_structure_free(shown);
}

}  // namespace

std::string ClipSource::uri() const {
  const Told told = told_.get();
  std::string uri = told.uri;
  if (uri.empty() && !told.settings.model.empty())
    uri = clip_uri(*Catalog::shared(), told.settings.request());
  // The key may have been set after the URI. No run accepts such a request.
  const std::string key = key_at_hand(told.settings.api_key, told.settings.api_key_file);
  return shows_key(uri, key) ? Secrets(key).masked(uri) : uri;
}

std::string ClipSource::uri_with_extension() const {
  const std::string plain = uri();
  const auto spec = Catalog::shared()->find(settings().model);
  const bool is_video = spec && spec->result == ResultKind::video;
  return is_video ? clip_uri_with_extension(plain, "mp4") : plain;
}

Result<void> ClipSource::set_uri(const std::string &uri) {
  const RunSettings run = settings().run();
  // Before any other text, which might quote it. The application's thread reads no file; plan_clip() does.
  const std::string key = key_at_hand(run.api_key, run.api_key_file);
  if (shows_key(uri, key)) return key_in_uri();
  auto read = read_clip_uri(*Catalog::shared(), uri);
  if (!read) return std::move(read).error();
  const ReferencePolicy policy = reference_policy(run);
  if (auto checked = check_read_request(*Catalog::shared(), *read, policy); !checked)
    return Error{ErrorKind::settings, problems_text(checked.error())};
  ClipRequest &request = read->request;
  if (auto fits = fit_properties(*Catalog::shared(), request); !fits) return fits;
  request.fields = in_order(*Catalog::shared(), std::move(request.fields));
  const bool is_set = told_.edit(Access::until_ready, [&](Told &told) {
    told.settings.request() = std::move(request);
    told.uri = uri;
    ++told.edits;
  });
  if (!is_set) return Error{ErrorKind::busy, "The URI can change in NULL and READY only."};
  return {};
}

GenerationState ClipSource::state() const {
  GenerationState state;
  {
    MutexLock lock(mutex_);
    if (run_.generation) state = run_.generation->state();
  }
  if (state.estimate < 0) state.estimate = *likely_;
  if (state.task_id.empty())
    state.task_id = told_.read([](const Told &told) { return told.settings.task_id; });
  return state;
}

std::optional<uint64_t> ClipSource::size() const {
  MutexLock lock(mutex_);
  return run_.generation ? run_.generation->clip().size() : std::nullopt;
}

std::optional<uint64_t> ClipSource::size_after_look(std::chrono::milliseconds patience) {
  std::shared_ptr<Generation> generation;
  {
    MutexLock lock(mutex_);
    generation = run_.generation;
  }
  if (!generation) return std::nullopt;
  if (!gave_up_look_ && !generation->wait_for_look(patience)) gave_up_look_ = true;
  return generation->clip().size();
}

bool ClipSource::is_prepared() const {
  MutexLock lock(mutex_);
  return is_prepared_;
}

void ClipSource::open() {
  MutexLock lock(mutex_);
  is_open_ = true;
}

void ClipSource::close() {
  {
    MutexLock lock(mutex_);
    is_open_ = false;
  }
  release();
}

bool ClipSource::has_run(const Told &told) const {
  return run_.messages && run_.edits == told.edits &&
         (!run_.generation || run_.generation->state().status != ClipStatus::failed);
}

Result<void> ClipSource::make_run(const Told &told, bool is_prepared) {
  const ClipSettings &settings = told.settings;
  auto plan = plan_clip(settings.request(), settings.run());
  if (!plan) return std::move(plan).error();
  for (std::string &mistakes : unreported_catalog_mistakes()) plan->warnings.push_back(std::move(mistakes));
  Run former;
  std::shared_ptr<Generation> generation;
  {
    MutexLock lock(mutex_);
    // Another thread may have changed the state meanwhile.
    if (!is_prepared && (!is_open_ || is_prepared_)) return {};
    former = std::move(run_);
    plan_ = std::move(*plan);
    is_prepared_ = is_prepared;
    join(told, is_prepared);
    for (const std::string &warning : plan_->warnings)
      run_.messages->on_warning({ErrorKind::settings, warning});
    generation = run_.generation;
  }
  end(former);
  if (!generation) return {};
  GST_CAT_INFO_OBJECT(genclipsrc_category(), element_, "%s %s of %s", is_prepared ? "plays" : "prefetches",
                      generation->log_name().c_str(),
                      redact_url(generation->job().endpoint.base_url).c_str());
  generation->look();
  return {};
}

void ClipSource::join(const Told &told, bool is_prepared) {
  run_ = {std::make_shared<ClipMessages>(GST_ELEMENT(element_), told.settings.buffering_messages),
          nullptr,
          {},
          std::make_shared<ClipReader>(),
          GRef<GCancellable>::adopt(g_cancellable_new()),
          told.edits};
  stage_ = Stage::made;
  *likely_ = -1;
  if (!told.settings.dry_run) {
    auto joined = join_generation(plan_->job, {HttpClient::shared(plan_->http)}, run_.messages);
    run_.generation = std::move(joined.generation);
    run_.joined_at = std::move(joined.state);
  }
  if (is_prepared) run_.messages->expect_reader(joins_);
}

Result<void> ClipSource::prefetch() {
  const Told told = told_.get();
  bool is_made = false;
  {
    MutexLock lock(mutex_);
    if (!is_open_)
      return Error{ErrorKind::busy,
                   "An element prefetches its clip in READY or later. Set it to READY first."};
    is_made = is_prepared_ || has_run(told);
  }
  if (!is_made)
    if (auto made = make_run(told, false); !made) return made;
  begin();
  return {};
}

Result<void> ClipSource::prepare() {
  const Told told = told_.begin_run();
  opened_ = false;
  next_ = 0;
  prepared_at_ = Clock::system().now();
  gave_up_look_ = false;
  {
    MutexLock lock(mutex_);
    joins_ = joins(GST_ELEMENT(element_));
    is_prepared_ = has_run(told);
    if (is_prepared_) {
      run_.messages->expect_reader(joins_);
      GST_CAT_INFO_OBJECT(genclipsrc_category(), element_, "plays what it has prefetched");
      return {};
    }
  }
  auto made = make_run(told, true);
  if (!made) told_.end_run();
  return made;
}

void ClipSource::release() {
  Run run;
  {
    MutexLock lock(mutex_);
    plan_.reset();
    is_prepared_ = false;
    std::swap(run, run_);
  }
  // In pull mode GstBaseSrc stops without waiting for the thread that pulls.
  interrupt_.end_waits();
  end(run);
  told_.end_run();
}

void ClipSource::end(const Run &run) {
  wake(run);
  if (run.ended) g_cancellable_cancel(run.ended.get());
  if (run.generation) run.generation->leave(run.messages.get());
  if (run.messages) run.messages->close();
}

void ClipSource::announce_end() {
  std::shared_ptr<ClipMessages> messages;
  {
    MutexLock lock(mutex_);
    if (is_prepared_) messages = run_.messages;
  }
  if (messages) messages->close();
}

void ClipSource::end_early() {
  Run run;
  {
    MutexLock lock(mutex_);
    if (!is_prepared_ || std::exchange(stage_, Stage::ended) == Stage::ended) return;
    run = run_;
  }
  end(run);
}

void ClipSource::interrupt() {
  interrupt_.raise();
  Run run;
  {
    MutexLock lock(mutex_);
    run = run_;
  }
  wake(run);
}

void ClipSource::wake(const Run &run) {
  if (run.generation) run.generation->clip().wake();
  if (run.reader) run.reader->wake();
  if (run.messages) run.messages->wake();
}

ClipSource::Run ClipSource::begin() {
  Run run;
  {
    MutexLock lock(mutex_);
    if (stage_ == Stage::ended && is_prepared_) {
      // It is what this run was for. If it goes on it is attached to, and somebody else may fetch it
      // meanwhile.
      if (run_.generation) plan_->job.own_task = run_.generation->state().task_id;
      join(told_.get(), true);
      opened_ = false;
      next_ = 0;
    }
    if (!run_.generation || std::exchange(stage_, Stage::begun) != Stage::made) return run_;
    run = run_;
  }
  GST_CAT_INFO_OBJECT(genclipsrc_category(), element_, "wants the bytes of %s",
                      run.generation->log_name().c_str());
  run.generation->start([messages = run.messages, state = run.joined_at] { messages->on_change(state); });
  return run;
}

// With do-timestamp, the unit of the segment is time.
void ClipSource::tell_size(uint64_t size) {
  GST_OBJECT_LOCK(element_);
  if (element_->segment.format == GST_FORMAT_BYTES) element_->segment.duration = size;
  GST_OBJECT_UNLOCK(element_);
}

// Before the first byte: its size, its tags, and every message that belongs before it.
Result<void> ClipSource::open_stream(const Run &run, uint64_t size, bool pulled,
                                     const Interrupt::Watch &watch) {
  if (!run.messages->wait_progress_posted(watch)) return cancelled();
  GstElement *element = GST_ELEMENT(element_);
  tell_size(size);
  gst_element_post_message(element, gst_message_new_duration_changed(GST_OBJECT(element)));
  GST_CAT_INFO_OBJECT(genclipsrc_category(), element_, "%s begins: %" G_GUINT64_FORMAT " bytes, %s",
                      run.generation->log_name().c_str(), size, pulled ? "pulled" : "pushed");
  const auto tags = tags_of(*run.generation);
  if (pulled) {
    // In pull mode the peer makes the stream's events, so only the application gets these tags.
    gst_element_post_message(element, gst_message_new_tag(GST_OBJECT(element), gst_tag_list_ref(tags.get())));
  } else {
    // Not gst_element_send_event: it takes the state lock, under which NULL waits for this thread.
    GST_ELEMENT_GET_CLASS(element_)->send_event(element, gst_event_new_tag(gst_tag_list_ref(tags.get())));
  }
  opened_ = true;
  return {};
}

void ClipSource::show_request(const ClipPlan &plan, const Run &run) {
  // Attaching sends nothing but a query.
  const GenerationJob &job = plan.job;
  const bool attaches = !job.task_id.empty();
  const std::string url = attaches ? query_url(job.endpoint.base_url, job.endpoint.api, job.task_id)
                                   : submit_url(job.endpoint.base_url, job.endpoint.api);
  // Reads files and the ledger, which may take long: neither on this thread nor on one that posts.
  run.messages->expect();
  on_disk_thread([url, job, attaches, messages = run.messages, ended = run.ended, likely = likely_] {
    std::optional<Error> warning;
    std::string body;
    std::optional<Estimate> estimate;
    if (!attaches) {
      const auto identified = identify_request(job, {}, false, ended.get());
      const auto good = identified ? check_chain(job, *identified, {}, ended.get()) : Result<void>();
      if (!identified) warning = identified.error();
      if (!good) warning = good.error();
      const bool is_named = identified && !identified->names.empty();
      body = submit_body(is_named ? job.request->with_urls(identified->names) : *job.request);
      if (identified) estimate = estimate_of(job, *identified, {});
    }
    messages->add_expected([=](GstElement *element) {
      if (g_cancellable_is_cancelled(ended.get())) return;
      if (warning) post_warning(element, genclipsrc_category(), *warning);
      GstStructure *request = gst_structure_new("genclip-request", "url", G_TYPE_STRING, url.c_str(), "body",
                                                G_TYPE_STRING, body.c_str(), nullptr);
      if (estimate) {
        add_estimate(request, *estimate);
        *likely = estimate->likely;
        g_object_notify(G_OBJECT(element), "estimate");
      }
      gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), request));
    });
  });
}

Result<GRef<GstBuffer>> ClipSource::read(uint64_t offset, unsigned size, bool whole) {
  const Interrupt::Watch watch(interrupt_);
  const Run run = begin();
  if (!run.messages) return cancelled();
  if (!run.generation) {
    std::optional<ClipPlan> plan;
    {
      MutexLock lock(mutex_);
      plan = plan_;
    }
    if (plan && !opened_) {
      GST_CAT_INFO_OBJECT(genclipsrc_category(), element_, "dry run: posts the request, sends nothing");
      show_request(*plan, run);
    }
    opened_ = true;
    if (!run.messages->wait_posted(watch)) return cancelled();
    return GRef<GstBuffer>();
  }
  // As of a file: GstBaseSrc has no position in bytes where it sets the timestamps itself.
  if (offset == GST_BUFFER_OFFSET_NONE) offset = next_;
  const auto ready = run.generation->clip().wait(offset, size, !whole, watch);
  // The messages about the outcome come before the error or the end of the stream, because an application may
  // stop listening after these. GstBaseSrc ends the stream by itself after the last byte, so this waits
  // there.
  const bool is_last =
      ready ? offset + ready->available >= ready->size : ready.error().kind != ErrorKind::cancelled;
  const auto earliest = ready ? Clock::Time::min() : prepared_at_ + kBeforeErrors;
  if (is_last && !run.messages->wait_posted(watch, earliest)) return cancelled();
  if (!ready) return with_paid(ready.error(), run.generation->state());
  if (!opened_)
    if (auto opened = open_stream(run, ready->size, whole, watch); !opened) return std::move(opened).error();
  if (ready->available == 0)
    return offset < ready->size ? GRef<GstBuffer>::adopt(gst_buffer_new()) : GRef<GstBuffer>();

  auto buffer = GRef<GstBuffer>::adopt(
      gst_buffer_new_allocate(nullptr, static_cast<size_t>(ready->available), nullptr));
  GstMapInfo map;
  if (!gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE)) return Error{ErrorKind::read, "Out of memory."};
  const auto count = run.reader->read(run.generation->clip(), offset,
                                      std::span(reinterpret_cast<std::byte *>(map.data), map.size), watch);
  gst_buffer_unmap(buffer.get(), &map);
  if (!count) return count.error();
  if (*count != ready->available)
    return Error{ErrorKind::read,
                 "The stored clip became shorter while it was read. Run again to fetch it again."};
  GST_BUFFER_OFFSET(buffer.get()) = offset;
  GST_BUFFER_OFFSET_END(buffer.get()) = next_ = offset + *count;
  return buffer;
}

}  // namespace genclip
