// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A download that is cut, refused, misled and started again: the bytes of the clip, each once, or an error
// that says so.
#include "plugin/generation/download.h"

#include <filesystem>
#include <numeric>
#include <random>

#include "tests/generation/work_fixture.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr size_t kSize = 200'000;

class DownloadTest : public testing::Test, protected World {
 protected:
  struct Got {
    std::optional<Error> error;
    MediaContainer container;
    std::string bytes;
    uint64_t size = 0;
  };

  // Goes on with what the last one left, as another process would.
  Got download(const std::string &boot = "boot") {
    static_cast<void>(FileSystem::posix().make_folder(path().folder()));
    ClipFolder folder(files_, path());
    auto file = taken(folder.open_part());
    Download::Hooks hooks;
    hooks.fresh_url = [this]() -> Result<std::string> {
      ++fresh_urls_;
      if (fresh_error_) return *fresh_error_;
      return fresh_url_;
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
    Download download(*http_, clock_, retries, options, std::move(hooks), file, *clip_);
    auto container = download.run("https://media.example/task-1?sig=1", part_, cancellable_.get());
    Got got;
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

  PartState part_;
  unsigned retries_ = 5;
  uint64_t max_size_ = uint64_t{1} << 30;
  unsigned fresh_urls_ = 0;
  std::string fresh_url_ = "https://media.example/task-1?sig=2";
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

TEST_F(DownloadTest, CutTwentyTimesAtRandomFetchesNoByteTwice) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int cut = 0; cut < 20; ++cut) service_.cuts.push_back(1 + random() % (kSize / 20));
  const Got got = download();
  expect_whole(got);
  EXPECT_EQ(service_.ranges().size(), 21u);
  EXPECT_EQ(service_.media_bytes(), kSize);
}

TEST_F(DownloadTest, CutTwentyTimesOverRestartsFetchesNoByteTwice) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  retries_ = 0;
  for (int cut = 0; cut < 20; ++cut) {
    service_.cuts = {1 + random() % (kSize / 20)};
    const Got got = download();
    ASSERT_TRUE(got.error);
    EXPECT_EQ(got.error->kind, ErrorKind::read);
    EXPECT_THAT(got.error->text, HasSubstr(std::to_string(got.size) + " bytes of the clip are stored"));
  }
  expect_whole(download());
  EXPECT_EQ(service_.media_bytes(), kSize);
}

TEST_F(DownloadTest, WithoutAValidatorFetchesTheSeamsTwiceToCompareThem) {
  service_.sends_etag = false;
  service_.cuts = {50'000, 50'000};
  expect_whole(download());
  EXPECT_EQ(service_.media_bytes(), kSize + 2 * 4096);
}

TEST_F(DownloadTest, GoesOnOverIfRange) {
  service_.cuts = {50'000};
  expect_whole(download());
  EXPECT_THAT(service_.ranges(), ElementsAre("", "bytes=50000-"));
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
  EXPECT_THAT(service_.ranges(), ElementsAre("", "bytes=60000-"));
}

TEST_F(DownloadTest, OfUnknownBootsTrustsOnlyWhatWasSynced) {
  retries_ = 0;
  service_.cuts = {100'000};
  ASSERT_TRUE(download("").error);
  part_.synced = 60'000;
  expect_whole(download(""));
  EXPECT_THAT(service_.ranges(), ElementsAre("", "bytes=60000-"));
}

TEST_F(DownloadTest, AnErrorSyncsWhatIsThereForAnotherMachine) {
  retries_ = 0;
  service_.cuts = {100'000};
  ASSERT_TRUE(download().error);
  EXPECT_EQ(part_.synced, 100'000u);
  expect_whole(download("another machine"));
  EXPECT_EQ(service_.media_bytes(), kSize);
}

// A sync stops the download for as long as the disk takes.
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
  EXPECT_THAT(service_.ranges(), ElementsAre("", "bytes=100000-", ""));
}

TEST_F(DownloadTest, A206FromAnotherPlaceIsNeverJoined) {
  for (const std::string range : {"bytes 150000-199999/200000", "bytes 100000-199999/300000", "nonsense", "",
                                  "bytes 199999-100000/200000"}) {
    SCOPED_TRACE(range);
    part_ = {};
    static_cast<void>(FileSystem::posix().remove(path().part()));
    retries_ = 0;
    service_.cuts = {100'000};
    ASSERT_TRUE(download().error);
    retries_ = 3;
    service_.odd_media = {answer(206, std::string(50'000, 'x'), {{"Content-Range", range}})};
    expect_whole(download());
  }
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
  service_.odd_media = {};
  before_range([&] {
    service_.odd_media.push_back(answer(206, service_.clip().substr(100'000, 20'000),
                                        {{"Content-Range", "bytes 100000-119999/200000"}}));
  });
  expect_whole(download());
  EXPECT_THAT(service_.ranges(), ElementsAre("", "bytes=100000-", "bytes=120000-"));
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

TEST_F(DownloadTest, A416OfAKnownLengthAsksForAllAndCompares) {
  retries_ = 0;
  service_.cuts = {100'000};
  ASSERT_TRUE(download().error);
  retries_ = 2;
  service_.odd_media = {answer(416, "")};
  expect_whole(download());
  EXPECT_EQ(part_.restarts, 0u);
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

TEST_F(DownloadTest, A416AtTheEndIsTheEndWhereTheLengthWasUnknown) {
  service_.sends_length = false;
  retries_ = 0;
  service_.cuts = {kSize - 1};
  ASSERT_TRUE(download().error);
  const auto part = part_;
  std::string rest = service_.clip().substr(kSize - 1);
  service_.odd_media = {cut_after(answer(206, rest + "?", {{"Content-Range", "bytes 199999-199999/*"}}), 1)};
  ASSERT_TRUE(download().error);
  expect_whole(download());
  EXPECT_EQ(service_.media_bytes(), kSize - 1);
}

// ---- URLs.

TEST_F(DownloadTest, AnExpiredUrlCostsOneQueryNotAByte) {
  for (const unsigned status : {401u, 403u, 404u, 410u}) {
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
    EXPECT_EQ(service_.media_bytes() - before, kSize);
  }
}

TEST_F(DownloadTest, AUrlThatStaysExpiredIsAnErrorThatSaysItIsPaid) {
  service_.expired = 100;
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->kind, ErrorKind::not_authorized);
  EXPECT_EQ(got.error->http_status, 403u);
  EXPECT_THAT(got.error->text, HasSubstr("paid"));
  EXPECT_EQ(fresh_urls_, 3u);
}

TEST_F(DownloadTest, NoFreshUrlIsAskedForAgainAndThenAnError) {
  service_.expired = 1;
  fresh_url_ = "";
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->kind, ErrorKind::not_found);
  EXPECT_THAT(got.error->text, HasSubstr("no URL"));
  EXPECT_EQ(fresh_urls_, 3u);
  EXPECT_EQ(service_.ranges().size(), 1u) << "an empty URL is not fetched";
}

TEST_F(DownloadTest, TheTasksOwnErrorIsTold) {
  service_.expired = 1;
  fresh_error_ = Error{ErrorKind::not_found, "The task is gone."};
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->text, "The task is gone.");
}

// ---- What is no clip.

TEST_F(DownloadTest, AnErrorPageIsNoClip) {
  const FakeAnswer page = answer(200, "<html><body>Sorry</body></html>", {{"Content-Length", "31"}});
  service_.odd_media = {page, page};
  expect_whole(download());
  EXPECT_EQ(fresh_urls_, 2u);
}

TEST_F(DownloadTest, NothingButErrorPagesIsAnErrorAndLeavesNothingToServe) {
  service_.odd_media = {10, answer(200, "<html>Sorry</html>")};
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
  EXPECT_EQ(service_.media_bytes(), kSize);
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

TEST_F(DownloadTest, AFinalStatusIsNotTriedAgain) {
  service_.odd_media = {answer(400, "")};
  const Got got = download();
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->http_status, 400u);
  EXPECT_EQ(service_.ranges().size(), 1u);
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
    EXPECT_EQ(got.error->text, "The certificate is not trusted.");
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
