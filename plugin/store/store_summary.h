// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The sizes and uses of the store's clips as text, beside them: so that a size limit need not open 100 000
// journals for each new clip.
//
// It is derived, and never believed without proof: each row has the time of the folder that it was made of
// (plugin/store/store_census.h says when a row is believed), and the whole has a checksum. One that does not
// match is as good as none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace genclip {

struct FolderRow {
  std::string_view digest;  // Borrowed.
  int64_t changed = 0;      // The folder's own time, in nanoseconds since 1970.
  uint64_t size = 0;        // StoredClip::size
  int64_t last_used = 0;    // Unix time in seconds. The clip may have been used since.
  bool is_complete = false;
  bool is_pinned = false;

  friend bool operator==(const FolderRow &, const FolderRow &) = default;
};

struct StoreSummary {
  std::string_view turn;        // Up to which digest the rows were checked last. Can be anything.
  std::vector<FolderRow> rows;  // In the order of their digests, each once.
};

// The rows in the order of their digests.
std::string store_summary_text(const StoreSummary &summary);
// The rows borrow the text. Nothing: it is damaged, or of another version.
std::optional<StoreSummary> read_store_summary(std::string_view text);

// The text of a turn, which stands at the beginning of the summary's, always in as many bytes. It is not a
// part of the checksum, so that it can be written alone.
std::string turn_text(std::string_view turn);

}  // namespace genclip
