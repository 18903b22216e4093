// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/publish/publish_command.h"

#include <glib.h>
#include <sys/wait.h>

#include <algorithm>

#include "plugin/base/child_process.h"
#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"
#include "plugin/base/trimmed.h"
#include "plugin/catalog/media_reference.h"
#include "plugin/http/api_key.h"
#include "plugin/http/http_url.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

constexpr size_t kQuotedCharacters = 200;

// The last line that is not blank, made safe to show; empty if all are blank.
std::string last_line(std::string_view errors) {
  const auto end = errors.find_last_not_of(" \t\r\n");
  if (end == errors.npos) return {};
  errors = errors.substr(0, end + 1);
  // npos + 1 is the beginning.
  const std::string_view line = errors.substr(errors.find_last_of("\r\n") + 1);
  // First the values that are known: redact_settings() may take a part of one.
  Secrets secrets;
  secrets.add_environment(environment_without({}));
  return shown_line(redact_text(redact_settings(secrets.masked(line)), secrets), kQuotedCharacters);
}

// The message of an unsuccessful end; empty for a successful one.
std::string problem_of(const ChildEnd &end, const PublishCommand &call, size_t max_output) {
  switch (end.cause) {
    case ChildEnd::Cause::time_limit:
      return "did not end within " +
             std::to_string(std::chrono::ceil<std::chrono::seconds>(call.time_limit).count()) +
             " s, and was stopped";
    case ChildEnd::Cause::too_much_output:
      return "printed more than " + std::to_string(max_output) +
             " bytes, and was stopped; it must print one URL";
    case ChildEnd::Cause::exited: break;
  }
  if (WIFSIGNALED(end.status)) return "was ended by signal " + std::to_string(WTERMSIG(end.status));
  if (!WIFEXITED(end.status)) return "ended in an unknown way";
  if (WEXITSTATUS(end.status) != 0) return "failed with exit code " + std::to_string(WEXITSTATUS(end.status));
  return {};
}

// What is wrong with the URL, or an empty text.
std::string problem_of_url(const std::string &url, bool refuses_private_hosts) {
  if (url.empty()) return "printed nothing; it must print the file's URL on standard output";
  const auto lines = 1 + std::count(url.begin(), url.end(), '\n');
  if (lines > 1)
    return "printed " + std::to_string(lines) +
           " lines; it must print the file's URL on standard output, and nothing else";
  const auto parsed =
      is_all_shown(url) && url.find(' ') == url.npos ? parse_http_url(url) : Result<GRef<GUri>>(Error{});
  if (!parsed) return "printed a line that is not a URL; it must print one https URL";
  if (g_uri_get_userinfo(parsed->get())) return "printed a URL with a user; the service would not get it";
  if (!is_https(parsed->get()) && !is_loopback(parsed->get()))
    return "printed an http URL; it must print one https URL";
  // The rule of any reference.
  const auto problem = http_problem(url, refuses_private_hosts);
  return problem ? "printed a URL that " + *problem : std::string();
}

std::string name_of(const ChildCall &child) {
  return "The publish command " + shown_line(child.words.front(), kQuotedCharacters) + " ";
}

Error not_started(const ChildCall &child, const Error &why) {
  return {ErrorKind::settings, name_of(child) +
                                   "could not be started: " + std::string(without_full_stop(why.text)) +
                                   ". Correct GENCLIP_PUBLISH_COMMAND."};
}

Result<ChildCall> child_of(const std::string &command, const std::string &working_folder) {
  auto words = command_words(command);
  if (!words)
    return Error{ErrorKind::settings, "GENCLIP_PUBLISH_COMMAND is not a command line: " +
                                          std::string(without_full_stop(words.error().text)) + "."};
  ChildCall child;
  child.words = std::move(*words);
  child.environment = environment_without(kApiKeyVariables);
  child.folder = working_folder;
  if (const auto found = find_program(child); !found) return not_started(child, found.error());
  return child;
}

}  // namespace

Result<void> check_publish_command(const std::string &command, const std::string &working_folder) {
  const auto child = child_of(command, working_folder);
  return child ? Result<void>() : child.error();
}

Result<std::string> run_publish_command(const PublishCommand &call, GCancellable *cancellable) {
  auto child = child_of(call.command, call.working_folder);
  if (!child) return std::move(child).error();
  for (const std::string &argument : {call.file, call.sha256, call.media_type})
    child->words.push_back(argument);
  child->time_limit = call.time_limit;
  const auto end = run_child(*child, cancellable);
  if (!end && end.error().kind == ErrorKind::cancelled) return end.error();
  if (!end) return not_started(*child, end.error());
  std::string url(trimmed(end->output));
  std::string problem = problem_of(*end, call, child->max_output);
  if (problem.empty()) problem = problem_of_url(url, call.refuses_private_hosts);
  if (problem.empty()) return url;
  const std::string said = last_line(end->errors);
  return Error{ErrorKind::failed,
               name_of(*child) + problem + (said.empty() ? "." : ". Its last message was: " + said)};
}

}  // namespace genclip
