// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A command gets a copy of its own, in a private folder and under the copy's secret name. A link or a
// descriptor would not do: rclone does not follow links, tools take the type from the extension, an upload
// needs one size from its beginning to its end, and a frame has no file at all. A script that uses the file's
// name in its URL gets an address that cannot be guessed.
#include "plugin/publish/publisher.h"

#include <glib/gstdio.h>

#include <array>
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

constexpr char kFolderAdvice[] =
    "Make the folder writable and give it space (genclip publish prune removes old copies), or set "
    "publish-folder to another.";
constexpr char kPrivateAdvice[] = "Set TMPDIR to a folder with free space.";
// A frame of 4K as PNG may have half of that.
constexpr uint64_t kRoomForCopies = uint64_t{16} << 20;

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
  explicit PrivateFolder(const std::string &place) {
    GStringPtr path(g_build_filename(place.c_str(), "genclip-publish-XXXXXX", nullptr));
    if (g_mkdtemp_full(path.get(), 0700))
      path_ = path.get();
    else
      reason_ = g_strerror(errno);
  }
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder &) = delete;
  PrivateFolder &operator=(const PrivateFolder &) = delete;

  // Empty when it could not be made.
  const std::string &path() const { return path_; }
  const std::string &reason() const { return reason_; }

 private:
  std::string path_;
  std::string reason_;  // Why there is none.
};

class Publication {
 public:
  Publication(const PublishSettings &settings, const PublishTools &tools, const LocalFile &file,
              const std::string &sha256, GCancellable *cancellable)
      : settings_(settings), tools_(tools), file_(file), sha256_(sha256), cancellable_(cancellable) {}

  Result<Published> by_folder(const std::string &name) {
    if (auto copied = copy_into_folder(name); !copied)
      return about_folder(std::move(copied).error(), settings_.folder, kFolderAdvice);
    std::string url = settings_.url;
    while (url.ends_with('/')) url.pop_back();
    Published published{url + "/" + name, name};
    if (auto asked = ask(published.url); !asked) return std::move(asked).error();
    return published;
  }

  Result<Published> by_command(const std::string &name, const std::string &media_type) {
    const PrivateFolder folder(private_place());
    if (auto written = copy_for_command(folder, name); !written) return std::move(written).error();
    auto url = run_publish_command({.command = settings_.command,
                                    .file = folder.path() + "/" + name,
                                    .sha256 = sha256_,
                                    .media_type = media_type,
                                    .working_folder = settings_.working_folder,
                                    .refuses_private_hosts = settings_.refuses_private_hosts},
                                   cancellable_);
    if (!url) return std::move(url).error();
    if (auto asked = ask(*url); !asked) return std::move(asked).error();
    return Published{std::move(*url), ""};
  }

  // The copy is removed even if it could not be written: it may have its name already.
  Result<void> try_folder(const std::string &name) {
    if (auto room = find_room(settings_.folder); !room)
      return about_folder(std::move(room).error(), settings_.folder, kFolderAdvice);
    const auto published = by_folder(name);
    static_cast<void>(tools_.files->remove(settings_.folder + "/" + name));
    return published ? Result<void>() : published.error();
  }

  Result<void> try_command(const std::string &name) {
    if (auto known = check_publish_command(settings_.command, settings_.working_folder); !known) return known;
    if (auto room = find_room(private_place()); !room)
      return about_folder(std::move(room).error(), private_place(), kPrivateAdvice);
    return copy_for_command(PrivateFolder(private_place()), name);
  }

 private:
  std::string private_place() const { return absolute_path(g_get_tmp_dir(), settings_.working_folder); }

  Result<void> find_room(const std::string &folder) const {
    const auto space = tools_.files->free_space(folder);
    if (!space || *space >= kRoomForCopies) return {};
    return Error{ErrorKind::no_space_left, "Only " + std::to_string(*space) + " bytes are free."};
  }

  Result<void> ask(const std::string &url) const {
    if (settings_.check == PublishCheck::none) return {};
    const auto size = file_.size();
    if (!size) return size.error();
    return check_public_url(*tools_.http, *tools_.clock, url, *size, cancellable_);
  }

  Result<void> copy_for_command(const PrivateFolder &folder, const std::string &name) const {
    if (folder.path().empty())
      return about_folder({ErrorKind::open_write, folder.reason()}, private_place(), kPrivateAdvice);
    auto written = write_copy(*tools_.files, file_, sha256_, folder.path(), name,
                              FileSystem::Mode::read_write, cancellable_);
    return written ? written : about_folder(std::move(written).error(), folder.path(), kPrivateAdvice);
  }

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

Result<void> check_settings(const PublishSettings &settings) {
  if (const auto problems = problems_of(settings, settings.refuses_private_hosts); !problems.empty())
    return Error{ErrorKind::settings, problems.front()};
  if (settings.is_set_up()) return {};
  return Error{
      ErrorKind::settings,
      "Files can be published only where publishing is set up: set publish-folder and publish-url, or "
      "GENCLIP_PUBLISH_COMMAND."};
}

// A picture of one pixel. What follows its end no program reads; it makes each one another picture, whose
// name nobody else has.
Result<LocalFile> trial_picture() {
  constexpr auto kPixel = std::to_array(
      "\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~"
      "\x9bU\x00\x00\x00\x0aIDATx\x9c"
      "c`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xae"
      "B`\x82");
  return LocalFile::with_content(std::string(kPixel.data(), kPixel.size() - 1) +
                                 GStringPtr(g_uuid_string_random()).get());
}

}  // namespace

Result<Published> publish(const PublishSettings &settings, const PublishTools &tools,
                          const std::string &store, const LocalFile &file, const std::string &sha256,
                          const std::string &media_type, GCancellable *cancellable) {
  if (auto usable = check_settings(settings); !usable) return std::move(usable).error();
  const auto secret = publish_secret(*tools.files, *tools.clock, store, cancellable, tools.on_lock_wait);
  if (!secret) return secret.error();
  const auto name = copy_name(file, sha256, *secret, media_type, cancellable);
  if (!name) return name.error();
  Publication publication(settings, tools, file, sha256, cancellable);
  return settings.command.empty() ? publication.by_folder(*name) : publication.by_command(*name, media_type);
}

Result<void> try_publishing(const PublishSettings &settings, const PublishTools &tools,
                            const std::string &store, GCancellable *cancellable) {
  if (auto usable = check_settings(settings); !usable) return usable;
  // A new store has none yet; publishing makes it.
  const auto secret = read_publish_secret(*tools.files, store);
  if (!secret) return secret.error();
  const auto file = trial_picture();
  if (!file) return file.error();
  const auto sha256 = file->sha256(cancellable);
  if (!sha256) return sha256.error();
  const auto name = copy_name(*file, *sha256, secret->value_or(""), "image/png", cancellable);
  if (!name) return name.error();
  Publication trial(settings, tools, *file, *sha256, cancellable);
  return settings.command.empty() ? trial.try_folder(*name) : trial.try_command(*name);
}

}  // namespace genclip
