// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The clock starts before the line is parsed and stops in the streaming thread.
#include "tests/bench/playback.h"

#include <gst/gst.h>

#include <atomic>
#include <chrono>

#include "plugin/base/gref.h"

namespace genclip::bench {
namespace {

using Time = std::chrono::steady_clock;

// Time of the awaited event.
struct Arrival {
  const Time::time_point begun = Time::now();
  std::atomic<double> ms = -1;

  void note() { ms = std::chrono::duration<double, std::milli>(Time::now() - begun).count(); }
};

GstPadProbeReturn note_arrival(GstPad *, GstPadProbeInfo *, gpointer data) {
  static_cast<Arrival *>(data)->note();
  return GST_PAD_PROBE_REMOVE;
}

// Records the first buffer, or the end.
enum class Wanted { first_buffer, end };

Result<double> play(const std::string &line, Wanted wanted) {
  Arrival arrival;
  GErrorPtr error;
  const auto pipeline =
      GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(line.c_str(), take(error)))));
  if (error) return Error{ErrorKind::settings, line + ": " + error->message};
  const bool first = wanted == Wanted::first_buffer;
  if (first) {
    const auto sink = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), "sink"));
    const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(sink.get(), "sink"));
    gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, note_arrival, &arrival, nullptr);
  }
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
  gst_element_set_state(pipeline.get(), first ? GST_STATE_PAUSED : GST_STATE_PLAYING);
  const auto message = GRef<GstMessage>::adopt(gst_bus_timed_pop_filtered(
      bus.get(), 120 * GST_SECOND,
      static_cast<GstMessageType>((first ? GST_MESSAGE_ASYNC_DONE : GST_MESSAGE_EOS) | GST_MESSAGE_ERROR)));
  if (!first) arrival.note();
  Result<double> result = arrival.ms.load();
  if (!message) {
    result = Error{ErrorKind::timed_out, line + ": nothing happened in time"};
  } else if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ERROR) {
    gst_message_parse_error(message.get(), take(error), nullptr);
    result = Error{ErrorKind::failed, line + ": " + error->message};
  }
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return result;
}

}  // namespace

Result<double> first_buffer_ms(const std::string &line) { return play(line, Wanted::first_buffer); }

Result<double> whole_ms(const std::string &line) { return play(line, Wanted::end); }

std::string clip_source(const std::string &base_url, const std::string &store, unsigned take) {
  return "genclipsrc model=dance-2.5 prompt=measured poll-interval=10 api-key=sim-key base-url=" + base_url +
         " store=" + store + " take=" + std::to_string(take);
}

}  // namespace genclip::bench
