// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The properties of every element that generates clips: how a request is run.
#pragma once

#include <concepts>
#include <vector>

#include "elements/property_table.h"
#include "elements/run_enums.h"
#include "plugin/generation/run_settings.h"
#include "plugin/http/redaction.h"

namespace genclip {

// Each is a member of RunSettings.
template <std::derived_from<RunSettings> Settings>
std::vector<Property<Settings>> run_properties() {
  return {
      {"base-url",
       "Base address of the service, including its path prefix; unset: $GENCLIP_BASE_URL (required)",
       &Settings::base_url},
      {"api-key",
       "API key; unset: api-key-file, $GENCLIP_API_KEY or $GENCLIP_API_KEY_FILE",
       &Settings::api_key,
       {},
       Access::write_only},
      {"api-key-file", "File with the API key, which only its owner can read", &Settings::api_key_file},
      {"poll-interval",
       "Time between two queries of a task, in milliseconds; 0: 5000-10000, as the service asks, by its "
       "progress "
       "and by how long such tasks took",
       &Settings::poll_interval_ms,
       {0, 600000}},
      {"timeout", "Maximum time for the whole generation, in seconds from submit; 0: no limit",
       &Settings::timeout_s},
      {"http-timeout",
       "Maximum time without progress of one HTTP exchange, in seconds",
       &Settings::http_timeout_s,
       {1, 3600}},
      {"retries",
       "Number of retries of a submit, or of a download without progress, after a transient failure",
       &Settings::retries,
       {0, 1000}},
      {"store", "Folder of the clip store; unset: $GENCLIP_STORE, else genclip in the user's cache folder",
       &Settings::store},
      {"store-max-size",
       "Maximum size of the store in bytes; 0: no limit. Removes the least recently used clips that are "
       "not in use, with a warning",
       &Settings::store_max_size},
      {"max-amount",
       "Maximum cost of the clip in credits, by its estimate; 0: no limit but $GENCLIP_MAX_AMOUNT and the "
       "store's budget",
       &Settings::max_amount,
       {0, G_MAXDOUBLE}},
      {"project", "Whose account the cost is on in genclip cost; unset: $GENCLIP_PROJECT",
       &Settings::project},
      {"check-media", "How closely to check reference media before the request is submitted",
       enum_field<&Settings::check_media>(media_check_get_type)},
      {"publish-folder",
       "Folder that publish-url shows, where local references and frames are copied; unset: "
       "$GENCLIP_PUBLISH_FOLDER",
       &Settings::publish_folder},
      {"publish-url", "URL under which the files of publish-folder appear; unset: $GENCLIP_PUBLISH_URL",
       &Settings::publish_url},
      {"publish-check", "How to check what was published before the request is submitted",
       enum_field<&Settings::publish_check>(publish_check_get_type)},
      {"reference-identity", "What tells http references apart; content: for URLs whose signature changes",
       enum_field<&Settings::reference_identity>(reference_identity_get_type)},
      {"max-download-size", "Maximum size of a clip to accept, in bytes", &Settings::max_download_size},
      {"tls-ca-file", "PEM file with a certificate authority to trust besides the system's",
       &Settings::tls_ca_file},
      {"user-agent", "Value of the User-Agent header; unset: genclip and its version", &Settings::user_agent},
      {"proxy",
       "URL of the HTTP proxy, read back without its user and password; unset: the system's proxy",
       &Settings::proxy,
       {},
       Access::until_ready,
       redact_url}};
}

}  // namespace genclip
