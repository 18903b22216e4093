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

// Into the appsrc "in", the text of that second.
void push_text(CaptionRun &run, const std::string &text, uint64_t second) {
  GstFlowReturn flow = GST_FLOW_OK;
  GstBuffer *buffer = gst_buffer_new_memdup(text.data(), text.size());
  GST_BUFFER_PTS(buffer) = second * GST_SECOND;
  GST_BUFFER_DURATION(buffer) = GST_SECOND;
  g_signal_emit_by_name(run.element("in").get(), "push-buffer", buffer, &flow);
  gst_buffer_unref(buffer);
}

void end_texts(CaptionRun &run) {
  GstFlowReturn flow = GST_FLOW_OK;
  g_signal_emit_by_name(run.element("in").get(), "end-of-stream", &flow);
}

void push_texts(CaptionRun &run, const std::vector<std::string> &texts) {
  for (size_t i = 0; i < texts.size(); ++i) push_text(run, texts[i], i);
  end_texts(run);
}

// What browsers show of a cue of WebVTT is its text without tags and entities, so it must have neither.
// SubRip has no entities.
TEST(SubtitleFiles, ShowWhatIsNoMarkup) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/texts";
  const std::vector<std::string> texts = {"AT&T SELLS 5 < 6 <LAUGHTER> APPLES.", "HE WRITES &AMP; IN HTML.",
                                          "<V BOB>HELLO", "A <00:00:01.000> B"};
  const std::vector<std::string> in_vtt = {"AT&amp;T SELLS 5 &lt; 6 &lt;LAUGHTER&gt; APPLES.",
                                           "HE WRITES &amp;AMP; IN HTML.", "&lt;V BOB&gt;HELLO",
                                           "A &lt;00:00:01.000&gt; B"};
  struct Case {
    const char *encoder;
    const std::vector<std::string> &written;
  };
  for (const Case &one : {Case{"webvttenc", in_vtt},
                          {"queue ! identity ! queue ! webvttenc", in_vtt},
                          {"text/x-raw,format=pango-markup ! webvttenc", in_vtt},
                          {"srtenc", texts},
                          {"queue ! srtenc", texts},
                          {"text/x-raw,format=utf8 ! webvttenc", texts}}) {
    GatewayServer gateway;
    CaptionRun run(gateway,
                   "appsrc name=in format=time caps=text/x-raw,format=utf8 ! gencaption name=cap ! " +
                       std::string(one.encoder) + " ! filesink location=" + file);
    push_texts(run, texts);
    ASSERT_EQ(run.play(), "") << one.encoder;
    Cues expected;
    for (const std::string &text : one.written)
      expected.push_back({1000 * expected.size(), 1000 * expected.size() + 1000, text});
    EXPECT_EQ(cues_of(file), expected) << one.encoder;
  }
}

// The format is chosen anew when the pad gets another peer.
TEST(SubtitleFiles, ShowWhatIsNoMarkupBehindAnEncoderThatCameLater) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/texts";
  GatewayServer gateway;
  CaptionRun run(
      gateway,
      "appsrc name=in format=time caps=text/x-raw,format=utf8 ! gencaption name=cap ! identity name=peer ! "
      "fakesink name=before async=false  webvttenc name=later ! filesink async=false location=" +
          file);
  run.go(GST_STATE_PLAYING);
  push_text(run, "ONE & ALL", 0);
  // The next text ends the wait for texts that overlap.
  push_text(run, "TWO & ALL", 1);
  // Its message comes before its buffer.
  ASSERT_TRUE(run.wait_until_shown("before", 2));
  const auto src = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("cap").get(), "src"));
  const auto relink = [](GstPad *pad, GstPadProbeInfo *, gpointer to) {
    const auto before = GRef<GstPad>::adopt(gst_pad_get_peer(pad));
    gst_pad_unlink(pad, before.get());
    gst_pad_send_event(before.get(), gst_event_new_eos());
    gst_pad_link(pad, static_cast<GstPad *>(to));
    return GST_PAD_PROBE_REMOVE;
  };
  const auto later = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("later").get(), "sink"));
  gst_pad_add_probe(src.get(), GST_PAD_PROBE_TYPE_IDLE, relink, later.get(), nullptr);
  push_text(run, "THREE & ALL", 2);
  end_texts(run);
  ASSERT_EQ(run.finish(), "");
  EXPECT_EQ(cues_of(file), Cues({{2000, 3000, "THREE &amp; ALL"}})) << contents(file);
}

TEST(SubtitleFiles, OfEachLanguageShowWhatIsNoMarkup) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/texts";
  GatewayServer gateway;
  CaptionRun run(gateway,
                 "appsrc name=in format=time caps=text/x-raw,format=utf8 ! gencaption name=cap  cap.src_de ! "
                 "webvttenc ! filesink location=" +
                     file + ".vtt  cap.src_en ! srtenc ! filesink location=" + file + ".srt");
  push_texts(run, {"A & B"});
  ASSERT_EQ(run.play(), "");
  EXPECT_THAT(contents(file + ".vtt"), HasSubstr("A &amp; B"));
  EXPECT_THAT(contents(file + ".srt"), HasSubstr("A & B"));
}

// An mp4 whose picture begins 2 s after its sound, by an empty edit.
TEST(SubtitleFiles, HaveTheTimesOfAFilmWhosePictureBeginsLate) {
  TemporaryFolder folder;
  const std::string film = folder.path() + "/film.mp4", file = folder.path() + "/captions";
  GatewayServer gateway;
  {
    CaptionRun made(
        gateway,
        "videotestsrc num-buffers=40 timestamp-offset=2000000000 ! "
        "video/x-raw,format=I420,width=64,height=36,framerate=10/1 ! x264enc tune=zerolatency ! mux.  "
        "audiotestsrc num-buffers=130 ! audio/x-raw,rate=22050 ! avenc_aac ! aacparse ! mux.  "
        "mp4mux name=mux ! filesink location=" +
            film);
    ASSERT_EQ(made.play(), "");
  }
  for (const char *encoder : {"webvttenc", "srtenc"}) {
    CaptionRun run(gateway,
                   "filesrc location=" + film +
                       " ! qtdemux name=d  d.audio_0 ! queue ! fakesink sync=false  d.video_0 ! queue ! "
                       "avdec_h264 ! videoconvert ! gencaption name=cap interval=2000000000 ! " +
                       encoder + " ! filesink location=" + file);
    ASSERT_EQ(run.play(), "") << encoder;
    const Cues cues = cues_of(file);
    ASSERT_THAT(cues, testing::SizeIs(2)) << contents(file);
    EXPECT_EQ(cues[0].start, 2000u) << encoder;
    EXPECT_EQ(cues[1].start, 4000u) << encoder;
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
