// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/caption_plan.h"

#include <gmock/gmock.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;

class CaptionPlan : public testing::Test {
 protected:
  CaptionPlan() { gst_init(nullptr, nullptr); }

  std::string file(const std::string &name) {
    std::ofstream(folder_.path() + "/" + name) << "x";
    return folder_.path() + "/" + name;
  }

  TemporaryFolder folder_;
};

// To look into it would be to generate it.
TEST_F(CaptionPlan, TranslatesNoClip) {
  CaptionWish wish;
  wish.languages = {"de"};
  for (const char *uri : {"genclip://dance-2.5?prompt=x", "GENCLIP://dance-2.5?prompt=x"}) {
    wish.output = folder_.path() + "/x.vtt";
    wish.is_translation = true;
    const auto jobs = taken(plan_films({uri}, wish));
    ASSERT_TRUE(jobs[0].problem) << uri;
    EXPECT_THAT(jobs[0].problem->text, HasSubstr("no subtitles"));
    wish.is_translation = false;
    EXPECT_FALSE(taken(plan_films({uri}, wish))[0].problem) << uri;
  }
}

// Another run, or the user, while the films before it were captioned.
TEST_F(CaptionPlan, SeesWhatHasComeSince) {
  CaptionWish wish;
  wish.languages = {"de", "en"};
  const std::string film = file("film.mp4");
  FilmJob job = taken(plan_films({film}, wish))[0];
  EXPECT_FALSE(job.is_there);
  file("film.en.vtt");
  look_for_outputs(job);
  EXPECT_FALSE(job.is_there);
  EXPECT_FALSE(job.outputs[0].stays);
  EXPECT_TRUE(job.outputs[1].stays);
  file("film.de.vtt");
  look_for_outputs(job);
  EXPECT_TRUE(job.is_there);
  wish.force = true;
  job = taken(plan_films({film}, wish))[0];
  look_for_outputs(job);
  EXPECT_FALSE(job.is_there) << "--force replaces them";
}

TEST_F(CaptionPlan, RefusesWhatIsOlderThanTheFilmUnderANameOfTheUsers) {
  const std::string film = file("film.mp4");
  CaptionWish wish;
  wish.output = folder_.path() + "/other.vtt";
  FilmJob job = taken(plan_films({film}, wish))[0];
  file("other.vtt");
  std::filesystem::last_write_time(wish.output,
                                   std::filesystem::last_write_time(film) - std::chrono::hours(1));
  look_for_outputs(job);
  ASSERT_TRUE(job.problem);
  EXPECT_THAT(job.problem->text, HasSubstr("older than its film"));
}

}  // namespace
}  // namespace genclip::test
