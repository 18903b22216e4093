// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Frames as time and back. Whole seconds are split off first, so that nothing overflows in 64 bits, whatever
// the rate is (both numbers are below 2^31) and however long the channel runs.
#include "plugin/channel/schedule.h"

namespace genclip {
namespace {

constexpr uint64_t kSecond = 1000000000;

}  // namespace

std::chrono::nanoseconds time_of_frame(const ScheduleSettings &settings, uint64_t frame) {
  const uint64_t rest = frame % settings.fps_n * settings.fps_d;
  const uint64_t seconds = frame / settings.fps_n * settings.fps_d + rest / settings.fps_n;
  const uint64_t part = rest % settings.fps_n * kSecond;
  return std::chrono::nanoseconds(seconds * kSecond + (part + settings.fps_n / 2) / settings.fps_n);
}

uint64_t frames_in(const ScheduleSettings &settings, std::chrono::nanoseconds time) {
  if (time.count() <= 0) return 0;
  const auto total = static_cast<uint64_t>(time.count());
  const uint64_t scaled = total / kSecond * settings.fps_n;
  const uint64_t rest = scaled % settings.fps_d * kSecond + total % kSecond * settings.fps_n;
  const uint64_t unit = settings.fps_d * kSecond;
  return scaled / settings.fps_d + (rest + unit / 2) / unit;
}

uint64_t frame_at(const ScheduleSettings &settings, const FrameTime &clock, Clock::WallTime wall) {
  if (wall >= clock.wall) return clock.frame + frames_in(settings, wall - clock.wall);
  const uint64_t before = frames_in(settings, clock.wall - wall);
  return before < clock.frame ? clock.frame - before : 0;
}

Clock::WallTime wall_at(const ScheduleSettings &settings, const FrameTime &clock, uint64_t frame) {
  const auto offset = frame >= clock.frame ? time_of_frame(settings, frame - clock.frame)
                                           : -time_of_frame(settings, clock.frame - frame);
  return clock.wall + std::chrono::duration_cast<Clock::WallTime::duration>(offset);
}

}  // namespace genclip
