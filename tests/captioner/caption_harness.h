// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A gencaption between two pads of the test, under a clock that the test sets.
#pragma once

#include <gst/check/gstharness.h>

#include <string>
#include <vector>

#include "tests/captioner/caption_run.h"

namespace genclip::test {

// An event or a buffer that came out; times in nanoseconds.
struct CameOut {
  std::string what;  // "gap", "caption", or the name of another event
  uint64_t start = 0;
  uint64_t end = 0;
  std::string text = {};
  friend bool operator==(const CameOut &, const CameOut &) = default;
  friend std::ostream &operator<<(std::ostream &out, const CameOut &one) {
    out << one.what;
    if (one.what == "gap" || one.what == "caption")
      out << " " << one.start << "-" << one.end << " " << one.text;
    return out;
  }
};

class CaptionHarness {
 public:
  CaptionHarness(const GatewayServer &gateway, const std::string &properties, const char *caps,
                 bool live = false);
  ~CaptionHarness();
  CaptionHarness(const CaptionHarness &) = delete;
  CaptionHarness &operator=(const CaptionHarness &) = delete;

  GstHarness *get() { return harness_; }

  GstFlowReturn push(const std::string &bytes, GstClockTime pts, GstClockTime duration);
  bool push_event(GstEvent *event) { return gst_harness_push_event(harness_, event); }
  bool push_segment(GstClockTime start, GstClockTime stop = GST_CLOCK_TIME_NONE);
  void flush();
  void set_time(GstClockTime time) { gst_harness_set_time(harness_, time); }

  // All that came out so far, in its order.
  std::vector<CameOut> so_far();
  // The same, once it contains this number of that kind, or after the patience.
  std::vector<CameOut> wait_for(const std::string &what, size_t count = 1);
  // Until that number of `stats` is at least so large.
  bool wait_for_stat(const char *name, uint64_t least);
  // Ends the stream and returns all output.
  std::vector<CameOut> finish();

 private:
  static GstPadProbeReturn on_data(GstPad *, GstPadProbeInfo *info, gpointer harness);

  GstHarness *harness_ = nullptr;
  Mutex mutex_;
  std::vector<CameOut> out_ GUARDED_BY(mutex_);
};

// Those of that kind.
std::vector<CameOut> only(const std::vector<CameOut> &all, const std::string &what);

}  // namespace genclip::test
