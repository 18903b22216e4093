// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/publish/copy.h"

#include <glib.h>

#include <algorithm>
#include <memory>

#include "plugin/base/durable_file.h"
#include "plugin/base/gref.h"
#include "plugin/task/media_format.h"

namespace genclip {
namespace {

constexpr std::string_view kTemporaryPrefix = ".genclip-";
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr size_t kHmacDigits = 64;

const guchar *raw(std::span<const std::byte> bytes) { return reinterpret_cast<const guchar *>(bytes.data()); }

Error other_content() {
  return {ErrorKind::busy,
          "The file has changed since it was checked. Run again when the program that writes it is done."};
}

// A sentence of its own out of a text that continues one.
Error of_file(Error error) {
  if (error.kind != ErrorKind::cancelled) error.text = "The file " + error.text;
  return error;
}

// Gives the content to `take`, and fails if it is not the one with that sum.
Result<void> read_content(const LocalFile &file, const std::string &sha256, const LocalFile::Take &take,
                          GCancellable *cancellable) {
  const std::unique_ptr<GChecksum, decltype(&g_checksum_free)> sum(g_checksum_new(G_CHECKSUM_SHA256),
                                                                   g_checksum_free);
  bool is_taken = true;
  const auto add = [&](std::span<const std::byte> bytes) -> Result<void> {
    g_checksum_update(sum.get(), raw(bytes), static_cast<gssize>(bytes.size()));
    auto taken = take(bytes);
    is_taken = taken.has_value();
    return taken;
  };
  if (const auto read = file.read_all(add, cancellable); !read)
    return is_taken ? of_file(read.error()) : read.error();
  if (sha256 != g_checksum_get_string(sum.get())) return other_content();
  return {};
}

class Hmac {
 public:
  explicit Hmac(std::string_view secret)
      : hmac_(g_hmac_new(G_CHECKSUM_SHA256, reinterpret_cast<const guchar *>(secret.data()), secret.size()),
              g_hmac_unref) {}

  Result<void> add(std::span<const std::byte> bytes) {
    g_hmac_update(hmac_.get(), raw(bytes), static_cast<gssize>(bytes.size()));
    return {};
  }
  std::string digest() { return g_hmac_get_string(hmac_.get()); }

 private:
  const std::unique_ptr<GHmac, decltype(&g_hmac_unref)> hmac_;
};

}  // namespace

Result<std::string> copy_name(const LocalFile &file, const std::string &sha256, std::string_view secret,
                              std::string_view media_type, GCancellable *cancellable) {
  const std::string_view extension = file_extension(media_type);
  if (extension.empty())
    return Error{ErrorKind::wrong_type,
                 "The file is not a known kind of picture, video or sound, and nothing else is published."};
  Hmac hmac(secret);
  const auto add = [&](std::span<const std::byte> bytes) { return hmac.add(bytes); };
  if (auto read = read_content(file, sha256, add, cancellable); !read) return std::move(read).error();
  return hmac.digest() + "." + std::string(extension);
}

Result<std::string> content_hmac(const LocalFile &file, std::string_view secret, GCancellable *cancellable) {
  Hmac hmac(secret);
  const auto add = [&](std::span<const std::byte> bytes) { return hmac.add(bytes); };
  if (const auto read = file.read_all(add, cancellable); !read) return read.error();
  return hmac.digest();
}

bool is_copy_name(std::string_view name) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return name.size() > kHmacDigits + 1 && name[kHmacDigits] == '.' &&
         std::all_of(name.begin(), name.begin() + kHmacDigits, is_digit) &&
         is_file_extension(name.substr(kHmacDigits + 1));
}

Result<void> write_copy(FileSystem &files, const LocalFile &file, const std::string &sha256,
                        const std::string &folder, const std::string &name, FileSystem::Mode mode,
                        GCancellable *cancellable) {
  const GStringPtr random(g_uuid_string_random());
  const std::string temporary =
      folder + "/" + std::string(kTemporaryPrefix) + random.get() + std::string(kTemporarySuffix);
  const auto write = [&]() -> Result<void> {
    auto copy = files.open(temporary, mode);
    if (!copy) return std::move(copy).error();
    uint64_t size = 0;
    const auto add = [&](std::span<const std::byte> bytes) {
      size += bytes.size();
      return (*copy)->write_at(size - bytes.size(), bytes);
    };
    if (auto read = read_content(file, sha256, add, cancellable); !read) return read;
    if (auto synced = (*copy)->sync(); !synced) return synced;
    return files.rename(temporary, folder + "/" + name);
  };
  if (auto written = write(); !written) {
    static_cast<void>(files.remove(temporary));
    return written;
  }
  return files.sync_folder(folder);
}

bool is_temporary_name(std::string_view name) {
  return name.starts_with(kTemporaryPrefix) && name.ends_with(kTemporarySuffix);
}

}  // namespace genclip
