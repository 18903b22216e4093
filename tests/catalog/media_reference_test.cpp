// SPDX-License-Identifier: LGPL-2.1-or-later
//
// References that the service can fetch, and the errors for all others.
#include "plugin/catalog/media_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/catalog/media_limits.h"

namespace genclip {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Reference {
  const char *name;
  std::string url;
  const char *said;  // part of the problem; null when it is fine
};

class Media : public testing::TestWithParam<Reference> {};

TEST_P(Media, ReferenceIsJudged) {
  const auto read = read_reference(GetParam().url, {MediaKind::image, true, {}});
  ASSERT_EQ(read.has_value(), !GetParam().said) << GetParam().url << ": " << (read ? "fine" : read.error());
  if (read) return;
  EXPECT_THAT(read.error(), HasSubstr(GetParam().said)) << GetParam().url;
  EXPECT_THAT(read.error(), Not(HasSubstr("sekret"))) << GetParam().url;
}

INSTANTIATE_TEST_SUITE_P(
    MediaReference, Media,
    testing::Values(
        Reference{"Https", "https://a.example/b.png?sig=sekret#x", nullptr},
        Reference{"HttpWithPort", "http://127.0.0.1:80/b", nullptr},
        Reference{"UpperCase", "HTTPS://A/B", nullptr}, Reference{"Ipv6", "http://[::1]:8080/x", nullptr},
        Reference{"NotAscii", "https://a.example/bildä.png", nullptr},
        Reference{"EscapesNotUtf8", "https://a.example/%E4%F6.mp4?x=%E4#%e4", nullptr},
        Reference{"EscapedNul", "https://a.example/a%00b.png", nullptr},
        Reference{"NoEscape", "https://a.example/100%.png?a=%zz", nullptr},
        Reference{"NoPath", "https://a.example", nullptr},
        Reference{"Braces", "https://a.example/{x}|y", nullptr}, Reference{"Asset", "assetId://abc", nullptr},
        Reference{"AssetWithSlash", "assetId://a/b", nullptr},
        Reference{"AssetWithoutId", "assetId://", "names no asset"},
        Reference{"AssetOneSlash", "assetId:/abc", "write assetId://ID"},
        Reference{"AssetOtherCase", "ASSETID://abc", "write assetId://ID"},
        Reference{"AssetWithBlank", "assetId://a b", "blank"}, Reference{"Empty", "", "is empty"},
        Reference{"Blank", " https://a/b", "a file on this machine"},
        Reference{"BlankInside", "https://a/b c?sekret", nullptr},
        Reference{"BlankInTheHost", "https://a b/c?sekret", "blank"},
        Reference{"BlankWithoutAPath", "https://a?b c", "blank"},
        Reference{"BlankAtTheEnd", "https://a/b.png?sekret ", "blank"},
        Reference{"Tab", "https://a/b\tc", "blank"}, Reference{"Escape", "https://a/\x1b c", "blank"},
        Reference{"NewLine", "https://a/b\nc", "blank"},
        Reference{"NoHost", "https:///x?sekret", "not a complete URL"},
        Reference{"NoSlashes", "https:a", "not a complete URL"},
        Reference{"OnlyScheme", "http://", "not a complete URL"},
        Reference{"Ftp", "ftp://user:sekret@a/b?sekret", "the scheme \"ftp\""},
        Reference{"Gs", "gs://bucket/sekret", "the scheme \"gs\""},
        Reference{"File", "file:///home/sekret.png", "a file on this machine"},
        Reference{"FileUpperCase", "FILE:///x", "a file on this machine"},
        Reference{"Path", "/home/me/a.png", "\"/home/me/a.png\", a file on this machine"},
        Reference{"WindowsPath", "C:\\pictures\\a.png", "a file on this machine"},
        Reference{"RelativePath", "a.png", "a file on this machine"},
        Reference{"HostWithoutScheme", "a.example/b.png?sekret", "a file on this machine"},
        Reference{"Data", "data:image/png;base64,sekret", "embedded data"},
        Reference{"DataUpperCase", "DATA:,sekret", "embedded data"},
        Reference{"JpegInBase64", "/9j/4AAQSkZJRgABAQAAAQABAAD", "is base64"},
        Reference{"PngInBase64", "iVBORw0KGgoAAAANSUhEUg", "is base64"},
        Reference{"LongBase64", std::string(400, 'Q') + "==", "is base64"}),
    [](const auto &row) { return std::string(row.param.name); });

TEST(MediaReference, AssetsNeedTheModelsSupport) {
  const auto read = read_reference("assetId://abc", {MediaKind::video, false, {}});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(),
            "is an asset, which this model does not support; put the video at a public http or https URL and "
            "give that");
}

TEST(Bounds, KeepOrLeaveOutTheirEnds) {
  const Bounds closed{.lower = 2, .upper = 15};
  EXPECT_TRUE(closed.contains(2) && closed.contains(15) && !closed.contains(1.999) &&
              !closed.contains(15.001));
  const Bounds open{.lower = 0.4, .upper = 2.5, .lower_inclusive = false, .upper_inclusive = false};
  EXPECT_TRUE(!open.contains(0.4) && !open.contains(2.5) && open.contains(0.41));
  EXPECT_TRUE(Bounds{}.contains(-1e300));
  EXPECT_EQ(closed.text(), "2 to 15");
  EXPECT_EQ(open.text(), "above 0.4 and below 2.5");
  EXPECT_EQ((Bounds{.upper = 2e7}).text(kBytesPerMegabyte), "at most 20");
}

}  // namespace
}  // namespace genclip
