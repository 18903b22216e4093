// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Processor time of this process, which other processes disturb less than the time on the wall.
#pragma once

#include <sys/resource.h>

#include <functional>

namespace genclip::bench {

// User and system time in milliseconds.
inline double cpu_ms() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

inline double cpu_ms_of(const std::function<void()> &run) {
  const double begin = cpu_ms();
  run();
  return cpu_ms() - begin;
}

}  // namespace genclip::bench
