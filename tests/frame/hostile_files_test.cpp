// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Files that are no video, or a bad one: each is refused in time, with the reason.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "plugin/frame/frame.h"
#include "tests/frame/videos.h"
#include "tests/support/temporary_folder.h"

namespace genclip {
namespace {

using test::make_video;
using test::TemporaryFolder;

// "KIND text", or "a frame".
std::string refusal(const std::string &path, FramePosition position = FramePosition::last(),
                    const FrameLimits &limits = {}) {
  const auto frame = frame_at(path, position, limits);
  if (frame) return "a frame";
  switch (frame.error().kind) {
    case ErrorKind::not_found: return "not_found " + frame.error().text;
    case ErrorKind::wrong_type: return "wrong_type " + frame.error().text;
    case ErrorKind::settings: return "settings " + frame.error().text;
    case ErrorKind::failed: return "failed " + frame.error().text;
    default: return "other " + frame.error().text;
  }
}

std::string written(const TemporaryFolder &folder, const std::string &bytes) {
  const std::string path = folder.file("file");
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string bytes_of(const std::string &path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

bool begins(const std::string &text, const std::string &beginning) { return text.starts_with(beginning); }

TEST(HostileFile, ThatIsMissing) {
  EXPECT_PRED2(begins, refusal("/nonexistent/clip.mp4"), "not_found cannot be opened");
}

TEST(HostileFile, ThatIsEmpty) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal(written(folder, "")), "wrong_type is empty.");
}

TEST(HostileFile, ThatIsAFolder) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal(folder.path()), "wrong_type is a folder.");
}

TEST(HostileFile, ThatIsADevice) { EXPECT_EQ(refusal("/dev/zero"), "wrong_type is not a regular file."); }

// Nobody writes to it: an open that waits would wait forever.
TEST(HostileFile, ThatIsAFifo) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo(folder.file("fifo").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder.file("fifo")), "wrong_type is not a regular file.");
}

// A player would open what these name.
TEST(HostileFile, ThatNamesOtherFiles) {
  const TemporaryFolder folder;
  for (const char *text : {"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/"
                           "passwd\n#EXT-X-ENDLIST\n",
                           "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"><image "
                           "href=\"/etc/passwd\"/></svg>\n",
                           "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nt=0 0\nm=video 5000 RTP/AVP 96\n"})
    EXPECT_PRED2(begins, refusal(written(folder, text)), "wrong_type is not an MP4") << text;
}

TEST(HostileFile, ThatIsOnlySound) {
  const TemporaryFolder folder;
  for (const char *muxer : {"avenc_aac ! mp4mux", "vorbisenc ! webmmux"}) {
    test::run_pipeline(std::string("audiotestsrc num-buffers=20 ! audioconvert ! ") + muxer +
                       " ! filesink location=" + folder.file("sound"));
    EXPECT_PRED2(begins, refusal(folder.file("sound")), "wrong_type ") << muxer;
  }
}

TEST(HostileFile, ThatLacksItsEnd) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.mp4"), "10/1", "x264enc speed-preset=ultrafast ! h264parse ! mp4mux");
  const std::string whole = bytes_of(folder.file("clip.mp4"));
  // The index is at the end.
  for (const size_t kept : {size_t{16}, size_t{40}, whole.size() / 2, whole.size() - 1})
    EXPECT_PRED2(begins, refusal(written(folder, whole.substr(0, kept))), "wrong_type ") << kept;
}

TEST(HostileFile, ThatHasAnotherCodec) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.webm"), "10/1", "vp8enc deadline=1 ! webmmux");
  EXPECT_PRED2(begins, refusal(folder.file("clip.webm")), "failed has pictures of a kind");
}

TEST(HostileFile, WithFramesBeyondTheLimit) {
  const TemporaryFolder folder;
  FrameLimits limits;
  limits.max_pixels = 32 * 32 - 1;
  for (const char *codec : {"x264enc speed-preset=ultrafast ! h264parse ! mp4mux", "jpegenc ! qtmux"}) {
    make_video(folder.file("clip"), "10/1", codec);
    EXPECT_PRED2(begins, refusal(folder.file("clip"), FramePosition::first(), limits),
                 "settings has frames of 32×32");
  }
}

// The headers alone: a picture of 60000×60000 pixels would need 10 GB.
TEST(HostileFile, ThatClaimsAHugePicture) {
  const TemporaryFolder folder;
  for (const char *encoder : {"pngenc snapshot=true", "jpegenc"}) {
    test::run_pipeline(
        std::string("videotestsrc num-buffers=1 ! video/x-raw,width=32,height=32 ! videoconvert ! ") +
        encoder + " ! filesink location=" + folder.file("picture"));
    std::string bytes = bytes_of(folder.file("picture"));
    const std::string huge = "\xEA\x60";
    if (bytes.starts_with("\x89PNG")) {
      bytes.replace(18, 2, huge).replace(22, 2, huge);
    } else {
      const size_t frame = bytes.find("\xFF\xC0");
      ASSERT_NE(frame, std::string::npos);
      bytes.replace(frame + 5, 4, huge + huge);
    }
    EXPECT_PRED2(begins, refusal(written(folder, bytes)), "settings has frames of 60000×60000") << encoder;
  }
}

// The demuxer skips a frame without bytes.
TEST(HostileFile, ThatLacksOnlyTheWantedFrame) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.mp4"), "10/1", "jpegenc ! qtmux");
  std::string bytes = bytes_of(folder.file("clip.mp4"));
  const size_t sizes = bytes.rfind("stsz");
  ASSERT_NE(sizes, std::string::npos);
  bytes.replace(sizes + 16 + (test::kFrames - 1) * 4, 4, std::string(4, '\0'));
  EXPECT_PRED2(begins, refusal(written(folder, bytes)), "wrong_type cannot be decoded");
  EXPECT_EQ(refusal(written(folder, bytes), FramePosition::first()), "a frame");
}

// Each byte of the index in turn. Any answer will do, if it comes.
TEST(HostileFile, WithDamageAnywhere) {
  const TemporaryFolder folder;
  make_video(folder.file("clip.mp4"), "10/1", "jpegenc ! qtmux");
  const std::string whole = bytes_of(folder.file("clip.mp4"));
  FrameLimits limits;
  limits.time = std::chrono::seconds(10);
  const size_t index = whole.rfind("moov");
  ASSERT_NE(index, std::string::npos);
  for (size_t i = index; i < whole.size(); i += 7) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xFF);
    EXPECT_FALSE(refusal(written(folder, damaged), FramePosition::last(), limits).empty());
  }
}

}  // namespace
}  // namespace genclip
