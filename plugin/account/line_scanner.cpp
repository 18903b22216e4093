// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One pass over the bytes; texts are handed out where they stand in the line.
#include "plugin/account/line_scanner.h"

#include <cstddef>
#include <optional>

#include "plugin/base/number.h"
#include "plugin/base/shown_text.h"

namespace genclip {
namespace {

// Longer ones may not fit where a JSON parser would put them.
constexpr size_t kMaxNumberSize = 18;

class LineScanner {
 public:
  LineScanner(std::string_view line, LineSink &sink) : line_(line), sink_(sink) {}

  bool run() {
    if (!skip('{')) return false;
    if (skip('}')) return is_at_end();
    do {
      const auto name = text();
      if (!name || !skip(':')) return false;
      if (peek() == '{') {
        if (!nested_object(*name)) return false;
      } else {
        const auto value = scalar();
        if (!value || !sink_.member(*name, *value)) return false;
      }
    } while (skip(','));
    return skip('}') && is_at_end();
  }

 private:
  char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }
  bool is_at_end() const { return at_ == line_.size(); }

  bool skip(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  bool skip(std::string_view word) {
    if (line_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool nested_object(std::string_view object) {
    ++at_;
    if (!sink_.object(object)) return false;
    if (skip('}')) return true;
    do {
      const auto name = text();
      if (!name || !skip(':')) return false;
      const auto value = scalar();
      if (!value || !sink_.nested(object, *name, *value)) return false;
    } while (skip(','));
    return skip('}');
  }

  std::optional<std::string_view> text() {
    if (!skip('"')) return std::nullopt;
    const size_t begin = at_;
    bool is_plain = true;
    for (; at_ < line_.size() && line_[at_] != '"'; ++at_) {
      const auto byte = static_cast<unsigned char>(line_[at_]);
      if (byte < 0x20 || byte == '\\' || byte == 0x7f) return std::nullopt;
      if (byte >= 0x80) is_plain = false;
    }
    const std::string_view found = line_.substr(begin, at_ - begin);
    if (!skip('"')) return std::nullopt;
    if (!is_plain && !is_all_shown(found)) return std::nullopt;
    return found;
  }

  std::optional<Scalar> scalar() {
    switch (peek()) {
      case '"':
        if (const auto found = text()) return Scalar(*found);
        return std::nullopt;
      case 't': return skip("true") ? std::optional<Scalar>(true) : std::nullopt;
      case 'f': return skip("false") ? std::optional<Scalar>(false) : std::nullopt;
      case 'n': return skip("null") ? std::optional<Scalar>(Scalar()) : std::nullopt;
      default: return number();
    }
  }

  bool skip_digits() {
    const size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > begin;
  }

  // By JSON's grammar, without an exponent.
  std::optional<Scalar> number() {
    const size_t begin = at_;
    skip('-');
    if (!skip('0') && !skip_digits()) return std::nullopt;
    if (skip('.') && !skip_digits()) return std::nullopt;
    if (at_ - begin > kMaxNumberSize) return std::nullopt;
    const auto value = parse_number<double>(line_.substr(begin, at_ - begin));
    return value ? std::optional(Scalar(*value)) : std::nullopt;
  }

  const std::string_view line_;
  LineSink &sink_;
  size_t at_ = 0;
};

}  // namespace

bool scan_line(std::string_view line, LineSink &sink) { return LineScanner(line, sink).run(); }

}  // namespace genclip
