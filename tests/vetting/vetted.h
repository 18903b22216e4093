// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What tests of the vetter share.
#pragma once

#include <glib.h>

#include <fstream>
#include <sstream>
#include <string>

#include "plugin/base/gref.h"
#include "plugin/vetting/make_vetter.h"

namespace genclip::test {

inline std::string uri_of(const std::string &path) {
  return GStringPtr(g_filename_to_uri(path.c_str(), nullptr, nullptr)).get();
}

inline Result<VettedMedia> vet(const VettingRequest &request, GCancellable *cancellable = nullptr) {
  return make_vetter()->vet(request, cancellable);
}

// Of tests under sanitizers on a busy machine.
inline constexpr std::chrono::seconds kMuchPatience{120};

inline Result<VettedMedia> vet_clip(const std::string &path) {
  return vet({.uri = uri_of(path), .is_generated = true, .patience = kMuchPatience});
}

inline Result<VettedMedia> vet_foreign(const std::string &path) {
  return vet({.uri = uri_of(path), .patience = kMuchPatience});
}

// Why the media are not fit; "fit" if they are.
inline std::string reason(const Result<VettedMedia> &vetted) { return vetted ? "fit" : vetted.error().text; }

inline double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

inline std::string bytes_of(const std::string &path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

inline void write_bytes(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace genclip::test
