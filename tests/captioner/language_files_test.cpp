// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Languages in files, as another program reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/captioner/caption_run.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

const std::string kVideo =
    "videotestsrc name=src num-buffers=40 ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! ";

// What ffprobe says of the subtitle streams, a line each.
std::string subtitles_of(const std::string &file, const std::string &what) {
  gchar *out = nullptr;
  gint status = -1;
  const std::string line =
      "ffprobe -v error -select_streams s -of csv=p=0 -show_entries " + what + " " + file;
  EXPECT_TRUE(g_spawn_command_line_sync(line.c_str(), &out, nullptr, &status, nullptr)) << line;
  EXPECT_EQ(status, 0) << line;
  return GStringPtr(out).get();
}

struct Container {
  const char *name, *encoder, *muxer, *languages;
};

class LanguagesInAContainer : public testing::TestWithParam<Container> {};

TEST_P(LanguagesInAContainer, AreThoseOfThePads) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/film";
  GatewayServer gateway;
  CaptionRun run(gateway,
                 kVideo + "tee name=t  t. ! queue ! " + GetParam().encoder +
                     " ! queue max-size-time=0 max-size-buffers=0 max-size-bytes=0 ! mux.  t. ! queue ! "
                     "gencaption name=cap interval=1000000000  cap.src_de ! mux.  cap.src_en ! mux.  "
                     "cap.src_pt-BR ! mux.  " +
                     GetParam().muxer + " name=mux ! filesink location=" + file);
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(subtitles_of(file, "stream_tags=language"), GetParam().languages);
  EXPECT_EQ(gateway.gateway().calls(), 4u);
  // And each track has its own text.
  for (const auto &[pad, language] :
       {std::pair{"subtitle_0", "de"}, {"subtitle_1", "en"}, {"subtitle_2", "pt-BR"}}) {
    CaptionRun back(gateway,
                    "filesrc location=" + file + " ! " +
                        (std::string_view(GetParam().muxer) == "matroskamux" ? "matroskademux" : "qtdemux") +
                        " name=d  d." + pad + " ! queue ! appsink name=out sync=false");
    ASSERT_EQ(back.play(), "") << pad;
    const Cues cues = back.cues();
    ASSERT_EQ(cues.size(), 4u) << pad;
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_EQ(cues[i].text, std::string(language) + ": " + caption_at(i));
      EXPECT_EQ(cues[i].start, 1000 * i) << pad;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, LanguagesInAContainer,
                         testing::Values(Container{"Matroska", "jpegenc", "matroskamux", "ger\neng\npor\n"},
                                         Container{"Mp4", "videoconvert ! x264enc tune=zerolatency", "mp4mux",
                                                   "deu\neng\npor\n"},
                                         Container{"QuickTime", "jpegenc", "qtmux", "deu\neng\npor\n"}),
                         [](const auto &info) { return std::string(info.param.name); });

}  // namespace
}  // namespace genclip::test
