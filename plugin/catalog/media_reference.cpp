// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/media_reference.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"
#include "plugin/base/private_host.h"
#include "plugin/base/url_problem.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

constexpr std::string_view kAssetScheme = "assetId://";
constexpr std::string_view kContentScheme = "sha256:";
constexpr size_t kSha256Digits = 64;
// A chain of 32 clips with prompts of usual length needs a tenth of it.
constexpr size_t kLongestClipUri = size_t{1} << 20;
// Base64 of media is longer than any path without a dot that people use.
constexpr size_t kShortestBase64 = 100;
// How JPEG, PNG, GIF, RIFF (WebP, WAV, AVI), MP4, MP3 and Ogg begin in base64.
constexpr std::string_view kBase64Openings[] = {"/9j/", "iVBORw0KGgo", "R0lGOD", "UklGR",
                                                "AAAA", "SUQz",        "T2dnU"};

bool equal_but_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && g_ascii_strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string instead(const std::optional<MediaKind> &kind, bool assets) {
  std::string text = std::string("; put the ") + (kind ? to_word(*kind) : "file") +
                     " at a public http or https URL and give that";
  if (assets) text += ", or upload it as an asset and give assetId://ID";
  return text;
}

std::optional<std::string> asset_problem(std::string_view url, const std::optional<MediaKind> &kind,
                                         bool assets) {
  if (!assets) return "is an asset, which this model does not support" + instead(kind, false);
  if (!url.starts_with(kAssetScheme)) return "is not spelled as the service expects: write assetId://ID";
  const std::string_view id = url.substr(kAssetScheme.size());
  if (id.empty()) return "names no asset: write assetId://ID, with the ID that the upload returned";
  if (std::any_of(id.begin(), id.end(), [](char c) { return g_ascii_isspace(c) || g_ascii_iscntrl(c); }))
    return "contains a blank or a control character, which an asset ID cannot contain";
  return std::nullopt;
}

std::optional<std::string> read_content(std::string_view url, std::string &sha256) {
  sha256 = url.substr(kContentScheme.size());
  if (sha256.size() != kSha256Digits || sha256.find_first_not_of("0123456789abcdefABCDEF") != sha256.npos)
    return "is not the SHA-256 of a file: write sha256: and its 64 hexadecimal digits";
  if (!url.starts_with(kContentScheme) || sha256.find_first_of("ABCDEF") != sha256.npos)
    return "is in upper case: write sha256: and its 64 digits in lower case";
  return std::nullopt;
}

std::optional<std::string> read_clip(std::string_view url, const ReferenceRules &rules, ClipPart &part) {
  if (rules.kind == MediaKind::audio)
    return "is a clip, which cannot be a reference for audio" + instead(rules.kind, rules.assets);
  if (url.size() > kLongestClipUri)
    return "is longer than " + std::to_string(kLongestClipUri >> 20) +
           " MiB, which is the most that genclip reads of a URI inside a request";
  if (const size_t sign = url.find('#'); sign != url.npos) {
    const auto named = clip_part(url.substr(sign + 1));
    if (!named || !named->is_frame)
      return "ends in " + quoted(url.substr(sign)) +
             ", which does not name a frame: write #last, #first or #t=SECONDS, such as #t=2.5";
    part = *named;
  }
  return std::nullopt;
}

std::optional<std::string> read_file_uri(const std::string &uri, std::string &path) {
  if (uri.find_first_of("?#") != uri.npos)
    return "is a file: URI with a query or a fragment; write %3F for a \"?\" and %23 for a \"#\" in its path";
  char *named_host = nullptr;
  const GStringPtr name(g_filename_from_uri(uri.c_str(), &named_host, nullptr));
  const GStringPtr host(named_host);
  if (!name) return "is not a valid file: URI; write it as file:///PATH, with %20 for a blank";
  if (host && *host.get() && g_ascii_strcasecmp(host.get(), "localhost") != 0)
    return "is a file on another machine; write it as file:///PATH";
  path = name.get();
  return std::nullopt;
}

std::optional<std::string> file_problem(const std::string &what, const ReferenceRules &rules) {
  if (rules.policy.publishes) return std::nullopt;
  return what + " on this machine, which the service cannot see" + instead(rules.kind, rules.assets) +
         "; or " + std::string(kHowToPublish);
}

std::optional<std::string> read_source(const std::string &text, const ReferenceRules &rules,
                                       MediaReference &into) {
  const auto is = [&into](MediaSource source) { into.source = source; };
  if (text.empty()) return "is empty" + instead(rules.kind, rules.assets);
  const std::string scheme = scheme_of(text);
  if (scheme == "http" || scheme == "https") {
    into.url = with_escaped_blanks(text);
    return http_problem(into.url, rules.policy.refuses_private_hosts);
  }
  if (equal_but_case(scheme, "assetId")) {
    is(MediaSource::asset);
    return asset_problem(text, rules.kind, rules.assets);
  }
  if (scheme == "sha256") {
    is(MediaSource::content);
    return read_content(text, into.sha256);
  }
  if (scheme == kClipUriScheme) {
    is(MediaSource::clip);
    return read_clip(text, rules, into.part);
  }
  if (scheme == "data")
    return "is a data: URL, and the service does not accept embedded data" +
           instead(rules.kind, rules.assets);
  if (scheme == "file") {
    is(MediaSource::file);
    if (auto problem = file_problem("is a file", rules)) return problem;
    return read_file_uri(text, into.path);
  }
  if (!scheme.empty())
    return "has the scheme " + quoted(scheme) + ", which the service does not fetch" +
           instead(rules.kind, rules.assets);
  if (looks_like_base64(text))
    return "is base64, and the service does not accept embedded data" + instead(rules.kind, rules.assets);
  is(MediaSource::file);
  into.path = text;
  return file_problem("is " + quoted(text.substr(0, text.find('?'))) + ", a file", rules);
}

}  // namespace

std::string with_escaped_blanks(std::string_view url) {
  const size_t separator = url.find("://");
  size_t path = separator == url.npos ? url.npos : url.find('/', separator + 3);
  const size_t last = url.find_last_not_of(' ');
  std::string escaped(url.substr(0, path));
  for (; path < url.size(); ++path)
    if (url[path] == ' ' && path < last)
      escaped += "%20";
    else
      escaped += url[path];
  return escaped;
}

std::optional<std::string> http_problem(std::string_view url, bool refuses_private_hosts) {
  if (auto problem = url_problem(url)) return problem;
  const auto parsed = GRef<GUri>::adopt(g_uri_parse(std::string(url).c_str(), kAnyUrlFlags, nullptr));
  if (refuses_private_hosts && is_private_host(g_uri_get_host(parsed.get())))
    return "is at an address of this machine or of a private network, which the service, at a public "
           "address, cannot reach; give a public URL";
  return std::nullopt;
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

Json *place_of(const MediaReference &reference, Json &fields) {
  const auto item = [](Json *value, size_t index) {
    Json::Array *list = value->array();
    return list && index < list->size() ? &list->at(index) : nullptr;
  };
  Json *place = fields.find(reference.field);
  if (place && reference.steps.empty() && place->array()) return item(place, reference.index);
  for (const std::string &step : reference.steps) {
    if (!place) break;
    place = place->array() ? item(place, parse_number<size_t>(step).value_or(SIZE_MAX)) : place->find(step);
  }
  return place;
}

Result<MediaReference, std::string> read_reference(const std::string &text, const ReferenceRules &rules) {
  MediaReference reference;
  reference.url = text;
  reference.kind = rules.kind;
  if (text.find('\0') != text.npos) return std::string("contains a NUL character");
  if (auto problem = read_source(text, rules, reference)) return std::move(*problem);
  return reference;
}

std::string_view uri_of_clip(const MediaReference &reference) {
  return std::string_view(reference.url).substr(0, reference.url.find('#'));
}

}  // namespace genclip
