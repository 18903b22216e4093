// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Works on bytes and removes too much rather than too little: its input is often no proper URL.
#include "plugin/http/redaction.h"

#include <glib.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "plugin/base/gref.h"
#include "plugin/base/secret_words.h"
#include "plugin/base/shown_text.h"

namespace genclip {
namespace {

constexpr size_t kLongestUrl = 1000;
constexpr size_t kShortestSecret = 8;
// Of the names of secrets, and of other words, too: "oauth".
constexpr std::string_view kWordEndings[] = {"sig", "auth"};
// They make other words of "pass": "bypass", "compass", and filters of sound. "smtppass" is a password.
constexpr std::string_view kBeforePass[] = {"by",   "com", "encom", "sur",  "tres", "under",
                                            "over", "low", "high",  "band", "all"};
// A word that is shorter than kShortestSecret may begin a reason. Of longer ones, these may.
constexpr std::string_view kLongReasonWords =
    "authenticat(?:ed|ion)|authori[sz](?:ed|ation)|certificate|configuration|connection|credentials?|"
    "duplicate|environment|forbidden|incorrect|insufficient|malformed|mismatch|operation|parameter|"
    "permission|re(?:jected|quired|sponse|source|pository)|signature|unauthenticated|unauthori[sz]ed|"
    "unavailable|undefined|unexpected|unreadable|unrecogni[sz]ed|unsupported|verification";
constexpr gunichar kNoCharacter =
    static_cast<gunichar>(-2);  // GLib reports invalid bytes by this value and the next.

char lower(char letter) { return g_ascii_tolower(letter); }

bool same_but_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char left, char right) { return lower(left) == lower(right); });
}

bool is_word(char letter) { return g_ascii_isalnum(letter) || letter == '_'; }

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
size_t authority_begin(std::string_view url, size_t from = 0) {
  for (size_t colon = url.find(':', from); colon != url.npos; colon = url.find(':', colon + 1))
    for (const std::string_view separator : {std::string_view("://"), std::string_view(":\\/\\/")})
      if (url.substr(colon, separator.size()) == separator) return colon + separator.size();
  return url.npos;
}

// Replaces the user and password before the host by a mark, also in URLs behind the first one.
std::string without_user(std::string_view url) {
  std::string result;
  size_t shown = 0;
  for (size_t begin = authority_begin(url) == url.npos ? 0 : authority_begin(url); begin != url.npos;
       begin = authority_begin(url, begin)) {
    const auto end = std::min(url.find_first_of("/\\", begin), url.size());
    const auto at = url.substr(0, end).rfind('@');
    if (at == url.npos || at < begin) continue;
    result.append(url.substr(shown, begin - shown)).append(kRedacted);
    shown = at;
  }
  return result.append(url.substr(shown));
}

// Replaces the value of each NAME=VALUE by a mark where the name is that of a secret.
std::string without_values(std::string_view token) {
  std::string result;
  size_t name = 0;  // Where the last one may have begun.
  for (size_t i = 0; i < token.size(); ++i) {
    result += token[i];
    if (token[i] == '=' && names_secret(token.substr(name, i - name))) {
      const size_t end = std::min(token.find_first_of("&;,", i), token.size());
      if (end > i + 1) result += kRedacted;
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
  if (end != token.npos) result.append(1, token[end]).append(kRedacted);
  return result;
}

// Whether the token before it names a secret, and this one may be it: "--token X", "SECRET_KEY X", and what
// looks like a key in "password is hunter2secret". "Your API key is invalid" stays as it is.
bool is_named_secret(std::string_view name, std::string_view token) {
  if (!names_secret(name)) return false;
  const bool is_option = name.starts_with('-');
  const bool is_variable =
      name.find('_') != name.npos && std::ranges::none_of(name, [](char c) { return g_ascii_islower(c); });
  const auto has = [token](auto is_kind) { return std::ranges::any_of(token, is_kind); };
  const bool is_like_key = token.size() >= kShortestSecret &&
                           has([](char c) { return g_ascii_isdigit(c); }) &&
                           has([](char c) { return g_ascii_isalpha(c); });
  return is_option || is_variable || is_like_key;
}

bool is_verb(std::string_view token) {
  return token == "is" || token == "was" || token == "=" || token == ":";
}

// Redacts each piece between blanks and quotes, what follows "Bearer", and what follows the name of a secret.
std::string redact_tokens_of(std::string_view text) {
  constexpr std::string_view kBearer = "bearer";
  std::string result;
  bool after_bearer = false;
  std::string_view name;  // The token before.
  for (size_t place = 0; place < text.size();) {
    if (ends_token(text[place])) {
      // Any blank may stand inside "Bearer KEY", not only a space; quotes end it.
      if (static_cast<unsigned char>(text[place]) > ' ') after_bearer = false;
      result += text[place++];
      continue;
    }
    size_t end = place;
    while (end < text.size() && !ends_token(text[end])) ++end;
    const std::string_view token = text.substr(place, end - place);
    const bool is_secret = (after_bearer && !is_no_key(token)) || is_named_secret(name, token);
    result += is_secret ? std::string(kRedacted) : redact_token(token);
    if (!is_verb(token)) name = token.substr(0, token.find_last_not_of(":,") + 1);
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

// What is left may have a URL, a query or a secret's name in escapes. Then the text is shown without these.
std::string redact_escaped(std::string redacted) {
  const std::string plain = unescaped(redacted);
  if (plain == redacted) return redacted;
  std::string clean = redact_tokens_of(plain);
  return clean == plain ? redacted : clean;
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

// A pattern for "pass" at the end of any word but those that people read, also with a capital inside a name.
std::string pass_pattern() {
  std::string others;
  for (const std::string_view word : kBeforePass)
    others.append("|(?<![a-z])")
        .append(word)
        .append("|(?-i:")
        .append(1, g_ascii_toupper(word[0]))
        .append(word.substr(1))
        .append(")");
  return "(?<!" + others.substr(1) + ")pass";
}

}  // namespace

std::string redact_url(std::string_view url) {
  const auto end = url.find_first_of("?#");
  const std::string_view bare = url.substr(0, end);
  std::string result;
  if (const auto scheme = opaque_scheme(bare)) {
    result = std::string(*scheme).append(":").append(kRedacted);
  } else {
    result = without_values(without_user(bare));
    if (end != url.npos) result.append(1, url[end]).append(kRedacted);
  }
  result = redact_escaped(std::move(result));
  if (result.size() > kLongestUrl) result = result.substr(0, kLongestUrl) + "…";
  return printable(result);
}

std::string redact_tokens(std::string_view url) {
  std::string shown = redact_url(url);
  for (size_t begin = 0; begin < shown.size(); ++begin) {
    const size_t end = std::min(shown.find_first_of("/?", begin), shown.size());
    if (const size_t sign = shown.find('=', begin); sign < end) {
      shown.replace(sign + 1, end - sign - 1, kRedacted);
      begin = sign + kRedacted.size();
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
  if (begin == place.npos) return opaque_scheme(place) ? place : std::string(kRedacted);
  const auto end = place.find_first_of("/\\?#", begin);
  return end == place.npos ? place : place.substr(0, end) + "/" + std::string(kRedacted);
}

std::string redact_settings(std::string_view text) {
  const std::string pass = pass_pattern();
  std::string endings, words;
  for (const auto &[name, refused] : kSecretWords)
    (std::ranges::find(kWordEndings, name) == std::end(kWordEndings) ? endings : words)
        .append("|")
        .append(name == "pass" ? pass : name);
  const GStringPtr capitals(g_ascii_strup(words.c_str(), -1));
  const std::string begins = R"((?:(?<![a-z])|(?-i:(?<=[a-z])(?=[A-Z])))(?:)";
  const std::string name = "(?:" + begins + words.substr(1) + ")" + endings +
                           "|(?-i:" + std::string(capitals.get()).substr(1) + R"())s?["']?)";
  const std::string sign = "(?::=|=>|->|[:=])";
  const std::string blank = R"((?:\s|\xC2\xA0|\xE2\x80[\x80-\xAF]|\xE3\x80\x80))";  // Unicode's, too.
  const std::string in_quotes = R"("[^"]*"|'[^']*')";
  const std::string apart = "(?:" + blank + "+" + sign + blank + "*|" + sign + blank + "+)";
  // The first word of a reason, also a mark of what was known; and a word that looks like a key.
  const std::string plain_word = "(?:[a-z']{1," + std::to_string(kShortestSecret - 1) + "}|" +
                                 std::string(kLongReasonWords) + R"(|[0-9]{1,3}|[*]{3})[.:!?)]*\s+[^\s,;&])";
  const std::string key_word = R"((?<!\S)(?=\S{6})\S*(?-i:[a-z][A-Z]|[A-Z]{2}|[A-Za-z][0-9]|[0-9][A-Za-z]))";
  // What stays, and the secret behind it. Behind a blank it may have blanks, or be no secret but a reason.
  const std::string rows[][2] = {
      {"cookie[\"']?" + blank + "*[:=]" + blank + "*", R"([^\r\n]+)"},
      {"(?:pass(?:word|wd|phrase)|" + pass + R"(|pwd|pw)s?["']?)" + apart, in_quotes + "|[^,;&]+"},
      {name + apart, in_quotes + "|(?:(?!" + plain_word + ")|(?=[^,;&]*" + key_word + "))[^,;&]+"},
      {name + sign + "(?!" + blank + ")", in_quotes + R"(|-----BEGIN[^\r\n]*|[^\s,;&]+)"},
      {R"(\b(?:basic|bearer))" + blank + "+", R"((?-i:(?=\S*[0-9A-Z=]))[^\s,;&]{6,})"},
      {R"((?<!\S)-p)" + blank + "*", R"((?-i:(?=\S*[0-9A-Z]))\S{6,})"},
      {R"((?<!\S)-u)" + blank + R"(*[^\s:]+:)", R"(\S+)"},
  };
  std::string clean(text);
  for (const auto &[kept, secret] : rows) {
    const std::string pattern = "(" + kept + ")(?:" + secret + ")";
    const std::unique_ptr<GRegex, decltype(&g_regex_unref)> regex(
        g_regex_new(pattern.c_str(), static_cast<GRegexCompileFlags>(G_REGEX_CASELESS | G_REGEX_RAW),
                    static_cast<GRegexMatchFlags>(0), nullptr),
        g_regex_unref);
    const std::string with = "\\1" + std::string(kRedacted);
    const GStringPtr replaced(g_regex_replace(regex.get(), clean.data(), static_cast<gssize>(clean.size()), 0,
                                              with.c_str(), static_cast<GRegexMatchFlags>(0), nullptr));
    clean = replaced ? replaced.get() : kRedacted;
  }
  return clean;
}

std::string redact_text(std::string_view text, const Secrets &secrets) {
  return redact_escaped(redact_tokens_of(secrets.masked(text)));
}

}  // namespace genclip
