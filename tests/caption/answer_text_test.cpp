// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Fences of markdown in answers, whole and in pieces. cases/gateway.jsonl has the usual ones.
#include "plugin/caption/answer_text.h"

#include <gtest/gtest.h>

#include "plugin/caption/sentence_splitter.h"

namespace genclip::test {
namespace {

// All that comes out, one sentence a line, when the text comes in two pieces that meet at `at`.
std::string spoken(const std::string &text, size_t at) {
  SentenceSplitter splitter;
  std::string all;
  for (const std::string &piece : {text.substr(0, at), text.substr(at)})
    for (const std::string &one : splitter.push(piece)) all += one + "\n";
  for (const std::string &one : splitter.finish()) all += one + "\n";
  return all;
}

TEST(AnswerText, OfAStreamHasNoPieceOfAFenceWhereverItsPiecesEnd) {
  const std::pair<const char *, const char *> kTexts[] = {
      {"```\nA kite. It flies.\n```", "A kite.\nIt flies.\n"},
      {"\r\n ```text\r\nA kite.\r\nIt flies.\r\n``` \r\n", "A kite.\nIt flies.\n"},
      {"~~~~md\nA kite.\n~~~~", "A kite.\n"},
      {"```\nA kite.```", "A kite.\n"},
      {"```A kite. It flies.```", "A kite.\nIt flies.\n"},
      {"```json", ""},
      {"``", ""},
      {"```\nA kite.\n`", "A kite.\n"},
      {"```\nSay `kite`", "Say `kite`\n"},
      {"```\n`a` and ``b``\n``` c\n```", "`a` and ``b``\n``` c\n"},
      {"```\nA kite.\n```\nEnjoy!", "A kite.\nEnjoy!\n"},
      {"`kite` is a word. Yes.", "`kite` is a word.\nYes.\n"},
      {"```a``` is code.\nYes.", "```a``` is code.\nYes.\n"},
      {"```srt title=\"my film\"\nA kite.\n```", "A kite.\n"},
      {"```plain text\nA kite.\n```", "A kite.\n"},
      {"~~~ markdown  text \nA kite.\n~~~", "A kite.\n"},
      {"```A = kite\nIt flies.\n```", "A = kite\nIt flies.\n"},
      {"```a=b  \nIt flies.\n```", "a=b\nIt flies.\n"},
      {"```plain kites\nThey fly.\n```", "plain kites\nThey fly.\n"},
  };
  for (const auto &[text, expected] : kTexts)
    for (size_t at = 0; at <= std::string(text).size(); ++at)
      EXPECT_EQ(spoken(text, at), expected) << text << " in two at " << at;
}

TEST(AnswerText, HasNoFenceBehindOrBeforeWhatNobodySees) {
  for (const std::string &unseen :
       std::vector<std::string>{"\uFEFF", "\u00A0", "\u200B", "\u2060 ", "\u3000"})
    for (const std::string &text : {unseen + "```\nA kite.\n```", "```" + unseen + "\nA kite.\n```",
                                    "```text" + unseen + "\nA kite.\n```", "```\nA kite.\n```" + unseen,
                                    "```\nA kite.\n```" + unseen + "\n", unseen + "```A kite.```" + unseen})
      EXPECT_EQ(answer_text(text), "A kite.") << text;
  EXPECT_EQ(answer_text("\u200F`a` b"), "\u200F`a` b") << "a mark of the direction stays";
}

// A sentence need not wait for the end of the fence that it is in.
TEST(AnswerText, InAFenceLeavesAsItComes) {
  SentenceSplitter splitter;
  EXPECT_TRUE(splitter.push("```text\nA kite.").empty());
  EXPECT_EQ(splitter.push(" It"), std::vector<std::string>{"A kite."});
}

TEST(AnswerText, IsEmptyWhereThereIsNothingToRead) {
  for (const char *text :
       {"", " \n", "```", "```\n```", "``````", "~~~text\n\n~~~\n", "\u200B\u2060 \u00AD", "\u3164"})
    EXPECT_EQ(answer_text(text), "") << text;
  EXPECT_EQ(answer_text("\u200B\na\u0301\n\u200B"), "a\u0301");
}

}  // namespace
}  // namespace genclip::test
