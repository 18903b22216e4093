// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/rundown_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utime.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "plugin/account/ledger.h"
#include "plugin/channel/rundown_reader.h"
#include "tests/support/fake_clock.h"
#include "tests/support/lossy_file_system.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

class RundownFile : public ::testing::Test {
 protected:
  void write(const std::string &text) { std::ofstream(path_) << text; }
  RundownSource source() {
    RunSettings run;
    run.store = folder_.path() + "/store";
    return {FileSystem::posix(), Clock::system(), path_, "", run};
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/day.txt";
};

TEST_F(RundownFile, IsReadAgainOnceItHasChangedAndRested) {
  write("file:///one.mp4\n");
  RundownSource source = this->source();
  ASSERT_TRUE(source.read());
  EXPECT_FALSE(source.look()) << "nothing has changed";
  write("file:///one.mp4\nfile:///tw");
  EXPECT_FALSE(source.look()) << "somebody may still write it";
  write("file:///one.mp4\nfile:///two.mp4\n");
  EXPECT_FALSE(source.look()) << "and did";
  const auto changed = source.look();
  ASSERT_TRUE(changed);
  ASSERT_TRUE(*changed);
  EXPECT_EQ((**changed)->items.size(), 2u);
  EXPECT_FALSE(source.look()) << "it is read once";
}

// ConfigMaps of Kubernetes are such links, and so is a `today.json`.
TEST_F(RundownFile, MayBeALinkAndChangesWhenThatIsSwitched) {
  const auto write_day = [&](const char *name) {
    std::ofstream(folder_.path() + "/" + name) << "file:///" << name << ".mp4\n";
    std::filesystem::last_write_time(folder_.path() + "/" + name, {});
  };
  write_day("one");
  write_day("two");
  std::filesystem::create_symlink("one", path_);
  RundownSource source = this->source();
  const auto first = source.read();
  ASSERT_TRUE(first) << first.error().text;
  EXPECT_EQ((*first)->items[0].source, "file:///one.mp4");
  std::filesystem::remove(path_);
  std::filesystem::create_symlink("two", path_);
  EXPECT_FALSE(source.look());
  const auto changed = source.look();
  ASSERT_TRUE(changed && *changed);
  EXPECT_EQ((**changed)->items[0].source, "file:///two.mp4");
}

// As `cp -p` and `rsync -t` of a version of the same length leave it.
TEST_F(RundownFile, IsReadAgainThoughItsSizeAndTimeAreTheSame) {
  const auto write_at_one_time = [&](const std::string &path, const std::string &text) {
    std::ofstream(path) << text;
    std::filesystem::last_write_time(path, {});
  };
  write_at_one_time(path_, "file:///one.mp4\n");
  RundownSource source = this->source();
  ASSERT_TRUE(source.read());
  const auto changed = [&](const std::string &path) { return (**FileSystem::posix().info(path)).changed; };
  const auto before = changed(path_);
  const std::string other = folder_.path() + "/other";
  do write_at_one_time(other, "file:///two.mp4\n");
  while (changed(other) == before);
  std::filesystem::rename(other, path_);
  EXPECT_FALSE(source.look());
  const auto second = source.look();
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((**second)->items[0].source, "file:///two.mp4");
}

// What was inserted into it and removed stays then.
TEST_F(RundownFile, IsReadAgainByAReloadOnlyIfItIsAnotherOneOrWasRefused) {
  write("file:///one.mp4\n");
  RundownSource source = this->source();
  ASSERT_TRUE(source.read());
  EXPECT_FALSE(source.read_again());
  write("file:///one.mp4\nfile:///two.mp4\n");
  const auto other = source.read_again();
  ASSERT_TRUE(other && *other);
  EXPECT_EQ((**other)->items.size(), 2u);
  EXPECT_FALSE(source.read_again());
  write(R"({"program": [{"source": "genclip://dance-2.5?prompt=a&duration=4", "fresh": "each-turn"}]})");
  for (int times = 0; times < 2; ++times) {
    const auto refused = source.read_again();
    ASSERT_TRUE(refused) << "its budget may be there now";
    EXPECT_FALSE(*refused);
  }
  ASSERT_TRUE(FileSystem::posix().make_folder(folder_.path() + "/store"));
  std::ofstream(folder_.path() + "/store/budget.json") << R"({"tasks_per_day": 5})";
  const auto accepted = source.read_again();
  ASSERT_TRUE(accepted && *accepted);
  write("genclip://no-such-model?prompt=a\nfile:///two.mp4\n");
  const auto partly = source.read_again();
  ASSERT_TRUE(partly && *partly);
  EXPECT_FALSE((**partly)->items[0].problem.empty());
  EXPECT_FALSE(source.read_again()) << "it is not undone for the item that was refused";
  std::filesystem::remove(path_);
  const auto gone = source.read_again();
  ASSERT_TRUE(gone);
  EXPECT_FALSE(*gone);
}

TEST_F(RundownFile, IsJudgedAgainAsItIsNowIfAPartOfItWasRefused) {
  write("file:///one.mp4\n");
  RundownSource source = this->source();
  const auto read = source.read();
  ASSERT_TRUE(read);
  Rundown rundown = **read;
  EXPECT_FALSE(source.judge_again(rundown)) << "nothing was refused";
  const auto whole = source.judge_again(rundown, true);
  EXPECT_TRUE(whole && *whole);
  rundown.items[0].problem = "It was refused.";
  rundown.items.push_back(rundown.items[0]);
  rundown.items[1].source = "genclip://no-such-model?prompt=a";
  const auto again = source.judge_again(rundown);
  ASSERT_TRUE(again && *again);
  EXPECT_EQ((**again)->items[0].problem, "");
  EXPECT_NE((**again)->items[1].problem, "It was refused.");
  EXPECT_NE((**again)->items[1].problem, "");
  rundown = **read;
  rundown.refused_fallback = {{"file:///two.mp4", "It was refused."}};
  const auto complete = source.judge_again(rundown);
  ASSERT_TRUE(complete && *complete);
  EXPECT_EQ((**complete)->fallback, std::vector<std::string>{"file:///two.mp4"});
}

class RundownBeingWritten : public RundownFile {
 protected:
  // `age`: of the file, by the clock of its disk, which is the system's.
  void write(const std::string &text, std::chrono::seconds age = {}) {
    RundownFile::write(text);
    if (age == std::chrono::seconds(0)) return;
    const std::time_t time = Clock::WallTime::clock::to_time_t(Clock::system().wall_now() - age);
    const utimbuf times{time, time};
    ASSERT_EQ(utime(path_.c_str(), &times), 0);
  }
  // At rest: the second look after a change.
  std::optional<RundownReading> look() {
    EXPECT_FALSE(source_.look());
    return source_.look();
  }
  static size_t items(const std::optional<RundownReading> &reading) {
    return reading && *reading ? (**reading)->items.size() : 0;
  }

  // So far, the clock of the disk is behind that of this machine.
  void set_disk_behind(std::chrono::seconds by) {
    clock_.advance(Clock::system().wall_now() + by - clock_.wall_now());
  }

  FakeClock clock_;
  RundownSource source_{FileSystem::posix(), clock_, path_, "", {}};
};

TEST_F(RundownBeingWritten, IsReadTenSecondsLaterIfItsLastLineIsNotEnded) {
  write("file:///one.mp4\n");
  ASSERT_TRUE(source_.read());
  write("file:///one.mp4\nfile:///tw");
  EXPECT_FALSE(look());
  clock_.advance(std::chrono::seconds(9));
  EXPECT_FALSE(source_.look());
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(items(source_.look()), 2u);
  EXPECT_FALSE(source_.look()) << "it is read once";
  write("file:///one.mp4\nfile:///two.mp4\nfile:///three.mp4\n");
  EXPECT_EQ(items(look()), 3u) << "whole";
  write("file:///one.mp4\nfile:///two.mp4", std::chrono::seconds(10));
  EXPECT_EQ(items(look()), 2u) << "nobody writes what is so old";
}

TEST_F(RundownBeingWritten, IsNotWaitedForBecauseTheClockOfItsDiskIsAhead) {
  write("file:///one.mp4\n");
  ASSERT_TRUE(source_.read());
  write("file:///one.mp4\nfile:///two.mp4", -std::chrono::hours(1));
  EXPECT_FALSE(look());
  clock_.advance(std::chrono::seconds(10));
  EXPECT_EQ(items(source_.look()), 2u);
}

TEST_F(RundownBeingWritten, IsWaitedForThoughTheClockOfItsDiskIsBehind) {
  set_disk_behind(std::chrono::hours(1));
  write("file:///one.mp4\n");
  ASSERT_EQ(items(source_.begin()), 1u);
  write("file:///one.mp4\nfile:///tw");
  EXPECT_FALSE(look());
  clock_.advance(std::chrono::seconds(9));
  EXPECT_FALSE(source_.look());
  write("file:///one.mp4\nfile:///two.mp4\nfile:///thr");
  EXPECT_FALSE(look()) << "it has changed";
  clock_.advance(std::chrono::seconds(10));
  EXPECT_EQ(items(source_.look()), 3u);
}

TEST_F(RundownBeingWritten, IsNoMistakeBeforeTheEndOfItsJsonIsOverdue) {
  write("file:///one.mp4\n");
  ASSERT_TRUE(source_.read());
  write(R"({"program": [{"source": "one.mp4"},)");
  EXPECT_FALSE(look());
  clock_.advance(std::chrono::seconds(10));
  const auto cut = source_.look();
  ASSERT_TRUE(cut);
  EXPECT_FALSE(*cut);
  write(R"({"program": [{"sourc": "one.mp4"}]})");
  const auto wrong = look();
  ASSERT_TRUE(wrong) << "whole, so its mistake is told at once";
  EXPECT_FALSE(*wrong);
}

TEST_F(RundownBeingWritten, HoldsUpAStartForTenSecondsAtMost) {
  for (int second = 0; second < 10; ++second) {
    write("file:///" + std::string(1 + static_cast<size_t>(second), 'a'));
    EXPECT_FALSE(source_.begin()) << second;
    clock_.advance(std::chrono::seconds(1));
  }
  write("file:///one.mp4");
  EXPECT_EQ(items(source_.begin()), 1u);
}

TEST_F(RundownFile, ThatIsMissingOrEmptyIsAnErrorThatSaysSo) {
  const auto missing = source().read();
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().line, 0u);
  EXPECT_NE(missing.error().text.find("cannot be read"), std::string::npos) << missing.error().text;
  write("\n\n");
  EXPECT_FALSE(source().read());
}

TEST_F(RundownFile, ThatCannotBeLookedAtIsUnseenAndTheSameWhenItAnswers) {
  LossyFileSystem files(folder_.path());
  RundownSource source(files, Clock::system(), path_, "", {});
  write("file:///one.mp4\n");
  ASSERT_TRUE(source.read());
  const auto fail = [&] {
    files.fail_at(files.operations() + 1, {ErrorKind::open_read, "The server does not answer."});
    EXPECT_FALSE(source.look());
    return source.unseen();
  };
  for (int rounds = 0; rounds < 2; ++rounds) {
    for (int looks = 1; looks < 4; ++looks) EXPECT_EQ(fail(), "") << looks;
    EXPECT_EQ(fail(), "The rundown cannot be read: The server does not answer.");
    EXPECT_FALSE(source.look());
    EXPECT_EQ(source.unseen(), "");
    EXPECT_FALSE(source.look()) << "it is the same, so what was inserted stays";
  }
  fail();
  write("file:///one.mp4\nfile:///two.mp4\n");
  EXPECT_FALSE(source.look());
  const auto changed = source.look();
  ASSERT_TRUE(changed && *changed);
  EXPECT_EQ((**changed)->items.size(), 2u);
}

TEST_F(RundownFile, KnowsWhetherTheBudgetStillBinds) {
  RundownSource source = this->source();
  EXPECT_FALSE(source.read_budget()) << "there is none";
  const std::string store = folder_.path() + "/store";
  ASSERT_TRUE(FileSystem::posix().make_folder(store));
  std::ofstream(store + "/budget.json") << R"({"tasks_per_day": 5})";
  EXPECT_TRUE(source.read_budget());
  std::ofstream(store + "/budget.json") << "{";
  EXPECT_TRUE(source.read_budget()) << "nothing is paid while it cannot be read";
  std::filesystem::remove(store + "/budget.json");
  EXPECT_FALSE(source.read_budget()) << "it has gone";
}

TEST_F(RundownFile, WithFreshItemsNeedsABudget) {
  write(R"({"program": [
    {"source": "file:///one.mp4"},
    {"source": "genclip://dance-2.5?prompt=a&duration=4", "fresh": "each-turn"}]})");
  const auto refused = source().read();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().line, 3u);
  EXPECT_NE(refused.error().text.find("budget"), std::string::npos) << refused.error().text;
}

// The application's thread judges what it inserts, and must not wait for the store.
TEST_F(RundownFile, JudgesWithTheBudgetThatWasReadLast) {
  write("file:///one.mp4\n");
  RundownSource source = this->source();
  ASSERT_TRUE(source.read());
  const auto refusal = [&] {
    auto item = read_rundown_item(
        R"({"source": "genclip://dance-2.5?prompt=a&duration=4", "fresh": "each-turn"})", source.folder());
    EXPECT_TRUE(item);
    const auto judged = source.judge(*std::move(item));
    return judged ? "" : judged.error().text;
  };
  EXPECT_THAT(refusal(), testing::HasSubstr("has not been read yet"));
  source.read_budget();
  EXPECT_THAT(refusal(), testing::HasSubstr("genclip budget set --per-day"));
  Ledger ledger(FileSystem::posix(), Clock::system(), folder_.path() + "/store");
  const auto per_day = std::ranges::find(budget_limits(), &Budget::per_day, &BudgetLimit::value);
  ASSERT_TRUE(ledger.change_budget({{*per_day, 100}}, nullptr));
  EXPECT_NE(refusal(), "") << "it looked at the disk";
  source.read_budget();
  EXPECT_EQ(refusal(), "");
}

TEST_F(RundownFile, KnowsItsFolder) {
  write("file:///one.mp4\n");
  RundownSource source = this->source();
  ASSERT_TRUE(source.read());
  EXPECT_EQ(source.folder(), folder_.path());
  RundownSource text(FileSystem::posix(), Clock::system(), "", "file:///one.mp4\n", {});
  ASSERT_TRUE(text.read());
  EXPECT_EQ(text.folder(), std::filesystem::current_path());
}

TEST_F(RundownFile, WithARefusedItemIsUsedAndSaysWhy) {
  write("file:///one.mp4\ngenclip://dance-2.5?duration=4\n");
  const auto reading = source().read();
  ASSERT_TRUE(reading);
  EXPECT_EQ((*reading)->items[0].problem, "");
  EXPECT_NE((*reading)->items[1].problem.find("prompt"), std::string::npos);
}

TEST(RundownText, IsReadWithoutAFile) {
  RundownSource source(FileSystem::posix(), Clock::system(), "", "file:///one.mp4\n", {});
  const auto reading = source.read();
  ASSERT_TRUE(reading);
  EXPECT_EQ((*reading)->items.size(), 1u);
  EXPECT_FALSE(source.look()) << "a text does not change";
  EXPECT_FALSE(source.read_again());
}

}  // namespace
}  // namespace genclip::test
