// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/batch_outputs.h"

#include "plugin/base/file_system.h"

namespace genclip {
namespace {

std::string without_extension(const std::string &path) {
  const size_t dot = path.find_last_of("./");
  return dot == path.npos || path[dot] == '/' ? path : path.substr(0, dot);
}

}  // namespace

std::optional<unsigned> BatchOutputs::add(const std::string &path, bool lacks_extension,
                                          const std::string &key, unsigned line) {
  const std::string whole = destination_path(path);
  const std::string stem = lacks_extension ? whole : without_extension(whole);
  if (const auto found = other(stems_, stem, key)) return found;
  if (const auto found = lacks_extension ? other(whole_by_stem_, stem, key) : other(whole_, whole, key))
    return found;
  const Output output{key, line};
  if (lacks_extension) {
    stems_.emplace(stem, output);
  } else {
    whole_.emplace(whole, output);
    whole_by_stem_.emplace(stem, output);
  }
  return std::nullopt;
}

std::optional<unsigned> BatchOutputs::other(const Outputs &outputs, const std::string &path,
                                            const std::string &key) {
  const auto [begin, end] = outputs.equal_range(path);
  for (auto output = begin; output != end; ++output)
    if (output->second.key != key) return output->second.line;
  return std::nullopt;
}

}  // namespace genclip
