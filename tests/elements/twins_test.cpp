// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What all elements do in the same way and say in the same words.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include "plugin/base/gref.h"
#include "tests/elements/clip_pipeline.h"
#include "tests/support/log_lines.h"

namespace genclip::test {
namespace {

struct Twin {
  const char *name;
  const char *base_url;  // The property of its service's address,
  const char *variable;  // and the variable beside it.
  const char *settings;  // What else it takes to get to PAUSED,
  const char *quiet;     // and to send nothing then.
};

void PrintTo(const Twin &twin, std::ostream *out) { *out << twin.name; }

class Elements : public testing::TestWithParam<Twin> {
 protected:
  ~Elements() override { end(); }

  void end() {
    if (element_) gst_element_set_state(element_.get(), GST_STATE_NULL);
  }
  void make(const std::string &address, const std::string &more = {}) {
    end();
    const std::string text =
        std::string(GetParam().name) + " name=one api-key=k " + GetParam().settings + " " + more;
    element_ = GRef<GstElement>::adopt(
        static_cast<GstElement *>(gst_object_ref_sink(gst_parse_launch(text.c_str(), nullptr))));
    bus_ = GRef<GstBus>::adopt(gst_bus_new());
    gst_element_set_bus(element_.get(), bus_.get());
    g_object_set(element_.get(), GetParam().base_url, address.empty() ? nullptr : address.c_str(), nullptr);
  }
  GstStateChangeReturn go(GstState state) { return gst_element_set_state(element_.get(), state); }
  std::string error() const {
    const auto message = GRef<GstMessage>::adopt(gst_bus_pop_filtered(bus_.get(), GST_MESSAGE_ERROR));
    return message ? error_of(message).text : "";
  }
  unsigned retries() const {
    guint value = 0;
    g_object_get(element_.get(), "retries", &value, nullptr);
    return value;
  }

  GRef<GstElement> element_;
  GRef<GstBus> bus_;
};

TEST_P(Elements, RefuseAChangeWhileTheyRunAndLogIt) {
  const std::string name = GetParam().name;
  make("http://127.0.0.1:1", GetParam().quiet);
  ASSERT_NE(go(GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  {
    LogLines log("gen*:2");
    g_object_set(element_.get(), "retries", 7u, nullptr);
    EXPECT_NE(log.text().find("WARN " + name + ": The property retries can change in NULL and READY only.\n"),
              std::string::npos)
        << log.text();
  }
  EXPECT_NE(retries(), 7u);
  go(GST_STATE_READY);
  g_object_set(element_.get(), "retries", 7u, nullptr);
  EXPECT_EQ(retries(), 7u);
}

TEST_P(Elements, TakeAChangeAfterAStartThatFailed) {
  make("ftp://127.0.0.1");
  ASSERT_EQ(go(GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  g_object_set(element_.get(), "retries", 7u, nullptr);
  EXPECT_EQ(retries(), 7u);
}

TEST_P(Elements, JudgeTheAddressOfTheirServiceInTheSameWords) {
  g_unsetenv(GetParam().variable);
  const std::string property = GetParam().base_url;
  const std::pair<const char *, std::string> kRows[] = {
      {"", property + " is not set: set it, or " + GetParam().variable + ", to the address of the service." +
               (property == "base-url" ? " What is stored already is found by this address, too." : "")},
      {"ftp://127.0.0.1", property + " must be an http or https URL with a host."},
      {"http:///path", property + " must be an http or https URL with a host."},
      {"127.0.0.1:8080", property + " must be an http or https URL with a host."},
      {"http://me:word@127.0.0.1", property + " must not hold a user, a query or a fragment."},
      {"http://127.0.0.1/?key=1", property + " must not hold a user, a query or a fragment."},
      {"http://127.0.0.1/#here", property + " must not hold a user, a query or a fragment."},
      {"http://127.0.0.1/a b", property +
                                   " contains a blank or a control character, which a URL cannot contain; " +
                                   "write a blank as %20."},
      {"http://a b", property + " contains a blank or a control character, which a URL cannot contain; " +
                         "write a blank as %20."},
      {"http://h\n/x", property + " contains a blank or a control character, which a URL cannot contain; " +
                           "write a blank as %20."},
      {"http://.../", property + " is not a complete URL; write it as https://HOST/PATH."},
      {"http://127.0.0.1:0/", property + " names port 0, where no server can be."},
  };
  for (const auto &[address, text] : kRows) {
    make(address);
    EXPECT_EQ(go(GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE) << address;
    EXPECT_EQ(error(), text) << address;
  }
}

TEST_P(Elements, TellOfAllProblemsInOneNumberedError) {
  make("ftp://127.0.0.1");
  g_object_set(element_.get(), "tls-ca-file", "/nowhere.pem", nullptr);
  EXPECT_EQ(go(GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  const std::string text = error();
  EXPECT_EQ(text.find("2 problems with this request: (1) "), 0u) << text;
  EXPECT_NE(text.find("(2) "), text.npos) << text;
}

TEST_P(Elements, LogWhatTheyPostAndWhenTheyStop) {
  const std::string name = GetParam().name;
  LogLines log("gen*:4");
  make("ftp://127.0.0.1");
  go(GST_STATE_PAUSED);
  EXPECT_NE(log.text().find("ERROR " + name + ": " + GetParam().base_url + " must be an http"),
            std::string::npos)
      << log.text();
  make("http://127.0.0.1:1", GetParam().quiet);
  go(GST_STATE_PAUSED);
  go(GST_STATE_READY);
  EXPECT_NE(log.text().find("INFO " + name + ": stopped"), std::string::npos) << log.text();
}

INSTANTIATE_TEST_SUITE_P(Twins, Elements,
                         testing::Values(Twin{"genclipsrc", "base-url", "GENCLIP_BASE_URL",
                                              "model=dance-2.5 prompt=x", "dry-run=true"},
                                         Twin{"gencaption", "llm-base-url", "GENCLIP_LLM_BASE_URL", "", ""}),
                         [](const auto &twin) { return twin.param.name; });

}  // namespace
}  // namespace genclip::test
