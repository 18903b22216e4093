// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a pad is told of the stream that it joins: each event that holds, and none that has been replaced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/captioner/harness.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;

// What came to a pad of a language, until EOS.
class Joined {
 public:
  explicit Joined(Harness &harness)
      : element_(harness.element()),
        pad_(GRef<GstPad>::adopt(gst_element_request_pad_simple(element_, "src_de"))) {
    g_object_set_data(G_OBJECT(sink_.get()), "joined", this);
    gst_pad_set_event_function(sink_.get(), [](GstPad *pad, GstObject *, GstEvent *event) -> gboolean {
      static_cast<Joined *>(g_object_get_data(G_OBJECT(pad), "joined"))->take(event);
      gst_event_unref(event);
      return TRUE;
    });
    gst_pad_set_chain_function(sink_.get(), [](GstPad *, GstObject *, GstBuffer *buffer) {
      gst_buffer_unref(buffer);
      return GST_FLOW_OK;
    });
    gst_pad_set_active(sink_.get(), TRUE);
    EXPECT_EQ(gst_pad_link(pad_.get(), sink_.get()), GST_PAD_LINK_OK);
    // What is sent before a pad is linked stays unseen, so this one is linked first and joins later.
    gst_pad_set_active(pad_.get(), FALSE);
    MutexLock lock(mutex_);
    seen_.clear();
  }
  ~Joined() {
    gst_pad_set_active(sink_.get(), FALSE);
    gst_pad_unlink(pad_.get(), sink_.get());
    gst_element_release_request_pad(element_, pad_.get());
  }
  Joined(const Joined &) = delete;
  Joined &operator=(const Joined &) = delete;

  void join() { gst_pad_set_active(pad_.get(), TRUE); }
  // Titles of the tags, and names of the custom events with their numbers.
  std::vector<std::string> wait() {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!is_over() && std::chrono::steady_clock::now() < end) g_usleep(1000);
    MutexLock lock(mutex_);
    EXPECT_TRUE(over_);
    return seen_;
  }

 private:
  void take(GstEvent *event) {
    MutexLock lock(mutex_);
    over_ = over_ || GST_EVENT_TYPE(event) == GST_EVENT_EOS;
    if (GST_EVENT_TYPE(event) == GST_EVENT_CUSTOM_DOWNSTREAM_STICKY) {
      int number = 0;
      gst_structure_get_int(gst_event_get_structure(event), "number", &number);
      seen_.push_back(gst_structure_get_name(gst_event_get_structure(event)) + std::to_string(number));
    }
    if (GST_EVENT_TYPE(event) != GST_EVENT_TAG) return;
    GstTagList *tags = nullptr;
    gst_event_parse_tag(event, &tags);
    gchar *title = nullptr;
    if (gst_tag_list_get_string(tags, GST_TAG_TITLE, &title)) seen_.push_back(GStringPtr(title).get());
  }
  bool is_over() {
    MutexLock lock(mutex_);
    return over_;
  }

  GstElement *const element_;
  const GRef<GstPad> pad_;
  const GRef<GstPad> sink_ =
      GRef<GstPad>::adopt(static_cast<GstPad *>(gst_object_ref_sink(gst_pad_new("sink", GST_PAD_SINK))));
  Mutex mutex_;
  std::vector<std::string> seen_ GUARDED_BY(mutex_);
  bool over_ GUARDED_BY(mutex_) = false;
};

GstEvent *title(const std::string &text) {
  GstTagList *tags = gst_tag_list_new(GST_TAG_TITLE, text.c_str(), nullptr);
  gst_tag_list_set_scope(tags, GST_TAG_SCOPE_GLOBAL);
  return gst_event_new_tag(tags);
}

GstEvent *custom(const char *name, int number) {
  return gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
                              gst_structure_new(name, "number", G_TYPE_INT, number, nullptr));
}

// A station tells the title of each piece, for days.
TEST(StickyEvents, OfDaysAreThoseThatHoldForAPadThatJoins) {
  GatewayServer gateway;
  Harness harness(gateway, "", kUtf8);
  Joined joined(harness);
  EXPECT_EQ(harness.push("Eins.", 0, GST_SECOND), GST_FLOW_OK);
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(gst_harness_push_event(harness.get(), title("piece " + std::to_string(i))));
  }
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(gst_harness_push_event(harness.get(), custom("weather", i)));
    ASSERT_TRUE(gst_harness_push_event(harness.get(), custom("traffic", 2 * i)));
  }
  joined.join();
  harness.finish();
  EXPECT_THAT(joined.wait(), ElementsAre("piece 9999", "weather9", "traffic18"));
}

}  // namespace
}  // namespace genclip::test
