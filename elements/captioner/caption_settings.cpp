// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/captioner/caption_settings.h"

#include <cmath>
#include <utility>
#include <vector>

#include "elements/enum_type.h"
#include "plugin/account/decision.h"
#include "plugin/base/number.h"
#include "plugin/catalog/catalog.h"
#include "plugin/catalog/check_request.h"
#include "plugin/catalog/settings.h"
#include "plugin/http/api_key.h"
#include "plugin/http/http_settings.h"
#include "plugin/http/redaction.h"
#include "plugin/http/service_address.h"
#include "plugin/store/clip_path.h"

namespace genclip {
namespace {

GType late_policy_type() {
  return enum_type<LatePolicy>(
      "GenclipLatePolicy", {"A late caption is left out",
                            "A late caption starts late, stays long enough to read, and delays the next ones",
                            "A late caption starts at once and ends with its interval"});
}

GType on_error_type() {
  return enum_type<OnError>("GenclipOnError",
                            {"Stop with an error", "Warn and continue without that caption"});
}

GType stills_type() {
  return enum_type<Stills>("GenclipCaptionStills",
                           {"The first picture of its time, and earlier ones",
                            "Pictures of its own time, spread over it; needs look-ahead: see align"});
}

GType align_type() {
  return enum_type<Align>("GenclipCaptionAlign",
                          {"After each interval", "Also where the picture changes (scene-threshold)"});
}

GType image_sampling_type() {
  return enum_type<ImageSampling>(
      "GenclipImageSampling",
      {"One image per interval if images arrive faster than that, otherwise each image",
       "One image per interval", "Each image"});
}

GType caption_cache_type() {
  return enum_type<CaptionCache>(
      "GenclipCaptionCache",
      {"read-write; off in a live stream", "Keep nothing, and use nothing that was kept",
       "Use kept answers, but keep none", "Use kept answers, and keep new ones"});
}

const Property<CaptionSettings> kCaptionProperties[] = {
    {"model", "Text model of the gateway, suffix included", &CaptionSettings::model},
    {"prompt",
     "What to ask the model about the stills or the text",
     &CaptionSettings::prompt,
     {},
     Access::while_playing},
    {"system-instruction",
     "System prompt; unset: none is sent",
     &CaptionSettings::system_instruction,
     {},
     Access::while_playing},
    {"temperature", "Sampling temperature; -1: the model decides", &CaptionSettings::temperature, {-1, 100}},
    {"top-p", "Nucleus sampling; -1: the model decides", &CaptionSettings::top_p, {-1, 1}},
    {"max-output-tokens", "Maximum number of tokens in an answer; 0: the model decides",
     &CaptionSettings::max_output_tokens},
    {"stream", "Stream the answer; push each sentence as soon as it is complete", &CaptionSettings::stream},
    {"interval",
     "Stream time that one caption covers, in nanoseconds",
     &CaptionSettings::interval,
     {1e6, 86400e9}},
    {"align", "Where the time of a caption ends; cuts needs look-ahead: a queue of two intervals beside it",
     enum_field<&CaptionSettings::align>(align_type)},
    {"min-interval",
     "align=cuts: minimum stream time that one caption covers, in nanoseconds",
     &CaptionSettings::min_interval,
     {1e6, 86400e9}},
    {"frames", "Number of stills in a request", &CaptionSettings::frames, {1, 16}},
    {"stills", "Which pictures are the stills of a caption",
     enum_field<&CaptionSettings::stills>(stills_type)},
    {"max-frame-size",
     "Maximum length of the longer side of a still, in pixels; 0: stills are not scaled",
     &CaptionSettings::max_frame_size,
     {0, 65000}},
    {"scene-threshold",
     "Send a request only if the picture changed by this much (0 to 1), otherwise repeat the last caption; "
     "0: always send. align=cuts: a change by this much is a cut; 0: by 0.1",
     &CaptionSettings::scene_threshold,
     {0, 1}},
    {"merge-repeats",
     "Not live: let a caption stand until its text changes, as one cue, where no request was sent for its "
     "repetitions; else each window has a cue of its own",
     &CaptionSettings::merge_repeats},
    {"image-sampling", "Image input: which images get their own caption",
     enum_field<&CaptionSettings::image_sampling>(image_sampling_type)},
    {"context", "Number of earlier captions to send with a request", &CaptionSettings::context, {0, 100}},
    {"cues-per-request",
     "Text input: number of texts that one request may ask about, as numbered lines; if the same numbers do "
     "not "
     "come back, each text is asked about by itself",
     &CaptionSettings::cues_per_request,
     {1, 1000}},
    {"max-in-flight",
     "Maximum number of concurrent requests; captions stay in order",
     &CaptionSettings::max_in_flight,
     {1, 64}},
    {"max-waiting",
     "Not live: number of answers that may wait for an earlier one while more requests are sent; 0: 4 x "
     "max-in-flight",
     &CaptionSettings::max_waiting,
     {0, 1024}},
    {"latency", "Live: maximum delay of a caption, in milliseconds", &CaptionSettings::latency_ms},
    {"late-policy", "Live: what to do with a caption that exceeds the latency",
     enum_field<&CaptionSettings::late_policy>(late_policy_type)},
    {"max-line-length",
     "Maximum length of a line, in characters; a full-width one counts as two; 0: no limit",
     &CaptionSettings::max_line_length,
     {0, 1000}},
    {"max-lines",
     "Maximum number of lines shown at a time; further lines make the next cue; 0: no limit",
     &CaptionSettings::max_lines,
     {0, 100}},
    {"max-cps",
     "Maximum reading speed, in characters per second; a longer caption is shortened; 0: no limit",
     &CaptionSettings::max_cps,
     {0, 1000}},
    {"on-error", "What to do when a caption cannot be generated",
     enum_field<&CaptionSettings::on_error>(on_error_type)},
    {"max-requests",
     "Maximum number of requests in a run, after which captions stop; 0: no limit",
     &CaptionSettings::max_requests,
     {},
     Access::while_playing},
    {"asking",
     "Whether requests are sent; false: no more are, and further windows have no captions, except those that "
     "are known; answers on their way still come",
     &CaptionSettings::asking,
     {},
     Access::while_playing},
    {"max-tokens",
     "Maximum number of tokens in a run, those of the prompts included, after which captions stop; 0: no "
     "limit",
     &CaptionSettings::max_tokens},
    {"max-amount",
     "Maximum cost of the captions of a run in credits; the text gateway tells tokens but no prices, so with "
     "any limit nothing is sent, with an error; 0: no limit",
     &CaptionSettings::max_amount,
     // GObject would ignore a value that is out of range.
     {-INFINITY, INFINITY}},
    {"cache",
     "Whether answers are kept in the store, where later runs find them: the same question is then paid for "
     "once",
     enum_field<&CaptionSettings::cache>(caption_cache_type)},
    {"store",
     "Folder of the clip store, whose ledger counts requests and tokens and whose budget limits them; unset: "
     "$GENCLIP_STORE, else genclip in the user's cache folder",
     &CaptionSettings::store},
    {"project", "Whose account the requests and tokens are on in genclip cost; unset: $GENCLIP_PROJECT",
     &CaptionSettings::project},
    {"llm-base-url", "Base address of the text gateway; unset: $GENCLIP_LLM_BASE_URL",
     &CaptionSettings::llm_base_url},
    {"api-key",
     "API key; unset: api-key-file, $GENCLIP_API_KEY or $GENCLIP_API_KEY_FILE",
     &CaptionSettings::api_key,
     {},
     Access::write_only},
    {"api-key-file",
     "File with the API key, which only its owner should be able to read; unset: $GENCLIP_API_KEY, or the "
     "file of $GENCLIP_API_KEY_FILE",
     &CaptionSettings::api_key_file},
    {"timeout",
     "Maximum time for one exchange with the gateway, in seconds; 0: no limit",
     &CaptionSettings::timeout_s,
     {0, 86400}},
    {"retries",
     "Number of retries of a request after a transient failure",
     &CaptionSettings::retries,
     {0, 100}},
    {"tls-ca-file", "PEM file with a certificate authority to trust besides the system's",
     &CaptionSettings::tls_ca_file},
    {"user-agent", "Value of the User-Agent header; unset: genclip and its version",
     &CaptionSettings::user_agent},
    {"proxy",
     "URL of the HTTP proxy; read: without its user and password; unset: the system's proxy",
     &CaptionSettings::proxy,
     {},
     Access::until_ready,
     redact_url},
};

constexpr AddressSetting kLlmBaseUrl{"llm-base-url", "GENCLIP_LLM_BASE_URL", ""};

}  // namespace

std::span<const Property<CaptionSettings>> caption_properties() {
  // Never destroyed: elements may outlive main().
  static const auto &rows = *new std::vector<Property<CaptionSettings>>(std::begin(kCaptionProperties),
                                                                        std::end(kCaptionProperties));
  return rows;
}

Result<CaptionSettings> checked(CaptionSettings settings) {
  std::vector<Problem> problems;
  const auto say = [&problems](const char *field, std::string text) {
    if (!text.empty()) problems.push_back({field, std::move(text)});
  };
  const auto catalog = Catalog::shared();
  if (!catalog->find_text(settings.model)) say("model", catalog->unknown_text_model_text(settings.model));
  if (settings.temperature < 0 && settings.temperature != -1)
    say("temperature", "temperature must be -1, or 0 or more.");
  if (settings.top_p < 0 && settings.top_p != -1) say("top-p", "top-p must be -1, or from 0 to 1.");
  say("max-amount", max_amount_problem(settings.max_amount));
  settings.llm_base_url = service_address(settings.llm_base_url, kLlmBaseUrl);
  say("llm-base-url", address_problem(settings.llm_base_url, kLlmBaseUrl));
  auto key = find_api_key(settings.api_key, settings.api_key_file);
  if (key)
    settings.key = *std::move(key);
  else
    say("api-key", settings.key_problem = std::move(key).error().text);
  for (std::string &problem : problems_of({settings.proxy, settings.tls_ca_file}))
    say("", std::move(problem));
  say("user-agent", header_problem("The property user-agent", settings.user_agent));
  const bool lacks_only_key = problems.size() == 1 && !settings.key_problem.empty() &&
                              !names_api_key(settings.api_key, settings.api_key_file);
  // If the store has all answers, no key is needed.
  const bool may_do_without = lacks_only_key && settings.cache != CaptionCache::off;
  if (!problems.empty() && !may_do_without) return Error{ErrorKind::settings, problems_text(problems)};
  settings.store = store_root(settings.store);
  const char *project = g_getenv("GENCLIP_PROJECT");
  if (settings.project.empty() && project) settings.project = project;
  return settings;
}

std::optional<Error> reason_to_ask_nothing(const CaptionSettings &settings) {
  // Who shows kept captions alone has no use for a key, so a missing one is told first.
  if (!settings.key_problem.empty())
    return Error{ErrorKind::settings,
                 "This caption is not in the store " + settings.store + ". " + settings.key_problem};
  if (settings.max_amount <= 0) return std::nullopt;
  // As of a clip whose price is unknown. No caption will ever have one, until the gateway tells credits.
  Decision decision;
  decision.verdict = Verdict::refuse;
  decision.budget = "max-amount";
  decision.limit = settings.max_amount;
  decision.text = "Nothing was sent: max-amount allows these captions " +
                  counted(amount_text(settings.max_amount), "credit") +
                  ", and nothing is known of their price, because the text gateway tells tokens and no "
                  "credits. Unset max-amount; what limits captions is max-requests, max-tokens, and: genclip "
                  "budget set --requests-per-day N --tokens-per-day N.";
  return refusal_error(decision);
}

}  // namespace genclip
