// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A download that is interrupted, refused, misled and restarted: each byte of the clip exactly once, or an
// error.
#include "plugin/generation/download.h"

#include <filesystem>
#include <numeric>
#include <random>

#include "tests/generation/work_fixture.h"
#include "tests/support/seed.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr size_t kSize = 200'000;

// The first bytes of a clip, with a length as if they were all, or in chunks that end as they should.
FakeAnswer stump(const std::string &clip, size_t size, bool is_chunked = false) {
  HttpHeaders headers = {{"ETag", "\"" + std::to_string(size) + "\""}};
  if (is_chunked)
    headers.emplace_back("Transfer-Encoding", "chunked");
  else
    headers.emplace_back("Content-Length", std::to_string(size));
  return answer(200, clip.substr(0, size), std::move(headers));
}

class DownloadTest : public testing::Test, protected World {
 protected:
  struct Got {
    std::optional<Error> error;
    MediaContainer container;
    std::string bytes;
    uint64_t size = 0;
    size_t further = 0;
    bool is_stump = false;
  };

  // Those behind the first count as further results; from `first_other_` on, as other addresses of it, which
  // `may_differ_`.
  std::vector<ResultUrl> results(const std::vector<std::string> &urls) const {
    std::vector<ResultUrl> results;
    for (const std::string &url : urls)
      results.push_back({"output[" + std::to_string(results.size()) + "]", url,
                         !results.empty() && results.size() < first_other_,
                         may_differ_ && results.size() >= first_other_});
    return results;
  }

  // Nobody has downloaded anything.
  void forget() {
    part_ = {};
    fresh_urls_ = 0;
    static_cast<void>(FileSystem::posix().remove(path().part()));
  }

  // The answer has two URLs: the first answers with these, the other one has the clip. So do fresh answers.
  void use_two_urls(const FakeAnswer &of_first) {
    first_other_ = 1;
    urls_ = fresh_ = {"https://media.example/bad", "https://media.example/good"};
    http_->otherwise([this, of_first](const HttpRequest &request) {
      return request.url == urls_[0] ? of_first : service_(request);
    });
  }

  std::vector<std::string> requested(size_t from = 0) const {
    std::vector<std::string> urls;
    for (const auto &sent : http_->requests()) urls.push_back(sent.request.url);
    urls.erase(urls.begin(), urls.begin() + static_cast<std::ptrdiff_t>(from));
    return urls;
  }

  // A download that would never end ends there.
  void cancel_after(size_t requests) {
    http_->before_answer([this, requests](const HttpRequest &) {
      if (http_->requests().size() >= requests) g_cancellable_cancel(cancellable_.get());
    });
  }

  // Continues with the files of the last one, as another process would.
  Got download(const std::string &boot = "boot") {
    static_cast<void>(FileSystem::posix().make_folder(path().folder()));
    ClipFolder folder(files_, path());
    auto file = taken(folder.open_part());
    Download::Hooks hooks;
    hooks.fresh_urls = [this](std::optional<Clock::Time> until) -> Result<std::vector<ResultUrl>> {
      ++fresh_urls_;
      asked_until_ = until;
      if (fresh_error_) return *fresh_error_;
      if (!fresh_.empty()) return results(fresh_);
      if (fresh_url_.empty()) return std::vector<ResultUrl>();
      return results({fresh_url_});
    };
    hooks.checkpoint = [this](const PartState &part) -> Result<void> {
      part_ = part;
      synced_.push_back(part.synced);
      clock_.advance(between_checkpoints_);
      return {};
    };
    hooks.begin_file = [&](const PartState &part) -> Result<std::shared_ptr<File>> {
      static_cast<void>(folder.discard_part());
      part_ = part;
      auto begun = folder.open_part();
      if (begun) file = *begun;
      return begun;
    };
    const RetryPolicy retries(retries_, [] { return 0.5; });
    clip_ = std::make_unique<GrowingClip>();
    DownloadOptions options{std::chrono::seconds(30), max_size_, "", boot};
    options.base_url = "https://api.example/prefix";
    options.secrets = &secrets_;
    options.wanted = wanted_;
    options.deadline = deadline_;
    Download download(*http_, clock_, retries, options, std::move(hooks), file, *clip_);
    auto container = download.run(results(urls_), part_, cancellable_.get());
    Got got;
    got.further = download.further_results().size();
    got.is_stump = download.is_stump();
    got.size = download.size();
    if (!container)
      got.error = container.error();
    else
      got.container = *container;
    got.bytes.resize(got.size);
    static_cast<void>(file->read_at(0, std::as_writable_bytes(std::span(got.bytes))));
    return got;
  }

  void expect_whole(const Got &got) {
    ASSERT_FALSE(got.error) << got.error->text;
    EXPECT_TRUE(are_same(got.bytes, service_.clip()));
    EXPECT_EQ(got.size, service_.clip().size());
  }

  // Once, before the first request that has a range is answered.
  void before_range(std::function<void()> hook) {
    auto armed = std::make_shared<bool>(true);
    http_->before_answer([hook = std::move(hook), armed](const HttpRequest &request) {
      if (header_of(request, "Range").empty() || !std::exchange(*armed, false)) return;
      hook();
    });
  }

  // The request when this number of bytes is stored.
  static std::string range_from(size_t have) { return "bytes=" + std::to_string(have - kSeam) + "-"; }

  // One process downloaded this much of a clip, starting from nothing.
  void leave_cut_at(size_t size) {
    part_ = {};
    static_cast<void>(FileSystem::posix().remove(path().part()));
    retries_ = 0;
    first_other_ = 100;
    service_.cuts = {size};
    ASSERT_TRUE(download().error);
    retries_ = 5;
  }

  PartState part_;
  unsigned retries_ = 5;
  uint64_t max_size_ = uint64_t{1} << 30;
  unsigned fresh_urls_ = 0;
  std::vector<std::string> urls_ = {"https://media.example/task-1?sig=1"};
  std::optional<ResultKind> wanted_ = ResultKind::video;
  Secrets secrets_;
  std::optional<Clock::Time> deadline_;
  std::optional<Clock::Time> asked_until_;  // By the last question for fresh URLs.
  std::string fresh_url_ = "https://media.example/task-1?sig=2";
  std::vector<std::string> fresh_;  // Instead, if there are any.
  size_t first_other_ = 100;
  bool may_differ_ = false;
  std::optional<Error> fresh_error_;
  std::unique_ptr<GrowingClip> clip_;
  std::vector<uint64_t> synced_;  // As journalled.
  std::chrono::milliseconds between_checkpoints_{0};
  GRef<GCancellable> cancellable_ = GRef<GCancellable>::adopt(g_cancellable_new());
};

TEST_F(DownloadTest, BringsEveryByteInOneRequest) {
  const Got got = download();
  expect_whole(got);
  EXPECT_EQ(got.container.extension, "mp4");
  EXPECT_EQ(service_.media_bytes(), kSize);
  EXPECT_THAT(service_.ranges(), ElementsAre(""));
  EXPECT_EQ(clip_->size(), kSize);
  EXPECT_EQ(part_.total, kSize);
  const auto request = http_->requests()[0].request;
  EXPECT_EQ(request.bearer_key, "");
  EXPECT_TRUE(request.follow_redirects);
}

TEST_F(DownloadTest, CutTwentyTimesAtRandomFetchesOnlyTheSeamsTwice) {
  const unsigned seed = test_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int cut = 0; cut < 20; ++cut) service_.cuts.push_back(2 * kSeam + random() % 2'000);
  const Got got = download();
  expect_whole(got);
  EXPECT_EQ(service_.ranges().size(), 21u);
  EXPECT_EQ(service_.media_bytes(), kSize + 20 * kSeam);
}

TEST_F(DownloadTest, CutTwentyTimesOverRestartsFetchesOnlyTheSeamsTwice) {
  const unsigned seed = test_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  retries_ = 0;
  for (int cut = 0; cut < 20; ++cut) {
    service_.cuts = {kSeam + 1 + random() % (kSize / 25)};
    const Got got = download();
    ASSERT_TRUE(got.error);
    EXPECT_EQ(got.error->kind, ErrorKind::read);
    EXPECT_THAT(got.error->text, HasSubstr(std::to_string(got.size) + " bytes of the clip are stored"));
  }
  expect_whole(download());
  EXPECT_EQ(service_.media_bytes(), kSize + 20 * kSeam);
}

TEST_F(DownloadTest, FetchesTheSeamsTwiceToCompareThemWhateverTheValidatorsSay) {
  for (const bool etag : {true, false}) {
    part_ = {};
    static_cast<void>(FileSystem::posix().remove(path().part()));
    const size_t before = service_.media_bytes();
    service_.sends_etag = etag;
    service_.cuts = {50'000, 50'000};
    expect_whole(download());
    EXPECT_EQ(service_.media_bytes() - before, kSize + 2 * kSeam);
  }
}

TEST_F(DownloadTest, ResumesOverIfRange) {
  service_.cuts = {50'000};
  expect_whole(download());
  EXPECT_THAT(service_.ranges(), ElementsAre("", range_from(50'000)));
  EXPECT_THAT(header_of(http_->requests()[1].request, "If-Range"), StartsWith("\""));
}

TEST_F(DownloadTest, ComparesTheStoredPrefixWhereRangesAreIgnored) {
  service_.takes_ranges = false;
  service_.cuts = {50'000};
  expect_whole(download());
  EXPECT_EQ(service_.media_bytes(), 50'000 + kSize);
  EXPECT_EQ(part_.restarts, 0u);
}

TEST_F(DownloadTest, AfterAPowerCutTrustsOnlyWhatWasSynced) {
  retries_ = 0;
  service_.cuts = {100'000};
  ASSERT_TRUE(download("boot").error);
  part_.synced = 60'000;
  expect_whole(download("another boot"));
  EXPECT_THAT(service_.ranges(), ElementsAre("", range_from(60'000)));
}

TEST_F(DownloadTest, OfUnknownBootsTrustsOnlyWhatWasSynced) {
  retries_ = 0;
  service_.cuts = {100'000};
  ASSERT_TRUE(download("").error);
  part_.synced = 60'000;
  expect_whole(download(""));
  EXPECT_THAT(service_.ranges(), ElementsAre("", range_from(60'000)));
}

TEST_F(DownloadTest, AnErrorSyncsWhatIsThereForAnotherMachine) {
  retries_ = 0;
  service_.cuts = {100'000};
  ASSERT_TRUE(download().error);
  EXPECT_EQ(part_.synced, 100'000u);
  expect_whole(download("another machine"));
  EXPECT_EQ(service_.media_bytes(), kSize + kSeam);
}

// A sync blocks the download for as long as the disk takes.
TEST_F(DownloadTest, JournalsWhatIsSyncedEverySixteenMebibytesButNotTwiceASecond) {
  constexpr uint64_t kEvery = 16 << 20, kMostRead = 65536;
  service_.set_clip(sample_mp4(3 * kEvery));
  between_checkpoints_ = std::chrono::milliseconds(1000);
  expect_whole(download());
  ASSERT_EQ(synced_.size(), 3u);
  EXPECT_LE(synced_[0], kMostRead);
  for (size_t i = 1; i < synced_.size(); ++i) {
    EXPECT_GE(synced_[i] - synced_[i - 1], kEvery);
    EXPECT_LT(synced_[i] - synced_[i - 1], kEvery + kMostRead);
  }

  std::filesystem::remove_all(path().folder());
  part_ = {};
  synced_.clear();
  between_checkpoints_ = std::chrono::milliseconds(300);
  expect_whole(download());
  EXPECT_EQ(synced_.size(), 1u) << testing::PrintToString(synced_);
}

// ---- The clip changes.

// Other machines see only what has left this one.
TEST_F(DownloadTest, IsWrittenEachSecondSoThatOtherMachinesSeeItGrow) {
  expect_whole(download());
  EXPECT_EQ(files_.begun().size(), 1u) << "the first bytes, and the others come within the same second";
  static_cast<void>(FileSystem::posix().remove(path().part()));
  part_ = {};
  clock_.creep(std::chrono::milliseconds(400));
  const size_t before = files_.begun().size();
  expect_whole(download());
  const auto begun = files_.begun();
  EXPECT_GT(begun.size() - before, 3u);
  for (size_t i = before; i < begun.size(); ++i) {
    EXPECT_LT(begun[i].first, begun[i].second);
    EXPECT_EQ(begun[i].first, i == before ? 0 : begun[i - 1].second) << "each byte once";
  }
}

TEST_F(DownloadTest, IsWrittenAsFarAsItHasComeWhenTheServerStops) {
  service_.cuts = {kSize / 2};
  expect_whole(download());
  EXPECT_THAT(files_.begun(), Contains(testing::Pair(testing::_, kSize / 2)))
      << "nothing more may come for long";
  for (const auto &[from, to] : files_.begun()) EXPECT_LT(from, to);
}

TEST_F(DownloadTest, AClipThatChangedBetweenRunsIsFetchedAnew) {
  for (const bool same_length : {true, false}) {
    for (const bool etag : {true, false}) {
      for (const bool ranges : {true, false}) {
        SCOPED_TRACE(std::to_string(same_length) + std::to_string(etag) + std::to_string(ranges));
        part_ = {};
        static_cast<void>(FileSystem::posix().remove(path().part()));
        service_.set_clip(sample_mp4(kSize, 1));
        service_.sends_etag = etag;
        service_.takes_ranges = ranges;
        retries_ = 0;
        service_.cuts = {100'000};
        ASSERT_TRUE(download().error);
        service_.set_clip(sample_mp4(same_length ? kSize : kSize + 777, 2));
        retries_ = 3;
        expect_whole(download());
        EXPECT_GE(part_.restarts, 1u) << "followers go by it";
      }
    }
  }
}

TEST_F(DownloadTest, AClipThatChangedAfterAReaderHadBytesIsAnError) {
  service_.cuts = {100'000};
  http_->before_answer([&](const HttpRequest &request) {
    if (header_of(request, "Range").empty()) return;
    const Interrupt never;
    const auto ready = clip_->wait(0, 1000, false, Interrupt::Watch(never));
    ASSERT_TRUE(ready);
    service_.set_clip(sample_mp4(kSize, 2));
  });
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_THAT(got.error->text, HasSubstr("changed on the server while it was being read"));
  http_->before_answer({});
  expect_whole(download());
}

TEST_F(DownloadTest, A206OfAnotherClipIsNeverJoined) {
  service_.cuts = {100'000};
  FakeAnswer other = answer(206, sample_mp4(kSize, 2).substr(100'000),
                            {{"ETag", "\"other\""}, {"Content-Range", "bytes 100000-199999/200000"}});
  service_.odd_media.clear();
  before_range([&] { service_.odd_media.push_back(other); });
  expect_whole(download());
  EXPECT_THAT(service_.ranges(), ElementsAre("", range_from(100'000), ""));
}

TEST_F(DownloadTest, NewValidatorsCountOnlyOnceAllOldBytesWereCompared) {
  for (const bool same_length : {true, false}) {
    for (const size_t compared : {size_t{0}, size_t{40}}) {  // The heads of both are the same.
      SCOPED_TRACE(std::to_string(same_length) + ", " + std::to_string(compared));
      service_.set_clip(sample_mp4(kSize, 1));
      service_.sends_length = same_length;  // Else the length says enough.
      leave_cut_at(100'000);
      const PartState old = part_;
      service_.set_clip(sample_mp4(same_length ? kSize : kSize + 777, 2));
      retries_ = 0;
      service_.cuts = {compared};
      ASSERT_TRUE(download().error);
      EXPECT_EQ(part_.etag, old.etag) << "of the bytes in the file";
      EXPECT_EQ(part_.total, old.total);
      service_.sends_length = true;
      retries_ = 5;
      expect_whole(download());
      EXPECT_EQ(part_.restarts, 1u);
    }
  }
}

TEST_F(DownloadTest, NewValidatorsOfAPartCountOnlyOnceItsSeamWasCompared) {
  service_.sends_etag = false;
  leave_cut_at(100'000);
  const std::string other = sample_mp4(kSize, 2);
  const size_t first = 100'000 - kSeam;
  service_.odd_media = {cut_after(
      answer(206, other.substr(first),
             {{"ETag", "\"other\""}, {"Content-Range", "bytes " + std::to_string(first) + "-199999/200000"}}),
      0)};
  retries_ = 0;
  ASSERT_TRUE(download().error);
  EXPECT_EQ(part_.etag, "");
  retries_ = 5;
  expect_whole(download());
}

TEST_F(DownloadTest, ANewVersionIsJournalledBeforeItsBytes) {
  leave_cut_at(100'000);
  const PartState old = part_;
  // The same bytes up to here with another tag, then different ones.
  const std::string longer = service_.clip().substr(0, 150'000) + sample_mp4(kSize, 2).substr(150'000);
  service_.odd_media = {
      cut_after(answer(200, longer, {{"ETag", "\"other\""}, {"Content-Length", "200000"}}), 160'000)};
  synced_.clear();
  retries_ = 0;
  ASSERT_TRUE(download().error);
  EXPECT_THAT(synced_, ElementsAre(100'000, 100'000, 160'000)) << "at the start, at the new tag, at the end";
  EXPECT_EQ(part_.etag, "\"other\"");
  retries_ = 5;
  expect_whole(download());
  EXPECT_EQ(part_.restarts, old.restarts + 1);
}

TEST_F(DownloadTest, A206ThatSaysItIsOfAnotherVersionIsNeverJoined) {
  const std::string kDate = "Sun, 22 Nov 2026 06:00:00 GMT";
  const std::string kLater = "Sun, 22 Nov 2026 06:00:01 GMT";
  struct {
    const char *name;
    HttpHeaders first, then;
    bool is_other;
  } cases[] = {
      {"another date", {{"Last-Modified", kDate}}, {{"Last-Modified", kLater}}, true},
      {"the same tag, another date",
       {{"ETag", "\"a\""}, {"Last-Modified", kDate}},
       {{"ETag", "\"a\""}, {"Last-Modified", kLater}},
       true},
      {"another weak tag", {{"ETag", "W/\"a\""}}, {{"ETag", "W/\"b\""}}, true},
      {"another tag, once weak", {{"ETag", "\"a\""}}, {{"ETag", "W/\"b\""}}, true},
      {"the same tag, once weak", {{"ETag", "W/\"a\""}}, {{"ETag", "\"a\""}}, false},
      {"a tag that is missing", {{"ETag", "\"a\""}, {"Last-Modified", kDate}}, {}, false},
      {"a tag that is new", {}, {{"ETag", "\"a\""}, {"Last-Modified", kDate}}, false},
  };
  for (auto &[name, first, then, is_other] : cases) {
    SCOPED_TRACE(name);
    part_ = {};
    static_cast<void>(FileSystem::posix().remove(path().part()));
    // One byte differs, far from the seam.
    const std::string clip = service_.clip();
    std::string old = clip;
    if (is_other) old[70'000] = static_cast<char>(old[70'000] + 1);
    first.emplace_back("Content-Length", "200000");
    service_.odd_media = {cut_after(answer(200, old, first), 100'000)};
    const size_t before = service_.ranges().size();
    const size_t seam = 100'000 - kSeam;
    HttpHeaders later = then;
    later.emplace_back("Content-Range", "bytes " + std::to_string(seam) + "-199999/200000");
    before_range([&] { service_.odd_media.push_back(answer(206, clip.substr(seam), later)); });
    expect_whole(download());
    EXPECT_EQ(service_.ranges().size() - before, is_other ? 4u : 2u);
  }
}

TEST_F(DownloadTest, ADateIsAConditionOnlyWhereThereIsNoTag) {
  const std::string kDate = "Sun, 22 Nov 2026 06:00:00 GMT";
  const std::pair<std::string, std::string> cases[] = {
      {"\"a\"", "\"a\""}, {"W/\"a\"", ""}, {"", kDate}, {"\"a\x01z\"", kDate}, {"\"\xE9\"", kDate}};
  for (const auto &[tag, condition] : cases) {
    SCOPED_TRACE(tag);
    part_ = {};
    static_cast<void>(FileSystem::posix().remove(path().part()));
    HttpHeaders headers = {{"Last-Modified", kDate}, {"Content-Length", "200000"}};
    if (!tag.empty()) headers.emplace_back("ETag", tag);
    service_.odd_media = {cut_after(answer(200, service_.clip(), headers), 100'000)};
    std::string sent = "none";
    http_->before_answer([&](const HttpRequest &request) {
      if (!header_of(request, "Range").empty() && sent == "none") sent = header_of(request, "If-Range");
    });
    expect_whole(download());
    EXPECT_EQ(sent, condition);
  }
}

// Such a header is refused before it is sent, also to a fresh URL.
TEST_F(DownloadTest, AValidatorThatFitsNoHeaderIsNone) {
  HttpHeaders headers = {
      {"ETag", "\"a\x01z\""}, {"Last-Modified", "Sun\x7f"}, {"Content-Length", std::to_string(kSize)}};
  service_.odd_media = {cut_after(answer(200, service_.clip(), headers), 100'000)};
  expect_whole(download());
  EXPECT_THAT(service_.ranges(), ElementsAre("", range_from(100'000)));
  EXPECT_EQ(header_of(http_->requests()[1].request, "If-Range"), "");
}

TEST_F(DownloadTest, WhatWasNeverJournalledIsFetchedAnew) {
  leave_cut_at(10'000);
  part_.synced = 0;
  part_.etag.clear();
  part_.total = 0;
  expect_whole(download());
  EXPECT_THAT(service_.ranges(), ElementsAre("", ""));
}

TEST_F(DownloadTest, ValidatorsWithoutBytesAreForgotten) {
  leave_cut_at(100'000);
  static_cast<void>(FileSystem::posix().remove(path().part()));
  service_.set_clip(sample_mp4(kSize, 2));
  expect_whole(download());
  EXPECT_EQ(part_.restarts, 1u);
  EXPECT_EQ(service_.media_bytes(), 100'000 + kSize);
}

TEST_F(DownloadTest, AClipThatChangesWithEveryAnswerIsAnErrorInTheEnd) {
  unsigned version = 0;
  http_->before_answer([&](const HttpRequest &) {
    service_.set_clip(sample_mp4(kSize, ++version));
    service_.cuts = {100'000};
  });
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->kind, ErrorKind::read);
  EXPECT_THAT(got.error->text, HasSubstr("kept changing"));
  http_->before_answer({});
  expect_whole(download());
}

TEST_F(DownloadTest, ALengthThatWasToldWrongIsForgotten) {
  for (const int wrong_by : {-50'000, -1, 1, 50'000}) {
    SCOPED_TRACE(wrong_by);
    leave_cut_at(100'000);
    part_.total = static_cast<uint64_t>(static_cast<int>(kSize) + wrong_by);
    service_.sends_etag = false;
    service_.takes_ranges = false;
    service_.odd_media = {3, answer(200, service_.clip(), {{"Transfer-Encoding", "chunked"}})};
    expect_whole(download());
    service_.odd_media.clear();
    service_.takes_ranges = service_.sends_etag = true;
  }
}

TEST_F(DownloadTest, A416Or412OfWhateverLengthAsksForAllAndCompares) {
  for (const char *range : {"bytes */200000", "bytes */100000", "bytes */5", "all", ""}) {
    for (const unsigned status : {412u, 416u}) {
      for (const bool length : {true, false}) {
        SCOPED_TRACE(std::to_string(status) + " " + range + std::to_string(length));
        service_.sends_length = length;
        leave_cut_at(100'000);
        service_.odd_media = {answer(status, "", {{"Content-Range", range}})};
        expect_whole(download());
        EXPECT_EQ(part_.restarts, 0u);
        EXPECT_EQ(service_.ranges().back(), "");
      }
    }
  }
}

TEST_F(DownloadTest, A206FromAnotherPlaceIsNeverJoined) {
  // One byte late, at the seam and behind it; then other nonsense.
  for (const std::string range :
       {"bytes 95905-195904/200000", "bytes 100000-149999/200000", "bytes 100001-150000/200000",
        "bytes 150000-199999/200000", "bytes 100000-199999/300000", "nonsense", "",
        "bytes 199999-100000/200000"}) {
    SCOPED_TRACE(range);
    leave_cut_at(100'000);
    service_.odd_media = {answer(206, std::string(50'000, 'x'), {{"Content-Range", range}})};
    expect_whole(download());
  }
}

TEST_F(DownloadTest, A206BehindTheSeamIsRefusedHoweverTrueItIs) {
  for (const size_t first : {100'000 - kSeam + 1, size_t{100'000}, size_t{100'001}}) {
    SCOPED_TRACE(first);
    leave_cut_at(100'000);
    service_.odd_media = {answer(206, service_.clip().substr(first),
                                 {{"Content-Range", "bytes " + std::to_string(first) + "-199999/200000"}})};
    const size_t before = service_.ranges().size();
    expect_whole(download());
    EXPECT_EQ(service_.ranges().size() - before, 2u) << "no byte of it was compared";
  }
}

TEST_F(DownloadTest, A206OfAnotherSizeThanItSaysIsRefused) {
  leave_cut_at(100'000);
  service_.odd_media = {
      answer(206, service_.clip().substr(100'000 - kSeam),
             {{"Content-Length", std::to_string(100'000 + kSeam)},
              {"Content-Range", "bytes " + std::to_string(100'000 - kSeam) + "-199998/199999"}})};
  part_.total = 0;
  expect_whole(download());
}

TEST_F(DownloadTest, TakesA206ThatBeginsEarlierAndComparesIt) {
  retries_ = 0;
  service_.cuts = {100'000};
  ASSERT_TRUE(download().error);
  service_.odd_media = {
      answer(206, service_.clip().substr(90'000), {{"Content-Range", "bytes 90000-199999/200000"}})};
  expect_whole(download());
}

TEST_F(DownloadTest, TakesPartsThatAreShorterThanAskedFor) {
  service_.cuts = {100'000};
  const size_t first = 100'000 - kSeam;
  before_range([&] {
    service_.odd_media.push_back(answer(206, service_.clip().substr(first, 20'000),
                                        {{"Content-Range", "bytes " + std::to_string(first) + "-" +
                                                               std::to_string(first + 19'999) + "/200000"}}));
  });
  expect_whole(download());
  EXPECT_THAT(service_.ranges(), ElementsAre("", range_from(100'000), range_from(first + 20'000)));
}

// A cache may answer every range with the same part, or with a byte.
TEST_F(DownloadTest, WhereRangesBringNothingNewAllOfItIsAskedFor) {
  for (const bool is_first_part : {true, false}) {
    SCOPED_TRACE(is_first_part ? "the first thousand bytes" : "one byte");
    leave_cut_at(100'000);
    const size_t before = http_->requests().size();
    http_->otherwise([&](const HttpRequest &request) {
      const std::string range = header_of(request, "Range");
      if (range.empty()) return service_(request);
      const size_t first = is_first_part ? 0 : std::stoull(range.substr(std::string("bytes=").size()));
      const size_t size = is_first_part ? 1000 : 1;
      return answer(206, service_.clip().substr(first, size),
                    {{"Content-Range", "bytes " + std::to_string(first) + "-" +
                                           std::to_string(first + size - 1) + "/200000"}});
    });
    expect_whole(download());
    EXPECT_EQ(http_->requests().size() - before, 3u);
    http_->otherwise([this](const HttpRequest &request) { return service_(request); });
  }
}

TEST_F(DownloadTest, MoreBytesThanTheClipHasAreRefused) {
  retries_ = 0;
  service_.cuts = {100'000};
  ASSERT_TRUE(download().error);
  retries_ = 2;
  service_.odd_media = {answer(206, service_.clip().substr(100'000) + "more",
                               {{"Content-Range", "bytes 100000-199999/200000"}})};
  expect_whole(download());
}

// ---- Without a length.

TEST_F(DownloadTest, ChunksTellTheEnd) {
  service_.odd_media = {answer(200, service_.clip(), {{"Transfer-Encoding", "chunked"}})};
  expect_whole(download());
}

TEST_F(DownloadTest, WithoutLengthOrChunksTheBoxesTellACut) {
  const std::string clip = service_.clip();
  service_.sends_length = false;
  for (const size_t cut : {kSize / 2, kSize - 1, size_t{30}}) {
    SCOPED_TRACE(cut);
    part_ = {};
    static_cast<void>(FileSystem::posix().remove(path().part()));
    service_.odd_media = {answer(200, clip.substr(0, cut), {{"ETag", "\"x\""}})};
    expect_whole(download());
  }
}

TEST_F(DownloadTest, APartsEndIsNotTheClipsEnd) {
  service_.sends_length = false;
  leave_cut_at(100'000);
  const size_t first = 100'000 - kSeam;
  service_.odd_media = {answer(
      206, service_.clip().substr(first, 20'000),
      {{"Transfer-Encoding", "chunked"},
       {"Content-Range", "bytes " + std::to_string(first) + "-" + std::to_string(first + 19'999) + "/*"}})};
  expect_whole(download());
}

// Without a recognisable end, a second answer has to end at the same place.
TEST_F(DownloadTest, WithoutLengthOrChunksMediaThatDoNotTellTheirEndAreAskedForTwice) {
  const std::string webm =
      std::string("\x1a\x45\xdf\xa3\x93\x42\x82\x84webm", 12) + sample_mp4(kSize).substr(64);
  service_.set_clip(webm);
  service_.sends_length = false;
  for (const size_t cut : {kSize / 2, webm.size() - 1, webm.size()}) {
    SCOPED_TRACE(cut);
    part_ = {};
    static_cast<void>(FileSystem::posix().remove(path().part()));
    service_.odd_media = {answer(200, webm.substr(0, cut))};
    expect_whole(download());
  }
}

// ---- A part of a clip that is sent as if it were all.

TEST_F(DownloadTest, AClipThatIsStillBeingWrittenIsFetchedOnceItIsWhole) {
  for (const std::string &clip : {sample_mp4(kSize), sample_png(5000)})
    for (const bool is_chunked : {false, true}) {
      SCOPED_TRACE(std::to_string(clip.size()) + (is_chunked ? " in chunks" : ""));
      forget();
      wanted_ = clip.size() == kSize ? ResultKind::video : ResultKind::image;
      service_.set_clip(clip);
      service_.odd_media = {stump(clip, clip.size() / 4, is_chunked),
                            stump(clip, clip.size() / 2, is_chunked)};
      const auto begin = clock_.now();
      const Got got = download();
      expect_whole(got);
      EXPECT_FALSE(got.is_stump);
      EXPECT_EQ(fresh_urls_, 2u);
      EXPECT_EQ(clock_.now() - begin, std::chrono::seconds(5 + 10));
      EXPECT_EQ(header_of(http_->requests().back().request, "Range"), "") << "from the beginning";
    }
}

TEST_F(DownloadTest, AClipThatComesCutAgainSomeSecondsLaterIsLikeThat) {
  for (const bool is_chunked : {false, true}) {
    forget();
    service_.odd_media = {100, stump(service_.clip(), kSize / 2, is_chunked)};
    const auto begin = clock_.now();
    const size_t before = http_->requests().size();
    const Got got = download();
    ASSERT_FALSE(got.error) << got.error->text;
    EXPECT_TRUE(are_same(got.bytes, service_.clip().substr(0, kSize / 2)));
    EXPECT_TRUE(got.is_stump);
    EXPECT_EQ(http_->requests().size() - before, 2u);
    EXPECT_EQ(clock_.now() - begin, std::chrono::seconds(5));
  }
}

// Other bytes of the same length are not the same answer.
TEST_F(DownloadTest, ACutClipOfOtherBytesIsNoConfirmation) {
  std::string other = service_.clip();
  other[kSize / 2 - 1] = static_cast<char>(other[kSize / 2 - 1] + 1);
  service_.odd_media = {stump(other, kSize / 2), stump(service_.clip(), kSize / 2)};
  const Got got = download();
  expect_whole(got);
  EXPECT_FALSE(got.is_stump);
}

TEST_F(DownloadTest, AClipThatGrowsForMinutesIsFetchedOnceItIsWhole) {
  for (size_t size = 10'000; size < kSize; size += 19'000)
    service_.odd_media.push_back(stump(service_.clip(), size));
  expect_whole(download());
}

TEST_F(DownloadTest, AClipThatGrowsForEverIsGivenUpAndTheNextRunFetchesIt) {
  const std::string clip = service_.clip();
  for (const auto timeout : {std::chrono::seconds(8), std::chrono::seconds(600)}) {
    SCOPED_TRACE(timeout.count());
    forget();
    for (size_t size = 10'000; size < 11'000; ++size) service_.odd_media.push_back(stump(clip, size));
    const auto begin = clock_.now();
    deadline_ = begin + timeout;
    const Got got = download();
    ASSERT_TRUE(got.error);
    EXPECT_THAT(got.error->text, HasSubstr("paid for: run again later"));
    EXPECT_EQ(clock_.now() - begin, std::min<std::chrono::seconds>(timeout, std::chrono::minutes(5)));
    service_.odd_media.clear();
    deadline_.reset();
    http_->before_answer(
        [this](const HttpRequest &) { EXPECT_EQ(clip_->size(), std::nullopt) << "nobody reads the part"; });
    expect_whole(download());
    http_->before_answer({});
  }
}

TEST_F(DownloadTest, ACutClipThatWasReadIsNotJoinedWithTheWholeOne) {
  service_.odd_media = {stump(service_.clip(), kSize / 2)};
  http_->before_answer([this](const HttpRequest &) {
    if (http_->requests().size() != 2) return;
    const Interrupt never;
    ASSERT_TRUE(clip_->wait(0, 1000, false, Interrupt::Watch(never)));
  });
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_THAT(got.error->text, HasSubstr("while it was being read"));
}

// ---- URLs.

TEST_F(DownloadTest, AnExpiredUrlCostsOneQueryNotAByte) {
  for (const unsigned status : {400u, 401u, 403u, 404u, 410u}) {
    SCOPED_TRACE(status);
    part_ = {};
    static_cast<void>(FileSystem::posix().remove(path().part()));
    const size_t before = service_.media_bytes();
    fresh_urls_ = 0;
    service_.cuts = {50'000};
    service_.expired_status = status;
    before_range([&] { service_.expired = 1; });
    expect_whole(download());
    EXPECT_EQ(fresh_urls_, 1u);
    EXPECT_EQ(service_.media_bytes() - before, kSize + kSeam);
  }
}

TEST_F(DownloadTest, AUrlThatStaysExpiredIsAnErrorThatSaysItIsPaid) {
  leave_cut_at(100'000);
  service_.expired = 100;
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->kind, ErrorKind::not_authorized);
  EXPECT_EQ(got.error->http_status, 403u);
  EXPECT_THAT(got.error->text, HasSubstr("paid"));
  EXPECT_EQ(fresh_urls_, 3u);
}

TEST_F(DownloadTest, AUrlThatNeverWorkedIsNotSaidToHaveExpiredBeforeItIsKnown) {
  const struct {
    unsigned status;
    ErrorKind kind;
    const char *never_worked, *worked;
  } cases[] = {
      {400, ErrorKind::open_read, "refuses the URL that the service gives", "after a part of the clip"},
      {401, ErrorKind::not_authorized, "refuses the URL that the service gives", "after a part of the clip"},
      {403, ErrorKind::not_authorized, "may have expired", "after a part of the clip"},
      {404, ErrorKind::not_found, "has nothing at the URL", "no longer has the clip"},
      {410, ErrorKind::not_found, "has nothing at the URL", "no longer has the clip"},
  };
  for (const auto &[status, kind, never_worked, worked] : cases) {
    for (const bool has_worked : {false, true}) {
      SCOPED_TRACE(std::to_string(status) + (has_worked ? ", has worked" : ""));
      part_ = {};
      static_cast<void>(FileSystem::posix().remove(path().part()));
      if (has_worked) leave_cut_at(100'000);
      fresh_urls_ = 0;
      service_.expired = 100;
      service_.expired_status = status;
      const Clock::Time begin = clock_.now();
      const Got got = download();
      service_.expired = 0;
      ASSERT_TRUE(got.error);
      EXPECT_EQ(got.error->kind, kind);
      EXPECT_EQ(got.error->http_status, status);
      EXPECT_THAT(got.error->text, HasSubstr(has_worked ? worked : never_worked));
      EXPECT_THAT(got.error->text, HasSubstr("HTTP " + std::to_string(status)));
      EXPECT_THAT(got.error->text, HasSubstr("paid"));
      EXPECT_THAT(got.error->text, Not(HasSubstr("has expired")));
      if (kind == ErrorKind::not_found) {
        EXPECT_THAT(got.error->text, Not(HasSubstr("have expired")));
      }
      const bool may_lag = !has_worked && (status == 403 || status == 404);
      if (may_lag) {
        EXPECT_EQ(clock_.now() - begin, std::chrono::minutes(5));
      } else {
        EXPECT_EQ(fresh_urls_, 3u);
      }
    }
  }
}

TEST_F(DownloadTest, NoFreshUrlIsAskedForAgainAndThenAnError) {
  service_.expired = 1;
  fresh_url_ = "";
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->kind, ErrorKind::not_found);
  EXPECT_THAT(got.error->text, HasSubstr("no URL"));
  EXPECT_EQ(fresh_urls_, 4u);
  EXPECT_EQ(service_.ranges().size(), 1u) << "an empty URL is not fetched";
}

TEST_F(DownloadTest, TheTasksOwnErrorIsTold) {
  service_.expired = 1;
  fresh_error_ = Error{ErrorKind::not_found, "The task is gone."};
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->text, "The task is gone.");
}

// ---- Media that lag behind "completed".

FakeAnswer sound() {
  const std::string wav =
      std::string("RIFF\x44\3\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\x20\3\0\0",
                  44) +
      std::string(800, '\0');
  return answer(200, wav, {{"Content-Type", "audio/wav"}, {"Content-Length", std::to_string(wav.size())}});
}

std::vector<FakeAnswer> absences() {
  return {answer(404, "<Error><Code>NoSuchKey</Code></Error>", {{"Content-Type", "application/xml"}}),
          answer(403, ""),
          answer(202, "processing", {{"Content-Type", "text/plain"}}),
          answer(204, ""),
          answer(409, ""),
          answer(423, ""),
          answer(503, ""),
          answer(500, ""),
          answer(200, "", {{"Content-Type", "video/mp4"}, {"Content-Length", "0"}}),
          answer(200, "<html><body>Soon</body></html>", {{"Content-Type", "text/html"}}),
          answer(200, R"({"status":"processing"})", {{"Content-Type", "application/json"}}),
          lost(),
          cut_after(answer(200, std::string(500, 'x'), {{"Content-Length", "500"}}), 0)};
}

TEST_F(DownloadTest, MediaThatAreNotThereYetAreAskedForAgainWithFreshUrls) {
  for (const FakeAnswer &absence : absences()) {
    SCOPED_TRACE(std::to_string(absence.reply.status) + " " + absence.reply.body);
    part_ = {};
    static_cast<void>(FileSystem::posix().remove(path().part()));
    fresh_urls_ = 0;
    service_.odd_media = {9, absence};
    const size_t before = http_->requests().size();
    const Clock::Time begin = clock_.now();
    expect_whole(download());
    EXPECT_EQ(fresh_urls_, 9u);
    // At once, then 0.5, 1, 2, 4, 8, 16, 30 and 30 s later.
    EXPECT_EQ(clock_.now() - begin, std::chrono::milliseconds(91'500));
    for (size_t i = before + 1; i < http_->requests().size(); ++i)
      EXPECT_EQ(http_->requests()[i].request.url, fresh_url_);
  }
}

TEST_F(DownloadTest, MediaThatNeverComeAreGivenUpAfterFiveMinutesOrAtTheDeadline) {
  for (const FakeAnswer &absence : absences())
    for (const auto timeout : {std::chrono::seconds(8), std::chrono::seconds(600)}) {
      SCOPED_TRACE(std::to_string(absence.reply.status) + " " + absence.reply.body);
      service_.odd_media = {100, absence};
      const Clock::Time begin = clock_.now();
      deadline_ = begin + timeout;
      const Got got = download();
      ASSERT_TRUE(got.error);
      EXPECT_THAT(got.error->text, HasSubstr("paid for"));
      EXPECT_THAT(got.error->text, HasSubstr("un again"));
      EXPECT_EQ(clock_.now() - begin, std::min<std::chrono::seconds>(timeout, std::chrono::minutes(5)));
      EXPECT_EQ(got.size, 0u);
      EXPECT_EQ(asked_until_,
                std::optional(begin + std::min<std::chrono::seconds>(timeout, std::chrono::minutes(5))));
    }
}

// These do not show that a clip is not there yet.
TEST_F(DownloadTest, AHostThatCannotBeReachedIsTriedAsOftenAsRetriesSay) {
  FakeAnswer silent = lost();
  silent.error->error.kind = ErrorKind::timed_out;
  for (const FakeAnswer &failure : {not_sent(), silent}) {
    service_.odd_media = {100, failure};
    const size_t before = http_->requests().size();
    EXPECT_TRUE(download().error);
    EXPECT_EQ(http_->requests().size() - before, 6u);
  }
  retries_ = 0;
  service_.odd_media = {100, lost()};
  const size_t before = http_->requests().size();
  EXPECT_TRUE(download().error);
  EXPECT_EQ(http_->requests().size() - before, 1u);
  EXPECT_EQ(fresh_urls_, 0u);
}

TEST_F(DownloadTest, AServerThatHangsBeforeTheFirstByteDoesNotOutlastTheDeadline) {
  deadline_ = clock_.now() + std::chrono::seconds(8);
  expect_whole(download());
  EXPECT_EQ(http_->requests()[0].request.timeout, std::chrono::seconds(8));
  deadline_ = clock_.now();
  part_ = {};
  static_cast<void>(FileSystem::posix().remove(path().part()));
  expect_whole(download());
  EXPECT_EQ(http_->requests()[1].request.timeout, std::chrono::seconds(1)) << "one try in any case";
}

TEST_F(DownloadTest, AWaitThatAServerAsksForIsKept) {
  service_.odd_media = {answer(202, "", {{"Retry-After", "5"}}), answer(503, "", {{"Retry-After", "70"}})};
  const Clock::Time begin = clock_.now();
  expect_whole(download());
  EXPECT_EQ(clock_.now() - begin, std::chrono::seconds(75));
}

TEST_F(DownloadTest, AServerThatAsksForAWaitBeyondTheTimeThatIsLeftIsAskedMeanwhile) {
  for (const FakeAnswer &later :
       {answer(503, "", {{"Retry-After", "3600"}}), answer(202, "", {{"Retry-After", "900"}})}) {
    service_.odd_media = {later, later};
    const Clock::Time begin = clock_.now();
    expect_whole(download());
    EXPECT_EQ(clock_.now() - begin, std::chrono::seconds(60));
    static_cast<void>(FileSystem::posix().remove(path().part()));
    part_ = {};
  }
}

TEST_F(DownloadTest, AWaitThatWasTooLongIsTold) {
  service_.odd_media = {100, answer(503, "", {{"Retry-After", "3600"}})};
  const Clock::Time begin = clock_.now();
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(clock_.now() - begin, std::chrono::minutes(5));
  EXPECT_THAT(got.error->text, HasSubstr("asks to wait for 3600 s"));
}

TEST_F(DownloadTest, OnceAByteHasArrivedTheRetriesBoundTheTries) {
  leave_cut_at(100'000);
  deadline_ = clock_.now();
  service_.odd_media = {100, answer(503, "")};
  const size_t before = http_->requests().size();
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(http_->requests().size() - before, 6u);
  EXPECT_EQ(got.size, 100'000u);
}

// ---- Results of another kind, and several results.

TEST_F(DownloadTest, APictureIsNotTheClipOfAVideoModel) {
  const std::string png = sample_png(200);
  urls_ = {"https://media.example/cover", "https://media.example/task-1?sig=1"};
  service_.odd_media = {answer(200, png, {{"Content-Length", std::to_string(png.size())}})};
  expect_whole(download());
  EXPECT_EQ(fresh_urls_, 0u) << "the answer's other URL comes first";
  EXPECT_TRUE(clock_.pauses().empty());

  part_ = {};
  static_cast<void>(FileSystem::posix().remove(path().part()));
  service_.odd_media = {100, answer(200, png, {{"Content-Length", std::to_string(png.size())}})};
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->kind, ErrorKind::wrong_type);
  EXPECT_THAT(got.error->text, HasSubstr("a picture came where a video was asked for"));
  EXPECT_EQ(fresh_urls_, 3u);
  EXPECT_EQ(got.size, 0u);
  EXPECT_EQ(clip_->size(), std::nullopt) << "nobody reads it";

  service_.odd_media = {answer(200, png, {{"Content-Length", std::to_string(png.size())}})};
  wanted_ = std::nullopt;
  const Got any = download();
  ASSERT_FALSE(any.error) << any.error->text;
  EXPECT_EQ(any.container.extension, "png");
}

TEST_F(DownloadTest, AVideoIsNotTheClipOfAnImageModel) {
  wanted_ = ResultKind::image;
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_THAT(got.error->text, HasSubstr("a video came where a picture was asked for"));
}

TEST_F(DownloadTest, TellsWhichResultsItLeaves) {
  urls_ = {"https://media.example/task-1?sig=1", "https://media.example/task-1?sig=2",
           "https://media.example/task-1?sig=3"};
  EXPECT_EQ(download().further, 2u);
}

TEST_F(DownloadTest, SoundIsNotTheClipOfAnyModel) {
  const FakeAnswer wav = sound();
  for (const auto wanted :
       {std::optional(ResultKind::video), std::optional(ResultKind::image), std::optional<ResultKind>()}) {
    wanted_ = wanted;
    forget();
    service_.odd_media = {100, wav};
    const Got got = download();
    ASSERT_TRUE(got.error);
    EXPECT_EQ(got.error->kind, ErrorKind::wrong_type);
    EXPECT_THAT(got.error->text, HasSubstr("sound came where a"));
    EXPECT_EQ(fresh_urls_, 3u);
  }
}

// ---- Other URLs of the answer.

TEST_F(DownloadTest, TheAnswersOtherUrlIsAskedWhereTheFirstOneIsOfNoUse) {
  auto useless = absences();
  for (const unsigned status : {400u, 401u, 410u, 402u, 418u, 451u}) useless.push_back(answer(status, ""));
  FakeAnswer distrusted;
  distrusted.error = HttpError{{ErrorKind::open_read, "The certificate is not trusted."}, false, false};
  for (const FakeAnswer &one :
       {not_sent(), distrusted, sound(), answer(200, "\x1f\x8b\x08", {{"Content-Encoding", "gzip"}}),
        answer(200, R"(<svg xmlns="http://www.w3.org/2000/svg"/>)", {{"Content-Type", "image/svg+xml"}}),
        answer(200, "#EXTM3U\n#EXT-X-VERSION:3\n", {{"Content-Type", "application/vnd.apple.mpegurl"}})})
    useless.push_back(one);
  for (const FakeAnswer &first : useless) {
    SCOPED_TRACE(std::to_string(first.reply.status) + " " + first.reply.body);
    forget();
    use_two_urls(first);
    const size_t before = http_->requests().size();
    const auto begin = clock_.now();
    expect_whole(download());
    EXPECT_EQ(requested(before), urls_);
    EXPECT_EQ(fresh_urls_, 0u);
    EXPECT_EQ(clock_.now(), begin);
  }
}

TEST_F(DownloadTest, EachRoundAsksEveryUrlAndTheOneThatMayStillComeDecidesHowLong) {
  const FakeAnswer missing = answer(404, ""), refused = answer(401, ""), lasting = answer(451, "");
  const struct {
    FakeAnswer first, second;
    unsigned told;
    std::optional<unsigned> fresh;  // Nothing: five minutes long.
  } cases[] = {{missing, refused, 404, std::nullopt},
               {refused, missing, 404, std::nullopt},
               {lasting, missing, 404, std::nullopt},
               {missing, lasting, 404, std::nullopt},
               {missing, missing, 404, std::nullopt},
               {refused, lasting, 401, 3},
               {lasting, refused, 401, 3},
               {lasting, lasting, 451, 0}};
  for (const auto &[first, second, told, fresh] : cases) {
    SCOPED_TRACE(std::to_string(first.reply.status) + " " + std::to_string(second.reply.status));
    forget();
    use_two_urls(first);
    http_->otherwise([&, one = first, other = second](const HttpRequest &request) {
      return request.url == urls_[0] ? one : other;
    });
    const size_t before = http_->requests().size();
    const auto begin = clock_.now();
    const Got got = download();
    ASSERT_TRUE(got.error);
    EXPECT_EQ(got.error->http_status, told);
    EXPECT_THAT(got.error->text, HasSubstr("paid for"));
    const auto asked = requested(before);
    EXPECT_EQ(asked.size(), 2 * (fresh_urls_ + 1));
    for (size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(asked[i], urls_[i % 2]) << i;
    if (fresh)
      EXPECT_EQ(fresh_urls_, *fresh);
    else
      EXPECT_EQ(clock_.now() - begin, std::chrono::minutes(5));
  }
}

TEST_F(DownloadTest, AnotherResultIsNotTakenForAFirstOneThatIsMissing) {
  use_two_urls(answer(404, ""));
  first_other_ = 100;
  EXPECT_TRUE(download().error);
  EXPECT_THAT(requested(), Not(Contains(urls_[1])));
}

TEST_F(DownloadTest, WhatMayDifferIsNotTakenForAClipThatIsLate) {
  may_differ_ = true;
  for (const FakeAnswer &late : absences()) {
    SCOPED_TRACE(std::to_string(late.reply.status) + " " + late.reply.body);
    forget();
    use_two_urls(late);
    const auto until = clock_.now() + std::chrono::seconds(3);
    http_->otherwise([this, late, until](const HttpRequest &request) {
      return request.url == urls_[0] && clock_.now() < until ? late : service_(request);
    });
    const size_t before = http_->requests().size();
    expect_whole(download());
    EXPECT_THAT(requested(before), Not(Contains(urls_[1])));
  }
  forget();
  use_two_urls(answer(404, ""));
  EXPECT_TRUE(download().error);
  EXPECT_THAT(requested(), Not(Contains(urls_[1]))) << "not even in the end";

  forget();
  use_two_urls(sound());
  expect_whole(download());
}

// {"url": a player's page, "mp4_url": the clip}
TEST_F(DownloadTest, AClipBesideAPageIsAskedForOnceAFreshPageCameToo) {
  may_differ_ = true;
  const FakeAnswer page =
      answer(200, "<html><body>Your video</body></html>", {{"Content-Type", "text/html"}});
  const std::string view = "https://media.example/view/1", clip = "https://media.example/out.mp4?s=1";
  const auto asked = [&](const std::string &first, const std::string &other, const FakeAnswer &then) {
    forget();
    use_two_urls(page);
    urls_ = fresh_ = {first, other};
    http_->otherwise([&, begin = http_->requests().size()](const HttpRequest &request) {
      if (request.url != first) return service_(request);
      return http_->requests().size() == begin + 2 ? then : page;
    });
    const size_t before = http_->requests().size();
    const Got got = download();
    const auto urls = requested(before);
    const bool is_asked = std::count(urls.begin(), urls.end(), other) > 0;
    EXPECT_EQ(is_asked, !got.error);
    if (is_asked) {
      EXPECT_THAT(urls, ElementsAre(first, first, other));
    }
    return is_asked;
  };
  EXPECT_TRUE(asked(view, clip, page));
  EXPECT_FALSE(asked(view, "https://media.example/out", page)) << "nobody knows what it is";
  EXPECT_FALSE(asked(view, "https://media.example/out.png", page));
  EXPECT_FALSE(asked("https://media.example/1.mp4", clip, page)) << "it may be late";
  for (const FakeAnswer &late : absences())
    if (late.reply.header("Content-Type") != "text/html") {
      EXPECT_FALSE(asked(view, clip, late)) << late.reply.status;
    }
  first_other_ = 100;
  wanted_ = std::nullopt;
  EXPECT_FALSE(asked(view, clip, page)) << "of an unknown model";
}

TEST_F(DownloadTest, OfAnUnknownModelNoOtherUrlIsTaken) {
  use_two_urls(answer(404, ""));
  wanted_ = std::nullopt;
  EXPECT_TRUE(download().error);
  EXPECT_THAT(requested(), Not(Contains(urls_[1]))) << "it may be a picture of the clip";
}

TEST_F(DownloadTest, TheRestComesFromThePlaceOfTheFirstBytes) {
  use_two_urls(answer(404, ""));
  service_.cuts = {100'000, 50'000};
  http_->before_answer([this](const HttpRequest &request) {
    if (service_.ranges().size() == 1 && request.url == urls_[1]) service_.expired = 1;
  });
  expect_whole(download());
  EXPECT_EQ(fresh_urls_, 1u);
  EXPECT_THAT(requested(), ElementsAre(urls_[0], urls_[1], urls_[1], urls_[1], urls_[1]));
  http_->before_answer({});

  forget();
  retries_ = 0;
  service_.cuts = {100'000, 100};
  ASSERT_TRUE(download().error);
  const size_t before = http_->requests().size();
  expect_whole(download());
  EXPECT_THAT(requested(before), ElementsAre(urls_[1])) << "in the next run, too";
}

TEST_F(DownloadTest, AfterAByteAnotherAddressBringsTheRestOnceTheFirstOneIsGivenUp) {
  for (const FakeAnswer &gone :
       {answer(404, ""), answer(403, ""), answer(451, ""), answer(503, ""), lost()}) {
    SCOPED_TRACE(gone.reply.status);
    http_->otherwise([this](const HttpRequest &request) { return service_(request); });
    leave_cut_at(100'000);
    use_two_urls(gone);
    part_.field = "output[0]";
    fresh_urls_ = 0;
    const size_t before = http_->requests().size();
    const size_t bytes = service_.media_bytes();
    expect_whole(download());
    EXPECT_EQ(part_.restarts, 0u);
    EXPECT_EQ(part_.field, "output[1]");
    EXPECT_EQ(service_.media_bytes() - bytes, kSize) << "all of it is compared";
    auto asked = requested(before);
    EXPECT_EQ(asked.back(), urls_[1]);
    asked.pop_back();
    EXPECT_THAT(asked, Not(Contains(urls_[1]))) << "first comes the one that the bytes are from";
    EXPECT_EQ(asked.size(), gone.reply.status == 451 ? 1u : retries_ + 1 - (fresh_urls_ ? 2 : 0));
  }
}

TEST_F(DownloadTest, TheRestOfAnotherAddressIsNeverJoinedIfItsBytesDiffer) {
  const std::string other = sample_mp4(kSize, 2);
  for (const bool is_read : {false, true}) {
    http_->otherwise([this](const HttpRequest &request) { return service_(request); });
    leave_cut_at(100'000);
    use_two_urls(answer(404, ""));
    part_.field = "output[0]";
    const std::string clip = service_.clip();
    http_->before_answer([&](const HttpRequest &request) {
      const Interrupt never;
      if (is_read && request.url == urls_[0])
        static_cast<void>(clip_->wait(0, 1000, false, Interrupt::Watch(never)));
      if (request.url == urls_[1]) service_.set_clip(other);
    });
    const Got got = download();
    if (is_read)
      EXPECT_THAT(got.error->text, HasSubstr("changed on the server while it was being read"));
    else
      EXPECT_TRUE(are_same(got.bytes, other));
    http_->before_answer({});
    service_.set_clip(clip);
  }
}

// The retries are spent when the other address is asked.
TEST_F(DownloadTest, AnotherAddressWithOtherBytesBringsTheClipOnceNoneHasTheSame) {
  std::string changed = service_.clip();
  changed[150] ^= 1;
  for (const std::string &other : {changed, sample_mp4(kSize + 100, 2), service_.clip() + "longer"})
    for (const bool has_same : {false, true}) {
      http_->otherwise([this](const HttpRequest &request) { return service_(request); });
      leave_cut_at(100'000);
      use_two_urls(answer(503, ""));
      urls_.push_back("https://media.example/third");
      part_.field = "output[0]";
      cancel_after(http_->requests().size() + 100);
      http_->otherwise([&](const HttpRequest &request) {
        if (request.url == urls_[0] || (request.url == urls_[2] && !has_same)) return answer(503, "");
        if (request.url == urls_[2]) return service_(request);
        return answer(200, other, {{"Content-Length", std::to_string(other.size())}});
      });
      const Got got = download();
      ASSERT_FALSE(got.error) << got.error->text;
      EXPECT_TRUE(are_same(got.bytes, has_same ? service_.clip() : other));
      EXPECT_EQ(part_.restarts, has_same ? 0u : 1u);
    }
}

TEST_F(DownloadTest, AnotherAddressWithALongerClipBringsAllOfIt) {
  leave_cut_at(100'000);
  use_two_urls(answer(503, ""));
  part_.field = "output[0]";
  cancel_after(100);
  const std::string longer = service_.clip() + "longer";
  http_->otherwise([&](const HttpRequest &request) {
    return request.url == urls_[0] ? answer(503, "")
                                   : answer(200, longer, {{"Transfer-Encoding", "chunked"}});
  });
  const Got got = download();
  ASSERT_FALSE(got.error) << got.error->text;
  EXPECT_TRUE(are_same(got.bytes, longer));
  EXPECT_EQ(part_.restarts, 1u);
}

TEST_F(DownloadTest, WhatIsNotAClipTakesNoBytesOfAnotherAddress) {
  for (const FakeAnswer &useless :
       {answer(200, "gone", {{"Content-Type", "text/plain"}}),
        answer(200, std::string(kSize, 'x'), {{"Content-Length", std::to_string(kSize)}}), sound()}) {
    SCOPED_TRACE(useless.reply.body.size());
    http_->otherwise([this](const HttpRequest &request) { return service_(request); });
    leave_cut_at(100'000);
    use_two_urls(answer(503, ""));
    part_.field = "output[0]";
    cancel_after(http_->requests().size() + 100);
    http_->otherwise(
        [&](const HttpRequest &request) { return request.url == urls_[0] ? answer(503, "") : useless; });
    const Got got = download();
    ASSERT_TRUE(got.error);
    EXPECT_EQ(got.error->http_status, 503u);
    EXPECT_EQ(got.size, 100'000u);
    EXPECT_EQ(part_.restarts, 0u);
  }
}

TEST_F(DownloadTest, TwoHalvesOfDifferentClipsDoNotTakeTurns) {
  const std::string other = sample_mp4(kSize, 2);
  use_two_urls(answer(404, ""));
  cancel_after(200);
  http_->otherwise([&](const HttpRequest &request) {
    if (!header_of(request, "Range").empty()) return answer(503, "");
    const std::string &clip = request.url == urls_[0] ? service_.clip() : other;
    return cut_after(answer(200, clip, {{"Content-Length", std::to_string(kSize)}}), 100'000);
  });
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->http_status, 503u);
  EXPECT_EQ(got.size, 100'000u);
  EXPECT_EQ(part_.restarts, 1u);
}

TEST_F(DownloadTest, WhereNoOtherAddressHelpsTheFirstOnesFailureIsTold) {
  use_two_urls(answer(403, ""));
  urls_.push_back("https://media.example/third");
  fresh_ = urls_;
  cancel_after(100);
  http_->otherwise([this](const HttpRequest &request) {
    if (request.url == urls_[0]) return answer(403, "");
    return request.url == urls_[1] ? lost() : answer(404, "");
  });
  for (const bool may_differ : {false, true}) {
    forget();
    may_differ_ = may_differ;
    FakeAnswer half = service_(HttpRequest{});
    http_->expect(cut_after(half, 100'000));
    const size_t before = http_->requests().size();
    const Got got = download();
    ASSERT_TRUE(got.error);
    EXPECT_EQ(got.error->http_status, 403u);
    EXPECT_EQ(got.size, 100'000u);
    const auto asked = requested(before);
    EXPECT_LT(asked.size(), 30u);
    for (const std::string &url : {urls_[1], urls_[2]})
      EXPECT_EQ(std::count(asked.begin(), asked.end(), url) > 0, !may_differ);
  }
}

// Each has the bytes that are there and no more.
TEST_F(DownloadTest, TwoAddressesThatBothEndEarlyEndTheDownload) {
  use_two_urls(answer(404, ""));
  service_.takes_ranges = false;
  cancel_after(100);
  http_->otherwise([this](const HttpRequest &request) { return cut_after(service_(request), 100'000); });
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.size, 100'000u);
  EXPECT_THAT(requested(), Contains(urls_[1]));
  EXPECT_LT(http_->requests().size(), 30u);
}

TEST_F(DownloadTest, TellsAllFurtherResultsWhereAnotherUrlHasTheFirstOne) {
  use_two_urls(answer(404, ""));
  urls_ = {urls_[0], "https://media.example/further", urls_[1]};
  first_other_ = 2;
  const Got got = download();
  expect_whole(got);
  EXPECT_THAT(requested(), ElementsAre(urls_[0], urls_[2]));
  EXPECT_EQ(got.further, 1u);
}

// ---- Hosts.

TEST_F(DownloadTest, TheServicesOwnHostThatWantsTheKeyIsSaidToWantIt) {
  urls_ = {"https://API.example:443/files/v.mp4"};
  fresh_url_ = urls_[0];
  for (const unsigned status : {401u, 403u}) {
    deadline_ = clock_.now() + std::chrono::seconds(60);
    service_.odd_media = {
        100, answer(status, R"({"error":"missing bearer token"})", {{"Content-Type", "application/json"}})};
    if (status == 403) service_.odd_media = {100, answer(status, R"({"error":"missing bearer token"})")};
    const Got got = download();
    ASSERT_TRUE(got.error);
    EXPECT_EQ(got.error->kind, ErrorKind::not_authorized);
    EXPECT_EQ(got.error->service_message, "missing bearer token");
    EXPECT_THAT(got.error->text, HasSubstr("wants the API key"));
    EXPECT_THAT(got.error->text, HasSubstr("missing bearer token"));
    EXPECT_THAT(got.error->details, Contains(ErrorDetail{"retry", false}));
  }
  for (const auto &request : http_->requests()) EXPECT_EQ(request.request.bearer_key, "");

  urls_ = {"https://media.example/task-1"};
  fresh_url_ = urls_[0];
  service_.odd_media = {100, answer(401, "no", {{"Content-Type", "text/plain"}})};
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_THAT(got.error->text, Not(HasSubstr("wants the API key")));
  EXPECT_THAT(got.error->text, Not(HasSubstr("expired")));
  EXPECT_THAT(got.error->text,
              HasSubstr("it wants credentials, and genclip sends the API key to the service alone"));
  EXPECT_THAT(got.error->text, HasSubstr("It says: no."));
}

// A refusal's body is nothing but a sentence for people.
TEST_F(DownloadTest, ARefusalIsNotWaitedForToItsEnd) {
  FakeAnswer refusal = answer(401, "", {{"Content-Type", "application/json"}, {"Content-Length", "100"}});
  refusal.cut_at = 0;
  refusal.hangs = true;
  service_.odd_media = {refusal};
  cancellable_ = nullptr;  // So what hangs ends.
  expect_whole(download());
  EXPECT_THAT(http_->limits(), ElementsAre(std::chrono::milliseconds(500)));
}

TEST_F(DownloadTest, ARefusalWithoutABodyIsSurvived) {
  for (const char *type : {"text/html", "text/plain", "application/json", "application/xml"})
    for (const unsigned status : {400u, 401u, 403u, 404u, 410u}) {
      forget();
      service_.odd_media = {answer(status, "", {{"Content-Type", type}, {"Content-Length", "0"}})};
      expect_whole(download());
      EXPECT_EQ(fresh_urls_, 1u);
    }
}

// L1: neither what the run knows else, nor the address that a redirect led to.
TEST_F(DownloadTest, NoSecretOfTheRunIsInTheHostsMessage) {
  secrets_.set_key("sk-the-key");
  secrets_.add_url("https://a/own.png?sig=OWN-SECRET1");
  urls_ = {"https://media.example/task-1?sig=FIRST-SECRET2"};
  fresh_url_ = urls_[0];
  FakeAnswer refusal =
      answer(401, "<Error><Message>sk-the-key OWN-SECRET1 FIRST-SECRET2 HOP-SECRET4</Message></Error>",
             {{"Content-Type", "application/xml"}});
  refusal.reply.final_url = "https://cdn.example/task-1?sig=HOP-SECRET4";
  service_.odd_media = {100, refusal};
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_THAT(got.error->text, HasSubstr("It says: *** *** *** ***."));
}

TEST_F(DownloadTest, TheSignatureOfTheUrlIsNotInTheHostsMessage) {
  urls_ = {"https://media.example/task-1?X-Sig=SECRETSECRET%2B1&Expires=5"};
  fresh_url_ = urls_[0];
  service_.odd_media = {
      100, answer(401, "<Error><Message>Got SECRETSECRET+1 and SECRETSECRET%2B1 for X-Sig</Message></Error>",
                  {{"Content-Type", "application/xml"}})};
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_THAT(got.error->text, HasSubstr("It says: Got *** and *** for X-Sig."));
  EXPECT_THAT(got.error->service_message, Not(HasSubstr("SECRET")));
}

TEST_F(DownloadTest, EveryFailureOfTheMediaServerSaysThatTheClipIsPaid) {
  for (const FakeAnswer &failure : {not_sent(), lost(), answer(418, ""), answer(451, ""),
                                    answer(206, "", {{"Content-Range", "bytes"}})}) {
    http_->otherwise([&](const HttpRequest &) { return failure; });
    const Got got = download();
    ASSERT_TRUE(got.error);
    EXPECT_THAT(got.error->text, HasSubstr("paid for"));
    EXPECT_THAT(got.error->text, HasSubstr("un again"));
  }
}

TEST_F(DownloadTest, ACookieIsKnownToAllItsRequests) {
  service_.cuts = {50'000};
  expect_whole(download());
  const auto requests = http_->requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_TRUE(requests[0].request.visited);
  EXPECT_EQ(requests[0].request.visited, requests[1].request.visited);
  part_ = {};
  static_cast<void>(FileSystem::posix().remove(path().part()));
  expect_whole(download());
  EXPECT_NE(http_->requests()[2].request.visited, requests[0].request.visited) << "nor to another download";
}

TEST_F(DownloadTest, AProxyThatWantsCredentialsIsNotAsked) {
  service_.odd_media = {100, answer(407, "")};
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->kind, ErrorKind::not_authorized);
  EXPECT_THAT(got.error->text, HasSubstr("proxy"));
  EXPECT_EQ(http_->requests().size(), 1u);
}

TEST_F(DownloadTest, A206ThatNamesNoPartAnswersAWholeRequest) {
  service_.odd_media = {answer(206, service_.clip(), {{"Content-Length", std::to_string(kSize)}})};
  expect_whole(download());
  EXPECT_EQ(http_->requests().size(), 1u);

  leave_cut_at(100'000);
  const size_t before = http_->requests().size();
  service_.odd_media = {answer(206, service_.clip()), answer(206, service_.clip())};
  expect_whole(download());
  EXPECT_EQ(http_->requests().size() - before, 2u) << "the first one answers a Range";
}

TEST_F(DownloadTest, A206WithARangeThatNobodyCanReadAnswersAWholeRequest) {
  for (const char *range : {"", "bytes", "0-199999/200000", "bytes all"}) {
    SCOPED_TRACE(range);
    forget();
    service_.odd_media = {
        answer(206, service_.clip(), {{"Content-Range", range}, {"Content-Length", "200000"}})};
    const size_t before = http_->requests().size();
    expect_whole(download());
    EXPECT_EQ(http_->requests().size() - before, 1u);
  }
  for (const FakeAnswer &part :
       {answer(206, service_.clip(), {{"Content-Type", "multipart/byteranges; boundary=a"}}),
        answer(206, service_.clip().substr(50), {{"Content-Range", "bytes 50-199999/200000"}}),
        answer(206, service_.clip(), {{"Content-Range", "bytes 0-99999999999999999999999/*"}})}) {
    forget();
    service_.odd_media = {part};
    const size_t before = http_->requests().size();
    expect_whole(download());
    EXPECT_EQ(http_->requests().size() - before, 2u) << "it is a part";
    EXPECT_EQ(fresh_urls_, 0u) << "of the clip";
  }
}

TEST_F(DownloadTest, A201CountsAs200UnlessItIsATextAmidTheClip) {
  const FakeAnswer whole = answer(201, service_.clip(), {{"Content-Length", "200000"}});
  service_.odd_media = {whole};
  expect_whole(download());
  EXPECT_EQ(http_->requests().size(), 1u);

  forget();
  service_.odd_media = {cut_after(whole, 100'000), cut_after(whole, 150'000), whole};
  expect_whole(download());
  EXPECT_EQ(http_->requests().size(), 4u) << "a host that ignores Range";
  EXPECT_EQ(part_.restarts, 0u);

  leave_cut_at(100'000);
  service_.odd_media = {answer(201, "Wait", {{"Content-Type", "text/plain"}})};
  const size_t before = service_.media_bytes();
  expect_whole(download());
  EXPECT_EQ(service_.media_bytes() - before, kSize - 100'000 + kSeam) << "no byte of it is lost";
}

// ---- Links that break all the time.

TEST_F(DownloadTest, ALinkThatBreaksEveryTenBytesBringsTheClip) {
  service_.set_clip(sample_mp4(600));
  for (const size_t cut : {2u, 3u, 5u, 8u, 10u}) {
    SCOPED_TRACE(cut);
    forget();
    service_.cuts.assign(1000, cut);
    retries_ = 3;
    const size_t before = http_->requests().size();
    const auto begin = clock_.now();
    expect_whole(download());
    const auto pauses = static_cast<int64_t>(http_->requests().size() - before) - 21;
    EXPECT_GE(clock_.now() - begin, pauses * std::chrono::milliseconds(100)) << "hosts count connections";
    EXPECT_LE(clock_.now() - begin,
              pauses * std::chrono::milliseconds(100) + std::chrono::seconds(cut < 5 ? 8 : 0))
        << "what brings bytes goes on soon";
  }
  service_.cuts.clear();

  service_.set_clip(sample_mp4(kSize));
  leave_cut_at(kSize - 100);
  retries_ = 3;
  for (int i = 0; i < 1000; ++i) service_.cuts.push_back(10);
  expect_whole(download());
}

TEST_F(DownloadTest, ALinkThatBreaksBehindTheSeamBringsTheClip) {
  service_.set_clip(sample_mp4(15'000));
  service_.cuts.assign(1000, kSeam + 1);
  expect_whole(download());
  EXPECT_LE(http_->requests().size(), 8u);
  EXPECT_TRUE(clock_.pauses().empty());
}

// Each time it sends the first bytes of a picture, breaks off, then sends all of it.
TEST_F(DownloadTest, BytesThatCameBeforeAreNoProgress) {
  const std::string png =
      std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0", 29) + std::string(200, 'x');
  for (int i = 0; i < 100; ++i) {
    const FakeAnswer whole = answer(200, png, {{"Content-Length", std::to_string(png.size())}});
    service_.odd_media.push_back(cut_after(whole, 10));
    service_.odd_media.push_back(whole);
  }
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_LT(http_->requests().size(), 20u);
}

// ---- Answers that are not a clip.

TEST_F(DownloadTest, AnErrorPageIsNoClip) {
  const FakeAnswer page = answer(200, "<html><body>Sorry</body></html>", {{"Content-Length", "31"}});
  service_.odd_media = {page, page};
  expect_whole(download());
  EXPECT_EQ(fresh_urls_, 2u);
}

TEST_F(DownloadTest, NothingButErrorPagesIsAnErrorAndLeavesNothingToServe) {
  service_.odd_media = {100, answer(200, "<html>Sorry</html>")};
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->kind, ErrorKind::wrong_type);
  EXPECT_EQ(got.size, 0u);
  EXPECT_EQ(clip_->size(), std::nullopt);
}

TEST_F(DownloadTest, AnErrorPageAmidADownloadCostsNoByteOfIt) {
  service_.cuts = {100'000};
  before_range([&] {
    service_.odd_media.push_back(answer(
        200, "<html>Busy</html>", {{"Content-Type", "text/html; charset=utf-8"}, {"Content-Length", "17"}}));
  });
  expect_whole(download());
  EXPECT_EQ(service_.media_bytes(), kSize + kSeam);
}

TEST_F(DownloadTest, AClipThatComesCompressedIsAnErrorThatSaysSoAtOnce) {
  const std::string gzip = "\x1f\x8b\x08" + std::string(500, 'z');
  for (const char *encoding : {"gzip", "br", "deflate, gzip"}) {
    for (const bool length : {true, false}) {
      SCOPED_TRACE(encoding);
      HttpHeaders headers = {{"Content-Encoding", encoding}};
      if (length) headers.emplace_back("Content-Length", std::to_string(gzip.size()));
      service_.odd_media = {5, answer(200, gzip, headers)};
      const size_t before = service_.ranges().size();
      const Got got = download();
      ASSERT_TRUE(got.error);
      EXPECT_EQ(got.error->kind, ErrorKind::wrong_type);
      EXPECT_THAT(got.error->text, HasSubstr("compressed (Content-Encoding: "));
      EXPECT_THAT(got.error->text, HasSubstr("paid"));
      EXPECT_EQ(service_.ranges().size() - before, 1u);
      EXPECT_EQ(fresh_urls_, 0u);
      EXPECT_EQ(got.size, 0u);
    }
  }
  service_.odd_media.clear();
  expect_whole(download());
}

// The label that object stores use for chunked uploads.
TEST_F(DownloadTest, AClipThatIsOnlySaidToBeCompressedIsTaken) {
  for (const char *encoding : {"aws-chunked", "identity", "gzip"}) {
    part_ = {};
    static_cast<void>(FileSystem::posix().remove(path().part()));
    service_.odd_media = {
        answer(200, service_.clip(), {{"Content-Encoding", encoding}, {"Content-Length", "200000"}})};
    expect_whole(download());
  }
}

// Without a length, media that end before the end of the file are requested twice.
TEST_F(DownloadTest, AByteBehindTheEndOfAClipWithoutALengthIsPartOfIt) {
  service_.set_clip(sample_mp4(kSize) + "\n");
  service_.sends_length = false;
  expect_whole(download());
  for (const bool ranges : {true, false}) {
    service_.takes_ranges = ranges;
    leave_cut_at(100'000);
    expect_whole(download());
  }
}

TEST_F(DownloadTest, AnEmptyClipIsTriedAgain) {
  service_.odd_media = {answer(200, "", {{"Content-Length", "0"}})};
  expect_whole(download());
}

TEST_F(DownloadTest, ALargerClipThanAllowedIsRefusedBeforeItsBytes) {
  max_size_ = kSize - 1;
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_THAT(got.error->text, HasSubstr("max-download-size"));
  EXPECT_EQ(got.size, 0u);
}

TEST_F(DownloadTest, ALargerClipThanAllowedOfUnknownLengthEndsThere) {
  max_size_ = kSize - 1;
  service_.sends_length = false;
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_THAT(got.error->text, HasSubstr("max-download-size"));
  EXPECT_LT(got.size, kSize);
}

// ---- When to try again.

TEST_F(DownloadTest, TransientStatusesAreTriedAgainAsLongAsTheServerWishes) {
  service_.odd_media = {answer(503, "", {{"Retry-After", "7"}}), answer(500, "")};
  expect_whole(download());
  ASSERT_EQ(clock_.pauses().size(), 2u);
  EXPECT_GE(clock_.pauses()[0], std::chrono::seconds(7));
}

TEST_F(DownloadTest, ARedirectThatLeadsNowhereIsAskedForAgain) {
  FakeAnswer loop;
  loop.error = HttpError{{ErrorKind::open_read, "The host redirects more than 10 times."}, true, false};
  loop.error->error.http_status = 302;
  for (const FakeAnswer &astray : {answer(300, ""), answer(302, ""), answer(304, ""), loop}) {
    SCOPED_TRACE(astray.reply.status);
    forget();
    service_.odd_media = {3, astray};
    expect_whole(download());
    EXPECT_EQ(fresh_urls_, 3u);
  }
}

// It will lead there in five minutes, too.
TEST_F(DownloadTest, ARedirectToWhereNothingIsFetchedIsRefusedAfterAFewTries) {
  FakeAnswer astray;
  astray.error = HttpError{{ErrorKind::open_read, "The host redirects from https to http."}, true, false};
  astray.error->error.http_status = 302;
  astray.error->leads_astray = true;
  service_.odd_media = {3, astray};
  expect_whole(download());
  EXPECT_EQ(fresh_urls_, 3u);
  forget();
  const Clock::Time begin = clock_.now();
  service_.odd_media = {1000, astray};
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_THAT(got.error->text, HasSubstr("redirects from https to http. The clip is paid for"));
  EXPECT_EQ(fresh_urls_, 3u);
  EXPECT_LT(clock_.now() - begin, std::chrono::seconds(5));
}

TEST_F(DownloadTest, AFinalStatusIsNotTriedAgain) {
  for (const unsigned status : {402u, 405u, 412u, 416u, 451u}) {
    const size_t before = service_.ranges().size();
    service_.odd_media = {answer(status, "")};
    const Got got = download();
    ASSERT_TRUE(got.error);
    EXPECT_EQ(got.error->http_status, status);
    EXPECT_EQ(service_.ranges().size() - before, 1u);
    EXPECT_EQ(fresh_urls_, 0u);
  }
}

TEST_F(DownloadTest, AnErrorThatWillStayIsNotTriedAgain) {
  for (const bool amid_body : {false, true}) {
    SCOPED_TRACE(amid_body);
    FakeAnswer broken = answer(200, service_.clip(), {{"Content-Length", "200000"}});
    broken.error = HttpError{{ErrorKind::open_read, "The certificate is not trusted."}, true, false};
    if (amid_body) broken.cut_at = 50'000;
    const size_t before = service_.ranges().size();
    service_.odd_media = {broken};
    const Got got = download();
    ASSERT_TRUE(got.error);
    EXPECT_THAT(got.error->text, HasSubstr("The certificate is not trusted. The clip is paid for"));
    EXPECT_EQ(service_.ranges().size() - before, 1u);
  }
}

TEST_F(DownloadTest, ProgressBringsTheRetriesBack) {
  retries_ = 1;
  service_.cuts = {10'000, 10'000, 10'000, 10'000, 10'000};
  expect_whole(download());
}

TEST_F(DownloadTest, CancellingEndsItWhereverItIs) {
  FakeAnswer stuck = answer(200, service_.clip(), {{"Content-Length", "200000"}});
  stuck.hangs = true;
  stuck.cut_at = 50'000;
  service_.odd_media = {stuck};
  std::thread canceller;
  http_->before_answer([&](const HttpRequest &) {
    canceller = std::thread([this] {
      const Interrupt never;
      static_cast<void>(clip_->wait(0, 1000, false, Interrupt::Watch(never)));
      g_cancellable_cancel(cancellable_.get());
    });
  });
  const Got got = download();
  canceller.join();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->kind, ErrorKind::cancelled);
  EXPECT_EQ(got.size, 50'000u);
}

}  // namespace
}  // namespace genclip::test
