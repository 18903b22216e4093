// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip caption: the captions of whole films, or subtitles in another language.
#include <gst/gst.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "plugin/command/caption_dry_run.h"
#include "plugin/command/caption_films.h"
#include "plugin/command/caption_options.h"
#include "plugin/command/caption_plan.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/clip_output.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"

namespace genclip {
namespace {

constexpr CommandText kCaptionText{
    "caption", "FILE|URI…",
    "Captions whole films with a model of the text gateway, and writes files that\n"
    "players find: film.vtt beside film.mp4, or a copy of the film with tracks.",
    "A window is the piece of the film that one caption is about. Nothing is paid\n"
    "for twice: the store keeps each answer. To resume, run the same command again.\n\n"
    "A file is written once it has all captions of its film. One that is there\n"
    "already stays as it is, and nothing is asked; --force makes it again. But if\n"
    "--output names a file that is older than the film, it is an error: it may be\n"
    "of another film.\n\n"
    "--to mkv and --to mp4 copy the film's streams as they are, and add a track for\n"
    "each language. Several languages make several files otherwise: film.de.vtt.\n\n"
    "--dry-run tells how many requests a film takes at most, by its length, and how\n"
    "many tokens, by what requests to the model have taken before: with none in the\n"
    "store, that is unknown. It sends nothing and decodes nothing, so it does not\n"
    "know which answers the store has.\n\n"
    "Exit code: 0 all files are there, 1 some films failed, 2 usage error, 75 films\n"
    "are pending because a budget or the quota is spent, or because the gateway\n"
    "keeps refusing or cannot be reached: run again later, 130 stopped by Ctrl-C.\n\n"
    "Examples:\n"
    "  genclip caption film.mp4 --dry-run\n"
    "  genclip caption film.mp4 --interval 10 --jobs 16\n"
    "  genclip caption *.mkv --to srt --output subtitles/\n"
    "  genclip caption --translate film.srt --language de\n"};

}  // namespace

int run_caption(const Words &words) {
  CaptionWish wish;
  FilmsRun run;
  FilmCaptionOptions element;
  std::vector<std::string> languages;
  std::vector<std::string> texts;
  bool dry_run = false;
  CommandOptions options(kCaptionText);
  options.add("to", "FORMAT", "vtt, srt, mkv or mp4 (by the output's name, else vtt)", wish.format);
  options.add("output", 'o', "FILE", "The file, or a folder for several; - for standard output", wish.output);
  options.add("language", 'l', "LIST", "Languages of the captions, such as de,en", languages);
  options.add("translate", "FILE", "Translate subtitles (srt, vtt) instead", texts);
  options.add("force", 'f', "Make captions again that are there already", wish.force);
  options.add("dry-run", 0, "Only tell what it takes: send nothing", dry_run);
  options.add("json", 'j', "Print a line of JSON for each film", run.json);
  options.add("quiet", 'q', "Print no progress", run.quiet);
  element.add_to(options);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  wish.output = output_named(wish.output);
  wish.is_translation = !texts.empty();
  texts.insert(texts.end(), rest->begin(), rest->end());
  if (texts.empty()) return options.refuse("A film is missing.");
  if (const std::string problem = element.problem(); !problem.empty()) return options.refuse(problem);
  std::string list;
  for (const std::string &given : languages) list += (list.empty() ? "" : ",") + given;
  const auto tags = languages_of(list);
  if (!tags) return options.refuse(tags.error().text);
  wish.languages = *tags;
  if (wish.is_translation && wish.languages.empty() && element.text_of("prompt").empty())
    return options.refuse(
        "Say the language of the translation with --language, or what to do with --prompt.");
  if (run.json && wish.output == kStandardOutput)
    return options.refuse("Standard output takes the captions or JSON, not both.");

  gst_init(nullptr, nullptr);
  const auto jobs = plan_films(texts, wish);
  if (!jobs) return options.refuse(jobs.error().text);
  // Wrong options fail here, and not once for each film.
  if (const auto tried = element.make({}, wish.is_translation); !tried)
    return tried.error().kind == ErrorKind::settings ? options.refuse(tried.error().text)
                                                     : report_failure(tried.error(), false);
  if (dry_run) return estimate_films(*jobs, element, run);
  return caption_films(*jobs, wish.languages, element, run);
}

}  // namespace genclip
