// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/caption_plan.h"

#include <gst/gst.h>

#include <algorithm>
#include <map>
#include <utility>

#include "plugin/base/file_system.h"
#include "plugin/base/gref.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/channel/clip_survey.h"
#include "plugin/command/batch_outputs.h"
#include "plugin/command/clip_output.h"
#include "plugin/command/console.h"
#include "plugin/command/known_models.h"
#include "plugin/command/output_pattern.h"
#include "plugin/command/request_words.h"
#include "plugin/film/film_copy.h"
#include "plugin/frame/media_file.h"

namespace genclip {
namespace {

bool is_there(const std::string &path) { return g_file_test(path.c_str(), G_FILE_TEST_EXISTS); }
bool is_folder(const std::string &path) { return g_file_test(path.c_str(), G_FILE_TEST_IS_DIR); }
bool is_regular(const std::string &path) { return g_file_test(path.c_str(), G_FILE_TEST_IS_REGULAR); }

// False, too, where one of them is not there.
bool is_older(const std::string &path, const std::string &other) {
  const auto one = FileSystem::posix().info(path), another = FileSystem::posix().info(other);
  return one && *one && another && *another && (*one)->modified < (*another)->modified;
}

bool is_address(const std::string &word) { return !is_there(word) && gst_uri_is_valid(word.c_str()); }

// The path of a file: URI; empty for any other.
std::string path_of_uri(const std::string &uri) {
  const GStringPtr path(g_filename_from_uri(uri.c_str(), nullptr, nullptr));
  return path ? path.get() : "";
}

// The name of a film that is not a file: its captions go into the current folder.
std::string name_of_film_at(const std::string &uri) {
  if (is_clip_uri(uri)) {
    const auto request = parse_clip_uri(*known_models(), uri);
    return request ? name_of_prompt(prompt_of(*request)) + ".mp4" : "";
  }
  return name_of_address(uri);
}

// Where the captions go by default, and what the player would look for.
Result<std::string> place_of(const std::string &word, FilmJob &job) {
  if (is_address(word)) {
    job.uri = word;
    if (std::string path = path_of_uri(word); !path.empty()) return path;
    std::string name = name_of_film_at(word);
    if (name.empty())
      return Error{ErrorKind::settings, "There is no name for its captions; give one with --output."};
    return name;
  }
  const GStringPtr uri(gst_filename_to_uri(word.c_str(), nullptr));
  job.uri = uri ? uri.get() : "";
  return word;
}

std::optional<Error> problem_of_film(const std::string &path, bool is_file) {
  if (!is_file) return std::nullopt;
  if (!is_there(path)) return Error{ErrorKind::not_found, "There is no such file."};
  if (!is_regular(path))
    return Error{ErrorKind::wrong_type, is_folder(path) ? "It is a folder." : "It is not a regular file."};
  return std::nullopt;
}

// Whoever decodes it finds out if anything else is wrong with it.
void look_at_film(const std::string &path, FilmJob &job) {
  const auto file = MediaFile::open(path);
  job.is_picture = file && !file->type().demuxer;
  if (!file || !file->movie()) return;
  job.shown = file->movie()->shown();
  if (file->movie()->is_in_parts()) job.problem = Error{ErrorKind::wrong_type, kPartsLost};
}

FilmJob job_of(const std::string &word, const CaptionWish &wish, const OutputWish &outputs) {
  FilmJob job;
  job.word = word;
  job.name = word.substr(word.rfind('/') + 1);
  job.is_text = wish.is_translation;
  job.format = outputs.format;
  const auto place = place_of(word, job);
  if (!place && outputs.file.empty()) {
    job.problem = place.error();
    return job;
  }
  if (place) job.name = place->substr(place->rfind('/') + 1);
  const bool is_file = !is_address(word) || !path_of_uri(word).empty();
  if (place && is_file) job.path = *place;
  if (job.is_text && is_clip_uri(job.uri))
    job.problem =
        Error{ErrorKind::wrong_type, "A clip has a picture, and no subtitles that could be translated."};
  else if (place)
    job.problem = problem_of_film(*place, is_file);
  job.outputs = film_outputs(place ? *place : "", outputs);
  for (const FilmOutput &output : job.outputs)
    if (!job.problem && !job.path.empty() && is_same_file(output.path, job.path))
      job.problem = Error{ErrorKind::settings, "Its captions would replace it; give another --output."};
    else if (!job.problem && wish.output != kStandardOutput && is_of_store(output.path))
      job.problem =
          Error{ErrorKind::settings, "Its captions would be a file of a clip store; give another --output."};
  if (job.problem) return job;
  job.has_own_name = !outputs.file.empty();
  job.replaces = wish.force || wish.output == kStandardOutput;
  look_for_outputs(job);
  if (!job.problem && !job.is_there && !job.path.empty() && !job.is_text) look_at_film(job.path, job);
  return job;
}

// The format that the options and the name of the output agree on.
Result<FilmFormat> format_of(const std::string &film, const CaptionWish &wish, bool is_file_named) {
  const FilmFormat named = is_file_named ? format_named(wish.output) : FilmFormat::automatic;
  if (is_file_named && named == FilmFormat::automatic && wish.format == FilmFormat::automatic &&
      has_extension(wish.output))
    return Error{ErrorKind::settings,
                 "The name of --output ends in none of .vtt, .srt, .mkv and .mp4; say the format with --to."};
  const FilmFormat of_film = wish.is_translation ? format_named(film) : FilmFormat::automatic;
  FilmFormat format = wish.format != FilmFormat::automatic ? wish.format : named;
  if (format == FilmFormat::automatic && of_film != FilmFormat::automatic && !is_container(of_film))
    format = of_film;
  if (format == FilmFormat::automatic) format = FilmFormat::vtt;
  if (named != FilmFormat::automatic && named != format)
    return Error{ErrorKind::settings,
                 "The name of --output is not one for --to " + std::string(to_word(format)) + "."};
  if (wish.is_translation && is_container(format))
    return Error{ErrorKind::settings, "A translation is written as vtt or srt."};
  return format;
}

Result<void> check_stream(const CaptionWish &wish, FilmFormat format) {
  if (wish.output != kStandardOutput) return {};
  if (wish.languages.size() > 1)
    return Error{ErrorKind::settings, "Standard output takes one language; name a file or a folder."};
  if (is_container(format))
    return Error{ErrorKind::settings,
                 "Standard output takes vtt or srt; name a file for a copy of the film."};
  return {};
}

bool is_written_by(const FilmJob &film, const FilmJob &writer) {
  return std::ranges::any_of(writer.outputs,
                             [&](const FilmOutput &output) { return is_same_file(output.path, film.word); });
}

// "*.mkv" matches the copies of the last run, too. Leaves them out.
void leave_out_own_outputs(std::vector<FilmJob> &jobs) {
  const std::vector<FilmJob> all = jobs;
  std::erase_if(jobs, [&all](const FilmJob &job) {
    const auto writer = std::ranges::find_if(all, [&job](const FilmJob &other) {
      return other.word != job.word && is_written_by(job, other) && !is_written_by(other, job);
    });
    if (writer == all.end()) return false;
    print_error(
        printable(job.word + " is left out: the captions of " + writer->word + " are written to it."));
    return true;
  });
}

// Two films must not write the same file.
Result<void> check_clashes(const std::vector<FilmJob> &jobs) {
  BatchOutputs taken;
  for (size_t i = 0; i < jobs.size(); ++i)
    for (const FilmOutput &output : jobs[i].outputs)
      if (const auto other = taken.add(output.path, false, static_cast<unsigned>(i)))
        return Error{ErrorKind::settings, jobs[*other].word + " and " + jobs[i].word +
                                              " would both be written to " + output.path +
                                              ". Caption them one by one, with --output."};
  return {};
}

}  // namespace

void look_for_outputs(FilmJob &job) {
  for (FilmOutput &output : job.outputs) {
    output.stays = !job.replaces && is_there(output.path) && !is_special(output.path);
    output.is_older = output.stays && !job.path.empty() && is_older(output.path, job.path);
  }
  job.is_there = std::ranges::all_of(job.outputs, &FilmOutput::stays);
  // A name that follows from the film's tells whose captions are in it; one that the user gives does not, and
  // the same command can be run again. Only what was written before the film was is surely of another one.
  if (job.is_there && job.has_own_name && job.outputs.front().is_older)
    job.problem = Error{ErrorKind::open_write, stays_text(job.outputs.front())};
}

bool is_special(const std::string &path) { return is_there(path) && !is_regular(path) && !is_folder(path); }

std::string stays_text(const FilmOutput &output) {
  return output.path + " is there already, " + (output.is_older ? "older than its film, " : "") +
         "and stays as it is; --force replaces it.";
}

std::string skips_text(const FilmOutput &output) {
  return "The captions are there already, in " + output.path +
         (output.is_older ? ", which is older than its film, and stays as it is" : ", which stays as it is") +
         ": nothing is asked for it. To make them again, with the options of this run: --force. If they are "
         "of another film, name another file with --output.";
}

Result<std::vector<FilmJob>> plan_films(const std::vector<std::string> &words, const CaptionWish &wish) {
  const bool to_folder = wish.output.ends_with('/') || is_folder(wish.output);
  const bool is_file_named = !wish.output.empty() && !to_folder && wish.output != kStandardOutput;
  if (words.size() > 1 && !wish.output.empty() && !to_folder)
    return Error{ErrorKind::settings, "For several films, --output must be a folder."};
  if (to_folder && !is_folder(wish.output))
    return Error{ErrorKind::settings, "There is no folder " + wish.output + "."};
  std::vector<FilmJob> jobs;
  for (const std::string &word : words) {
    const auto format = format_of(word, wish, is_file_named);
    if (!format) return format.error();
    if (auto fits = check_stream(wish, *format); !fits) return fits.error();
    OutputWish outputs{*format, wish.languages, to_folder ? "" : wish.output, to_folder ? wish.output : "",
                       wish.is_translation};
    jobs.push_back(job_of(word, wish, outputs));
  }
  leave_out_own_outputs(jobs);
  if (auto clashes = check_clashes(jobs); !clashes) return clashes.error();
  return jobs;
}

}  // namespace genclip
