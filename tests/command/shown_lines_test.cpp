// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Prose in lines that fit a terminal, and settings by the names that its user has typed.
#include "plugin/command/shown_lines.h"

#include <glib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/command/console.h"
#include "plugin/command/option_words.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;

std::vector<std::string> words_of(const std::string &command) {
  char **words = nullptr;
  std::vector<std::string> list;
  if (!g_shell_parse_argv(command.c_str(), nullptr, &words, nullptr)) return list;
  for (char **word = words; *word; ++word) list.emplace_back(*word);
  g_strfreev(words);
  return list;
}

TEST(MessageLines, EndBetweenWords) {
  EXPECT_EQ(message_lines("genclip: The service does not know the task abc. Check it.", 40),
            "genclip: The service does not know the\n  task abc. Check it.");
}

TEST(MessageLines, LeaveALongWordWhole) {
  const std::string path = "/home/me/" + std::string(60, 'x') + "/clip.mp4";
  EXPECT_THAT(message_lines("It is stored as " + path + " now.", 40), HasSubstr("\n  " + path + "\n"));
}

TEST(MessageLines, CountColumnsAndNotBytes) {
  EXPECT_EQ(message_lines("ääääää öööööö üüüüüü ßßßßßß ëëëëëë ïïïïïï", 40),
            "ääääää öööööö üüüüüü ßßßßßß ëëëëëë\n  ïïïïïï");
  // Each of these takes two columns.
  EXPECT_EQ(message_lines("一只红色的风筝在暴风雨中飞过灯塔一只红色的风筝", 40),
            "一只红色的风筝在暴风雨中飞过灯塔一只红\n  色的风筝");
}

TEST(MessageLines, KeepTheLinesOfAList) {
  EXPECT_EQ(message_lines("2 problems:\n  (1) one\n  (2) two that is longer than forty columns", 40),
            "2 problems:\n  (1) one\n  (2) two that is longer than forty\n    columns");
}

TEST(MessageLines, AreOneForAProgram) {
  const std::string text(500, 'x');
  EXPECT_EQ(message_lines(text + " " + text, kNoLimit), text + " " + text);
}

TEST(CommandLines, AreTheSameCommandForAShell) {
  const std::string command =
      R"(genclip generate dance-2.5 prompt="a red kite over 'dunes' \" and the sea\\" )"
      R"('first_image=genclip://veo?prompt=a b#last' take=2 and\ words\ with\ escaped\ blanks -o kite.mp4)";
  const std::string lines = command_lines(command, 40);
  EXPECT_THAT(lines, HasSubstr(" \\\n"));
  EXPECT_EQ(words_of(lines), words_of(command)) << lines;
  EXPECT_EQ(words_of(command).size(), 9u);
}

// A shell would read another prompt, and another clip would be paid.
TEST(CommandLines, EndOnlyBetweenWordsInEveryScript) {
  for (const std::string prompt : {"一隻紅色的風箏在沙丘上空飛翔，長長的影子，緩慢的鏡頭",
                                   "赤い凧が砂丘の上を飛ぶ、 長い影、ゆっくりとしたカメラ",
                                   "a red\u00a0kite over\u00a0the dunes, seen from\u00a0below"}) {
    const std::string command = "genclip: Request: sd_2.0_special 'prompt=" + prompt + "' duration=4 take=2";
    const std::string lines = command_lines(command, 40);
    EXPECT_THAT(lines, HasSubstr(" \\\n    'prompt=" + prompt + "' \\\n"));
    EXPECT_EQ(words_of(lines), words_of(command)) << lines;
  }
}

TEST(CommandLines, KeepWhatIsInParenthesesWhole) {
  const std::string command = "genclip: Request: dance-2.5 'prompt=a (red) kite' take=2 (not complete)";
  for (size_t columns = 40; columns < width_of(command); ++columns)
    EXPECT_THAT(command_lines(command, columns), testing::EndsWith("take=2 (not complete)")) << columns;
}

TEST(CommandLines, AreOneLineWhereTheyFit) {
  const std::string command = "  genclip check dance-2.5 prompt=\"a storm\"";
  EXPECT_EQ(command_lines(command, width_of(command)), command);
  EXPECT_THAT(command_lines(command, width_of(command) - 1), HasSubstr(" \\\n"));
}

TEST(HelpLines, FillParagraphsAnew) {
  EXPECT_EQ(help_lines("Generates a clip,\nand prints\nits path.\n\nExit code: 0\n", 40),
            "Generates a clip, and prints its path.\n\nExit code: 0\n");
}

TEST(HelpLines, KeepATextBesideItsName) {
  const char *help = "Options:\n  -j, --json      Print the outcome of the command as JSON\n";
  EXPECT_EQ(help_lines(help, 50),
            "Options:\n  -j, --json      Print the outcome of the command\n                  as JSON\n");
  // Where too little room is beside it, below it.
  EXPECT_EQ(help_lines("  --a-long-name=WITH-A-VALUE      Print the outcome as JSON\n", 40),
            "  --a-long-name=WITH-A-VALUE\n      Print the outcome as JSON\n");
}

TEST(HelpLines, CanBeCopiedWhereTheyAreExamples) {
  const std::string help = help_lines(
      "Examples:\n  genclip check dance-2.5 prompt=\"a storm\" \\\n      take=1\n  genclip frame clip.mp4\n",
      40);
  EXPECT_EQ(
      help,
      "Examples:\n  genclip check dance-2.5 \\\n      prompt=\"a storm\" take=1\n  genclip frame clip.mp4\n");
}

class OptionWords : public testing::Test {
 protected:
  OptionWords() {
    name_options({"task-id", "base-url", "api-key-file", "proxy", "timeout", "store", "anew"});
  }
  ~OptionWords() override { name_options({}); }
};

TEST_F(OptionWords, AreWhatTheUserHasTyped) {
  EXPECT_EQ(with_options("Check task-id, base-url and the API key, or unset task-id."),
            "Check --task-id, --base-url and the API key, or leave out --task-id.");
  EXPECT_EQ(with_options("It took 5 s (property timeout). The property proxy is wrong."),
            "It took 5 s (--timeout). --proxy is wrong.");
  EXPECT_EQ(with_options("Check api-key, api-key-file or GENCLIP_API_KEY."),
            "Check --api-key-file or GENCLIP_API_KEY.");
  EXPECT_EQ(with_options("reuse=false generates it anew."), "--anew generates it anew.");
}

TEST_F(OptionWords, KnowThatTheIdOfStoreFetchIsNoOption) {
  name_options({"base-url"});
  EXPECT_EQ(with_options("Check task-id, base-url and the API key, or unset task-id."),
            "Check the ID, --base-url and the API key.");
}

TEST_F(OptionWords, AreNotMadeOfOtherWords) {
  for (const char *text :
       {"Set --task-id to it.", "The store has no timeout.", "\"task-id\" is no field.",
        "/home/base-url/x is no file.", "base-url/x is no file.", "task-id-2 failed.", "max-amount is 5."})
    EXPECT_EQ(with_options(text), text);
}

}  // namespace
}  // namespace genclip::test
