// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/publish/publish_secret.h"

#include <glib.h>
#include <sys/random.h>

#include <cerrno>

#include "plugin/base/durable_file.h"
#include "plugin/store/clip_path.h"

namespace genclip {
namespace {

Result<std::string> random_bytes(size_t size) {
  std::string bytes(size, '\0');
  // So few bytes come whole, or not at all.
  while (getrandom(bytes.data(), size, 0) != static_cast<ssize_t>(size))
    if (errno != EINTR)
      return Error{ErrorKind::failed,
                   std::string("The system gives no random bytes: ") + g_strerror(errno) + "."};
  return bytes;
}

}  // namespace

Result<std::optional<std::string>> read_publish_secret(FileSystem &files, const std::string &store) {
  const std::string path = publish_secret_path(store);
  auto bytes = read_whole(files, path, kPublishSecretSize);
  if (!bytes && bytes.error().kind == ErrorKind::not_found) return std::optional<std::string>();
  if (bytes && bytes->size() == kPublishSecretSize) return std::optional(std::move(*bytes));
  if (!bytes && bytes.error().kind != ErrorKind::wrong_type) return std::move(bytes).error();
  return Error{
      ErrorKind::read,
      path + " is damaged: it must have " + std::to_string(kPublishSecretSize) +
          " bytes. Restore it from a backup. Or remove it: the next run makes another, and publishes "
          "every file again, at a new address.",
      bytes ? "" : bytes.error().text};
}

Result<std::string> publish_secret(FileSystem &files, Clock &clock, const std::string &store,
                                   GCancellable *cancellable, const OnLockWait &on_wait) {
  auto secret = read_publish_secret(files, store);
  if (!secret) return std::move(secret).error();
  if (*secret) return std::move(**secret);
  if (auto made = make_folder_durably(files, store); !made) return std::move(made).error();
  const auto lock = wait_for_lock(store_lock_path(store), clock, cancellable, on_wait);
  if (!lock) return lock.error();
  // Another process may have made it meanwhile.
  secret = read_publish_secret(files, store);
  if (!secret) return std::move(secret).error();
  if (*secret) return std::move(**secret);
  auto bytes = random_bytes(kPublishSecretSize);
  if (!bytes) return bytes;
  if (auto written = write_durably(files, publish_secret_path(store), *bytes); !written)
    return std::move(written).error();
  return bytes;
}

}  // namespace genclip
