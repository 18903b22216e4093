// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What no text may show, however it is escaped: API keys, and what is secret in signed URLs. A service may
// echo either one, as it was sent, escaped or alone.
#pragma once

#include <concepts>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace genclip {

// What stands for a secret in a text.
inline constexpr std::string_view kRedacted = "***";

class Secrets {
 public:
  Secrets() = default;
  // An API key; empty: none.
  template <std::convertible_to<std::string_view> Key>
  Secrets(const Key &key) {  // NOLINT(google-explicit-constructor): a key alone is the usual case.
    set_key(key);
  }

  // The keys before it stay secret.
  void set_key(std::string_view key);
  const std::string &key() const { return key_; }
  // Its password, and the values in its query, also of URLs in these. Not what is short, or a word that may
  // stand in any sentence ("reference_images", "video/mp4"), unless its name says that it is secret.
  void add_url(std::string_view url);
  // What an environment ("NAME=VALUE") holds under the name of a secret. Not what is shorter than six
  // characters, and no folder.
  void add_environment(std::span<const std::string> variables);
  // Whether a text shows the key: one of at least 16 characters in any spelling, one of 8 to 15 as it is
  // written. A shorter one may be a part of any word.
  bool shows_key(std::string_view text) const;
  // Without those of URLs, for what may rightly stand in a URL, too: an ID, the name of a model.
  Secrets keys() const;

  // The text with a mark for each of them, in any mix of percent-escapes, JSON's escapes and HTML's numbers,
  // also repeated ones. One of at least eight characters is also found in hexadecimal digits and in base64,
  // in another case, and with blanks and line breaks in it; what may be a title in a URL only in its own case
  // and with its own blanks. Of a text that would take too long, the mark alone. Accepts any bytes.
  std::string masked(std::string_view text) const;

 private:
  // In any case and with blanks in it, or as it is spelled.
  enum class Match { folded, exact };
  // By their first bytes.
  using ByStart = std::unordered_multimap<uint64_t, std::string>;
  struct Spellings {
    std::set<std::pair<Match, std::string>> values;  // As they came.
    std::vector<std::string> brief;                  // Too short for the others.
    ByStart exact, folded;
  };

  static void add(Spellings &all, std::string_view secret, Match match);
  void add_value(std::string_view name, std::string_view value, int depth);
  void add_url(std::string_view url, int depth);

  std::string key_;
  Spellings of_keys_, of_urls_;
};

// Whether a name ends in one of secret_words.h, in any case: "X-Amz-Signature", "api_key".
bool names_secret(std::string_view name);

// Without the escapes that masked() knows.
std::string unescaped(std::string_view text);

}  // namespace genclip
