// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/media_reference.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

constexpr std::string_view kAssetScheme = "assetId://";

// Base64 of media is longer than any path without a dot that people use.
constexpr size_t kShortestBase64 = 100;
// How JPEG, PNG, GIF, RIFF (WebP, WAV, AVI), MP4, MP3 and Ogg begin in base64.
constexpr std::string_view kBase64Openings[] = {"/9j/", "iVBORw0KGgo", "R0lGOD", "UklGR",
                                                "AAAA", "SUQz",        "T2dnU"};

bool equal_but_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && g_ascii_strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// The scheme in lower case; empty when there is none. A single letter is a drive, not a scheme.
std::string scheme_of(std::string_view url) {
  const size_t colon = url.find(':');
  if (colon == url.npos || colon < 2 || !g_ascii_isalpha(url[0])) return "";
  std::string scheme;
  for (const char c : url.substr(0, colon)) {
    if (!g_ascii_isalnum(c) && c != '+' && c != '-' && c != '.') return "";
    scheme += g_ascii_tolower(c);
  }
  return scheme;
}

bool looks_like_base64(std::string_view text) {
  const bool alphabet = std::all_of(text.begin(), text.end(), [](char c) {
    return g_ascii_isalnum(c) || g_ascii_isspace(c) || c == '+' || c == '/' || c == '=' || c == '-' ||
           c == '_';
  });
  if (!alphabet) return false;
  const auto *opening = std::find_if(std::begin(kBase64Openings), std::end(kBase64Openings),
                                     [&](std::string_view start) { return text.starts_with(start); });
  return opening != std::end(kBase64Openings) || text.size() >= kShortestBase64;
}

std::string instead(MediaKind kind, bool assets) {
  std::string text =
      std::string("; put the ") + to_word(kind) + " at a public http or https URL and give that";
  if (assets) text += ", or upload it as an asset and give assetId://ID";
  return text;
}

std::optional<std::string> http_problem(std::string_view url) {
  const bool clean =
      std::all_of(url.begin(), url.end(), [](char c) { return !g_ascii_isspace(c) && !g_ascii_iscntrl(c); });
  if (!clean)
    return "contains a blank or a control character, which a URL cannot contain; write a blank as %20";
  const std::string text(url);
  const auto parsed = GRef<GUri>::adopt(g_uri_parse(text.c_str(), G_URI_FLAGS_PARSE_RELAXED, nullptr));
  const char *host = parsed ? g_uri_get_host(parsed.get()) : nullptr;
  if (!host || !*host) return "is not a complete URL; write it as https://HOST/PATH";
  return std::nullopt;
}

std::optional<std::string> asset_problem(std::string_view url, MediaKind kind, bool assets) {
  if (!assets) return "is an asset, which this model does not support" + instead(kind, false);
  if (!is_asset(url)) return "is not spelled as the service expects: write assetId://ID";
  const std::string_view id = url.substr(kAssetScheme.size());
  if (id.empty()) return "names no asset: write assetId://ID, with the ID that the upload returned";
  if (std::any_of(id.begin(), id.end(), [](char c) { return g_ascii_isspace(c) || g_ascii_iscntrl(c); }))
    return "contains a blank or a control character, which an asset ID cannot contain";
  return std::nullopt;
}

}  // namespace

bool is_asset(std::string_view url) { return url.starts_with(kAssetScheme); }

std::optional<std::string> media_url_problem(std::string_view url, MediaKind kind, bool assets_supported) {
  if (url.empty()) return "is empty" + instead(kind, assets_supported);
  const std::string scheme = scheme_of(url);
  if (equal_but_case(scheme, "assetId")) return asset_problem(url, kind, assets_supported);
  if (scheme == "http" || scheme == "https") return http_problem(url);
  if (scheme == "data")
    return "is a data: URL, and the service does not accept embedded data" + instead(kind, assets_supported);
  if (scheme == "file")
    return "is a file on this machine, which the service cannot see" + instead(kind, assets_supported);
  if (!scheme.empty())
    return "has the scheme " + quoted(scheme) + ", which the service does not fetch" +
           instead(kind, assets_supported);
  if (looks_like_base64(url))
    return "is base64, and the service does not accept embedded data" + instead(kind, assets_supported);
  return "is " + quoted(url.substr(0, url.find('?'))) +
         ", a file on this machine, which the service cannot see" + instead(kind, assets_supported);
}

}  // namespace genclip
