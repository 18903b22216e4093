// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/item_source.h"

#include <gio/gio.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/utf8.h"
#include "plugin/catalog/field_names.h"
#include "plugin/catalog/uri_values.h"
#include "plugin/channel/clip_survey.h"

namespace genclip {
namespace {

constexpr size_t kMaxSource = 65536;
constexpr size_t kMaxStem = 32;

Error unfit(std::string why) { return {ErrorKind::settings, std::move(why)}; }

// The length of the scheme; 0: it is a path.
size_t scheme_length(std::string_view source) {
  const auto end = source.find("://");
  if (end == source.npos || end == 0 || !g_ascii_isalpha(source[0])) return 0;
  const auto scheme = source.substr(0, end);
  const bool is_scheme = std::all_of(scheme.begin(), scheme.end(), [](char c) {
    return g_ascii_isalnum(c) || c == '+' || c == '-' || c == '.';
  });
  return is_scheme ? end : 0;
}

std::string decoded(std::string_view text) {
  const std::string escaped(text);
  const GStringPtr plain(g_uri_unescape_string(escaped.c_str(), nullptr));
  return plain ? plain.get() : escaped;
}

bool holds_key(std::string_view uri, size_t scheme) {
  std::string_view rest = uri.substr(scheme + 3);
  const auto authority = rest.substr(0, rest.find_first_of("/?#"));
  const auto at = authority.rfind('@');
  if (at != authority.npos && authority.substr(0, at).find(':') != authority.npos) return true;
  const auto query = rest.find('?');
  if (query == rest.npos) return false;
  rest.remove_prefix(query + 1);
  rest = rest.substr(0, rest.find('#'));
  while (!rest.empty()) {
    const auto field = rest.substr(0, rest.find_first_of("&;"));
    const size_t sign = std::min(field.find('='), field.size());
    const std::string name = decoded(field.substr(0, sign));
    const std::string value = decoded(field.substr(std::min(sign + 1, field.size())));
    if (is_credential(name, tolerant_value(value))) return true;
    rest.remove_prefix(std::min(field.size() + 1, rest.size()));
  }
  return false;
}

}  // namespace

Result<std::string> source_uri(std::string_view source, const std::string &folder) {
  if (source.empty()) return unfit("The source is empty.");
  if (source.size() > kMaxSource)
    return unfit("The source is longer than " + std::to_string(kMaxSource) + " bytes.");
  if (!is_utf8(source) ||
      std::any_of(source.begin(), source.end(), [](char c) { return g_ascii_iscntrl(c); }))
    return unfit("The source holds control characters, or is not UTF-8.");
  if (const size_t scheme = scheme_length(source)) {
    std::string uri(source);
    // The key of the service has a place of its own. The URL of another server may be nothing without its
    // key.
    if (is_clip_uri(uri) && holds_key(source, scheme))
      return unfit(
          "The source holds a key. A URI is printed and logged; set the key in the property "
          "api-key, or in the environment variable GENCLIP_API_KEY.");
    return uri;
  }
  const auto base = GRef<GFile>::adopt(g_file_new_for_path(folder.empty() ? "." : folder.c_str()));
  const auto file = GRef<GFile>::adopt(g_file_resolve_relative_path(base.get(), std::string(source).c_str()));
  return std::string(GStringPtr(g_file_get_uri(file.get())).get());
}

std::string server_of(const std::string &uri) {
  const size_t scheme = scheme_length(uri);
  const GStringPtr name(g_ascii_strdown(uri.c_str(), static_cast<gssize>(scheme)));
  if (!g_str_equal(name.get(), "http") && !g_str_equal(name.get(), "https")) return "";
  const std::string_view rest = std::string_view(uri).substr(scheme + 3);
  std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  host.remove_prefix(host.rfind('@') + 1);  // npos + 1 is 0.
  const GStringPtr lower(g_ascii_strdown(host.data(), static_cast<gssize>(host.size())));
  return std::string(name.get()) + "://" + lower.get();
}

std::string name_of_source(const std::string &uri) {
  std::string_view stem = uri;
  stem.remove_prefix(scheme_length(uri) > 0 ? scheme_length(uri) + 3 : 0);
  stem = stem.substr(0, stem.find_first_of("?#"));
  if (const auto user = stem.substr(0, stem.find('/')).rfind('@');
      scheme_length(uri) > 0 && user != stem.npos)
    stem.remove_prefix(user + 1);  // It may be a password, and the name is shown.
  while (stem.ends_with('/')) stem.remove_suffix(1);
  const bool is_path = stem.find('/') != stem.npos;
  stem.remove_prefix(stem.rfind('/') + 1);  // npos + 1 is 0.
  if (const auto dot = stem.rfind('.'); is_path && dot != stem.npos && dot > 0) stem = stem.substr(0, dot);
  std::string name;
  for (const char c : stem)
    if (g_ascii_isalnum(c) || c == '-' || c == '_' || c == '.') name += c;
  name.resize(std::min(name.size(), kMaxStem));
  const GStringPtr sum(g_compute_checksum_for_data(G_CHECKSUM_SHA256,
                                                   reinterpret_cast<const guchar *>(uri.data()), uri.size()));
  return (name.empty() ? "item" : name) + "-" + std::string(sum.get(), 8);
}

}  // namespace genclip
