// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/clipsrc/clip_settings.h"

#include "elements/clipsrc/request_property.h"
#include "elements/structure_json.h"
#include "plugin/catalog/request_fields.h"
#include "plugin/catalog/wording.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

const OtherField<ClipSettings> kExtraParams{
    [](const char *name, const char *nick, const char *blurb, GParamFlags flags) {
      return g_param_spec_boxed(name, nick, blurb, GST_TYPE_STRUCTURE, flags);
    },
    [](const ClipSettings &settings, GValue *value) {
      g_value_take_boxed(value, structure_of(settings.extra).release());
    },
    [](ClipSettings &settings, const GValue *value) {
      const auto *structure = static_cast<const GstStructure *>(g_value_get_boxed(value));
      set_extra_fields(structure ? json_of(structure) : Json::Object{}, settings.request());
    }};

const Property<ClipSettings> kModel = {"model", "Model ID, such as sd_2.0_special (required)",
                                       &ClipSettings::model};

// Behind the request's fields.
const Property<ClipSettings> kRunProperties[] = {
    {"extra-params", "More request fields, sent as they are", kExtraParams},
    {"base-url",
     "Base address of the service, including its path prefix; unset: $GENCLIP_BASE_URL (required)",
     &ClipSettings::base_url},
    {"api-key",
     "API key; unset: api-key-file, $GENCLIP_API_KEY or $GENCLIP_API_KEY_FILE",
     &ClipSettings::api_key,
     {},
     Access::write_only},
    {"api-key-file", "File with the API key, which only its owner can read", &ClipSettings::api_key_file},
    {"api", "Which task API to use", enum_field<&ClipSettings::api>(api_get_type)},
    {"poll-interval",
     "Time between two queries of a task, in milliseconds; the service asks for 5000-10000",
     &ClipSettings::poll_interval_ms,
     {10, 600000}},
    {"timeout", "Maximum time for the whole generation, in seconds from submit; 0: no limit",
     &ClipSettings::timeout_s},
    {"http-timeout",
     "Maximum time without progress of one HTTP exchange, in seconds",
     &ClipSettings::http_timeout_s,
     {1, 3600}},
    {"retries",
     "Number of retries of a submit, or of a download without progress, after a transient failure",
     &ClipSettings::retries,
     {0, 1000}},
    {"take", "Number of the take: another take of the same request is another clip", &ClipSettings::take},
    {"reuse", "Use a stored clip or task; false: generate a new clip", &ClipSettings::reuse},
    {"store", "Folder of the clip store; unset: $GENCLIP_STORE, else genclip in the user's cache folder",
     &ClipSettings::store},
    {"store-max-size",
     "Maximum size of the store in bytes; 0: no limit. Removes the least recently used clips that are "
     "not in use, with a warning",
     &ClipSettings::store_max_size},
    {"max-amount",
     "Maximum cost of the clip in credits, by its estimate; 0: no limit but $GENCLIP_MAX_AMOUNT and the "
     "store's budget",
     &ClipSettings::max_amount,
     {0, G_MAXDOUBLE}},
    {"project", "Whose account the cost is on in genclip cost; unset: $GENCLIP_PROJECT",
     &ClipSettings::project},
    {"task-id", "ID of the current task; set it to attach to a task instead of submitting",
     &ClipSettings::task_id},
    {"check-media", "How closely to check reference media before the request is submitted",
     enum_field<&ClipSettings::check_media>(media_check_get_type)},
    {"publish-folder",
     "Folder that publish-url shows, where local references and frames are copied; unset: "
     "$GENCLIP_PUBLISH_FOLDER",
     &ClipSettings::publish_folder},
    {"publish-url", "URL under which the files of publish-folder appear; unset: $GENCLIP_PUBLISH_URL",
     &ClipSettings::publish_url},
    {"publish-check", "How to check what was published before the request is submitted",
     enum_field<&ClipSettings::publish_check>(publish_check_get_type)},
    {"reference-identity", "What tells http references apart; content: for URLs whose signature changes",
     enum_field<&ClipSettings::reference_identity>(reference_identity_get_type)},
    {"random-access", "Offer pull mode", &ClipSettings::random_access},
    {"dry-run", "Validate, post the request as a message, then send EOS; uses no network and no key",
     &ClipSettings::dry_run},
    {"max-download-size", "Maximum size of a clip to accept, in bytes", &ClipSettings::max_download_size},
    {"tls-ca-file", "PEM file with a certificate authority to trust besides the system's",
     &ClipSettings::tls_ca_file},
    {"user-agent", "Value of the User-Agent header; unset: genclip and its version",
     &ClipSettings::user_agent},
    {"proxy",
     "URL of the HTTP proxy, read back without its user and password; unset: the system's proxy",
     &ClipSettings::proxy,
     {},
     Access::until_ready,
     redact_url},
};

Error no_room(const std::string &field, const Json &value, const std::string &property) {
  return {ErrorKind::settings,
          field + " is " + shown(value) + ", which the property " + property + " cannot hold."};
}

}  // namespace

std::vector<Property<ClipSettings>> clip_properties(const Catalog &catalog) {
  std::vector<Property<ClipSettings>> rows = {kModel};
  for (const FieldSpec &field : catalog.common_fields())
    if (field.property) rows.push_back(request_property(catalog, field));
  rows.insert(rows.end(), std::begin(kRunProperties), std::end(kRunProperties));
  return rows;
}

std::span<const Property<ClipSettings>> clip_properties() {
  // Never destroyed: elements may outlive main().
  static const auto &catalog = *new Catalog::Ptr(Catalog::built_in());
  static const auto &rows = *new auto(clip_properties(*catalog));
  return rows;
}

Result<void> fit_properties(const Catalog &catalog, const ClipRequest &request) {
  for (const auto &[name, value] : *request.fields.object())
    if (const FieldSpec *field = catalog.common_field(name);
        field && field->property && !has_room(*field->property, value))
      return no_room(name, value, property_name(name));
  const auto structure = structure_of(request.extra);
  const Json kept = structure ? json_of(structure.get()) : Json();
  for (const auto &[name, value] : *request.extra.object())
    if (const Json *same = kept.find(name); !same || !(*same == value))
      return no_room(name, value, "extra-params");
  return {};
}

}  // namespace genclip
