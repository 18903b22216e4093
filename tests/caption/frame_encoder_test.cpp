// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Stills decoded again with GStreamer's own decoder, outside of the encoder under test.
#include "plugin/caption/frame_encoder.h"

#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "plugin/base/element_call.h"
#include "tests/support/with_exif.h"

namespace genclip {
namespace {

using Rgb = std::array<int, 3>;

// A picture of that format whose left half is `left` and whose right half is `right`.
Picture halves(const std::string &format, int width, int height, Rgb left, Rgb right, int par_n = 1,
               int par_d = 1) {
  GstVideoInfo rgb;
  gst_video_info_set_format(&rgb, GST_VIDEO_FORMAT_RGB, width, height);
  auto plain = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, rgb.size, nullptr));
  GstVideoFrame frame;
  gst_video_frame_map(&frame, &rgb, plain.get(), GST_MAP_WRITE);
  auto *pixels = static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c)
        pixels[y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0) + 3 * x + c] =
            static_cast<guint8>((x < width / 2 ? left : right)[c]);
  gst_video_frame_unmap(&frame);

  GstVideoInfo info;
  gst_video_info_set_format(&info, gst_video_format_from_string(format.c_str()), width, height);
  info.par_n = par_n;
  info.par_d = par_d;
  auto buffer = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, info.size, nullptr));
  GstVideoFrame in, out;
  gst_video_frame_map(&in, &rgb, plain.get(), GST_MAP_READ);
  gst_video_frame_map(&out, &info, buffer.get(), GST_MAP_WRITE);
  GstVideoConverter *converter = gst_video_converter_new(&rgb, &info, nullptr);
  gst_video_converter_frame(converter, &in, &out);
  gst_video_converter_free(converter);
  gst_video_frame_unmap(&in);
  gst_video_frame_unmap(&out);
  return {buffer, GRef<GstCaps>::adopt(gst_video_info_to_caps(&info))};
}

struct Decoded {
  int width = 0;
  int height = 0;
  Rgb left{};
  Rgb right{};
};

Picture as_jpeg_picture(const std::string &bytes, bool with_size = false, int width = 0, int height = 0) {
  auto caps = GRef<GstCaps>::adopt(gst_caps_new_empty_simple("image/jpeg"));
  if (with_size)
    gst_caps_set_simple(caps.get(), "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, nullptr);
  return {GRef<GstBuffer>::adopt(gst_buffer_new_memdup(bytes.data(), bytes.size())), caps};
}

// Colours in the middle of each half, as displayed.
Decoded decode(const std::string &jpeg) {
  const Picture picture = as_jpeg_picture(jpeg);
  const auto raw = call_element("jpegdec", picture.caps.get(), picture.buffer.get());
  Decoded decoded;
  EXPECT_TRUE(raw);
  if (!raw) return decoded;
  GstVideoInfo info, rgb;
  EXPECT_TRUE(gst_video_info_from_caps(&info, raw->caps.get()));
  decoded.width = info.width;
  decoded.height = info.height;
  gst_video_info_set_format(&rgb, GST_VIDEO_FORMAT_RGB, info.width, info.height);
  auto plain = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, rgb.size, nullptr));
  GstVideoFrame in, out;
  gst_video_frame_map(&in, &info, raw->buffer.get(), GST_MAP_READ);
  gst_video_frame_map(&out, &rgb, plain.get(), GST_MAP_READWRITE);
  GstVideoConverter *converter = gst_video_converter_new(&info, &rgb, nullptr);
  gst_video_converter_frame(converter, &in, &out);
  gst_video_converter_free(converter);
  const auto *pixels = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&out, 0));
  for (int c = 0; c < 3; ++c) {
    const int row = info.height / 2 * GST_VIDEO_FRAME_PLANE_STRIDE(&out, 0);
    decoded.left[c] = pixels[row + 3 * (info.width / 4) + c];
    decoded.right[c] = pixels[row + 3 * (info.width * 3 / 4) + c];
  }
  gst_video_frame_unmap(&in);
  gst_video_frame_unmap(&out);
  return decoded;
}

// Of its encoded picture.
std::string bytes_of(const Result<Still> &still) {
  gsize size = 0;
  guchar *bytes = g_base64_decode(still->base64->c_str(), &size);
  const std::string copy(reinterpret_cast<const char *>(bytes), size);
  g_free(bytes);
  return copy;
}

void expect_near(Rgb seen, Rgb wanted, int tolerance, const std::string &what) {
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(seen[c], wanted[c], tolerance) << what << ", channel " << c;
}

constexpr Rgb kRed = {200, 30, 40};
constexpr Rgb kBlue = {20, 60, 190};

TEST(EncodeStill, KeepsColoursOfEveryFormat) {
  const GstVideoFormat *formats = nullptr;
  guint count = 0;
  formats = gst_video_formats_raw(&count);
  unsigned colourful = 0;
  for (guint i = 0; i < count; ++i) {
    const GstVideoFormatInfo *format = gst_video_format_get_info(formats[i]);
    // Grey, palettes and few bits have no such colours; some opaque ones only their hardware can write.
    if (GST_VIDEO_FORMAT_INFO_IS_GRAY(format) || GST_VIDEO_FORMAT_INFO_HAS_PALETTE(format) ||
        GST_VIDEO_FORMAT_INFO_DEPTH(format, 0) < 5 || GST_VIDEO_FORMAT_INFO_IS_TILED(format))
      continue;
    const std::string name = GST_VIDEO_FORMAT_INFO_NAME(format);
    if (name.starts_with("DMA")) continue;
    const auto still = encode_still(halves(name, 64, 48, kRed, kBlue), 0);
    ASSERT_TRUE(still) << name << ": " << still.error().text;
    EXPECT_EQ(still->mime_type, "image/jpeg");
    const Decoded seen = decode(bytes_of(still));
    EXPECT_EQ(seen.width, 64) << name;
    EXPECT_EQ(seen.height, 48) << name;
    expect_near(seen.left, kRed, 14, name + " left");
    expect_near(seen.right, kBlue, 14, name + " right");
    ++colourful;
  }
  EXPECT_GE(colourful, 60u);
}

TEST(EncodeStill, ScalesTheLongerSideAndKeepsTheShape) {
  struct Case {
    int width, height, par_n, par_d;
    unsigned max;
    int sent_width, sent_height;
  };
  const Case kCases[] = {
      {1920, 1080, 1, 1, 768, 768, 432}, {1080, 1920, 1, 1, 768, 432, 768}, {320, 240, 1, 1, 768, 320, 240},
      {320, 240, 1, 1, 0, 320, 240},     {720, 576, 16, 11, 768, 768, 422}, {720, 480, 8, 9, 0, 640, 480},
      {333, 77, 1, 1, 100, 100, 23},     {2, 2000, 1, 1, 100, 1, 100},      {1, 1, 1, 1, 768, 1, 1},
      {161, 91, 1, 1, 0, 161, 91},
  };
  for (const Case &c : kCases) {
    const std::string what = std::to_string(c.width) + "x" + std::to_string(c.height);
    const auto still = encode_still(halves("I420", c.width, c.height, kRed, kRed, c.par_n, c.par_d), c.max);
    ASSERT_TRUE(still) << what << ": " << still.error().text;
    const Decoded seen = decode(bytes_of(still));
    EXPECT_EQ(seen.width, c.sent_width) << what;
    EXPECT_EQ(seen.height, c.sent_height) << what;
    if (seen.width > 1) expect_near(seen.left, kRed, 10, what);
  }
}

// As decoders hand them out: padded rows, and planes with a gap between them.
TEST(EncodeStill, ReadsOddStridesAndOffsets) {
  const int width = 50, height = 20, stride = 200;
  const size_t offset = 64;
  GstBuffer *buffer = gst_buffer_new_allocate(nullptr, offset + stride * height, nullptr);
  GstMapInfo map;
  gst_buffer_map(buffer, &map, GST_MAP_WRITE);
  std::memset(map.data, 0xFF, map.size);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c)
        map.data[offset + y * stride + 3 * x + c] = static_cast<guint8>((x < width / 2 ? kRed : kBlue)[c]);
  gst_buffer_unmap(buffer, &map);
  gsize offsets[GST_VIDEO_MAX_PLANES] = {offset};
  gint strides[GST_VIDEO_MAX_PLANES] = {stride};
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_RGB, width, height, 1,
                                 offsets, strides);
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_RGB, width, height);
  const auto still =
      encode_still({GRef<GstBuffer>::adopt(buffer), GRef<GstCaps>::adopt(gst_video_info_to_caps(&info))}, 0);
  ASSERT_TRUE(still) << still.error().text;
  const Decoded seen = decode(bytes_of(still));
  expect_near(seen.left, kRed, 14, "left");
  expect_near(seen.right, kBlue, 14, "right");
}

TEST(EncodeStill, TakesEveryRateAndInterlacedVideo) {
  for (const char *fields :
       {"framerate=(fraction)30000/1001", "framerate=(fraction)0/1",
        "framerate=(fraction)25/1, interlace-mode=(string)interleaved, field-order=(string)top-field-first",
        "framerate=(fraction)25/1, interlace-mode=(string)mixed"}) {
    Picture picture = halves("I420", 64, 48, kRed, kBlue);
    const std::string text =
        "video/x-raw, format=(string)I420, width=(int)64, height=(int)48, " + std::string(fields);
    picture.caps = GRef<GstCaps>::adopt(gst_caps_from_string(text.c_str()));
    const auto still = encode_still(picture, 0);
    ASSERT_TRUE(still) << fields << ": " << still.error().text;
    expect_near(decode(bytes_of(still)).right, kBlue, 14, fields);
    EXPECT_TRUE(make_thumbnail(picture)) << fields;
  }
}

TEST(EncodeStill, SendsASmallJpegAsItCameAndScalesALargeOne) {
  const std::string small = bytes_of(encode_still(halves("I420", 100, 50, kRed, kBlue), 0));
  EXPECT_EQ(bytes_of(encode_still(as_jpeg_picture(small), 0)), small);
  EXPECT_EQ(bytes_of(encode_still(as_jpeg_picture(small), 100)), small) << "size not in the caps";
  EXPECT_EQ(bytes_of(encode_still(as_jpeg_picture(small, true, 100, 50), 100)), small);
  const auto scaled = encode_still(as_jpeg_picture(small, true, 100, 50), 40);
  ASSERT_TRUE(scaled) << scaled.error().text;
  const Decoded seen = decode(bytes_of(scaled));
  EXPECT_EQ(seen.width, 40);
  EXPECT_EQ(seen.height, 20);
  expect_near(seen.left, kRed, 14, "left");
}

TEST(EncodeStill, MakesAJpegOfAPng) {
  const Picture rgb = halves("RGB", 60, 40, kRed, kBlue);
  const auto png = call_element("pngenc", rgb.caps.get(), rgb.buffer.get());
  ASSERT_TRUE(png) << png.error().text;
  auto caps = GRef<GstCaps>::adopt(gst_caps_new_empty_simple("image/png"));
  const auto still = encode_still({png->buffer, caps}, 768);
  ASSERT_TRUE(still) << still.error().text;
  EXPECT_EQ(still->mime_type, "image/jpeg");
  const Decoded seen = decode(bytes_of(still));
  EXPECT_EQ(seen.width, 60);
  expect_near(seen.right, kBlue, 14, "right");
}

// Its corners, clockwise from the upper left.
using Corners = std::array<Rgb, 4>;
constexpr Corners kCorners = {{{200, 30, 40}, {20, 60, 190}, {30, 170, 50}, {210, 200, 40}}};

Picture quarters(const std::string &format, int width, int height) {
  Picture picture = halves(format, width, height, kCorners[0], kCorners[1]);
  const Picture lower = halves(format, width, height, kCorners[3], kCorners[2]);
  GstVideoInfo info;
  gst_video_info_from_caps(&info, picture.caps.get());
  GstVideoFrame to, from;
  gst_video_frame_map(&to, &info, picture.buffer.get(), GST_MAP_WRITE);
  gst_video_frame_map(&from, &info, lower.buffer.get(), GST_MAP_READ);
  const auto stride = static_cast<size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&to, 0));
  const size_t half = stride * static_cast<size_t>(height / 2);
  std::memcpy(static_cast<char *>(GST_VIDEO_FRAME_PLANE_DATA(&to, 0)) + half,
              static_cast<const char *>(GST_VIDEO_FRAME_PLANE_DATA(&from, 0)) + half,
              stride * static_cast<size_t>(height - height / 2));
  gst_video_frame_unmap(&to);
  gst_video_frame_unmap(&from);
  return picture;
}

Corners corners_of(const std::string &jpeg, int &width, int &height) {
  const Picture picture = as_jpeg_picture(jpeg);
  const auto raw = call_element("jpegdec", picture.caps.get(), picture.buffer.get());
  Corners corners{};
  EXPECT_TRUE(raw);
  if (!raw) return corners;
  GstVideoInfo info, rgb;
  gst_video_info_from_caps(&info, raw->caps.get());
  width = info.width;
  height = info.height;
  gst_video_info_set_format(&rgb, GST_VIDEO_FORMAT_RGB, info.width, info.height);
  auto plain = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, rgb.size, nullptr));
  GstVideoFrame in, out;
  gst_video_frame_map(&in, &info, raw->buffer.get(), GST_MAP_READ);
  gst_video_frame_map(&out, &rgb, plain.get(), GST_MAP_READWRITE);
  GstVideoConverter *converter = gst_video_converter_new(&info, &rgb, nullptr);
  gst_video_converter_frame(converter, &in, &out);
  gst_video_converter_free(converter);
  const auto *pixels = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&out, 0));
  const std::pair<int, int> kPlaces[] = {{1, 1}, {3, 1}, {3, 3}, {1, 3}};
  for (size_t i = 0; i < 4; ++i)
    for (size_t c = 0; c < 3; ++c)
      corners[i][c] = pixels[kPlaces[i].second * height / 4 * GST_VIDEO_FRAME_PLANE_STRIDE(&out, 0) +
                             3 * (kPlaces[i].first * width / 4) + static_cast<int>(c)];
  gst_video_frame_unmap(&in);
  gst_video_frame_unmap(&out);
  return corners;
}

struct Turn {
  const char *tag;
  GstVideoOrientationMethod method;
  std::array<size_t, 4> from;  // which corner of the picture is seen in each corner of the still
  bool swaps_sides;
};
const Turn kTurns[] = {
    {"rotate-0", GST_VIDEO_ORIENTATION_IDENTITY, {0, 1, 2, 3}, false},
    {"rotate-90", GST_VIDEO_ORIENTATION_90R, {3, 0, 1, 2}, true},
    {"rotate-180", GST_VIDEO_ORIENTATION_180, {2, 3, 0, 1}, false},
    {"rotate-270", GST_VIDEO_ORIENTATION_90L, {1, 2, 3, 0}, true},
    {"flip-rotate-0", GST_VIDEO_ORIENTATION_HORIZ, {1, 0, 3, 2}, false},
    {"flip-rotate-180", GST_VIDEO_ORIENTATION_VERT, {3, 2, 1, 0}, false},
    {"flip-rotate-270", GST_VIDEO_ORIENTATION_UL_LR, {0, 3, 2, 1}, true},
    {"flip-rotate-90", GST_VIDEO_ORIENTATION_UR_LL, {2, 1, 0, 3}, true},
};

void expect_upright(const Result<Still> &still, const Turn &turn, int width, int height,
                    const std::string &what) {
  ASSERT_TRUE(still) << what << ": " << still.error().text;
  int seen_width = 0, seen_height = 0;
  const Corners seen = corners_of(bytes_of(still), seen_width, seen_height);
  EXPECT_EQ(seen_width, turn.swaps_sides ? height : width) << what;
  EXPECT_EQ(seen_height, turn.swaps_sides ? width : height) << what;
  for (size_t i = 0; i < 4; ++i)
    expect_near(seen[i], kCorners[turn.from[i]], 16, what + ", " + std::to_string(i));
}

TEST(EncodeStill, TurnsUprightWhatItsStreamSaysIsTurned) {
  for (const Turn &turn : kTurns)
    for (const unsigned max : {0u, 48u}) {
      Picture picture = quarters("RGB", 96, 64);
      picture.orientation = turn.method;
      expect_upright(encode_still(picture, max), turn, max ? 48 : 96, max ? 32 : 64, turn.tag);
    }
}

TEST(EncodeStill, TurnsUprightAJpegThatSaysItselfThatItIsTurned) {
  const std::string jpeg = bytes_of(encode_still(quarters("RGB", 96, 64), 0));
  for (const Turn &turn : kTurns) {
    const std::string taken = test::with_exif(jpeg, turn.tag);
    Picture picture = as_jpeg_picture(taken, true, 96, 64);
    expect_upright(encode_still(picture, 0), turn, 96, 64, turn.tag);
    expect_upright(encode_still(picture, 48), turn, 48, 32, turn.tag);
    Picture silent = as_jpeg_picture(jpeg, true, 96, 64);
    silent.orientation = turn.method;
    expect_upright(encode_still(silent, 100), turn, 96, 64, std::string(turn.tag) + " by its tag alone");
    // A parser in front reports the same as a tag: the picture is rotated only once.
    picture.orientation = turn.method;
    expect_upright(encode_still(picture, 100), turn, 96, 64, turn.tag);
  }
  EXPECT_EQ(bytes_of(encode_still(as_jpeg_picture(test::with_exif(jpeg, "rotate-0")), 0)),
            test::with_exif(jpeg, "rotate-0"))
      << "what is upright goes as it came";
}

TEST(EncodeStill, SurvivesAnyExif) {
  const std::string jpeg = bytes_of(encode_still(quarters("RGB", 96, 64), 0));
  const std::string whole = test::with_exif(jpeg, "rotate-90");
  const size_t head = whole.size() - jpeg.size() + 40;
  for (size_t cut = 1; cut < head; ++cut) (void)encode_still(as_jpeg_picture(whole.substr(0, cut)), 0);
  for (size_t at = 0; at < head; ++at)
    for (const char byte : {'\0', '\xFF', '\x80'}) {
      std::string changed = whole;
      changed[at] = byte;
      (void)encode_still(as_jpeg_picture(changed), 0);
    }
}

TEST(EncodeStill, MakesEqualBytesOfEqualPicturesWhateverLiesBehindThem) {
  for (const int width : {4, 17, 50, 64, 333}) {
    const auto first = encode_still(halves("I420", width, 20, kRed, kBlue), 0);
    ASSERT_TRUE(first);
    // Memory with unrelated previous content.
    for (unsigned i = 1; i < 20; ++i) {
      std::vector<std::string> used(50, std::string(64 * i, static_cast<char>(i)));
      used.clear();
      const auto again = encode_still(halves("I420", width, 20, kRed, kBlue), 0);
      ASSERT_TRUE(again);
      EXPECT_EQ(again->digest, first->digest) << width;
      EXPECT_EQ(bytes_of(again), bytes_of(first)) << width;
    }
  }
}

TEST(EncodeStill, StopsBetweenItsStepsWhenNobodyWaitsForIt) {
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  g_cancellable_cancel(cancellable.get());
  const auto still = encode_still(halves("I420", 64, 48, kRed, kBlue), 32, cancellable.get());
  ASSERT_FALSE(still);
  EXPECT_EQ(still.error().kind, ErrorKind::cancelled);
  const auto thumbnail = make_thumbnail(halves("I420", 64, 48, kRed, kBlue), cancellable.get());
  ASSERT_FALSE(thumbnail);
  EXPECT_EQ(thumbnail.error().kind, ErrorKind::cancelled);
}

TEST(EncodeStill, RefusesWhatIsNoPicture) {
  const auto text = encode_still(as_jpeg_picture("this is no jpeg"), 10);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::wrong_type);

  Picture cut = halves("I420", 64, 64, kRed, kRed);
  cut.buffer = GRef<GstBuffer>::adopt(gst_buffer_copy_region(cut.buffer.get(), GST_BUFFER_COPY_ALL, 0, 100));
  const auto short_one = encode_still(cut, 0);
  ASSERT_FALSE(short_one);
  EXPECT_EQ(short_one.error().kind, ErrorKind::wrong_type);
}

// It would be paid for, and services refuse most of them.
TEST(EncodeStill, SendsNoJpegThatIsCutAsItCame) {
  const std::string jpeg = bytes_of(encode_still(quarters("RGB", 96, 64), 0));
  for (const std::string &damaged :
       {std::string("\xFF\xD8\xFF\xE0garbage"), jpeg.substr(0, jpeg.size() / 3), jpeg.substr(0, 40)}) {
    for (const unsigned max_size : {0U, 640U}) {
      const auto still = encode_still(as_jpeg_picture(damaged, true, 96, 64), max_size);
      if (!still) {
        EXPECT_EQ(still.error().kind, ErrorKind::wrong_type);
        continue;
      }
      EXPECT_GT(damaged.size(), 40U) << "there is nothing to read in it";
      EXPECT_TRUE(bytes_of(still).ends_with("\xFF\xD9"));
    }
  }
  // Some cameras leave out the mark of the end.
  const auto open = encode_still(as_jpeg_picture(jpeg.substr(0, jpeg.size() - 2), true, 96, 64), 640);
  ASSERT_TRUE(open) << open.error().text;
  EXPECT_TRUE(bytes_of(open).ends_with("\xFF\xD9"));
}

TEST(Difference, TellsHowMuchAPictureChanged) {
  const auto thumbnail = [](Rgb left, Rgb right) {
    return *make_thumbnail(halves("I420", 640, 360, left, right));
  };
  constexpr Rgb kBlack = {0, 0, 0}, kWhite = {255, 255, 255};
  EXPECT_EQ(difference(thumbnail(kRed, kBlue), thumbnail(kRed, kBlue)), 0);
  EXPECT_NEAR(difference(thumbnail(kBlack, kBlack), thumbnail(kWhite, kWhite)), 1, 0.01);
  EXPECT_NEAR(difference(thumbnail(kBlack, kBlack), thumbnail(kBlack, kWhite)), 0.5, 0.02);
  for (const auto pixels : {ThumbnailPixels::all, ThumbnailPixels::some}) {
    const auto half = make_thumbnail(halves("I420", 640, 360, kBlack, kWhite), nullptr, pixels);
    EXPECT_NEAR(difference(thumbnail(kBlack, kWhite), *half), 0, 0.01);
    const auto small = make_thumbnail(halves("I420", 100, 60, kBlack, kWhite), nullptr, pixels);
    EXPECT_NEAR(difference(thumbnail(kBlack, kWhite), *small), 0, 0.02);
  }
  EXPECT_EQ(difference({}, {}), 1);
  EXPECT_EQ(difference({1, 2}, {1}), 1);
}

}  // namespace
}  // namespace genclip
