// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Warnings that genclipsrc posts before it starts: no more often than useful.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/elements/clip_pipeline.h"
#include "tests/elements/scripted_service.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

std::vector<std::string> warnings(const ClipPipeline &clip) {
  std::vector<std::string> texts;
  for (const auto &message : clip.seen) {
    if (GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_WARNING) continue;
    GErrorPtr warning;
    gst_message_parse_warning(message.get(), take(warning), nullptr);
    texts.emplace_back(warning->message);
  }
  return texts;
}

// The warnings of a dry run, which needs no service.
std::vector<std::string> warnings_of_dry_run() {
  ClipPipeline clip;
  clip.set("model", "dance-2.5");
  clip.set("prompt", "x");
  clip.set("dry-run", "true");
  const auto error = clip.play();
  EXPECT_FALSE(error) << error->text;
  return warnings(clip);
}

TEST(ClipWarnings, NameTheMistakesInModelFilesOnceInAProcess) {
  TemporaryFolder folder;
  const std::string path = folder.file("mine.json");
  std::ofstream(path) << "{\n \"models\": [\n  {\"id\": \"mine\", \"nonsense\": 1}\n ]\n}\n";
  ASSERT_TRUE(g_setenv("GENCLIP_MODELS", path.c_str(), TRUE));
  const auto first = warnings_of_dry_run();
  const auto second = warnings_of_dry_run();
  g_unsetenv("GENCLIP_MODELS");
  ASSERT_EQ(first.size(), 1u);
  EXPECT_NE(first[0].find(path + ":3:"), std::string::npos) << first[0];
  EXPECT_NE(first[0].find("nonsense"), std::string::npos) << first[0];
  EXPECT_EQ(second, std::vector<std::string>());
  EXPECT_EQ(warnings_of_dry_run(), std::vector<std::string>()) << "without model files";
}

TEST(ClipWarnings, SayInEachRunThatAKeyGoesOverPlainHttp) {
  TemporaryFolder store;
  ClipPipeline clip;
  use(clip, "http://service.invalid:81/prefix", store.path());
  // The proxy refuses all connections, so no data leaves this machine.
  clip.set("proxy", "http://127.0.0.1:" + std::to_string(refused_port()));
  clip.set("retries", "0");
  for (int run = 1; run <= 2; ++run) {
    clip.seen.clear();
    ASSERT_TRUE(clip.play());
    const auto texts = warnings(clip);
    ASSERT_EQ(texts.size(), 1u) << "run " << run;
    EXPECT_NE(texts[0].find("service.invalid:81 over plain http"), std::string::npos) << texts[0];
    EXPECT_EQ(texts[0].find(kKey), std::string::npos) << texts[0];
    clip.go(GST_STATE_NULL);
  }
}

TEST(ClipWarnings, AreSilentOnThisMachineAndOverHttps) {
  const std::string port = std::to_string(refused_port());
  for (const std::string &url :
       {"http://127.0.0.1:" + port, "http://localhost:" + port, "https://127.0.0.1:" + port}) {
    TemporaryFolder store;
    ClipPipeline clip;
    use(clip, url, store.path());
    clip.set("retries", "0");
    EXPECT_TRUE(clip.play()) << url;
    EXPECT_EQ(warnings(clip), std::vector<std::string>()) << url;
  }
}

TEST(ClipWarnings, TellOfASubmitInDoubtUnlessTheRunEndsThere) {
  ScriptedService service({.submit = {answer(500, ""), answer(200, R"({"id":"t-7","status":"queued"})")}});
  TemporaryFolder store;
  const auto play = [&](const std::string &on_unknown, ClipPipeline &clip) {
    use(clip, service.url(), store.path());
    clip.set("on-unknown", on_unknown);
    return clip.play();
  };
  ClipPipeline first, second, third;
  EXPECT_TRUE(play("fail", first)) << "the answer that leaves the doubt";
  const auto error = play("fail", second);
  ASSERT_TRUE(error);
  EXPECT_TRUE(error->is(GST_RESOURCE_ERROR_READ)) << error->text;
  EXPECT_EQ(error->detail("charged"), "maybe");
  EXPECT_EQ(service.submits(), 1);
  EXPECT_FALSE(play("resubmit", third));
  ASSERT_EQ(warnings(third).size(), 1u);
  EXPECT_NE(warnings(third)[0].find("may be charged twice"), std::string::npos) << warnings(third)[0];
  EXPECT_EQ(service.submits(), 2);
}

}  // namespace
}  // namespace genclip::test
