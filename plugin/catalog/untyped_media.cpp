// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A name is read word by word: "startImageURLs" is start, image, url.
#include "plugin/catalog/untyped_media.h"

#include <glib.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "plugin/base/name_letters.h"
#include "plugin/base/trimmed.h"
#include "plugin/catalog/media_extension.h"

namespace genclip {
namespace {

struct MediaWord {
  std::string_view text;
  std::optional<MediaKind> kind = {};  // None: it may be any of them.
};
constexpr MediaWord kMediaWords[] = {
    {"image", MediaKind::image},
    {"img", MediaKind::image},
    {"picture", MediaKind::image},
    {"pic", MediaKind::image},
    {"photo", MediaKind::image},
    {"frame", MediaKind::image},
    {"keyframe", MediaKind::image},
    {"still", MediaKind::image},
    {"poster", MediaKind::image},
    {"thumbnail", MediaKind::image},
    {"cover", MediaKind::image},
    {"portrait", MediaKind::image},
    {"avatar", MediaKind::image},
    {"logo", MediaKind::image},
    {"png", MediaKind::image},
    {"jpg", MediaKind::image},
    {"jpeg", MediaKind::image},
    {"video", MediaKind::video},
    {"movie", MediaKind::video},
    {"footage", MediaKind::video},
    {"mp4", MediaKind::video},
    {"audio", MediaKind::audio},
    {"sound", MediaKind::audio},
    {"music", MediaKind::audio},
    {"voice", MediaKind::audio},
    {"song", MediaKind::audio},
    {"speech", MediaKind::audio},
    {"vocal", MediaKind::audio},
    {"narration", MediaKind::audio},
    {"bgm", MediaKind::audio},
    {"mp3", MediaKind::audio},
    {"wav", MediaKind::audio},
    {"clip"},
    {"film"},
    {"mask"},
    {"gif"},
    {"track"},
    {"media"},
    {"material"},
    {"asset"},
    {"reference"},
    {"ref"},
    {"source"},
    {"src"},
    {"input"},
    {"file"},
    {"path"},
    {"url"},
    {"uri"},
    {"link"},
    {"href"},
};
// Long enough to be found in names that are not written word by word: "firstimage".
constexpr std::string_view kLongWords[] = {"image", "picture", "photo", "video",
                                           "movie", "audio",   "sound", "music"};
// Whose value can only be an address.
constexpr std::string_view kAddressWords[] = {"url", "uri", "link", "href", "path", "file", "src"};
// As the last word: the value is a text about media.
constexpr std::string_view kTextWords[] = {"prompt", "description", "text",  "caption", "title",
                                           "name",   "filename",    "label", "id",      "lyrics"};
// Of what the service fetches from nowhere, where media are expected.
constexpr std::string_view kUnfetchedSchemes[] = {"sha256", "ftp", "ftps", "sftp", "smb"};
// A smaller file than the smallest picture has fewer characters in base64.
constexpr size_t kShortestEmbedded = 24;
// A handle, a seed or a public key has fewer. Files of kinds that have no opening here are longer.
constexpr size_t kLongestHandle = 500;
// How JPEG, PNG, GIF, RIFF (WebP, WAV, AVI), MP3 with ID3 and Ogg begin in base64.
constexpr std::string_view kOpenings[] = {"/9j/",  "iVBORw0KGgo", "R0lGOD", "UklGR",
                                          "SUQzA", "SUQzB",       "T2dnU"};
// Of what the service is to make or to call.
constexpr std::string_view kOutputWords[] = {"output", "callback", "webhook", "destination"};

template <typename Words>
bool is_among(const Words &words, std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

// Without the s of a plural.
std::vector<std::string> singular_words(std::string_view name) {
  std::vector<std::string> words = name_words(name);
  for (std::string &word : words)
    if (word.size() > 2 && word.ends_with('s')) word.pop_back();
  return words;
}

std::vector<MediaWord> media_words(std::string_view name) {
  std::vector<MediaWord> found;
  for (const std::string &word : singular_words(name)) {
    const auto *row = std::ranges::find(kMediaWords, std::string_view(word), &MediaWord::text);
    if (row == std::end(kMediaWords))
      for (const std::string_view text : kLongWords)
        if (word.find(text) != word.npos) row = std::ranges::find(kMediaWords, text, &MediaWord::text);
    if (row != std::end(kMediaWords)) found.push_back(*row);
  }
  return found;
}

bool has_word(std::string_view name, std::span<const std::string_view> words) {
  return std::ranges::any_of(singular_words(name),
                             [&](const std::string &word) { return is_among(words, word); });
}

bool names_text_or_output(const UntypedName &name) {
  const std::vector<std::string> words = singular_words(name.name);
  return (!words.empty() && is_among(kTextWords, words.back())) || has_word(name.path, kOutputWords);
}

bool begins_with(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && g_ascii_strncasecmp(text.data(), start.data(), start.size()) == 0;
}

// "data:image/png;base64,…", "data:image/png; base64,…", "data:;base64,…" and "data:,…". "data:a,b" may be a
// text, but where media are expected.
bool is_data_url(std::string_view value, bool is_media) {
  constexpr std::string_view kScheme = "data:";
  const size_t comma = value.find(',');
  if (!begins_with(value, kScheme) || comma == value.npos) return false;
  const std::string_view head = value.substr(kScheme.size(), comma - kScheme.size());
  const std::string_view type = head.substr(0, head.find(';'));
  if (type.find('/') != type.npos && type.find(' ') == type.npos) return true;
  return head.find(' ') == head.npos && (is_media || type.empty());
}

// Of this machine, however it is spelled, or with the file in it. "file: a folder of papers" is a text.
bool is_private_uri(std::string_view value, bool is_media) {
  const size_t blank = value.find(' ');
  for (const std::string_view scheme : {"file:", "genclip:", "file%3A", "genclip%3A", "blob:"})
    if (begins_with(value, scheme))
      return value.substr(scheme.size()).starts_with('/') || blank == value.npos;
  return is_data_url(value, is_media);
}

// MP4, MOV, AVIF and HEIC begin with a size below 256 in four bytes, and "ftyp".
bool begins_like_mp4(std::string_view base64) {
  constexpr std::string_view kSize = "AAAA", kType = "Z0eX";
  return base64.starts_with(kSize) && base64.substr(kSize.size() + 2).starts_with(kType);
}

bool is_base64(std::string_view value) {
  if (value.size() < kShortestEmbedded || value.find(' ') != value.npos || !looks_like_base64(value))
    return false;
  return value.size() > kLongestHandle || begins_like_mp4(value) ||
         std::ranges::any_of(kOpenings, [&](std::string_view start) { return value.starts_with(start); });
}

bool begins_like_a_path(std::string_view value) {
  for (const std::string_view start : {"/", "./", "../", "~", "\\", ".\\", "..\\"})
    if (value.starts_with(start)) return true;
  return value == "." || value == ".." ||
         (value.size() > 2 && g_ascii_isalpha(value[0]) && value[1] == ':' &&
          (value[2] == '\\' || value[2] == '/'));
}

bool is_media_name(std::string_view value) {
  return value[0] != '.' && scheme_of(value).empty() && has_extension_of_media(value);
}

}  // namespace

bool is_untyped_reference(const UntypedName &name, std::string_view value) {
  value = trimmed(value);
  if (value.empty()) return false;
  const std::vector<MediaWord> media = media_words(name.path);
  const bool is_text_or_output = names_text_or_output(name);
  if (is_text_or_output && name.is_listed) return false;
  if (is_private_uri(value, !media.empty())) return !is_text_or_output || value.find(' ') == value.npos;
  if (is_text_or_output) return false;
  const bool is_path = begins_like_a_path(value);
  if (media.empty()) return is_path && !media_type_of_path(value).empty();
  if (is_path || is_media_name(value) || is_base64(value)) return true;
  if (is_among(kUnfetchedSchemes, scheme_of(value))) return true;
  return has_word(name.name, kAddressWords) && scheme_of(value).empty() &&
         value.find_first_of("/\\") != value.npos;
}

bool is_untyped_url(const UntypedName &name, const std::string &value) {
  const std::string scheme = scheme_of(value);
  const bool is_http = scheme == "http" || scheme == "https";
  const bool is_url = is_http || scheme == "assetid" || value.substr(scheme.size()).starts_with("://");
  if (scheme.empty() || !is_url || names_text_or_output(name)) return false;
  const std::vector<MediaWord> media = media_words(name.path);
  return std::ranges::any_of(media, [](const MediaWord &word) { return word.kind.has_value(); }) ||
         (is_http && !media_type_of_path(value).empty());
}

std::optional<Json> json_in_text(const UntypedName &name, std::string_view value) {
  value = trimmed(value);
  if ((!value.starts_with('[') && !value.starts_with('{')) || names_text_or_output(name)) return std::nullopt;
  auto json = Json::parse(std::string(value));
  return json ? std::optional(std::move(*json)) : std::nullopt;
}

std::optional<MediaKind> untyped_kind(const UntypedName &name, std::string_view value) {
  std::optional<MediaKind> kind;
  bool is_sure = true;
  for (const MediaWord &word : media_words(name.path)) {
    if (!word.kind) continue;
    is_sure = is_sure && (!kind || kind == word.kind);
    kind = word.kind;
  }
  if (kind && is_sure) return kind;
  // The label of a genclip URI may have the extension of the clip of which a frame is meant.
  if (begins_with(trimmed(value), "genclip:")) return std::nullopt;
  const std::string type = media_type_of_path(trimmed(value));
  for (const Word<MediaKind> &row : kWords<MediaKind>)
    if (type.starts_with(std::string(row.word) + "/")) return row.value;
  return std::nullopt;
}

}  // namespace genclip
