// SPDX-License-Identifier: LGPL-2.1-or-later
//
// No row of a batch overwrites the file of another one.
#include "plugin/command/batch_outputs.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace genclip {
namespace {

TEST(BatchOutputs, AreThoseOfOneRowEach) {
  BatchOutputs outputs;
  EXPECT_FALSE(outputs.add("b.mp4", false, 1));
  EXPECT_EQ(outputs.add("b.mp4", false, 2), 1u);
  EXPECT_EQ(outputs.add("b.mp4", false, 3), 1u);
  EXPECT_FALSE(outputs.add("c.mp4", false, 4));
  EXPECT_FALSE(outputs.add("b.webm", false, 5));
}

TEST(BatchOutputs, AreTheSameWhateverTheWayToThem) {
  BatchOutputs outputs;
  EXPECT_FALSE(outputs.add("b.mp4", false, 1));
  EXPECT_EQ(outputs.add("./b.mp4", false, 2), 1u);
  EXPECT_EQ(outputs.add("o/../b.mp4", false, 3), 1u);
  EXPECT_EQ(outputs.add(".//b.mp4", false, 4), 1u);
}

TEST(BatchOutputs, AreTheSameThroughLinksOfFolders) {
  test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.file("real/deep"));
  std::filesystem::create_directory_symlink("real", folder.file("link"));
  std::filesystem::create_directory_symlink("real/deep", folder.file("deep"));
  BatchOutputs outputs;
  EXPECT_FALSE(outputs.add(folder.file("real/b.mp4"), false, 1));
  EXPECT_EQ(outputs.add(folder.file("link/b.mp4"), false, 2), 1u);
  EXPECT_EQ(outputs.add(folder.file("deep/../b.mp4"), false, 3), 1u);
  EXPECT_EQ(outputs.add(folder.file("link/b"), true, 4), 1u);
  EXPECT_FALSE(outputs.add(folder.file("b.mp4"), false, 5)) << "deep/.. is another folder";
  EXPECT_FALSE(outputs.add(folder.file("link/later/c.mp4"), false, 6));
  EXPECT_EQ(outputs.add(folder.file("real/later/c.mp4"), false, 7), 6u) << "a folder that is made later";
  // The link of a file is replaced itself.
  std::filesystem::create_symlink("real/b.mp4", folder.file("file.mp4"));
  EXPECT_FALSE(outputs.add(folder.file("file.mp4"), false, 8));
}

TEST(BatchOutputs, MayGetAnyExtensionThatTheyLack) {
  BatchOutputs outputs;
  EXPECT_FALSE(outputs.add("o/a", true, 1));
  EXPECT_EQ(outputs.add("o/a.mp4", false, 2), 1u);
  EXPECT_EQ(outputs.add("./o/a.webm", false, 3), 1u);
  EXPECT_EQ(outputs.add("o//a", true, 4), 1u);
  EXPECT_EQ(outputs.add("o/a.mp4", false, 5), 1u);
  EXPECT_FALSE(outputs.add("o/a.b.mp4", false, 6));
  EXPECT_FALSE(outputs.add("o.d/e", false, 7));

  BatchOutputs other;
  EXPECT_FALSE(other.add("a.mp4", false, 1));
  EXPECT_FALSE(other.add("a.webm", false, 2));
  EXPECT_EQ(other.add("a", true, 3), 1u);
  EXPECT_EQ(other.add("a", true, 4), 1u);
}

}  // namespace
}  // namespace genclip
