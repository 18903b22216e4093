// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether a source is given up, and what ends that.
//
// Media that are not fit may be so later: the machine was busy, or a server was down. Their source is over as
// any other that failed, but only for a pause. Then they are vetted again; the pauses grow.
#pragma once

#include <chrono>
#include <optional>

#include "plugin/channel/item_state.h"

namespace genclip {

// A plain value, and pure.
class SourceVerdict {
 public:
  // Failed, unknown or refused. Nothing: it is not over.
  const std::optional<ItemState> &over() const { return over_; }
  // It is over until it is vetted again.
  bool is_paused() const { return over_ && until_ == Until::vetted_again; }
  // It was not fit when it was vetted last, and may be now.
  bool is_doubted() const { return bad_vettings_ > 0; }
  unsigned bad_vettings() const { return bad_vettings_; }

  // `until_reload`: a reload tries again.
  void give_up(ItemState state, bool until_reload);
  // Its task has failed for the first time, and its item has no second try: another item may have one.
  void leave_retry() { until_ = Until::retry; }
  // Takes that try. Returns whether there was one.
  bool retry();
  // Not fit, but may be later. Returns for how long it is let be.
  std::chrono::minutes pause();
  // Is let be, too, without having been vetted.
  void let_be();
  // It is not over any more; earlier vettings count on.
  void resume() { over_.reset(); }
  // Fit. Returns whether it was doubted.
  bool pass();
  // Tries again what it gave up, if it may. Returns whether it does.
  bool forgive();
  // Nor are there earlier vettings any more.
  bool reload();

 private:
  enum class Until { vetted_again, retry, reload, end_of_run };

  std::optional<ItemState> over_;
  Until until_ = Until::end_of_run;  // If it is over.
  unsigned bad_vettings_ = 0;        // Since the last good one, of media that may pass later.
};

}  // namespace genclip
