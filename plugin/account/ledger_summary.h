// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A condensed account as text, beside the ledger: so a submit need not read 100 000 lines.
//
// It is derived, and never believed without proof: it says how many bytes of the ledger it covers and has a
// seal of the last of them, and of itself. One that does not match is as good as none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "plugin/account/account.h"

namespace genclip {

struct LedgerSummary {
  uint64_t bytes = 0;    // Of the ledger, up to the end of a line.
  std::string seal;      // seal_of() the last of them.
  uint64_t lines = 0;    // In these bytes.
  uint64_t skipped = 0;  // … of which so many are no entries.
  Account account;       // Condensed.
};

// How many bytes before `bytes` the seal covers, at most.
constexpr size_t kSealedBytes = 4096;
std::string seal_of(std::string_view bytes);

// Makes a condensed account of any.
std::string summary_text(const LedgerSummary &summary);
// Nothing: it is damaged, or of another version.
std::optional<LedgerSummary> read_summary(std::string_view text);

}  // namespace genclip
