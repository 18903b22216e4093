// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The clips that projects, playlists, rundowns, scripts and texts name.
#include "plugin/command/found_clips.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/base/gref.h"
#include "plugin/catalog/clip_uri.h"

namespace genclip {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kKite[] = "genclip://dance-2.5?prompt=a%20red%20kite&duration=4";
constexpr char kStorm[] = "genclip://dance-2.5?prompt=a%20storm&duration=4";

std::vector<std::string> uris_of(std::string_view text) {
  std::vector<std::string> uris;
  for (const FoundClip &clip : found_clips(text)) uris.push_back(clip.uri);
  return uris;
}

TEST(FoundClips, OfAProjectAreDecodedAndEachIsOneOnce) {
  const std::string project =
      "<ges version='0.7'>\n"
      "  <!-- formerly genclip://dance-2.5?prompt=old&amp;duration=4\n"
      "       genclip://dance-2.5?prompt=older -->\n"
      "  <asset id='genclip://dance-2.5?prompt=a%20red%20kite&amp;duration=4' properties='properties;'/>\n"
      "  <asset id=\"genclip://dance-2.5?prompt=a%20storm&#38;duration=4\"/>\n"
      "  <clip asset-id='genclip://dance-2.5?prompt=a%20red%20kite&#x26;duration=4'\n"
      "   properties='properties, uri=(string)&quot;genclip://dance-2.5\\?prompt\\=it&apos;s\\ "
      "ok&quot;;'/>\n</ges>";
  EXPECT_THAT(found_clips(project), ElementsAre(FoundClip{kKite, 4}, FoundClip{kStorm, 5},
                                                FoundClip{"genclip://dance-2.5?prompt=it's ok", 7}));
}

TEST(FoundClips, OfAPlaylistAreItsLinesWithoutComments) {
  const std::string list =
      std::string("\xef\xbb\xbf#EXTM3U\r\n#EXTINF:4,kite genclip://dance-2.5?prompt=title\r\n") + kKite +
      "\r\n  # " + kStorm + "\r\nfile:///tmp/x.mp4\r\n" + kStorm;
  EXPECT_THAT(found_clips(list), ElementsAre(FoundClip{kKite, 3}, FoundClip{kStorm, 6}));
}

TEST(FoundClips, OfJsonAreThoseInItsStrings) {
  EXPECT_THAT(
      found_clips(
          "{\"program\":[\n{\"source\":\"genclip:\\/\\/dance-2.5?prompt=a%20red%20kite\\u0026duration=4\"},\n"
          "{\"source\":\"x.mp4\"}],\n\"fallback\":[\"" +
          std::string(kStorm) + "\"]}"),
      ElementsAre(FoundClip{kKite, 2}, FoundClip{kStorm, 4}));
  EXPECT_THAT(found_clips("{\"a\":\"" + std::string(kKite) + "\"}\n\n{\"a\":\"" + kStorm + "\"}\n"),
              ElementsAre(FoundClip{kKite, 1}, FoundClip{kStorm, 3}));
}

TEST(FoundClips, OfAScriptEndWhereTheShellEndsThem) {
  EXPECT_THAT(
      uris_of("#!/bin/sh\ngst-play-1.0 \"genclip://veo?prompt=it's%20late\" 'genclip://veo?prompt=b'\n"
              "uri=$(echo genclip://veo?prompt=c)\n"
              "gst-play-1.0 genclip://veo\\?prompt=d\\&seed=4; genclip://veo?prompt=e|cat \\\n"
              "  `genclip://veo?prompt=f`\n"),
      ElementsAre("genclip://veo?prompt=it's%20late", "genclip://veo?prompt=b", "genclip://veo?prompt=c",
                  "genclip://veo?prompt=d&seed=4", "genclip://veo?prompt=e", "genclip://veo?prompt=f"));
}

TEST(FoundClips, OfAScriptEndAtWhatEndsACommand) {
  EXPECT_THAT(
      uris_of("#!/bin/sh\ngst-play-1.0 genclip://veo?prompt=a;echo done\ngst-play-1.0 genclip://veo?prompt=b;"
              "gst-play-1.0 genclip://veo?prompt=c & gst-play-1.0 \"genclip://veo?prompt=d;e&seed=4\"\n"
              "gst-play-1.0 genclip://veo?prompt=f\\;g&\n"),
      ElementsAre("genclip://veo?prompt=a", "genclip://veo?prompt=b", "genclip://veo?prompt=c",
                  "genclip://veo?prompt=d;e&seed=4", "genclip://veo?prompt=f;g"));
  for (const char *line : {"x genclip://veo?prompt=a&seed=4", "x \"y genclip://veo?prompt=a;b\""}) {
    const auto found = found_clips(std::string("#!/bin/sh\n") + line + "\n");
    ASSERT_EQ(found.size(), 1u) << line;
    EXPECT_THAT(found[0].problem, testing::HasSubstr("for a shell")) << line;
  }
  EXPECT_THAT(uris_of("see genclip://veo?prompt=a&seed=4 or genclip://veo?prompt=b;c\n"),
              ElementsAre("genclip://veo?prompt=a&seed=4", "genclip://veo?prompt=b;c"));
}

TEST(FoundClips, OfASentenceEndBeforeItsPunctuation) {
  EXPECT_THAT(uris_of("See genclip://veo?prompt=a, <genclip://veo?prompt=b> and (genclip://veo?prompt=c).\n"),
              ElementsAre("genclip://veo?prompt=a", "genclip://veo?prompt=b", "genclip://veo?prompt=c"));
}

TEST(FoundClips, OfGesLaunchAreUnescapedOnce) {
  const std::string uri = "genclip://dance-2.5?prompt=50%25%20of%20a%20storm%3F&duration=4";
  EXPECT_THAT(uris_of("ges-launch-1.0 +clip \"" + escaped_for_ges_launch(uri) + "\" duration=4.0"),
              ElementsAre(uri));
  EXPECT_THAT(uris_of(uri), ElementsAre(uri)) << "what is not escaped stays as it is";
}

TEST(FoundClips, OfAFrameAreTheWholeClipAndNestedOnesBelongToTheOuter) {
  EXPECT_THAT(uris_of("genclip frame 'genclip://veo?prompt=a#last'"), ElementsAre("genclip://veo?prompt=a"));
  const std::string outer = "genclip://veo?first_image=genclip://dream-5.0?prompt=x";
  EXPECT_THAT(uris_of(outer), ElementsAre(outer));
}

// For each of these, half of it is a valid request for another clip.
constexpr const char *kWholePrompts[] = {
    "A+storm.", "Run!", "a%20kite%20(red)", "a%20dog's%20life", "red kite&seed=4", "[red] kite:",
    "a;b,c",    "50%25"};

TEST(FoundClips, OfAJsonStringAreTheWholeString) {
  for (const char *prompt : kWholePrompts) {
    const std::string uri = std::string("genclip://veo?prompt=") + prompt;
    EXPECT_THAT(uris_of("{\"source\": \"" + uri + "\"}"), ElementsAre(uri));
  }
  EXPECT_THAT(found_clips("{\n\"genclip://veo?prompt=a b\": 1}"),
              ElementsAre(FoundClip{"genclip://veo?prompt=a b", 2}));
  EXPECT_THAT(uris_of("[\"genclip://veo?prompt=costs%20$5\\\\\"]"),
              ElementsAre("genclip://veo?prompt=costs%20$5\\"));
  EXPECT_THAT(uris_of("[\"gst-play-1.0 'genclip://veo?prompt=a b' (genclip://veo?prompt=c).\"]"),
              ElementsAre("genclip://veo?prompt=a b", "genclip://veo?prompt=c"));
}

TEST(FoundClips, OfALineAreTheWholeLine) {
  for (const char *prompt : kWholePrompts) {
    const std::string uri = std::string("genclip://veo?prompt=") + prompt;
    EXPECT_THAT(uris_of("#EXTM3U\r\n#EXTINF:4,x\r\n  " + uri + " \r\nx.mp4\r\n"), ElementsAre(uri));
  }
}

TEST(FoundClips, OfAQuotedWordEndAtItsQuote) {
  for (const char *prompt : kWholePrompts) {
    const std::string uri = std::string("genclip://veo?prompt=") + prompt;
    EXPECT_THAT(uris_of("gst-play-1.0 \"" + uri + "\"; x"), ElementsAre(uri));
    EXPECT_THAT(uris_of("gst-launch-1.0 playbin \"uri=" + uri + "\""), ElementsAre(uri));
    EXPECT_THAT(uris_of("f(\"\\\"" + uri + "\\\"\\n\");"), ElementsAre(uri));
  }
  EXPECT_THAT(uris_of("x --uri='genclip://veo?prompt=red \"kite\"' \"y\""),
              ElementsAre("genclip://veo?prompt=red \"kite\""));
  EXPECT_THAT(uris_of("sh -c \"x genclip://veo?prompt=a\" 'genclip://veo?prompt=b'"),
              ElementsAre("genclip://veo?prompt=a", "genclip://veo?prompt=b"));
}

TEST(FoundClips, OfAnXmlValueAreTheWholeValue) {
  for (const char *prompt : kWholePrompts) {
    const std::string uri = std::string("genclip://veo?prompt=") + prompt;
    const std::string escaped = GStringPtr(g_markup_escape_text(uri.c_str(), -1)).get();
    EXPECT_THAT(uris_of("<a b=\"" + escaped + "\"/>"), ElementsAre(uri));
    EXPECT_THAT(uris_of("<a>\n  " + escaped + "\n</a>"), ElementsAre(uri));
    EXPECT_THAT(uris_of("<a><![CDATA[" + uri + "]]></a>"), ElementsAre(uri));
  }
  EXPECT_THAT(uris_of("<a b='uri:genclip://veo?prompt=Run!'/>"), ElementsAre("genclip://veo?prompt=Run!"));
  const auto unclear = found_clips("<a>see genclip://veo?prompt=a storm</a>");
  ASSERT_EQ(unclear.size(), 1U);
  EXPECT_NE(unclear[0].problem, "");
  EXPECT_THAT(found_clips("<a>\n<b\n c='genclip://veo?prompt=a'/>\n<d>\ngenclip://veo?prompt=b\n\n</d></a>"),
              ElementsAre(FoundClip{"genclip://veo?prompt=a", 3}, FoundClip{"genclip://veo?prompt=b", 5}));
}

TEST(FoundClips, OfAGesProjectLoseTheBackslashesOfGStreamer) {
  EXPECT_THAT(
      uris_of(
          "<ges><clip metadatas='metadatas, source-uri=(string)&quot;genclip://dance-2.5\\?prompt\\=a\\%20"
          "storm\\&amp;duration\\=4&quot;, x=(string)&quot;genclip://veo\\?prompt\\=\\303\\244\\ "
          "\\&quot;b\\&quot;"
          "&quot;;'/></ges>"),
      ElementsAre(kStorm, "genclip://veo?prompt=\xc3\xa4 \"b\""));
}

TEST(FoundClips, OfAScriptKeepTheirPunctuationAndTheirJoinedLines) {
  EXPECT_THAT(
      found_clips("#!/bin/sh\ngst-play-1.0 \\\n  genclip://veo?prompt=Run! \\\n"
                  "  genclip://veo?prompt=a\\ b\\\n\\&seed=4; x\n\"genclip://veo?prompt=c \\\nd\"\n"
                  "x genclip://veo?prompt=e\n"),
      ElementsAre(FoundClip{"genclip://veo?prompt=Run!", 3}, FoundClip{"genclip://veo?prompt=a b&seed=4", 4},
                  FoundClip{"genclip://veo?prompt=c d", 6}, FoundClip{"genclip://veo?prompt=e", 8}));
}

TEST(FoundClips, OfAnotherTextEndAtWhatItHasOpened) {
  EXPECT_THAT(uris_of("A [kite](genclip://veo?prompt=a%20kite%20(red)) x:[genclip://veo?prompt=b] "
                      "see genclip://veo?prompt=a%20dog's%20life, `x genclip://veo?prompt=c` "
                      "\u201cgenclip://veo?prompt=d\u201d"),
              ElementsAre("genclip://veo?prompt=a%20kite%20(red)", "genclip://veo?prompt=b",
                          "genclip://veo?prompt=a%20dog's%20life", "genclip://veo?prompt=c",
                          "genclip://veo?prompt=d"));
}

TEST(FoundClips, AreProblemsWhereTheyCannotBeReadForCertain) {
  for (const char *line :
       {"x \"genclip://veo?prompt=$PROMPT\"", "x genclip://veo?prompt=a$B", "genclip://veo?prompt=${P}",
        "x 'genclip://veo?prompt=a $5'", "x \"genclip://veo?prompt=`date`\"", "x genclip://veo?prompt=`date`",
        "x \"genclip://veo?prompt=\"$P", "x 'genclip://veo?prompt=a dog'\\''s life'",
        "x genclip://veo?prompt=\"red kite\"", "x genclip://veo?prompt='red kite'",
        "f\"genclip://veo?prompt={p}\"", "\"genclip://veo?prompt={}\".format(p)",
        "x \"genclip://veo?prompt=a", "x 'genclip://veo?prompt=a\\'s'",
        "genclip://veo?prompt=a genclip://veo?prompt=b", "genclip://veo\\?prompt=a"}) {
    const auto clips = found_clips(std::string("\n") + line + "\n");
    ASSERT_EQ(clips.size(), 1U) << line;
    EXPECT_EQ(clips[0].uri, "") << line;
    EXPECT_NE(clips[0].problem, "") << line;
    EXPECT_EQ(clips[0].line, 2U) << line;
  }
}

TEST(FoundClips, AreAProblemInAFileThatIsNotWhatItBeginsAs) {
  const auto line_of_problem = [](std::string_view text) {
    const auto clips = found_clips(text);
    return clips.size() == 1 && clips[0].uri.empty() && !clips[0].problem.empty() ? clips[0].line : 0;
  };
  EXPECT_EQ(line_of_problem("{\"a\": 1,\n\"b\": \"genclip://veo?prompt=a\",\n}\n"), 2U);
  EXPECT_EQ(line_of_problem(std::string_view("{\"a\": \0\xff genclip:", 17)), 1U);
  EXPECT_EQ(line_of_problem("{\"a\": 1}\n{\"a\": \"genclip://veo?prompt=a\"\n"), 2U);
  EXPECT_EQ(line_of_problem("<ges>\n<a b='genclip://veo?prompt=a&duration=4'/></ges>"), 2U);
  EXPECT_EQ(line_of_problem(std::string_view("\xff\xfeg\0e\0n\0", 8)), 1U);
  EXPECT_EQ(line_of_problem("a\r\nb\xe4\n"), 2U);
  EXPECT_THAT(found_clips("{\"a\": 1,\n}"), IsEmpty());
  EXPECT_THAT(uris_of("[playlist]\nFile1=genclip://veo?prompt=red kite!\r\nFile2=GENCLIP://veo?prompt=b\n"),
              ElementsAre("genclip://veo?prompt=red kite!", "GENCLIP://veo?prompt=b"));
  EXPECT_THAT(uris_of("<genclip://veo?prompt=a>"), ElementsAre("genclip://veo?prompt=a"));
}

TEST(FoundClips, AreNoneInWhatOnlyLooksLikeOne) {
  EXPECT_THAT(found_clips(""), IsEmpty());
  EXPECT_THAT(found_clips("genclip:// mygenclip://veo genclip:/veo"), IsEmpty());
}

}  // namespace
}  // namespace genclip
