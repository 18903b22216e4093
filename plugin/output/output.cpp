// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/output.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "plugin/base/disk_thread.h"
#include "plugin/output/hls_folder.h"
#include "plugin/output/output_log.h"
#include "plugin/output/record_folder.h"
#include "plugin/output/stall_watch.h"

namespace genclip {
namespace {

using std::chrono::milliseconds;

// How often it looks whether data leave.
constexpr milliseconds kLook{250};
constexpr milliseconds kFilesLook{1000};
// How long a rebuild waits for the pipeline before it to give back its port and its files, and an end for the
// last.
constexpr milliseconds kClosing{2000};
// The first packet counts as sent when the second one comes.
constexpr uint64_t kSentPackets = 2;
// So many builds may hang at a time, each with its threads.
constexpr size_t kMostHung = 3;
// For so long must an output go well before it is called so: a server may take a few packets of a stream that
// it refuses.
constexpr milliseconds kSteady{1000};

HlsCaptions captions_of(const OutputSettings &settings, std::shared_ptr<const CaptionCues> cues) {
  constexpr unsigned kMuxing = 10;  // Per cent that a transport stream adds, about.
  const uint64_t bits = uint64_t{settings.video_kbps + settings.audio_kbps} * 10 * (100 + kMuxing);
  if (!cues) return {.bits_per_second = bits};
  guint latency_ms = 0;
  g_object_get(settings.captions.gencaption.get(), "latency", &latency_ms, nullptr);
  const unsigned segment_ms = settings.segment_seconds * 1000;
  return {std::move(cues), std::max<size_t>(1, (size_t{latency_ms} + segment_ms - 1) / segment_ms), bits};
}

std::shared_ptr<FileWriter> writer_of(const OutputSpec &spec, const OutputSettings &settings,
                                      std::shared_ptr<const CaptionCues> cues) {
  if (spec.kind == OutputKind::hls)
    return make_hls_folder(spec.target, settings.segment_seconds, settings.playlist_segments,
                           captions_of(settings, std::move(cues)));
  if (spec.kind == OutputKind::record)
    return make_record_folder(spec.target, settings.record_minutes, settings.keep_days);
  return nullptr;
}

Clock::Time now() { return Clock::system().now(); }

}  // namespace

// Of a FileWriter, whose disk may hang.
struct Output::Answer {
  Mutex mutex;
  CondVar changed;
  std::optional<Result<void>> result GUARDED_BY(mutex);
};

Output::Output(OutputSpec spec, const OutputSettings &settings, std::string parser,
               std::shared_ptr<const CaptionCues> cues, Outputs::Listener listener)
    : spec_(std::move(spec)),
      settings_(settings),
      parser_(std::move(parser)),
      listener_(std::move(listener)),
      writer_(writer_of(spec_, settings, std::move(cues))) {
  status_.kind = spec_.kind;
  status_.name = shown_name(spec_);
  status_.since = Clock::system().wall_now();
  thread_ = std::thread([this] { run(); });
}

Output::~Output() {
  begin_end(now(), false);
  thread_.join();
}

void Output::feed(const EncodedFrame &frame) {
  std::shared_ptr<OutputPipeline> pipeline;
  {
    MutexLock lock(mutex_);
    if (end_limit_) return;
    pipeline = pipeline_;
  }
  if (pipeline && pipeline->feed(frame)) return;
  MutexLock lock(mutex_);
  ++status_.dropped;
}

void Output::begin_end(Clock::Time limit, bool finally) {
  MutexLock lock(mutex_);
  end_limit_ = end_limit_ ? std::min(*end_limit_, limit) : limit;
  finally_ = finally_ || finally;
  changed_.notify_all();
}

bool Output::wait_ended() {
  MutexLock lock(mutex_);
  while (!done_) changed_.wait(lock);
  return whole_;
}

OutputStatus Output::status() const {
  MutexLock lock(mutex_);
  OutputStatus status = status_;
  if (pipeline_) {
    const Traffic traffic = pipeline_->traffic();
    status.packets += traffic.packets;
    status.bytes += traffic.bytes;
  }
  return status;
}

bool Output::ending() const {
  MutexLock lock(mutex_);
  return end_limit_.has_value();
}

void Output::set_state(OutputState state, const std::string &error) {
  {
    MutexLock lock(mutex_);
    if (!error.empty()) status_.last_error = error;
    if (status_.state == state) return;
    status_.state = state;
    status_.since = Clock::system().wall_now();
  }
  GST_CAT_INFO(output_category(), "%s: %s%s%s", shown_name(spec_).c_str(), to_word(state),
               error.empty() ? "" : ": ", error.c_str());
  if (listener_) listener_(status());
}

void Output::run() {
  BackOff back_off(settings_.first_back_off, settings_.last_back_off);
  while (!ending()) {
    const auto begun = now();
    run_pipeline();
    MutexLock lock(mutex_);
    if (end_limit_) break;
    const auto next = now() + back_off.after(std::chrono::duration_cast<milliseconds>(now() - begun));
    while (!end_limit_ && changed_.wait_until(lock, next)) {
    }
    if (end_limit_) break;
    ++status_.rebuilds;
  }
  set_state(OutputState::ended);
  MutexLock lock(mutex_);
  done_ = true;
  changed_.notify_all();
}

void Output::run_pipeline() {
  std::erase_if(hung_, [](const auto &pipeline) { return pipeline->wait_closed(now()); });
  if (hung_.size() >= kMostHung)
    return set_state(OutputState::failed, "It hangs; it is built again when that is over.");
  if (const auto begun = begin_files(); !begun) return set_state(OutputState::failed, begun.error().text);
  auto built = OutputPipeline::build(spec_, settings_, parser_, writer_,
                                     [this](OutputPipeline::Event event, const std::string &text) {
                                       MutexLock lock(mutex_);
                                       if (event == OutputPipeline::Event::ended) pipeline_ended_ = true;
                                       if (event == OutputPipeline::Event::failed && !failure_)
                                         failure_ = text;
                                       changed_.notify_all();
                                     });
  if (!built) return set_state(OutputState::failed, without_secrets(spec_, built.error().text));
  const std::shared_ptr<OutputPipeline> pipeline = *std::move(built);
  {
    MutexLock lock(mutex_);
    failure_.reset();
    look_ = nullptr;
    pipeline_ended_ = false;
    pipeline_ = pipeline;
  }
  pipeline->start();
  watch(*pipeline);
  discard(pipeline);
}

Result<void> Output::begin_files() {
  if (!writer_) return {};
  if (!beginning_) {
    beginning_ = std::make_shared<Answer>();
    on_disk_thread([beginning = beginning_, writer = writer_] {
      auto result = writer->begin();
      MutexLock lock(beginning->mutex);
      beginning->result = std::move(result);
      beginning->changed.notify_all();
    });
  }
  const auto beginning = beginning_;
  const auto limit = now() + settings_.stall;
  MutexLock lock(beginning->mutex);
  while (!beginning->result) {
    if (now() >= limit || ending()) return Error{ErrorKind::timed_out, "The disk does not answer."};
    beginning->changed.wait_until(lock, now() + kLook);
  }
  beginning_ = nullptr;
  return *beginning->result;
}

void Output::watch(OutputPipeline &pipeline) {
  StallWatch stall(settings_.stall, now());
  bool told_to_end = false;
  std::optional<Clock::Time> first_sent;
  MutexLock lock(mutex_);
  while (!failure_ && !pipeline_ended_) {
    if (end_limit_) {
      if (now() >= *end_limit_) {
        whole_ = false;
        return;
      }
      if (!std::exchange(told_to_end, true)) {
        const bool finally = finally_;
        lock.unlock();
        pipeline.end(finally);
        lock.lock();
      }
    } else if (stall.stalled(pipeline.fed(), pipeline.traffic().packets, now())) {
      failure_ = "Nothing left for " + std::to_string(settings_.stall.count() / 1000) + " s.";
      break;
    }
    look_at_files();
    if (!first_sent && pipeline.traffic().packets >= kSentPackets) first_sent = now();
    if (status_.state != OutputState::ok && first_sent && now() - *first_sent >= kSteady) {
      lock.unlock();
      set_state(OutputState::ok);
      lock.lock();
      continue;
    }
    changed_.wait_until(lock, end_limit_ ? std::min(*end_limit_, now() + kLook) : now() + kLook);
  }
  if (failure_ && end_limit_) whole_ = false;
  const auto failure = failure_;
  lock.unlock();
  if (failure) set_state(OutputState::failed, *failure);
}

// Now and then, on a thread that may hang with its disk.
void Output::look_at_files() {
  if (!writer_) return;
  if (!look_) {
    if (now() < next_look_) return;
    next_look_ = now() + kFilesLook;
    look_ = std::make_shared<Answer>();
    on_disk_thread([look = look_, writer = writer_] {
      auto result = writer->look();
      MutexLock lock(look->mutex);
      look->result = std::move(result);
    });
    return;
  }
  std::optional<Result<void>> result;
  {
    MutexLock lock(look_->mutex);
    result = look_->result;
  }
  if (!result) return;
  look_ = nullptr;
  if (!*result && !failure_) failure_ = result->error().text;
}

void Output::discard(const std::shared_ptr<OutputPipeline> &pipeline) {
  {
    MutexLock lock(mutex_);
    // Before it is closed: its sink may forget, or be slow to answer.
    const Traffic traffic = pipeline->traffic();
    status_.packets += traffic.packets;
    status_.bytes += traffic.bytes;
    pipeline_ = nullptr;
  }
  pipeline->close();
  if (pipeline->wait_closed(now() + kClosing)) return;
  GST_CAT_WARNING(output_category(), "%s: hangs while it is closed; it is left alone",
                  shown_name(spec_).c_str());
  hung_.push_back(pipeline);
}

}  // namespace genclip
