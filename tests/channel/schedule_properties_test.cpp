// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Plays random days by the schedule, on a clock of frames: items that become ready late, fail, or wait for
// money; skips, holds, start times, and edits of the rundown. An observer, which knows nothing of how the
// schedule decides, checks each cut against what a channel promises.
#include <glib.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "plugin/channel/hole.h"
#include "plugin/channel/schedule.h"
#include "tests/channel/player.h"
#include "tests/support/sanitized.h"

namespace genclip::test {
namespace {

using std::chrono::seconds;
using Random = std::mt19937_64;

uint64_t below(Random &random, uint64_t limit) { return random() % limit; }
bool one_in(Random &random, uint64_t count) { return below(random, count) == 0; }

// Frames, at the rate of the day.
struct Rate {
  uint64_t n = 25, d = 1;
  uint64_t in(uint64_t seconds) const { return seconds * n / d; }
};

// Each item has a fate in each turn, which is drawn when somebody first asks for it.
class RandomShelf final : public Shelf {
 public:
  RandomShelf(Random &random, Rate rate) : random_(random), rate_(rate) {
    for (size_t i = 0; i < media_.size(); ++i)
      media_[i] = media_of("m" + std::to_string(i), std::chrono::milliseconds(1000 + below(random, 8000)));
  }

  ItemStatus status(const std::string &id, uint64_t turn) const override {
    const uint64_t key = std::hash<std::string>()(id) ^ (turn * 0x9E3779B97F4A7C15u);
    const auto [found, is_new] = fates_.try_emplace(key);
    Fate &fate = found->second;
    if (is_new) fate = draw();
    if (now >= fate.until)
      return {fate.then, "", fate.then == ItemState::ready ? media_[fate.media] : nullptr};
    return {no_money && may_become_ready(fate.before) ? ItemState::budget : fate.before, "", nullptr};
  }
  // What has failed is tried again.
  void reload() {
    std::erase_if(fates_, [](const auto &entry) { return entry.second.then != ItemState::ready; });
  }

  uint64_t now = 0;
  bool no_money = false;

 private:
  struct Fate {
    ItemState before = ItemState::planned;
    uint64_t until = 0;
    ItemState then = ItemState::ready;
    size_t media = 0;
  };

  Fate draw() const {
    constexpr ItemState kBefore[] = {ItemState::planned, ItemState::generating, ItemState::vetting,
                                     ItemState::paid_unfetched};
    constexpr ItemState kBad[] = {ItemState::failed, ItemState::unknown, ItemState::refused,
                                  ItemState::skipped};
    Fate fate;
    fate.media = below(random_, media_.size());
    fate.before = kBefore[below(random_, std::size(kBefore))];
    const uint64_t chance = below(random_, 200);
    if (chance < 20 || no_money) fate.until = now + below(random_, rate_.in(150));
    if (chance < 1) fate.until = now + rate_.in(3600);
    if (chance % 20 == 7) fate.then = kBad[below(random_, std::size(kBad))];
    return fate;
  }

  Random &random_;
  const Rate rate_;
  mutable std::unordered_map<uint64_t, Fate> fates_;
  std::array<std::shared_ptr<const ReadyMedia>, 64> media_;
};

// Checks that what was told and shown is in order and complete. Items have numbers: turn times size plus
// position. Those with a start time are not in the order of a rundown that loops.
class OrderObserver {
 public:
  void load(const Rundown &rundown, const Place &place, bool loop) {
    rundown_ = &rundown;
    in_order_ = place.in_order;
    loop_ = loop;
    reached_ = place.ended ? rundown.items.size()
                           : place.turn * rundown.items.size() + rundown.find(place.next).value_or(0);
    last_shown_ = reached_;
    told_.clear();
    timed_.clear();
    dates_.clear();
    if (!loop)
      for (const TimedStart &start : place.timed) dates_.emplace(start.id, start.occurrence);
  }
  bool is_timed(const RundownItem &item) const { return item.at && !in_order_.contains(item.id); }

  // In a rundown that ends, an item with a start time to come counts its start times.
  uint64_t turn_of(const std::string &id, uint64_t turn) const {
    const auto date = dates_.find(id);
    return date == dates_.end() ? turn : date->second;
  }

  std::string see(const Cut &cut) {
    for (const PassedItem &passed : cut.passed)
      if (auto wrong = see_one(passed.id, passed.turn, false); !wrong.empty()) return wrong;
    if (cut.piece && cut.piece->kind == PieceKind::clip) return see_one(cut.piece->id, cut.piece->turn, true);
    return "";
  }
  // The item that must come next. None: nothing of the whole rundown could be shown, or it is at its end.
  const RundownItem *expected(uint64_t *turn) {
    const size_t size = rundown_->items.size();
    skip_timed();
    if (reached_ >= (loop_ ? last_shown_ : 0) + size) return nullptr;
    const RundownItem &item = rundown_->items[reached_ % size];
    *turn = turn_of(item.id, reached_ / size);
    return &item;
  }

 private:
  void skip_timed() {
    const size_t size = rundown_->items.size();
    for (size_t i = 0; loop_ && i < size && is_timed(rundown_->items[reached_ % size]); ++i) ++reached_;
  }

  std::string see_one(const std::string &id, uint64_t turn, bool is_shown) {
    const std::string name = id + " of turn " + std::to_string(turn);
    const auto position = rundown_->find(id);
    if (!position) return name + " is not in the rundown";
    if (loop_ && is_timed(rundown_->items[*position]))
      return timed_.insert(name).second ? "" : name + " had its start time before";
    if (turn != turn_of(id, turn)) return name + " has another date's turn";
    const uint64_t number = (dates_.contains(id) ? 0 : turn * rundown_->items.size()) + *position;
    skip_timed();
    if (number == reached_) {
      ++reached_;
      if (!is_shown) told_.insert(number);
    } else if (!is_shown || number < last_shown_ || !told_.contains(number)) {
      return name + " is number " + std::to_string(number) + ", but number " + std::to_string(reached_) +
             " is to come";
    }
    if (is_shown) last_shown_ = number + 1;
    return "";
  }

  const Rundown *rundown_ = nullptr;
  std::set<std::string, std::less<>> in_order_;
  bool loop_ = true;
  uint64_t reached_ = 0;     // All before it was shown or told.
  uint64_t last_shown_ = 0;  // Behind it.
  std::unordered_set<uint64_t> told_;
  std::unordered_set<std::string> timed_;
  std::unordered_map<std::string, uint64_t> dates_;
};

class RandomDay {
 public:
  RandomDay(uint64_t seed, size_t items) : random_(seed) {
    constexpr Rate kRates[] = {{25, 1}, {30000, 1001}, {50, 1}};
    rate_ = kRates[below(random_, std::size(kRates))];
    settings_.fps_n = rate_.n;
    settings_.fps_d = rate_.d;
    settings_.patience = rate_.in(below(random_, 4) * 20);
    settings_.slate_step = rate_.in(5);
    settings_.loop = !one_in(random_, 4);
    settings_.fallback = one_in(random_, 5) ? Fallback::slate : Fallback::earlier;
    settle_ = one_in(random_, 2) ? rate_.in(1) : 0;
    // 2026: an ordinary day, and the two on which the clocks of Berlin are changed.
    constexpr int64_t kDays[] = {1795345200, 1774735200, 1792875600};
    clock_.wall = Clock::WallTime(seconds(kDays[below(random_, std::size(kDays))]));
    shelf_ = std::make_unique<RandomShelf>(random_, rate_);
    for (size_t i = below(random_, 3); i > 0; --i) rundown_.fallback.push_back("file:///x");
    for (size_t i = 0; i < items; ++i) rundown_.items.push_back(new_item());
    rundown_.reindex();
    place_ = moved({}, rundown_, {}, settings_, clock_.wall);
    order_.load(rundown_, place_, settings_.loop);
    mean_event_ = rate_.in(items > 1000 ? 3600 : 300);
  }

  // What was wrong; empty: nothing.
  std::string play(uint64_t hours) {
    const uint64_t total = rate_.in(hours * 3600);
    plan_event();
    while (now_ < total && !ended_) {
      while (now_ >= next_event_) {
        if (auto wrong = change_something(); !wrong.empty()) return wrong;
      }
      shelf_->now = now_;
      const Cut cut = next_cut(rundown_, place_, *shelf_, settings_, on_air_, now_, clock_, skip_);
      if (cut.frame > now_ + settle_) {
        now_ = std::min({cut.frame - settle_, next_event_, next_look()});
        continue;
      }
      if (auto wrong = judge(cut); !wrong.empty())
        return wrong + ", at frame " + std::to_string(cut.frame) + " behind " + on_air_.id;
      take(cut);
    }
    return "";
  }

  uint64_t clips() const { return clips_; }
  uint64_t holes() const { return holes_; }

 private:
  RundownItem new_item() {
    RundownItem item;
    item.id = "i" + std::to_string(++last_id_);
    item.late = one_in(random_, 2) ? Late::cut : Late::after;
    if (one_in(random_, 150)) {
      const auto offset = seconds(below(random_, 7200));
      item.at.emplace();
      if (one_in(random_, 2))
        item.at->moment = wall_now() + offset;
      else
        item.at->of_day = seconds(below(random_, 86400));
    }
    if (one_in(random_, 500)) item.problem = "It is refused.";
    return item;
  }
  Clock::WallTime wall_now() const {
    return clock_.wall +
           std::chrono::duration_cast<Clock::WallTime::duration>(time_of_frame(settings_, now_));
  }

  // A start time may be met by an item that becomes ready a little later.
  uint64_t next_look() const {
    uint64_t look = UINT64_MAX;
    for (const TimedStart &start : place_.timed) {
      const uint64_t frame = frame_at(settings_, clock_, start.next);
      if (frame > now_ + settle_) return std::min(look, frame - settle_);
      look = now_ + rate_.in(1);
    }
    return look;
  }

  void plan_event() { next_event_ = now_ + 1 + below(random_, 2 * mean_event_); }

  std::string change_something() {
    plan_event();
    switch (below(random_, 8)) {
      case 0: skip_ = true; break;
      case 1:
      case 2:
        place_.hold = !place_.hold;
        if (place_.hold) next_event_ = now_ + 1 + below(random_, rate_.in(60));
        break;
      case 3: shelf_->no_money = !shelf_->no_money; break;
      case 4: shelf_->reload(); break;
      case 5: return insert_something();
      default: return edit_rundown();
    }
    return "";
  }

  std::string edit_rundown() {
    Rundown edited = rundown_;
    auto &items = edited.items;
    for (size_t i = 1 + below(random_, 3); i > 0; --i) {
      const size_t at = below(random_, items.size() + 1);
      if (one_in(random_, 2) || items.empty())
        items.insert(items.begin() + static_cast<ptrdiff_t>(at), new_item());
      else if (one_in(random_, 2))
        items.erase(items.begin() + static_cast<ptrdiff_t>(at % items.size()));
      else
        std::swap(items[at % items.size()], items[below(random_, items.size())]);
    }
    edited.reindex();
    const Place old = std::exchange(place_, moved(rundown_, edited, place_, settings_, wall_now()));
    const auto kept = old.ended ? std::nullopt : edited.find(old.next);
    const bool is_new_before = kept && *kept > 0 && !rundown_.find(edited.items[*kept - 1].id);
    if (kept && *kept > 0 && !is_new_before && place_.next != old.next)
      return "the place moved from " + old.next + " to " + place_.next;
    if (!place_.waiting_since) missing_.clear();
    rundown_ = std::move(edited);
    order_.load(rundown_, place_, settings_.loop);
    return "";
  }

  // What somebody inserts comes next, also if the rundown has it already.
  std::string insert_something() {
    Rundown edited = rundown_;
    const bool is_known = !edited.items.empty() && one_in(random_, 2);
    const RundownItem item = is_known ? edited.items[below(random_, edited.items.size())] : new_item();
    const bool is_last = place_.ended && !edited.items.empty();
    insert_item(edited, item, is_last ? edited.items.back().id : "", place_.next);
    place_ = moved(rundown_, edited, place_, settings_, wall_now(), item.id);
    if (!rundown_.items.empty() && place_.next != item.id)
      return item.id + " was inserted, but " + place_.next + " comes next";
    if (!place_.waiting_since) missing_.clear();
    rundown_ = std::move(edited);
    order_.load(rundown_, place_, settings_.loop);
    return "";
  }

  std::string judge(const Cut &cut) {
    if (auto wrong = judge_frame(cut); !wrong.empty()) return wrong;
    if (auto wrong = judge_starts(cut); !wrong.empty()) return wrong;
    if (auto wrong = judge_patience(cut); !wrong.empty()) return wrong;
    if (auto wrong = order_.see(cut); !wrong.empty()) return wrong;
    if (auto wrong = judge_end(cut); !wrong.empty()) return wrong;
    return judge_hole(cut);
  }

  std::string judge_end(const Cut &cut) const {
    if (cut.piece) return "";
    if (place_.waiting_since && cut.frame >= *place_.waiting_since + rate_.in(3600)) return "";
    const auto is_lost = [](const PassedItem &passed) { return is_being_made(passed.status.state); };
    const auto lost = std::ranges::find_if(cut.passed, is_lost);
    return lost == cut.passed.end() ? "" : "the end comes before " + lost->id + ", which may be paid";
  }

  std::string judge_frame(const Cut &cut) const {
    if (cut.piece && cut.piece->start != cut.frame) return "the piece begins elsewhere";
    if (cut.piece && cut.piece->frames == 0) return "the piece is empty";
    if (cut.piece && (cut.piece->kind != PieceKind::slate) != (cut.piece->media != nullptr))
      return "a piece without media";
    if (cut.frame == on_air_.end() || on_air_.frames == 0) return "";
    if (cut.frame > on_air_.end()) return "a gap";
    if (cut.frame < now_ || cut.frame <= on_air_.start) return "a cut in the past";
    if (skip_ || (place_.hold && on_air_.kind == PieceKind::clip)) return "";
    if (!cut.piece || !cut.piece->planned_at) return "an early cut without a reason";
    return "";
  }

  // A start time is met when its item is ready, and waited for with a fallback as long as its patience.
  std::string judge_starts(const Cut &cut) const {
    if (place_.hold || place_.ended) return "";
    for (const TimedStart &start : place_.timed) {
      const uint64_t frame = frame_at(settings_, clock_, start.next);
      if (frame > cut.frame) break;
      const RundownItem &item = rundown_.items[*rundown_.find(start.id)];
      const ItemState state = shelf_->status(start.id, start.occurrence).state;
      if (!item.problem.empty()) continue;
      const bool is_waited_for =
          settings_.loop && may_become_ready(state) && cut.frame < frame + settings_.patience;
      if (is_waited_for && cut.piece && cut.piece->kind == PieceKind::clip && !cut.piece->planned_at)
        return start.id + " is due, but not waited for";
      if (state != ItemState::ready) continue;
      if (!cut.piece || !cut.piece->planned_at) return start.id + " is due, but not shown";
      const bool may_cut =
          on_air_.kind != PieceKind::clip || (item.late == Late::cut && on_air_.start < frame);
      if (may_cut && frame >= now_ && frame < cut.frame) return start.id + " is late";
    }
    return "";
  }

  // An item that may become ready loses its turn only when its patience is over, or that of an item before
  // it.
  std::string judge_patience(const Cut &cut) const {
    const bool is_over = !missing_.empty() && cut.frame >= missing_since_ + settings_.patience;
    for (const PassedItem &passed : cut.passed) {
      const auto position = rundown_.find(passed.id);
      if (!position || !may_become_ready(passed.status.state)) continue;
      const auto start = std::ranges::find(place_.timed, passed.id, &TimedStart::id);
      const bool is_due = start != place_.timed.end() &&
                          cut.frame >= frame_at(settings_, clock_, start->next) + settings_.patience;
      if (settings_.loop && order_.is_timed(rundown_.items[*position])) {
        if (!is_due) return passed.id + " lost its start time early";
      } else if (settings_.patience > 0 && !is_over) {
        return is_due ? "" : passed.id + " lost its turn early";
      }
    }
    return "";
  }

  std::string judge_hole(const Cut &cut) {
    if (!cut.piece || cut.piece->kind == PieceKind::clip) return "";
    if (cut.piece->reason.empty()) return "a hole without a reason";
    const auto is_in_order = [&](const RundownItem &item) { return !order_.is_timed(item); };
    if (cut.piece->stands_for.empty() && !place_.hold && std::ranges::any_of(rundown_.items, is_in_order))
      return "a hole for nothing";
    if (auto wrong = judge_filling(*cut.piece); !wrong.empty()) return wrong;
    if (place_.hold) return "";
    // A hole for an item with a start time does not end the wait for the one in order.
    if (const auto item = rundown_.find(cut.piece->stands_for);
        item && settings_.loop && !cut.position && order_.is_timed(rundown_.items[*item]))
      return "";
    uint64_t turn = 0;
    const RundownItem *next = order_.expected(&turn);
    const bool waits_for_time = next && !settings_.loop && order_.is_timed(*next);
    if (next && !waits_for_time && next->problem.empty() && cut.piece->stands_for == next->id &&
        shelf_->status(next->id, turn).state == ItemState::ready)
      return next->id + " is ready, but a hole is shown";
    const bool may_come =
        cut.position &&
        may_become_ready(
            shelf_->status(cut.piece->stands_for, order_.turn_of(cut.piece->stands_for, cut.position->turn))
                .state);
    if (!may_come) {
      missing_.clear();
    } else if (missing_ != cut.piece->stands_for) {
      missing_ = cut.piece->stands_for;
      missing_since_ = cut.frame;
    } else if (cut.frame >= missing_since_ + settings_.patience && settings_.loop &&
               (rundown_.items.size() < 100 || one_in(random_, 50))) {
      return judge_whole_round(*cut.piece);
    }
    return "";
  }

  // The patience is over, and yet there is a hole: no item at all is ready.
  std::string judge_whole_round(const Piece &hole) const {
    const size_t size = rundown_.items.size();
    const auto first = rundown_.find(hole.stands_for);
    if (!first || order_.is_timed(rundown_.items[*first])) return "";
    const uint64_t turn = place_.turn;
    for (size_t step = 0; step < std::min<size_t>(size, 1000) && place_.next == hole.stands_for; ++step) {
      const RundownItem &item = rundown_.items[(*first + step) % size];
      if (order_.is_timed(item) || !item.problem.empty()) continue;
      if (shelf_->status(item.id, turn + (*first + step >= size && place_.has_shown ? 1 : 0)).state ==
          ItemState::ready)
        return item.id + " is ready, but the place waits";
    }
    return "";
  }

  std::string judge_filling(const Piece &piece) const {
    if (settings_.fallback == Fallback::slate)
      return piece.kind == PieceKind::slate ? "" : "a fallback where the slate is wanted";
    std::set<std::string> sources;
    for (size_t i = 0; i < rundown_.fallback.size(); ++i)
      if (const ItemStatus status = shelf_->status(fallback_id(i), 0); status.media)
        sources.insert(status.media->source);
    for (const Aired &aired : place_.earlier) sources.insert(aired.media->source);
    if (!sources.empty() && piece.kind == PieceKind::slate) return "the slate, though there is a fallback";
    if (sources.size() > 1 && on_air_.media && piece.media->source == on_air_.media->source)
      return "the same fallback twice";
    return "";
  }

  void take(const Cut &cut) {
    skip_ = false;
    place_ = after(rundown_, std::move(place_), settings_, cut);
    ended_ = !cut.piece;
    now_ = cut.frame;
    if (!cut.piece) return;
    on_air_ = *cut.piece;
    ++(on_air_.kind == PieceKind::clip ? clips_ : holes_);
    // A clip in order ends the wait; one with a start time does not.
    if (on_air_.kind == PieceKind::clip && place_.waiting_since != missing_since_) missing_.clear();
  }

  Random random_;
  Rate rate_;
  ScheduleSettings settings_;
  uint64_t settle_ = 0;
  FrameTime clock_;
  std::unique_ptr<RandomShelf> shelf_;
  Rundown rundown_;
  Place place_;
  Piece on_air_;
  OrderObserver order_;
  uint64_t now_ = 0;
  uint64_t next_event_ = 0;
  uint64_t mean_event_ = 0;
  uint64_t last_id_ = 0;
  bool skip_ = false;
  bool ended_ = false;
  std::string missing_;  // The item that holes stand for, and since when.
  uint64_t missing_since_ = 0;
  uint64_t clips_ = 0;
  uint64_t holes_ = 0;
};

uint64_t number_of(const char *variable, uint64_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(ScheduleProperties, HoldOnRandomDays) {
  g_setenv("TZ", "Europe/Berlin", TRUE);
  constexpr size_t kSmall[] = {1, 2, 3, 7, 40};
  constexpr size_t kDay = 17280;  // Of 5 s each.
  const uint64_t hours = number_of("GENCLIP_TEST_HOURS", 1);
  const uint64_t first = number_of("GENCLIP_TEST_SEED", 1);
  const uint64_t seeds = number_of("GENCLIP_TEST_SEEDS", kIsSanitized ? 10 : 100);
  uint64_t clips = 0;
  uint64_t holes = 0;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    for (const size_t items : {kDay, kSmall[seed % std::size(kSmall)]}) {
      RandomDay day(seed, items);
      ASSERT_EQ(day.play(hours), "") << "GENCLIP_TEST_SEED=" << seed << " with " << items << " items";
      clips += day.clips();
      holes += day.holes();
    }
  }
  EXPECT_GT(clips, 300 * hours * seeds) << "the days were empty";
  EXPECT_GT(holes, 10 * hours * seeds);
}

}  // namespace
}  // namespace genclip::test
