// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Every answer of up to three URLs, whatever is behind each of them: a clip that is there is fetched, what
// may be something else is not, and no bytes are dropped that somebody else has the rest of.
#include "plugin/generation/url_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace genclip::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using LastResort = UrlChoice::LastResort;

// Offered a URL answers, each time.
enum class Behind {
  clip,        // All of it.
  slow,        // One half of it in each exchange.
  first_half,  // Always breaks in the middle.
  other_clip,  // A clip of other bytes.
  other_half,  // Its first half.
  nothing,     // 404.
  web_page,
  picture,
  refusal,  // The signature has expired.
  fault,    // The request is wrong.
};
constexpr Behind kBehind[] = {Behind::clip,       Behind::slow,    Behind::first_half, Behind::other_clip,
                              Behind::other_half, Behind::nothing, Behind::web_page,   Behind::picture,
                              Behind::refusal,    Behind::fault};
constexpr char kBehindLetters[] = "CSHOhnwprf";
enum class Offered { clip, further, version };

struct Offer {
  Behind behind = Behind::clip;
  Offered what = Offered::clip;
  bool is_file = true;  // Its path ends in that of a video.
};

ResultUrl url_of(const Offer &offer, size_t place) {
  ResultUrl url;
  url.field = "output[" + std::to_string(place) + "].url";
  url.url = "https://media.example/" + std::to_string(place) + (offer.is_file ? ".mp4" : "/view");
  url.is_further = offer.what == Offered::further;
  url.may_differ = offer.what == Offered::version;
  return url;
}

// A download without bytes: what there is of a clip is a letter for its bytes and the number of its halves.
struct UrlWorld {
  explicit UrlWorld(std::vector<Offer> answer, std::optional<ResultKind> wanted = ResultKind::video)
      : offers(std::move(answer)), choice(wanted) {
    for (size_t i = 0; i < offers.size(); ++i) urls.push_back(url_of(offers[i], i));
  }

  std::vector<Offer> offers;
  std::vector<ResultUrl> urls;
  UrlChoice choice;
  char bytes = 0;  // Of which clip; 0: none.
  int halves = 0;
  int most = 0;
  std::string field;
  bool has_arrived = false;
  bool is_done = false;
  bool is_wrong = false;  // A run that can't happen.
  int drops = 0;
  DownloadFailure told;
  std::vector<size_t> asked;

  UrlChoice::Arrived arrived() const {
    return {has_arrived, halves > 0 ? std::string_view(field) : std::string_view()};
  }
  size_t place_of(std::string_view wanted) const {
    const auto found = std::ranges::find(urls, wanted, &ResultUrl::field);
    return static_cast<size_t>(found - urls.begin());
  }
  size_t place() const { return place_of(choice.current()->field); }

  void drop() {
    ++drops;
    bytes = 0;
    halves = most = 0;
    field.clear();
  }

  std::optional<DownloadFailure> fails(Setback setback, bool is_web_page = false) const {
    DownloadFailure failure;
    failure.setback = setback;
    failure.error.text = std::to_string(place());
    failure.is_web_page = is_web_page;
    return failure;
  }

  // Nothing: the clip is whole.
  std::optional<DownloadFailure> brings(char of, int gain, int limit) {
    if (halves > 0 && bytes != of) {
      if (choice.is_comparing()) {
        choice.found_other_bytes();
        return fails(Setback::lasting);
      }
      drop();
      choice.dropped_for_current();
      return fails(Setback::broken);
    }
    has_arrived = true;
    bytes = of;
    field = choice.current()->field;
    halves = std::max(halves, std::min(halves + gain, limit));
    if (halves == 2) return std::nullopt;
    return fails(Setback::broken);
  }

  std::optional<DownloadFailure> exchange() {
    const size_t at = place();
    asked.push_back(at);
    const Offer &offer = offers[at];
    const char clip = offer.what == Offered::clip ? 'A' : offer.what == Offered::further ? 'F' : 'V';
    switch (offer.behind) {
      case Behind::clip: return brings(clip, 2, 2);
      case Behind::slow: return brings(clip, 1, 2);
      case Behind::first_half: return brings(clip, 1, 1);
      case Behind::other_clip: return brings('B', 2, 2);
      case Behind::other_half: return brings('B', 1, 1);
      case Behind::nothing: return fails(Setback::missing);
      case Behind::web_page: return fails(Setback::missing, true);
      case Behind::refusal: return fails(Setback::refused);
      case Behind::fault: return fails(Setback::lasting);
      case Behind::picture: break;
    }
    if (halves == 0) return fails(Setback::other_kind);
    if (choice.is_comparing()) return fails(Setback::lasting);
    drop();
    return fails(Setback::broken);
  }

  void run() {
    const RetryPolicy retries(3, [] { return 0.5; });
    Clock::Time now{seconds(1000)};
    DownloadPatience patience(retries, now, std::nullopt);
    choice.take(urls, arrived());
    for (int exchanges = 0; exchanges < 200; ++exchanges) {
      auto failed = exchange();
      if (!failed) {
        is_done = true;
        return;
      }
      if (halves > most) {
        patience.progressed(1 << 20);
        most = halves;
        choice.progressed();
      }
      if (choice.go_on(*failed, arrived())) continue;
      const auto step = patience.after(failed->setback, has_arrived, now, failed->wished_pause);
      now += step.pause;
      if (step.kind == DownloadPatience::Step::again) continue;
      if (step.kind == DownloadPatience::Step::fresh_url) {
        choice.take(urls, arrived());
        continue;
      }
      const LastResort last = choice.give_up(*failed, arrived());
      if (last == LastResort::change_over && halves > 0) drop();
      if (last != LastResort::none) continue;
      told = *failed;
      return;
    }
    is_wrong = true;
  }

  bool has_asked(size_t at) const { return std::find(asked.begin(), asked.end(), at) != asked.end(); }
  std::string shown() const {
    std::string text;
    for (const Offer &offer : offers) {
      text += kBehindLetters[static_cast<size_t>(offer.behind)];
      text += offer.what == Offered::clip ? "" : offer.what == Offered::further ? "+" : "~";
      text += offer.is_file ? " " : "/ ";
    }
    return text + (is_done ? std::string("stores ") + bytes : "tells of " + told.error.text);
  }
};

bool is_whole(Behind behind) {
  return behind == Behind::clip || behind == Behind::slow || behind == Behind::other_clip;
}

void check_offers(const std::vector<Offer> &offers, size_t &runs) {
  UrlWorld world(offers);
  world.run();
  ++runs;
  ASSERT_FALSE(world.is_wrong) << world.shown() << ": does not end";
  // Bytes give way once, whatever the URLs have.
  EXPECT_LE(world.drops, 1) << world.shown();
  bool has_clip = false, has_picture = false;
  for (const Offer &offer : offers)
    if (offer.what == Offered::clip) {
      has_clip = has_clip || is_whole(offer.behind);
      has_picture = has_picture || offer.behind == Behind::picture;
    }
  // Where the answer names the clip, it is stored.
  if (has_clip && !has_picture) {
    EXPECT_TRUE(world.is_done) << world.shown();
    EXPECT_TRUE(world.bytes == 'A' || world.bytes == 'B') << world.shown();
  }
  // No bytes are dropped whose rest another URL has.
  if (offers[0].behind == Behind::clip || offers[0].behind == Behind::slow) {
    EXPECT_EQ(world.bytes, 'A') << world.shown();
    EXPECT_FALSE(world.has_asked(1)) << world.shown();
  }
  if (offers[0].behind == Behind::first_half)
    for (const Offer &offer : offers)
      if (offer.what == Offered::clip && (offer.behind == Behind::clip || offer.behind == Behind::slow)) {
        EXPECT_EQ(world.bytes, 'A') << world.shown();
        EXPECT_EQ(world.drops, 0) << world.shown();
      }
  // Offered may be something else is asked only where the clip's own URL has something else, too.
  for (size_t i = 1; i < offers.size(); ++i) {
    if (offers[i].what == Offered::clip || !world.has_asked(i)) continue;
    const bool is_player = offers[0].behind == Behind::web_page && !offers[0].is_file && offers[i].is_file &&
                           offers[i].what == Offered::version;
    EXPECT_TRUE(is_player || has_picture || offers[i - 1].behind == Behind::picture) << world.shown();
  }
  // Errors tell of a URL that has the bytes in the file, or of the clip's own where only that one was asked.
  if (!world.is_done && world.halves > 0) {
    const Behind told = offers[std::stoul(world.told.error.text)].behind;
    EXPECT_EQ(told, world.bytes == 'B' ? Behind::other_half : Behind::first_half) << world.shown();
  }
  if (!world.is_done && !world.has_asked(1) && !world.has_asked(2)) {
    EXPECT_EQ(world.told.error.text, "0") << world.shown();
  }
}

std::vector<Offer> all_offers() {
  std::vector<Offer> offers;
  for (const Behind behind : kBehind)
    for (const Offered what : {Offered::clip, Offered::further, Offered::version})
      for (const bool is_file : {true, false}) offers.push_back({behind, what, is_file});
  return offers;
}

TEST(UrlChoice, FetchesTheClipWhereverAnAnswerHasIt) {
  size_t runs = 0;
  const auto others = all_offers();
  for (const Behind behind : kBehind)
    for (const bool is_file : {true, false}) {
      const Offer first{behind, Offered::clip, is_file};
      check_offers({first}, runs);
      for (const Offer &second : others) {
        check_offers({first, second}, runs);
        for (const Offer &third : others) {
          check_offers({first, second, third}, runs);
          if (HasFailure()) return;
        }
      }
    }
  EXPECT_GT(runs, 70'000u);
  RecordProperty("runs", static_cast<int>(runs));
}

// Without a known model, another URL may be a picture of the clip.
TEST(UrlChoice, KeepsToTheFirstUrlOfAnUnknownModel) {
  for (const Behind behind : kBehind) {
    UrlWorld world({{behind, Offered::clip, false}, {Behind::clip, Offered::clip, true}}, std::nullopt);
    world.run();
    EXPECT_FALSE(world.is_wrong);
    EXPECT_EQ(world.has_asked(1), behind == Behind::picture) << world.shown();
  }
}

TEST(UrlChoice, AnotherRunGoesOnWithTheUrlThatTheBytesCameFrom) {
  UrlWorld world({{Behind::nothing}, {Behind::slow}});
  world.has_arrived = true;
  world.bytes = 'A';
  world.halves = world.most = 1;
  world.field = world.urls[1].field;
  world.run();
  EXPECT_TRUE(world.is_done);
  EXPECT_EQ(world.asked, std::vector<size_t>{1});
}

TEST(UrlChoice, FurtherResultsAreThoseBesideTheOneThatWasTaken) {
  const Offer clip{Behind::clip, Offered::clip, true};
  const Offer further{Behind::clip, Offered::further, true};
  UrlWorld first({clip, further, further});
  first.run();
  EXPECT_EQ(first.choice.further_results().size(), 2u);
  UrlWorld second({{Behind::picture, Offered::clip, true}, further, further});
  second.run();
  EXPECT_EQ(second.bytes, 'F');
  EXPECT_EQ(second.choice.further_results().size(), 1u);
  UrlWorld third({{Behind::nothing, Offered::clip, true}, further, clip});
  third.run();
  EXPECT_EQ(third.bytes, 'A');
  EXPECT_EQ(third.choice.further_results().size(), 1u);
}

// A service may name the page that plays the clip before the clip.
TEST(UrlChoice, AFileBesideAWebPageIsTheClip) {
  UrlWorld world({{Behind::web_page, Offered::clip, false}, {Behind::clip, Offered::version, true}});
  world.run();
  EXPECT_EQ(world.bytes, 'V');
}

// The same answer has a 404 and a 500: the clip may be late, so the run waits as for a late one.
TEST(UrlChoice, ALateClipDecidesHowLongIsWaited) {
  UrlChoice choice(ResultKind::video);
  choice.take({url_of({}, 0), url_of({}, 1)}, {});
  DownloadFailure failure;
  failure.setback = Setback::refused;
  failure.error.text = "first";
  EXPECT_TRUE(choice.go_on(failure, {}));
  failure.setback = Setback::missing;
  failure.error.text = "second";
  EXPECT_FALSE(choice.go_on(failure, {}));
  EXPECT_EQ(failure.setback, Setback::missing);
  EXPECT_EQ(choice.current()->field, "output[0].url");
}

}  // namespace
}  // namespace genclip::test
