// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/playout.h"

#include <chrono>
#include <utility>

#include "elements/channelsrc/playout_engine.h"
#include "elements/channelsrc/playout_source.h"

namespace genclip {

namespace {

class BinPlayout final : public Playout {
 public:
  BinPlayout(GstBin *bin, std::shared_ptr<PlayoutEngine> engine)
      : engine_(std::move(engine)), element_(GRef<GstElement>::share(new_playout_source(engine_))) {
    g_object_ref_sink(element_.get());
    g_object_unref(element_.get());
    gst_bin_add(bin, element_.get());
  }
  ~BinPlayout() override {
    gst_element_set_state(element_.get(), GST_STATE_NULL);
    engine_->stop();  // What was cued in READY.
    if (auto *parent = GST_OBJECT_PARENT(element_.get())) gst_bin_remove(GST_BIN(parent), element_.get());
  }
  BinPlayout(const BinPlayout &) = delete;
  BinPlayout &operator=(const BinPlayout &) = delete;

  GstPad *video_pad() override { return pad("video"); }
  GstPad *audio_pad() override { return pad("audio"); }
  std::string problem() override { return engine_->problem(); }

  CueId cue(const ReadyMedia &media, uint64_t frames) override { return engine_->cue(media, frames); }
  CueState state(CueId cue) override { return engine_->state(cue); }
  std::string failure(CueId cue) override { return engine_->failure(cue); }
  uint64_t failure_frame(CueId cue) override { return engine_->failure_frame(cue); }
  bool take(CueId cue, uint64_t frame, uint64_t frames) override { return engine_->take(cue, frame, frames); }
  void drop(CueId cue) override { engine_->drop(cue); }
  void end(uint64_t frame) override { engine_->end(frame); }
  uint64_t frame() override { return engine_->frame(); }
  uint64_t earliest_frame() override { return engine_->earliest_frame(); }
  StageCounts counts() override { return engine_->counts(); }

  FrameTime clock() override {
    const auto wall = std::chrono::system_clock::now();
    const auto clock = GRef<GstClock>::adopt(gst_element_get_clock(element_.get()));
    const GstClockTime origin = gst_element_get_base_time(element_.get()) + engine_->origin();
    const GstClockTime now = clock ? gst_clock_get_time(clock.get()) : 0;
    const bool is_running = engine_->is_playing() && now > origin;
    if (is_running) return engine_->form().grid.frame_time(now - origin, wall);
    return {engine_->frame(), std::chrono::round<Clock::WallTime::duration>(wall)};
  }

 private:
  GstPad *pad(const char *name) {
    const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(element_.get(), name));
    return pad.get();  // The element has one more reference.
  }

  const std::shared_ptr<PlayoutEngine> engine_;
  const GRef<GstElement> element_;
};

}  // namespace

Result<std::unique_ptr<Playout>> make_playout(GstBin *bin, const PlayoutSettings &settings) {
  auto engine = PlayoutEngine::make(settings);
  if (!engine) return std::move(engine).error();
  return std::unique_ptr<Playout>(std::make_unique<BinPlayout>(bin, *std::move(engine)));
}

}  // namespace genclip
