// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/reference_list.h"

#include <gio/gio.h>
#include <gst/base/gsttypefindhelper.h>

namespace genclip::sim {
namespace {

struct MediaField {
  const char *name;
  const char *kind;
};
constexpr MediaField kMediaFields[] = {{"first_image", "image"},
                                       {"last_image", "image"},
                                       {"reference_images", "image"},
                                       {"reference_videos", "video"},
                                       {"reference_audios", "audio"}};

Reference::Role role_of(const Model &model, const std::string &field, size_t index) {
  if (model.image || index > 0) return Reference::Role::none;
  if (field == "first_image") return Reference::Role::first_frame;
  if (field == "last_image") return Reference::Role::last_frame;
  const bool begins = field == "reference_images" && !model.open && !model.field("first_image");
  return begins ? Reference::Role::first_frame : Reference::Role::none;
}

const char *kind_of(const std::string &field) {
  for (const MediaField &one : kMediaFields)
    if (field == one.name) return one.kind;
  return "";
}

// By its first bytes, whatever its server says; empty: unknown.
std::string media_type_of(GBytes *bytes) {
  gsize size = 0;
  const auto *data = static_cast<const guint8 *>(g_bytes_get_data(bytes, &size));
  const auto caps =
      GRef<GstCaps>::adopt(size > 0 ? gst_type_find_helper_for_data(nullptr, data, size, nullptr) : nullptr);
  return caps ? gst_structure_get_name(gst_caps_get_structure(caps.get(), 0)) : "";
}

}  // namespace

std::vector<Reference> references_of(const Model &model, const Json &request) {
  std::vector<Reference> all;
  for (const MediaField &field : kMediaFields) {
    const Json *value = request.find(field.name);
    if (!value || !value->array()) continue;
    for (size_t i = 0; i < value->array()->size(); ++i)
      if (const std::string *url = (*value->array())[i].string())
        all.push_back({.field = field.name, .url = *url, .role = role_of(model, field.name, i)});
  }
  return all;
}

bool is_on_loopback(const std::string &url) {
  const auto uri = GRef<GUri>::adopt(g_uri_parse(url.c_str(), G_URI_FLAGS_ENCODED, nullptr));
  const std::string scheme = uri ? g_uri_get_scheme(uri.get()) : "";
  if (scheme != "http" && scheme != "https") return false;
  const char *host = g_uri_get_host(uri.get());
  if (!host) return false;
  if (!g_ascii_strcasecmp(host, "localhost")) return true;
  const auto address = GRef<GInetAddress>::adopt(g_inet_address_new_from_string(host));
  return address && g_inet_address_get_is_loopback(address.get());
}

Result<void> accept(Reference &reference, const GRef<GBytes> &bytes) {
  const GStringPtr sum(g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, bytes.get()));
  reference.bytes = bytes;
  reference.sha256 = sum.get();
  reference.media_type = media_type_of(bytes.get());
  const std::string kind = kind_of(reference.field);
  // Sound has too many types to be told by a name.
  if (kind == "audio" || reference.media_type.starts_with(kind + "/")) return {};
  return Error{ErrorKind::failed, reference.field + " is not " + (kind == "image" ? "an image" : "a video") +
                                      (reference.media_type.empty() ? "" : ", but " + reference.media_type) +
                                      "."};
}

}  // namespace genclip::sim
