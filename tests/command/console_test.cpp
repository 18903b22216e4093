// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Foreign text as a word of a command line that a user may copy.
#include <glib.h>
#include <gtest/gtest.h>

#include "plugin/base/shell_word.h"

namespace genclip::test {
namespace {

TEST(ShellWord, LeavesOrdinaryIdsAsTheyAre) {
  for (const char *id : {"t-7", "task_01HZX.9", "a:b/c=d@e", "0"}) EXPECT_EQ(shell_word(id), id);
}

TEST(ShellWord, OfAnythingElseIsOneWordThatRunsNothing) {
  for (const char *id : {"$(touch x)", "`touch x`", "a;b", "a b", "it's", "*", "~", "#x", "\\", ""}) {
    char **words = nullptr;
    int count = 0;
    const std::string line = "genclip store fetch " + shell_word(id);
    ASSERT_TRUE(g_shell_parse_argv(line.c_str(), &count, &words, nullptr)) << line;
    EXPECT_EQ(count, 4) << line;
    EXPECT_STREQ(words[3], id) << line;
    EXPECT_EQ(line.back(), '\'') << line;
    g_strfreev(words);
  }
}

// Else the printed command says: unknown option.
TEST(ShellWord, OfAnOperandIsNoOption) {
  EXPECT_EQ(shell_operand("t-7"), "t-7");
  EXPECT_EQ(shell_operand("-V1StGXR8"), "-- -V1StGXR8");
  EXPECT_EQ(shell_operand("--json;x"), "-- '--json;x'");
}

TEST(ShellWord, HoldsNoControlCharacters) { EXPECT_EQ(shell_word("a\033[2J\u009bm"), "'a [2J m'"); }

}  // namespace
}  // namespace genclip::test
