// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The page of all clips: what it contains, and what a text of others cannot put into it.
#include "plugin/command/gallery_page.h"

#include <glib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace genclip {
namespace {

using testing::HasSubstr;
using testing::Not;

GalleryClip kite() {
  return {"0123456789abcdef", "a red kite",        "dance-2.5", "complete", 2, 1.5,
          1763800000,         "/tmp/a b/clip.mp4", "JPEG"};
}

size_t count_of(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

TEST(GalleryPage, ShowsWhatIsKnownOfAClip) {
  const std::string page = gallery_page("Clips", {kite()});
  for (const char *part : {"a red kite", "dance-2.5 · take 2 · 1.5 credits · 2025-11-22 · ", ">01234567<",
                           "href=\"file:///tmp/a%20b/clip.mp4\"", "src=\"data:image/jpeg;base64,SlBFRw==\"",
                           "data-cost=\"1.5\"", "data-date=\"1763800000\"", ">1 clip<"})
    EXPECT_THAT(page, HasSubstr(part));
}

TEST(GalleryPage, LeavesOutWhatIsUnknown) {
  GalleryClip clip;
  clip.key = "0123456789";
  clip.state = "failed";
  const std::string page = gallery_page("Clips", {clip});
  EXPECT_THAT(page, HasSubstr("no picture"));
  EXPECT_THAT(page, HasSubstr(">failed · <"));
  EXPECT_EQ(page.find("data-cost=\""), page.npos);
  EXPECT_EQ(page.find("href=\"file:"), page.npos);
}

TEST(GalleryPage, BeginsWithTheNewest) {
  GalleryClip older = kite();
  older.prompt = "the older one";
  older.date -= 5;
  const std::string page = gallery_page("Clips", {older, kite()});
  EXPECT_LT(page.find("a red kite"), page.find("the older one"));
}

TEST(GalleryPage, TakesATextOfOthersForNothingButText) {
  const std::string tame = gallery_page("Clips", {kite()});
  for (const char *hostile : {"<script>alert(1)</script>", "</article></main><script src=x>",
                              "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "<!-- ", "]]>",
                              "&lt;script&gt;", "</title><script>", "javascript:alert(1)", "\xff\xfe<b>",
                              "\xe2\x80\xae<i>", "a\n<script>\r\nb", "{{prompt}} ${prompt} `x`"}) {
    GalleryClip clip = kite();
    clip.prompt = clip.model = clip.state = clip.key = hostile;
    const std::string page = gallery_page(hostile, {clip});
    for (const char *mark : {"<script", "<img", "<article", "</", "<b>", "<i>", "<!--"})
      EXPECT_EQ(count_of(page, mark), count_of(tame, mark)) << mark << " in the page of " << hostile;
    EXPECT_EQ(count_of(page, "\""), count_of(tame, "\"")) << hostile;
    EXPECT_TRUE(g_utf8_validate(page.data(), static_cast<gssize>(page.size()), nullptr)) << hostile;
  }
  GalleryClip ampersand = kite();
  ampersand.prompt = "&lt;b&gt; & co";
  EXPECT_THAT(gallery_page("Clips", {ampersand}), HasSubstr("&amp;lt;b&amp;gt; &amp; co"));
}

TEST(GalleryPage, AsksForNothingOutsideAndRunsItsOwnScriptAlone) {
  const std::string page = gallery_page("Clips", {kite()});
  EXPECT_THAT(page, HasSubstr("default-src 'none'; img-src data:; style-src 'sha256-"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe")));
  for (const char *outside : {"http:", "https:", "//cdn", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
}

}  // namespace
}  // namespace genclip
