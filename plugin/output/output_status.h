// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How an output does, for status pages, metrics and alarms.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "plugin/output/output_spec.h"

namespace genclip {

enum class OutputState {
  connecting,  // nothing has left yet, nor failed
  ok,          // data leave
  failed,      // is built again and again until data leave; last_error says why
  ended,       // finished; nothing follows
};

template <>
inline constexpr Word<OutputState> kWords<OutputState>[] = {
    {OutputState::connecting, "connecting"},
    {OutputState::ok, "ok"},
    {OutputState::failed, "failed"},
    {OutputState::ended, "ended"},
};

struct OutputStatus {
  OutputKind kind = OutputKind::window;
  // shown_name(): without secrets.
  std::string name = {};
  OutputState state = OutputState::connecting;
  // Since when it is in this state.
  std::chrono::system_clock::time_point since = {};
  // How often it was built again after a failure.
  uint64_t rebuilds = 0;
  // What reached the socket or the file, over all builds. A packet is what the muxer writes at once: 1316
  // bytes for UDP and SRT.
  uint64_t bytes = 0;
  uint64_t packets = 0;
  // Encoded frames (picture and sound) that this output did not take: it was down, too slow, or waited for a
  // key frame.
  uint64_t dropped = 0;
  // One line of sentences, without secrets; stays after the output is well again. Empty: none yet.
  std::string last_error = {};
};

}  // namespace genclip
