// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/task_id.h"

#include <glib.h>

#include <algorithm>

#include "plugin/catalog/clip_uri.h"
#include "plugin/catalog/media_extension.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

constexpr std::string_view kBeginningsOfPaths[] = {"/", "./", "../", "~"};

bool has_scheme(std::string_view text) { return text.find("://") != text.npos; }

bool is_path(std::string_view text) {
  return std::ranges::any_of(kBeginningsOfPaths, [&](auto begin) { return text.starts_with(begin); }) ||
         !media_type_of_path(text).empty() || text.ends_with(".json");
}

bool is_no_letter(char c) { return g_ascii_isspace(c) || g_ascii_iscntrl(c); }

std::string no_id(std::string_view text, const char *what) {
  return quoted(text) + " is " + what + ", not the ID of a task; genclip store list shows the IDs.";
}

}  // namespace

std::string task_id_problem(std::string_view text) {
  if (text.starts_with(kClipUriScheme) && has_scheme(text))
    return no_id(text, "the URI of a request, which genclip generate takes");
  if (has_scheme(text)) return no_id(text, "a URI");
  if (is_path(text)) return no_id(text, "the path of a file");
  if (std::ranges::any_of(text, is_no_letter)) return no_id(text, "a text with blanks");
  return {};
}

}  // namespace genclip
