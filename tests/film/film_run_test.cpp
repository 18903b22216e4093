// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which of the messages of a pipeline a run tells as its error, and the files that end it early.
#include "plugin/film/film_run.h"

#include <gmock/gmock.h>
#include <gst/pbutils/pbutils.h>
#include <gtest/gtest.h>

#include <fstream>
#include <utility>

#include "plugin/film/film_source.h"
#include "plugin/film/subtitle_file.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;

// Of a film with a track for which no plugin is installed.
Error error_of_run_after_missing_plugin(GQuark domain, int code, GstStructure *details = nullptr) {
  FilmRun run(GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr)))));
  auto *source = GST_ELEMENT(run.bin());
  bool has_posted = false;
  const auto end = run.run(
      [&](GstMessage *) {
        if (std::exchange(has_posted, true)) return;
        const auto caps = GRef<GstCaps>::adopt(gst_caps_new_empty_simple("application/x-teletext"));
        gst_element_post_message(source, gst_missing_decoder_message_new(source, caps.get()));
        const GErrorPtr error(g_error_new_literal(domain, code, "The reason."));
        gst_element_post_message(
            source, gst_message_new_error_with_details(GST_OBJECT(source), error.get(), nullptr, details));
      },
      [] {});
  EXPECT_EQ(end, FilmRun::End::error);
  return run.error();
}

TEST(FilmRun, NamesTheMissingPluginOnlyWhereItIsTheReason) {
  for (const auto &[domain, code] : {std::pair(GST_CORE_ERROR, int{GST_CORE_ERROR_MISSING_PLUGIN}),
                                     {GST_STREAM_ERROR, int{GST_STREAM_ERROR_CODEC_NOT_FOUND}}})
    EXPECT_THAT(error_of_run_after_missing_plugin(domain, code).text,
                HasSubstr("GStreamer has no plugin for it ("));
  for (const auto &[domain, code] : {std::pair(GST_RESOURCE_ERROR, int{GST_RESOURCE_ERROR_NOT_AUTHORIZED}),
                                     {GST_RESOURCE_ERROR, int{GST_RESOURCE_ERROR_BUSY}},
                                     {GST_STREAM_ERROR, int{GST_STREAM_ERROR_DECODE}},
                                     {GST_STREAM_ERROR, int{GST_STREAM_ERROR_FAILED}}})
    EXPECT_EQ(error_of_run_after_missing_plugin(domain, code).text, "The reason.");
}

TEST(FilmRun, TellsTheBudgetThatRefuses) {
  const auto details_of = [](GstStructure *details) {
    return error_of_run_after_missing_plugin(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED, details)
        .details;
  };
  const std::vector<ErrorDetail> expected = {{"budget", std::string("per-day")}};
  EXPECT_EQ(details_of(gst_structure_new("details", "budget", G_TYPE_STRING, "per-day", nullptr)), expected);
  EXPECT_TRUE(details_of(nullptr).empty());
}

// What was submitted before is in the account of another run.
TEST(TellCost, IsOfWhatThisRunHasSubmitted) {
  struct Costs final : FilmListener {
    void on_progress(const FilmProgress &) override {}
    void on_warning(const std::string &) override {}
    void on_cost(const std::string &task_id, double credits) override { all.emplace_back(task_id, credits); }
    unsigned stops() const override { return 0; }
    void on_waiting(uint64_t, std::chrono::seconds) override {}
    std::vector<std::pair<std::string, double>> all;
  } costs;
  const auto tell = [&costs](const char *name, const char *task_id, double amount, bool reused) {
    GstStructure *told = gst_structure_new(name, "task-id", G_TYPE_STRING, task_id, "amount", G_TYPE_DOUBLE,
                                           amount, "reused", G_TYPE_BOOLEAN, gboolean{reused}, nullptr);
    tell_cost(GRef<GstMessage>::adopt(gst_message_new_element(nullptr, told)).get(), costs);
  };
  tell("genclip-task", "", 3, false);
  tell("genclip-task", "7", -1, false);
  tell("genclip-task", "6", 3, true);
  tell("other", "7", 3, false);
  EXPECT_TRUE(costs.all.empty());
  tell("genclip-task", "7", 9.5, false);
  EXPECT_EQ(costs.all, (std::vector<std::pair<std::string, double>>{{"7", 9.5}}));
}

TEST(LoadSubtitles, SaysThatAFileIsTooLarge) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/film.mp4";
  std::ofstream(path).seekp(16 << 20) << "x";
  const auto read = load_subtitles("file://" + path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text, "It is larger than 16 MiB, and so no file of subtitles.");
}

}  // namespace
}  // namespace genclip::test
