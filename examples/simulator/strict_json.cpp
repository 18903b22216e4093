// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Checks the grammar before it calls the lenient parser.
#include "examples/simulator/strict_json.h"

#include <glib.h>

#include <set>
#include <string>

namespace genclip::sim {
namespace {

constexpr int kMaxDepth = 64;

class Recogniser {
 public:
  explicit Recogniser(std::string_view text) : rest_(text) {}

  bool document() {
    if (!value(0)) return false;
    space();
    return rest_.empty();
  }
  std::string complaint() const { return complaint_; }

 private:
  void space() {
    const size_t at = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(at == rest_.npos ? rest_.size() : at);
  }
  bool skip(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool next(std::string_view token) {
    space();
    return skip(token);
  }
  size_t digits() {
    size_t count = 0;
    while (count < rest_.size() && g_ascii_isdigit(rest_[count])) ++count;
    rest_.remove_prefix(count);
    return count;
  }

  bool value(int depth) {
    space();
    if (depth > kMaxDepth) {
      complaint_ = "it is nested too deeply";
      return false;
    }
    if (skip("{")) return object(depth);
    if (skip("[")) return array(depth);
    if (rest_.starts_with('"')) return string();
    return skip("true") || skip("false") || skip("null") || number();
  }

  bool object(int depth) {
    std::set<std::string> keys;
    if (next("}")) return true;
    do {
      space();
      const std::string_view before = rest_;
      if (!string() || !next(":")) return false;
      const std::string key(before.substr(0, before.size() - rest_.size()));
      if (!keys.insert(key.substr(0, key.rfind('"'))).second) {
        complaint_ = "a key is repeated";
        return false;
      }
      if (!value(depth + 1)) return false;
    } while (next(","));
    return next("}");
  }

  bool array(int depth) {
    if (next("]")) return true;
    do {
      if (!value(depth + 1)) return false;
    } while (next(","));
    return next("]");
  }

  bool string() {
    if (!skip("\"")) return false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c == '\\' && !escape()) return false;
    }
    return false;
  }

  bool escape() {
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c != 'u') return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
    if (rest_.size() < 4) return false;
    for (const char digit : rest_.substr(0, 4))
      if (!g_ascii_isxdigit(digit)) return false;
    rest_.remove_prefix(4);
    return true;
  }

  bool number() {
    skip("-");
    if (!skip("0") && digits() == 0) return false;
    if (skip(".") && digits() == 0) return false;
    if (skip("e") || skip("E")) {
      if (!skip("+")) skip("-");
      if (digits() == 0) return false;
    }
    return true;
  }

  std::string_view rest_;
  std::string complaint_ = "it is not JSON";
};

}  // namespace

Result<Json> parse_strictly(std::string_view text) {
  Recogniser recogniser(text);
  if (!g_utf8_validate_len(text.data(), text.size(), nullptr))
    return Error{ErrorKind::settings, "it is not UTF-8"};
  if (!recogniser.document()) return Error{ErrorKind::settings, recogniser.complaint()};
  return Json::parse(text);
}

}  // namespace genclip::sim
