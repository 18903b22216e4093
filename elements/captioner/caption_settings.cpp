// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/captioner/caption_settings.h"

#include <string_view>
#include <vector>

#include "elements/enum_type.h"
#include "plugin/base/gref.h"
#include "plugin/catalog/catalog.h"
#include "plugin/http/api_key.h"
#include "plugin/http/http_settings.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

GType late_policy_type() {
  return enum_type<LatePolicy>(
      "GenclipLatePolicy",
      {"A late caption is left out", "It starts late, stays long enough to read, and moves later ones",
       "It starts at once and ends with its window"});
}

GType on_error_type() {
  return enum_type<OnError>("GenclipOnError", {"Stop with an error", "Warn and go on without that caption"});
}

GType image_sampling_type() {
  return enum_type<ImageSampling>("GenclipImageSampling",
                                  {"One image per interval where they come faster than that, else each image",
                                   "One image per interval", "Each image"});
}

const Property<CaptionSettings> kCaptionProperties[] = {
    {"model", "Text model of the gateway, suffix included", &CaptionSettings::model},
    {"prompt",
     "What to ask about the stills or the text",
     &CaptionSettings::prompt,
     {},
     Access::while_playing},
    {"system-instruction",
     "System prompt; unset leaves it out",
     &CaptionSettings::system_instruction,
     {},
     Access::while_playing},
    {"temperature",
     "Sampling temperature; -1 leaves it to the model",
     &CaptionSettings::temperature,
     {-1, 100}},
    {"top-p", "Nucleus sampling; -1 leaves it to the model", &CaptionSettings::top_p, {-1, 1}},
    {"max-output-tokens", "Most tokens of one answer; 0 leaves it to the model",
     &CaptionSettings::max_output_tokens},
    {"stream", "Read the answer as it is written; sentences go out as they complete",
     &CaptionSettings::stream},
    {"interval",
     "Stream time that one caption is for, in nanoseconds",
     &CaptionSettings::interval,
     {1e6, 86400e9}},
    {"frames",
     "Stills sent with one request: the first picture of its interval, and earlier ones",
     &CaptionSettings::frames,
     {1, 16}},
    {"max-frame-size",
     "Longer side of a still as sent, in pixels; 0 sends it as it is",
     &CaptionSettings::max_frame_size,
     {0, 65000}},
    {"scene-threshold",
     "Ask only when the picture changed by this much (0 to 1), else repeat the last caption; 0 always asks",
     &CaptionSettings::scene_threshold,
     {0, 1}},
    {"image-sampling", "Image input: which images get a caption of their own",
     enum_field<&CaptionSettings::image_sampling>(image_sampling_type)},
    {"context", "Earlier captions sent along with a request", &CaptionSettings::context, {0, 100}},
    {"max-in-flight",
     "Requests at once; captions leave in order all the same",
     &CaptionSettings::max_in_flight,
     {1, 64}},
    {"max-waiting",
     "Not live: answers that wait for an earlier one, while further requests go out; 0 is 4 x max-in-flight",
     &CaptionSettings::max_waiting,
     {0, 1024}},
    {"latency", "Live: how late a caption may be, in milliseconds", &CaptionSettings::latency_ms},
    {"late-policy", "Live: what happens to a caption past the latency",
     enum_field<&CaptionSettings::late_policy>(late_policy_type)},
    {"on-error", "What happens when a caption cannot be had",
     enum_field<&CaptionSettings::on_error>(on_error_type)},
    {"max-requests", "Budget of requests for one run, after which captions stop; 0 has no limit",
     &CaptionSettings::max_requests},
    {"llm-base-url", "Base address of the text gateway; unset reads $GENCLIP_LLM_BASE_URL",
     &CaptionSettings::llm_base_url},
    {"api-key",
     "API key; unset: api-key-file, $GENCLIP_API_KEY or $GENCLIP_API_KEY_FILE",
     &CaptionSettings::api_key,
     {},
     Access::write_only},
    {"api-key-file", "File that holds the API key, readable by its owner alone",
     &CaptionSettings::api_key_file},
    {"timeout",
     "Most time for one exchange with the gateway, in seconds; 0 waits for ever",
     &CaptionSettings::timeout_s,
     {0, 86400}},
    {"retries",
     "Further tries of one request after a transient failure",
     &CaptionSettings::retries,
     {0, 100}},
    {"tls-ca-file", "File with a further certificate authority to trust", &CaptionSettings::tls_ca_file},
    {"user-agent", "User-Agent of requests; unset has one of genclip's own", &CaptionSettings::user_agent},
    {"proxy",
     "URI of the HTTP proxy, read back without its user and password; unset takes the system's",
     &CaptionSettings::proxy,
     {},
     Access::until_ready,
     redact_url},
};

std::string environment(const char *name) {
  const char *value = g_getenv(name);
  return value ? value : "";
}

void find_key(CaptionSettings &settings, std::vector<std::string> &problems) {
  auto key = find_api_key(settings.api_key, settings.api_key_file);
  if (key)
    settings.api_key = *std::move(key);
  else
    problems.push_back(std::move(key).error().text);
}

void find_base_url(CaptionSettings &settings, std::vector<std::string> &problems) {
  if (settings.llm_base_url.empty()) settings.llm_base_url = environment("GENCLIP_LLM_BASE_URL");
  if (settings.llm_base_url.empty()) {
    problems.push_back("llm-base-url is not set, nor is $GENCLIP_LLM_BASE_URL");
    return;
  }
  const auto uri = GRef<GUri>::adopt(g_uri_parse(settings.llm_base_url.c_str(), G_URI_FLAGS_NONE, nullptr));
  const std::string_view scheme = uri ? g_uri_get_scheme(uri.get()) : "";
  if ((scheme != "http" && scheme != "https") || !g_uri_get_host(uri.get()) || !*g_uri_get_host(uri.get()))
    problems.push_back("llm-base-url is not an http or https URL");
  else if (g_uri_get_userinfo(uri.get()) || g_uri_get_query(uri.get()) || g_uri_get_fragment(uri.get()))
    problems.push_back("llm-base-url must not hold a user, a query or a fragment");
}

}  // namespace

std::span<const Property<CaptionSettings>> caption_properties() { return kCaptionProperties; }

Result<CaptionSettings> checked(CaptionSettings settings) {
  std::vector<std::string> problems;
  const auto catalog = Catalog::shared();
  if (!catalog->find_text(settings.model))
    problems.push_back(catalog->unknown_text_model_text(settings.model));
  if (settings.temperature < 0 && settings.temperature != -1)
    problems.push_back("temperature is -1 or not negative");
  if (settings.top_p < 0 && settings.top_p != -1) problems.push_back("top-p is -1 or from 0 to 1");
  find_base_url(settings, problems);
  find_key(settings, problems);
  for (std::string &problem : problems_of({settings.proxy, settings.tls_ca_file}))
    problems.push_back(std::move(problem));
  if (problems.empty()) return settings;
  std::string text = "gencaption cannot start: ";
  for (std::string &problem : problems) {
    while (problem.ends_with('.')) problem.pop_back();
    text += (&problem == problems.data() ? "" : "; ") + problem;
  }
  return Error{ErrorKind::settings, text + "."};
}

}  // namespace genclip
