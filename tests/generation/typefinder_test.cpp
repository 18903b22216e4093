// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Without GStreamer's base plugins, a clip cannot be distinguished from an error page: nothing is paid for,
// and no stored file changes.
#include <filesystem>

#include "plugin/store/clip_check.h"
#include "tests/generation/work_fixture.h"
#include "tests/support/file_content.h"
#include "tests/support/no_typefinders.h"

namespace genclip::test {
namespace {

class WithoutTypefinders : public testing::Test, protected World {
 protected:
  // Every file of the store and what it holds.
  std::map<std::string, std::string> all_files() {
    std::map<std::string, std::string> files;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      if (entry.is_regular_file()) files[entry.path()] = content(entry.path());
    return files;
  }

  void expect_error_that_changes_nothing(const GenerationJob &job) {
    const auto before = all_files();
    const size_t requests = http_->requests().size();
    const Outcome outcome = run(job);
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->kind, ErrorKind::settings);
    EXPECT_THAT(outcome.text(), testing::HasSubstr("Install GStreamer's base plugins"));
    EXPECT_THAT(outcome.warnings, testing::IsEmpty());
    EXPECT_EQ(http_->requests().size(), requests);
    EXPECT_TRUE(all_files() == before);
  }
};

TEST_F(WithoutTypefinders, NothingIsSubmitted) {
  const NoTypefinders none;
  expect_error_that_changes_nothing(job());
  EXPECT_EQ(service_.submits(), 0u);
}

TEST_F(WithoutTypefinders, AWholeClipIsNeitherSetAsideNorAskedForAgain) {
  ASSERT_FALSE(run().error);
  for (const bool reuse : {true, false}) {
    const NoTypefinders none;
    GenerationJob again = job();
    again.reuse = reuse;
    expect_error_that_changes_nothing(again);
  }
  const Outcome served = run();
  ASSERT_FALSE(served.error);
  EXPECT_TRUE(are_same(served.bytes, service_.clip()));
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(WithoutTypefinders, ADownloadThatWasCutWaits) {
  service_.cuts = {50'000};
  GenerationJob once = job();
  once.retries = 0;
  ASSERT_TRUE(run(once).error);
  {
    const NoTypefinders none;
    expect_error_that_changes_nothing(job());
  }
  const Outcome whole = run();
  ASSERT_FALSE(whole.error) << whole.text();
  EXPECT_TRUE(are_same(whole.bytes, service_.clip()));
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(WithoutTypefinders, NoClipIsCalledDamaged) {
  ASSERT_FALSE(run().error);
  const auto stored = record();
  ASSERT_TRUE(stored);
  const NoTypefinders none;
  const auto checked = check_clip(FileSystem::posix(), path().file(stored->clip_name), stored->clip_size);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::settings);
}

}  // namespace
}  // namespace genclip::test
