// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/batch_outputs.h"

#include "plugin/base/file_system.h"

namespace genclip {
namespace {

std::string without_extension(const std::string &path) {
  const size_t dot = path.find_last_of("./");
  return dot == path.npos || path[dot] == '/' ? path : path.substr(0, dot);
}

std::optional<unsigned> line_of(const std::map<std::string, unsigned> &lines, const std::string &path) {
  const auto found = lines.find(path);
  return found == lines.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<unsigned> BatchOutputs::add(const std::string &path, bool lacks_extension, unsigned line) {
  const std::string whole = destination_path(path);
  const std::string stem = lacks_extension ? whole : without_extension(whole);
  if (const auto other = line_of(stems_, stem)) return other;
  if (const auto other = lacks_extension ? line_of(whole_by_stem_, stem) : line_of(whole_, whole))
    return other;
  if (lacks_extension) {
    stems_.emplace(stem, line);
  } else {
    whole_.emplace(whole, line);
    whole_by_stem_.emplace(stem, line);
  }
  return std::nullopt;
}

}  // namespace genclip
