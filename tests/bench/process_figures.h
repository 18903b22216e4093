// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Resources that this process uses at the moment, according to /proc.
#pragma once

namespace genclip::bench {

struct ProcessFigures {
  int threads = 0;
  int descriptors = 0;
  int connections = 0;    // TCP, in use or kept for the next use; among the descriptors.
  double memory_kib = 0;  // Resident and its own: no files, no libraries.
};

ProcessFigures process_figures();

}  // namespace genclip::bench
