// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All sequences of events up to a length, over the model of schedule_world: each window leaves once, as text
// or as silence, in order and within its time, and a failure is told; requests never exceed the budget; each
// thread is woken when there is something to do, and nothing waits for what cannot come.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "tests/captioner/schedule_world.h"
#include "tests/support/exploration.h"

namespace genclip::test {
namespace {

void explore(const WorldRules &rules, size_t least = 50, size_t length = 60) {
  Exploration<ScheduleWorld> exploration(world_with(rules));
  exploration.go(length_of_sequences(length));
  std::cout << exploration.sequences() << " sequences, " << exploration.states() << " states\n";
  ASSERT_TRUE(exploration.violations().empty())
      << exploration.violations().size() << " violations; the first:\n"
      << exploration.violations().front();
  EXPECT_GE(exploration.states(), least);
}

TEST(ScheduleExploration, OfAFile) { explore({}); }

TEST(ScheduleExploration, OfAFileBackwards) { explore({.backwards = true}); }

TEST(ScheduleExploration, OfASeek) {
  for (const bool backwards : {false, true}) explore({.backwards = backwards, .can_flush = true});
}

TEST(ScheduleExploration, OfAPadThatIsLinkedAgain) {
  explore({.windows = 2, .can_be_unlinked = true});
  explore({.live = true, .windows = 2, .can_be_unlinked = true, .can_fail = false});
}

TEST(ScheduleExploration, OfADownstreamThatFails) {
  explore({.windows = 2, .can_break = true});
  explore({.can_break = true, .can_fail = false, .is_store_slow = true});
  explore({.live = true, .windows = 2, .can_break = true, .can_fail = false});
  explore({.material = Material::texts, .windows = 3, .can_break = true});
}

// on-error=fail: once a caption has failed, no more is asked, and the failure ends the stream.
TEST(ScheduleExploration, OfACaptionWhoseFailureEndsTheStream) {
  const CaptionScheduleSettings fails = {.ends_on_error = true};
  explore({.settings = fails});
  explore({.windows = 2, .can_flush = true, .settings = fails});
  explore({.windows = 2, .is_store_slow = true, .settings = fails});
  explore({.windows = 2, .languages = {"de", "en"}, .settings = fails});
  explore({.material = Material::texts, .windows = 3, .settings = fails});
  explore({.live = true, .windows = 2, .settings = fails});
}

TEST(ScheduleExploration, OfABudgetThatEnds) {
  for (const unsigned most : {1u, 2u})
    for (const bool equal : {false, true})
      explore({.equal_windows = equal,
               .is_store_slow = true,
               .settings = {.max_requests = most, .cache = CaptionCache::read}});
}

// The warning is told once, also if its window is dropped before its turn.
TEST(ScheduleExploration, OfABudgetThatEndsBeforeASeek) {
  explore({.can_flush = true, .can_fail = false, .settings = {.max_requests = 1}});
}

// A place in the budget that an unsent try gives back is for nobody then.
TEST(ScheduleExploration, OfAskingThatEnds) {
  for (const unsigned most : {0u, 1u})
    explore({.windows = 2,
             .can_stop_asking = true,
             .can_be_unsent = true,
             .is_store_slow = true,
             .settings = {.max_requests = most, .cache = CaptionCache::read}});
  explore({.live = true, .windows = 2, .can_fail = false, .can_stop_asking = true, .can_be_unsent = true});
  explore({.material = Material::texts,
           .windows = 2,
           .can_stop_asking = true,
           .can_be_unsent = true,
           .settings = {.cues_per_request = 2}});
}

TEST(ScheduleExploration, OfAnAnswerThatServesAllWindows) {
  explore({.equal_windows = true, .settings = {.cache = CaptionCache::read}});
}

TEST(ScheduleExploration, OfAContext) {
  explore({.settings = {.context = 1}});
  explore({.material = Material::texts,
           .windows = 4,
           .can_fail = false,
           .is_store_slow = true,
           .settings = {.context = 1, .cache = CaptionCache::read, .cues_per_request = 3}});
}

TEST(ScheduleExploration, OfAPadThatSendsSlowly) {
  explore({.windows = 2, .is_downstream_slow = true});
  explore({.windows = 3, .can_fail = false, .is_downstream_slow = true, .settings = {.max_waiting = 1}});
}

// Texts whose answers are known do not wait for the budget.
TEST(ScheduleExploration, OfABudgetOfTextsThatShareRequests) {
  const CaptionScheduleSettings settings = {
      .max_requests = 2, .cache = CaptionCache::read, .cues_per_request = 2};
  explore({.material = Material::texts,
           .windows = 4,
           .equal_windows = true,
           .can_fail = false,
           .settings = settings});
  explore({.material = Material::texts,
           .windows = 5,
           .workers = 1,
           .repeats_first = true,
           .can_fail = false,
           .settings = settings});
}

TEST(ScheduleExploration, OfADrain) {
  explore({.windows = 2, .can_drain = true});
  explore({.windows = 2, .can_drain = true, .can_fail = false, .is_downstream_slow = true});
  explore({.windows = 2, .can_flush = true, .can_drain = true, .can_fail = false});
  explore({.live = true, .windows = 2, .can_drain = true, .can_fail = false});
  explore({.windows = 2, .can_drain = true, .can_fail = false, .settings = {.joins_repeats = true}});
  explore({.material = Material::open_pictures, .windows = 2, .can_drain = true, .can_fail = false});
  explore({.material = Material::texts, .windows = 2, .can_drain = true, .can_fail = false});
}

// A decoder holds pictures while it hands on what upstream says about the time behind them.
TEST(ScheduleExploration, OfSilenceThatMayBeEarly) {
  explore({.windows = 2, .can_tell_silence = true});
  explore({.can_tell_silence = true, .can_fail = false});
  explore({.windows = 2, .can_flush = true, .can_tell_silence = true, .can_fail = false});
  explore({.windows = 2, .can_drain = true, .can_tell_silence = true, .can_fail = false});
  explore({.windows = 2, .can_tell_silence = true, .can_fail = false, .is_downstream_slow = true});
  explore({.live = true, .windows = 2, .can_tell_silence = true, .can_fail = false});
  explore({.material = Material::open_pictures, .windows = 2, .can_tell_silence = true, .can_fail = false});
}

TEST(ScheduleExploration, OfAPadThatIsReleased) {
  explore({.windows = 2, .can_lose_pad = true, .languages = {"de", "en"}});
  explore({.live = true, .windows = 2, .can_lose_pad = true, .can_fail = false, .languages = {"de", "en"}});
}

TEST(ScheduleExploration, OfTwoLanguages) {
  explore({.windows = 2, .languages = {"de", "en"}});
  explore({.windows = 2, .can_fail = false, .is_downstream_slow = true, .languages = {"de", "en"}});
  explore({.windows = 2, .can_lose_pad = true, .languages = {"", "de"}});
}

TEST(ScheduleExploration, OfALiveStream) {
  explore({.live = true, .can_fail = false});
  for (const LatePolicy policy : {LatePolicy::shift, LatePolicy::immediate})
    explore({.live = true, .windows = 2, .can_fail = false, .settings = {.late_policy = policy}});
  explore({.live = true, .windows = 2, .can_flush = true, .can_fail = false});
}

TEST(ScheduleExploration, OfALiveStreamInSentences) {
  explore({.live = true, .windows = 2, .can_fail = false, .answers_in_pieces = true});
  explore({.windows = 2, .answers_in_pieces = true});
}

// A live schedule with one window, about which the first sentences of an answer have come, if any.
class LiveWindow {
 public:
  LiveWindow(LatePolicy policy, TimeSpan window, const std::string &sentence)
      : pad_(schedule.add_outlet("")) {
    CaptionScheduleSettings settings;
    settings.latency = std::chrono::milliseconds(1000);
    settings.late_policy = policy;
    settings.by_sentence = true;
    settings.limits.columns_per_second = 20;
    schedule.start(settings);
    schedule.set_live(true);
    schedule.start_outlet(pad_, now);
    StreamSegment segment;
    segment.event.kind = StreamEvent::Kind::segment;
    schedule.push_segment(segment, now);
    StillJob job;
    std::optional<CaptionSlot> slot(std::in_place);
    slot->id = 1;
    slot->window = window;
    schedule.push_still(job, slot, now);
    schedule.still_made(1, {});
    question_ = std::get<0>(schedule.next_question(now))->id;
    request = std::get<0>(schedule.may_ask(question_, now));
    if (!sentence.empty()) schedule.add_sentences(question_, {sentence}, now);
  }

  std::vector<Spoken> spoken_until(uint64_t end) {
    std::vector<Spoken> spoken;
    for (; due_ < end; due_ += 50'000'000)
      for (auto next = schedule.next_output(pad_, due_, now); std::holds_alternative<CaptionOutput>(next);
           next = schedule.next_output(pad_, due_, now))
        if (const auto *one = std::get_if<Spoken>(&std::get<CaptionOutput>(next)))
          spoken.push_back(*one);
        else if (const auto *notice = std::get_if<Notice>(&std::get<CaptionOutput>(next)))
          notices.push_back(notice->error);
    return spoken;
  }

  std::vector<Error> notices;
  const Instant now{};
  CaptionSchedule schedule;
  std::optional<CaptionRequest> request;

 private:
  const OutletId pad_;
  uint64_t question_ = 0;
  uint64_t due_ = 4'000'000'000;
};

// The first picture of a live stream comes just before the end of its window.
TEST(LiveSchedule, SaysWhatIsThereOfAnAnswerInAWindowThatIsTooShortForParts) {
  const TimeSpan window{4'000'000'000, 5'000'000'000};
  LiveWindow live(LatePolicy::drop, {4'500'000'000, 5'000'000'000}, "Nacht.");
  const auto spoken = live.spoken_until(window.end);
  ASSERT_EQ(spoken.size(), 1u);
  EXPECT_EQ(spoken[0].text, "Nacht.");
  EXPECT_EQ(spoken[0].span, (TimeSpan{4'500'000'000, 5'000'000'000}));
}

// Where late captions are moved, the whole answer has its time later.
TEST(LiveSchedule, WaitsForTheWholeAnswerWhereItMayComeLate) {
  LiveWindow live(LatePolicy::shift, {4'500'000'000, 9'500'000'000},
                  "Eine Katze schläft auf dem Dach, während unten Hunde bellen.");
  EXPECT_TRUE(live.spoken_until(5'000'000'000).empty());
  ContentAnswer answer;
  answer.text = "Eine Katze schläft. Es regnet.";
  const std::vector<Said> said{{live.request->parts.front(), answer, {"Es regnet."}}};
  live.schedule.answered(*live.request, answer, said, live.now);
  std::string all;
  for (const Spoken &one : live.spoken_until(20'000'000'000)) all += one.text + " ";
  EXPECT_NE(all.find("Es regnet."), std::string::npos) << all;
}

// The latency is too short only where three captions or more are late.
TEST(LiveSchedule, CountsACaptionThatWaitsOnceAmongTheLateOnes) {
  LiveWindow live(LatePolicy::shift, {4'500'000'000, 9'500'000'000},
                  "Eine Katze schläft auf dem Dach, während unten Hunde bellen.");
  EXPECT_TRUE(live.spoken_until(9'000'000'000).empty());
  EXPECT_TRUE(live.notices.empty()) << live.notices.front().text;
}

// A channel counts no caption as missing whose end alone lacks.
TEST(LiveSchedule, SaysOfAWarningWhetherItsCaptionIsShown) {
  for (const bool is_shown : {true, false}) {
    LiveWindow live(LatePolicy::drop, {4'500'000'000, 9'500'000'000}, "");
    ContentAnswer answer;
    if (is_shown) answer.text = "Da.";
    answer.cut_short = true;
    const Said said{live.request->parts.front(), answer, sentences_of(answer.text, false)};
    live.schedule.answered(*live.request, answer, {said}, live.now);
    EXPECT_EQ(live.spoken_until(5'000'000'000).size(), is_shown);
    ASSERT_EQ(live.notices.size(), 1u);
    EXPECT_EQ(live.notices.front().details.size(), is_shown) << live.notices.front().text;
  }
}

// All that follows reads the whole of it, under the lock that the pads wait for.
TEST(AnswerOfMegabytes, IsCutAtACharacterFirst) {
  constexpr size_t kMost = 64 << 10;
  CaptionRequest request;
  request.parts.resize(2);
  ContentAnswer answer;
  for (size_t i = 0; i < 1'000'000; ++i) answer.text += "\u20ac";
  const auto both = checked_answer(request, answer);
  request.parts.resize(1);
  const auto one = checked_answer(request, answer);
  EXPECT_EQ(both->text.size(), 2 * kMost / 3 * 3);
  EXPECT_EQ(one->text, both->text.substr(0, kMost / 3 * 3));
  request.is_plain = request.by_sentence = true;
  SentenceSplitter splitter;
  splitter.push(answer.text);
  const auto said = said_in(request, *one, splitter);
  ASSERT_EQ(said.size(), 1u);
  for (const std::string &sentence : said.front().sentences) EXPECT_LE(sentence.size(), kMost);
}

// A pad that is gone ends no stream.
TEST(FailureOfACaption, HoldsUpNoQuestionWhenItsPadIsReleased) {
  CaptionSchedule schedule;
  const OutletId german = schedule.add_outlet("de"), english = schedule.add_outlet("en");
  schedule.start({.cache = CaptionCache::read, .ends_on_error = true});
  const Instant now{};
  for (const OutletId pad : {german, english}) schedule.start_outlet(pad, now);
  const auto ask_about = [&](SlotId id) {
    StillJob job;
    std::optional<CaptionSlot> slot(std::in_place);
    slot->id = id;
    slot->window = {(id - 1) * 1'000'000'000, id * 1'000'000'000};
    slot->parts.resize(2);
    slot->parts[0].language = "de", slot->parts[1].language = "en";
    slot->request.prompt = std::to_string(id);
    schedule.push_still(job, slot, now);
    schedule.still_made(id, {});
    const Question question = *std::get<0>(schedule.next_question(now));
    if (id == 1) schedule.found(question.parts[1], {});
    return std::get<0>(schedule.may_ask(question.id, now));
  };
  const auto request = ask_about(1);
  schedule.answered(*request, Error{ErrorKind::settings, "refused"}, {}, now);
  EXPECT_FALSE(ask_about(2));
  schedule.remove_outlet(german);
  EXPECT_TRUE(ask_about(3));
}

// Each of its languages is asked for that often, and no other one is asked for again. Somebody else may have
// been told English first: that was no request of this element.
TEST(LackingLanguage, IsAskedForAgainWithinTheRetries) {
  const std::vector<std::string> both{"de", "en"};
  for (const auto &[languages, is_english_found] :
       {std::pair(both, false), {both, true}, {{"de"}, false}, {{"", "de", "en"}, false}}) {
    for (const unsigned retries : {0U, 1U, 3U}) {
      CaptionSchedule schedule;
      schedule.start({.retries = retries});
      const Instant now{};
      for (const std::string &language : languages) schedule.start_outlet(schedule.add_outlet(language), now);
      StillJob job;
      std::optional<CaptionSlot> slot(std::in_place);
      slot->id = 1;
      slot->window = {0, 1'000'000'000};
      slot->parts = parts_in(languages);
      schedule.push_still(job, slot, now);
      schedule.still_made(1, {});
      ContentAnswer answer;
      answer.text = answer.finish_reason = "STOP";
      std::vector<std::string> asked;
      while (true) {
        const auto question = schedule.next_question(now);
        if (std::holds_alternative<WaitUntil>(question)) break;
        const uint64_t id = std::get<0>(question)->id;
        auto request = *std::get<0>(schedule.may_ask(id, now));
        if (is_english_found && request.parts.size() == 2) {
          const AskedPart english = request.parts[1];
          schedule.answered_elsewhere(std::move(request));
          schedule.found(english, answer);
          request = *std::get<0>(schedule.may_ask(id, now));
        }
        std::vector<Said> said;
        asked.emplace_back();
        for (const AskedPart &part : request.parts) {
          asked.back() += part.language;
          if (part.language == "en") said.push_back({part, answer, {"Here."}});
        }
        schedule.answered(request, answer, said, now);
      }
      std::vector<std::string> expected(retries, "de");
      expected.insert(expected.begin(), languages.size() == 1 || is_english_found ? "de" : "deen");
      EXPECT_EQ(asked, expected);
    }
  }
}

// Nobody knows whether a picture repeats a caption while DRAIN holds up the pictures.
TEST(Drain, OfACaptionThatMayBeRepeatedIsNoReasonToShowPartsLater) {
  CaptionSchedule schedule;
  const OutletId pad = schedule.add_outlet("");
  CaptionScheduleSettings settings;
  settings.joins_repeats = true;
  schedule.start(settings);
  Instant now{};
  schedule.start_outlet(pad, now);
  StreamSegment segment;
  segment.event.kind = StreamEvent::Kind::segment;
  schedule.push_segment(segment, now);
  const auto show = [&](SlotId id) {
    StillJob job;
    std::optional<CaptionSlot> slot(std::in_place);
    slot->id = id;
    slot->window = {(id - 1) * 1'000'000'000, id * 1'000'000'000};
    schedule.push_still(job, slot, now);
    static_cast<void>(schedule.next_still(now));
  };
  std::vector<TimeSpan> spans;
  const auto send = [&] {
    for (auto next = schedule.next_output(pad, {}, now); std::holds_alternative<CaptionOutput>(next);
         next = schedule.next_output(pad, {}, now))
      if (const auto *one = std::get_if<Spoken>(&std::get<CaptionOutput>(next))) spans.push_back(one->span);
  };
  show(1);
  schedule.still_made(1, {});
  const auto question = std::get<0>(schedule.next_question(now));
  const auto request = std::get<0>(schedule.may_ask(question->id, now));
  ContentAnswer answer;
  answer.text = "Da.";
  schedule.answered(*request, answer, {{request->parts.front(), answer, {"Da."}}}, now);
  send();
  static_cast<void>(schedule.next_still(now));
  // Whatever holds up the query, the streaming thread waits for a second at most.
  while (std::holds_alternative<WaitUntil>(schedule.drain(now))) {
    now += std::chrono::milliseconds(500);
    send();
    ASSERT_LE(now.time_since_epoch(), std::chrono::seconds(2));
  }
  for (SlotId id = 2; id < 5; ++id) {
    show(id);
    schedule.picture_unchanged(id);
    send();
  }
  static_cast<void>(schedule.next_still(now));
  StreamEvent eos;
  eos.kind = StreamEvent::Kind::eos;
  schedule.push_event(eos, now);
  send();
  EXPECT_EQ(spans, (std::vector<TimeSpan>{{0, 1'000'000'000}, {1'000'000'000, 4'000'000'000}}));
}

// A network that stood still once is no reason to take the time of later pictures.
TEST(EarlySilence, WaitsForTheNextPictureInEachHole) {
  constexpr uint64_t kSecond = 1'000'000'000;
  CaptionSchedule schedule;
  const OutletId pad = schedule.add_outlet("");
  schedule.start({});
  Instant now{};
  schedule.start_outlet(pad, now);
  StreamSegment segment;
  segment.event.kind = StreamEvent::Kind::segment;
  schedule.push_segment(segment, now);
  std::vector<TimeSpan> silences;
  const auto send = [&] {
    for (auto next = schedule.next_output(pad, {}, now); std::holds_alternative<CaptionOutput>(next);
         next = schedule.next_output(pad, {}, now))
      if (const auto *one = std::get_if<Silence>(&std::get<CaptionOutput>(next)))
        if (one->span.end > one->span.start) silences.push_back(one->span);
  };
  schedule.push_silence({{0, 2 * kSecond}, true}, now);
  send();
  EXPECT_TRUE(silences.empty());
  now += std::chrono::seconds(1);
  send();
  EXPECT_EQ(silences, (std::vector<TimeSpan>{{0, kSecond}})) << "as fast as it is played";
  now += std::chrono::seconds(1);
  send();
  EXPECT_EQ(silences, (std::vector<TimeSpan>{{0, kSecond}, {kSecond, 2 * kSecond}}));
  StillJob job;
  std::optional<CaptionSlot> slot(std::in_place);
  slot->id = 1;
  slot->window = {5 * kSecond, 10 * kSecond};
  slot->timestamp = 5 * kSecond;
  schedule.push_still(job, slot, now);
  static_cast<void>(schedule.next_still(now));
  schedule.still_failed(1, {ErrorKind::failed, "no still"});
  static_cast<void>(schedule.next_still(now));
  schedule.push_silence({{6 * kSecond, 14 * kSecond}, true}, now);
  send();
  EXPECT_EQ(silences.back(), (TimeSpan{5 * kSecond, 10 * kSecond}));
  now += std::chrono::seconds(1);
  send();
  EXPECT_EQ(silences.back(), (TimeSpan{10 * kSecond, 11 * kSecond}));
  // Silence of 20 s shows a muxer that there is no picture.
  schedule.push_silence({{14 * kSecond, 3600 * kSecond}, true}, now);
  for (int i = 0; i < 20; ++i) {
    now += std::chrono::seconds(1);
    send();
  }
  EXPECT_EQ(silences.back().end, 3600 * kSecond);
  // What comes when its time is over is not paid for.
  std::optional<CaptionSlot> late(std::in_place);
  late->id = 2;
  late->window = {20 * kSecond, 25 * kSecond};
  late->timestamp = 20 * kSecond;
  schedule.push_still(job, late, now);
  static_cast<void>(schedule.next_still(now));
  schedule.still_made(2, {});
  EXPECT_TRUE(std::holds_alternative<WaitUntil>(schedule.next_question(now)));
  EXPECT_EQ(schedule.stats().skipped, 2u);
  std::optional<CaptionSlot> next(std::in_place);
  next->id = 3;
  next->window = {3600 * kSecond, 3605 * kSecond};
  next->timestamp = 3600 * kSecond;
  schedule.push_still(job, next, now);
  static_cast<void>(schedule.next_still(now));
  schedule.still_failed(3, {ErrorKind::failed, "no still"});
  static_cast<void>(schedule.next_still(now));
  schedule.push_silence({{3605 * kSecond, 3700 * kSecond}, true}, now);
  send();
  EXPECT_EQ(silences.back().end, 3605 * kSecond) << "the next hole";
}

// A text without characters takes its time as silence that may be early; a demuxer's GAP is sure.
TEST(EarlySilence, IsOverWhereSilenceBeginsThatIsSure) {
  constexpr uint64_t kSecond = 1'000'000'000;
  CaptionSchedule schedule;
  const OutletId pad = schedule.add_outlet("");
  schedule.start({});
  const Instant now{};
  schedule.start_outlet(pad, now);
  StreamSegment segment;
  segment.event.kind = StreamEvent::Kind::segment;
  schedule.push_segment(segment, now);
  schedule.push_silence({{0, 10 * kSecond}, true}, now);
  schedule.push_silence({{2 * kSecond, 3 * kSecond}}, now);
  uint64_t end = 0;
  for (auto next = schedule.next_output(pad, {}, now); std::holds_alternative<CaptionOutput>(next);
       next = schedule.next_output(pad, {}, now))
    if (const auto *one = std::get_if<Silence>(&std::get<CaptionOutput>(next))) end = one->span.end;
  EXPECT_EQ(end, 3 * kSecond) << "at once, and the rest is left to a text that comes";
}

TEST(EarlySilence, OfOnePadDoesNotHoldUpThatOfAnother) {
  constexpr uint64_t kSecond = 1'000'000'000;
  CaptionSchedule schedule;
  std::map<OutletId, uint64_t> until;
  for (const char *language : {"", "de", "en"}) until[schedule.add_outlet(language)] = 0;
  schedule.start({});
  Instant now{};
  for (const auto &[pad, end] : until) schedule.start_outlet(pad, now);
  StreamSegment segment;
  segment.event.kind = StreamEvent::Kind::segment;
  schedule.push_segment(segment, now);
  schedule.push_silence({{0, 3600 * kSecond}, true}, now);
  const auto send = [&] {
    for (auto &[pad, end] : until)
      for (auto next = schedule.next_output(pad, {}, now); std::holds_alternative<CaptionOutput>(next);
           next = schedule.next_output(pad, {}, now))
        if (const auto *one = std::get_if<Silence>(&std::get<CaptionOutput>(next))) end = one->span.end;
  };
  send();
  for (uint64_t second = 1; second <= 21; ++second) {
    now += std::chrono::seconds(1);
    send();
    for (const auto &[pad, end] : until)
      EXPECT_EQ(end, (second < 20 ? second : 3600) * kSecond) << "pad " << pad << " after " << second << " s";
  }
}

TEST(ScheduleExploration, OfWindowsThatShowTheirStillsAndEndLater) {
  explore({.material = Material::open_pictures, .windows = 2});
  explore({.material = Material::open_pictures, .windows = 2, .can_flush = true, .can_fail = false});
}

TEST(ScheduleExploration, OfPicturesThatDoNotChange) {
  const CaptionScheduleSettings joins = {.joins_repeats = true};
  explore({.can_fail = false, .settings = joins});
  CaptionScheduleSettings known = joins;
  known.cache = CaptionCache::read;
  explore({.equal_windows = true, .can_fail = false, .settings = known});
  explore({.windows = 2, .equal_windows = true, .languages = {"de", "en"}, .settings = known});
  explore({.windows = 2, .equal_windows = true, .can_drain = true, .can_fail = false, .settings = known});
}

// A picture is compared with one that has a caption, or is asked about.
TEST(ScheduleExploration, OfPicturesWhoseCaptionIsLost) {
  explore({.windows = 4, .can_be_unchanged = true});
  explore({.can_stop_asking = true, .can_be_unchanged = true});
  explore({.can_flush = true, .can_fail = false, .can_be_unchanged = true, .settings = {.max_requests = 1}});
  explore({.live = true, .can_be_unchanged = true});
  explore({.can_be_unchanged = true, .settings = {.joins_repeats = true}});
}

// For as long as the picture stays, each of its windows would be silent.
TEST(LostCaption, OfAPictureIsAskedForInTheNextWindow) {
  const Instant now{};
  const Error withheld{ErrorKind::failed, "withheld"}, busy{ErrorKind::busy, "503"};
  ContentAnswer empty, text;
  text.text = "Da.";
  for (const auto &[answer, counts] : {std::pair<Result<ContentAnswer>, bool>{busy, true},
                                       {withheld, false},
                                       {empty, false},
                                       {text, false}}) {
    CaptionSchedule schedule;
    const OutletId pad = schedule.add_outlet("");
    schedule.start({});
    schedule.start_outlet(pad, now);
    StreamSegment segment;
    segment.event.kind = StreamEvent::Kind::segment;
    schedule.push_segment(segment, now);
    const auto show = [&](SlotId id) {
      StillJob job;
      std::optional<CaptionSlot> slot(std::in_place);
      slot->id = id;
      slot->window = {(id - 1) * 1'000'000'000, id * 1'000'000'000};
      schedule.push_still(job, slot, now);
      return std::get<0>(schedule.next_still(now))->counts_as_changed;
    };
    EXPECT_FALSE(show(1));
    schedule.still_made(1, {});
    const auto question = std::get<0>(schedule.next_question(now));
    const auto request = std::get<0>(schedule.may_ask(question->id, now));
    std::vector<Said> said;
    if (answer) said.push_back({request->parts.front(), *answer, sentences_of(answer->text, false)});
    schedule.answered(*request, answer, said, now);
    while (std::holds_alternative<CaptionOutput>(schedule.next_output(pad, {}, now))) {
    }
    EXPECT_EQ(show(2), counts) << (answer ? answer->text : answer.error().text);
    schedule.picture_unchanged(2);
    EXPECT_FALSE(show(3)) << "once is enough";
    schedule.still_failed(3, {ErrorKind::failed, "no still"});
    EXPECT_TRUE(show(4)) << "no picture was asked about";
  }
}

// A text that came too late for its own window is paid, and its picture is still there.
TEST(LostCaption, ThatComesBehindItsWindowStandsInTheNextOne) {
  constexpr uint64_t kSecond = 1'000'000'000;
  LiveWindow live(LatePolicy::immediate, {4 * kSecond, 5 * kSecond}, "");
  EXPECT_TRUE(live.spoken_until(6 * kSecond).empty());
  ContentAnswer answer;
  answer.text = "Da.";
  live.schedule.answered(*live.request, answer, {{live.request->parts.front(), answer, {"Da."}}}, live.now);
  EXPECT_TRUE(live.spoken_until(6 * kSecond + 100'000'000).empty());
  StillJob job;
  std::optional<CaptionSlot> slot(std::in_place);
  slot->id = 2;
  slot->window = {7 * kSecond, 9 * kSecond};
  live.schedule.push_still(job, slot, live.now);
  live.schedule.picture_unchanged(2);
  const auto spoken = live.spoken_until(8 * kSecond);
  ASSERT_EQ(spoken.size(), 1u);
  EXPECT_EQ(spoken[0].text, "Da.");
  EXPECT_TRUE(spoken[0].repeated);
}

TEST(ScheduleExploration, OfTexts) {
  explore({.material = Material::texts, .windows = 2});
  explore({.material = Material::texts, .can_fail = false, .settings = {.cues_per_request = 2}});
  explore({.material = Material::texts, .windows = 2, .settings = {.cues_per_request = 2}});
}

CaptionSlot text_slot(SlotId id) {
  constexpr uint64_t kSecond = 1'000'000'000;
  CaptionSlot slot;
  slot.id = id;
  slot.window = {id * kSecond, (id + 1) * kSecond};
  slot.timestamp = slot.stream_time = slot.window.start;
  slot.one_piece = true;
  slot.request.text = "t" + std::to_string(id);
  return slot;
}

void begin_segment(CaptionSchedule &schedule, Instant now) {
  StreamSegment segment;
  segment.event.kind = StreamEvent::Kind::segment;
  schedule.push_segment(segment, now);
}

// A file has its texts at once. Whichever thread is faster, no time passes, so the same texts share requests.
TEST(TextBatches, AreTheSameInEveryRunOfAFile) {
  for (unsigned run = 0; run < 500; ++run) {
    std::minstd_rand random(run);
    CaptionSchedule schedule;
    const OutletId pad = schedule.add_outlet("");
    CaptionScheduleSettings settings;
    settings.max_in_flight = 4;
    settings.cues_per_request = 7;
    schedule.start(settings);
    const Instant now{};
    schedule.start_outlet(pad, now);
    begin_segment(schedule, now);
    SlotId next = 1;
    std::vector<CaptionRequest> open;
    std::vector<size_t> batches;
    for (int step = 0; step < 10000 && (next <= 61 || batches.size() < 9 || !open.empty()); ++step) {
      const auto what = random() % 3;
      if (what == 0 && next <= 60) {
        CaptionSlot slot = text_slot(next);
        next += std::holds_alternative<Flow>(schedule.push_text(slot, now));
      } else if (what == 0 && next == 61) {
        StreamEvent eos;
        eos.kind = StreamEvent::Kind::eos;
        schedule.push_event(eos, now);
        ++next;
      } else if (what == 1 && open.size() < settings.max_in_flight) {
        const auto question = schedule.next_question(now);
        if (std::holds_alternative<WaitUntil>(question)) continue;
        auto request = *std::get<0>(schedule.may_ask(std::get<0>(question)->id, now));
        batches.push_back(request.texts);
        open.push_back(std::move(request));
      } else if (what == 2 && !open.empty()) {
        const auto at = open.begin() + static_cast<long>(random() % open.size());
        ContentAnswer answer;
        answer.text = "Da.";
        std::vector<Said> said;
        for (const AskedPart &part : at->parts) said.push_back({part, answer, {"Da."}});
        schedule.answered(*at, answer, said, now);
        open.erase(at);
      }
      while (std::holds_alternative<CaptionOutput>(schedule.next_output(pad, {}, now))) {
      }
    }
    EXPECT_EQ(batches, (std::vector<size_t>{7, 7, 7, 7, 7, 7, 7, 7, 4})) << "run " << run;
  }
}

constexpr unsigned kContext = 2;

// The texts 1 to `last`, and their end, for requests of four texts with captions before them.
void push_texts_with_context(CaptionSchedule &schedule, SlotId last, Instant now) {
  const OutletId pad = schedule.add_outlet("");
  CaptionScheduleSettings settings;
  settings.context = kContext;
  settings.cues_per_request = 4;
  settings.cache = CaptionCache::read;
  schedule.start(settings);
  schedule.start_outlet(pad, now);
  begin_segment(schedule, now);
  for (SlotId id = 1; id <= last; ++id) {
    CaptionSlot slot = text_slot(id);
    schedule.push_text(slot, now);
  }
  StreamEvent eos;
  eos.kind = StreamEvent::Kind::eos;
  schedule.push_event(eos, now);
}

// An earlier run has asked about each text by itself, because the model kept to no numbers.
TEST(TextBatches, WithAContextFindWhatWasAskedAboutAlone) {
  CaptionSchedule schedule;
  const Instant now{};
  push_texts_with_context(schedule, 4, now);
  ContentRequest alone;
  for (SlotId id = 1; id <= 3; ++id) {
    const auto question = *std::get<0>(schedule.next_question(now));
    alone.text = text_slot(id).request.text;
    ASSERT_EQ(question.parts.front().key, question_key(alone, std::nullopt)) << id;
    EXPECT_EQ(question.parts.size(), 5 - id);
    ContentAnswer answer;
    answer.text = "a" + std::to_string(id);
    schedule.found(question.parts.front(), answer);
    ASSERT_FALSE(std::get<0>(schedule.may_ask(question.id, now)));
    alone.earlier.push_back(answer.text);
    if (alone.earlier.size() > kContext) alone.earlier.erase(alone.earlier.begin());
  }
  const auto question = *std::get<0>(schedule.next_question(now));
  const auto request = std::get<0>(schedule.may_ask(question.id, now));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->texts, 1u);
  EXPECT_EQ(request->content.earlier, alone.earlier);
}

// One that the store lacks keeps to its own request, so what comes behind it is asked as in the run before.
TEST(TextBatches, WithAContextKeepTheirPlacesThoughOneIsLacking) {
  CaptionSchedule schedule;
  const Instant now{};
  push_texts_with_context(schedule, 12, now);
  const auto find = [&](const Question &question, size_t part) {
    ContentAnswer answer;
    answer.text = "a";
    schedule.found(question.parts.at(part), answer);
  };
  for (const size_t lacking : {1u, 3u}) {  // Within its batch; then the last one of the next.
    const auto question = *std::get<0>(schedule.next_question(now));
    ASSERT_EQ(question.parts.size(), 4u) << lacking;
    for (size_t part = 0; part < 4; ++part)
      if (part != lacking) find(question, part);
    auto next = schedule.may_ask(question.id, now);
    if (lacking == 3) {
      ASSERT_FALSE(std::get<0>(next));
      const auto again = *std::get<0>(schedule.next_question(now));
      EXPECT_EQ(again.parts.size(), 1u);
      next = schedule.may_ask(again.id, now);
    }
    const auto request = std::get<0>(next);
    ASSERT_TRUE(request) << lacking;
    EXPECT_EQ(request->texts, 1u) << lacking;
    ContentAnswer answer;
    answer.text = "b";
    schedule.answered(*request, answer, {{request->parts.front(), answer, {"b"}}}, now);
  }
}

// However many texts a request could hold, the rest of the latency is for the answer.
TEST(TextBatches, OfALiveStreamWaitForMoreForAQuarterOfTheLatency) {
  CaptionSchedule schedule;
  const OutletId pad = schedule.add_outlet("");
  CaptionScheduleSettings settings;
  settings.cues_per_request = 50;
  settings.latency = std::chrono::milliseconds(1000);
  schedule.start(settings);
  schedule.set_live(true);
  const Instant begin{};
  schedule.start_outlet(pad, begin);
  begin_segment(schedule, begin);
  for (SlotId id = 1; id <= 3; ++id) {
    CaptionSlot slot = text_slot(id);
    ASSERT_TRUE(std::holds_alternative<Flow>(schedule.push_text(slot, begin)));
  }
  EXPECT_EQ(std::get<WaitUntil>(schedule.next_question(begin)).time, begin + std::chrono::milliseconds(250));
  const auto question = schedule.next_question(begin + std::chrono::milliseconds(250));
  ASSERT_FALSE(std::holds_alternative<WaitUntil>(question));
  EXPECT_EQ(std::get<0>(question)->parts.size(), 3u);
}

}  // namespace
}  // namespace genclip::test
