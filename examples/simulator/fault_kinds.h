// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The table of all kinds of faults: the calls and the arguments that each of them takes.
#pragma once

#include <span>

#include "examples/simulator/fault.h"

namespace genclip::sim {

enum class Argument { none, number, text, optional_number, optional_text };

// Bits for the calls that a kind can happen to.
inline constexpr unsigned kSubmit = 1, kQuery = 2, kMedia = 4, kText = 8;
inline constexpr unsigned kApi = kSubmit | kQuery, kAny = kApi | kMedia | kText;

struct KindRow {
  FaultKind kind;
  const char *name;
  unsigned calls;
  Argument argument;
  const char *argument_name;
  int64_t least, most, unset;
  // The fault counts only queries of completed tasks.
  bool of_completed;
  const char *meaning;
  // The words that a text argument may be, with blanks between them; empty: any text.
  const char *arguments = "";
  // The same for the option `as`; empty: it has no such option.
  const char *forms = "";
};

std::span<const KindRow> fault_kinds();
const KindRow &row_of(FaultKind kind);

}  // namespace genclip::sim
