// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip channel at work: the element, its outputs, and everything that watches them, in one main loop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"
#include "plugin/monitor/alarm_teller.h"
#include "plugin/output/outputs.h"

namespace genclip {

struct ChannelProgramSettings {
  std::vector<OutputSpec> outputs;
  OutputSettings output;
  std::optional<uint16_t> status_port;  // None: no server. 0: any free port.
  std::string status_address;           // Empty: loopback only.
  std::string token_file;
  AlarmTargets alarms;
  // Whether another channel may use the state file by now. Called on a disk thread; may be empty.
  std::function<bool()> is_lock_lost;
  unsigned end_within_s = 30;
  bool is_takeover = false;  // By a standby: nothing but a channel that cannot be shown ends it.
};

// An error if the channel cannot make such pictures and sounds, if the encoders cannot take them, as far as
// its properties tell, or if an output cannot work.
Result<void> check_channel_form(GstElement *channel, const std::vector<OutputSpec> &outputs,
                                const OutputSettings &output);

// Runs `channel`, whose properties are set, until a signal or an error ends it. Returns the exit code.
int run_channel_program(const GRef<GstElement> &channel, const ChannelProgramSettings &settings);

}  // namespace genclip
