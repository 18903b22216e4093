// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/caption_options.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plugin/account/decision.h"
#include "plugin/base/number.h"
#include "plugin/catalog/catalog.h"

namespace genclip {
namespace {

struct FilmOption {
  const char *property;
  char letter;
  const char *value_name, *help;
};

// Those that decide what is asked, how it reads, and where it is sent. The others are for live streams.
constexpr FilmOption kFilmOptions[] = {
    {"model", 0, "TEXT-MODEL", "Text model that writes the captions"},
    {"prompt", 0, "TEXT", "What to ask the model about each window"},
    {"system-instruction", 0, "TEXT", "System prompt"},
    {"temperature", 0, "NUMBER", "Sampling temperature"},
    {"top-p", 0, "NUMBER", "Nucleus sampling, 0 to 1"},
    {"max-output-tokens", 0, "N", "Longest answer in tokens"},
    {"align", 0, "WHAT", "Where windows end: fixed, or cuts: where the picture changes, too (fixed)"},
    {"stills", 0, "WHAT", "Stills from before or within the window (before)"},
    {"frames", 0, "N", "Stills in a request (1)"},
    {"max-frame-size", 0, "PIXELS", "Longer side of a still; 0: as it is (768)"},
    {"scene-threshold", 0, "NUMBER", "Ask only if the picture changed so much (0)"},
    {"context", 0, "N", "Earlier captions sent along (0)"},
    {"cues-per-request", 0, "N", "Translation: cues in one request (10)"},
    {"max-line-length", 0, "N", "Characters in a line; 0: no limit (42)"},
    {"max-lines", 0, "N", "Lines at a time; 0: no limit (2)"},
    {"max-cps", 0, "N", "Characters per second; 0: no limit (20)"},
    {"on-error", 0, "WHAT", "If a window fails: fail, or skip it (fail)"},
    {"cache", 0, "HOW", "Use of kept answers: auto, off, read, read-write"},
    {"store", 's', "FOLDER", "Folder of the clip store; else $GENCLIP_STORE"},
    {"project", 0, "NAME", "Project for genclip cost; else $GENCLIP_PROJECT"},
    {"llm-base-url", 'b', "URL", "Text gateway; else $GENCLIP_LLM_BASE_URL"},
    {"api-key-file", 'k', "FILE",
     "File with the key; else $GENCLIP_API_KEY, or the file of $GENCLIP_API_KEY_FILE"},
    {"timeout", 0, "SECONDS", "Longest exchange with the gateway (60)"},
    {"retries", 0, "N", "Retries of a request (3)"},
    {"user-agent", 0, "TEXT", "User-Agent header; else genclip's"},
    {"proxy", 0, "URL", "HTTP proxy; else the system's"},
    {"tls-ca-file", 0, "FILE", "Authority to trust besides the system's"},
};

// One account for captions and for a film that has to be generated.
constexpr const char *kOfSource[] = {"store",      "project", "api-key-file",
                                     "user-agent", "proxy",   "tls-ca-file"};

// A translation keeps each cue as it is: at its time, and whole.
constexpr struct {
  const char *property, *text;
} kForTranslations[] = {
    {"max-lines", "0"},
    {"max-cps", "0"},
    {"cues-per-request", "10"},
    {"prompt",
     "Translate this subtitle of a film. Keep its line breaks. Answer with the translation alone."}};

constexpr double kLongestInterval_s = 86'400;
constexpr double kShortestInterval_ns = 1e6;
constexpr uint64_t kUsualInterval_ns = 5'000'000'000;

// Seconds. Numbers beyond a day can only be nanoseconds, the unit of the element.
std::optional<uint64_t> interval_of(double number) {
  const double ns = number <= kLongestInterval_s ? number * 1e9 : number;
  if (!(ns >= kShortestInterval_ns && ns <= kLongestInterval_s * 1e9)) return std::nullopt;
  return static_cast<uint64_t>(std::llround(ns));
}

}  // namespace

FilmCaptionOptions::FilmCaptionOptions() {
  for (const FilmOption &row : kFilmOptions) properties_.push_back({row.property, nullptr, row.help, {}});
}

void FilmCaptionOptions::add_to(CommandOptions &options) {
  options.add("interval", "SECONDS", "Length of a window: one caption, one request (5)", interval_);
  options.add("min-interval", "SECONDS", "Shortest window with --align cuts (1)", min_interval_);
  options.add("jobs", "N", "Requests at once (4)", jobs_, 1);
  options.add("max-requests", "N", "Most requests of this run; 0: no limit (0)", max_requests_, 0);
  options.add("max-tokens", 0, "N", "Most tokens of this run; 0: no limit (0)", max_tokens_);
  for (size_t i = 0; i < properties_.size(); ++i)
    options.add(kFilmOptions[i].property, kFilmOptions[i].letter, kFilmOptions[i].value_name,
                kFilmOptions[i].help, properties_[i].text);
}

std::string FilmCaptionOptions::problem() const {
  for (const auto &[name, seconds] : {std::pair("interval", interval_), {"min-interval", min_interval_}})
    if (seconds && !interval_of(*seconds))
      return std::string("--") + name + " must be a number of seconds, from 0.001 to 86400.";
  if (!max_tokens_.empty() && !parse_number<uint64_t>(max_tokens_))
    return "--max-tokens must be an integer, 0 or more.";
  return {};
}

uint64_t FilmCaptionOptions::interval_ns() const {
  return interval_ ? interval_of(*interval_).value_or(kUsualInterval_ns) : kUsualInterval_ns;
}

std::string FilmCaptionOptions::text_of(std::string_view property) const {
  const auto found =
      std::ranges::find_if(properties_, [&](const ElementProperty &one) { return one.name == property; });
  return found == properties_.end() ? "" : found->text;
}

bool FilmCaptionOptions::sends_context() const {
  return parse_number<uint64_t>(text_of("context")).value_or(0) > 0;
}

SourceSettings FilmCaptionOptions::source_settings() const {
  SourceSettings settings;
  for (const char *name : kOfSource)
    if (std::string text = text_of(name); !text.empty()) settings.emplace_back(name, std::move(text));
  return settings;
}

bool FilmCaptionOptions::keeps_answers() const {
  const std::string cache = text_of("cache");
  return cache.empty() || cache == "auto" || cache == "read-write";
}

std::string FilmCaptionOptions::spent_limit(const UsedLimits &used) const {
  const uint64_t tokens = parse_number<uint64_t>(max_tokens_).value_or(0);
  if (max_requests_ > 0 && used.requests >= max_requests_) return "The budget of --max-requests is used up.";
  // The first request of a gencaption is always sent.
  if (tokens == 0 || used.tokens == 0 || used.tokens + used.most_tokens <= tokens) return {};
  const auto limit = static_cast<double>(tokens);
  return "The budget of --max-tokens is used up: " + amount_text(static_cast<double>(used.tokens)) + " of " +
         counted(amount_text(limit), "token") + " are used, and one more caption may exceed it.";
}

Result<GRef<GstElement>> FilmCaptionOptions::make(const UsedLimits &used, bool translates) const {
  auto made = make_own_element("gencaption");
  if (!made) return std::move(made).error();
  GstElement *element = made->get();
  auto properties = properties_;
  if (translates)
    for (const auto &usual : kForTranslations)
      for (ElementProperty &property : properties)
        if (std::string_view(property.name) == usual.property && property.text.empty())
          property.text = usual.text;
  const std::string model = text_of("model");
  if (const auto catalog = Catalog::shared(); !model.empty() && !catalog->find_text(model))
    return Error{ErrorKind::settings, catalog->unknown_text_model_text(model)};
  properties.push_back({"max-in-flight", "jobs", "", std::to_string(jobs_)});
  if (auto set = set_properties(element, properties); !set) return std::move(set).error();
  const uint64_t tokens = parse_number<uint64_t>(max_tokens_).value_or(0);
  g_object_set(element, "interval", interval_ns(), "max-requests",
               max_requests_ > 0 ? static_cast<guint>(max_requests_ - used.requests) : 0U, "max-tokens",
               tokens > 0 ? tokens - used.tokens : uint64_t{0}, nullptr);
  if (const auto least = min_interval_ ? interval_of(*min_interval_) : std::nullopt)
    g_object_set(element, "min-interval", *least, nullptr);
  return made;
}

}  // namespace genclip
