// SPDX-License-Identifier: LGPL-2.1-or-later
//
// States come to ClipMessages from several threads, so one may come after its successor. And what is left
// when the element stops is posted, or not, but never behind its back.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "elements/clipsrc/clip_messages.h"
#include "plugin/base/mutex.h"

namespace genclip::test {
namespace {

GenerationState state(uint64_t version, ClipStatus status, int progress) {
  GenerationState made;
  made.version = version;
  made.status = status;
  made.progress = progress;
  return made;
}

// What `told_by` reads in each message; empty: nothing.
std::vector<std::string> posted_for(const std::vector<GenerationState> &states,
                                    std::string (*told_by)(GstMessage *)) {
  // It has no such properties, so GObject prints warnings.
  const guint handler = g_log_set_handler(
      "GLib-GObject", G_LOG_LEVEL_WARNING, [](const char *, GLogLevelFlags, const char *, gpointer) {},
      nullptr);
  const auto element =
      GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("fakesrc", nullptr))));
  const auto bus = GRef<GstBus>::adopt(gst_bus_new());
  gst_element_set_bus(element.get(), bus.get());
  const auto messages = std::make_shared<ClipMessages>(element.get());
  for (const GenerationState &one : states) messages->on_change(one);
  const Interrupt never;
  EXPECT_TRUE(messages->wait_posted(Interrupt::Watch(never)));
  messages->close();
  std::vector<std::string> told;
  while (auto message = GRef<GstMessage>::adopt(gst_bus_pop(bus.get()))) {
    if (std::string text = told_by(message.get()); !text.empty()) told.push_back(std::move(text));
  }
  gst_element_set_bus(element.get(), nullptr);
  g_log_remove_handler("GLib-GObject", handler);
  return told;
}

// "STATUS PROGRESS" of a genclip-task.
std::string task_of(GstMessage *message) {
  if (!gst_message_has_name(message, "genclip-task")) return {};
  const GstStructure *task = gst_message_get_structure(message);
  int progress = -7;
  gst_structure_get_int(task, "progress", &progress);
  return std::string(gst_structure_get_string(task, "status")) + " " + std::to_string(progress);
}

std::string progress_of(GstMessage *message) {
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_PROGRESS) return {};
  GstProgressType type;
  char *code = nullptr;
  char *text = nullptr;
  gst_message_parse_progress(message, &type, &code, &text);
  constexpr const char *kTypes[] = {"start", "continue", "complete", "canceled", "error"};
  return std::string(kTypes[type - GST_PROGRESS_TYPE_START]) + " " + GStringPtr(code).get() + ": " +
         GStringPtr(text).get();
}

TEST(ClipMessageOrder, ASubmitThatIsSentAgainStaysOneUntilItEnds) {
  using Told = std::vector<std::string>;
  const auto sent = state(1, ClipStatus::submitting, -1);
  auto refused = state(2, ClipStatus::submitting, -1), sent_again = state(3, ClipStatus::submitting, -1);
  refused.sent_again_in = 4.2;
  auto accepted = state(4, ClipStatus::queued, -1);
  accepted.task_id = "t-1";
  const auto failed = state(4, ClipStatus::failed, -1);
  const Told begun = {"start submit: Submitting the request for the clip",
                      "continue submit: Submitting: not accepted yet; it is sent again in 5 s"};
  const auto with = [&](Told more) {
    more.insert(more.begin(), begun.begin(), begun.end());
    return more;
  };
  EXPECT_EQ(
      posted_for({sent, refused, sent_again, accepted}, progress_of),
      with({"complete submit: Submitted (task t-1)", "start generate: Generating the clip (task t-1)",
            "continue generate: Generating: queued",
            "canceled generate: Stopped; the task continues at the service: run again to attach to it"}));
  EXPECT_EQ(posted_for({sent, refused, sent_again, failed}, progress_of),
            with({"error submit: Submitting failed"}));
  EXPECT_EQ(posted_for({sent, refused}, progress_of), with({"canceled submit: Stopped while submitting"}));
  EXPECT_EQ(posted_for({sent, refused, sent_again}, task_of), (Told{"submitting -1"})) << "nothing is new";
  refused.sent_again_in = 0;
  EXPECT_EQ(posted_for({sent, refused}, progress_of)[1],
            "continue submit: Submitting: not accepted yet; it is sent again now");
}

// Meanwhile the budget lets another clip go first.
TEST(ClipMessageOrder, ASubmitIsCompleteOnlyWithATask) {
  const auto told =
      posted_for({state(1, ClipStatus::submitting, -1), state(2, ClipStatus::waiting, -1)}, progress_of);
  ASSERT_GE(told.size(), 4u);
  EXPECT_EQ(told[1], "canceled submit: Not submitted yet");
  EXPECT_EQ(told[2], "start wait: Waiting for the turn of the clip");
  EXPECT_EQ(told[3], "continue wait: Waiting: this clip is not submitted yet");
}

TEST(ClipMessageOrder, ANewerStateIsNotFollowedByAnOlderOne) {
  using Told = std::vector<std::string>;
  const auto idle = state(0, ClipStatus::idle, -1);
  const auto first = state(2, ClipStatus::processing, 20), second = state(3, ClipStatus::processing, 30);
  EXPECT_EQ(posted_for({idle, first, second}, task_of), (Told{"idle -1", "processing 20", "processing 30"}));
  EXPECT_EQ(posted_for({idle, second, first}, task_of), (Told{"idle -1", "processing 30"}));
  EXPECT_EQ(posted_for({first, idle, second}, task_of), (Told{"processing 20", "processing 30"}));
  EXPECT_EQ(posted_for({first, first, second}, task_of), (Told{"processing 20", "processing 30"}))
      << "nor by itself";
}

TEST(ClipMessageOrder, NothingIsPostedForAnElementThatHasClosedThem) {
  const auto element =
      GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("fakesrc", nullptr))));
  const auto bus = GRef<GstBus>::adopt(gst_bus_new());
  gst_element_set_bus(element.get(), bus.get());
  const auto messages = std::make_shared<ClipMessages>(element.get());
  messages->close();
  messages->on_change(state(1, ClipStatus::queued, -1));
  messages->on_warning({ErrorKind::failed, "too late"});
  const Interrupt never;
  EXPECT_TRUE(messages->wait_posted(Interrupt::Watch(never)));
  EXPECT_FALSE(gst_bus_have_pending(bus.get()));
  gst_element_set_bus(element.get(), nullptr);
}

// Counts what is posted, and lets a test hold the thread that posts.
struct SlowHandler {
  explicit SlowHandler(std::chrono::milliseconds patience) : queue_patience(patience) {}

  std::chrono::milliseconds queue_patience;
  GRef<GstElement> element =
      GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("fakesrc", nullptr))));
  std::shared_ptr<MessageQueue> queue = std::make_shared<MessageQueue>(element.get(), queue_patience);
  std::atomic<int> posted = 0;

  void add(std::function<void()> handle) {
    queue->add([this, handle = std::move(handle)](GstElement *) {
      handle();
      ++posted;
    });
  }
  int references() const { return static_cast<int>(G_OBJECT(element.get())->ref_count); }
};

TEST(MessageQueueEnd, PostsTheRestAndLeavesNoReference) {
  SlowHandler handler(std::chrono::minutes(1));  // Longer than any delay of a busy machine.
  std::atomic<bool> is_in_it = false;
  handler.add([&] {
    is_in_it = true;
    g_usleep(5'000);
  });
  for (int i = 0; i < 20; ++i) handler.add([] { g_usleep(100); });
  while (!is_in_it) g_usleep(100);
  handler.queue->close();
  EXPECT_EQ(handler.posted, 21);
  EXPECT_EQ(handler.references(), 1);
}

// The stage "waits" lets the two meet at each place.
TEST(MessageQueueEnd, IsBehindAMessageWhoseThreadHasJustBegun) {
  for (int i = 0; i < 1000; ++i) {
    SlowHandler handler(std::chrono::minutes(1));
    handler.add([] { g_usleep(100); });
    handler.queue->close();
    ASSERT_EQ(handler.posted, 1);
  }
}

TEST(MessageQueueEnd, DoesNotWaitForAHandlerThatTakesLong) {
  SlowHandler handler(std::chrono::milliseconds(1));
  Mutex mutex;
  CondVar changed;
  bool is_in_it = false, may_go = false;
  handler.add([&] {
    MutexLock lock(mutex);
    is_in_it = true;
    changed.notify_all();
    while (!may_go) changed.wait(lock);
  });
  handler.add([] {});
  {
    MutexLock lock(mutex);
    while (!is_in_it) changed.wait(lock);
  }
  handler.queue->close();
  EXPECT_EQ(handler.posted, 0) << "in order, so by the other thread";
  EXPECT_EQ(handler.references(), 2) << "which needs the element";
  {
    MutexLock lock(mutex);
    may_go = true;
    changed.notify_all();
  }
  const Interrupt never;
  EXPECT_TRUE(handler.queue->wait_posted(Interrupt::Watch(never)));
  EXPECT_EQ(handler.posted, 2);
  while (handler.references() > 1) g_usleep(100);
}

TEST(MessageQueueEnd, CanComeOfAHandlerItself) {
  SlowHandler handler(std::chrono::minutes(1));
  std::atomic<bool> both_are_there = false;
  handler.add([&] {
    while (!both_are_there) g_usleep(100);
    handler.queue->close();
  });
  handler.add([] {});
  both_are_there = true;
  const Interrupt never;
  EXPECT_TRUE(handler.queue->wait_posted(Interrupt::Watch(never)));
  while (handler.references() > 1) g_usleep(100);
  EXPECT_EQ(handler.posted, 2);
  handler.add([] {});
  EXPECT_EQ(handler.posted, 2) << "it is closed";
}

}  // namespace
}  // namespace genclip::test
