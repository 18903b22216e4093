// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lines: the turn, a head with the checksum of the rest, and a row for each folder, such as
// "DIGEST 1767225600000000000 1048576 1767225600 complete".
#include "plugin/store/store_summary.h"

#include <glib.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "plugin/base/gref.h"
#include "plugin/store/clip_path.h"

namespace genclip {
namespace {

constexpr size_t kTurnLength = 64;  // As a digest.
constexpr std::string_view kHead = "genclip clips 1 ";
constexpr std::string_view kComplete = "complete", kPinned = "pinned", kOther = "other";

// Against damage, not against forgery: whoever can write here can remove the clips as well. SHA-256 would
// take three times as long.
std::string body_checksum(std::string_view body) {
  const GStringPtr sum(g_compute_checksum_for_data(
      G_CHECKSUM_MD5, reinterpret_cast<const guchar *>(body.data()), body.size()));
  return sum.get();
}

std::string_view word_of(const FolderRow &row) {
  if (!row.is_complete) return kOther;
  return row.is_pinned ? kPinned : kComplete;
}

void append_number(std::string &text, auto number) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  text.append(digits, end);
}

// Takes the text up to `end`, and that character, off the beginning.
std::string_view take_until(std::string_view &text, char end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

bool read_number(std::string_view text, auto &number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<FolderRow> read_row(std::string_view line) {
  FolderRow row;
  row.digest = take_until(line, ' ');
  if (!ClipPath::is_digest(row.digest)) return std::nullopt;
  if (!read_number(take_until(line, ' '), row.changed) || !read_number(take_until(line, ' '), row.size) ||
      !read_number(take_until(line, ' '), row.last_used))
    return std::nullopt;
  row.is_complete = line == kComplete || line == kPinned;
  row.is_pinned = line == kPinned;
  if (!row.is_complete && line != kOther) return std::nullopt;
  return row;
}

}  // namespace

std::string turn_text(std::string_view turn) {
  std::string text(turn.substr(0, kTurnLength));
  text.resize(kTurnLength, '0');
  return text + "\n";
}

std::string store_summary_text(const StoreSummary &summary) {
  std::string body;
  body.reserve(summary.rows.size() * 2 * kTurnLength);
  for (const FolderRow &row : summary.rows) {
    body += row.digest;
    body += ' ';
    append_number(body, row.changed);
    body += ' ';
    append_number(body, row.size);
    body += ' ';
    append_number(body, row.last_used);
    body += ' ';
    body += word_of(row);
    body += '\n';
  }
  return turn_text(summary.turn) + std::string(kHead) + body_checksum(body) + "\n" + body;
}

std::optional<StoreSummary> read_store_summary(std::string_view text) {
  StoreSummary summary;
  summary.turn = take_until(text, '\n');
  std::string_view head = take_until(text, '\n');
  if (summary.turn.size() != kTurnLength || !head.starts_with(kHead)) return std::nullopt;
  head.remove_prefix(kHead.size());
  if (head != body_checksum(text)) return std::nullopt;
  summary.rows.reserve(text.size() / kTurnLength);
  while (!text.empty()) {
    const auto row = read_row(take_until(text, '\n'));
    if (!row || (!summary.rows.empty() && summary.rows.back().digest >= row->digest)) return std::nullopt;
    summary.rows.push_back(*row);
  }
  return summary;
}

}  // namespace genclip
