// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/film_copy.h"

#include <gst/gst.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <utility>

#include "plugin/base/gref.h"
#include "plugin/film/film_place.h"
#include "tests/support/temporary_folder.h"

namespace genclip {
namespace {

using namespace std::chrono_literals;

// Gives up a copy that hangs.
class Patience final : public FilmListener {
 public:
  Patience() {
    // The main context must wake for stops() to be asked.
    timer_ = g_timeout_add(
        100, [](gpointer) -> gboolean { return G_SOURCE_CONTINUE; }, nullptr);
  }
  ~Patience() override { g_source_remove(timer_); }
  void on_progress(const FilmProgress &) override {}
  void on_cost(const std::string &, double) override {}
  void on_warning(const std::string &text) override { ADD_FAILURE() << text; }
  unsigned stops() const override { return std::chrono::steady_clock::now() > limit_ ? 2 : 0; }
  void on_waiting(uint64_t, std::chrono::seconds) override {}

 private:
  const std::chrono::steady_clock::time_point limit_ = std::chrono::steady_clock::now() + 60s;
  unsigned timer_ = 0;
};

// Until the end of the stream; a failure otherwise.
void play(const std::string &line) {
  const auto pipeline =
      GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(line.c_str(), nullptr))));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
  GstMessage *message = gst_bus_timed_pop_filtered(
      bus.get(), 30 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  ASSERT_NE(message, nullptr) << line;
  EXPECT_EQ(GST_MESSAGE_TYPE(message), GST_MESSAGE_EOS) << line;
  gst_message_unref(message);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

std::string content_of(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The muxer waits for the second cue, and the pictures until then are more than the queue holds.
TEST(FilmCopy, ItsOwnCuesMayLieFartherApartThanTheQueuesHold) {
  test::TemporaryFolder folder;
  const std::string cues =
      "1\n00:00:00,500 --> 00:00:01,500\nfirst\n\n2\n00:00:58,000 --> 00:00:59,000\nlast\n\n";
  std::ofstream(folder.file("own.srt")) << cues;
  play("matroskamux name=m ! filesink location=" + folder.file("film.mkv") +
       " videotestsrc num-buffers=240 pattern=snow ! "
       "video/x-raw,format=I420,width=64,height=64,framerate=4/1 ! "
       "x264enc tune=zerolatency speed-preset=ultrafast ! h264parse ! "
       "queue max-size-time=0 max-size-buffers=0 max-size-bytes=0 ! m. filesrc location=" +
       folder.file("own.srt") + " ! subparse ! text/x-raw,format=utf8 ! queue ! m.");
  // The copy to MP4 is copied again, so each format is read as well.
  std::string film = folder.file("film.mkv");
  for (const std::string name : {"1.mkv", "2.mp4", "3.mkv", "4.mp4"}) {
    const std::string copy = folder.file(name);
    auto place = FilmPlace::take(copy, FilmPlace::Kind::copy);
    ASSERT_TRUE(place) << place.error().text;
    const CopyOrder order{"file://" + film, format_named(name), place->part(), 64U << 10};
    const std::vector<FilmTrack> tracks{{"de", {{0s, 60s, "whole"}}}};
    Patience patience;
    const auto copied = copy_film(order, tracks, patience);
    ASSERT_TRUE(copied) << name << ": " << copied.error().text;
    ASSERT_TRUE(place->publish());
    const bool is_mkv = order.format == FilmFormat::mkv;
    const std::string kept = folder.file("kept.srt");
    play("filesrc location=" + copy + (is_mkv ? " ! matroskademux" : " ! qtdemux") +
         " name=d d.video_0 ! queue ! fakesink d.subtitle_0 ! queue ! srtenc ! filesink location=" + kept);
    EXPECT_EQ(content_of(kept), cues) << name;
    if (!is_mkv) film = copy;
  }
}

constexpr char kPicture[] =
    "videotestsrc num-buffers=40 ! video/x-raw,format=I420,width=64,height=64,framerate=10/1 ! ";
const std::vector<FilmTrack> kTrack{{"de", {{0s, 2s, "whole"}}}};

Result<void> copied_to(const std::string &film, const std::string &path, bool is_trial = false) {
  auto place = FilmPlace::take(path, FilmPlace::Kind::copy);
  if (!place) return std::move(place).error();
  CopyOrder order{"file://" + film, format_named(path), place->part()};
  order.is_trial = is_trial;
  Patience patience;
  auto copied = copy_film(order, is_trial ? std::vector<FilmTrack>() : kTrack, patience);
  return copied && !is_trial ? place->publish() : copied;
}

bool is_there(const std::string &path) { return std::ifstream(path).good(); }

// Muxers would drop such pictures, and the copy would be reported as whole.
TEST(FilmCopy, IsRefusedWhereTheContainerTellsNoTimes) {
  test::TemporaryFolder folder;
  const std::string raw = folder.file("film.h264"), avi = folder.file("film.avi"),
                    brief = folder.file("brief.h264");
  const std::string encoded = std::string(kPicture) + "x264enc bframes=2 key-int-max=8 ! h264parse ! ";
  play(encoded + "video/x-h264,stream-format=byte-stream ! filesink location=" + raw);
  play(encoded + "avimux ! filesink location=" + avi);
  play("videotestsrc num-buffers=4 ! x264enc ! video/x-h264,stream-format=byte-stream ! filesink location=" +
       brief);
  for (const std::string &film : {raw, avi, brief}) {
    for (const std::string name : {"a.mkv", "a.mp4"}) {
      for (const bool is_trial : {false, true}) {
        const auto copied = copied_to(film, folder.file(name), is_trial);
        ASSERT_FALSE(copied) << film << name;
        EXPECT_EQ(copied.error().kind, ErrorKind::wrong_type);
        EXPECT_NE(copied.error().text.find("does not tell the times"), std::string::npos)
            << copied.error().text;
        EXPECT_FALSE(is_there(folder.file(name)) || is_there(folder.file(name + ".part")));
      }
    }
  }
}

TEST(FilmCopy, WaitsForStreamsThatAppearLate) {
  test::TemporaryFolder folder;
  const std::string film = folder.file("film.flv");
  play("flvmux name=m ! filesink location=" + film + " " + kPicture +
       "x264enc tune=zerolatency ! h264parse ! queue ! m. audiotestsrc num-buffers=40 samplesperbuffer=800 ! "
       "audio/x-raw,rate=8000,channels=1 ! alawenc ! queue ! m.");
  for (int i = 0; i < 5; ++i) {
    const auto copied = copied_to(film, folder.file("copy.mkv"));
    ASSERT_TRUE(copied) << copied.error().text;
    play("filesrc location=" + folder.file("copy.mkv") +
         " ! matroskademux name=d d.video_0 ! queue ! fakesink d.audio_0 ! queue ! fakesink d.subtitle_0 ! "
         "queue ! "
         "fakesink");
  }
}

// Its decoder asks for memory before the first picture.
TEST(FilmCopy, HasRawPictures) {
  test::TemporaryFolder folder;
  const std::string film = folder.file("film.y4m");
  play(std::string(kPicture) + "y4menc ! filesink location=" + film);
  const auto copied = copied_to(film, folder.file("copy.mkv"));
  ASSERT_TRUE(copied) << copied.error().text;
  play("filesrc location=" + folder.file("copy.mkv") +
       " ! matroskademux name=d d.video_0 ! queue ! fakesink d.subtitle_0 ! queue ! fakesink");
}

TEST(FilmCopy, IsRefusedWhereTheMuxerWouldEndTheProcess) {
  test::TemporaryFolder folder;
  const std::string film = folder.file("film.webm");
  play(std::string(kPicture) + "vp9enc deadline=1 ! webmmux ! filesink location=" + film);
  const auto refused = copied_to(film, folder.file("a.mp4"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("use --to mkv"), std::string::npos) << refused.error().text;
  EXPECT_TRUE(copied_to(film, folder.file("a.mkv")));
}

TEST(FilmCopy, IsRefusedWhereTheMuxerWouldMakeOnePictureOfTwo) {
  test::TemporaryFolder folder;
  const std::string film = folder.file("film.mkv");
  play(std::string(kPicture) +
       "x264enc tune=zerolatency ! h264parse ! capssetter caps=video/x-h264,multiview-mode=side-by-side ! "
       "matroskamux ! filesink location=" +
       film);
  const auto refused = copied_to(film, folder.file("a.mp4"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("use --to mkv"), std::string::npos) << refused.error().text;
  EXPECT_TRUE(copied_to(film, folder.file("a.mkv")));
}

size_t count_of(const std::string &text, const std::string &all) {
  size_t count = 0;
  for (size_t at = all.find(text); at != all.npos; at = all.find(text, at + 1)) ++count;
  return count;
}

// matroskamux writes "The\ Stra\303\237e\ \"7\"" into the tags.
TEST(FilmCopy, HasTheFilmsTitlesAsTheyAre) {
  test::TemporaryFolder folder;
  const std::string film = folder.file("film.mkv"), copy = folder.file("copy.mkv");
  const std::string title = "The Straße \"7\"";
  play(
      std::string(kPicture) + "x264enc tune=zerolatency ! h264parse ! taginject " +
      R"(tags="title=(string)\"The\\ Straße\\ \\\"7\\\"\",artist=Plain" ! matroskamux ! filesink location=)" +
      film);
  ASSERT_EQ(count_of(title, content_of(film)), 1u) << "the name of the track";
  const auto copied = copied_to(film, copy);
  ASSERT_TRUE(copied) << copied.error().text;
  const std::string bytes = content_of(copy);
  EXPECT_EQ(count_of(title, bytes), 2u) << "the tag, too";
  EXPECT_EQ(count_of("\\303", bytes), 0u);
  EXPECT_EQ(count_of("Plain", bytes), 1u);
  play("filesrc location=" + copy +
       " ! matroskademux name=d d.video_0 ! queue ! fakesink d.subtitle_0 ! queue ! fakesink");
}

// matroskademux and matroskamux spell a field of its caps differently.
TEST(FilmCopy, IsRefusedWhereTheMuxerWouldNotTakeThePicture) {
  if (gst_registry_check_feature_version(gst_registry_get(), "matroskamux", 1, 24, 0))
    GTEST_SKIP() << "a newer GStreamer may spell it alike";
  test::TemporaryFolder folder;
  const std::string film = folder.file("film.mkv");
  play(std::string(kPicture) +
       "avenc_ffv1 ! capssetter caps=video/x-ffv,ffversion=1 ! matroskamux ! filesink location=" + film);
  const auto refused = copied_to(film, folder.file("a.mkv"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text,
            "Its picture (FFMpeg v1) cannot be in mkv, as GStreamer writes it; use --to vtt.");
}

TEST(FilmCopy, IsRefusedWhereTheDemuxerNeverEnds) {
  test::TemporaryFolder folder;
  const std::string film = folder.file("film.nut");
  play(std::string(kPicture) + "avenc_mpeg4 ! avmux_nut ! filesink location=" + film);
  const auto refused = copied_to(film, folder.file("a.mkv"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("ffmpeg -i FILM -c copy COPY.mkv"), std::string::npos)
      << refused.error().text;
}

// No muxer ends that has no stream.
TEST(FilmCopy, EndsWhereThereIsNothingToCopy) {
  test::TemporaryFolder folder;
  const std::string sound = folder.file("sound.wav"), archive = folder.file("film.zip");
  play("audiotestsrc num-buffers=10 ! audio/x-raw,rate=8000,channels=1 ! wavenc ! filesink location=" +
       sound);
  std::ofstream(archive) << std::string("PK\3\4", 4) + std::string(4096, '.');
  for (const auto &[film, copy] : {std::pair(sound, "a.mp4"), {archive, "a.mkv"}, {archive, "a.mp4"}}) {
    const auto copied = copied_to(film, folder.file(copy), true);
    ASSERT_FALSE(copied) << film << copy;
    EXPECT_EQ(copied.error().kind, ErrorKind::wrong_type);
    EXPECT_EQ(copied.error().text, "There is no picture in it.");
  }
}

TEST(FilmCopy, IsTriedWithoutLeavingAFile) {
  test::TemporaryFolder folder;
  const std::string film = folder.file("film.mkv"), copy = folder.file("copy.mkv");
  play(std::string(kPicture) +
       "x264enc tune=zerolatency ! h264parse ! matroskamux ! filesink location=" + film);
  std::ofstream(copy) << "an older copy";
  EXPECT_TRUE(copied_to(film, copy, true));
  EXPECT_EQ(content_of(copy), "an older copy");
  EXPECT_FALSE(is_there(copy + ".part"));
}

}  // namespace
}  // namespace genclip
