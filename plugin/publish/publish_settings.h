// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How a file is put at a public URL: into a folder that a web server shows, or by a command of the user.
#pragma once

#include <string>
#include <vector>

#include "plugin/catalog/run_settings.h"

namespace genclip {

struct PublishSettings {
  // Copies go into `folder`, and appear below `url`.
  std::string folder;
  std::string url;
  // Or this command publishes. Of the environment only: a project file must not run commands.
  std::string command;
  // The folders below which a URI may name files.
  std::vector<std::string> roots;
  PublishCheck check = PublishCheck::headers;
  // What is relative is of this folder: the file of a reference, and what the command names. Empty: the
  // current one.
  std::string working_folder = {};
  // The service is known to be a public one, so it reaches nothing that is published at a private address.
  bool refuses_private_hosts = false;

  bool is_set_up() const { return (!folder.empty() && !url.empty()) || !command.empty(); }
  bool operator==(const PublishSettings &) const = default;
};

// What is given here, else in $GENCLIP_PUBLISH_FOLDER and $GENCLIP_PUBLISH_URL; $GENCLIP_PUBLISH_COMMAND,
// unless a folder or a URL is given here; $GENCLIP_PUBLISH_ROOTS, a path list.
PublishSettings publish_settings(const std::string &folder, const std::string &url, PublishCheck check);

// What is wrong with them, one sentence each. Does not look at the disk. `refuses_private_hosts`: the service
// is known to be a public one, and is to fetch what is published.
std::vector<std::string> problems_of(const PublishSettings &settings, bool refuses_private_hosts = false);

}  // namespace genclip
