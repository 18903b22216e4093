// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Undoes one layer of escapes after the other, and looks into each: what looks like an escape may be none.
#include "plugin/http/secrets.h"

#include <glib.h>

#include <algorithm>
#include <cstring>

#include "plugin/base/gref.h"
#include "plugin/base/secret_words.h"

namespace genclip {
namespace {

// Variables of every shell, which end so and hold a folder.
constexpr std::string_view kFolderVariables[] = {"PWD", "OLDPWD"};
constexpr std::string_view kMediaKinds[] = {"video/", "image/", "audio/", "text/", "application/"};
constexpr size_t kShortestValue = 8;  // A shorter one may be a part of any word.
constexpr size_t kShortestOfVariable = 6;
// A shorter key may be a part of an ID or a word by chance, and the ID of a paid task is worth more. So may
// one that is not long if letters of another case count as its own.
constexpr size_t kShortestKey = 8;
constexpr size_t kShortestKeyInAnySpelling = 16;
constexpr size_t kLongestValue = 8192;
// Of longer ones, base64 and hexadecimal digits cost more than they protect.
constexpr size_t kLongestEncoded = 512;
constexpr size_t kMostValues = 500;
// Characters of secrets that masked() compares with one text: about a tenth of a second.
constexpr size_t kMostCompared = 64'000'000;
constexpr int kMostLayers = 6;
constexpr int kMostUrlsInside = 3;

struct Layer {
  std::string text;
  std::vector<size_t> begins, ends;  // Of each byte, in the text with all its escapes.
};

struct Byte {
  char value;
  size_t size;  // As it is spelled.
};

// The number of `digits` hexadecimal digits; -1: they are none.
int hex_at(std::string_view text, size_t begin, size_t digits) {
  int value = 0;
  for (size_t i = begin; i < begin + digits; ++i) {
    const int digit = i < text.size() ? g_ascii_xdigit_value(text[i]) : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// "&#47;" or "&#x2F;", whose first character is at `at`.
Byte entity_at(std::string_view text, size_t at) {
  constexpr size_t kLongest = 8;
  const size_t end = text.substr(0, at + kLongest).find(';', at);
  if (end == text.npos) return {text[at], 1};
  const std::string number(text.substr(at + 2, end - at - 2));
  const bool is_hex = number.starts_with('x') || number.starts_with('X');
  const auto value = g_ascii_strtoull(number.c_str() + (is_hex ? 1 : 0), nullptr, is_hex ? 16 : 10);
  return value > 0 && value < 0x80 ? Byte{static_cast<char>(value), end + 1 - at} : Byte{text[at], 1};
}

Byte byte_at(std::string_view text, size_t at) {
  if (text[at] == '%')
    if (const int value = hex_at(text, at + 1, 2); value >= 0) return {static_cast<char>(value), 3};
  const std::string_view next = text.substr(at, 2);
  if (next == "\\/") return {'/', 2};
  if (next == "\\\\") return {'\\', 2};
  if (next == "\\n" || next == "\\r") return {'\n', 2};
  if (next == "\\x")
    if (const int value = hex_at(text, at + 2, 2); value >= 0) return {static_cast<char>(value), 4};
  if (next == "\\u" || next == "%u")
    if (const int value = hex_at(text, at + 2, 4); value >= 0 && value < 0x80)
      return {static_cast<char>(value), 6};
  return next == "&#" ? entity_at(text, at) : Byte{text[at], 1};
}

// False: there are no escapes, so the layer stays as it is.
bool undo_escapes(Layer &layer) {
  if (layer.text.find_first_of("%\\&") == layer.text.npos) return false;
  Layer next;
  for (size_t at = 0; at < layer.text.size();) {
    const Byte byte = byte_at(layer.text, at);
    next.text += byte.value;
    next.begins.push_back(layer.begins[at]);
    at += byte.size;
    next.ends.push_back(layer.ends[at - 1]);
  }
  if (next.text.size() == layer.text.size()) return false;
  layer = std::move(next);
  return true;
}

Layer outer_layer(std::string_view text) {
  Layer layer{std::string(text), std::vector<size_t>(text.size()), std::vector<size_t>(text.size())};
  for (size_t i = 0; i < text.size(); ++i) layer.begins[i] = i, layer.ends[i] = i + 1;
  return layer;
}

// Without blanks and line breaks; of the letters' cases, and of base64's alphabets, one.
Layer folded(const Layer &layer) {
  Layer result;
  for (size_t i = 0; i < layer.text.size(); ++i) {
    const char letter = layer.text[i];
    if (g_ascii_isspace(letter)) continue;
    result.text += letter == '-' ? '+' : letter == '_' ? '/' : g_ascii_tolower(letter);
    result.begins.push_back(layer.begins[i]);
    result.ends.push_back(layer.ends[i]);
  }
  return result;
}

// The characters that the secret alone determines, behind so many other bytes (of three, which are four
// characters).
std::string in_base64(std::string_view secret, size_t bytes_before) {
  constexpr size_t kBits = 6;
  const std::string bytes = std::string(bytes_before, '\0').append(secret);
  const std::string text =
      GStringPtr(g_base64_encode(reinterpret_cast<const guchar *>(bytes.data()), bytes.size())).get();
  const size_t begin = (bytes_before * 8 + kBits - 1) / kBits, end = bytes.size() * 8 / kBits;
  return text.substr(begin, end - begin);
}

std::string in_hex(std::string_view secret) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : secret)
    text.append(1, kDigits[static_cast<unsigned char>(c) >> 4])
        .append(1, kDigits[static_cast<unsigned char>(c) & 15]);
  return text;
}

uint64_t first_bytes(std::string_view text) {
  uint64_t bytes = 0;
  static_assert(sizeof(bytes) == kShortestValue);
  std::memcpy(&bytes, text.data(), sizeof(bytes));
  return bytes;
}

// As a key and a signature do. Letters alone may be a title, which people read in another case, too.
bool looks_random(std::string_view value) {
  return std::ranges::any_of(value, [](char c) { return g_ascii_isdigit(c); }) &&
         std::ranges::any_of(value, [](char c) { return g_ascii_isalpha(c); }) &&
         std::ranges::none_of(value, [](char c) { return g_ascii_isspace(c); });
}

bool is_word(std::string_view value) {
  const bool is_media_type = std::ranges::any_of(
      kMediaKinds, [&](std::string_view kind) { return value.starts_with(kind) && value.size() < 30; });
  return is_media_type || std::ranges::all_of(value, [](char c) {
           return g_ascii_islower(c) || std::string_view(" _-./").find(c) != std::string_view::npos;
         });
}

}  // namespace

bool names_secret(std::string_view name) {
  return std::ranges::any_of(kSecretWords, [name](const SecretWord &secret) {
    const std::string_view ending = secret.word;
    return name.size() >= ending.size() &&
           g_ascii_strncasecmp(name.data() + name.size() - ending.size(), ending.data(), ending.size()) == 0;
  });
}

std::string unescaped(std::string_view text) {
  Layer layer = outer_layer(text);
  for (int undone = 0; undone < kMostLayers && undo_escapes(layer); ++undone) {
  }
  return layer.text;
}

void Secrets::set_key(std::string_view key) {
  key_ = key;
  add(of_keys_, key, Match::folded);
}

void Secrets::add(Spellings &all, std::string_view secret, Match match) {
  if (secret.empty() || all.values.size() >= kMostValues) return;
  if (!all.values.emplace(match, secret).second) return;
  std::vector<std::string> forms = {std::string(secret)};
  if (std::string plain = unescaped(secret); plain != secret) forms.push_back(std::move(plain));
  for (const std::string &form : forms) {
    if (form.size() < kShortestValue) {
      all.brief.push_back(form);
      continue;
    }
    const std::string text = folded(outer_layer(form)).text;
    if (match == Match::folded && text.size() >= kShortestValue)
      all.folded.emplace(first_bytes(text), text);
    else
      all.exact.emplace(first_bytes(form), form);
    if (form.size() > kLongestEncoded) continue;
    for (const std::string &code : {in_hex(form), in_base64(form, 0), in_base64(form, 1), in_base64(form, 2)})
      if (const std::string same = folded(outer_layer(code)).text; same.size() >= kShortestValue)
        all.folded.emplace(first_bytes(same), same);
  }
}

void Secrets::add_value(std::string_view name, std::string_view value, int depth) {
  const std::string plain = unescaped(value);
  if (plain.find("://") != plain.npos) add_url(plain, depth + 1);
  if (value.size() < kShortestValue || value.size() > kLongestValue) return;
  if (!names_secret(name) && is_word(plain)) return;
  std::string with_blanks(value);  // As a form has it.
  std::ranges::replace(with_blanks, '+', ' ');
  const Match match =
      names_secret(name) || looks_random(unescaped(with_blanks)) ? Match::folded : Match::exact;
  add(of_urls_, value, match);
  add(of_urls_, with_blanks, match);
}

void Secrets::add_url(std::string_view url) { add_url(url, 0); }

void Secrets::add_url(std::string_view url, int depth) {
  if (depth > kMostUrlsInside) return;
  const size_t authority = url.find("://");
  if (authority != url.npos) {
    const std::string_view host =
        url.substr(authority + 3, url.find_first_of("/?#", authority + 3) - authority - 3);
    const size_t at = host.rfind('@'), colon = host.find(':');
    if (at != host.npos && colon < at) add_value("password", host.substr(colon + 1, at - colon - 1), depth);
  }
  const size_t begin = url.find('?');
  if (begin == url.npos) return;
  std::string_view query = url.substr(begin + 1, url.find('#', begin) - begin - 1);
  while (!query.empty() && of_urls_.values.size() < kMostValues) {
    const std::string_view pair = query.substr(0, query.find_first_of("&;"));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const size_t sign = pair.find('=');
    const bool has_name = sign != pair.npos;
    add_value(has_name ? pair.substr(0, sign) : "", has_name ? pair.substr(sign + 1) : pair, depth);
  }
}

void Secrets::add_environment(std::span<const std::string> variables) {
  for (const std::string_view variable : variables) {
    const size_t sign = std::min(variable.find('='), variable.size());
    const std::string_view name = variable.substr(0, sign);
    if (!names_secret(name) || std::ranges::find(kFolderVariables, name) != std::end(kFolderVariables))
      continue;
    // A key of several lines may be shown by lines.
    for (std::string_view value = variable.substr(sign); !value.empty();) {
      value.remove_prefix(1);
      const std::string_view line = value.substr(0, value.find('\n'));
      if (line.size() >= kShortestOfVariable) add(of_keys_, line, Match::folded);
      value.remove_prefix(line.size());
    }
  }
}

bool Secrets::shows_key(std::string_view text) const {
  if (key_.size() >= kShortestKeyInAnySpelling) return keys().masked(text) != text;
  return key_.size() >= kShortestKey && text.find(key_) != text.npos;
}

Secrets Secrets::keys() const {
  Secrets keys;
  keys.key_ = key_;
  keys.of_keys_ = of_keys_;
  return keys;
}

std::string Secrets::masked(std::string_view text) const {
  if (of_keys_.values.empty() && of_urls_.values.empty()) return std::string(text);
  std::vector<std::pair<size_t, size_t>> found;  // In the text with its escapes.
  size_t compared = 0;
  const auto find = [&found](const Layer &in, size_t at, size_t size) {
    found.emplace_back(in.begins[at], in.ends[at + size - 1]);
  };
  const auto find_all = [&](const Layer &in, const ByStart &all) {
    for (size_t at = 0; at + kShortestValue <= in.text.size() && compared <= kMostCompared; ++at) {
      const std::string_view rest = std::string_view(in.text).substr(at);
      const auto [begin, end] = all.equal_range(first_bytes(rest));
      for (auto secret = begin; secret != end; ++secret) {
        compared += secret->second.size();
        if (rest.starts_with(secret->second)) find(in, at, secret->second.size());
      }
    }
  };
  Layer layer = outer_layer(text);
  for (int undone = 0; undone <= kMostLayers; ++undone) {
    const Layer plain = folded(layer);
    for (const auto *secrets : {&of_keys_, &of_urls_}) {
      for (const std::string &secret : secrets->brief)
        for (size_t at = layer.text.find(secret); at != layer.text.npos;
             at = layer.text.find(secret, at + secret.size()))
          find(layer, at, secret.size());
      find_all(layer, secrets->exact);
      find_all(plain, secrets->folded);
    }
    // A service may send many long values that differ at their ends only.
    if (compared > kMostCompared) return std::string(kRedacted);
    if (!undo_escapes(layer)) break;
  }
  std::ranges::sort(found);
  std::string result;
  size_t end = 0;
  for (const auto &[first, last] : found) {
    if (first >= end) result.append(text.substr(end, first - end)).append(kRedacted);
    end = std::max(end, last);
  }
  return result.append(text.substr(end));
}

}  // namespace genclip
