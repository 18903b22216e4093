// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A genclipsrc with a task-id: what it needs, what it reports, and what it never sends.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/elements/clip_pipeline.h"
#include "tests/elements/scripted_service.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

constexpr char kDone[] =
    R"({"id":"t-7","model":"horse-1.0-t2v","status":"completed","video_url":"URL/clip.mp4?sig=s3cr3t"})";

Script says(const std::string &answer_text, unsigned status = 200) {
  return {.poll = {answer(status, answer_text)}};
}

// The models that the messages and the tags of a run name.
std::set<std::string> models_in(const ClipPipeline &clip) {
  std::set<std::string> models;
  for (const auto &message : clip.seen) {
    if (gst_message_has_name(message.get(), "genclip-task"))
      models.insert(gst_structure_get_string(gst_message_get_structure(message.get()), "model"));
    if (GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_TAG) continue;
    GstTagList *tags = nullptr;
    gst_message_parse_tag(message.get(), &tags);
    for (guint i = 0; i < gst_tag_list_get_tag_size(tags, GST_TAG_EXTENDED_COMMENT); ++i) {
      const char *text = nullptr;
      gst_tag_list_peek_string_index(tags, GST_TAG_EXTENDED_COMMENT, i, &text);
      if (g_str_has_prefix(text, "genclip-model=")) models.insert(std::string("tag ") + text);
    }
    gst_tag_list_unref(tags);
  }
  return models;
}

class ClipAttach : public testing::Test {
 protected:
  // Attaches to t-7, and to nothing else.
  void prepare(ClipPipeline &clip, const ScriptedService &service) const {
    use(clip, service.url(), store_.path());
    clip.set("model", "");
    clip.set("prompt", "");
    clip.set("task-id", "t-7");
  }

  TemporaryFolder store_;
};

TEST_F(ClipAttach, TakesTheModelFromTheServiceAndKeepsIt) {
  ScriptedService service(says(kDone));
  for (const bool stored : {false, true}) {
    SCOPED_TRACE(stored);
    ClipPipeline clip;
    prepare(clip, service);
    if (stored) clip.set("api-key", "");
    const size_t before = service.requests().size();
    const auto error = clip.play();
    ASSERT_FALSE(error) << error->text;
    const auto models = models_in(clip);
    EXPECT_TRUE(models.contains("horse-1.0-t2v"));
    EXPECT_TRUE(models.contains("tag genclip-model=horse-1.0-t2v"));
    EXPECT_EQ(service.submits(), 0);
    EXPECT_EQ(service.requests().size() == before, stored) << "a stored clip takes no request, and no key";
  }
}

TEST_F(ClipAttach, NamesNoModelWhenNobodyDoes) {
  ScriptedService service;
  ClipPipeline clip;
  prepare(clip, service);
  const auto error = clip.play();
  ASSERT_FALSE(error) << error->text;
  EXPECT_EQ(models_in(clip), std::set<std::string>{""});
}

TEST_F(ClipAttach, NeedsNoPromptForItsModel) {
  ScriptedService service;
  ClipPipeline clip;
  prepare(clip, service);
  clip.set("model", "dance-2.5");
  const auto error = clip.play();
  ASSERT_FALSE(error) << error->text;
  EXPECT_EQ(models_in(clip), (std::set<std::string>{"dance-2.5", "tag genclip-model=dance-2.5"}));
}

TEST_F(ClipAttach, ToATaskThatNobodyKnowsSaysToCheckOrUnsetTheId) {
  ScriptedService service(says("{}", 404));
  ClipPipeline clip;
  prepare(clip, service);
  const auto error = clip.play();
  ASSERT_TRUE(error);
  EXPECT_TRUE(error->is(GST_RESOURCE_ERROR_NOT_FOUND)) << error->text;
  EXPECT_NE(error->text.find("unset task-id"), std::string::npos) << error->text;
  EXPECT_EQ(error->text.find("reuse"), std::string::npos) << error->text;
  EXPECT_EQ(error->detail("task-id"), "t-7");
}

TEST(ClipDryRun, ShowsTheQueryOfATaskThatWouldBeAttachedTo) {
  for (const char *model : {"", "dance-2.5", "sky2Stable"}) {
    ClipPipeline clip;
    clip.set("model", model);
    clip.set("task-id", "t/7");
    clip.set("dry-run", "true");
    clip.set("base-url", "https://service.example/api/");
    const auto error = clip.play();
    ASSERT_FALSE(error) << error->text;
    const GstStructure *request = clip.posted("genclip-request");
    ASSERT_TRUE(request);
    EXPECT_STREQ(gst_structure_get_string(request, "url"),
                 g_str_equal(model, "sky2Stable")
                     ? "https://service.example/api/v1/sky/videos/t%2F7"
                     : "https://service.example/api/v2/model-center/tasks/t%2F7");
    EXPECT_STREQ(gst_structure_get_string(request, "body"), "");
  }
}

}  // namespace
}  // namespace genclip::test
