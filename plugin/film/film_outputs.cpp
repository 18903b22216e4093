// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/film_outputs.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"
#include "plugin/caption/language_tag.h"

namespace genclip {
namespace {

// The position of the dot that begins the extension; the end of the path if it has none.
size_t extension_at(std::string_view path) {
  const size_t dot = path.find_last_of("./");
  const bool is_hidden_file = dot == 0 || (dot != path.npos && path[dot - 1] == '/');
  return dot == path.npos || path[dot] == '/' || is_hidden_file ? path.size() : dot;
}

std::string without_extension(const std::string &path) { return path.substr(0, extension_at(path)); }

// "film" of "film.en" and "film.pt-BR": subtitles of another language take its place. Words of a
// title are codes, too ("Iron.Man"), and are not written so.
std::string without_language(const std::string &stem) {
  const size_t dot = extension_at(stem);
  if (dot == stem.size()) return stem;
  const std::string tag = stem.substr(dot + 1);
  const bool is_written_so = std::all_of(tag.begin(), std::find(tag.begin(), tag.end(), '-'),
                                         [](char c) { return g_ascii_islower(c); });
  return is_written_so && canonical_language(tag) ? stem.substr(0, dot) : stem;
}

std::string default_path(const std::string &film, const OutputWish &wish) {
  std::string stem = without_extension(film);
  if (wish.is_translation && !wish.languages.empty()) stem = without_language(stem);
  if (!wish.folder.empty()) {
    const GStringPtr name(g_path_get_basename(stem.c_str()));
    stem = wish.folder + (wish.folder.ends_with('/') ? "" : "/") + name.get();
  }
  const bool names_nothing_else = wish.is_translation && wish.languages.empty();
  const char *kind = is_container(wish.format) ? ".captioned" : names_nothing_else ? ".new" : "";
  return stem + kind + "." + to_word(wish.format);
}

}  // namespace

bool has_extension(std::string_view path) { return extension_at(path) < path.size(); }

FilmFormat format_named(std::string_view path) {
  const size_t dot = extension_at(path);
  if (dot == path.size()) return FilmFormat::automatic;
  const GStringPtr extension(
      g_ascii_strdown(path.data() + dot + 1, static_cast<gssize>(path.size() - dot - 1)));
  return from_word<FilmFormat>(extension.get()).value_or(FilmFormat::automatic);
}

Result<std::vector<std::string>> languages_of(std::string_view list) {
  std::vector<std::string> languages;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    auto tag = canonical_language(list.substr(0, comma));
    if (!tag) return std::move(tag).error();
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (std::ranges::find(languages, *tag) == languages.end()) languages.push_back(*std::move(tag));
  }
  return languages;
}

std::string with_language(const std::string &path, const std::string &language) {
  const size_t dot = extension_at(path);
  return path.substr(0, dot) + "." + language + path.substr(dot);
}

std::vector<FilmOutput> film_outputs(const std::string &film, const OutputWish &wish) {
  const bool is_named = !wish.file.empty();
  const std::string path = is_named ? wish.file : default_path(film, wish);
  if (is_container(wish.format) || wish.languages.empty()) return {{path, ""}};
  if (is_named && wish.languages.size() == 1) return {{path, wish.languages.front()}};
  std::vector<FilmOutput> outputs;
  for (const std::string &language : wish.languages)
    outputs.push_back({with_language(path, language), language});
  return outputs;
}

std::string name_of_address(const std::string &uri) {
  const auto parsed = GRef<GUri>::adopt(g_uri_parse(uri.c_str(), G_URI_FLAGS_NONE, nullptr));
  const std::string path = parsed ? g_uri_get_path(parsed.get()) : "";
  const std::string name = shown_line(path.substr(path.rfind('/') + 1));
  return name == "." || name == ".." ? "" : name;
}

}  // namespace genclip
