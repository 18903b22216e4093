// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The rows, in the order of the contract.
#include "elements/clipsrc/clip_settings.h"

#include "elements/structure_json.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

constexpr Property<ClipSettings> kClipProperties[] = {
    {"model", "Model ID, such as sd_2.0_special (required)", &ClipSettings::model},
    {"prompt", "What the clip should show (required)", &ClipSettings::prompt},
    {"duration", "Clip length in seconds, 0 for the model's default", &ClipSettings::duration},
    {"aspect-ratio", "Width to height, such as 16:9; unset for the model's default",
     &ClipSettings::aspect_ratio},
    {"resolution", "Resolution as the model spells it, such as 720p; unset for the model's default",
     &ClipSettings::resolution},
    {"size", "Frame size in pixels, such as 2560x1440, for models that have it", &ClipSettings::size},
    {"reference-mode", "How reference images are used (image, frame), for models that have it",
     &ClipSettings::reference_mode},
    {"seed", "Seed for the generation, -1 to leave it out", &ClipSettings::seed},
    {"generate-audio", "Whether the clip has sound",
     enum_field<&ClipSettings::generate_audio>(switch_get_type)},
    {"watermark", "Whether the clip bears a watermark",
     enum_field<&ClipSettings::watermark>(switch_get_type)},
    {"first-image", "URL or assetId://ID of the first frame", &ClipSettings::first_image},
    {"last-image", "URL or assetId://ID of the last frame", &ClipSettings::last_image},
    {"reference-images", "URLs or assetId://IDs of reference images", &ClipSettings::reference_images},
    {"reference-videos", "URLs or assetId://IDs of reference videos", &ClipSettings::reference_videos},
    {"reference-audios", "URLs or assetId://IDs of reference audios", &ClipSettings::reference_audios},
    {"extra-params", "Further request fields, sent as they are", &ClipSettings::extra_params},
    {"base-url", "Base address of the service, path prefix included; unset: $GENCLIP_BASE_URL (required)",
     &ClipSettings::base_url},
    {"api-key",
     "API key; unset: api-key-file, $GENCLIP_API_KEY or $GENCLIP_API_KEY_FILE",
     &ClipSettings::api_key,
     {},
     Access::write_only},
    {"api-key-file", "File that holds the API key, readable by its owner alone", &ClipSettings::api_key_file},
    {"api", "Which task API to use", enum_field<&ClipSettings::api>(api_get_type)},
    {"poll-interval",
     "Time between two queries of a task, in milliseconds; the service asks for 5000-10000",
     &ClipSettings::poll_interval_ms,
     {10, 600000}},
    {"timeout", "Longest time for the whole generation, in seconds from submit, 0 for ever",
     &ClipSettings::timeout_s},
    {"http-timeout",
     "Longest time without progress of one HTTP exchange, in seconds",
     &ClipSettings::http_timeout_s,
     {1, 3600}},
    {"retries",
     "Further tries of a submit, or of a download without progress, after a transient failure",
     &ClipSettings::retries,
     {0, 1000}},
    {"take", "Number of the take: another take of the same request is another clip", &ClipSettings::take},
    {"reuse", "Use a clip or task that is stored; false generates anew", &ClipSettings::reuse},
    {"store", "Folder of the clip store; unset: $GENCLIP_STORE, else genclip in the user's cache folder",
     &ClipSettings::store},
    {"store-max-size",
     "Largest size of the store in bytes, 0 for no limit; clips in use are kept, a warning tells what is "
     "removed",
     &ClipSettings::store_max_size},
    {"task-id", "ID of the current task; set it to attach to a task instead of submitting",
     &ClipSettings::task_id},
    {"check-media", "How closely reference media are looked at before the request is submitted",
     enum_field<&ClipSettings::check_media>(media_check_get_type)},
    {"random-access", "Offer pull mode", &ClipSettings::random_access},
    {"dry-run", "Validate, post the request as a message, then end the stream; no network, no key",
     &ClipSettings::dry_run},
    {"max-download-size", "Largest clip that is accepted, in bytes", &ClipSettings::max_download_size},
    {"tls-ca-file", "PEM file with a certificate authority to trust besides the system's",
     &ClipSettings::tls_ca_file},
    {"user-agent", "Value of the User-Agent header; unset: genclip and its version",
     &ClipSettings::user_agent},
    {"proxy",
     "URL of the HTTP proxy, read back without its user and password; unset: what the system says",
     &ClipSettings::proxy,
     {},
     Access::until_ready,
     redact_url},
};

void set_text(Json &fields, const char *name, const std::string &value) {
  if (!value.empty()) fields.set(name, value);
}

void set_list(Json &fields, const char *name, const std::vector<std::string> &values) {
  if (values.empty()) return;
  Json::Array list(values.begin(), values.end());
  fields.set(name, std::move(list));
}

void set_switch(Json &fields, const char *name, Switch value) {
  if (value != Switch::model_default) fields.set(name, value == Switch::on);
}

}  // namespace

std::span<const Property<ClipSettings>> clip_properties() { return kClipProperties; }

ClipRequest request_of(const ClipSettings &settings) {
  ClipRequest request;
  request.model = settings.model;
  request.api = settings.api;
  request.take = settings.take;
  Json &fields = request.fields;
  set_text(fields, "prompt", settings.prompt);
  if (settings.duration != 0) fields.set("duration", settings.duration);
  set_text(fields, "aspect_ratio", settings.aspect_ratio);
  set_text(fields, "resolution", settings.resolution);
  set_text(fields, "size", settings.size);
  set_text(fields, "reference_mode", settings.reference_mode);
  if (settings.seed != -1) fields.set("seed", settings.seed);
  set_switch(fields, "generate_audio", settings.generate_audio);
  set_switch(fields, "watermark", settings.watermark);
  if (!settings.first_image.empty()) set_list(fields, "first_image", {settings.first_image});
  if (!settings.last_image.empty()) set_list(fields, "last_image", {settings.last_image});
  set_list(fields, "reference_images", settings.reference_images);
  set_list(fields, "reference_videos", settings.reference_videos);
  set_list(fields, "reference_audios", settings.reference_audios);
  if (settings.extra_params.get()) request.extra = json_of(settings.extra_params.get());
  return request;
}

Result<ClipPlan> plan_clip(const ClipSettings &settings) {
  ClipWish wish;
  wish.request = request_of(settings);
  wish.task_id = settings.task_id;
  wish.base_url = settings.base_url;
  wish.api_key = settings.api_key;
  wish.api_key_file = settings.api_key_file;
  wish.store = settings.store;
  wish.store_max_size = settings.store_max_size;
  wish.poll_interval_ms = settings.poll_interval_ms;
  wish.timeout_s = settings.timeout_s;
  wish.http_timeout_s = settings.http_timeout_s;
  wish.retries = settings.retries;
  wish.reuse = settings.reuse;
  wish.check_media = settings.check_media;
  wish.dry_run = settings.dry_run;
  wish.max_download_size = settings.max_download_size;
  wish.user_agent = settings.user_agent;
  wish.http = {settings.proxy, settings.tls_ca_file};
  return plan_clip(wish);
}

}  // namespace genclip
