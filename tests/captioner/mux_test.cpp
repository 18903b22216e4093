// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Captions in files, read back: text, order and times match the gateway and the element.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "tests/captioner/caption_run.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;

const std::string kVideo =
    "videotestsrc name=src num-buffers=60 ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! ";

std::string contents(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// "00:00:01,500", with a comma or a point.
uint64_t milliseconds_of(const std::string &text) {
  unsigned h = 0, m = 0, s = 0, ms = 0;
  EXPECT_EQ(std::sscanf(text.c_str(), "%u:%u:%u%*[.,]%u", &h, &m, &s, &ms), 4) << text;
  return ((h * 60 + m) * 60 + s) * 1000 + ms;
}

// Cues of SubRip and WebVTT, taken apart by hand.
Cues cues_of(const std::string &path) {
  Cues cues;
  std::istringstream text(contents(path));
  for (std::string line; std::getline(text, line);) {
    const size_t arrow = line.find(" --> ");
    if (arrow == std::string::npos) continue;
    Cue cue{milliseconds_of(line.substr(0, arrow)), milliseconds_of(line.substr(arrow + 5)), ""};
    while (std::getline(text, line) && !line.empty() && line != "\r") {
      if (line.ends_with('\r')) line.pop_back();
      cue.text += (cue.text.empty() ? "" : "\n") + line;
    }
    cues.push_back(cue);
  }
  return cues;
}

struct Container {
  const char *encoder, *muxer, *demuxer;
};

class InAContainer : public testing::TestWithParam<Container> {};

TEST_P(InAContainer, TheSubtitleTrackSaysWhatTheGatewaySaid) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/clip";
  for (const char *properties :
       {"interval=1000000000", "interval=1000000000 max-in-flight=8", "interval=1000000000 stream=true",
        "interval=2000000000 max-line-length=20 max-lines=1 max-cps=20 stream=false"}) {
    GatewayServer gateway;
    Cues said;
    {
      CaptionRun run(gateway, kVideo + "tee name=t  t. ! queue ! " + GetParam().encoder +
                                  " ! mux.  t. ! queue ! gencaption name=cap " + properties +
                                  " ! mux.subtitle_0  " + GetParam().muxer +
                                  " name=mux ! filesink location=" + file);
      ASSERT_EQ(run.play(), "") << properties;
      for (const auto &message : run.captions()) {
        guint64 pts = 0, duration = 0;
        const GstStructure *structure = gst_message_get_structure(message.get());
        gst_structure_get(structure, "pts", G_TYPE_UINT64, &pts, "duration", G_TYPE_UINT64, &duration,
                          nullptr);
        said.push_back(
            {pts / GST_MSECOND, (pts + duration) / GST_MSECOND, gst_structure_get_string(structure, "text")});
      }
    }
    if (std::string_view(properties).ends_with("stream=false")) {
      EXPECT_EQ(said.size(), 6u) << "two for each window";
    } else if (!std::string_view(properties).ends_with("true")) {
      EXPECT_EQ(said, each_second(6));
    }
    CaptionRun back(gateway, "filesrc location=" + file + " ! " + GetParam().demuxer +
                                 " name=d  d.subtitle_0 ! queue ! appsink name=out sync=false  "
                                 "d.video_0 ! queue ! fakesink name=video sync=false");
    ASSERT_EQ(back.play(), "") << properties;
    EXPECT_EQ(back.cues(), said) << properties;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, InAContainer,
                         testing::Values(Container{"jpegenc", "matroskamux", "matroskademux"},
                                         Container{"videoconvert ! x264enc tune=zerolatency", "mp4mux",
                                                   "qtdemux"},
                                         Container{"jpegenc", "qtmux", "qtdemux"}),
                         [](const auto &info) { return std::string(info.param.muxer); });

TEST(SubtitleFiles, SayWhatTheGatewaySaid) {
  TemporaryFolder folder;
  for (const char *encoder : {"srtenc", "webvttenc"}) {
    GatewayServer gateway;
    const std::string file = folder.path() + "/" + encoder;
    CaptionRun run(gateway, kVideo + "gencaption name=cap interval=1000000000 ! " + encoder +
                                " ! filesink location=" + file);
    ASSERT_EQ(run.play(), "") << encoder;
    EXPECT_EQ(cues_of(file), each_second(6)) << contents(file);
  }
}

TEST(SubtitleFiles, AreTranslatedWithTheirTimingKept) {
  TemporaryFolder folder;
  const std::string from = folder.path() + "/de.srt", to = folder.path() + "/en.srt";
  std::ofstream(from) << "1\n00:00:00,500 --> 00:00:02,000\n<i>Guten Tag.</i>\n\n"
                         "2\n00:00:02,000 --> 00:00:03,250\nWie geht's?\nGut?\n\n"
                         "3\n00:01:10,000 --> 00:01:12,000\nTsch\xC3\xBC\x73 & danke.\n\n";
  GatewayServer gateway;
  CaptionRun run(gateway, "filesrc location=" + from +
                              " ! subparse ! gencaption name=cap prompt=\"To English\" ! srtenc ! "
                              "filesink location=" +
                              to);
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(cues_of(to), Cues({{500, 2000, "GUTEN TAG."},
                               {2000, 3250, "WIE GEHT'S?\nGUT?"},
                               {70000, 72000, "TSCH\xC3\x9CS & DANKE."}}))
      << contents(to);
  EXPECT_THAT(gateway.gateway().problems(), testing::IsEmpty());
}

}  // namespace
}  // namespace genclip::test
