// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads in large pieces; writes with one call, so that a crash leaves a prefix of it.
#include "plugin/account/ledger_file.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "plugin/base/json.h"

namespace genclip {
namespace {

constexpr size_t kPiece = 1024 * 1024;
// The longest line that genclip writes is far below that.
constexpr size_t kMaxLine = 256 * 1024;

bool is_zero(std::string_view bytes) {
  return bytes.empty() ||
         (bytes[0] == '\0' && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

// What follows the last newline so far, or is one line in full. Keeps no more of it than kMaxLine.
class Line {
 public:
  void add(std::string_view bytes) {
    size_ += bytes.size();
    const size_t kept = std::min(bytes.size(), kMaxLine - text_.size());
    text_ += bytes.substr(0, kept);
    is_filled_ = is_filled_ && is_zero(bytes.substr(kept));
  }
  void clear() {
    text_.clear();
    size_ = 0;
    is_filled_ = true;
  }

  uint64_t size() const { return size_; }
  // A longer one is no entry, as little as an empty one.
  std::string_view text() const { return size_ > kMaxLine ? std::string_view("") : text_; }

  LedgerTail kind() const {
    if (size_ == 0) return LedgerTail::none;
    if (size_ > kMaxLine) return is_filled_ ? LedgerTail::torn : LedgerTail::foreign;
    const auto json = Json::parse(text_);
    return json && json->object() ? LedgerTail::whole : LedgerTail::torn;
  }

 private:
  std::string text_;
  uint64_t size_ = 0;
  bool is_filled_ = true;  // Only zeros are behind `text_`, as a crash may leave them, any number.
};

uint64_t kept_bytes(const LedgerEnd &end) { return end.tail == LedgerTail::torn ? end.whole : end.size; }

bool lacks_newline(const LedgerEnd &end) {
  return end.tail == LedgerTail::whole || end.tail == LedgerTail::foreign;
}

}  // namespace

Result<LedgerEnd> read_lines(File &file, uint64_t from, const OnLedgerLine &on_line) {
  const auto size = file.size();
  if (!size) return size.error();
  LedgerEnd end;
  end.size = *size;
  end.whole = from;
  Line line;  // From end.whole on.
  std::string piece;
  for (uint64_t at = from; at < end.size;) {
    piece.resize(static_cast<size_t>(std::min<uint64_t>(kPiece, end.size - at)));
    const auto count = file.read_at(at, std::as_writable_bytes(std::span(piece)));
    if (!count) return count.error();
    if (*count == 0) return Error{ErrorKind::read, "The ledger became shorter while it was read. Run again."};
    at += *count;
    std::string_view rest = std::string_view(piece).substr(0, *count);
    for (size_t newline = rest.find('\n'); newline != rest.npos; newline = rest.find('\n')) {
      const std::string_view bytes = rest.substr(0, newline);
      const bool is_here = line.size() == 0 && newline <= kMaxLine;  // As nearly always: nothing is copied.
      if (!is_here) line.add(bytes);
      const size_t more =
          is_here && newline == 0 ? std::min(rest.find_first_not_of('\n'), rest.size()) - 1 : 0;
      if (!on_line(is_here ? bytes : line.text(), 1 + more)) return end;
      end.whole += (is_here ? newline : line.size()) + 1 + more;
      if (!is_here) line.clear();
      rest.remove_prefix(newline + 1 + more);
    }
    line.add(rest);
  }
  end.tail = line.kind();
  if (end.tail == LedgerTail::whole || end.tail == LedgerTail::foreign) on_line(line.text(), 1);
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
  const uint64_t begin = kept_bytes(end);
  const std::string text = (lacks_newline(end) ? "\n" : "") + std::string(lines);
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

Result<std::string> lines_before(File &file, const LedgerEnd &end) {
  std::string text(kept_bytes(end), '\0');
  const auto count = file.read_at(0, std::as_writable_bytes(std::span(text)));
  if (!count) return count.error();
  if (*count < text.size())
    return Error{ErrorKind::read, "The ledger became shorter while it was read. Run again."};
  if (lacks_newline(end)) text += '\n';
  return text;
}

}  // namespace genclip
