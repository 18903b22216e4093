// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Publishes a file by a command of the user, which uploads it and prints its URL.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <string>

#include "plugin/base/result.h"

namespace genclip {

struct PublishCommand {
  std::string command;  // Words as a shell reads them; no shell runs, so no variable is replaced.
  std::string file;     // An absolute path, under the real extension.
  std::string sha256;
  std::string media_type;
  std::chrono::milliseconds time_limit{60000};
  std::string working_folder = {};     // Empty: the current one.
  bool refuses_private_hosts = false;  // As in PublishSettings.
};

// What can be known of a command without running it: that it is a command line, whose program can be started.
// The errors are those of run_publish_command().
Result<void> check_publish_command(const std::string &command, const std::string &working_folder);

// Runs COMMAND FILE SHA256 MEDIA-TYPE, without the API key in its environment. Returns the one https URL that
// it prints (http on this machine only). A problem is an error that says what to do, with the last line of
// the command's standard error, and never its output. Blocks; cancelling ends the command and its children.
Result<std::string> run_publish_command(const PublishCommand &call, GCancellable *cancellable);

}  // namespace genclip
