// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A batch's file as rows: what is understood, and what is wrong in which line.
#include "plugin/command/batch_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/command/batch_request.h"

namespace genclip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// "LINE: name=value name=value"
std::string told(const BatchRow &row) {
  std::string text = std::to_string(row.line) + ":";
  for (const BatchCell &cell : row.cells)
    text += " " + cell.name + "=" + (cell.value.string() ? *cell.value.string() : cell.value.to_text());
  return text;
}

std::vector<std::string> rows_of(std::string_view text, BatchFormat format) {
  const BatchRows rows = read_batch_rows(text, format);
  for (const BatchProblem &problem : rows.problems) ADD_FAILURE() << problem.line << ": " << problem.text;
  std::vector<std::string> all;
  for (const BatchRow &row : rows.rows) all.push_back(told(row));
  return all;
}

std::vector<std::string> problems_in(std::string_view text, BatchFormat format) {
  std::vector<std::string> all;
  for (const BatchProblem &problem : read_batch_rows(text, format).problems)
    all.push_back(std::to_string(problem.line) + ": " + problem.text);
  return all;
}

TEST(BatchRows, AreLinesOfText) {
  EXPECT_THAT(rows_of("\xEF\xBB\xBFone\r\n\n  two, \"three\" \n# four\rfive", BatchFormat::text),
              ElementsAre("1: prompt=one", "3: prompt=two, \"three\"", "4: prompt=# four", "5: prompt=five"));
}

TEST(BatchRows, AreObjectsOfJsonLines) {
  EXPECT_THAT(rows_of("\xEF\xBB\xBF{\"prompt\": \"one\", \"duration\": 5, \"seed\": null}\n\n"
                      "{\"reference_images\": [\"a\", \"b\"]}\r\n",
                      BatchFormat::jsonl),
              ElementsAre("1: prompt=one duration=5", "3: reference_images=[\"a\",\"b\"]"));
}

// The request of the only row, without its model.
std::string request_of(std::string_view text, BatchFormat format, const std::vector<BatchCell> &defaults) {
  const BatchRows rows = read_batch_rows(text, format);
  if (rows.rows.size() != 1) return "not one row";
  const auto clip = batch_clip_of(*Catalog::built_in(), rows.rows[0], defaults);
  return clip ? clip->request.fields.to_text() + clip->request.extra.to_text() : clip.error().text;
}

TEST(BatchRows, TellAllThatIsWrongInARow) {
  const std::string told = request_of("prompt,take,duration,name\n,x,99,kite\n", BatchFormat::csv,
                                      {{"model", "sd_2.0_special"}, {"api", "v3"}});
  for (const char *text : {"take is", "api is", "prompt", "duration is 99"})
    EXPECT_THAT(told, testing::HasSubstr(text));
}

// "1" and 1 would be one clip.
TEST(BatchRows, OfJsonKeepTheTypesOfWhatTheCatalogDoesNotKnow) {
  const std::vector<BatchCell> model = {{"model", "dream-5.0"}};
  const auto request = [&](std::string_view text) { return request_of(text, BatchFormat::jsonl, model); };
  EXPECT_EQ(request(R"({"a":"1","b":"true","c":"[1]","d":1,"e":true,"f":[1],"g":"null"})"),
            R"({}{"a":"1","b":"true","c":"[1]","d":1,"e":true,"f":[1],"g":"null"})");
  // Of a field that it knows, it knows the type.
  EXPECT_EQ(request(R"({"duration":"5","prompt":"1","generate_audio":"TRUE"})"),
            R"({"duration":5,"prompt":"1","generate_audio":true}{})");
  EXPECT_EQ(request_of("a,b,c\n1,true,[1]\n", BatchFormat::csv, model), R"({}{"a":1,"b":true,"c":[1]})")
      << "A table has no types.";
  EXPECT_EQ(request_of(R"({"prompt":"x"})", BatchFormat::jsonl, {model[0], {"style", "1"}}),
            R"({"prompt":"x"}{"style":1})")
      << "Neither has a command line.";
}

TEST(BatchRows, OfJsonLeaveOutAnEmptyListOfMedia) {
  EXPECT_EQ(request_of(R"({"prompt":"x","reference_images":[]})", BatchFormat::jsonl,
                       {{"model", "dance-2.5"}, {"reference_images", "https://a/1"}}),
            R"({"prompt":"x"}{})");
}

TEST(BatchRows, AreRecordsOfCsv) {
  EXPECT_THAT(rows_of("\xEF\xBB\xBF"
                      "name, prompt ,duration\r\n"
                      "a,\"one, \"\"two\"\"\r\nthree\",5\r\n"
                      "\r\n,,\r\n"
                      "b,\"\",\n"
                      "c,four,6",
                      BatchFormat::csv),
              ElementsAre("2: name=a prompt=one, \"two\"\nthree duration=5", "6: name=b",
                          "7: name=c prompt=four duration=6"));
}

TEST(BatchRows, RepeatAColumnForAList) {
  EXPECT_THAT(rows_of("image,image\na,b\nc,\n", BatchFormat::csv),
              ElementsAre("2: image=a image=b", "3: image=c"));
}

TEST(BatchRows, KeepBlanksInsideCells) {
  EXPECT_THAT(rows_of("prompt\n\" a \"\n", BatchFormat::csv), ElementsAre("2: prompt= a "));
}

TEST(BatchRows, OfJsonSayNothingTwiceAndAreAllOfCharacters) {
  EXPECT_THAT(
      problems_in("{\"prompt\":\"a\",\"prompt\":\"b\"}\n{\"prompt\":\"\\ud83d\"}\n"
                  "{\"prompt\":\"a\\u0000b\"}\n{\"prompt\":\"\\ud83d\\ude42 \\u00e4\",\"duration\":5}\n"
                  "{\"bytedance\":{\"a\":1,\"a\":2}}\n{\"a\":[{\"b\":1},{\"b\":2}]}\n",
                  BatchFormat::jsonl),
      ElementsAre("1: Programs read this JSON differently: it has the key \"prompt\" twice.",
                  HasSubstr("2: Programs read this JSON differently: it holds"),
                  HasSubstr("3: Programs read this JSON differently: it holds"),
                  HasSubstr("5: Programs read this JSON differently: it has the key \"a\"")));
}

TEST(BatchRows, TellEachProblemWithItsLine) {
  EXPECT_THAT(problems_in("{\"prompt\": \"one\"}\n{\"prompt\": }\n[1]\n", BatchFormat::jsonl),
              ElementsAre(HasSubstr("2: This is not JSON"), HasSubstr("3: Each line must be a JSON object")));
  EXPECT_THAT(
      problems_in("a,b\n1,2\n1,2,3\n\"x\ny\",1\n1\n", BatchFormat::csv),
      ElementsAre("3: The row has 3 cells, but the first line names 2 columns. A cell that holds a comma "
                  "needs quotation marks around it.",
                  HasSubstr("6: The row has 1 cell, but")));
  EXPECT_THAT(problems_in("a,b\n1,\"2\n3\n", BatchFormat::csv),
              ElementsAre("2: A quotation mark is opened here and never closed."));
  EXPECT_THAT(problems_in("a,b\n\"1\"x,2\n1,2\"\"\n", BatchFormat::csv),
              ElementsAre(HasSubstr("2: There is text behind a closing"),
                          HasSubstr("3: There is a quotation mark in a cell")));
}

TEST(BatchRows, RefuseOtherTables) {
  EXPECT_THAT(problems_in("name;prompt\na;b\n", BatchFormat::csv),
              ElementsAre(HasSubstr("1: The columns are not separated by commas")));
  EXPECT_THAT(problems_in("name,,prompt\na,b,c\n", BatchFormat::csv),
              ElementsAre(HasSubstr("1: A column has no name")));
}

TEST(BatchRows, RefuseWhatIsNotUtf8) {
  EXPECT_THAT(problems_in("one\ntwo\nthr\xFF"
                          "ee\n",
                          BatchFormat::text),
              ElementsAre(HasSubstr("3: The text is not")));
  EXPECT_THAT(problems_in(std::string_view("one\nt\0wo\n", 9), BatchFormat::csv),
              ElementsAre(HasSubstr("2: The text is not")));
  EXPECT_THAT(problems_in("\xFF\xFEo", BatchFormat::csv), ElementsAre(HasSubstr("1: The text is not")));
}

TEST(BatchRows, RefuseAFileWithoutAny) {
  for (const BatchFormat format : {BatchFormat::text, BatchFormat::csv, BatchFormat::jsonl})
    EXPECT_THAT(problems_in("\n\n", format), ElementsAre("0: There are no rows."));
  EXPECT_THAT(problems_in("prompt,duration\n", BatchFormat::csv), ElementsAre("0: There are no rows."));
}

TEST(BatchRows, HaveALimit) {
  std::string text;
  for (size_t i = 0; i < kMaxBatchRows; ++i) text += "a\n";
  EXPECT_THAT(problems_in(text, BatchFormat::text), IsEmpty());
  EXPECT_THAT(problems_in(text + "a\n", BatchFormat::text),
              ElementsAre("100001: There are more than 100000 rows."));
}

TEST(BatchRows, HaveAFormatByTheirName) {
  EXPECT_EQ(batch_format_of("a/b.JSONL"), BatchFormat::jsonl);
  EXPECT_EQ(batch_format_of("b.ndjson"), BatchFormat::jsonl);
  EXPECT_EQ(batch_format_of("b.csv"), BatchFormat::csv);
  EXPECT_EQ(batch_format_of("b.txt"), BatchFormat::text);
  EXPECT_EQ(batch_format_of("b.xlsx"), BatchFormat::automatic);
  EXPECT_EQ(batch_format_of("csv"), BatchFormat::automatic);
}

}  // namespace
}  // namespace genclip
