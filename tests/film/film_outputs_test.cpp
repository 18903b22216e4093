// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/film_outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace genclip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> paths(const std::string &film, const OutputWish &wish) {
  std::vector<std::string> all;
  for (const FilmOutput &output : film_outputs(film, wish)) all.push_back(output.path);
  return all;
}

TEST(FilmOutputs, StandBesideTheFilmWherePlayersLook) {
  EXPECT_THAT(paths("/a/film.mp4", {}), ElementsAre("/a/film.vtt"));
  EXPECT_THAT(paths("/a/film.mp4", {.format = FilmFormat::srt}), ElementsAre("/a/film.srt"));
  EXPECT_THAT(paths("/a/film.mp4", {.languages = {"de", "pt-BR"}}),
              ElementsAre("/a/film.de.vtt", "/a/film.pt-BR.vtt"));
  EXPECT_THAT(paths("/a/film.mp4", {.languages = {"de"}}), ElementsAre("/a/film.de.vtt"));
  EXPECT_THAT(paths("/a.b/film", {}), ElementsAre("/a.b/film.vtt"));
  EXPECT_THAT(paths("/a/.film", {}), ElementsAre("/a/.film.vtt"));
}

TEST(FilmOutputs, ACopyHasAllLanguagesAndANameOfItsOwn) {
  EXPECT_THAT(paths("/a/film.mkv", {.format = FilmFormat::mkv, .languages = {"de", "en"}}),
              ElementsAre("/a/film.captioned.mkv"));
  EXPECT_EQ(film_outputs("film.mkv", {.format = FilmFormat::mkv, .languages = {"de"}})[0].language, "");
}

TEST(FilmOutputs, AFileThatTheUserNamesIsThatFile) {
  EXPECT_THAT(paths("film.mp4", {.languages = {"de"}, .file = "out.vtt"}), ElementsAre("out.vtt"));
  EXPECT_THAT(paths("film.mp4", {.languages = {"de", "en"}, .file = "x/out.vtt"}),
              ElementsAre("x/out.de.vtt", "x/out.en.vtt"));
  EXPECT_EQ(film_outputs("film.mp4", {.languages = {"de"}, .file = "out.vtt"})[0].language, "de");
}

TEST(FilmOutputs, AFolderGetsTheNamesOfTheFilms) {
  EXPECT_THAT(paths("/a/film.mp4", {.folder = "/b"}), ElementsAre("/b/film.vtt"));
  EXPECT_THAT(paths("/a/film.mp4", {.folder = "/b/"}), ElementsAre("/b/film.vtt"));
}

TEST(FilmOutputs, ATranslationTakesThePlaceOfTheLanguageInTheName) {
  const OutputWish wish{.format = FilmFormat::srt, .languages = {"de"}, .is_translation = true};
  EXPECT_THAT(paths("film.srt", wish), ElementsAre("film.de.srt"));
  EXPECT_THAT(paths("film.en.srt", wish), ElementsAre("film.de.srt"));
  EXPECT_THAT(paths("film.pt-BR.srt", wish), ElementsAre("film.de.srt"));
  for (const std::string title : {"Independence.Day", "Iron.Man", "X.Men", "Infinity.War", "Rocky.II"})
    EXPECT_THAT(paths(title + ".srt", wish), ElementsAre(title + ".de.srt"));
  EXPECT_THAT(paths("film.part2.srt", wish), ElementsAre("film.part2.de.srt"));
  EXPECT_THAT(paths("film.srt", {.format = FilmFormat::srt, .is_translation = true}),
              ElementsAre("film.new.srt"));
  EXPECT_THAT(paths("film.en.mp4", {.languages = {"de"}}), ElementsAre("film.en.de.vtt"));
}

TEST(FilmOutputs, FormatsAreKnownByTheExtension) {
  EXPECT_EQ(format_named("a.VTT"), FilmFormat::vtt);
  EXPECT_EQ(format_named("a.b/c.mkv"), FilmFormat::mkv);
  for (const char *path : {"a", "a.vtt/b", ".srt", "a.avi", "a."})
    EXPECT_EQ(format_named(path), FilmFormat::automatic) << path;
}

TEST(FilmOutputs, SomeFilesHaveNoExtension) {
  for (const char *path : {"a.txt", "a.b/c.vtt"}) EXPECT_TRUE(has_extension(path)) << path;
  for (const char *path : {"a", "a.b/c", ".srt", "a/.srt"}) EXPECT_FALSE(has_extension(path)) << path;
}

TEST(FilmOutputs, LanguagesAreAListWithoutRepetitions) {
  EXPECT_THAT(*languages_of("de,en-gb,de"), ElementsAre("de", "en-GB"));
  EXPECT_TRUE(languages_of("")->empty());
  for (const char *list : {"de,", ",", "german", "de en", "de,,en"}) {
    const auto languages = languages_of(list);
    if (std::string(list) == "de,") {
      EXPECT_TRUE(languages) << list;
      continue;
    }
    ASSERT_FALSE(languages) << list;
    EXPECT_EQ(languages.error().kind, ErrorKind::settings);
  }
}

TEST(FilmOutputs, AnAddressNamesItsLastPart) {
  EXPECT_EQ(name_of_address("https://a.example/x/film.mp4?a=b#c"), "film.mp4");
  for (const char *uri : {"https://a.example", "https://a.example/", "https://a.example/..", "?"})
    EXPECT_EQ(name_of_address(uri), "") << uri;
}

}  // namespace
}  // namespace genclip
