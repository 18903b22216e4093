// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A command gets a copy of its own, in a private folder and under the copy's secret name. A link or a
// descriptor would not do: rclone does not follow links, tools take the type from the extension, an upload
// needs one size from its beginning to its end, and a frame has no file at all. A script that uses the file's
// name in its URL gets an address that cannot be guessed.
#include "plugin/publish/publisher.h"

#include <glib/gstdio.h>

#include <cerrno>
#include <filesystem>

#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"
#include "plugin/publish/copy.h"
#include "plugin/publish/publish_check.h"
#include "plugin/publish/publish_command.h"
#include "plugin/publish/publish_secret.h"

namespace genclip {
namespace {

// Replaces a text of FileSystem, which knows only of the store, where `error` is about the folder of copies.
Error about_folder(Error error, const std::string &folder, const std::string &advice) {
  switch (error.kind) {
    case ErrorKind::no_space_left:
    case ErrorKind::open_write:
    case ErrorKind::not_authorized:
    case ErrorKind::not_found:
    case ErrorKind::write: break;
    default: return error;
  }
  const bool is_full = error.kind == ErrorKind::no_space_left;
  return {error.kind,
          (is_full ? "There is no room for a copy in " : "A copy cannot be written into ") +
              shown_line(folder) + ". " + advice,
          error.text};
}

// For the file of a command; removed with everything in it when this object ends.
class PrivateFolder {
 public:
  PrivateFolder() {
    GStringPtr path(g_build_filename(g_get_tmp_dir(), "genclip-publish-XXXXXX", nullptr));
    if (g_mkdtemp_full(path.get(), 0700)) path_ = path.get();
  }
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder &) = delete;
  PrivateFolder &operator=(const PrivateFolder &) = delete;

  // Empty when it could not be made.
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

class Publication {
 public:
  Publication(const PublishSettings &settings, const PublishTools &tools, const LocalFile &file,
              const std::string &sha256, GCancellable *cancellable)
      : settings_(settings), tools_(tools), file_(file), sha256_(sha256), cancellable_(cancellable) {}

  Result<Published> by_folder(const std::string &name) {
    if (auto copied = copy_into_folder(name); !copied)
      return about_folder(std::move(copied).error(), settings_.folder,
                          "Make the folder writable and give it space (genclip publish prune removes old "
                          "copies), or set publish-folder to another.");
    std::string url = settings_.url;
    while (url.ends_with('/')) url.pop_back();
    return Published{url + "/" + name, name};
  }

  Result<Published> by_command(const std::string &name, const std::string &media_type) {
    PrivateFolder folder;
    const std::string advice = "Set TMPDIR to a folder with free space.";
    if (folder.path().empty())
      return about_folder({ErrorKind::open_write, g_strerror(errno)}, g_get_tmp_dir(), advice);
    if (auto written = write_copy(*tools_.files, file_, sha256_, folder.path(), name,
                                  FileSystem::Mode::read_write, cancellable_);
        !written)
      return about_folder(std::move(written).error(), folder.path(), advice);
    auto url = run_publish_command({settings_.command, folder.path() + "/" + name, sha256_, media_type},
                                   cancellable_);
    if (!url) return std::move(url).error();
    return Published{std::move(*url), ""};
  }

 private:
  Result<void> copy_into_folder(const std::string &name) {
    FileSystem &files = *tools_.files;
    // Not made when it is missing: perhaps the bucket behind it is not mounted.
    const auto folder = files.info(settings_.folder + "/.");
    if (!folder) return folder.error();
    if (!*folder || !(*folder)->is_folder) return Error{ErrorKind::not_found, "There is no such folder."};
    const std::string path = settings_.folder + "/" + name;
    const auto copy = files.info(path);
    if (!copy) return copy.error();
    const auto size = file_.size();
    if (!size) return size.error();
    // Touched, so that it is kept a day from now on. It may have been removed meanwhile.
    if (*copy && (*copy)->is_regular && (*copy)->size == *size && files.touch(path)) return {};
    return write_copy(files, file_, sha256_, settings_.folder, name, FileSystem::Mode::publish, cancellable_);
  }

  const PublishSettings &settings_;
  const PublishTools &tools_;
  const LocalFile &file_;
  const std::string &sha256_;
  GCancellable *const cancellable_;
};

}  // namespace

Result<Published> publish(const PublishSettings &settings, const PublishTools &tools,
                          const std::string &store, const LocalFile &file, const std::string &sha256,
                          const std::string &media_type, GCancellable *cancellable) {
  if (const auto problems = problems_of(settings); !problems.empty())
    return Error{ErrorKind::settings, problems.front()};
  if (!settings.is_set_up())
    return Error{
        ErrorKind::settings,
        "Files can be published only where publishing is set up: set publish-folder and publish-url, or "
        "GENCLIP_PUBLISH_COMMAND."};
  const auto secret = publish_secret(*tools.files, *tools.clock, store, cancellable);
  if (!secret) return secret.error();
  const auto name = copy_name(file, sha256, *secret, media_type, cancellable);
  if (!name) return name.error();
  Publication publication(settings, tools, file, sha256, cancellable);
  auto published =
      settings.command.empty() ? publication.by_folder(*name) : publication.by_command(*name, media_type);
  if (!published || settings.check == PublishCheck::none) return published;
  const auto size = file.size();
  if (!size) return size.error();
  if (auto checked = check_public_url(*tools.http, *tools.clock, published->url, *size, cancellable);
      !checked)
    return std::move(checked).error();
  return published;
}

}  // namespace genclip
