// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/credential_names.h"

#include <glib.h>

#include <algorithm>
#include <string>

namespace genclip {
namespace {

constexpr std::string_view kNames[] = {
    "key",      "token",    "auth",       "authorization", "bearer",       "credential", "credentials",
    "password", "passwd",   "passphrase", "secret",        "accesskey",    "secretkey",  "apisecret",
    "authkey",  "apitoken", "authtoken",  "bearertoken",   "clientsecret", "apikeyfile", "privatekey",
};
constexpr std::string_view kEndings[] = {"apikey", "accesstoken"};

}  // namespace

bool names_credential(std::string_view field) {
  std::string name;
  for (const char c : field)
    if (g_ascii_isalnum(c)) name += g_ascii_tolower(c);
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return std::string_view(name).ends_with(ending); });
}

}  // namespace genclip
