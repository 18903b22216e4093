// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/publish/publish_settings.h"

#include <glib.h>

#include "plugin/base/gref.h"
#include "plugin/catalog/media_reference.h"

namespace genclip {
namespace {

std::string variable(const char *name) {
  const char *value = g_getenv(name);
  return value ? value : "";
}

std::vector<std::string> paths_of(const std::string &list) {
  std::vector<std::string> paths;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(G_SEARCHPATH_SEPARATOR, begin), list.size());
    if (end > begin) paths.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return paths;
}

// A copy's URL is this one, a slash and a name.
bool is_place_for_copies(const std::string &url) {
  const auto uri = GRef<GUri>::adopt(g_uri_parse(url.c_str(), G_URI_FLAGS_NONE, nullptr));
  if (!uri) return false;
  const std::string scheme = g_uri_get_scheme(uri.get());
  const char *host = g_uri_get_host(uri.get());
  return (scheme == "http" || scheme == "https") && host && *host && !g_uri_get_userinfo(uri.get()) &&
         !g_uri_get_query(uri.get()) && !g_uri_get_fragment(uri.get());
}

}  // namespace

PublishSettings publish_settings(const std::string &folder, const std::string &url, PublishCheck check) {
  PublishSettings settings;
  settings.folder = folder.empty() ? variable("GENCLIP_PUBLISH_FOLDER") : folder;
  settings.url = url.empty() ? variable("GENCLIP_PUBLISH_URL") : url;
  if (folder.empty() && url.empty()) settings.command = variable("GENCLIP_PUBLISH_COMMAND");
  settings.roots = paths_of(variable("GENCLIP_PUBLISH_ROOTS"));
  settings.check = check;
  return settings;
}

std::vector<std::string> problems_of(const PublishSettings &settings, bool refuses_private_hosts) {
  std::vector<std::string> problems;
  if (!settings.command.empty() && (!settings.folder.empty() || !settings.url.empty()))
    problems.emplace_back(
        "The environment has both GENCLIP_PUBLISH_COMMAND and GENCLIP_PUBLISH_FOLDER or GENCLIP_PUBLISH_URL; "
        "set the command, or the folder and its URL.");
  if (!settings.folder.empty() && settings.url.empty())
    problems.emplace_back(
        "publish-folder is set without publish-url; set publish-url to the URL under which the folder's "
        "files "
        "appear.");
  if (settings.folder.empty() && !settings.url.empty())
    problems.emplace_back(
        "publish-url is set without publish-folder; set publish-folder to the folder whose files appear at "
        "that "
        "URL.");
  if (!settings.url.empty() && !is_place_for_copies(settings.url))
    problems.emplace_back(
        "publish-url must be an http or https URL with a host, and without a user, a query or a fragment.");
  else if (const auto problem = http_problem(settings.url, refuses_private_hosts);
           !settings.url.empty() && problem)
    problems.push_back("publish-url " + *problem + ".");
  for (const std::string &root : settings.roots)
    if (!g_path_is_absolute(root.c_str())) {
      problems.emplace_back(
          "GENCLIP_PUBLISH_ROOTS has a folder that does not begin with a slash; write full paths.");
      break;
    }
  return problems;
}

}  // namespace genclip
