// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The names of the files that the captions of a film are written to. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/base/words.h"

namespace genclip {

enum class FilmFormat {
  automatic,  // By the name of the output, else vtt.
  vtt,
  srt,
  mkv,  // The film's streams and a subtitle track for each language.
  mp4,
};
template <>
inline constexpr Word<FilmFormat> kWords<FilmFormat>[] = {
    {FilmFormat::vtt, "vtt"}, {FilmFormat::srt, "srt"}, {FilmFormat::mkv, "mkv"}, {FilmFormat::mp4, "mp4"}};

// A copy of the film, and not a file beside it.
constexpr bool is_container(FilmFormat format) {
  return format == FilmFormat::mkv || format == FilmFormat::mp4;
}

// By the extension, whatever its case is; automatic: it has none of these.
FilmFormat format_named(std::string_view path);
bool has_extension(std::string_view path);

// Language tags such as "de" and "pt-BR", separated by commas. The error names the one that is none.
Result<std::vector<std::string>> languages_of(std::string_view list);

struct FilmOutput {
  std::string path;
  std::string language;   // Of the only track; empty: all tracks, or a track of no known language.
  bool stays = false;     // It is there already, and nothing replaces it.
  bool is_older = false;  // Than its film, which may have been another one then.
};

struct OutputWish {
  FilmFormat format = FilmFormat::vtt;
  std::vector<std::string> languages;
  std::string file;             // The user's, for one film; empty: beside the film.
  std::string folder;           // For the files of several films; empty: beside the film.
  bool is_translation = false;  // The film is a file of subtitles.
};

// What players find: "film.vtt" and "film.de.vtt" beside "film.mkv"; a copy is "film.captioned.mkv".
// `film`: its path, or the last part of its address.
std::vector<FilmOutput> film_outputs(const std::string &film, const OutputWish &wish);

// "out.de.vtt" of "out.vtt".
std::string with_language(const std::string &path, const std::string &language);

// The last part of an address as the name of a file: "film.mp4" of "https://a.example/x/film.mp4?a=b"; empty:
// it has none.
std::string name_of_address(const std::string &uri);

}  // namespace genclip
