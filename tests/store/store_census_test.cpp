// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a limit of the store's size costs, and that its summary never leads to another result than a look at
// all folders, whoever has changed these meanwhile.
#include "plugin/store/store_census.h"

#include <filesystem>
#include <fstream>
#include <random>

#include "plugin/store/clip_pin.h"
#include "plugin/store/clip_removal.h"
#include "tests/store/store_fixture.h"
#include "tests/support/file_content.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t kNoLimit = uint64_t{1} << 60;
constexpr CensusPace kPace{10, 4};
constexpr int kEnough = 10;  // Folders for which a summary is written, and all of which are asked.

class StoreCensusTest : public StoreTest {
 protected:
  StoreCensusTest() {
    fs::create_directories(root_);
    summary_ = store_summary_path(root_);
  }

  ClipPath path_of(int number) const {
    return StoreTest::path_of(record_of("clip " + std::to_string(number), ClipState::complete));
  }

  // All that is in the folder has the same time, which nothing else has: it was changed long ago.
  void age(const ClipPath &path) {
    if (!fs::exists(path.folder())) return;
    for (const auto &file : fs::directory_iterator(path.folder()))
      if (file.path() != path.use()) fs::last_write_time(file, long_ago());
    fs::last_write_time(path.folder(), long_ago());
    past_ += std::chrono::seconds(1);
  }

  // As any version of genclip leaves it: written under another name, and renamed.
  ClipPath put(int number, ClipState state = ClipState::complete, size_t size = 1000) {
    ClipRecord record = record_of("clip " + std::to_string(number), state);
    const ClipPath path = StoreTest::path_of(record);
    fs::create_directories(path.folder());
    if (state == ClipState::complete) {
      record.clip_name = "clip.mp4";
      record.clip_size = size;
      std::ofstream(path.part()) << std::string(size, 'x');
      EXPECT_TRUE(FileSystem::posix().rename(path.part(), path.file("clip.mp4")));
    }
    std::ofstream(path.record_temporary()) << record.to_json().to_pretty_text();
    EXPECT_TRUE(FileSystem::posix().rename(path.record_temporary(), path.record()));
    return path;
  }

  void put_many(int first, int end) {
    for (int number = first; number < end; ++number) age(put(number));
  }

  // Sets the time of the last use; the numbers rise with it.
  void use(const ClipPath &path, int number) {
    if (!fs::exists(path.use())) std::ofstream(path.use()) << "";
    fs::last_write_time(path.use(), fs::file_time_type::clock::now() + std::chrono::hours(number));
  }

  Pruned prune(uint64_t size = kNoLimit, const std::string &new_clip = "") {
    return taken(prune_store(files_, root_, size, new_clip, kPace));
  }
  static std::vector<std::string> keys_of(const std::vector<StoredClip> &clips) {
    std::vector<std::string> keys;
    for (const StoredClip &clip : clips) keys.push_back(clip.digest);
    return keys;
  }

  size_t operations_of_prune(const std::string &new_clip) {
    const size_t before = files_.operations();
    prune(kNoLimit, new_clip);
    return files_.operations() - before;
  }

  uint64_t size_by_listing() {
    uint64_t size = 0;
    for (const StoredClip &clip : taken(list_store(files_, root_))) size += clip.size;
    return size;
  }

  // What a prune to `size` must remove: the least recently used, until the rest fits.
  std::vector<std::string> must_go(uint64_t size) {
    const auto clips = taken(list_store(files_, root_));
    uint64_t all = 0;
    for (const StoredClip &clip : clips) all += clip.size;
    std::vector<std::string> keys;
    for (const StoredClip &clip : clips) {
      if (all <= size) break;
      if (!clip.is_complete() || clip.pinned) continue;
      all -= clip.size;
      keys.push_back(clip.digest);
    }
    return keys;
  }

  std::string summary_;

 private:
  fs::file_time_type long_ago() const { return start_ - std::chrono::hours(24) + past_; }

  const fs::file_time_type start_ = fs::file_time_type::clock::now();
  std::chrono::seconds past_{0};
};

// ---- What it costs.

// The time of each folder, and of the new one all.
TEST_F(StoreCensusTest, ANewClipOpensNoFolderOfAnother) {
  put_many(0, kEnough);
  prune();
  ASSERT_TRUE(fs::exists(summary_));
  const size_t of_one = operations_of_prune(put(kEnough).digest());
  put_many(kEnough, 4 * kEnough);
  prune();
  EXPECT_LT(of_one, size_t{kEnough + 35});
  EXPECT_LT(operations_of_prune(put(4 * kEnough).digest()), of_one + 5) << "it grows with the store";
}

TEST_F(StoreCensusTest, ClipsThatAreNotInTheSummaryAreFewAndThenAdded) {
  put_many(0, kEnough);
  prune();
  for (int number = kEnough; number < 5 * kEnough; ++number) {
    const ClipPath path = put(number);
    age(path);
    ASSERT_LT(operations_of_prune(path.digest()), size_t{kEnough + 20 + 5 * 15}) << number;
  }
  EXPECT_EQ(prune().size, size_by_listing());
}

TEST_F(StoreCensusTest, ASmallStoreHasNoSummary) {
  put_many(0, 4);
  prune();
  EXPECT_FALSE(fs::exists(summary_));
}

// ---- What others do.

// The order of what goes, and what stays, at any limit, is that of the listing.
TEST_F(StoreCensusTest, AgreesWithTheListingWhateverHasHappened) {
  put_many(0, kEnough);
  prune();
  ASSERT_TRUE(fs::exists(summary_));
  constexpr int kSteps = 300;
  std::mt19937 random(27);
  const auto any = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  for (int step = 0; step < kSteps; ++step) {
    const int number = any(kEnough + 10);
    const ClipPath path = path_of(number);
    const bool is_there = fs::exists(path.record());
    const int event = any(12);
    switch (event) {
      case 0:
      case 1: put(number, ClipState::complete, static_cast<size_t>(500 + any(3000))); break;
      case 2: put(number, ClipState::failed); break;
      case 3:
        put(number, ClipState::submitted);
        std::ofstream(path.part()) << "the first bytes";
        break;
      case 4:  // A download that goes on.
        if (fs::exists(path.part())) std::ofstream(path.part(), std::ios::app) << std::string(700, 'y');
        break;
      case 5:
        if (is_there) use(path, step);
        break;
      case 6: EXPECT_EQ(bool(pin_clip(files_, path)), fs::exists(path.folder())); break;
      case 7: EXPECT_EQ(bool(unpin_clip(files_, path)), fs::exists(path.folder())); break;
      case 8: fs::remove_all(path.folder()); break;
      case 9:
        if (is_there) std::ofstream(path.file("notes.txt")) << "mine";
        break;
      case 10:  // As a gallery does.
        if (is_there)
          std::ofstream(path.thumbnail() + ".tmp") << std::string(static_cast<size_t>(any(900)), 't');
        if (is_there) {
          EXPECT_TRUE(FileSystem::posix().rename(path.thumbnail() + ".tmp", path.thumbnail()));
        }
        break;
      default:
        for (int i = 0; i < 8; ++i) age(path_of(any(kEnough + 10)));
    }
    if (step % 3 != 0) continue;
    const uint64_t size = size_by_listing();
    const uint64_t limit =
        step % 9 == 0 ? size - std::min<uint64_t>(size, static_cast<uint64_t>(any(4000))) : kNoLimit;
    const auto expected = must_go(limit);
    const Pruned pruned = prune(limit, step % 2 == 0 ? path.digest() : "");
    ASSERT_THAT(keys_of(pruned.removed), ElementsAreArray(expected)) << "step " << step;
    ASSERT_EQ(pruned.size, size_by_listing()) << "step " << step << ", event " << event;
    for (size_t i = 0; i < expected.size(); ++i) put(any(kEnough + 10));
  }
  for (int number = 0; number < kEnough + 10; ++number) age(path_of(number));
  prune();
  EXPECT_LT(operations_of_prune(""), 100u) << "the summary is of use";
}

// In a larger store, what a name does not show is found in turn …
TEST_F(StoreCensusTest, FindsWithinAFewNewClipsWhatAnotherReplaced) {
  constexpr int kClips = 25;
  put_many(0, kClips);
  prune();
  for (int number = 0; number < kClips; number += 5) put(number, ClipState::complete, 5000);
  for (int number = kClips; number < kClips + 3; ++number) prune(kNoLimit, put(number).digest());
  const std::string digest = put(kClips + 3).digest();
  EXPECT_EQ(prune(kNoLimit, digest).size, size_by_listing());
}

// … or at once: by the command, in the folder that the run has written, and where no whole clip was.
TEST_F(StoreCensusTest, FindsAtOnceWhatIsLikelyToChange) {
  constexpr int kClips = 24;
  for (int number = 0; number < kClips; ++number)
    age(put(number, number % 2 == 0 ? ClipState::submitted : ClipState::complete));
  prune();
  for (int number = 0; number < kClips; number += 2) put(number, ClipState::complete, 5000);
  EXPECT_EQ(prune(kNoLimit, path_of(0).digest()).size, size_by_listing()) << "they had no clip";
  for (int number = 0; number < kClips; number += 3) {
    const std::string digest = put(number, ClipState::complete, 7000).digest();
    ASSERT_EQ(prune(kNoLimit, digest).size, size_by_listing()) << "the run's own, " << number;
    ASSERT_EQ(prune(kNoLimit, path_of(kClips).digest()).size, size_by_listing()) << "and the next one's";
    age(path_of(number));
    prune();
  }
  for (int number = 1; number < kClips; number += 2) put(number, ClipState::complete, 6000);
  EXPECT_EQ(prune().size, size_by_listing()) << "the command";
}

TEST_F(StoreCensusTest, AClipThatWasUsedSinceStays) {
  put_many(0, kEnough);
  for (int number = 0; number < kEnough; ++number) use(path_of(number), number);
  put_many(0, kEnough);
  prune();
  ASSERT_TRUE(fs::exists(summary_));
  use(path_of(0), 1000);
  use(path_of(2), 1001);
  const uint64_t size = size_by_listing();
  EXPECT_THAT(keys_of(prune(size - 1, path_of(0).digest()).removed), ElementsAreArray({path_of(1).digest()}));
  const StoredClip oldest = taken(list_store(files_, root_)).front();
  EXPECT_EQ(oldest.digest, path_of(3).digest());
  EXPECT_THAT(keys_of(prune(size_by_listing() - oldest.size, path_of(0).digest()).removed),
              ElementsAreArray({oldest.digest}))
      << "the rest fits exactly";
}

// Two processes, of which the second has begun and ended while the first is at work.
TEST_F(StoreCensusTest, OneThatIsOvertakenDoesNoHarm) {
  put_many(0, kEnough);
  auto names = taken(files_.list(root_));
  StoreCensus first(files_, root_, names, "", kPace);
  put(7, ClipState::complete, 9000);
  put_many(kEnough, kEnough + 20);
  ASSERT_TRUE(remove_clip(files_, root_, path_of(8).digest()));
  StoreCensus::Folder gone = first.folders()[0];
  const std::string digest = path_of(8).digest();
  gone.digest = digest;
  first.refresh(gone);
  EXPECT_EQ(gone.size, 0u);
  EXPECT_FALSE(gone.is_complete);
  prune();
  first.save();
  EXPECT_EQ(prune().size, size_by_listing());
  EXPECT_EQ(prune(kNoLimit, path_of(7).digest()).size, size_by_listing());
}

TEST_F(StoreCensusTest, OneWritesAtATime) {
  put_many(0, kEnough);
  {
    const auto lock = StoreLock::try_lock(store_summary_lock_path(root_));
    ASSERT_TRUE(lock && *lock);
    EXPECT_EQ(prune().size, size_by_listing());
    EXPECT_FALSE(fs::exists(summary_));
  }
  prune();
  EXPECT_TRUE(fs::exists(summary_));
}

// ---- What is not believed.

// A change within the grain of the file system's clock would not show.
TEST_F(StoreCensusTest, AFolderThatChangedJustNowHasNoRow) {
  for (int number = 0; number < kEnough; ++number) put(number);
  prune();
  EXPECT_FALSE(fs::exists(summary_));
}

// As a mounted bucket shows: a folder's time is that of the mount, or of no time at all.
TEST_F(StoreCensusTest, AFileSystemWithoutTimesOfFoldersHasNoSummary) {
  put_many(0, kEnough);
  for (int number = 0; number < kEnough; ++number)
    fs::last_write_time(path_of(number).folder(),
                        fs::file_time_type::clock::now() - std::chrono::hours(24 * 365));
  prune();
  EXPECT_FALSE(fs::exists(summary_));
}

TEST_F(StoreCensusTest, ADamagedSummaryIsNoneAndIsReplaced) {
  put_many(0, kEnough);
  prune();
  const std::string good = content(summary_);
  const auto set = [&](const std::string &text) {
    return [this, text] { std::ofstream(summary_, std::ios::binary) << text; };
  };
  std::string flipped = good;
  flipped[flipped.find(" 1") + 1] = '9';
  const std::vector<std::function<void()>> damages{set(""),
                                                   set(good.substr(0, good.size() / 2)),
                                                   set(flipped),
                                                   set(good + "x"),
                                                   set(std::string(1 << 20, '\0')),
                                                   set(good.substr(0, 64)),
                                                   [this] { fs::create_directory(summary_); },
                                                   [this] { fs::create_symlink("/dev/null", summary_); }};
  for (size_t i = 0; i < damages.size(); ++i) {
    fs::remove_all(summary_);
    damages[i]();
    EXPECT_EQ(prune(kNoLimit, path_of(0).digest()).size, size_by_listing()) << i;
    // A folder in its place stays, and there is no summary.
    if (fs::is_directory(summary_)) continue;
    EXPECT_LT(operations_of_prune(path_of(0).digest()), size_t{kEnough + 20}) << i;
  }
  EXPECT_THAT(must_go(kNoLimit), IsEmpty());
}

// Whatever stands at the place of the turn, the rows are believed and checked.
TEST_F(StoreCensusTest, AnyTurnWillDo) {
  put_many(0, 3 * kEnough);
  prune();
  for (const char sign : {' ', '0', 'f', 'z', '\xff'}) {
    const auto set = [&] { std::fstream(summary_, std::ios::in | std::ios::out) << std::string(64, sign); };
    set();
    EXPECT_LT(operations_of_prune(path_of(9).digest()), size_t{kEnough + 30}) << sign;
    set();
    const std::string digest =
        put(sign & 7, ClipState::complete, 1500 + static_cast<size_t>(sign & 31)).digest();
    EXPECT_EQ(prune(kNoLimit, digest).size, size_by_listing()) << sign;
    age(path_of(sign & 7));
    prune();
  }
}

// ---- What fails.

// Each call, failed once and died in once: no clip goes that should stay, and the next prune is right.
TEST_F(StoreCensusTest, NoFailureAndNoKillDoesHarm) {
  for (int number = 0; number < kEnough; ++number) age(add("clip " + std::to_string(number)));
  const size_t before = files_.operations();
  prune();
  const size_t calls = files_.operations() - before;
  const uint64_t size = size_by_listing();
  ASSERT_TRUE(fs::exists(summary_));
  for (const bool dies : {false, true}) {
    for (size_t call = calls; call > calls - 20; --call) {
      fs::remove(summary_);
      if (dies)
        files_.die_at(files_.operations() + call);
      else
        files_.fail_at(files_.operations() + call, {ErrorKind::no_space_left, "No space left on device."});
      const auto pruned = prune_store(files_, root_, kNoLimit, "", kPace);
      if (dies) files_.crash(Loss::nothing);
      EXPECT_TRUE(dies || pruned) << call;
      EXPECT_TRUE(dies || !fs::exists(summary_ + ".tmp")) << call;
      EXPECT_EQ(prune(kNoLimit, path_of(0).digest()).size, size) << call;
    }
  }
  EXPECT_THAT(taken(list_store(files_, root_)), SizeIs(kEnough));
}

// ---- Its text.

TEST(StoreSummary, IsReadAsItWasWritten) {
  const std::string a(64, 'a'), b(64, 'b'), c(64, 'c');
  const std::vector<FolderRow> rows{{a, 1767225600123456789, 1000, 1767225600, true, false},
                                    {b, -1, 0, 0, false, false},
                                    {c, 1, 1, -1, true, true}};
  const std::string text = store_summary_text({b, rows});
  const auto summary = read_store_summary(text);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->turn, b);
  EXPECT_EQ(summary->rows, rows);
  EXPECT_EQ(turn_text(b), text.substr(0, 65));
}

TEST(StoreSummary, OfWhichAnyByteChangedIsNone) {
  const std::string a(64, 'a'), b(64, 'b');
  const std::string text =
      store_summary_text({a, {{a, 5, 1000, 6, true, false}, {b, 7, 2000, 8, true, true}}});
  for (size_t at = 64; at < text.size(); ++at) {
    std::string other = text;
    other[at] ^= 1;
    EXPECT_FALSE(read_store_summary(other)) << at;
    EXPECT_FALSE(read_store_summary(text.substr(0, at))) << at;
  }
}

TEST(StoreSummary, WithARowOfAnotherFolderIsNone) {
  const std::string a(64, 'a');
  EXPECT_TRUE(read_store_summary(store_summary_text({a, {{a, 5, 1000, 6}}})));
  EXPECT_FALSE(read_store_summary(store_summary_text({a, {{"captions", 5, 1000, 6}}})));
}

TEST(StoreSummary, WhoseRowsAreNotInOrderIsNone) {
  const std::string a(64, 'a'), b(64, 'b');
  EXPECT_FALSE(read_store_summary(store_summary_text({a, {{b, 5, 1000, 6}, {a, 7, 2000, 8}}})));
  EXPECT_FALSE(read_store_summary(store_summary_text({a, {{a, 5, 1000, 6}, {a, 7, 2000, 8}}})));
}

}  // namespace
}  // namespace genclip::test
