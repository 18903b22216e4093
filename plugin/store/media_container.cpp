// SPDX-License-Identifier: LGPL-2.1-or-later
//
// GStreamer's typefinders recognise the type; a table says which types are clips, and gives each its
// extension.
#include "plugin/store/media_container.h"

#include <gst/base/gsttypefindhelper.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <string_view>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

struct KnownType {
  std::string_view caps_name;
  const char *media_type;
  const char *extension;
};

// Images of pixels only: an SVG is a program for a renderer, and may load other files. Any video is accepted.
constexpr KnownType kKnownTypes[] = {
    {"video/quicktime", "video/mp4", "mp4"}, {"application/x-3gp", "video/3gpp", "3gp"},
    {"video/webm", "video/webm", "webm"},    {"video/x-matroska", "video/x-matroska", "mkv"},
    {"video/mpegts", "video/mp2t", "ts"},    {"video/x-msvideo", "video/x-msvideo", "avi"},
    {"video/x-flv", "video/x-flv", "flv"},   {"application/ogg", "application/ogg", "ogg"},
    {"image/png", "image/png", "png"},       {"image/jpeg", "image/jpeg", "jpg"},
    {"image/webp", "image/webp", "webp"},    {"image/gif", "image/gif", "gif"},
    {"image/bmp", "image/bmp", "bmp"},       {"image/tiff", "image/tiff", "tiff"},
    {"image/jp2", "image/jp2", "jp2"},       {"image/jxl", "image/jxl", "jxl"},
    {"image/avif", "image/avif", "avif"},    {"image/heic", "image/heic", "heic"},
    {"image/heif", "image/heif", "heif"},
};

constexpr const char *kOtherExtension = "bin";
constexpr uint64_t kNoRegistry = std::numeric_limits<uint64_t>::max();  // Its own numbers have 32 bits.

struct BoxBrand {
  std::string_view brand;
  const char *media_type;
  const char *extension;
};

// QuickTime, and stills (ISO 23008-12) that look like an MP4. GStreamer's typefinders do not distinguish
// them.
constexpr BoxBrand kBoxBrands[] = {
    {"avif", "image/avif", "avif"},     {"avis", "image/avif", "avif"}, {"heic", "image/heic", "heic"},
    {"heix", "image/heic", "heic"},     {"heim", "image/heic", "heic"}, {"heis", "image/heic", "heic"},
    {"qt  ", "video/quicktime", "mov"},
};
constexpr std::string_view kAnyImageBrands[] = {"mif1", "msf1"};  // The other brands say which.

const BoxBrand *box_brand(std::string_view brand) {
  const auto *found = std::find_if(std::begin(kBoxBrands), std::end(kBoxBrands),
                                   [=](const BoxBrand &known) { return known.brand == brand; });
  return found == std::end(kBoxBrands) ? nullptr : found;
}

MediaContainer container_of(const BoxBrand &brand) { return {brand.media_type, brand.extension}; }

// Other containers are made of the boxes of an MP4, too. The brands in the first box tell them apart.
std::optional<MediaContainer> probe_brands(std::span<const std::byte> head) {
  constexpr size_t kMajor = 8, kCompatible = 16, kBrand = 4;
  const std::string_view text(reinterpret_cast<const char *>(head.data()), head.size());
  if (text.size() < kCompatible || text.substr(kBrand, kBrand) != "ftyp") return std::nullopt;
  const std::string_view major = text.substr(kMajor, kBrand);
  if (const BoxBrand *brand = box_brand(major)) return container_of(*brand);
  if (std::find(std::begin(kAnyImageBrands), std::end(kAnyImageBrands), major) == std::end(kAnyImageBrands))
    return std::nullopt;
  size_t end = 0;
  for (size_t i = 0; i < kBrand; ++i) end = end << 8 | std::to_integer<size_t>(head[i]);
  end = std::min(end, text.size());
  for (size_t at = kCompatible; at + kBrand <= end; at += kBrand)
    if (const BoxBrand *brand = box_brand(text.substr(at, kBrand))) return container_of(*brand);
  return MediaContainer{"image/heif", "heif"};
}

// What one typefinder says about the first bytes.
struct Finding {
  std::span<const std::byte> head;
  std::string_view wanted;
  bool is_certain = false;
};

const guint8 *peek(gpointer finding, gint64 offset, guint size) {
  const auto &head = static_cast<const Finding *>(finding)->head;
  const auto at = static_cast<guint64>(offset);  // One from the end becomes too large.
  if (at > head.size() || size > head.size() - at) return nullptr;
  return reinterpret_cast<const guint8 *>(head.data() + at);
}

void suggest(gpointer finding, guint probability, GstCaps *caps) {
  auto &found = *static_cast<Finding *>(finding);
  found.is_certain |= probability >= GST_TYPE_FIND_MAXIMUM && gst_caps_get_size(caps) > 0 &&
                      found.wanted == gst_structure_get_name(gst_caps_get_structure(caps, 0));
}

// GStreamer's search makes a list of all typefinders even to try one, which takes longer than to try it.
bool is_certainly(const KnownType &type, std::span<const std::byte> head) {
  const auto factory = GRef<GstPluginFeature>::adopt(
      gst_registry_find_feature(gst_registry_get(), type.caps_name.data(), GST_TYPE_TYPE_FIND_FACTORY));
  if (!factory) return false;
  Finding finding{head, type.caps_name};
  GstTypeFind find = {peek, suggest, &finding, nullptr, {}};
  gst_type_find_factory_call_function(GST_TYPE_FIND_FACTORY(factory.get()), &find);
  return finding.is_certain;
}

// Null if the typefinders know nothing of it.
GRef<GstCaps> find_caps(std::span<const std::byte> head, const char *expected,
                        GstTypeFindProbability &probability) {
  auto caps = GRef<GstCaps>::adopt(gst_type_find_helper_for_data_with_extension(
      nullptr, reinterpret_cast<const guint8 *>(head.data()), head.size(), expected, &probability));
  return caps && gst_caps_get_size(caps.get()) > 0 ? std::move(caps) : nullptr;
}

std::string_view as_text(const auto &bytes) { return {bytes.data(), bytes.size()}; }

}  // namespace

bool is_media_extension(std::string_view extension) {
  const auto *found = std::find_if(std::begin(kKnownTypes), std::end(kKnownTypes),
                                   [&](const KnownType &known) { return extension == known.extension; });
  return found != std::end(kKnownTypes) || extension == kOtherExtension ||
         std::ranges::any_of(kBoxBrands, [&](const BoxBrand &row) { return extension == row.extension; });
}

std::optional<MediaContainer> probe_container(std::span<const std::byte> head, const std::string &expected) {
  if (auto branded = probe_brands(head)) return branded;
  for (const KnownType &known : kKnownTypes)
    if (expected == known.extension && is_certainly(known, head))
      return MediaContainer{known.media_type, known.extension};
  GstTypeFindProbability probability = GST_TYPE_FIND_NONE;
  const auto caps = find_caps(head, expected.empty() ? nullptr : expected.c_str(), probability);
  if (!caps || probability < GST_TYPE_FIND_POSSIBLE) return std::nullopt;
  const std::string_view name = gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
  for (const KnownType &known : kKnownTypes)
    if (name == known.caps_name) return MediaContainer{known.media_type, known.extension};
  if (name.starts_with("video/")) return MediaContainer{std::string(name), kOtherExtension};
  return std::nullopt;
}

std::string sound_type(std::span<const std::byte> head) {
  GstTypeFindProbability probability = GST_TYPE_FIND_NONE;
  const auto caps = find_caps(head, nullptr, probability);
  if (!caps || probability < GST_TYPE_FIND_MAXIMUM) return {};
  const std::string name = gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
  return name.starts_with("audio/") ? name : std::string();
}

// Each look takes GStreamer's lists of typefinders, whose memory GLib keeps for the thread: 7 KiB for each of
// a hundred sources that wait. So one look serves until the registry changes.
Result<void> check_typefinding() {
  static std::atomic<uint64_t> works_with = kNoRegistry;
  const uint64_t registry = gst_registry_get_feature_list_cookie(gst_registry_get());
  if (works_with == registry) return {};
  constexpr auto kMp4 = std::to_array(
      "\0\0\0\x18"
      "ftypisom\0\0\2\0isommp42\0\0\0\x08moov");
  constexpr auto kPng = std::to_array("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0");
  const auto works = [](std::string_view head, const char *extension) {
    const auto found = probe_container(std::as_bytes(std::span(head)));
    return found && found->extension == extension;
  };
  if (works(as_text(kMp4), "mp4") && works(as_text(kPng), "png")) {
    works_with = registry;
    return {};
  }
  return Error{
      ErrorKind::settings,
      "GStreamer's typefinders are missing, so genclip cannot tell a clip from an error page. Nothing was "
      "submitted or changed. Install GStreamer's base plugins (Debian: gstreamer1.0-plugins-base, Fedora: "
      "gstreamer1-plugins-base), or correct GST_PLUGIN_PATH, GST_PLUGIN_SYSTEM_PATH and GST_REGISTRY if "
      "they lead elsewhere; gst-inspect-1.0 typefindfunctions then shows them."};
}

}  // namespace genclip
