// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What genchannelsrc's properties set.
#pragma once

#include <span>
#include <string>

#include "elements/channelsrc/playout_settings.h"
#include "elements/property_table.h"
#include "plugin/base/result.h"
#include "plugin/catalog/run_settings.h"
#include "plugin/channel/preparer.h"
#include "plugin/channel/schedule.h"

namespace genclip {

// How clips are generated and shown are bases, so that a property's row can name a member of any of the
// three.
struct ChannelSrcSettings : RunSettings, PlayoutSettings {
  ChannelSrcSettings();

  std::string rundown;  // Path.
  std::string rundown_text;
  Fallback fallback = Fallback::earlier;
  unsigned patience_s = 60;
  unsigned ahead = 4;
  unsigned ahead_time_s = 900;
  unsigned workers = 3;
  OnUnknown on_unknown = OnUnknown::skip;
  std::string asrun;
  std::string state_file;
  bool loop = true;

  const RunSettings &run() const { return *this; }
  const PlayoutSettings &playout() const { return *this; }
};

// In the order of the contract.
std::span<const Property<ChannelSrcSettings>> channel_properties();

// The frame rate of the video caps. An error (settings): these caps cannot be shown, and why.
struct FrameRate {
  uint64_t n = 0, d = 0;
};
Result<FrameRate> frame_rate_of(const PlayoutSettings &settings);

}  // namespace genclip
