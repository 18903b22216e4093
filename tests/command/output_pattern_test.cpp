// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Names of output files: what a pattern makes, and what a value cannot do to a path.
#include "plugin/command/output_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace genclip {
namespace {

std::string path_of(std::string_view pattern,
                    const OutputNames &names = {"kite", "dance-2.5", 3, "2026-11-22"}) {
  const auto path = output_path(pattern, names);
  return path ? *path : "error: " + path.error().text;
}

TEST(OutputPattern, PutsInWhatTheClipIs) {
  EXPECT_EQ(path_of("clips/{date}/{name}-{model}-{take}.mp4"), "clips/2026-11-22/kite-dance-2.5-3.mp4");
  EXPECT_EQ(path_of("{name}{name}"), "kitekite");
}

TEST(OutputPattern, LeavesOtherNamesAsTheyAre) {
  for (const char *path : {"kite.mp4", "-", "", "a}b", "a{b", "/tmp/ü.mp4"}) {
    EXPECT_EQ(path_of(path), path);
    EXPECT_FALSE(is_output_pattern(path)) << path;
  }
  EXPECT_EQ(path_of("{{name}}"), "{name}");
  EXPECT_TRUE(is_output_pattern("{name}.mp4"));
}

TEST(OutputPattern, RefusesAWordThatItDoesNotKnow) {
  for (const char *pattern : {"{nmae}.mp4", "{}.mp4", "{NAME}", "{name }"})
    EXPECT_THAT(path_of(pattern), testing::HasSubstr("It may contain {name}")) << pattern;
}

TEST(OutputPattern, RefusesABraceWhoseOtherHalfIsMissing) {
  for (const char *pattern : {"{name", "{name.mp4", "clips/{take-1.mp4", "{name}}.mp4", "{{{date"})
    EXPECT_THAT(path_of(pattern), testing::HasSubstr("other half")) << pattern;
  EXPECT_EQ(path_of("{{{name}}}"), "{kite}");
}

TEST(OutputPattern, AValueLeadsNowhereElse) {
  for (const std::string name :
       {"../../etc/passwd", "/etc/passwd", "..", ".", "", ".hidden", "a/../b", "-rf", "C:\\x", "a\nb",
        "a\x1b[31m", "\xff\xfe", "{model}", " ", "con...", "a?b*c"}) {
    const std::string path = path_of("out/{name}", {name, "", 0, ""});
    ASSERT_TRUE(path.starts_with("out/")) << path;
    const std::string file = path.substr(4);
    EXPECT_FALSE(file.empty()) << name;
    EXPECT_EQ(file.find_first_of("/\\:*?\n\x1b"), file.npos) << file;
    EXPECT_FALSE(file.starts_with('.') || file.starts_with('-') || file.ends_with('.')) << file;
  }
}

TEST(OutputPattern, ALongValueIsCutBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 99; ++i) name += 'a';
  EXPECT_EQ(path_of("{name}", {name + "ü", "", 0, ""}), name);
  EXPECT_EQ(path_of("{name}", {name + "b", "", 0, ""}), name + "b");
}

TEST(OutputPattern, APromptsFirstWordsAreAName) {
  EXPECT_EQ(name_of_prompt("A red kite, over (two) dunes!"), "A-red-kite-over-two-dunes");
  EXPECT_EQ(name_of_prompt("  ../../x  "), "x");
  EXPECT_EQ(name_of_prompt("!?"), "clip");
  EXPECT_EQ(name_of_prompt("一只红色的风筝"), "一只红色的风筝");
  EXPECT_EQ(name_of_prompt("one two three four five six seven eight nine ten eleven"),
            "one-two-three-four-five-six-seven-eight-nine-ten");
  EXPECT_EQ(name_of_prompt(std::string(90, 'a')), std::string(48, 'a'));
}

}  // namespace
}  // namespace genclip
