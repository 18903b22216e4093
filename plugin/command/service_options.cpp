// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/service_options.h"

namespace genclip {

void add_store_option(CommandOptions &options, std::string &store) {
  options.add("store", 's', "FOLDER", "Folder of the clip store; else $GENCLIP_STORE", store);
}

void add_publish_place_options(CommandOptions &options, RunSettings &run) {
  options.add("publish-folder", 0, "FOLDER", "Folder for copies; else $GENCLIP_PUBLISH_FOLDER",
              run.publish_folder);
  options.add("publish-url", 0, "URL", "URL of that folder; else $GENCLIP_PUBLISH_URL", run.publish_url);
  options.add("publish-check", "HOW", "Check what was published: none or headers (headers)",
              run.publish_check);
}

void add_publish_options(CommandOptions &options, RunSettings &run) {
  add_publish_place_options(options, run);
  options.add("reference-identity", "WHAT", "What tells references apart: url or content (url)",
              run.reference_identity);
}

void add_submit_options(CommandOptions &options, RunSettings &run) {
  options.add("check-media", "DEPTH", "Check the reference media first: headers or full", run.check_media);
  options.add("on-unknown", "WHAT", "If an earlier submit may have been charged: resubmit or fail (resubmit)",
              run.on_unknown);
}

void add_service_options(CommandOptions &options, RunSettings &run) {
  options.add("base-url", 'b', "URL", "Address of the service; else $GENCLIP_BASE_URL", run.base_url);
  options.add("api-key-file", 'k', "FILE", "File with the key; else $GENCLIP_API_KEY[_FILE]",
              run.api_key_file);
  add_store_option(options, run.store);
  options.add("store-max-size", "SIZE", "Maximum size of the store, such as 1.5G; 0: no limit (0)",
              run.store_max_size);
  options.add("max-amount", "CREDITS", "Maximum cost of the clip, as $GENCLIP_MAX_AMOUNT", run.max_amount);
  options.add("project", 0, "NAME", "Whose account it is; else $GENCLIP_PROJECT", run.project);
  options.add("timeout", "SECONDS", "Maximum wait for the task; 0: no limit (1800)", run.timeout_s, 0);
  options.add("poll-interval", "MS", "Time between two queries; 0: from history (0)", run.poll_interval_ms,
              0);
  options.add("http-timeout", "SECONDS", "Maximum time without progress of an HTTP exchange (30)",
              run.http_timeout_s, 1);
  options.add("retries", "N", "Retries of a submit or a download (5)", run.retries, 0);
  options.add("max-download-size", "SIZE", "Maximum size of a clip to accept, such as 500M (4Gi)",
              run.max_download_size);
  options.add("user-agent", 0, "TEXT", "Value of the User-Agent header; else genclip and its version",
              run.user_agent);
  options.add("proxy", 0, "URL", "HTTP proxy; else the system's", run.proxy);
  options.add("tls-ca-file", 0, "FILE", "Certificate authority to trust besides the system's",
              run.tls_ca_file);
}

}  // namespace genclip
