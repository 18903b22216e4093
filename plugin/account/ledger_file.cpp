// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads in large pieces; writes with one call, so that a crash leaves a prefix of it.
#include "plugin/account/ledger_file.h"

#include <algorithm>
#include <vector>

#include "plugin/base/json.h"

namespace genclip {
namespace {

constexpr size_t kPiece = 1024 * 1024;
// The longest line that genclip writes is far below that.
constexpr size_t kMaxLine = 256 * 1024;

LedgerTail kind_of(std::string_view tail) {
  if (tail.empty()) return LedgerTail::none;
  if (tail.size() > kMaxLine) return LedgerTail::foreign;
  const auto json = Json::parse(tail);
  return json && json->object() ? LedgerTail::whole : LedgerTail::torn;
}

}  // namespace

Result<LedgerEnd> read_lines(File &file, uint64_t from,
                             const std::function<bool(std::string_view line)> &on_line) {
  const auto size = file.size();
  if (!size) return size.error();
  LedgerEnd end;
  end.size = *size;
  end.whole = from;
  std::string pending;  // From end.whole on.
  for (uint64_t at = from; at < end.size;) {
    const size_t before = pending.size();
    pending.resize(before + static_cast<size_t>(std::min<uint64_t>(kPiece, end.size - at)));
    const auto count = file.read_at(at, std::as_writable_bytes(std::span(pending).subspan(before)));
    if (!count) return count.error();
    pending.resize(before + *count);
    if (*count == 0) return Error{ErrorKind::read, "The ledger became shorter while it was read. Run again."};
    at += *count;
    size_t begin = 0;
    for (size_t newline = pending.find('\n', before); newline != pending.npos;
         newline = pending.find('\n', begin)) {
      if (!on_line(std::string_view(pending).substr(begin, newline - begin))) return end;
      begin = newline + 1;
    }
    pending.erase(0, begin);
    end.whole += begin;
  }
  end.tail = kind_of(pending);
  if (end.tail == LedgerTail::whole) on_line(pending);
  if (end.tail == LedgerTail::foreign) on_line("");
  return end;
}

Result<void> append_lines(File &file, LedgerEnd &end, std::string_view lines) {
  const auto size = file.size();
  if (!size) return size.error();
  if (*size != end.size)
    return Error{ErrorKind::busy,
                 "Another machine writes to the store's ledger though this one holds its lock. Run again."};
  if (end.tail == LedgerTail::torn)
    if (auto cut = file.truncate(end.whole); !cut) return cut;
  const uint64_t begin = end.tail == LedgerTail::torn ? end.whole : end.size;
  const bool lacks_newline = end.tail == LedgerTail::whole || end.tail == LedgerTail::foreign;
  const std::string text = (lacks_newline ? "\n" : "") + std::string(lines);
  auto done = file.write_at(begin, std::as_bytes(std::span(text)));
  if (done) done = file.sync();
  // Who is told that it failed does not submit: it must not count. A later writer would repair a part of it.
  if (!done) {
    static_cast<void>(file.truncate(begin));
    return done;
  }
  end.size = end.whole = begin + text.size();
  end.tail = LedgerTail::none;
  return {};
}

}  // namespace genclip
