// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Works on bytes and removes too much rather than too little: its input is often no proper URL.
#include "plugin/http/redaction.h"

#include <glib.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "plugin/base/gref.h"
#include "plugin/base/replace_all.h"
#include "plugin/base/shown_text.h"

namespace genclip {
namespace {

constexpr std::string_view kMark = "***";
// Endings of the names whose values are secret, wherever "NAME=VALUE" stands: ";sig=" in a path, or in a
// query without a URL.
constexpr std::string_view kSecretNames[] = {"sig",    "signature", "token",     "key",
                                             "secret", "password",  "credential"};
constexpr size_t kLongestUrl = 1000;
constexpr size_t kShortestSecret = 8;  // A shorter value may be a part of any word.
constexpr gunichar kNoCharacter =
    static_cast<gunichar>(-2);  // GLib reports invalid bytes by this value and the next.

char lower(char letter) { return g_ascii_tolower(letter); }

bool same_but_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char left, char right) { return lower(left) == lower(right); });
}

bool is_word(char letter) { return g_ascii_isalnum(letter) || letter == '_'; }

bool names_secret(std::string_view name) {
  return std::any_of(std::begin(kSecretNames), std::end(kSecretNames), [name](std::string_view ending) {
    return name.size() >= ending.size() && same_but_case(name.substr(name.size() - ending.size()), ending);
  });
}

// True for a character that ends a URL inside a text. Brackets may be in a query, so they do not.
bool ends_token(char letter) {
  return static_cast<unsigned char>(letter) <= ' ' || letter == '"' || letter == '\'' || letter == '<' ||
         letter == '>' || letter == '`';
}

// Valid UTF-8 without the characters that a log or a terminal must not see.
std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const gunichar character = g_utf8_get_char_validated(text.data(), static_cast<gssize>(text.size()));
    const bool valid = character < kNoCharacter;
    const auto size = valid ? static_cast<size_t>(g_unichar_to_utf8(character, nullptr)) : 1;
    shown += valid && is_shown(character) ? text.substr(0, size) : "?";
    text.remove_prefix(size);
  }
  return shown;
}

// Where the authority of a URL begins: behind "://", or "//" with each slash escaped as JSON may.
size_t authority_begin(std::string_view url) {
  for (const std::string_view separator : {std::string_view("://"), std::string_view(":\\/\\/")}) {
    const auto place = url.find(separator);
    if (place != url.npos) return place + separator.size();
  }
  return url.npos;
}

// Replaces the user and password before the host by a mark.
std::string without_user(std::string_view url) {
  auto begin = authority_begin(url);
  if (begin == url.npos) begin = 0;
  const auto end = std::min(url.find_first_of("/\\", begin), url.size());
  const auto at = url.substr(0, end).rfind('@');
  if (at == url.npos || at < begin) return std::string(url);
  return std::string(url.substr(0, begin)).append(kMark).append(url.substr(at));
}

// Replaces the value of each NAME=VALUE by a mark where the name is that of a secret.
std::string without_values(std::string_view token) {
  std::string result;
  size_t name = 0;  // Where the last one may have begun.
  for (size_t i = 0; i < token.size(); ++i) {
    result += token[i];
    if (token[i] == '=' && names_secret(token.substr(name, i - name))) {
      const size_t end = std::min(token.find_first_of("&;,", i), token.size());
      if (end > i + 1) result += kMark;
      i = end - 1;
    }
    if (!is_word(token[i]) && token[i] != '-') name = i + 1;
  }
  return result;
}

// Of "missing bearer token" and the like, which tell what is missing.
bool is_no_key(std::string_view token) {
  while (!token.empty() && g_ascii_ispunct(token.back())) token.remove_suffix(1);
  return same_but_case(token, "token") || same_but_case(token, "tokens");
}

// Redacts a piece of text without blanks, which may or may not be a URL.
std::string redact_token(std::string_view token) {
  const bool is_url = authority_begin(token) != token.npos;
  auto end = token.find('?');
  // Without a scheme it counts as a URL only with parameters: "path?name=value", but not "really?".
  if (end != token.npos && !is_url && token.find('=', end) == token.npos) end = token.npos;
  if (is_url) end = std::min(end, token.find('#'));
  std::string result =
      without_values(is_url ? without_user(token.substr(0, end)) : std::string(token.substr(0, end)));
  if (end != token.npos) result.append(1, token[end]).append(kMark);
  return result;
}

// Percent-escaped as in a URL, because a service that echoes a request may write the key so.
std::string escaped(std::string_view key, bool lower_case) {
  constexpr std::string_view kDigits[] = {"0123456789ABCDEF", "0123456789abcdef"};
  std::string text;
  for (const char c : key) {
    if (g_ascii_isalnum(c) || std::string_view("-._~").find(c) != std::string_view::npos) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += '%';
    text += kDigits[lower_case ? 1 : 0][byte >> 4];
    text += kDigits[lower_case ? 1 : 0][byte & 15];
  }
  return text;
}

// The scheme of data:CONTENT and its like; nothing for HOST:PORT.
std::optional<std::string_view> opaque_scheme(std::string_view url) {
  const auto colon = url.find_first_of(":/@");
  if (colon == url.npos || url[colon] != ':' || colon + 1 >= url.size()) return std::nullopt;
  const char next = url[colon + 1];
  // With an "@" after it, this is not a scheme but a user name before a password.
  if (next == '/' || next == '\\' || g_ascii_isdigit(next) || url.find('@') != url.npos) return std::nullopt;
  return url.substr(0, colon);
}

}  // namespace

std::string redact_url(std::string_view url) {
  const auto end = url.find_first_of("?#");
  const std::string_view bare = url.substr(0, end);
  std::string result;
  if (const auto scheme = opaque_scheme(bare)) {
    result = std::string(*scheme).append(":").append(kMark);
  } else {
    result = without_values(without_user(bare));
    if (end != url.npos) result.append(1, url[end]).append(kMark);
  }
  if (result.size() > kLongestUrl) result = result.substr(0, kLongestUrl) + "…";
  return printable(result);
}

std::string redact_tokens(std::string_view url) {
  std::string shown = redact_url(url);
  for (size_t begin = 0; begin < shown.size(); ++begin) {
    const size_t end = std::min(shown.find_first_of("/?", begin), shown.size());
    if (const size_t sign = shown.find('=', begin); sign < end) {
      shown.replace(sign + 1, end - sign - 1, kMark);
      begin = sign + kMark.size();
    } else {
      begin = end;
    }
  }
  return shown;
}

std::string redact_path(std::string_view url) {
  const std::string place = redact_url(url);
  const auto begin = authority_begin(place);
  // Without a host everything is path, except for the scheme of an opaque URL.
  if (begin == place.npos) return opaque_scheme(place) ? place : std::string(kMark);
  const auto end = place.find_first_of("/\\?#", begin);
  return end == place.npos ? place : place.substr(0, end) + "/" + std::string(kMark);
}

std::string redact_settings(std::string_view text) {
  std::string names = "authorization";
  for (const std::string_view name : kSecretNames) names.append("|").append(name);
  const std::string pattern =
      "((?:" + names + ")s?[\"']?\\s*[:=]\\s*(?:(?:basic|bearer)\\s+)?)(?:\"[^\"]*\"|'[^']*'|[^\\s,;&]+)";
  const std::unique_ptr<GRegex, decltype(&g_regex_unref)> regex(
      g_regex_new(pattern.c_str(), static_cast<GRegexCompileFlags>(G_REGEX_CASELESS | G_REGEX_RAW),
                  static_cast<GRegexMatchFlags>(0), nullptr),
      g_regex_unref);
  const std::string with = "\\1" + std::string(kMark);
  const GStringPtr clean(g_regex_replace(regex.get(), text.data(), static_cast<gssize>(text.size()), 0,
                                         with.c_str(), static_cast<GRegexMatchFlags>(0), nullptr));
  return clean ? clean.get() : std::string(kMark);
}

std::string redact_values_of(std::string_view text, std::string_view url) {
  std::string clean(text);
  const auto begin = url.find('?');
  if (begin == url.npos) return clean;
  const std::string query(url.substr(begin + 1, url.find('#', begin) - begin - 1));
  size_t end = 0;
  for (size_t place = 0; place <= query.size(); place = end + 1) {
    end = std::min(query.find_first_of("&;", place), query.size());
    const std::string pair = query.substr(place, end - place);
    const std::string value = pair.substr(pair.find('=') + 1);
    if (value.size() < kShortestSecret) continue;
    clean = replace_all(clean, value, kMark);
    const GStringPtr plain(g_uri_unescape_string(value.c_str(), nullptr));
    if (plain && *plain.get()) clean = replace_all(clean, plain.get(), kMark);
  }
  return clean;
}

std::string redact_text(std::string_view text, std::string_view key) {
  constexpr std::string_view kBearer = "bearer";
  std::string clean(text);
  if (!key.empty()) {
    clean = replace_all(clean, key, kMark);
    for (const bool lower_case : {false, true}) clean = replace_all(clean, escaped(key, lower_case), kMark);
  }

  std::string result;
  bool after_bearer = false;
  for (size_t place = 0; place < clean.size();) {
    if (ends_token(clean[place])) {
      // Any blank may stand inside "Bearer KEY", not only a space; quotes end it.
      if (static_cast<unsigned char>(clean[place]) > ' ') after_bearer = false;
      result += clean[place++];
      continue;
    }
    size_t end = place;
    while (end < clean.size() && !ends_token(clean[end])) ++end;
    const std::string_view token = std::string_view(clean).substr(place, end - place);
    result += after_bearer && !is_no_key(token) ? std::string(kMark) : redact_token(token);
    const std::string_view tail =
        token.size() < kBearer.size() ? std::string_view() : token.substr(token.size() - kBearer.size());
    const bool whole_word =
        !tail.empty() && (tail.size() == token.size() || !is_word(token[token.size() - tail.size() - 1]));
    const bool names_it = after_bearer && is_no_key(token) && g_ascii_ispunct(token.back());
    after_bearer = names_it || (whole_word && same_but_case(tail, kBearer));
    place = end;
  }
  return result;
}

}  // namespace genclip
