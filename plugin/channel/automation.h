// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A channel's automation: cues what the schedule says, puts it on the air, and tells what was shown.
//
// It looks at what the schedule says at each step and cues it early, because opening a clip takes time. What
// is said one second before a cut is settled: it will be shown, whatever happens then. Until then a better
// answer replaces it: a clip that has become ready takes the place of the fallback.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/channel/asrun.h"
#include "plugin/channel/channel_state.h"
#include "plugin/channel/schedule.h"
#include "plugin/channel/stage.h"

namespace genclip {

// Called from step() and the commands.
class AutomationListener {
 public:
  virtual ~AutomationListener() = default;
  // States that the automation knows: cued, on-air, aired, skipped, failed.
  virtual void on_item(const std::string &id, uint64_t turn, const ItemStatus &status) = 0;
  // Its first frame is leaving. Fallbacks and slates are told as well.
  virtual void on_air(const Piece &piece, Clock::WallTime wall) = 0;
  // `state`: where to go on behind it, from now on.
  virtual void on_state(const ChannelState &state) = 0;
  // It has ended.
  virtual void on_aired(const AsRunEntry &entry) = 0;
  // What is likely to come next; nothing: unknown, or the channel ends.
  virtual void on_next(const std::optional<Piece> &next) = 0;
  // The last frame has left.
  virtual void on_end() = 0;
};

struct AutomationSettings {
  ScheduleSettings schedule;
  uint64_t settle = 25;  // Frames before a cut, from which on it stands.
  std::string run;       // The run's name, for the as-run log.
};

// How many pieces of each kind have begun.
struct AutomationCounts {
  uint64_t aired = 0, fallbacks = 0, slates = 0;
};

// One thread. Borrows the stage, the shelf and the listener, which must outlive it.
class Automation {
 public:
  // `place`: where to begin.
  Automation(AutomationSettings settings, Stage &stage, const Shelf &shelf, AutomationListener &listener,
             std::shared_ptr<const Rundown> rundown, Place place);
  ~Automation();

  // Does what is due. Call it several times a second.
  void step();
  // Nothing is shown any more: tells what was on the air.
  void stop();

  // What is on the air, or settled, stays. `inserted`: as in moved().
  void set_rundown(std::shared_ptr<const Rundown> rundown, const std::string &inserted = "");
  // Ends what is on the air as soon as the next piece is cued. Where the next piece is settled, it ends
  // anyway.
  void skip() { skip_ = !settled_; }
  void hold(bool hold) { place_.hold = hold; }
  // Ends the channel: after the clip that is on the air, or at once.
  enum class End { behind_clip, at_once };
  void end(End end) { end_ = end; }

  const std::shared_ptr<const Rundown> &rundown() const { return rundown_; }
  const Place &place() const { return place_; }
  // What is on the air, and behind it what is settled or cued: pieces that the shelf must keep.
  std::vector<Piece> kept() const;
  // The last piece that is certain: what comes behind it is `place`.
  const Piece &last_certain() const {
    return settled_ && settled_->cut.piece ? *settled_->cut.piece : on_air_;
  }
  AutomationCounts counts() const { return counts_; }
  // No other piece begins.
  bool ends() const { return ended_ || end_ || (settled_ && !settled_->cut.piece); }

 private:
  struct Candidate {
    Cut cut;
    CueId cue = 0;           // None for the slate, and for the end.
    uint64_t looked_at = 0;  // Frame.
    uint64_t opening = 0;  // For how many frames it has been opened, not counting those of a stopped process.
    bool is_bridge = false;
    bool is_skip = false;  // The clip before it was ended by skip().
  };
  // The shelf without the items whose cues have failed.
  class CuedShelf;

  void look_at_clock();
  void begin_settled();
  void look_at_on_air();
  void fail_on_air();
  void end_before_settled();
  void look_at_next();
  bool is_waited_for() const;
  Cut wanted_cut(uint64_t earliest);
  void settle();
  void settle_bridge(uint64_t frame);
  void bridge_from(uint64_t frame, std::string reason);
  void give_up(const Piece &piece, const std::string &reason);
  void drop_candidate();
  Piece bridge_at(uint64_t frame, std::string reason) const;
  Piece slate_at(uint64_t frame, std::string reason) const;
  void start(Piece piece, CueId cue, bool is_bridge);
  void finish_on_air(uint64_t frame);
  Clock::WallTime wall_of(uint64_t frame);
  AsRunEntry entry(std::optional<uint64_t> played_frames) const;
  double newly_paid(const Piece &piece);

  const AutomationSettings settings_;
  Stage &stage_;
  const std::unique_ptr<CuedShelf> shelf_;
  AutomationListener &listener_;
  std::shared_ptr<const Rundown> rundown_;
  Place place_;  // Behind what is settled, or else behind what is on the air.

  Piece on_air_;
  CueId on_air_cue_ = 0;
  Clock::WallTime on_air_since_;
  double on_air_credits_ = 0;  // Of its line in the as-run log.
  bool is_bridge_ = false;     // On the air is a slate that ends as soon as something is cued.
  std::optional<Candidate> settled_;
  std::optional<Candidate> candidate_;
  std::optional<Clock::WallTime> begin_;  // The time of day at frame 0, by the clock at the last step.
  bool skip_ = false;
  std::optional<End> end_;
  bool ended_ = false;
  std::map<std::string, double> told_credits_;  // By what was played. Only what this run has paid for.
  AutomationCounts counts_;
};

}  // namespace genclip
