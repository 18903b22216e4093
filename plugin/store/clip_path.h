// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Every file name of the clip store is made and recognised here (docs/store-format.md).
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/json.h"

namespace genclip {

// `setting`, else $GENCLIP_STORE, else the user's cache folder + "/genclip".
std::string store_root(const std::string &setting);

// What makes a request itself: two requests with the same identity share one generation and one folder.
struct ClipIdentity {
  std::string base_url;
  std::string api;  // "tasks" or "legacy"
  Json request;     // The body that is submitted, or {"task_id":…} for a task that was only attached to.
  unsigned take = 0;

  // SHA-256 of the canonical JSON of all four, in hexadecimal.
  std::string digest() const;
};

// The files of one clip.
class ClipPath {
 public:
  ClipPath(const std::string &root, const std::string &digest) : folder_(root + "/" + digest) {}

  const std::string &folder() const { return folder_; }
  std::string record() const { return folder_ + "/task.json"; }
  std::string part() const { return folder_ + "/clip.part"; }
  std::string lock() const { return folder_ + "/lock"; }
  std::string file(std::string_view name) const { return folder_ + "/" + std::string(name); }

  // "clip.mp4" for "mp4".
  static std::string clip_name(std::string_view extension);
  // Of clip_name's form, so never a path out of the folder.
  static bool is_clip_name(std::string_view name);

 private:
  std::string folder_;
};

}  // namespace genclip
