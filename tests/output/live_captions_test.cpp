// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a channel tells of its captions, with an element in gencaption's place that says what a test wants.
#include "plugin/output/live_captions.h"

#include <gst/gst.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace genclip {
namespace {

using Texts = std::vector<std::string>;

class LiveCaptionsTold : public testing::Test {
 protected:
  Result<std::unique_ptr<LiveCaptions>> start() {
    CaptionOutput output;
    output.gencaption = element_;
    output.told = [this](const std::string &trouble) { told_.push_back(trouble); };
    return LiveCaptions::start(output, [](const CaptionCue &) {});
  }
  void warn(const char *text) {
    GST_ELEMENT_WARNING(element_.get(), RESOURCE, OPEN_READ, ("%s", text), (nullptr));
  }

  const GRef<GstElement> element_ = GRef<GstElement>::adopt(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("identity", nullptr))));
  Texts told_;  // Messages are told where they are posted: here.
};

TEST_F(LiveCaptionsTold, OneTroubleIsToldOnceAndALimitOrTheEndAlways) {
  const auto captions = start();
  ASSERT_TRUE(captions) << captions.error().text;
  warn("The gateway fails (503).");
  warn("The gateway fails (502).");
  GST_ELEMENT_WARNING_WITH_DETAILS(element_.get(), RESOURCE, NOT_AUTHORIZED,
                                   ("The limit of a day is reached."), (nullptr),
                                   ("budget", G_TYPE_STRING, "requests-per-day", nullptr));
  warn("The gateway fails (504).");
  GST_ELEMENT_ERROR(element_.get(), RESOURCE, SETTINGS, ("It cannot go on."), (nullptr));
  GST_ELEMENT_ERROR(element_.get(), STREAM, FAILED, ("Internal data stream error."), (nullptr));
  EXPECT_EQ(told_, (Texts{"The gateway fails (503).", "The limit of a day is reached.",
                          "It cannot go on. There are no more captions in this run."}));
}

// Their captions come.
TEST_F(LiveCaptionsTold, WhatCaptionsLackThatAreShownIsToldOnceAndIsNoTrouble) {
  const auto captions = start();
  ASSERT_TRUE(captions) << captions.error().text;
  for (const char *text : {"The model stopped.", "The connection broke.", "The model stopped."}) {
    GST_ELEMENT_WARNING_WITH_DETAILS(element_.get(), RESOURCE, SETTINGS, ("%s", text), (nullptr),
                                     ("caption-shown", G_TYPE_BOOLEAN, TRUE, nullptr));
    warn("The gateway fails.");
  }
  EXPECT_EQ(told_, (Texts{"The model stopped.", "The gateway fails.", "The connection broke."}));
}

// As gencaption does on its way to PAUSED.
TEST_F(LiveCaptionsTold, AWarningOfTheStartIsToldAndIsNoTrouble) {
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(element_.get(), "sink"));
  gst_pad_set_activate_function(pad.get(), [](GstPad *self, GstObject *parent) -> gboolean {
    GST_ELEMENT_WARNING(parent, RESOURCE, SETTINGS, ("The key goes over plain http."), (nullptr));
    GST_ELEMENT_WARNING(parent, RESOURCE, SETTINGS, ("A file has mistakes."), (nullptr));
    return gst_pad_activate_mode(self, GST_PAD_MODE_PUSH, TRUE);
  });
  const auto captions = start();
  ASSERT_TRUE(captions) << captions.error().text;
  warn("The gateway fails (503).");
  EXPECT_EQ(told_,
            (Texts{"The key goes over plain http.", "A file has mistakes.", "The gateway fails (503)."}));
}

TEST_F(LiveCaptionsTold, AWarningOfAStartThatFailsIsToldToo) {
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(element_.get(), "sink"));
  gst_pad_set_activate_function(pad.get(), [](GstPad *, GstObject *parent) -> gboolean {
    GST_ELEMENT_WARNING(parent, RESOURCE, SETTINGS, ("The key goes over plain http."), (nullptr));
    GST_ELEMENT_ERROR(parent, RESOURCE, SETTINGS, ("There is no model gem-none."), (nullptr));
    return FALSE;
  });
  const auto captions = start();
  ASSERT_FALSE(captions);
  EXPECT_EQ(captions.error().text, "There is no model gem-none.");
  EXPECT_EQ(told_, (Texts{"The key goes over plain http."}));
}

}  // namespace
}  // namespace genclip
