// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Answers of all lengths in eight scripts, and what a reader counts in them.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace genclip::test {

struct Script {
  const char *name;
  bool has_spaces;
  std::vector<std::string> words;
  std::vector<std::string> phrase_ends;
  std::vector<std::string> sentence_ends;
};
const std::vector<Script> &scripts();

struct RandomAnswer {
  std::string text;
  std::vector<std::string> words;
  bool has_lines = false;  // line feeds of its own
};
RandomAnswer random_answer(const Script &script, std::mt19937 &random);

// Columns as a terminal counts them, from the tables of the Unicode standard; one for a line feed.
size_t width(std::string_view text);

// Without blanks, ellipses, commas, dashes, and controls of direction: what a layout must not change.
std::string letters(std::string_view text);

// True if a cluster that people see as one character is cut in front of `text`.
bool begins_inside_a_cluster(std::string_view text);

std::vector<std::string> split(std::string_view text, std::string_view separators);

}  // namespace genclip::test
