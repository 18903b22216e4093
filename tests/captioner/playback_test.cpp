// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The documented lines that show captions over a film: the picture never stalls, however slow the gateway is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <sstream>

#include "tests/captioner/caption_run.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

constexpr auto kSlow = std::chrono::milliseconds(2000);
// People do not see less.
constexpr uint64_t kStall = 100 * GST_MSECOND;
constexpr unsigned kSeconds = 16;

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

// The command lines of the element's document below this comment.
std::vector<std::string> documented(const std::string &comment) {
  std::ifstream document(GENCLIP_DOCS "/elements/gencaption.md");
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(document, line) && !line.starts_with("# " + comment)) continue;
  for (std::string whole; std::getline(document, line) && !line.empty();) {
    const bool goes_on = line.ends_with('\\');
    whole += goes_on ? line.substr(0, line.size() - 1) : line;
    if (goes_on) continue;
    lines.push_back(replaced(whole, "gst-launch-1.0 ", ""));
    whole.clear();
  }
  return lines;
}

// How long after its time a picture arrived at the sink, at most.
class Lateness {
 public:
  explicit Lateness(const CaptionRun &run) : pipeline_(run.pipeline()) {
    const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("sink").get(), "sink"));
    gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_picture, this, nullptr);
  }
  uint64_t most() const { return most_; }
  unsigned pictures() const { return pictures_; }

 private:
  static GstPadProbeReturn on_picture(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    auto &self = *static_cast<Lateness *>(data);
    ++self.pictures_;
    const auto clock = GRef<GstClock>::adopt(gst_element_get_clock(self.pipeline_));
    const auto event = GRef<GstEvent>::adopt(gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0));
    if (!clock || !event || GST_STATE(self.pipeline_) != GST_STATE_PLAYING) return GST_PAD_PROBE_OK;
    const GstSegment *segment = nullptr;
    gst_event_parse_segment(event.get(), &segment);
    const uint64_t due = gst_segment_to_running_time(segment, GST_FORMAT_TIME,
                                                     GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)));
    const uint64_t now = gst_clock_get_time(clock.get()) - gst_element_get_base_time(self.pipeline_);
    if (GST_CLOCK_TIME_IS_VALID(due) && now > due) self.most_ = std::max<uint64_t>(self.most_, now - due);
    return GST_PAD_PROBE_OK;
  }

  GstElement *const pipeline_;
  std::atomic<uint64_t> most_ = 0;
  std::atomic<unsigned> pictures_ = 0;
};

class Playback : public testing::Test {
 protected:
  Playback() {
    gateway_.gateway().set_pace({.chunk = 0, .before = kSlow, .between = {}});
    CaptionRun film(gateway_,
                    "videotestsrc num-buffers=" + std::to_string(25 * kSeconds) +
                        " ! video/x-raw,width=160,height=90,framerate=25/1 ! x264enc "
                        "speed-preset=ultrafast key-int-max=25 ! h264parse ! mp4mux ! filesink location=" +
                        film_);
    EXPECT_EQ(film.play(), "");
  }

  std::string ready(const std::string &line, const std::string &properties) const {
    return replaced(
        replaced(replaced(line, "film.mp4", film_), "autovideosink", "fakesink name=sink sync=true"),
        "gencaption ", "gencaption name=cap " + properties + " ");
  }

  // A busy machine makes pictures late now and then; a stall by its cause comes each time.
  void expect_no_stall(const std::string &line) {
    uint64_t best = GST_CLOCK_TIME_NONE;
    for (int round = 0; round < 3 && best > kStall; ++round) {
      CaptionRun run(gateway_, line);
      const Lateness lateness(run);
      ASSERT_EQ(run.play(std::chrono::seconds(60)), "");
      EXPECT_EQ(lateness.pictures(), 25 * kSeconds);
      EXPECT_EQ(run.stat("captions"), (kSeconds + 4) / 5);
      best = std::min(best, lateness.most());
    }
    EXPECT_LE(best / GST_MSECOND, kStall / GST_MSECOND) << line;
    std::cout << "at most " << best / GST_MSECOND << " ms late\n";
  }

  TemporaryFolder folder_;
  const std::string film_ = folder_.path() + "/film.mp4";
  GatewayServer gateway_;
};

TEST_F(Playback, OfTheDocumentedLineDoesNotStallWhenAnswersTakeTwoSeconds) {
  const auto lines = documented("Show captions over the picture");
  ASSERT_EQ(lines.size(), 1u);
  expect_no_stall(ready(lines[0], ""));
}

TEST_F(Playback, InTwoPassesAsksInTheFirstAndDoesNotStallInTheSecond) {
  const auto lines = documented("The same in two passes");
  ASSERT_EQ(lines.size(), 2u);
  const std::string store = "store=" + folder_.path() + "/store";
  CaptionRun asks(gateway_, ready(lines[0], "cache=auto " + store));
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(asks.play(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(kSeconds))
      << "faster than it plays";
  EXPECT_EQ(gateway_.gateway().calls(), (kSeconds + 4) / 5);
  expect_no_stall(ready(lines[1], store));
  EXPECT_EQ(gateway_.gateway().calls(), (kSeconds + 4) / 5) << "the store has all answers";
}

}  // namespace
}  // namespace genclip::test
