// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/waker.h"

namespace genclip {

void Waker::arm() {
  MutexLock lock(mutex_);
  armed_ = true;
  woken_ = false;
}

// GStreamer's system clock waits for a time as if it ran at one second a second, also if it is calibrated to
// run faster. So a wait on a fast clock is made shorter.
static GstClockTime target_of(GstClock *clock, GstClockTime now, GstClockTime time) {
  GstClockTime internal, external, rate_n, rate_d;
  gst_clock_get_calibration(clock, &internal, &external, &rate_n, &rate_d);
  return rate_n > 2 * rate_d ? now + gst_util_uint64_scale(time - now, rate_d, rate_n) : time;
}

Waited Waker::wait(GstClock *clock, GstClockTime time) {
  MutexLock lock(mutex_);
  bool is_reached = false;
  while (!interrupted_ && !woken_ && !is_reached) {
    const GstClockTime now = gst_clock_get_time(clock);
    is_reached = now >= time;
    if (is_reached) break;
    const GstClockID id = gst_clock_new_single_shot_id(clock, target_of(clock, now, time));
    wait_ = id;
    lock.unlock();
    gst_clock_id_wait(id, nullptr);
    lock.lock();
    wait_ = nullptr;
    gst_clock_id_unref(id);
  }
  armed_ = woken_ = false;
  if (interrupted_) return Waited::interrupted;
  return is_reached ? Waited::reached : Waited::woken;
}

void Waker::wake() {
  MutexLock lock(mutex_);
  if (!armed_) return;
  woken_ = true;
  if (wait_) gst_clock_id_unschedule(wait_);
}

void Waker::interrupt() {
  MutexLock lock(mutex_);
  interrupted_ = true;
  if (wait_) gst_clock_id_unschedule(wait_);
}

void Waker::resume() {
  MutexLock lock(mutex_);
  interrupted_ = false;
}

}  // namespace genclip
