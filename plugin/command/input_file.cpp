// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/input_file.h"

#include <glib.h>

#include <cerrno>
#include <cstdio>

#include "plugin/command/clip_output.h"
#include "plugin/command/console.h"

namespace genclip {

Result<std::string> read_input(const std::string &path) {
  const bool is_input = path == kStandardOutput;
  FILE *file = is_input ? stdin : fopen(path.c_str(), "rb");
  const auto cannot = [&](const char *why) {
    return Error{ErrorKind::open_read, printable(path) + " cannot be read: " + why};
  };
  if (!file) return cannot(g_strerror(errno));
  std::string text;
  char piece[65536];
  while (const size_t count = fread(piece, 1, sizeof piece, file)) {
    text.append(piece, count);
    if (text.size() > kMaxInputBytes) break;
  }
  const int failed = ferror(file) ? errno : 0;
  if (!is_input) fclose(file);
  if (failed != 0) return cannot(g_strerror(failed));
  if (text.size() > kMaxInputBytes) return cannot("it is larger than 64 MiB");
  return text;
}

}  // namespace genclip
