// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/rundown_reader.h"

#include <gtest/gtest.h>

#include <ctime>

#include "plugin/channel/item_source.h"
#include "plugin/channel/shown_source.h"

namespace genclip::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char *kFolder = "/media";

Rundown read(const std::string &text) {
  auto rundown = read_rundown(text, kFolder);
  if (rundown) return std::move(*rundown);
  ADD_FAILURE() << rundown.error().line << ": " << rundown.error().text;
  return {};
}

RundownLine mistake_in(const std::string &text) {
  const auto rundown = read_rundown(text, kFolder);
  if (!rundown) return rundown.error();
  ADD_FAILURE() << "it is accepted";
  return {};
}

TEST(RundownReader, KnowsWhatSomebodyMayStillBeWriting) {
  for (const char *cut :
       {"", "a.mp4", "a.mp4\nb.mp4", "#EXTM3U\n#EXTINF:5", "{", R"({"program": [{"source": "a.mp4"})",
        R"({"program": ["}]}\"]})", R"([{"source": "a.mp4"},)", "\xEF\xBB\xBF{\"program\": [\n"})
    EXPECT_TRUE(may_be_unfinished(cut)) << cut;
  for (const char *whole : {"a.mp4\n", "a.mp4\r\n", "a.mp4\rb.mp4\r", "\n", R"({"program": []})",
                            R"({"program": [{"x": "{["}]} )", R"({"program": [}]})", R"({"a": "\\"})",
                            "[playlist]\nFile1=a.mp4\n"})
    EXPECT_FALSE(may_be_unfinished(whole)) << whole;
}

TEST(RundownReader, ReadsJsonWithAllMembers) {
  const Rundown rundown = read(R"({"channel": "Dunes", "date": "2026-11-22", "program": [
    {"id": "kite", "title": "Red kite", "source": "genclip://dance-2.5?prompt=a%20red%20kite", "fresh": "each-turn",
     "retry": true},
    {"id": "news", "source": "news.mp4", "in": 1.5, "out": 30, "duration": 99},
    {"id": "noon", "at": "12:00:00", "late": "cut", "source": "file:///media/noon.mp4"},
    {"id": "card", "source": "/abs/card one.png", "duration": 5}],
    "fallback": ["file:///media/ident.mp4", "two.mp4"]})");
  EXPECT_EQ(rundown.channel, "Dunes");
  EXPECT_EQ(rundown.date, "2026-11-22");
  EXPECT_TRUE(rundown.warnings.empty());
  EXPECT_EQ(rundown.fallback, (std::vector<std::string>{"file:///media/ident.mp4", "file:///media/two.mp4"}));
  ASSERT_EQ(rundown.items.size(), 4u);
  RundownItem kite;
  kite.id = "kite";
  kite.title = "Red kite";
  kite.source = "genclip://dance-2.5?prompt=a%20red%20kite";
  kite.fresh = Fresh::each_turn;
  kite.retry = true;
  kite.line = 2;
  EXPECT_EQ(rundown.items[0], kite);
  EXPECT_EQ(rundown.items[1].source, "file:///media/news.mp4");
  EXPECT_EQ(rundown.items[1].in, milliseconds(1500));
  EXPECT_EQ(rundown.items[1].length, milliseconds(28500)) << "out wins over duration";
  EXPECT_EQ(rundown.items[2].at, (StartTime{std::nullopt, std::chrono::hours(12)}));
  EXPECT_EQ(rundown.items[2].late, Late::cut);
  EXPECT_EQ(rundown.items[2].line, 5u);
  EXPECT_EQ(rundown.items[3].source, "file:///abs/card%20one.png");
  EXPECT_EQ(rundown.items[3].length, seconds(5));
  EXPECT_EQ(rundown.find("card"), 3u);
  EXPECT_FALSE(rundown.find("none"));
}

TEST(RundownReader, ReadsM3u) {
  const Rundown rundown = read(
      "#EXTM3U\r\n#EXTINF:12.5 tvg-id=\"a,b\",Red, kite\r\nkite.mp4\r\n# a comment\r\n\r\n#EXTINF:-1,\r\n"
      "http://example.org/b.mp4\r\nc.mp4");
  ASSERT_EQ(rundown.items.size(), 3u);
  EXPECT_EQ(rundown.items[0].title, "Red, kite");
  EXPECT_EQ(rundown.items[0].length, milliseconds(12500));
  EXPECT_TRUE(rundown.items[0].is_length_of_still) << "M3U files round the lengths of clips";
  EXPECT_EQ(rundown.items[0].source, "file:///media/kite.mp4");
  EXPECT_EQ(rundown.items[0].line, 3u);
  EXPECT_FALSE(rundown.items[1].length);
  EXPECT_EQ(rundown.items[1].source, "http://example.org/b.mp4");
  EXPECT_EQ(rundown.items[2].title, "");
  EXPECT_EQ(rundown.items[2].line, 8u);
}

TEST(RundownReader, ReadsOneUriALineInAnyOldEncoding) {
  EXPECT_EQ(read("\xEF\xBB\xBF# list\n  a.mp4 \n\tb.mp4").items.size(), 2u) << "a byte order mark";
  EXPECT_EQ(read("caf\xE9.mp4\n").items[0].source, "file:///media/caf%C3%A9.mp4") << "Latin-1";
  EXPECT_EQ(read("a.mp4\rb.mp4\r").items.size(), 2u) << "lines that end as on an old Mac";
  EXPECT_EQ(read("\xEF\xBB\xBF{\"program\":[{\"source\":\"a.mp4\"}]}").items.size(), 1u);
}

TEST(RundownReader, GivesItemsIdsThatStayWhenOthersMove) {
  const Rundown one = read("a.mp4\nb.mp4\na.mp4\ngenclip://dance-2.5?prompt=kite\n");
  const Rundown two = read("new.mp4\nb.mp4\ngenclip://dance-2.5?prompt=kite\na.mp4\na.mp4\n");
  EXPECT_EQ(one.items[0].id, two.items[3].id);
  EXPECT_EQ(one.items[1].id, two.items[1].id);
  EXPECT_EQ(one.items[2].id, two.items[4].id);
  EXPECT_EQ(one.items[3].id, two.items[2].id);
  EXPECT_EQ(one.items[2].id, one.items[0].id + "-2");
  EXPECT_TRUE(one.items[0].id.starts_with("a-")) << one.items[0].id;
  EXPECT_TRUE(one.items[3].id.starts_with("dance-2.5-")) << one.items[3].id;
  EXPECT_EQ(read("//host/c.mp4\n[a] b.mp4\n").items.size(), 2u) << "odd names are names";
  const std::string taken = one.items[0].id;
  const Rundown three =
      read("{\"program\":[{\"source\":\"a.mp4\"},{\"id\":\"" + taken + "\",\"source\":\"x\"}]}");
  EXPECT_EQ(three.items[0].id, taken + "-2") << "an ID of the file comes first";
}

TEST(RundownReader, WarnsOfEachUnknownMemberOnce) {
  const Rundown rundown = read(
      "{\"channel\": \"x\", \"mode\": 1,\n \"program\": [\n{\"source\": \"a\", \"category\": \"ad\"},\n"
      "{\"source\": \"b\", \"category\": \"ad\",\n \"probe\": {}}]}");
  ASSERT_EQ(rundown.warnings.size(), 3u);
  EXPECT_EQ(rundown.warnings[0].line, 1u);
  EXPECT_EQ(rundown.warnings[1], (RundownLine{3, "The member \"category\" is not known; it is ignored."}));
  EXPECT_EQ(rundown.warnings[2].line, 5u);
}

struct MistakeCase {
  const char *text;
  unsigned line;
  const char *part;
};

TEST(RundownReader, NamesTheFirstLineThatIsWrong) {
  const MistakeCase kCases[] = {
      {"{\"program\": [\n{\"source\": 7}]}", 2, "\"source\" is not a text"},
      {"{\"program\": [\n{\"id\": \"a\"}]}", 2, "no \"source\""},
      {"{\"program\": [\n{\"source\": \"\"}]}", 2, "empty"},
      {"{\"program\": [{\"id\": \"a\",\n\"source\": \"x\"},\n{\"id\": \"a\", \"source\": \"y\"}]}", 3,
       "line 1"},
      {"{\"program\": [\n{\"source\": \"x\",\n\"id\": \"fallback:1\"}]}", 3, "fallback:"},
      {"{\"program\": [\n{\"source\": \"x\",\n\"id\": \"\"}]}", 3, "\"id\" is not"},
      {"{\"program\": [\n{\"source\": \"x\",\n\"id\": \"a\\u001b[1m\"}]}", 3, "\"id\" is not"},
      {"{\"program\": [\n{\"source\": \"x\", \"in\": \"1\"}]}", 2, "\"in\" is not"},
      {"{\"program\": [\n{\"source\": \"x\", \"in\": -1}]}", 2, "\"in\" is not"},
      {"{\"program\": [\n{\"source\": \"x\", \"duration\": 1e300}]}", 2, "\"duration\" is not"},
      {"{\"program\": [\n{\"source\": \"x\", \"in\": 5,\n\"out\": 5}]}", 3, "above \"in\""},
      {"{\"program\": [\n{\"source\": \"x\", \"in\": 5,\n\"duration\": 4}]}", 3, "above \"in\""},
      {"{\"program\": [\n{\"source\": \"x\", \"at\": \"noon\"}]}", 2, "\"at\" is not"},
      {"{\"program\": [\n{\"source\": \"x\", \"late\": \"never\"}]}", 2, "\"after\" or \"cut\""},
      {"{\"program\": [\n{\"source\": \"x\", \"fresh\": true}]}", 2, "\"never\" or \"each-turn\""},
      {"{\"program\": [\n{\"source\": \"x\", \"retry\": 1}]}", 2, "true or false"},
      {"{\"program\": [\n{\"source\": \"x\"}, 7]}", 2, "not an object"},
      {"{\"program\": 7}", 1, "an array"},
      {"{\"program\": [\n{\"source\": \"x\",\n\"source\": \"y\"}]}", 3, "\"source\" twice"},
      {"{\n\"channel\": [], \"program\": []}", 2, "\"channel\" is not a text"},
      {"{\n\"fallback\": [\"a\",\n7], \"program\": [{\"source\": \"x\"}]}", 3, "\"fallback\" is not"},
      {"{}", 0, "\"program\""},
      {"[]", 1, "an object"},
      {"{\"program\": [\n\n{\"source\" \"x\"}]}", 3, "JSON"},
      {"{\"program\": []}", 0, "no items"},
      {"# nothing\n", 0, "no items"},
      {"", 0, "no items"},
      {"a.mp4\nb\x01.mp4\n", 2, "control characters"},
      {"a.mp4\ngenclip://m?prompt=x&api_key=sk-secret\n", 2, "holds a key"},
      {"genclip://m?API%5FKEY=sk-secret", 1, "holds a key"},
      {"genclip://m?h=%7B%22token%22:%22sk-secret%22%7D", 1, "holds a key"},
      {"genclip://user:secret@m?prompt=x", 1, "holds a key"},
      {"\n<?xml version=\"1.0\"?>\n<playlist>\n", 2, "XML"},
      {"a.mp4\n{\"source\": \"b.mp4\"}\n", 2, "JSON must be the whole"},
      {"# day\n{\n  \"program\": []\n}\n", 2, "JSON must be the whole"},
      {"/* day */ {\"program\": []}\n", 1, "JSON must be the whole"},
      {"[playlist]\nFile1=a.mp4\n", 1, "PLS"},
      {"file 'a.mp4'\n", 1, "ffmpeg"},
      {"// today\n{\"program\": [{\"source\": \"b.mp4\"}]}\n", 1, "begins with #"},
      {"ffconcat version 1.0\nfile a.mp4\n", 1, "ffmpeg"},
  };
  for (const MistakeCase &row : kCases) {
    SCOPED_TRACE(row.text);
    const RundownLine mistake = mistake_in(row.text);
    EXPECT_EQ(mistake.line, row.line) << mistake.text;
    EXPECT_NE(mistake.text.find(row.part), std::string::npos) << mistake.text;
    EXPECT_EQ(mistake.text.find("secret"), std::string::npos) << mistake.text;
  }
}

TEST(RundownReader, TakesAUrlThatNeedsAKeyAndShowsNoneOfIt) {
  for (const char *url :
       {"https://media.example/v.mp4?token=sk-secret", "https://media.example/v.mp4?a=1&API%5Fkey=sk-secret",
        "https://user:sk-secret@media.example/v.mp4", "https://user:sk-secret@media.example",
        "https://media.example/v.mp4?sig=sk-secret", "https://media.example/v.mp4#auth=sk-secret"}) {
    SCOPED_TRACE(url);
    const std::string source = std::string("\"") + url + "\"";
    const Rundown rundown =
        read("{\"program\":[{\"source\":" + source + "}], \"fallback\":[" + source + "]}");
    ASSERT_EQ(rundown.items.size(), 1u);
    EXPECT_EQ(rundown.items[0].source, url);
    EXPECT_EQ(rundown.fallback, std::vector<std::string>{url});
    for (const std::string &shown : {rundown.items[0].id, shown_source(url)}) {
      EXPECT_EQ(shown.find("secret"), shown.npos) << shown;
      EXPECT_TRUE(shown.find("media.example") != shown.npos || shown.starts_with("v-")) << shown;
    }
  }
}

TEST(RundownReader, ShowsTheWholeNameOfAFile) {
  for (const char *path : {"/media/x#y.mp4", "/media/why?a=b.mp4", "/media/take=1 token=2.mp4"}) {
    const auto uri = source_uri(path, kFolder);
    ASSERT_TRUE(uri);
    EXPECT_EQ(shown_source(*uri), *uri);
  }
  EXPECT_EQ(shown_source("file:///media/x#y.mp4"), "file:///media/x#y.mp4");
}

TEST(RundownReader, SurvivesWhatIsTooMuch) {
  EXPECT_EQ(mistake_in(std::string(kMaxRundownSize + 1, ' ')).line, 0u);
  const RundownLine clip =
      mistake_in(std::string("\0\0\0\x18"
                             "ftypisom\0\nmoov",
                             18));
  EXPECT_EQ(clip.line, 0u);
  EXPECT_TRUE(clip.text.starts_with("This is not a text, but perhaps a clip.")) << clip.text;
  EXPECT_NE(mistake_in("{\"program\":" + std::string(100000, '[')).text.find("nests"), std::string::npos);
  std::string lines;
  for (size_t i = 0; i <= kMaxRundownItems; ++i) lines += "a.mp4\n";
  EXPECT_EQ(mistake_in(lines).line, kMaxRundownItems + 1);
  lines.resize(lines.size() - 6);
  EXPECT_EQ(read(lines).items.size(), kMaxRundownItems);
  EXPECT_NE(mistake_in(std::string(70000, 'x')).text.find("longer"), std::string::npos);
}

TEST(RundownReader, ReadsADayQuickly) {
  std::string text = "{\"channel\":\"x\",\"date\":\"2026-11-22\",\"program\":[\n";
  for (int i = 0; i < 17280; ++i)
    text += std::string(i > 0 ? ",\n" : "") +
            "{\"in\":0,\"out\":5.0,\"duration\":5.0,\"category\":\"\",\"source\":\"/media/clip" +
            std::to_string(i) + ".mp4\"}";
  text += "]}";
  const std::clock_t begin = std::clock();
  EXPECT_EQ(read(text).items.size(), 17280u);
  EXPECT_LT(std::clock() - begin, 60 * CLOCKS_PER_SEC) << "a third of a second on an idle machine";
}

TEST(RundownReader, ReadsOneItemForInsert) {
  const auto alone = read_rundown_item(R"({"source": "a.mp4", "title": "x"})", kFolder);
  ASSERT_TRUE(alone);
  EXPECT_TRUE(alone->warnings.empty());
  ASSERT_EQ(alone->items.size(), 1u);
  const RundownItem *item = alone->items.data();
  EXPECT_EQ(item->source, "file:///media/a.mp4");
  EXPECT_EQ(item->id, "");
  Rundown rundown;
  const std::string name = name_of_source(item->source);
  for (const std::string &expected : {name, name + "-2", name + "-3"}) {
    RundownItem named = *item;
    named.id = unused_id(rundown, named);
    EXPECT_EQ(named.id, expected);
    insert_item(rundown, named, "", "");
  }
  const auto odd = read_rundown_item(R"({"source": "a.mp4", "category": "x"})", kFolder);
  ASSERT_TRUE(odd);
  ASSERT_EQ(odd->warnings.size(), 1u);
  EXPECT_EQ(odd->warnings[0].text, R"(The member "category" is not known; it is ignored.)");
  EXPECT_FALSE(read_rundown_item("{", kFolder));
  EXPECT_FALSE(read_rundown_item("7", kFolder));
}

}  // namespace
}  // namespace genclip::test
