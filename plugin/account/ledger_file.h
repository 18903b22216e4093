// SPDX-License-Identifier: LGPL-2.1-or-later
//
// ledger.jsonl as a file: what a crash may have left at its end, and how the next line gets there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "plugin/base/file_system.h"
#include "plugin/base/result.h"

namespace genclip {

// What follows the last newline of a ledger.
enum class LedgerTail {
  none,
  whole,  // A line that lacks only its newline: it counts.
  // The rest of a write that a crash has cut, or zeros behind it, any number: dropped before the next line is
  // written.
  torn,
  foreign,  // Else longer than any line of ours: it is ended like a line, which is then skipped.
};

struct LedgerEnd {
  uint64_t size = 0;   // Of the file, in bytes.
  uint64_t whole = 0;  // Up to and with its last newline.
  LedgerTail tail = LedgerTail::none;
};

// Gets a line, without its newline, and how many there are of it: of empty ones many may come at once, so
// that millions of them cost nothing. False ends the reading.
using OnLedgerLine = std::function<bool(std::string_view line, uint64_t count)>;

// Calls `on_line` with each line from the offset `from` on, a whole tail too; what is longer than any line of
// ours, a foreign tail too, is given as an empty line, which is not an entry. Needs no lock: a line that
// another process is writing is a torn tail.
Result<LedgerEnd> read_lines(File &file, uint64_t from, const OnLedgerLine &on_line);

// Appends these bytes, which end with a newline, behind what read_lines() has found there. They are synced on
// return, and `end` is behind them; after an error none of them is there. Needs the ledger's lock.
// ErrorKind::busy: the file has changed since, so the lock was lost.
Result<void> append_lines(File &file, LedgerEnd &end, std::string_view lines);

// What append_lines() would keep before its own lines, for a writer of the whole file.
Result<std::string> lines_before(File &file, const LedgerEnd &end);

}  // namespace genclip
