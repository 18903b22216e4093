// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Every input that a fuzz target has ever broken on, and its other seeds, once.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <vector>

#include "tests/fuzz/hold.h"

namespace genclip {
namespace {

using Run = int (*)(const uint8_t *data, size_t size);

std::map<std::string, Run> &targets() {
  static std::map<std::string, Run> all;
  return all;
}

std::vector<std::filesystem::path> seeds(const std::string &target) {
  std::vector<std::filesystem::path> found;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::filesystem::path(GENCLIP_CORPUS) / target))
    found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

TEST(FuzzCorpora, BreakNoTarget) {
  EXPECT_GE(targets().size(), 20u);
  for (const auto &[name, run] : targets()) {
    const auto files = seeds(name);
    EXPECT_FALSE(files.empty()) << name;
    for (const auto &path : files) {
      std::ifstream file(path, std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(file), {});
      // A broken target ends the program: the last line names its input.
      std::cout << name << " " << path.filename().string() << std::endl;
      run(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
    }
  }
}

}  // namespace

FuzzTarget::FuzzTarget(const char *name, Run run) { targets()[name] = run; }

}  // namespace genclip
