// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The as-run log and the state file.
#include <gtest/gtest.h>

#include <filesystem>

#include "plugin/base/durable_file.h"
#include "plugin/base/utc_time.h"
#include "plugin/channel/asrun.h"
#include "plugin/channel/channel_state.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

class ChannelFiles : public ::testing::Test {
 protected:
  std::string contents(const std::string &path) {
    auto text = read_whole(files, path, 1 << 20);
    return text ? *text : text.error().text;
  }
  void put(const std::string &path, const std::string &text) {
    ASSERT_TRUE(write_durably(files, path, text));
  }

  FileSystem &files = FileSystem::posix();
  TemporaryFolder folder;
};

AsRunEntry clip_entry() {
  auto media = std::make_shared<ReadyMedia>();
  media->uri = "https://example.org/signed?secret=1";
  media->source = "genclip://dance-2.5?prompt=kite";
  media->task_id = "task-1";
  media->take = 2;
  media->lufs = -21.4567;
  media->gain_db = -1.5433;
  media->credits = 99;
  AsRunEntry entry;
  entry.run = "run-1";
  entry.utc = *utc_time("2026-11-22T12:00:00.123Z");
  entry.piece = {PieceKind::clip, "kite", 3, "Red kite", media, 1000, 125, "", "", entry.utc};
  entry.played_frames = 125;
  entry.credits = 12.5;
  return entry;
}

TEST_F(ChannelFiles, TheAsRunLineHasWhatTheContractNames) {
  EXPECT_EQ(
      to_json(clip_entry()).to_text(),
      R"({"run":"run-1","utc":"2026-11-22T12:00:00.123Z","frame":1000,"id":"kite","turn":3,)"
      R"("title":"Red kite","kind":"clip","source":"genclip://dance-2.5?prompt=kite","task_id":"task-1",)"
      R"("take":2,"planned_at":"2026-11-22T12:00:00.123Z","duration_frames":125,"played_frames":125,)"
      R"("lufs":-21.46,"gain_db":-1.54,"credits":12.5})");
  AsRunEntry slate;
  slate.run = "run-1";
  slate.utc = *utc_time("2026-11-22T12:00:05Z");
  slate.piece.frames = 125;
  slate.piece.stands_for = "news";
  slate.piece.reason = "It is not ready.";
  EXPECT_EQ(to_json(slate).to_text(),
            R"({"run":"run-1","utc":"2026-11-22T12:00:05.000Z","frame":0,"kind":"slate","for":"news",)"
            R"("reason":"It is not ready.","duration_frames":125,"played_frames":0})");
}

TEST_F(ChannelFiles, TheAsRunLogEndsATornLineFirst) {
  const std::string path = folder.path() + "/asrun.jsonl";
  const std::string line = to_json(clip_entry()).to_text() + "\n";
  ASSERT_TRUE(append_asrun(files, path, to_json(clip_entry()).to_text() + "\n"));
  EXPECT_EQ(contents(path), line);
  ASSERT_TRUE(append_asrun(files, path, to_json(clip_entry()).to_text() + "\n"));
  EXPECT_EQ(contents(path), line + line);
  put(path, line + "{\"run\":\"to");
  ASSERT_TRUE(append_asrun(files, path, to_json(clip_entry()).to_text() + "\n"));
  EXPECT_EQ(contents(path), line + "{\"run\":\"to\n" + line);
  EXPECT_FALSE(
      append_asrun(files, folder.path() + "/none/asrun.jsonl", to_json(clip_entry()).to_text() + "\n"));
}

TEST_F(ChannelFiles, MayBeLinks) {
  ASSERT_TRUE(files.make_folder(folder.path() + "/shared"));
  const std::string real = folder.path() + "/shared/day.state", link = folder.path() + "/day.state";
  std::filesystem::create_symlink("shared/day.state", link);
  ChannelState state;
  state.run = "run-1";
  ASSERT_TRUE(write_channel_state(files, link, state)) << "to what is not there yet";
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  for (const std::string &path : {real, link}) {
    const auto read = read_channel_state(files, path);
    ASSERT_TRUE(read && *read) << path;
    EXPECT_EQ((**read).run, "run-1");
  }
  const std::string log = folder.path() + "/asrun";
  std::filesystem::create_symlink("shared/asrun", log);
  ASSERT_TRUE(append_asrun(files, log, to_json(clip_entry()).to_text() + "\n"));
  EXPECT_TRUE(*has_asrun_line(files, folder.path() + "/shared/asrun", to_json(clip_entry())));
  EXPECT_TRUE(*has_asrun_line(files, log, to_json(clip_entry())));
}

TEST_F(ChannelFiles, TheLineOfAKilledPieceInventsNothing) {
  const std::string path = folder.path() + "/asrun.jsonl";
  AsRunEntry entry = clip_entry();
  entry.played_frames.reset();
  const Json shown = to_json(entry);
  EXPECT_FALSE(shown.find("played_frames"));
  EXPECT_FALSE(*has_asrun_line(files, path, shown)) << "there is no log";
  put(path, "{\"run\":\"run-1\",\"frame\":999}\n{\"run\":\"run-2\",\"frame\":1000}\n{\"run\":\"ru");
  EXPECT_FALSE(*has_asrun_line(files, path, shown));
  ASSERT_TRUE(append_asrun(files, path, killed_line(shown).to_text() + "\n"));
  EXPECT_TRUE(*has_asrun_line(files, path, shown));
  EXPECT_EQ(*killed_line(shown).find("reason")->string(), "The channel was killed.");
  entry.piece.reason = "It is not ready.";
  EXPECT_EQ(*killed_line(to_json(entry)).find("reason")->string(),
            "It is not ready. The channel was killed.");
}

Json numbered(size_t number) { return Json::Object{{"frame", static_cast<int64_t>(number)}}; }

TEST_F(ChannelFiles, AsRunLinesThatCannotBeWrittenWait) {
  const std::string path = folder.path() + "/new/asrun.jsonl";
  AsRunLog log(files, path);
  EXPECT_TRUE(log.write_waiting());
  log.add(numbered(1));
  EXPECT_FALSE(log.write_waiting()) << "there is no such folder";
  log.add(numbered(2));
  EXPECT_FALSE(log.write_waiting());
  EXPECT_EQ(log.waiting(), 2u);
  ASSERT_TRUE(files.make_folder(folder.path() + "/new"));
  log.add(numbered(3));
  log.add_first(numbered(0));
  EXPECT_TRUE(log.write_waiting());
  EXPECT_EQ(log.waiting(), 0u);
  const std::string four = "{\"frame\":0}\n{\"frame\":1}\n{\"frame\":2}\n{\"frame\":3}\n";
  EXPECT_EQ(contents(path), four);
  EXPECT_TRUE(log.write_waiting());
  EXPECT_EQ(contents(path), four) << "each is there once";
}

TEST_F(ChannelFiles, NoMoreAsRunLinesWaitThanMemoryMayHold) {
  const std::string path = folder.path() + "/new/asrun.jsonl";
  AsRunLog log(files, path);
  for (size_t i = 0; i < AsRunLog::kMostWaiting + 10; ++i) log.add(numbered(i));
  EXPECT_EQ(log.waiting(), AsRunLog::kMostWaiting);
  EXPECT_FALSE(log.write_waiting());
  log.add_first(numbered(0));
  EXPECT_EQ(log.waiting(), AsRunLog::kMostWaiting);
  ASSERT_TRUE(files.make_folder(folder.path() + "/new"));
  EXPECT_TRUE(log.write_waiting());
  EXPECT_TRUE(contents(path).starts_with("{\"frame\":10}\n")) << "the oldest are lost";
}

ChannelState sample_state() {
  ChannelState state;
  state.run = "run-1";
  state.frame = 123456789;
  state.on_air = "kite";
  state.place.last = "opening";
  state.place.next = "news";
  state.place.turn = 7;
  state.place.hold = true;
  state.place.fallbacks = 3;
  state.shown = to_json(clip_entry());
  state.place.timed = {{"noon", *utc_time("2026-11-22T12:00:00Z"), 4}};
  state.place.starts_over = {{"morning", 2}};
  return state;
}

TEST_F(ChannelFiles, TheStateIsReadAsItWasWritten) {
  const std::string path = folder.path() + "/state.json";
  auto none = read_channel_state(files, path);
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
  ASSERT_TRUE(write_channel_state(files, path, sample_state()));
  const auto state = read_channel_state(files, path);
  ASSERT_TRUE(state);
  ASSERT_TRUE(*state);
  EXPECT_EQ(to_json(**state), to_json(sample_state()));
  EXPECT_EQ((*state)->place.last, "opening");
  EXPECT_EQ((*state)->place.next, "news");
  EXPECT_EQ((*state)->place.turn, 7u);
  EXPECT_EQ((*state)->place.timed, sample_state().place.timed);
  EXPECT_EQ((*state)->place.starts_over, sample_state().place.starts_over);
}

TEST_F(ChannelFiles, TwoRunsDoNotWriteIntoOneStateFileInTurns) {
  const std::string path = folder.path() + "/state.json";
  ChannelState mine = sample_state(), other = sample_state();
  other.run = "run-2";
  ChannelStateFile file(files, path);
  ASSERT_TRUE(write_channel_state(files, path, other));
  const auto write = [&](uint64_t number) {
    file.set(mine, number);
    return file.write();
  };
  EXPECT_TRUE(write(1)) << "the run before left it";
  EXPECT_TRUE(write(2));
  ASSERT_TRUE(write_channel_state(files, path, other));
  const auto refused = write(3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::busy);
  EXPECT_TRUE(write(4)) << "it is told once";
  EXPECT_EQ((*read_channel_state(files, path))->run, "run-2");
}

TEST_F(ChannelFiles, AnOlderStateReplacesNoLaterOne) {
  const std::string path = folder.path() + "/state.json";
  ChannelState state = sample_state();
  ChannelStateFile file(files, path);
  for (const uint64_t number : {2, 1, 2, 3}) {
    state.frame = 100 + number;
    file.set(state, number);
    ASSERT_TRUE(file.write());
    EXPECT_EQ((*read_channel_state(files, path))->frame, number == 1 ? 102 : 100 + number);
  }
}

TEST_F(ChannelFiles, AnOlderStateDoesNotHideThatTheLaterOneFailed) {
  const std::string path = folder.path() + "/later/state.json";
  ChannelStateFile file(files, path);
  const auto write = [&](uint64_t number) {
    file.set(sample_state(), number);
    return file.write();
  };
  EXPECT_FALSE(write(2)) << "there is no such folder";
  EXPECT_FALSE(write(1));
  ASSERT_TRUE(files.make_folder(folder.path() + "/later"));
  EXPECT_FALSE(file.write()) << "there is nothing to write";
  EXPECT_TRUE(write(2));
  EXPECT_TRUE(write(1));
}

TEST_F(ChannelFiles, OnlyTheNewestStateIsWritten) {
  const std::string path = folder.path() + "/state.json";
  ChannelState state = sample_state();
  ChannelStateFile file(files, path);
  for (const uint64_t number : {1, 3, 2}) {
    state.frame = number;
    file.set(state, number);
  }
  ASSERT_TRUE(file.write());
  EXPECT_EQ((*read_channel_state(files, path))->frame, 3u);
  ASSERT_TRUE(files.remove(path));
  ASSERT_TRUE(file.write());
  EXPECT_FALSE(*read_channel_state(files, path)) << "it was written already";
}

TEST_F(ChannelFiles, TheStateIgnoresWhatItDoesNotKnow) {
  const auto state = channel_state(*Json::parse(
      R"({"next": "news", "new": [1], "starts_over": [7, {"id": "x", "count": -1}, {"count": 1}, {"id": "y", "count": 2}], "timed": [7, {"id": "x"}, {"id": "z", "at": "9999-01-01T00:00:00Z"}, {"id": "y", "at": "2026-11-22T12:00:00Z"}]})"));
  ASSERT_TRUE(state);
  EXPECT_EQ(state->place.next, "news");
  ASSERT_EQ(state->place.timed.size(), 1u);
  EXPECT_EQ(state->place.timed[0].id, "y");
  EXPECT_EQ(state->place.starts_over, (std::vector<StartsOver>{{"y", 2}}));
}

TEST_F(ChannelFiles, TheStateOfAnOlderVersionTellsWhatWasShownLastByWhatWasOnTheAir) {
  const auto state = channel_state(*Json::parse(R"({"on_air": "kite", "next": "", "ended": true})"));
  ASSERT_TRUE(state);
  EXPECT_EQ(state->place.last, "kite");
}

TEST_F(ChannelFiles, ADamagedStateIsAnError) {
  const std::string path = folder.path() + "/state.json";
  for (const std::string text :
       {"", "{", "7", "{}", "{\"next\": 7}", "{\"next\": \"a\", \"turn\": -1}",
        "{\"next\": \"a\", \"frame\": 1e300}", "{\"next\": \"a\", \"frame\": 9223372036854775807}",
        "{\"next\": \"a\", \"ended\": \"no\"}", R"({"next": "a", "run": 1})"}) {
    put(path, text);
    const auto state = read_channel_state(files, path);
    ASSERT_FALSE(state) << text;
    EXPECT_EQ(state.error().kind, ErrorKind::wrong_type) << text;
  }
  put(path, "{\"next\": \"" + std::string(2000, 'x') + "\"}");
  EXPECT_FALSE(read_channel_state(files, path));
}

}  // namespace
}  // namespace genclip::test
