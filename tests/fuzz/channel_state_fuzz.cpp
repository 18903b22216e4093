// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as a channel's state: a place that can be played from and that is written and read again without
// a difference, or an error.
#include "plugin/channel/channel_state.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(channel_state)(const uint8_t *data, size_t size) {
  using namespace genclip;
  const auto json = Json::parse(as_text(data, size));
  if (!json) return 0;
  const auto state = channel_state(*json);
  if (!state) {
    hold(!state.error().text.empty());
    return 0;
  }
  const auto again = channel_state(to_json(*state));
  hold(again && to_json(*again) == to_json(*state));

  class NothingReady final : public Shelf {
    ItemStatus status(const std::string &, uint64_t) const override { return {}; }
  };
  Rundown rundown;
  rundown.items.resize(2);
  rundown.items[0].id = "kite";
  rundown.items[1].id = "noon";
  rundown.items[1].at.emplace();
  rundown.reindex();
  const FrameTime clock{0, Clock::WallTime(std::chrono::hours(490000))};
  const Place place = moved({}, rundown, state->place, {}, clock.wall);
  const Cut cut = next_cut(rundown, place, NothingReady(), {}, {}, 0, clock);
  hold(cut.piece && cut.piece->kind == PieceKind::slate);
  hold(rundown.find(after(rundown, place, {}, cut).next).has_value());
  return 0;
}
