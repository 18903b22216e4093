// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Every file name of the clip store is made and recognised here (docs/store-format.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plugin/base/json.h"

namespace genclip {

// `setting`, else $GENCLIP_STORE, else the user's cache folder + "/genclip"; absolute, whatever the current
// folder will be.
std::string store_root(const std::string &setting);

// What identifies a request. Two requests with the same identity share one generation and one folder.
struct ClipIdentity {
  std::string base_url;
  std::string api;  // "tasks" or "legacy"
  Json request;     // The submitted body, or {"task_id":…} for a task that was only attached to.
  unsigned take = 0;

  // SHA-256 of the canonical JSON of all four, in hexadecimal.
  std::string digest() const;
  // Whether a folder of this name is the request's. Before 2026-11-22, names had the address as it was given.
  bool is_name(std::string_view name) const;
};

// The store's own lock, for changes that no clip's lock can cover.
std::string store_lock_path(const std::string &root);

// The sizes and uses of the store's clips (plugin/store/store_census.h), and the lock of who writes them.
std::string store_summary_path(const std::string &root);
std::string store_summary_lock_path(const std::string &root);

// The secret in the addresses of published copies (plugin/publish/publish_secret.h).
std::string publish_secret_path(const std::string &root);

// The kept answers of captions (plugin/store/caption_answers.h), and the file of one of them.
std::string captions_folder(const std::string &root);
std::string caption_path(const std::string &root, std::string_view key);
// Another name at each call, for a file that becomes caption_path().
std::string caption_temporary(const std::string &root, std::string_view key);
// The key of an answer's file; nothing for any other name.
std::optional<std::string> caption_key_of(std::string_view name);
// The file whose lock somebody holds who asks that question (plugin/store/question_locks.h). A leftover of
// one that was killed goes as other temporary files do.
std::string caption_lock_path(const std::string &root, std::string_view key);
// True for a name that caption_temporary() or caption_lock_path() makes.
bool is_caption_temporary(std::string_view name);

// The files of one clip.
class ClipPath {
 public:
  ClipPath(const std::string &root, const std::string &digest) : root_(root), folder_(root + "/" + digest) {}

  const std::string &root() const { return root_; }
  const std::string &folder() const { return folder_; }
  // The folder's name.
  std::string digest() const { return folder_.substr(root_.size() + 1); }
  std::string record() const { return folder_ + "/task.json"; }
  std::string record_temporary() const { return record() + ".tmp"; }
  std::string spare() const { return record() + ".spare"; }
  // While it is there, no request has left since it was made.
  std::string unsent() const { return folder_ + "/unsent"; }
  std::string part() const { return folder_ + "/clip.part"; }
  std::string lock() const { return folder_ + "/lock"; }
  std::string use() const { return folder_ + "/use"; }
  std::string pin() const { return folder_ + "/pin"; }
  // Made of the clip, and made anew where they are missing or older than the clip.
  std::string thumbnail() const { return folder_ + "/thumbnail.jpg"; }
  std::string provenance() const { return folder_ + "/clip.xmp"; }
  std::string file(std::string_view name) const { return folder_ + "/" + std::string(name); }

  // "clip.mp4" for "mp4".
  static std::string clip_name(std::string_view extension);
  // True for names that clip_name() makes; so never for a path out of the folder.
  static bool is_clip_name(std::string_view name);
  // True for any of the names above.
  static bool is_own_name(std::string_view name);
  // True for the name of a clip's folder.
  static bool is_digest(std::string_view name);
  // The number-th name for a damaged `path`.
  static std::string aside(const std::string &path, int number);
  // True for a name that aside() makes for one of genclip's files.
  static bool is_aside_name(std::string_view name);
  // The name that a clip's folder has while it is removed.
  static std::string removed(const std::string &folder) { return folder + ".removed"; }
  static bool is_removed(std::string_view name);

 private:
  std::string root_;
  std::string folder_;
};

}  // namespace genclip
