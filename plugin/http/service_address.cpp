// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/http/service_address.h"

#include <glib.h>

#include "plugin/base/base_url.h"
#include "plugin/base/gref.h"
#include "plugin/base/url_problem.h"

namespace genclip {

namespace {

std::string as_set(const std::string &value, const AddressSetting &setting) {
  const char *variable = value.empty() ? g_getenv(setting.variable) : nullptr;
  return variable ? variable : value;
}

}  // namespace

std::string service_address(const std::string &value, const AddressSetting &setting) {
  return normal_base_url(as_set(value, setting));
}

std::string older_service_address(const std::string &value, const AddressSetting &setting) {
  return older_base_url(as_set(value, setting));
}

std::string address_problem(const std::string &address, const AddressSetting &setting) {
  const std::string property = setting.property;
  if (address.empty())
    return property + " is not set: set it, or " + setting.variable + ", to the address of the service." +
           setting.purpose;
  const auto uri = GRef<GUri>::adopt(g_uri_parse(address.c_str(), G_URI_FLAGS_NONE, nullptr));
  const char *scheme = uri ? g_uri_get_scheme(uri.get()) : "";
  const bool is_http = g_str_equal(scheme, "http") || g_str_equal(scheme, "https");
  if (!is_http || !g_uri_get_host(uri.get()) || !*g_uri_get_host(uri.get()))
    return property + " must be an http or https URL with a host.";
  if (g_uri_get_userinfo(uri.get()) || g_uri_get_query(uri.get()) || g_uri_get_fragment(uri.get()))
    return property + " must not hold a user, a query or a fragment.";
  if (const auto problem = url_problem(address)) return property + " " + *problem + ".";
  return {};
}

}  // namespace genclip
