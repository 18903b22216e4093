// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/automation.h"

#include <algorithm>
#include <set>
#include <utility>

namespace genclip {
namespace {

// A file of a server that does not answer any more is opened for ever.
constexpr auto kLongestOpening = std::chrono::seconds(10);
constexpr char kHangs[] = "It could not be opened within 10 s.";
// Start times within a shorter one have been on the air just before.
constexpr auto kShortestSetBack = std::chrono::minutes(1);
constexpr char kTooBusy[] = "The channel was stopped, or the machine was too busy.";
// What follows a clip is opened when that is on the air, and opening takes longer.
constexpr auto kTooShort = std::chrono::milliseconds(250);
constexpr char kWasTooShort[] = "The clip before it was too short for the next one to be opened meanwhile.";
constexpr char kWasSkipped[] = "It was skipped.";

bool is_same_piece(const Cut &a, const Cut &b) {
  if (!a.piece || !b.piece) return !a.piece && !b.piece;
  return a.piece->kind == b.piece->kind && a.piece->id == b.piece->id && a.piece->turn == b.piece->turn &&
         a.piece->media == b.piece->media;
}

}  // namespace

// A cue that failed counts as an item that failed, for a while, or until another clip is there for that turn.
// It is tried again because a busy machine or a network may have been the reason: else a channel that runs
// for weeks would lose one good clip after the other.
class Automation::CuedShelf final : public Shelf {
 public:
  // `pause`: in frames, after the first failure of a clip. It doubles with each.
  CuedShelf(const Shelf &shelf, uint64_t pause) : shelf_(shelf), pause_(pause) {}

  ItemStatus status(const std::string &id, uint64_t turn) const override {
    ItemStatus status = shelf_.status(id, turn);
    if (!status.media) return status;
    const auto failed = std::find_if(failed_.begin(), failed_.end(),
                                     [&](const Failed &entry) { return entry.is_of(status.media); });
    if (failed == failed_.end() || frame_ >= failed->until) return status;
    return {ItemState::failed, failed->reason, nullptr};
  }

  void set_frame(uint64_t frame) { frame_ = frame; }

  void mark_failed(const std::shared_ptr<const ReadyMedia> &media, const std::string &reason) {
    std::erase_if(failed_, [](const Failed &entry) { return entry.media.expired(); });
    const auto known =
        std::find_if(failed_.begin(), failed_.end(), [&](const Failed &entry) { return entry.is_of(media); });
    Failed failed{media, reason, 1, 0};
    if (known != failed_.end()) {
      failed.times = std::min(known->times + 1, kMostDoublings);
      failed_.erase(known);
    }
    failed.until = frame_ + (pause_ << (failed.times - 1));
    failed_.push_back(std::move(failed));
  }

 private:
  struct Failed {
    std::weak_ptr<const ReadyMedia> media;  // Else each would hold its clip in the store.
    std::string reason;
    unsigned times = 0;
    uint64_t until = 0;  // Frame.

    bool is_of(const std::shared_ptr<const ReadyMedia> &other) const { return media.lock() == other; }
  };
  // A minute becomes an hour.
  static constexpr unsigned kMostDoublings = 7;

  const Shelf &shelf_;
  const uint64_t pause_;
  uint64_t frame_ = 0;
  std::vector<Failed> failed_;
};

Automation::Automation(AutomationSettings settings, Stage &stage, const Shelf &shelf,
                       AutomationListener &listener, std::shared_ptr<const Rundown> rundown, Place place)
    : settings_(std::move(settings)),
      stage_(stage),
      shelf_(std::make_unique<CuedShelf>(shelf, frames_in(settings_.schedule, std::chrono::minutes(1)))),
      listener_(listener),
      rundown_(std::move(rundown)),
      place_(std::move(place)) {
  Piece slate = slate_at(0, "The channel starts.");
  // Its item is missing from now on, not only from the end of this slate on.
  Cut first = next_cut(*rundown_, place_, *shelf_, settings_.schedule, Piece{}, 0, stage_.clock());
  if (first.piece && first.piece->kind != PieceKind::clip) {
    slate.stands_for = first.piece->stands_for;
    first.piece = slate;
    place_ = after(*rundown_, std::move(place_), settings_.schedule, first);
    for (const PassedItem &passed : first.passed) listener_.on_item(passed.id, passed.turn, passed.status);
  }
  start(std::move(slate), 0, true);
}

Automation::~Automation() { drop_candidate(); }

void Automation::step() {
  if (ended_) return;
  shelf_->set_frame(stage_.frame());
  look_at_clock();
  begin_settled();
  if (ended_) return;
  look_at_on_air();
  if (end_ && settled_ && settled_->cut.piece) end_before_settled();
  if (!settled_) look_at_next();
}

void Automation::stop() {
  begin_settled();
  if (ended_) return;
  look_at_on_air();
  const uint64_t frame = stage_.frame();
  if (on_air_cue_ != 0 && on_air_.end() < frame) bridge_from(on_air_.end(), kTooBusy);
  ended_ = true;
  drop_candidate();
  finish_on_air(frame);
}

void Automation::set_rundown(std::shared_ptr<const Rundown> rundown, const std::string &inserted) {
  place_ = moved(*rundown_, *rundown, std::move(place_), settings_.schedule, stage_.clock().wall, inserted);
  rundown_ = std::move(rundown);
}

std::vector<Piece> Automation::kept() const {
  std::vector<Piece> pieces = {on_air_};
  for (const auto *next : {&settled_, &candidate_})
    if (*next && (*next)->cut.piece) pieces.push_back(*(*next)->cut.piece);
  return pieces;
}

// Between two steps, the time of day goes on as the frames do, unless somebody sets the clock.
void Automation::look_at_clock() {
  const FrameTime clock = stage_.clock();
  const auto begin = wall_at(settings_.schedule, clock, 0);
  if (begin_ && begin + kShortestSetBack < *begin_)
    place_ = set_back(*rundown_, std::move(place_), settings_.schedule, clock.wall);
  begin_ = begin;
}

void Automation::begin_settled() {
  if (!settled_ || stage_.frame() < settled_->cut.frame) return;
  // What is over may have failed since the last step.
  if (on_air_cue_ != 0 && !stage_.failure(on_air_cue_).empty()) fail_on_air();
  Candidate begun = *std::exchange(settled_, std::nullopt);
  if (begun.is_skip && on_air_.kind == PieceKind::clip) on_air_.reason = kWasSkipped;
  finish_on_air(begun.cut.frame);
  if (!begun.cut.piece) {
    ended_ = true;
    listener_.on_end();
    return;
  }
  start(*std::move(begun.cut.piece), begun.cue, begun.is_bridge);
}

// A clip that fails on the air gives way to the slate at once, and then to what is next.
void Automation::look_at_on_air() {
  if (on_air_cue_ == 0) return;
  // Where all of it is over, nothing about its pictures changes any more.
  const bool is_over = stage_.frame() >= on_air_.end() && !stage_.failure(on_air_cue_).empty();
  if (is_over || stage_.state(on_air_cue_) == CueState::failed) fail_on_air();
}

void Automation::fail_on_air() {
  const std::string failure = stage_.failure(on_air_cue_);
  const uint64_t frame = std::clamp(stage_.failure_frame(on_air_cue_), on_air_.start, on_air_.end());
  give_up(on_air_, failure);
  Piece slate = slate_at(frame, failure);
  slate.stands_for = on_air_.id;
  finish_on_air(frame);
  start(std::move(slate), 0, true);
}

// The end was asked for while another clip was on the air than the one that is settled.
void Automation::end_before_settled() {
  const uint64_t earliest = stage_.earliest_frame(), begin = settled_->cut.frame;
  const uint64_t end = is_waited_for() ? begin : earliest;
  if (earliest <= begin) stage_.end(end);
  // What is settled begins before anything can end. It is not waited for.
  if (earliest > begin || stage_.frame() >= begin) {
    end_ = End::at_once;
    return;
  }
  settled_->cut = Cut();
  settled_->cut.frame = end;
  listener_.on_next(std::nullopt);
}

void Automation::look_at_next() {
  const uint64_t earliest = stage_.earliest_frame();
  // The stage shows the slate behind a clip that nothing follows.
  if (on_air_cue_ != 0 && on_air_.end() < earliest) {
    if (stage_.frame() < on_air_.end()) return;  // It may still fail.
    const bool was_short = on_air_.frames <= frames_in(settings_.schedule, kTooShort);
    bridge_from(on_air_.end(), was_short ? kWasTooShort : kTooBusy);
  }
  const Cut cut = wanted_cut(earliest);
  if (!candidate_ || !is_same_piece(candidate_->cut, cut)) {
    drop_candidate();
    const auto &piece = cut.piece;
    candidate_ = {cut, piece && piece->media ? stage_.cue(*piece->media, piece->frames) : 0, earliest};
    listener_.on_next(piece);
  }
  candidate_->cut = cut;

  const CueState state = candidate_->cue == 0 ? CueState::ready : stage_.state(candidate_->cue);
  candidate_->opening +=
      std::min(earliest - candidate_->looked_at, frames_in(settings_.schedule, std::chrono::seconds(2)));
  candidate_->looked_at = earliest;
  const bool hangs = state == CueState::preparing && cut.frame <= earliest &&
                     candidate_->opening >= frames_in(settings_.schedule, kLongestOpening);
  if (state == CueState::failed || hangs) {
    // The next step looks for something else.
    give_up(*cut.piece, hangs ? kHangs : stage_.failure(candidate_->cue));
    drop_candidate();
  } else if (state == CueState::ready && cut.frame <= earliest + settings_.settle) {
    settle();
  } else if (state == CueState::preparing && on_air_.end() <= earliest && !is_bridge_) {
    // The cue is late, and what is on the air ends: the slate until the cue is ready.
    settle_bridge(earliest);
  }
}

// By an end that was asked for.
bool Automation::is_waited_for() const {
  return *end_ == End::behind_clip && on_air_.kind == PieceKind::clip;
}

// What comes next, and when, as things are now.
Cut Automation::wanted_cut(uint64_t earliest) {
  // Nobody wants to see it again as what fills the hole behind it.
  if (skip_ && on_air_.kind == PieceKind::clip)
    std::erase_if(place_.earlier,
                  [&](const Aired &aired) { return have_same_source(*aired.media, *on_air_.media); });
  if (end_) {
    Cut end;
    end.frame = is_waited_for() ? std::max(on_air_.end(), earliest) : earliest;
    return end;
  }
  const auto ask = [&](bool skip) {
    return next_cut(*rundown_, place_, *shelf_, settings_.schedule, on_air_, earliest, stage_.clock(), skip);
  };
  if (!is_bridge_) return ask(skip_);
  Cut cut = ask(true);
  // The slate that is on the air needs no other slate at once.
  return cut.piece && cut.piece->kind == PieceKind::slate ? ask(skip_) : cut;
}

void Automation::settle() {
  const Cut &cut = candidate_->cut;
  // Too late: the next step looks again.
  if (cut.piece && !stage_.take(candidate_->cue, cut.frame, cut.piece->frames)) return;
  place_ = after(*rundown_, std::move(place_), settings_.schedule, cut);
  for (const PassedItem &passed : cut.passed) listener_.on_item(passed.id, passed.turn, passed.status);
  if (!cut.piece)
    stage_.end(cut.frame);
  else if (cut.piece->kind == PieceKind::clip)
    listener_.on_item(cut.piece->id, cut.piece->turn, {ItemState::cued, "", cut.piece->media});
  candidate_->is_skip = skip_ && on_air_.kind == PieceKind::clip && cut.frame < on_air_.end();
  skip_ = false;
  settled_ = std::exchange(candidate_, std::nullopt);
}

// The place stays as it is: what is being cued comes as soon as it is ready.
void Automation::settle_bridge(uint64_t frame) {
  if (!stage_.take(0, frame, settings_.schedule.slate_step)) return;
  Cut cut;
  cut.frame = frame;
  cut.piece = bridge_at(frame, "The next clip is not open yet.");
  settled_ = Candidate{cut, 0, frame, 0, true};
}

// The slate has been shown from that frame on, and is until something is cued.
void Automation::bridge_from(uint64_t frame, std::string reason) {
  finish_on_air(frame);
  start(bridge_at(frame, std::move(reason)), 0, true);
}

Piece Automation::bridge_at(uint64_t frame, std::string reason) const {
  Piece slate = slate_at(frame, std::move(reason));
  if (!candidate_ || !candidate_->cut.piece) return slate;
  const Piece &next = *candidate_->cut.piece;
  slate.stands_for = next.kind == PieceKind::clip ? next.id : next.stands_for;
  return slate;
}

void Automation::give_up(const Piece &piece, const std::string &reason) {
  shelf_->mark_failed(piece.media, reason);
  std::erase_if(place_.earlier, [&](const Aired &aired) { return aired.media == piece.media; });
  if (piece.kind == PieceKind::clip)
    listener_.on_item(piece.id, piece.turn, {ItemState::failed, reason, nullptr});
}

void Automation::drop_candidate() {
  if (candidate_ && candidate_->cue != 0) stage_.drop(candidate_->cue);
  candidate_.reset();
}

Piece Automation::slate_at(uint64_t frame, std::string reason) const {
  Piece slate;
  slate.start = frame;
  slate.frames = settings_.schedule.slate_step;
  slate.reason = std::move(reason);
  return slate;
}

void Automation::start(Piece piece, CueId cue, bool is_bridge) {
  on_air_ = std::move(piece);
  on_air_cue_ = cue;
  is_bridge_ = is_bridge;
  on_air_since_ = wall_of(on_air_.start);
  switch (on_air_.kind) {
    case PieceKind::clip:
      ++counts_.aired;
      listener_.on_item(on_air_.id, on_air_.turn, {ItemState::on_air, "", on_air_.media});
      break;
    case PieceKind::fallback: ++counts_.fallbacks; break;
    case PieceKind::slate: ++counts_.slates; break;
  }
  listener_.on_air(on_air_, on_air_since_);
  on_air_credits_ = newly_paid(on_air_);
  listener_.on_state({settings_.run, on_air_.start, on_air_.kind == PieceKind::clip ? on_air_.id : "", place_,
                      to_json(entry(std::nullopt))});
}

void Automation::finish_on_air(uint64_t frame) {
  const uint64_t played = frame - std::min(on_air_.start, frame);
  const bool was_skipped = on_air_.reason == kWasSkipped;
  if (on_air_.kind == PieceKind::clip && on_air_cue_ != 0 && stage_.state(on_air_cue_) != CueState::failed)
    listener_.on_item(on_air_.id, on_air_.turn,
                      {was_skipped ? ItemState::skipped : ItemState::aired, on_air_.reason, on_air_.media});
  listener_.on_aired(entry(played));
}

AsRunEntry Automation::entry(std::optional<uint64_t> played_frames) const {
  return {settings_.run, on_air_since_, on_air_, played_frames, on_air_credits_};
}

// In the first line of each clip, so that the lines add up to what was paid.
double Automation::newly_paid(const Piece &piece) {
  if (!piece.media || piece.media->credits <= 0) return 0;
  double &told = told_credits_[piece.media->uri];
  const double paid = std::max(told, piece.media->credits);
  return paid - std::exchange(told, paid);
}

Clock::WallTime Automation::wall_of(uint64_t frame) {
  return wall_at(settings_.schedule, stage_.clock(), frame);
}

}  // namespace genclip
