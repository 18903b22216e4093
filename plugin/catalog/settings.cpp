// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/settings.h"

#include <glib.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "plugin/base/number.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

constexpr unsigned kService = kSubmitters | kFetch;
constexpr unsigned kReferences = kSubmitters | kCheck | kFrame;
constexpr uint64_t kGibibyte = uint64_t{1} << 30;

std::vector<Setting> make_rows() {
  using Run = RunSettings;
  return {
      {.name = "base-url",
       .takers = kElements | kService,
       .help = "Base address of the service, including its path prefix",
       .member = &Run::base_url,
       .otherwise = "(required)",
       .variable = "GENCLIP_BASE_URL",
       .option = {'b', "URL", "Address of the service"},
       .more = "Other commands that take the genclip:// URI of a stored clip take it, too."},
      {.name = "api-key",
       .takers = kElements,
       .help = "API key",
       .member = &Run::api_key,
       .otherwise = "api-key-file, $GENCLIP_API_KEY or $GENCLIP_API_KEY_FILE",
       .variable = "GENCLIP_API_KEY",
       .secret = Setting::Secret::all,
       .more = "There is no option for it, because other users can see the arguments of a program."},
      {.name = "api-key-file",
       .takers = kElements | kService,
       .help = "File with the API key, which only its owner should be able to read",
       .member = &Run::api_key_file,
       .otherwise = "$GENCLIP_API_KEY, or the file of $GENCLIP_API_KEY_FILE",
       .option = {'k', "FILE", "File with the key"},
       .more =
           "If others can read it, there is a warning. It names a file for this run, and takes precedence "
           "over both variables: GENCLIP_API_KEY, which is the key itself, and then GENCLIP_API_KEY_FILE, "
           "which names a file for all runs. There is no "
           "option for the key itself, because other users can see the arguments of a program."},
      {.name = "store",
       .takers = kElements | kService | kCheck | kFrame | kPublish,
       .help = "Folder of the clip store",
       .member = &Run::store,
       .otherwise = "genclip in the user's cache folder",
       .variable = "GENCLIP_STORE",
       .option = {'s', "FOLDER"},
       .more = "Every command takes it that reads or writes the store."},
      {.name = "store-max-size",
       .takers = kElements | kService,
       .help = "Maximum size of the store in bytes; 0: no limit. Removes the least recently used clips that "
               "are not in use, with a warning",
       .member = &Run::store_max_size,
       .option = {0, "SIZE", "Maximum size of the store, such as 1.5G; 0: no limit"},
       .more =
           "That is done once a clip is stored; the warning names the removed clips and their costs. Pinned "
           "clips stay. As an option, a size may have a unit: 500M and 1.5G are powers of 1000, "
           "2Gi of 1024; below 1 MiB it needs one (1B)."},
      {.name = "max-amount",
       .takers = kElements | kService,
       .help = "Maximum cost of a clip in credits, by its estimate; 0: no limit but $GENCLIP_MAX_AMOUNT and "
               "the store's budget",
       .member = &Run::max_amount,
       // GObject would ignore a value that is out of range, and the clip would be paid without a limit.
       .least = -INFINITY,
       .most = INFINITY,
       .variable = "GENCLIP_MAX_AMOUNT",
       .lowest_holds = true,
       .option = {0, "CREDITS", "Maximum cost of a clip, if $GENCLIP_MAX_AMOUNT is not lower; 0: no limit"},
       .more = "What is not a finite number, 0 or more, ends the run before anything is sent."},
      {.name = "project",
       .takers = kElements | kService,
       .help = "Whose account the cost is on in genclip cost",
       .member = &Run::project,
       .variable = "GENCLIP_PROJECT",
       .option = {0, "NAME", "Project that genclip cost sums the cost up by"},
       .more = "genclip cost --by project sums it up. It does not change the request."},
      {.name = "max-tasks",
       .takers = kEnvironment,
       .help = "How many tasks of the store may run at once; 0: no limit",
       .variable = "GENCLIP_MAX_TASKS",
       .option = {0, "N"},
       .more = "A clip waits for its turn."},
      {.name = "reuse",
       .takers = kClipSource,
       .help = "Use a stored clip or task; false: generate a new clip",
       .member = &Run::reuse},
      {.name = "anew", .takers = kGenerate, .help = "Generate and pay again, replacing what is stored"},
      {.name = "task-id",
       .takers = kClipSource | kGenerate,
       .help = "Task to attach to instead of submitting the request; read: ID of the current task",
       .member = &Run::task_id,
       .option = {'t', "ID", "Attach to this task instead of submitting"}},
      {.name = "on-unknown",
       .takers = kClipSource | kSubmitters,
       .help =
           "What to do if an earlier submit of the request may have been charged and nobody knows its task",
       .member = &Run::on_unknown,
       .type_name = "GenclipOnUnknownSubmit",
       .meanings = {"Submit again, with a warning", "End with an error, and pay nothing"},
       .option = {0, "WHAT", "If an earlier submit may have been charged: resubmit or fail"},
       .more = "genchannelsrc has an on-unknown of its own."},
      {.name = "dry-run",
       .takers = kClipSource | kBatch | kPrefetch,
       .help = "Validate, post the request as a message, then send EOS; uses no network and no key",
       .member = &Run::dry_run,
       .option = {0, nullptr, "Only validate and price the clips"}},
      {.name = "random-access",
       .takers = kClipSource,
       .help = "Offer pull mode",
       .member = &Run::random_access},
      {.name = "buffering-messages",
       .takers = kClipSource,
       .help = "Post BUFFERING messages while the clip is generated, so that players show the wait",
       .member = &Run::buffering_messages},
      {.name = "with-prompt",
       .takers = kSubmitters,
       .help = "Tell the prompt in clip.xmp, beside the stored clip",
       .member = &Run::with_prompt},
      {.name = "timeout",
       .takers = kElements | kService,
       .help = "Maximum time for the whole generation, in seconds from submit; 0: no limit",
       .member = &Run::timeout_s,
       .option = {0, "SECONDS", "Maximum wait for the task; 0: no limit"},
       .more =
           "It includes outages of the service. After that time the task continues at the service, and the "
           "next run attaches to it. Before the submit, it limits the wait for each clip that must end "
           "first."},
      {.name = "poll-interval",
       .takers = kElements | kService,
       .help = "Time between two queries of a task, in milliseconds; 0: 5000-10000, as the service asks, by "
               "its progress and by how long such tasks took",
       .member = &Run::poll_interval_ms,
       .most = 600000,
       .option = {0, "MS", "Time between two queries; 0: chosen by genclip"}},
      {.name = "http-timeout",
       .takers = kElements | kService,
       .help = "Maximum time without progress of one HTTP exchange, in seconds",
       .member = &Run::http_timeout_s,
       .least = 1,
       .most = 3600,
       .option = {0, "SECONDS", "Maximum time without progress of an HTTP exchange"}},
      {.name = "retries",
       .takers = kElements | kService,
       .help = "Number of retries of a submit that the service certainly did not accept, or of a download "
               "without progress",
       .member = &Run::retries,
       .most = 1000,
       .option = {0, "N", "Retries of a submit or a download"},
       .more = "Queries of a task are retried until timeout."},
      {.name = "max-download-size",
       .takers = kElements | kService,
       .help = "Maximum size of a clip to accept, in bytes",
       .member = &Run::max_download_size,
       .option = {0, "SIZE", "Maximum size of a clip to accept, such as 500M"},
       .more = "A larger one is refused, though it is paid. As an option, it may have a unit, as "
               "store-max-size."},
      {.name = "check-media",
       .takers = kElements | kSubmitters,
       .help = "How closely to check reference media before the request is submitted",
       .member = &Run::check_media,
       .type_name = "GenclipMediaCheck",
       .meanings = {"Do not check", "Size and type, as reported by their servers",
                    "Also duration, frame size, frame rate and whether they are whole, from their content"},
       .option = {0, "DEPTH", "Check reference media first: none, headers or full"}},
      {.name = "publish-folder",
       .takers = kElements | kReferences | kPublish,
       .help = "Folder that publish-url shows, where local references and frames are copied",
       .member = &Run::publish_folder,
       .variable = "GENCLIP_PUBLISH_FOLDER",
       .option = {0, "FOLDER", "Folder for copies"},
       .more = "A web server or a mounted bucket shows it."},
      {.name = "publish-url",
       .takers = kElements | kReferences | kPublish,
       .help = "URL under which the files of publish-folder appear",
       .member = &Run::publish_url,
       .variable = "GENCLIP_PUBLISH_URL",
       .option = {0, "URL", "URL of that folder"}},
      {.name = "publish-check",
       .takers = kElements | kReferences | kPublish,
       .help = "How to check what was published before the request is submitted",
       .member = &Run::publish_check,
       .type_name = "GenclipPublishCheck",
       .meanings = {"Do not check; for hosts that cannot reach their own public address",
                    "Ask each published URL for its size"},
       .option = {0, "HOW", "Check what was published: none or headers"}},
      {.name = "publish-command",
       .takers = kEnvironment,
       .help = "Command that publishes local references and frames, in place of a folder",
       .variable = "GENCLIP_PUBLISH_COMMAND",
       .option = {0, "COMMAND"},
       .more = "A project file must not run commands."},
      {.name = "publish-roots",
       .takers = kEnvironment,
       .help = "Folders, separated by colons, of the local files that a URI may name",
       .variable = "GENCLIP_PUBLISH_ROOTS",
       .option = {0, "FOLDERS"}},
      {.name = "reference-identity",
       .takers = kElements | kReferences,
       .help = "What tells http references apart",
       .member = &Run::reference_identity,
       .type_name = "GenclipReferenceIdentity",
       .meanings = {"A reference is its URL",
                    "A reference is its content, which is read first; for URLs whose signature changes"},
       .option = {0, "WHAT", "What tells references apart: url or content"}},
      {.name = "tls-ca-file",
       .takers = kElements | kService | kPublish,
       .help = "PEM file with a certificate authority to trust besides the system's",
       .member = &Run::tls_ca_file,
       .option = {0, "FILE", "Certificate authority to trust besides the system's"}},
      {.name = "user-agent",
       .takers = kElements | kService,
       .help = "Value of the User-Agent header",
       .member = &Run::user_agent,
       .otherwise = "genclip and its version",
       .option = {0, "TEXT"}},
      {.name = "proxy",
       .takers = kElements | kService | kPublish,
       .help = "URL of the HTTP proxy; read: without its user and password",
       .member = &Run::proxy,
       .otherwise = "the system's proxy",
       .secret = Setting::Secret::password,
       .option = {0, "URL", "HTTP proxy"}},
      {.name = "models",
       .takers = kEnvironment,
       .help = "Files with more models, separated by colons",
       .variable = "GENCLIP_MODELS",
       .option = {0, "FILES"}},
      {.name = "jobs",
       .takers = kBatch | kPrefetch,
       .help = "Clips made at once (4)",
       .option = {0, "N"},
       .more = "When the service refuses for now, all clips wait, and fewer are made at once."},
      {.name = "format",
       .takers = kBatch,
       .help = "What FILE is: auto (by name), jsonl, csv or text (auto)",
       .option = {0, "FORMAT"}},
      {.name = "output-dir",
       .takers = kBatch,
       .help = "Also write each clip to a file named after its row",
       .option = {0, "FOLDER"},
       .more = "By its name, or by its line in three digits."},
      {.name = "fail-fast",
       .takers = kBatch,
       .help = "Begin no further clip after a failure",
       .more = "Those under way are finished."},
      {.name = "yes", .takers = kPrefetch, .help = "Generate without asking", .option = {'y'}},
      {.name = "output",
       .takers = kGenerate | kFetch,
       .help = "Also write the clip to FILE, replacing it; - is standard output",
       .option = {'o', "FILE"},
       .more =
           "An existing file is replaced only when the clip is complete. A model that makes images cannot "
           "write to a file whose name is for a video, and vice versa."},
      {.name = "json",
       .takers = kGenerate | kFetch | kCheck,
       .help = "Print the result as JSON",
       .option = {'j'}},
      {.name = "quiet",
       .takers = kService,
       .help = "Print no progress",
       .option = {'q'},
       .more = "prefetch prints no list of the clips either."},
  };
}

}  // namespace

std::span<const Setting> settings() {
  // Never destroyed: elements may outlive main().
  static const auto &rows = *new auto(make_rows());
  return rows;
}

const Setting *find_setting(std::string_view name) {
  const auto rows = settings();
  const auto found = std::ranges::find_if(rows, [&](const Setting &row) { return name == row.name; });
  return found == rows.end() ? nullptr : &*found;
}

std::string max_amount_problem(double credits) {
  if (std::isfinite(credits) && credits >= 0) return {};
  return "max-amount is " + number_text(credits) + "; it must be a number of credits, 0 or more.";
}

std::string max_amount_variable_problem() {
  const char *text = g_getenv("GENCLIP_MAX_AMOUNT");
  const auto credits = parse_number<double>(text && *text ? text : "0");
  if (credits && *credits >= 0) return {};
  return "GENCLIP_MAX_AMOUNT is " + quoted(text) + "; it must be a number of credits, 0 or more.";
}

std::string default_text(const Setting &setting) {
  return with_member(setting, [](auto member) -> std::string {
    const auto value = RunSettings().*member;
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>)
      return value;
    else if constexpr (std::is_same_v<Value, bool>)
      return value ? "true" : "false";
    else if constexpr (std::is_enum_v<Value>)
      return to_word(value);
    else if (value > 0 && static_cast<uint64_t>(value) % kGibibyte == 0)
      return std::to_string(static_cast<uint64_t>(value) / kGibibyte) + "Gi";
    else
      return rounded_text(static_cast<double>(value), 3);
  });
}

std::vector<std::string> choices_of(const Setting &setting) {
  return with_member(setting, [](auto member) -> std::vector<std::string> {
    using Value = std::remove_cvref_t<decltype(RunSettings().*member)>;
    if constexpr (std::is_enum_v<Value>) return words_of<Value>();
    return {};
  });
}

}  // namespace genclip
