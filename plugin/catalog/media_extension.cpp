// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/media_extension.h"

#include <glib.h>

#include <algorithm>

namespace genclip {
namespace {

constexpr MediaExtension kExtensions[] = {
    {"jpg", "image/jpeg"},     {"jpeg", "image/jpeg"},      {"jfif", "image/jpeg"},
    {"png", "image/png"},      {"apng", "image/png"},       {"webp", "image/webp"},
    {"bmp", "image/bmp"},      {"tif", "image/tiff"},       {"tiff", "image/tiff"},
    {"gif", "image/gif"},      {"heic", "image/heic"},      {"heif", "image/heif"},
    {"avif", "image/avif"},    {"svg", "image/svg+xml"},    {"psd", "image/x-psd"},
    {"exr", "image/x-exr"},    {"jp2", "image/jp2"},        {"jxl", "image/jxl"},
    {"mp4", "video/mp4"},      {"m4v", "video/x-m4v"},      {"mov", "video/quicktime"},
    {"webm", "video/webm"},    {"mkv", "video/x-matroska"}, {"avi", "video/x-msvideo"},
    {"mpg", "video/mpeg"},     {"mpeg", "video/mpeg"},      {"m2ts", "video/mp2t"},
    {"mts", "video/mp2t"},     {"wmv", "video/x-ms-wmv"},   {"flv", "video/x-flv"},
    {"3gp", "video/3gpp"},     {"mxf", "application/mxf"},  {"wav", "audio/wav"},
    {"mp3", "audio/mpeg"},     {"m4a", "audio/mp4"},        {"aac", "audio/aac"},
    {"ogg", "audio/ogg"},      {"oga", "audio/ogg"},        {"opus", "audio/ogg"},
    {"flac", "audio/flac"},    {"aif", "audio/x-aiff"},     {"aiff", "audio/x-aiff"},
    {"wma", "audio/x-ms-wma"}, {"ogv", "video/ogg"},
};

// Of media files that no model is known to accept. None is also the end of a host's name, as "au" is.
constexpr std::string_view kOtherExtensions[] = {"ts",   "m2t",  "m2v", "mpv",  "vob", "f4v", "3g2",  "asf",
                                                 "divx", "rmvb", "mka", "weba", "amr", "caf", "ac3",  "eac3",
                                                 "dts",  "mp2",  "m4b", "aifc", "dng", "cr2", "cr3",  "nef",
                                                 "arw",  "orf",  "raf", "rw2",  "tga", "ico", "heics"};

std::string extension_of(std::string_view url) {
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  const auto dot = path.find_last_of("./");
  if (dot == std::string_view::npos || path[dot] != '.') return {};
  std::string extension(path.substr(dot + 1));
  for (char &c : extension) c = g_ascii_tolower(c);
  return extension;
}

}  // namespace

std::span<const MediaExtension> media_extensions() { return kExtensions; }

std::string media_type_of_path(std::string_view url) {
  const auto *row = std::ranges::find(kExtensions, extension_of(url), &MediaExtension::text);
  return row == std::end(kExtensions) ? std::string() : std::string(row->media_type);
}

bool has_extension_of_media(std::string_view path) {
  return !media_type_of_path(path).empty() ||
         std::ranges::find(kOtherExtensions, extension_of(path)) != std::end(kOtherExtensions);
}

}  // namespace genclip
