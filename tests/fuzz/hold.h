// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A fuzz target, which libFuzzer or, in the gate, replay_test.cpp calls, and its assertions: a failed one is
// a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace genclip {

inline void hold(bool fact) {
  if (!fact) __builtin_trap();
}

inline std::string_view as_text(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

#ifdef GENCLIP_REPLAY
struct FuzzTarget {
  FuzzTarget(const char *name, int (*run)(const uint8_t *data, size_t size));
};
#endif

}  // namespace genclip

#ifdef GENCLIP_REPLAY
#define FUZZ_TARGET(name)                                             \
  static int name##_fuzz(const uint8_t *data, size_t size);           \
  static const genclip::FuzzTarget name##_target{#name, name##_fuzz}; \
  static int name##_fuzz
#else
#define FUZZ_TARGET(name) extern "C" int LLVMFuzzerTestOneInput
#endif
