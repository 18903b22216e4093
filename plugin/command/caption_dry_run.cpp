// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which answers the store has is unknown here: their keys come from the stills, so the film would have to be
// decoded. The numbers are those of a film that nobody has asked about.
#include "plugin/command/caption_dry_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "plugin/account/caption_average.h"
#include "plugin/base/number.h"
#include "plugin/caption/window_count.h"
#include "plugin/channel/clip_survey.h"
#include "plugin/command/account_reading.h"
#include "plugin/command/amounts.h"
#include "plugin/command/console.h"
#include "plugin/command/text_table.h"
#include "plugin/film/film_progress.h"
#include "plugin/film/film_run.h"
#include "plugin/film/subtitle_file.h"
#include "plugin/store/clip_path.h"
#include "plugin/task/media_probe.h"

namespace genclip {
namespace {

constexpr std::chrono::seconds kPatience{30};

// What the options make of the element.
struct Asked {
  std::string model;
  uint64_t cues_per_request = 1;
  WindowRules windows;
};

// What a film takes; all unknown where its length is.
struct FilmNeeds {
  std::optional<double> length;  // s
  std::string warning;           // A sentence.
  std::optional<uint64_t> windows;
  std::optional<uint64_t> requests;
  std::optional<Error> problem;
};

FilmNeeds needs_of(const FilmJob &job, const Asked &asked) {
  FilmNeeds needs;
  needs.problem = job.problem;
  if (job.problem) return needs;
  if (job.is_there) {
    needs.windows = needs.requests = 0;
    return needs;
  }
  for (const FilmOutput &output : job.outputs) {
    if (output.stays) continue;
    if (auto tried = try_to_write(output.path, is_container(job.format)); !tried) {
      needs.problem = tried.error();
      return needs;
    }
  }
  if (job.is_text) {
    const auto read = load_subtitles(job.uri);
    if (!read) {
      needs.problem = read.error();
      return needs;
    }
    needs.windows = read->cues.size();
    needs.requests = (read->cues.size() + asked.cues_per_request - 1) / asked.cues_per_request;
    if (!read->assumed_encoding.empty()) needs.warning = text_of_assumed_encoding(read->assumed_encoding);
    return needs;
  }
  if (job.is_picture) {
    needs.windows = needs.requests = 1;
    return needs;
  }
  // To look at it would be to generate it.
  if (is_clip_uri(job.uri)) return needs;
  MediaFacts facts;
  if (auto probed = probe_media(job.uri, MediaKind::video, kPatience, facts, nullptr); !probed) {
    needs.problem = probed.error();
    needs.problem->text = "It " + needs.problem->text + ".";
    return needs;
  }
  if (facts.has_picture == false) needs.problem = Error{ErrorKind::wrong_type, kNoPictureInIt};
  if (facts.container == kEndlessContainer) needs.problem = Error{ErrorKind::wrong_type, kEndless};
  needs.length = facts.duration;
  // Its demuxer guesses it, by what stands at the two ends.
  if (facts.container == "video/mpegts")
    needs.warning =
        "It may take more or less: a transport stream does not tell its length, which is guessed.";
  if (facts.duration) {
    const auto length = static_cast<uint64_t>(std::llround(*facts.duration * 1e9));
    // A sound often lasts a little longer.
    const Stretch picture = job.shown.value_or(Stretch{0, length});
    const WindowCount count = count_windows(picture.begin, picture.end, asked.windows);
    needs.windows = count.windows;
    needs.requests = count.most;
  }
  return needs;
}

Asked asked_by(const FilmCaptionOptions &options, bool translates) {
  Asked asked;
  auto element = options.make({}, translates);
  if (!element) return asked;
  char *raw = nullptr;
  guint cues = 1;
  guint64 interval = 0, least = 0;
  g_object_get(element->get(), "model", &raw, "cues-per-request", &cues, "interval", &interval,
               "min-interval", &least, nullptr);
  const GStringPtr model(raw);
  asked.windows.interval = interval;
  GValue align = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(element->get()), "align", &align);
  if (GStringPtr(gst_value_serialize(&align)).get() == std::string_view("cuts"))
    asked.windows.min_interval = least;
  g_value_unset(&align);
  asked.model = model.get();
  asked.cues_per_request = std::max(cues, 1U);
  return asked;
}

std::optional<double> tokens_each(const FilmCaptionOptions &options, const std::string &model) {
  const auto reading = read_account(store_root(options.text_of("store")), Reading::condensed);
  if (!reading) {
    print_warning(reading.error().text);
    return std::nullopt;
  }
  return average_tokens(reading->account, "", model);
}

std::string paths_of(const std::vector<FilmOutput> &outputs) {
  std::string paths;
  for (const FilmOutput &output : outputs)
    if (!output.stays) paths += (paths.empty() ? "" : ", ") + output.path;
  return paths;
}

std::string number_or(const std::optional<uint64_t> &number) {
  return number ? std::to_string(*number) : "unknown";
}

}  // namespace

int estimate_films(const std::vector<FilmJob> &jobs, const FilmCaptionOptions &options, const FilmsRun &run) {
  const Asked asked = asked_by(options, !jobs.empty() && jobs.front().is_text);
  const std::optional<double> each = tokens_each(options, asked.model);
  const auto tokens_of = [&](const std::optional<uint64_t> &requests) -> std::optional<uint64_t> {
    if (!each || !requests) return std::nullopt;
    return static_cast<uint64_t>(std::llround(*each * static_cast<double>(*requests)));
  };
  const auto json_of = [](const std::optional<uint64_t> &number) {
    return number ? Json(static_cast<int64_t>(*number)) : Json();
  };
  TextTable table({{"FILM"},
                   {"LENGTH", TextTable::Align::right},
                   {"REQUESTS", TextTable::Align::right},
                   {"TOKENS", TextTable::Align::right},
                   {"OUTPUT"}});
  uint64_t total = 0, without_limit = 0;
  size_t unknown = 0, failed = 0;
  for (const FilmJob &job : jobs) {
    FilmNeeds needs = needs_of(job, asked);
    without_limit += needs.requests.value_or(0);
    // The limit holds for all films of the run together.
    if (needs.requests && options.max_requests() > 0)
      needs.requests = std::min(*needs.requests, options.max_requests() - total);
    failed += needs.problem.has_value();
    unknown += !needs.problem && !needs.requests;
    total += needs.requests.value_or(0);
    for (const FilmOutput &output : job.outputs)
      if (output.stays && !needs.problem) print_error(printable(skips_text(output)));
    if (needs.problem) print_error(printable(job.word + " cannot be captioned: " + needs.problem->text));
    if (!needs.warning.empty()) print_warning(printable(job.name + ": " + needs.warning));
    Json json = film_json(job, needs.problem ? "failed" : job.is_there ? "skipped" : "planned");
    json.set("length", needs.length ? Json(*needs.length) : Json());
    json.set("windows", json_of(needs.windows));
    json.set("requests", json_of(needs.requests));
    json.set("tokens", json_of(tokens_of(needs.requests)));
    if (needs.problem) json.set("error", needs.problem->text);
    if (run.json) print_json_line(json);
    if (!needs.problem)
      table.add({printable(job.name), needs.length ? clock_text(static_cast<int64_t>(*needs.length)) : "",
                 number_or(needs.requests), number_or(tokens_of(needs.requests)),
                 job.is_there ? "is there" : printable(paths_of(job.outputs))});
  }
  if (!run.json) print(table.to_text(stdout));
  if (without_limit == 0 && unknown == 0) {
    print_error("There is nothing to ask.");
    return failed > 0 ? kFailed : kOk;
  }
  const std::string unknown_films = counted(static_cast<int64_t>(unknown), "film") + " of unknown length";
  if (without_limit == 0) {
    print_error("How many requests it takes is unknown: " + unknown_films + ".");
    return failed > 0 ? kFailed : kOk;
  }
  std::string text = "At most " + counted(static_cast<int64_t>(total), "request");
  if (const auto tokens = tokens_of(total))
    text += ", about " + counted(static_cast<int64_t>(*tokens), "token") + " (" +
            std::to_string(std::llround(*each)) + " each, by the ledger)";
  if (total < without_limit)
    text += ", then --max-requests ends the run; without it, at most " +
            counted(static_cast<int64_t>(without_limit), "request");
  if (unknown > 0) text += ", and " + unknown_films;
  text += ".";
  if (!each)
    text += " How many tokens " + std::string(total == 1 ? "it takes" : "they take") +
            " is unknown until an answer of " + printable(asked.model) + " has told its own.";
  print_error(text + " What the store has is not asked again.");
  return failed > 0 ? kFailed : kOk;
}

}  // namespace genclip
