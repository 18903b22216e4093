// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The store that 0.1.0 wrote on amd64 has the same names and the same records wherever this runs: with 32
// bits, with the other byte order, with another library of C++ (tests/worlds).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "plugin/store/clip_path.h"
#include "plugin/store/clip_record.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

std::string text_of(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OldStore, HasTheSameDigestsAndRecordsOnEveryMachine) {
  int records = 0;
  for (const auto &entry : std::filesystem::directory_iterator(GENCLIP_OLD_STORE)) {
    if (!entry.is_directory()) continue;
    const std::string text = text_of(entry.path() / "task.json");
    const auto json = Json::parse(text);
    ASSERT_TRUE(json) << entry.path();
    const auto record = ClipRecord::from_json(*json);
    ASSERT_TRUE(record) << entry.path() << ": " << record.error().text;
    EXPECT_EQ(record->identity.digest(), entry.path().filename()) << text;
    EXPECT_EQ(record->to_json().to_pretty_text() + "\n", text) << entry.path();
    ++records;
  }
  EXPECT_EQ(records, 6);
}

}  // namespace
}  // namespace genclip::test
