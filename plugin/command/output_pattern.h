// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Names of output files that are made of what a clip is: "clips/{name}-{take}.mp4".
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/result.h"
#include "plugin/catalog/clip_request.h"

namespace genclip {

// What the words in braces stand for. Any bytes: they come from prompts and files.
struct OutputNames {
  std::string name;
  std::string model;
  unsigned take = 0;
  std::string date;  // "2026-11-22"
};

// Replaces {name}, {model}, {take} and {date}; "{{" and "}}" stand for a brace. A value becomes a part of one
// file name: it leads to no other folder, is not hidden, has no character that a terminal would not show, and
// at most 100 bytes. Another word in braces, and one of these with one brace, is an error (settings): a
// typing error must not make all clips one file.
Result<std::string> output_path(std::string_view pattern, const OutputNames &names);

// Whether the path of a clip depends on that clip.
bool is_output_pattern(std::string_view path);

// Those of a clip that is generated today, in UTC. `name` empty: a name is made of the prompt.
OutputNames output_names(const ClipRequest &request, const std::string &name = {});

// A name for a clip without one: the first words of its prompt, with hyphens, as "a-red-kite-over-dunes".
std::string name_of_prompt(std::string_view prompt);

}  // namespace genclip
