// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The answers that the store keeps: whom they spare a request, and whom not.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gst/app/gstappsink.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "plugin/account/ledger.h"
#include "tests/captioner/harness.h"
#include "tests/elements/slow_disk.h"
#include "tests/support/disk_calls.h"
#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

namespace fs = std::filesystem;

class CaptionCacheTest : public testing::Test {
 protected:
  std::string film(unsigned seconds, const std::string &properties = "") const {
    return "videotestsrc name=src num-buffers=" + std::to_string(10 * seconds) +
           " ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! gencaption name=cap "
           "interval=1000000000 cache=auto store=" +
           store_ + " " + properties + " ! appsink name=out sync=false";
  }
  struct Seen {
    std::string error;
    Cues cues;
    unsigned requests = 0;  // that came to the gateway
    std::vector<std::string> warnings;
    friend bool operator==(const Seen &, const Seen &) = default;
  };
  Seen play(const std::string &description) {
    const unsigned before = gateway_.gateway().calls();
    CaptionRun run(gateway_, description);
    Seen seen;
    seen.error = run.play();
    seen.cues = run.cues();
    seen.requests = gateway_.gateway().calls() - before;
    seen.warnings = run.warnings();
    if (seen.error.empty()) {
      EXPECT_EQ(run.stat("requests"), seen.requests);
    }
    return seen;
  }
  unsigned requests_of(const std::string &description) {
    const Seen seen = play(description);
    EXPECT_EQ(seen.error, "") << description;
    EXPECT_THAT(seen.warnings, IsEmpty()) << description;
    return seen.requests;
  }
  std::vector<fs::path> kept() const {
    std::vector<fs::path> files;
    if (fs::exists(store_ + "/captions"))
      for (const auto &entry : fs::directory_iterator(store_ + "/captions"))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    return files;
  }
  static void put(const fs::path &path, const std::string &text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  }
  // Else a run's last line might be written into a folder that is removed.
  void wait_for_last_line() const {
    Ledger ledger(FileSystem::posix(), Clock::system(), store_);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
      const auto reading = ledger.read_all();
      if (!reading || reading->account.caption_blocks().empty()) return;
      g_usleep(1000);
    }
  }
  ~CaptionCacheTest() override {
    if (fs::is_regular_file(store_ + "/ledger.jsonl")) wait_for_last_line();
  }

  TemporaryFolder folder_;
  const std::string store_ = folder_.path() + "/store";
  GatewayServer gateway_;
};

TEST_F(CaptionCacheTest, SparesTheSecondRunAllItsRequests) {
  const Seen first = play(film(5));
  EXPECT_EQ(first.cues, each_second(5));
  EXPECT_EQ(first.requests, 5u);
  EXPECT_THAT(kept(), SizeIs(5));
  const Seen second = play(film(5));
  EXPECT_EQ(second.cues, first.cues);
  EXPECT_EQ(second.requests, 0u);
  EXPECT_THAT(second.warnings, IsEmpty());
}

TEST_F(CaptionCacheTest, WarnsOnceWhereNothingOfTheStoreCanBeWritten) {
  put(store_, "no folder");
  const Seen seen = play(film(3));
  EXPECT_EQ(seen.error, "");
  EXPECT_EQ(seen.requests, 3u);
  EXPECT_THAT(seen.warnings,
              ElementsAre(AllOf(HasSubstr("cannot be kept in the store"), HasSubstr("noted"))));
}

TEST_F(CaptionCacheTest, PaysOnceForWhatTwoElementsAskAtOnce) {
  const std::string captioner = " ! gencaption interval=1000000000 cache=auto store=" + store_ + " name=";
  CaptionRun run(gateway_,
                 "videotestsrc name=src num-buffers=50 ! video/x-raw,format=RGB,width=64,height=36,"
                 "framerate=10/1 ! tee name=all" +
                     captioner + "cap ! appsink name=out sync=false all. ! queue" + captioner +
                     "other llm-base-url=" + gateway_.url() + " api-key=key ! fakesink sync=false");
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), each_second(5));
  EXPECT_EQ(gateway_.gateway().calls(), 5u);
}

TEST_F(CaptionCacheTest, SparesStreamedAnswersToo) {
  const Seen first = play(film(2, "stream=true"));
  EXPECT_EQ(first.requests, 2u);
  const Seen second = play(film(2, "stream=true"));
  EXPECT_EQ(second.requests, 0u);
  std::string said, said_again;
  for (const Cue &cue : first.cues) said += cue.text + " ";
  for (const Cue &cue : second.cues) said_again += cue.text + " ";
  EXPECT_EQ(said_again, said);
  EXPECT_EQ(requests_of(film(2, "stream=false")), 0u) << "it is the same answer";
}

TEST_F(CaptionCacheTest, TellsThatAnAnswerWasKeptAndThatItTookNothing) {
  ASSERT_EQ(play(film(2)).error, "");
  CaptionRun run(gateway_, film(2));
  ASSERT_EQ(run.play(), "");
  const auto captions = run.captions();
  ASSERT_EQ(captions.size(), 2u);
  for (const auto &message : captions) {
    const GstStructure *said = gst_message_get_structure(message.get());
    gboolean cached = FALSE, repeated = TRUE;
    guint64 tokens = 1, latency = 1;
    EXPECT_TRUE(gst_structure_get(said, "cached", G_TYPE_BOOLEAN, &cached, "repeated", G_TYPE_BOOLEAN,
                                  &repeated, "total-tokens", G_TYPE_UINT64, &tokens, "latency", G_TYPE_UINT64,
                                  &latency, nullptr));
    EXPECT_TRUE(cached);
    EXPECT_FALSE(repeated);
    EXPECT_EQ(tokens, 0u);
    EXPECT_EQ(latency, 0u);
    EXPECT_STREQ(gst_structure_get_string(said, "finish-reason"), "STOP");
  }
  EXPECT_EQ(run.stat("cached"), 2u);
  EXPECT_EQ(run.stat("captions"), 2u);
  EXPECT_EQ(run.stat("skipped"), 0u);
  EXPECT_EQ(run.stat("total-tokens"), 0u);
  CaptionRun other(gateway_, film(2, "cache=off"));
  ASSERT_EQ(other.play(), "");
  for (const auto &message : other.captions()) {
    gboolean cached = TRUE;
    EXPECT_TRUE(gst_structure_get_boolean(gst_message_get_structure(message.get()), "cached", &cached));
    EXPECT_FALSE(cached);
  }
  EXPECT_EQ(other.stat("cached"), 0u);
}

TEST_F(CaptionCacheTest, IsAskedAgainForAnythingElseThatIsSent) {
  ASSERT_EQ(requests_of(film(2)), 2u);
  for (const char *other : {"prompt=other", "system-instruction=other", "model=gem-2.5-pro",
                            "temperature=0.5", "top-p=0.5", "max-output-tokens=1000", "max-frame-size=32"}) {
    EXPECT_EQ(requests_of(film(2, other)), 2u) << other;
    EXPECT_EQ(requests_of(film(2, other)), 0u) << other;
  }
  EXPECT_EQ(requests_of(film(2, "frames=2")), 1u) << "the first window has one still in any case";
  EXPECT_EQ(requests_of(film(2, "context=1")), 1u) << "the first window has no context in any case";
  EXPECT_EQ(requests_of(film(2)), 0u);
  EXPECT_EQ(requests_of(film(4, "interval=2000000000")), 1u)
      << "the picture at 0 s is known, that at 2 s is new";
}

TEST_F(CaptionCacheTest, DoesNotDependOnWhoIsAskedNorWhenNorHowOften) {
  ASSERT_EQ(requests_of(film(2)), 2u);
  EXPECT_EQ(requests_of(film(2, "max-in-flight=1 retries=0 timeout=1 max-requests=1 late-policy=shift")), 0u);
  GatewayServer elsewhere;
  CaptionRun run(elsewhere, film(2));
  EXPECT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), each_second(2));
  EXPECT_EQ(elsewhere.gateway().calls(), 0u);
}

TEST_F(CaptionCacheTest, AsksTheSameQuestionOnceAtAnyTimeOfAFilm) {
  for (const char *in_flight : {"max-in-flight=1", "max-in-flight=8"}) {
    const unsigned before = gateway_.gateway().calls();
    Harness harness(
        gateway_,
        "cache=read-write prompt=\"" + std::string(in_flight) + "\" store=" + store_ + " " + in_flight,
        kUtf8);
    for (unsigned i = 0; i < 6; ++i) harness.push(i % 2 ? "Nein." : "Ja.", i * GST_SECOND, GST_SECOND / 2);
    const Cues cues = harness.finish();
    ASSERT_THAT(cues, SizeIs(6));
    for (unsigned i = 0; i < 6; ++i) EXPECT_EQ(cues[i].text, i % 2 ? "NEIN." : "JA.");
    EXPECT_EQ(gateway_.gateway().calls() - before, 2u) << in_flight;
    EXPECT_EQ(harness.stat("requests"), 2u);
  }
}

TEST_F(CaptionCacheTest, NeedsNeitherKeyNorNetwork) {
  const Seen first = play(film(3));
  g_unsetenv("GENCLIP_API_KEY");
  g_unsetenv("GENCLIP_API_KEY_FILE");
  for (const char *mode : {"", "cache=read", "cache=read-write"}) {
    CaptionRun run(gateway_, film(3, mode));
    run.set("cap", "api-key", "");
    run.set("cap", "llm-base-url", "http://127.0.0.1:1");
    EXPECT_EQ(run.play(), "") << mode;
    EXPECT_EQ(run.cues(), first.cues) << mode;
    EXPECT_THAT(run.warnings(), IsEmpty()) << mode;
  }
  EXPECT_EQ(gateway_.gateway().calls(), 3u);
}

TEST_F(CaptionCacheTest, WithoutAKeyTellsSoAtTheFirstWindowThatIsNotKept) {
  ASSERT_EQ(requests_of(film(2)), 2u);
  g_unsetenv("GENCLIP_API_KEY");
  g_unsetenv("GENCLIP_API_KEY_FILE");
  for (const char *on_error : {"on-error=fail", "on-error=skip"}) {
    CaptionRun run(gateway_, film(5, on_error));
    run.set("cap", "api-key", "");
    EXPECT_THAT(run.play(),
                StartsWith("This caption is not in the store " + store_ + ". There is no API key"))
        << on_error;
    EXPECT_EQ(run.cues(), each_second(2)) << on_error;
    const GstMessage *last = run.seen.back().get();
    GError *raw = nullptr;
    gst_message_parse_error(const_cast<GstMessage *>(last), &raw, nullptr);
    EXPECT_EQ(GErrorPtr(raw)->code, GST_RESOURCE_ERROR_SETTINGS);
  }
  EXPECT_EQ(gateway_.gateway().calls(), 2u);
}

TEST_F(CaptionCacheTest, WithoutAKeyAndOffDoesNotStart) {
  g_unsetenv("GENCLIP_API_KEY");
  g_unsetenv("GENCLIP_API_KEY_FILE");
  CaptionRun run(gateway_, film(1, "cache=off"));
  run.set("cap", "api-key", "");
  EXPECT_EQ(run.go(GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  CaptionRun wrong(gateway_, film(1));
  wrong.set("cap", "api-key", "");
  wrong.set("cap", "api-key-file", "/nowhere");
  EXPECT_EQ(wrong.go(GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE) << "a key that is named must be good";
}

TEST_F(CaptionCacheTest, OffNeitherReadsNorWrites) {
  EXPECT_EQ(requests_of(film(2, "cache=off")), 2u);
  EXPECT_FALSE(fs::exists(store_ + "/captions"));
  EXPECT_EQ(requests_of(film(2)), 2u);
  EXPECT_EQ(requests_of(film(2, "cache=off")), 2u);
}

TEST_F(CaptionCacheTest, ReadWritesNothing) {
  EXPECT_EQ(requests_of(film(2, "cache=read")), 2u);
  EXPECT_FALSE(fs::exists(store_ + "/captions"));
  EXPECT_EQ(requests_of(film(2)), 2u);
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(100);
  for (const fs::path &path : kept()) fs::last_write_time(path, old);
  EXPECT_EQ(requests_of(film(3, "cache=read")), 1u);
  EXPECT_THAT(kept(), SizeIs(2));
  for (const fs::path &path : kept())
    EXPECT_EQ(fs::last_write_time(path), old) << "not even the time of its use";
  EXPECT_EQ(requests_of(film(2)), 0u);
  for (const fs::path &path : kept()) EXPECT_GT(fs::last_write_time(path), old);
}

TEST_F(CaptionCacheTest, IsOffInALiveStreamUnlessItIsAskedFor) {
  const std::string live =
      "videotestsrc name=src is-live=true num-buffers=15 ! "
      "video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! "
      "gencaption name=cap interval=1000000000 store=" +
      store_ + " ";
  EXPECT_EQ(requests_of(live + "cache=auto ! appsink name=out sync=false"), 2u);
  EXPECT_THAT(kept(), IsEmpty());
  EXPECT_EQ(requests_of(live + "cache=read-write ! appsink name=out sync=false"), 2u);
  EXPECT_THAT(kept(), SizeIs(2));
  EXPECT_EQ(requests_of(live + "cache=read-write ! appsink name=out sync=false"), 0u);
  EXPECT_EQ(requests_of(live + "cache=auto ! appsink name=out sync=false"), 2u);
}

TEST_F(CaptionCacheTest, AsksAgainWhereAFileIsDamagedAndMendsIt) {
  ASSERT_EQ(requests_of(film(3)), 3u);
  const auto files = kept();
  put(files[0], "nonsense");
  put(files[1], content(files[1]).substr(0, 50));
  EXPECT_EQ(requests_of(film(3)), 2u);
  EXPECT_EQ(requests_of(film(3)), 0u);
}

TEST_F(CaptionCacheTest, AsksAndTellsOfItOnceWhereNothingCanBeKept) {
  fs::create_directory(store_);
  put(store_ + "/captions", "no folder");
  const Seen seen = play(film(5));
  EXPECT_EQ(seen.error, "");
  EXPECT_EQ(seen.cues, each_second(5));
  EXPECT_EQ(seen.requests, 5u);
  EXPECT_THAT(seen.warnings, ElementsAre(HasSubstr("cannot be kept in the store")));
}

// Whoever asks for it by name wants nothing to be paid for twice.
TEST_F(CaptionCacheTest, PaysForNothingThatReadWriteCannotKeep) {
  fs::create_directory(store_);
  put(store_ + "/captions", "no folder");
  for (const char *more : {"", " on-error=skip"}) {
    const Seen seen = play(film(5, std::string("cache=read-write") + more));
    EXPECT_THAT(seen.error, HasSubstr("cannot be kept in the store"));
    EXPECT_EQ(seen.requests, 0u);
  }
}

// Workers that give up the last windows end the stream.
TEST_F(CaptionCacheTest, SaysWhyReadWriteAsksNothingBeforeTheStreamEnds) {
  fs::create_directory(store_);
  put(store_ + "/captions", "no folder");
  for (const char *workers : {"1", "2"}) {
    CaptionRun run(gateway_, film(2, std::string("cache=read-write max-in-flight=") + workers));
    const auto out = run.element("out");
    // Holds the error up on its thread: nothing may overtake it.
    const auto hold = +[](GstBus *, GstMessage *message, gpointer sink) {
      if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_ERROR) return GST_BUS_PASS;
      for (int i = 0; i < 200 && !gst_app_sink_is_eos(GST_APP_SINK(sink)); ++i) g_usleep(1000);
      EXPECT_FALSE(gst_app_sink_is_eos(GST_APP_SINK(sink)));
      return GST_BUS_PASS;
    };
    const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(run.pipeline()));
    gst_bus_set_sync_handler(bus.get(), hold, out.get(), nullptr);
    EXPECT_THAT(run.play(), HasSubstr("cannot be kept in the store"));
    gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
  }
}

TEST_F(CaptionCacheTest, KeepsNeitherTheKeyNorThePictureNorTheQuestion) {
  ASSERT_EQ(requests_of(film(1, "prompt=\"what-is-it\"")), 1u);
  ASSERT_THAT(kept(), SizeIs(1));
  const std::string text = content(kept()[0]);
  EXPECT_THAT(text, HasSubstr(caption_at(0)));
  EXPECT_THAT(text, AllOf(Not(HasSubstr(kKey)), Not(HasSubstr("what-is-it")), Not(HasSubstr("/9j/")),
                          Not(HasSubstr(gateway_.url()))));
  EXPECT_LT(text.size(), 1000u);
}

TEST_F(CaptionCacheTest, KeepsNoAnswerThatFailedOrWasCutShort) {
  struct Row {
    sim::GatewayFaultKind kind;
    unsigned code;
    const char *text;
  };
  int number = 0;
  for (const Row &row :
       {Row{sim::GatewayFaultKind::blocked, 0, "SAFETY"},
        Row{sim::GatewayFaultKind::prompt_blocked, 0, "SAFETY"}, Row{sim::GatewayFaultKind::status, 400, ""},
        Row{sim::GatewayFaultKind::thinks_too_long, 0, ""}, Row{sim::GatewayFaultKind::html, 0, ""},
        Row{sim::GatewayFaultKind::no_finish, 0, ""}, Row{sim::GatewayFaultKind::no_text, 0, ""}}) {
    gateway_.fault(row.kind, 1, row.code, row.text);
    const std::string description = film(1, "on-error=skip retries=0 prompt=p" + std::to_string(++number));
    const Seen seen = play(description);
    EXPECT_EQ(seen.requests, 1u);
    EXPECT_THAT(seen.cues, IsEmpty()) << number;
    EXPECT_THAT(kept(), IsEmpty()) << number;
    EXPECT_EQ(requests_of(description), 1u) << number;
    EXPECT_THAT(kept(), SizeIs(1)) << number;
    fs::remove_all(store_ + "/captions");
  }
  const Seen cut = play(film(1, "max-output-tokens=2"));
  EXPECT_THAT(cut.cues, SizeIs(1));
  EXPECT_THAT(cut.warnings, SizeIs(1));
  EXPECT_THAT(kept(), IsEmpty());
}

// Only a whole one is kept, and this gateway's word for that is unknown.
TEST_F(CaptionCacheTest, WarnsOnceOfAnswersThatAreShownAndNotKept) {
  for (const char *cache : {"cache=auto", "cache=read-write", "cache=read"}) {
    gateway_.fault(sim::GatewayFaultKind::finish, 5, 0, "OTHER");
    const Seen seen = play(film(5, cache));
    EXPECT_EQ(seen.error, "") << cache;
    EXPECT_THAT(seen.cues, SizeIs(5)) << cache;
    EXPECT_THAT(seen.warnings, SizeIs(std::string(cache) == "cache=read" ? 0 : 1)) << cache;
    EXPECT_THAT(seen.warnings, Each(HasSubstr("ends with OTHER and not with STOP"))) << cache;
    EXPECT_THAT(kept(), IsEmpty()) << cache;
  }
}

// The next run asks for all of it; so does this one, where the question comes again.
TEST_F(CaptionCacheTest, KeepsNoAnswerThatBrokeOff) {
  gateway_.fault(sim::GatewayFaultKind::cut_behind, 1, 2);
  const std::string description = film(1, "stream=true retries=0");
  const Seen cut = play(description);
  EXPECT_THAT(cut.cues, SizeIs(1));
  EXPECT_THAT(cut.warnings, ElementsAre(HasSubstr("broke off")));
  EXPECT_THAT(kept(), IsEmpty());
  EXPECT_EQ(requests_of(description), 1u);
  EXPECT_THAT(kept(), SizeIs(1));
}

TEST_F(CaptionCacheTest, TakesNothingOfABudget) {
  ASSERT_EQ(requests_of(film(4)), 4u);
  wait_for_last_line();
  const std::string ledger = content(store_ + "/ledger.jsonl");
  EXPECT_EQ(requests_of(film(4, "max-requests=1 max-tokens=1 max-in-flight=4")), 0u);
  EXPECT_EQ(content(store_ + "/ledger.jsonl"), ledger);
  put(store_ + "/budget.json", R"({"requests_per_day":1,"tokens_per_day":1})");
  EXPECT_EQ(requests_of(film(4)), 0u);
}

TEST_F(CaptionCacheTest, LeavesABudgetToTheFirstWindowsThatNeedIt) {
  ASSERT_EQ(requests_of(film(2)), 2u);
  for (const char *in_flight : {"1", "8"}) {
    fs::remove_all(store_ + "/captions");
    ASSERT_EQ(requests_of(film(2)), 2u);
    const Seen seen = play(film(7, std::string("max-requests=3 max-in-flight=") + in_flight));
    EXPECT_EQ(seen.cues, each_second(5)) << in_flight;
    EXPECT_EQ(seen.requests, 3u);
    EXPECT_THAT(seen.warnings, ElementsAre(HasSubstr("max-requests"))) << in_flight;
  }
}

// ---- The disk.

int full_below(FileCall call, std::string &path, int) {
  return call == FileCall::write && path.find("/captions/") != path.npos ? ENOSPC : 0;
}

TEST_F(CaptionCacheTest, GoesOnWhereTheDiskIsFullAndTellsOfItOnce) {
  set_disk_hook(full_below);
  const Seen seen = play(film(5));
  set_disk_hook(nullptr);
  EXPECT_EQ(seen.error, "");
  EXPECT_EQ(seen.cues, each_second(5));
  EXPECT_THAT(seen.warnings, ElementsAre(HasSubstr("cannot be kept in the store")));
  EXPECT_THAT(kept(), IsEmpty()) << "no half file is left";
  EXPECT_EQ(requests_of(film(5)), 5u);
}

int refuses_answers(FileCall call, std::string &path, int flags) {
  return call == FileCall::open && (flags & O_CREAT) == 0 && path.find("/captions/") != path.npos &&
                 path.ends_with(".json")
             ? EACCES
             : 0;
}

// Another user's, as after a run with sudo.
TEST_F(CaptionCacheTest, PaysForNothingThatReadWriteCannotReadAndReplacesNothing) {
  ASSERT_EQ(requests_of(film(3)), 3u);
  const auto files = kept();
  const std::string before = content(files[0]);
  set_disk_hook(refuses_answers);
  const Seen strict = play(film(3, "cache=read-write"));
  const Seen lax = play(film(3));
  set_disk_hook(nullptr);
  EXPECT_THAT(strict.error, HasSubstr("cannot be read, and asking again is paid for again"));
  EXPECT_EQ(strict.requests, 0u);
  EXPECT_EQ(lax.error, "");
  EXPECT_EQ(lax.requests, 3u);
  EXPECT_THAT(lax.warnings, ElementsAre(HasSubstr("cannot be read, and asking again is paid for again")));
  EXPECT_EQ(content(files[0]), before);
  EXPECT_EQ(requests_of(film(3)), 0u);
}

int full_below_answers(FileCall call, std::string &path, int size) {
  return path.find("00000000") == path.npos ? full_below(call, path, size) : 0;
}

TEST_F(CaptionCacheTest, EndsReadWriteWhereTheDiskBecomesFull) {
  set_disk_hook(full_below_answers);
  const Seen seen = play(film(5, "cache=read-write max-in-flight=1"));
  set_disk_hook(nullptr);
  EXPECT_THAT(seen.error, HasSubstr("cannot be kept in the store"));
  EXPECT_EQ(seen.requests, 1u) << "what cannot be kept is not paid for any more";
}

// The run has ended with its error, whatever the application does with its pipeline.
TEST_F(CaptionCacheTest, PaysForNothingBehindASeekWhereTheDiskHasBecomeFull) {
  set_disk_hook(full_below_answers);
  Harness harness(gateway_, "cache=read-write max-in-flight=1 store=" + store_, kUtf8);
  const auto flow_of_texts = [&] {
    GstFlowReturn flow = GST_FLOW_OK;
    for (unsigned at = 0; at < 1000 && flow == GST_FLOW_OK; ++at, g_usleep(1000))
      flow = harness.push("Text " + std::to_string(at), at * GST_SECOND, GST_SECOND);
    return flow;
  };
  EXPECT_EQ(flow_of_texts(), GST_FLOW_ERROR);
  const unsigned calls = gateway_.gateway().calls();
  set_disk_hook(full_below);
  gst_harness_push_event(harness.get(), gst_event_new_flush_start());
  gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  harness.begin(segment);
  EXPECT_EQ(flow_of_texts(), GST_FLOW_ERROR);
  set_disk_hook(nullptr);
  EXPECT_EQ(gateway_.gateway().calls(), calls);
}

// The test's thread is the application's and the streaming thread.
TEST_F(CaptionCacheTest, UsesTheDiskOnItsOwnThreadsAlone) {
  for (const unsigned requests : {2u, 0u}) {
    const SlowDisk disk(store_, std::chrono::milliseconds(1));
    const unsigned before = gateway_.gateway().calls();
    {
      Harness harness(gateway_, "cache=read-write store=" + store_, kUtf8);
      harness.push("Eins.", 0, GST_SECOND);
      harness.push("Zwei.", GST_SECOND, GST_SECOND);
      EXPECT_THAT(harness.finish(), SizeIs(2));
      EXPECT_EQ(gateway_.gateway().calls() - before, requests);
    }
    EXPECT_EQ(disk.calls_of_this_thread(), 0u);
  }
}

TEST_F(CaptionCacheTest, WhileTheDiskHangsStopsAtOnceAndKeepsNobodyWaiting) {
  ASSERT_EQ(requests_of(film(1)), 1u);
  const SlowDisk disk(store_ + "/captions", size_t{0});
  CaptionRun run(gateway_, film(60));
  run.go(GST_STATE_PLAYING);
  while (!disk.is_waited_for() && !disk.gave_up()) g_usleep(1000);
  EXPECT_LT(run.time_to_null_at_best(kAtOnce), time_limit(kAtOnce));
  Harness harness(gateway_, "cache=read-write store=" + store_, kUtf8);
  harness.push("Eins.", 0, GST_SECOND);
  gst_harness_push_event(harness.get(), gst_event_new_flush_start());
  gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE));
  EXPECT_FALSE(disk.gave_up());
  EXPECT_EQ(gateway_.gateway().calls(), 1u);
}

// Removing a question's lock waits until the disk works again, or at most that long.
constexpr auto kLockHang = std::chrono::seconds(30);
std::atomic<bool> lock_is_removed = false;
std::atomic<bool> disk_works = false;
std::atomic<bool> hung_to_the_end = false;

int hang_at_locks(FileCall call, std::string &path, int) {
  if (call != FileCall::remove || path.find(".asked") == path.npos) return 0;
  lock_is_removed = true;
  const auto end = std::chrono::steady_clock::now() + kLockHang;
  while (!disk_works && std::chrono::steady_clock::now() < end) g_usleep(1000);
  if (!disk_works) hung_to_the_end = true;
  return 0;
}

// The worker's question has ended, so that nobody cancels it for the question's sake.
TEST_F(CaptionCacheTest, StopsWhileTheDiskHangsBehindAnAnswer) {
  gateway_.fault(sim::GatewayFaultKind::status, 0, 500);
  set_disk_hook(hang_at_locks);
  CaptionRun run(gateway_, film(60, "cache=read-write on-error=skip retries=0 max-in-flight=1"));
  run.go(GST_STATE_PLAYING);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!lock_is_removed && std::chrono::steady_clock::now() < end) g_usleep(1000);
  EXPECT_TRUE(lock_is_removed);
  run.go(GST_STATE_NULL);
  EXPECT_FALSE(hung_to_the_end) << "the change to NULL has waited for the disk";
  disk_works = true;
  set_disk_hook(nullptr);
}

}  // namespace
}  // namespace genclip::test
