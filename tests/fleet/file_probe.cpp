// SPDX-License-Identifier: LGPL-2.1-or-later
//
// file_probe info|size|read FILE: how long the file is to that call of FileSystem, and to it alone.
#include <cstdio>
#include <string>
#include <vector>

#include "plugin/base/file_system.h"

int main(int argc, char **argv) {
  using namespace genclip;
  if (argc != 3) return 2;
  const std::string call = argv[1];
  FileSystem &files = FileSystem::posix();
  if (call == "info") {
    const auto info = files.info(argv[2]);
    if (!info || !*info) return 1;
    std::printf("%llu\n", static_cast<unsigned long long>((*info)->size));
    return 0;
  }
  const auto file = files.open(argv[2], FileSystem::Mode::read);
  if (!file) return 1;
  std::vector<std::byte> bytes(1 << 20);
  const Result<uint64_t> size = call == "size" ? (*file)->size() : (*file)->read_at(0, bytes);
  if (!size) return 1;
  std::printf("%llu\n", static_cast<unsigned long long>(*size));
  return 0;
}
