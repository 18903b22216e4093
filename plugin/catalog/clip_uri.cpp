// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/clip_uri.h"

#include <glib.h>

#include <algorithm>
#include <optional>

#include "plugin/base/gref.h"
#include "plugin/base/utf8.h"
#include "plugin/catalog/check_request.h"
#include "plugin/catalog/field_names.h"
#include "plugin/catalog/request_builder.h"
#include "plugin/catalog/uri_values.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

// Beside the unreserved characters, these need no escape in a query and are common in values. For a URI with
// a %2F gst_uri_get_location() returns NULL, which makes applications fail.
constexpr const char *kPlainInQuery = ":/";
constexpr const char *kKeyText =
    "A URI must not contain a key, because URIs are printed, logged and stored; set the key in the property "
    "api-key, in api-key-file, or in the environment variable GENCLIP_API_KEY.";
constexpr RequestPlace kPlace{"The URI", kKeyText};

Error uri_error(std::string text) { return {ErrorKind::settings, std::move(text)}; }

// No request has as many. Each is searched for among those before it.
constexpr unsigned kMostValues = 1000;

// A path is a label for those who look at the URI, and not part of the request. Empty: it may be one.
std::optional<Error> problem_of_label(const Catalog &catalog, const std::string &model,
                                      std::string_view path) {
  if (path.empty()) return {};
  const std::string encoded(path.substr(1));
  const GStringPtr decoded(g_uri_unescape_string(encoded.c_str(), nullptr));
  if (!decoded || !g_utf8_validate(decoded.get(), -1, nullptr))
    return uri_error("The path in the URI is not encoded correctly; write % as %25, and use UTF-8.");
  const std::string label = decoded.get();
  if (catalog.find(model + "/" + label))
    return uri_error("The URI has a path; write %2F for a \"/\" in a Model ID.");
  for (size_t at = 0; at < label.size();) {
    const size_t end = std::min(label.find_first_of("/;&", at), label.size());
    const std::string_view piece = std::string_view(label).substr(at, end - at);
    if (piece.find('=') != piece.npos && names_credential(piece.substr(0, piece.find('='))))
      return uri_error(kKeyText);
    at = end + 1;
  }
  return {};
}

struct Parts {
  std::string model;
  std::string query;
};

// Parsed by hand up to the query: GUri would read MODEL:14b as a host and a port.
Result<Parts> split(const Catalog &catalog, std::string_view uri) {
  if (uri.find('\0') != uri.npos) return uri_error("The URI contains a NUL character.");
  if (!is_utf8(uri)) return uri_error("The URI is not valid UTF-8.");
  const std::string opening = std::string(kClipUriScheme) + "://";
  if (uri.size() < opening.size() || g_ascii_strncasecmp(uri.data(), opening.c_str(), opening.size()) != 0)
    return uri_error("The URI does not begin with " + opening + ".");
  uri.remove_prefix(opening.size());

  const std::string_view authority = uri.substr(0, uri.find_first_of("/?#"));
  if (authority.find('@') != authority.npos) return uri_error(kKeyText);
  uri.remove_prefix(authority.size());
  const std::string encoded(authority);
  const GStringPtr model(g_uri_unescape_string(encoded.c_str(), nullptr));
  if (!model || !g_utf8_validate(model.get(), -1, nullptr))
    return uri_error("The model in the URI is not encoded correctly; write % as %25, and use UTF-8.");
  if (!*model.get()) return uri_error("The URI names no model; write " + opening + "MODEL?prompt=…");

  const std::string_view path = uri.substr(0, uri.find_first_of("?#"));
  uri.remove_prefix(path.size());
  if (uri.find('#') != uri.npos)
    return uri_error("The URI has a fragment; write %23 for a \"#\" in a value.");
  if (auto problem = problem_of_label(catalog, model.get(), path)) return std::move(*problem);
  if (!uri.empty()) uri.remove_prefix(1);
  return Parts{model.get(), std::string(uri)};
}

// Removes empty pieces, which GLib's iterator refuses and every web form ignores.
std::string without_spare_separators(std::string_view query) {
  std::string out;
  for (const char c : query)
    if (c != '&' || (!out.empty() && out.back() != '&')) out += c;
  if (out.ends_with('&')) out.pop_back();
  return out;
}

// Reads the fields in the order of the URI.
Result<ReadRequest> read_fields(RequestBuilder builder, const std::string &query) {
  GUriParamsIter iter;
  g_uri_params_iter_init(&iter, query.c_str(), static_cast<gssize>(query.size()), "&", G_URI_PARAMS_WWW_FORM);
  std::string before = "the model";
  for (unsigned values = 0;; ++values) {
    char *raw_name = nullptr;
    char *raw_value = nullptr;
    GErrorPtr error;
    const bool more = g_uri_params_iter_next(&iter, &raw_name, &raw_value, take(error));
    const GStringPtr name(raw_name);
    const GStringPtr value(raw_value);
    // GLib's error texts quote nothing of the URI.
    if (error) {
      builder.add_problem("", "The URI is invalid after " + before + ": " + error->message + ".");
      return uri_error(problems_text(std::move(builder).finish().problems));
    }
    if (!more) return std::move(builder).finish();
    if (values == kMostValues)
      return uri_error("The URI has more than " + std::to_string(kMostValues) + " values.");
    before = quoted(name.get());
    if (!*name.get())
      builder.add_problem("", "A value in the URI has no name before its \"=\".");
    else if (g_str_equal(name.get(), "model"))
      builder.add_problem("model", "The URI gives the model twice; give it only before the \"?\".");
    else
      builder.add(name.get(), value.get());
  }
}

std::string escaped(const std::string &text, const char *plain) {
  return GStringPtr(g_uri_escape_string(text.c_str(), plain, FALSE)).get();
}

class Writer {
 public:
  explicit Writer(const std::string &model)
      : uri_(std::string(kClipUriScheme) + "://" + escaped(model, nullptr)) {}

  void add(const std::string &name, const std::string &value) {
    uri_ += first_ ? "?" : "&";
    first_ = false;
    uri_ += escaped(name, kPlainInQuery) + "=" + escaped(value, kPlainInQuery);
  }

  std::string uri() && { return std::move(uri_); }

 private:
  std::string uri_;
  bool first_ = true;
};

}  // namespace

Error key_in_uri() { return uri_error(kKeyText); }

Result<ReadRequest> read_clip_uri(const Catalog &catalog, std::string_view uri) {
  auto parts = split(catalog, uri);
  if (!parts) return std::move(parts).error();
  auto read = read_fields(RequestBuilder(catalog, std::move(parts->model), kPlace),
                          without_spare_separators(parts->query));
  if (!read) return read;
  ClipRequest &request = read->request;
  for (const Json *fields : {&request.fields, &request.extra})
    for (const auto &[name, value] : *fields->object()) request.uri_fields.push_back(name);
  return read;
}

Result<ClipRequest> parse_clip_uri(const Catalog &catalog, std::string_view uri) {
  auto read = read_clip_uri(catalog, uri);
  if (!read) return std::move(read).error();
  if (!read->problems.empty()) return uri_error(problems_text(read->problems));
  return std::move(read->request);
}

std::string clip_uri(const Catalog &catalog, const ClipRequest &request) {
  Writer writer(request.model);
  const auto spec = catalog.find(request.model);
  for (const Json *fields : {&request.fields, &request.extra}) {
    if (!fields->object()) continue;
    for (const auto &[name, value] : *fields->object()) {
      const bool is_key = is_credential(name, value) && !(spec && spec->find(name));
      if (is_key || is_credential("", value)) continue;
      const std::string field(catalog.canonical(spec.get(), name));
      for (const std::string &text : texts_of_value(type_of_field(catalog, spec.get(), field), value))
        writer.add(field, text);
    }
  }
  if (request.take > 0) writer.add("take", std::to_string(request.take));
  if (request.api != Api::automatic) writer.add("api", to_word(request.api));
  return std::move(writer).uri();
}

std::string clip_uri_with_extension(std::string_view uri, std::string_view extension) {
  const auto host = uri.find("://");
  if (host == uri.npos) return std::string(uri);
  const auto path = std::min(uri.find_first_of("/?", host + 3), uri.size());
  const auto query = std::min(uri.find('?', path), uri.size());
  const std::string end = "." + std::string(extension);
  const std::string_view label = uri.substr(path, query - path);
  if (label.size() > end.size() &&
      g_ascii_strcasecmp(std::string(label.substr(label.size() - end.size())).c_str(), end.c_str()) == 0)
    return std::string(uri);
  return std::string(uri.substr(0, path)) + "/clip" + end + std::string(uri.substr(query));
}

std::string escaped_for_ges_launch(std::string_view uri) {
  std::string out;
  for (const char c : uri) {
    if (c == '%')
      out += "%25";
    else if (c == '?')
      out += "%3F";
    else
      out += c;
  }
  return out;
}

}  // namespace genclip
