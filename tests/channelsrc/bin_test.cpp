// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genchannelsrc in a running pipeline: its commands, and what left it, read back from the marks of its
// frames. The channel goes on while a test gives a command, so no test claims which piece is on the air then.
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "tests/support/marks.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

constexpr unsigned kClipFrames = 50;
constexpr unsigned kLongFrames = 400;
// Of the clock, so that the tests take less time.
constexpr GstClockTime kSpeed = 3;
constexpr auto kPatience = std::chrono::seconds(60);

// A piece that has gone on the air.
struct Shown {
  std::string id;
  std::string kind;
  uint64_t frame = 0;
};

class Bin : public testing::Test {
 protected:
  Bin() {
    for (unsigned clip = 1; clip <= 4; ++clip)
      make_marked_media(
          path_of(clip),
          {.clip = clip, .frames = clip == 4 ? kLongFrames : kClipFrames, .size = "width=160,height=90"});
  }
  ~Bin() override {
    if (pipeline_) gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  }

  std::string folder() const { return folder_.path(); }
  std::string path_of(unsigned clip) const { return folder_.file(std::to_string(clip) + ".mp4"); }
  void set_budget(const std::string &json) const {
    std::filesystem::create_directories(folder_.file("store"));
    std::ofstream(folder_.file("store") + "/budget.json") << json;
  }
  std::string item(const std::string &id, unsigned clip) const {
    return R"({"id": ")" + id + R"(", "source": ")" + path_of(clip) + R"("})";
  }

  // Begins to play a rundown of these items.
  void play(const std::vector<std::string> &items,
            const std::map<std::string, std::string> &properties = {}) {
    std::string program;
    for (const auto &each : items) program += (program.empty() ? "" : ", ") + each;
    pipeline_ = GRef<GstElement>::adopt(GST_ELEMENT(g_object_ref_sink(gst_parse_launch(
        "genchannelsrc name=channel video-caps=video/x-raw,format=I420,width=160,height=90,framerate=25/1 "
        "latency=3000 channel.video ! fakesink name=video sync=false async=false "
        "channel.audio ! fakesink name=audio sync=false async=false",
        nullptr))));
    channel_ = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline_.get()), "channel"));
    ASSERT_TRUE(channel_);
    // Nobody answers there, should anything be sent.
    g_object_set(channel_.get(), "rundown-text", (R"({"program": [)" + program + "]}").c_str(), "store",
                 folder_.file("store").c_str(), "base-url", "http://127.0.0.1:9", nullptr);
    for (const auto &[name, value] : properties)
      g_object_set(channel_.get(), name.c_str(), value.c_str(), nullptr);
    const auto clock = GRef<GstClock>::adopt(
        GST_CLOCK(g_object_ref_sink(g_object_new(GST_TYPE_SYSTEM_CLOCK, "name", "fast-clock", nullptr))));
    const GstClockTime now = gst_clock_get_internal_time(clock.get());
    gst_clock_set_calibration(clock.get(), now, now, kSpeed, 1);
    gst_pipeline_use_clock(GST_PIPELINE(pipeline_.get()), clock.get());
    const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(channel_.get(), "video"));
    gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, see, this, nullptr);
    const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline_.get()));
    gst_bus_set_sync_handler(bus.get(), hear, this, nullptr);
    ASSERT_NE(gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
  }

  // Until it is true, which is looked at whenever something happens.
  bool wait_until(const std::function<bool()> &holds) {
    const auto limit = std::chrono::steady_clock::now() + kPatience;
    while (!holds()) {
      MutexLock lock(mutex_);
      if (std::chrono::steady_clock::now() > limit) {
        ADD_FAILURE() << "not in time; shown: " << testing::PrintToString(order_locked()) << " " << error_;
        return false;
      }
      changed_.wait_until(lock, std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
    }
    return true;
  }
  bool wait_for_clip(const std::string &id, size_t times = 1) {
    return wait_until([&] { return static_cast<size_t>(std::ranges::count(clips(), id)) >= times; });
  }

  std::vector<Shown> shown() {
    MutexLock lock(mutex_);
    return shown_;
  }
  // The IDs of the clips that went on the air.
  std::vector<std::string> clips() {
    std::vector<std::string> ids;
    for (const auto &piece : shown())
      if (piece.kind == "clip") ids.push_back(piece.id);
    return ids;
  }
  size_t frames() {
    MutexLock lock(mutex_);
    return marks_.size();
  }

  std::optional<FrameMark> mark_at(uint64_t frame) {
    MutexLock lock(mutex_);
    return marks_.at(frame);
  }

  std::vector<std::string> upcoming() {
    GValue list = G_VALUE_INIT;
    g_value_init(&list, GST_TYPE_ARRAY);
    g_object_get_property(G_OBJECT(channel_.get()), "upcoming", &list);
    std::vector<std::string> ids;
    for (guint i = 0; i < gst_value_array_get_size(&list); ++i)
      ids.emplace_back(gst_structure_get_string(
          static_cast<const GstStructure *>(g_value_get_boxed(gst_value_array_get_value(&list, i))), "id"));
    g_value_unset(&list);
    return ids;
  }
  bool is_held() {
    GstStructure *stats = nullptr;
    g_object_get(channel_.get(), "stats", &stats, nullptr);
    gboolean hold = FALSE;
    gst_structure_get_boolean(stats, "hold", &hold);
    gst_structure_free(stats);
    return hold;
  }
  bool insert(const std::string &json, const char *after) {
    gboolean inserted = FALSE;
    g_signal_emit_by_name(channel_.get(), "insert", json.c_str(), after, &inserted);
    return inserted;
  }

  // Stops it. Then each frame is the one that its piece has at that place, and its time follows the one
  // before.
  void expect_frames_as_told(const std::map<std::string, unsigned> &clip_of) {
    gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
    MutexLock lock(mutex_);
    EXPECT_EQ(error_, "");
    EXPECT_EQ(wrong_times_, 0U);
    EXPECT_EQ(wrong_flags_, 0U);
    ASSERT_FALSE(shown_.empty());
    EXPECT_EQ(shown_.front().frame, 0U);
    for (size_t i = 0; i < shown_.size(); ++i) {
      const Shown &piece = shown_[i];
      const size_t end =
          std::min<size_t>(marks_.size(), i + 1 < shown_.size() ? shown_[i + 1].frame : marks_.size());
      for (size_t frame = piece.frame; frame < end; ++frame) {
        std::optional<FrameMark> expected;
        if (piece.kind == "clip")
          expected = FrameMark{clip_of.at(piece.id), static_cast<unsigned>(frame - piece.frame)};
        if (piece.kind == "fallback") continue;
        if (marks_[frame] == expected) continue;
        ADD_FAILURE() << "frame " << frame << " of " << piece.kind << " " << piece.id << " from "
                      << piece.frame << " on";
        break;
      }
    }
  }

 private:
  std::vector<std::string> order_locked() REQUIRES(mutex_) {
    std::vector<std::string> order;
    for (const auto &piece : shown_)
      order.push_back(piece.kind + " " + piece.id + "@" + std::to_string(piece.frame));
    return order;
  }

  static GstPadProbeReturn see(GstPad *, GstPadProbeInfo *info, gpointer data) {
    auto &self = *static_cast<Bin *>(data);
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    GstMapInfo map;
    if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) return GST_PAD_PROBE_OK;
    const auto mark = read_frame_mark(map.data, 160, 160, 90);
    gst_buffer_unmap(buffer, &map);
    MutexLock lock(self.mutex_);
    if (GST_BUFFER_PTS(buffer) != self.marks_.size() * (GST_SECOND / 25)) ++self.wrong_times_;
    if (GST_BUFFER_IS_DISCONT(buffer) != self.marks_.empty()) ++self.wrong_flags_;
    self.marks_.push_back(mark);
    self.changed_.notify_all();
    return GST_PAD_PROBE_OK;
  }

  static GstBusSyncReply hear(GstBus *, GstMessage *message, gpointer data) {
    auto &self = *static_cast<Bin *>(data);
    const GstStructure *structure = gst_message_get_structure(message);
    MutexLock lock(self.mutex_);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
      GError *error = nullptr;
      gst_message_parse_error(message, &error, nullptr);
      self.error_ = error->message;
      g_error_free(error);
    } else if (structure && gst_structure_has_name(structure, "genchannel-on-air")) {
      Shown piece{gst_structure_get_string(structure, "id"), gst_structure_get_string(structure, "kind")};
      guint64 frame = 0;
      gst_structure_get_uint64(structure, "frame", &frame);
      piece.frame = frame;
      self.shown_.push_back(std::move(piece));
    }
    self.changed_.notify_all();
    gst_message_unref(message);
    return GST_BUS_DROP;
  }

  const TemporaryFolder folder_;

 protected:
  GRef<GstElement> pipeline_;
  GRef<GstElement> channel_;

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::optional<FrameMark>> marks_ GUARDED_BY(mutex_);
  size_t wrong_times_ GUARDED_BY(mutex_) = 0;
  size_t wrong_flags_ GUARDED_BY(mutex_) = 0;  // Only the first frame follows on none.
  std::vector<Shown> shown_ GUARDED_BY(mutex_);
  std::string error_ GUARDED_BY(mutex_);
};

using Ids = std::vector<std::string>;

TEST_F(Bin, AnInsertedItemIsShownBehindTheNamedOne) {
  play({item("one", 1), item("two", 2)});
  ASSERT_TRUE(wait_for_clip("one"));
  EXPECT_FALSE(insert("no item", "two"));
  EXPECT_FALSE(insert(item("new", 3), "nobody"));
  EXPECT_FALSE(insert(R"({"id": "bad", "source": "ftp://host/x.mp4"})", "two"));
  ASSERT_TRUE(insert(item("new", 3), "two"));
  const Ids both{"two", "new"};
  EXPECT_TRUE(wait_until([&] {
    const Ids ahead = upcoming();
    return std::search(ahead.begin(), ahead.end(), both.begin(), both.end()) != ahead.end();
  }));
  ASSERT_TRUE(wait_for_clip("new", 2));
  const Ids order = clips();
  const auto first = std::ranges::find(order, "new");
  for (auto before = order.begin(); before < first; ++before)
    EXPECT_EQ(*before, (before - order.begin()) % 2 == 0 ? "one" : "two");
  ASSERT_NE(first, order.begin());
  EXPECT_EQ(Ids(first - 1, first + 4), (Ids{"two", "new", "one", "two", "new"}));
  expect_frames_as_told({{"one", 1}, {"two", 2}, {"new", 3}});
}

// The budget is read while the channel runs, on another thread than the one that inserts.
TEST_F(Bin, WhatIsGeneratedInEachTurnIsInsertedOnceTheStoreHasABudget) {
  play({item("one", 1)});
  ASSERT_TRUE(wait_for_clip("one"));
  const std::string dear =
      R"({"id": "dear", "source": "genclip://dance-2.5?prompt=a&duration=4", "fresh": "each-turn"})";
  EXPECT_FALSE(insert(dear, ""));
  set_budget(R"({"per_day": 0.5})");
  ASSERT_TRUE(wait_until([&] { return insert(dear, ""); }));
  EXPECT_TRUE(wait_until([&] { return std::ranges::count(upcoming(), "dear") > 0; }));
  expect_frames_as_told({{"one", 1}});
}

// M15: an application may change its current folder while a channel plays.
TEST_F(Bin, WritesIntoTheFolderInWhichItWasStarted) {
  {
    const CurrentFolder current(folder());
    play({item("one", 1)}, {{"asrun", "shown.jsonl"}, {"state-file", "state.json"}});
  }
  const auto is_there = [this](const char *name) { return std::filesystem::exists(folder() + "/" + name); };
  EXPECT_TRUE(wait_until([&] { return is_there("shown.jsonl") && is_there("state.json"); }));
  EXPECT_FALSE(std::filesystem::exists("shown.jsonl") || std::filesystem::exists("state.json"));
}

TEST_F(Bin, ARemovedItemIsNotShownAgain) {
  play({item("one", 1), item("two", 2), item("three", 3)});
  ASSERT_TRUE(wait_for_clip("one"));
  g_signal_emit_by_name(channel_.get(), "remove", "three");
  ASSERT_TRUE(wait_until([&] { return std::ranges::count(upcoming(), "three") == 0; }));
  // What was about to be on the air stays.
  const size_t before = clips().size() + 2;
  ASSERT_TRUE(wait_until([&] { return clips().size() >= before + 4; }));
  const Ids order = clips();
  const Ids behind(order.begin() + static_cast<std::ptrdiff_t>(before), order.end());
  EXPECT_EQ(std::ranges::count(behind, "three"), 0);
  for (size_t i = 1; i < behind.size(); ++i) EXPECT_NE(behind[i], behind[i - 1]) << i;
  expect_frames_as_told({{"one", 1}, {"two", 2}, {"three", 3}});
}

TEST_F(Bin, WhatIsOnTheAirStaysWhenItIsRemoved) {
  play({item("one", 1), item("two", 2)});
  ASSERT_TRUE(wait_for_clip("one"));
  g_signal_emit_by_name(channel_.get(), "remove", "one");
  ASSERT_TRUE(wait_until([&] {
    const Ids order = clips();
    return order.size() > 3 && Ids(order.end() - 3, order.end()) == Ids{"two", "two", "two"};
  }));
  const auto pieces = shown();
  for (size_t i = 0; i + 1 < pieces.size(); ++i) {
    if (pieces[i].id != "one" || pieces[i].kind != "clip") continue;
    EXPECT_EQ(pieces[i + 1].frame - pieces[i].frame, kClipFrames) << "it is shown whole";
  }
  expect_frames_as_told({{"one", 1}, {"two", 2}});
}

TEST_F(Bin, AnItemThatChangesUnderItsNameIsShownAsItIsNow) {
  play({item("long", 4), item("two", 2)});
  ASSERT_TRUE(wait_for_clip("long"));
  ASSERT_TRUE(insert(item("two", 3), "long"));
  // What is on the air stays as it is; its next turn is the new one.
  ASSERT_TRUE(insert(item("long", 1), "two"));
  // The next turn of "long" may have been about to be on the air already.
  ASSERT_TRUE(wait_for_clip("long", static_cast<size_t>(std::ranges::count(clips(), "long")) + 2));
  const size_t begun = shown().back().frame;
  ASSERT_TRUE(wait_until([&] { return frames() > begun + 2 * kClipFrames; }));
  const auto pieces = shown();
  const auto last = std::ranges::find(pieces.rbegin(), pieces.rend(), "long", &Shown::id);
  ASSERT_NE(last, pieces.rend());
  EXPECT_EQ(mark_at(last->frame), (FrameMark{1, 0})) << "the new content of what was on the air";
  EXPECT_EQ(mark_at(last->frame - 1), (FrameMark{3, kClipFrames - 1})) << "the new content of the next one";
  const auto first = std::ranges::find(pieces, "long", &Shown::id);
  EXPECT_EQ(mark_at(first->frame + kLongFrames - 1), (FrameMark{4, kLongFrames - 1}));
}

TEST_F(Bin, AHeldChannelShowsFallbacksUntilItIsReleased) {
  play({item("one", 1), item("two", 2)});
  ASSERT_TRUE(wait_for_clip("one"));
  g_signal_emit_by_name(channel_.get(), "hold", TRUE);
  ASSERT_TRUE(wait_until([&] { return is_held(); }));
  ASSERT_TRUE(wait_until([&] { return shown().back().kind != "clip"; }));
  const Ids before = clips();
  const size_t at = frames();
  ASSERT_TRUE(wait_until([&] { return frames() > at + 150; }));
  EXPECT_EQ(clips(), before) << "no clip while it is held";
  g_signal_emit_by_name(channel_.get(), "hold", FALSE);
  ASSERT_TRUE(wait_until([&] { return clips().size() > before.size() + 1; }));
  EXPECT_FALSE(is_held());
  const Ids order = clips();
  for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i % 2 == 0 ? "one" : "two") << i;
  expect_frames_as_told({{"one", 1}, {"two", 2}});
}

TEST_F(Bin, ASkippedClipEndsAtOnceAndTheNextOneFollows) {
  // The one that follows has been shown before, so that it is ready.
  play({item("two", 2), item("long", 4)});
  // A piece, and the one behind it.
  std::optional<std::pair<Shown, Shown>> cut;
  const auto look = [&] {
    const auto pieces = shown();
    for (size_t i = 0; i + 1 < pieces.size() && !cut; ++i)
      if (pieces[i].id == "long" && pieces[i].kind == "clip" &&
          pieces[i + 1].frame - pieces[i].frame < kLongFrames)
        cut = {pieces[i], pieces[i + 1]};
  };
  // A skip that comes when the end of "long" is settled does nothing.
  for (size_t times = 1; times <= 5 && !cut; ++times) {
    ASSERT_TRUE(wait_for_clip("long", times));
    g_signal_emit_by_name(channel_.get(), "skip");
    ASSERT_TRUE(wait_for_clip("two", times + 1));
    look();
  }
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->second.id, "two") << "nothing in between";
  expect_frames_as_told({{"long", 4}, {"two", 2}});
}

// What gst-validate's scenarios ask of a live source: pauses, EOS, and a way back from every state.
TEST_F(Bin, PausesAndComesBackFromEveryState) {
  play({item("one", 1), item("two", 2)});
  for (const GstState state : {GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_PLAYING}) {
    const size_t at = frames();
    const auto change = gst_element_set_state(pipeline_.get(), state);
    EXPECT_EQ(change, state == GST_STATE_PAUSED ? GST_STATE_CHANGE_NO_PREROLL : GST_STATE_CHANGE_SUCCESS);
    if (state == GST_STATE_PLAYING) {
      ASSERT_TRUE(wait_until([&] { return frames() > at + 10; }));
    }
  }
  ASSERT_TRUE(wait_for_clip("two"));
  gboolean is_live = FALSE;
  const std::unique_ptr<GstQuery, void (*)(GstQuery *)> query(gst_query_new_latency(),
                                                              [](GstQuery *each) { gst_query_unref(each); });
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(channel_.get(), "video"));
  ASSERT_TRUE(gst_pad_query(pad.get(), query.get()));
  gst_query_parse_latency(query.get(), &is_live, nullptr, nullptr);
  EXPECT_TRUE(is_live);
  EXPECT_FALSE(gst_element_seek_simple(pipeline_.get(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0))
      << "a live source cannot seek";
  expect_frames_as_told({{"one", 1}, {"two", 2}});
  for (int round = 0; round < 2; ++round)
    for (const GstState state : {GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL})
      EXPECT_NE(gst_element_set_state(pipeline_.get(), state), GST_STATE_CHANGE_FAILURE);
}

}  // namespace
}  // namespace genclip::test
