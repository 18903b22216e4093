// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip-settings-doc FILE…: writes the tables of settings into docs/settings.md and into the man page. The
// tables stand between two lines of comment, "settings: begin" and "settings: end". Without a file, prints
// both tables.
#include <glib.h>

#include <cstdio>
#include <string>

#include "plugin/base/gref.h"
#include "plugin/catalog/settings.h"

namespace genclip {
namespace {

constexpr const char *kBegin = "settings: begin", *kEnd = "settings: end";

// Returns what is wrong; empty: nothing.
std::string write_table(const char *path) {
  char *contents = nullptr;
  GErrorPtr error;
  if (!g_file_get_contents(path, &contents, nullptr, take(error))) return error->message;
  std::string text = GStringPtr(contents).get();
  const size_t begin = text.find('\n', text.find(kBegin));
  const size_t end = text.rfind('\n', text.find(kEnd));
  if (begin == text.npos || end == text.npos || end < begin)
    return std::string(path) + " has no lines \"" + kBegin + "\" and \"" + kEnd + "\"";
  const bool is_markdown = g_str_has_suffix(path, ".md");
  const std::string table = is_markdown ? "\n" + settings_markdown() : settings_manual();
  text.replace(begin + 1, end - begin, table + (is_markdown ? "\n" : ""));
  if (!g_file_set_contents(path, text.data(), static_cast<gssize>(text.size()), take(error)))
    return error->message;
  return {};
}

}  // namespace
}  // namespace genclip

int main(int argc, char **argv) {
  if (argc < 2) printf("%s\n%s", genclip::settings_markdown().c_str(), genclip::settings_manual().c_str());
  for (int i = 1; i < argc; ++i) {
    const std::string problem = genclip::write_table(argv[i]);
    if (problem.empty()) continue;
    fprintf(stderr, "%s\n", problem.c_str());
    return 1;
  }
  return 0;
}
