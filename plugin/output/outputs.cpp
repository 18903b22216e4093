// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/outputs.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "plugin/base/clock.h"
#include "plugin/output/caption_cues.h"
#include "plugin/output/encoders.h"
#include "plugin/output/live_captions.h"
#include "plugin/output/output.h"
#include "plugin/output/output_recipe.h"

namespace genclip {
namespace {

constexpr unsigned kMinutesADay = 24 * 60;
// Each segment that waits for its captions is listed once more, and kept twice.
constexpr guint kLongestTrackLatency_ms = 60'000;

Result<void> check_settings(const OutputSettings &settings) {
  const auto outside = [](unsigned value, unsigned from, unsigned to) { return value < from || value > to; };
  if (outside(settings.record_minutes, 1, kMinutesADay))
    return Error{ErrorKind::settings, "--record-minutes must be between 1 and 1440."};
  if (outside(settings.segment_seconds, kKeyFrameSeconds, 60) ||
      settings.segment_seconds % kKeyFrameSeconds != 0)
    return Error{ErrorKind::settings, "An HLS segment must last an even number of seconds, from 2 to 60."};
  if (outside(settings.playlist_segments, 3, 1000))
    return Error{ErrorKind::settings, "An HLS playlist must have 3 to 1000 segments."};
  if (settings.video_kbps == 0 || settings.audio_kbps == 0)
    return Error{ErrorKind::settings, "A bitrate must be above 0."};
  return {};
}

Result<void> check_captions(const CaptionOutput &captions, const std::vector<OutputSpec> &outputs) {
  if (captions.track && !outputs.empty() &&
      std::ranges::find(outputs, OutputKind::hls, &OutputSpec::kind) == outputs.end())
    return Error{ErrorKind::settings,
                 "--captions needs --hls. --burn-captions draws them into the picture of any output."};
  guint latency_ms = 0;
  if (captions.track && captions.gencaption)
    g_object_get(captions.gencaption.get(), "latency", &latency_ms, nullptr);
  if (latency_ms > kLongestTrackLatency_ms)
    return Error{ErrorKind::settings, "--caption-latency must be at most 60000 with --captions."};
  return {};
}

// Where the encoders' threads deliver. The encoders' bin may outlive the Outputs in the channel's pipeline.
struct Delivery {
  std::vector<std::unique_ptr<Output>> outputs;
  std::unique_ptr<LiveCaptions> captions;  // Null: none.
  std::atomic<uint64_t> frames{0}, skipped{0};
  std::atomic<unsigned> ended{0};
  std::atomic<bool> restarts{false};

  // Only when both streams have ended: an output that gets no picture needs no more sound.
  static constexpr unsigned kStreams = 2;

  void deliver(const EncodedFrame &frame, bool raw) {
    if (!raw && frame.stream == Stream::video) ++frames;
    for (const auto &output : outputs)
      if (takes_raw(output->kind()) == raw) output->feed(frame);
  }

  void end(Stream) {
    if (++ended < kStreams) return;
    for (const auto &output : outputs) output->begin_end(Clock::Time::max(), !restarts);
  }
};

class RunningOutputs : public Outputs {
 public:
  RunningOutputs(Encoders encoders, std::shared_ptr<Delivery> delivery)
      : encoders_(std::move(encoders)), delivery_(std::move(delivery)) {}

  ~RunningOutputs() override { end(std::chrono::milliseconds(0)); }

  GstElement *bin() const override { return encoders_.bin.get(); }

  std::vector<OutputStatus> status() const override {
    std::vector<OutputStatus> status;
    for (const auto &output : delivery_->outputs) status.push_back(output->status());
    return status;
  }

  uint64_t encoded_frames() const override { return delivery_->frames; }
  uint64_t skipped_frames() const override { return delivery_->skipped; }

  void expect_restart() override { delivery_->restarts = true; }

  bool end(std::chrono::milliseconds limit) override {
    const auto time = Clock::system().now() + limit;
    for (const auto &output : delivery_->outputs) output->begin_end(time, false);
    bool whole = true;
    for (const auto &output : delivery_->outputs) whole = output->wait_ended() && whole;
    return whole;
  }

 private:
  const Encoders encoders_;
  const std::shared_ptr<Delivery> delivery_;
};

}  // namespace

Result<void> Outputs::check(const std::vector<OutputSpec> &outputs, const OutputSettings &settings) {
  if (auto checked = check_settings(settings); !checked) return checked;
  if (auto checked = check_outputs(outputs); !checked) return checked;
  if (auto checked = check_captions(settings.captions, outputs); !checked) return checked;
  for (const auto &output : outputs)
    if (auto checked = check_installed(output, settings); !checked) return checked;
  return check_encoders(settings, outputs);
}

Result<std::unique_ptr<Outputs>> Outputs::create(std::vector<OutputSpec> outputs,
                                                 const OutputSettings &settings, const Listener &listener) {
  if (auto checked = check(outputs, settings); !checked) return checked.error();
  number_copies(outputs);
  const CaptionOutput &captions = settings.captions;
  auto delivery = std::make_shared<Delivery>();
  EncoderCalls calls;
  calls.encoded = [delivery](const EncodedFrame &frame) { delivery->deliver(frame, false); };
  if (std::ranges::any_of(outputs, takes_raw, &OutputSpec::kind))
    calls.raw = [delivery](const EncodedFrame &frame) { delivery->deliver(frame, true); };
  calls.ended = [delivery](Stream stream) { delivery->end(stream); };
  calls.skipped = [delivery] { ++delivery->skipped; };
  const auto cues = captions.gencaption && captions.track ? std::make_shared<CaptionCues>() : nullptr;
  if (captions.gencaption) {
    calls.clean_picture = [delivery](const EncodedFrame &frame) {
      if (delivery->captions) delivery->captions->feed(frame);
    };
    guint64 interval = 0;
    g_object_get(captions.gencaption.get(), "interval", &interval, nullptr);
    if (captions.burnt) calls.burnt = std::make_shared<BurntCaption>(std::chrono::nanoseconds(interval));
  }
  const auto burnt = calls.burnt;
  auto encoders = make_encoders(settings, std::move(calls));
  if (!encoders) return encoders.error();
  if (captions.gencaption) {
    auto started = LiveCaptions::start(captions, [cues, burnt](const CaptionCue &cue) {
      if (cues) cues->add(cue);
      if (burnt) burnt->add(cue);
    });
    if (started)
      delivery->captions = std::move(*started);
    else if (captions.told)
      captions.told(started.error().text + " There are no captions in this run.");
  }
  for (auto &output : outputs)
    delivery->outputs.push_back(
        std::make_unique<Output>(std::move(output), settings, encoders->video_parser, cues, listener));
  return std::unique_ptr<Outputs>(
      std::make_unique<RunningOutputs>(*std::move(encoders), std::move(delivery)));
}

}  // namespace genclip
