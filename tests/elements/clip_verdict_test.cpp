// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The hand-written facts again, this time given to the element as properties and as a URI.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include "tests/catalog/verdict_cases.h"
#include "tests/elements/clip_pipeline.h"

namespace genclip::test {
namespace {

class ClipVerdict : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { cases_ = new auto(verdict_cases_by_model()); }
  static void TearDownTestSuite() { delete cases_; }

  static const std::vector<VerdictCase> &cases() { return cases_->at(GetParam()); }

  static GRef<GstElement> make() {
    auto src = GRef<GstElement>::adopt(
        GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("genclipsrc", nullptr))));
    g_object_set(src.get(), "dry-run", TRUE, nullptr);
    return src;
  }

  // Whether READY→PAUSED accepts what is set; the text of its error when not.
  static bool is_accepted(GstElement *src, std::string &text) {
    auto bus = GRef<GstBus>::adopt(gst_bus_new());
    gst_element_set_bus(src, bus.get());
    const bool accepted = gst_element_set_state(src, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE;
    auto message = GRef<GstMessage>::adopt(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR));
    if (message) {
      const BusError error = error_of(message);
      text = error.text;
      EXPECT_TRUE(error.is(GST_RESOURCE_ERROR_SETTINGS)) << error.text;
    }
    EXPECT_EQ(accepted, !message);
    gst_element_set_state(src, GST_STATE_NULL);
    gst_bus_set_flushing(bus.get(), TRUE);
    gst_element_set_bus(src, nullptr);
    return accepted;
  }

 private:
  static VerdictCases *cases_;
};
VerdictCases *ClipVerdict::cases_;

TEST_P(ClipVerdict, OfThePropertiesIsTheDocuments) {
  int said = 0;
  for (const VerdictCase &one : cases()) {
    if (!one.as_request || !one.as_properties) continue;
    SCOPED_TRACE(one.name + " " + one.uri.substr(0, 400));
    auto src = make();
    apply(one.request, src.get());
    std::string text;
    ASSERT_EQ(is_accepted(src.get(), text), one.allowed) << text;
    if (!one.allowed) {
      EXPECT_NE(text.find(one.field), std::string::npos) << one.field << ": " << text;
    }
    ++said;
  }
  EXPECT_GT(said, 10);
}

TEST_P(ClipVerdict, OfTheUriIsTheSame) {
  for (const VerdictCase &one : cases()) {
    if (!one.as_uri) continue;
    SCOPED_TRACE(one.name + " " + one.uri.substr(0, 400));
    auto src = make();
    GErrorPtr error;
    const bool set = gst_uri_handler_set_uri(GST_URI_HANDLER(src.get()), one.uri.c_str(), take(error));
    ASSERT_EQ(set, one.allowed) << (error ? error->message : "");
    ASSERT_EQ(set, !error);
    if (!set) continue;
    std::string text;
    EXPECT_TRUE(is_accepted(src.get(), text)) << text;
    const GStringPtr uri(gst_uri_handler_get_uri(GST_URI_HANDLER(src.get())));
    EXPECT_STREQ(uri.get(), one.uri.c_str());
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, ClipVerdict, testing::ValuesIn(models_with_verdicts()),
                         [](const auto &row) { return test_name(row.param); });

}  // namespace
}  // namespace genclip::test
