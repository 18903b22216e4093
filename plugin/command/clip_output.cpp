// SPDX-License-Identifier: LGPL-2.1-or-later
//
// GIO replaces files by way of a temporary one beside them.
#include "plugin/command/clip_output.h"

#include <gio/gio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "plugin/base/durable_file.h"
#include "plugin/base/gref.h"
#include "plugin/command/console.h"

namespace genclip {
namespace {

constexpr size_t kPiece = 1 << 20;

Error cannot_write(const std::string &path, const char *why, ErrorKind kind = ErrorKind::open_write) {
  return {kind, "The clip cannot be written to " + printable(path) + ": " + why};
}

// `put` returns why it could not, or null.
template <typename Put>
Result<void> copy(GrowingClip &clip, Put put) {
  std::vector<std::byte> piece(kPiece);
  const Interrupt never;
  const Interrupt::Watch watch(never);
  for (uint64_t offset = 0;;) {
    const auto ready = clip.wait(offset, piece.size(), true, watch);
    if (!ready) return ready.error();
    if (ready->available == 0) return {};
    const auto count = clip.read(offset, std::span(piece).first(ready->available));
    if (!count) return count.error();
    if (*count == 0) return Error{ErrorKind::read, "The stored clip became shorter while it was copied."};
    if (auto put_piece = put(std::span(std::as_const(piece)).first(*count)); !put_piece) return put_piece;
    offset += *count;
  }
}

}  // namespace

Result<void> check_output(const std::string &path) {
  if (path == kStandardOutput) {
    if (is_terminal(stdout))
      return Error{ErrorKind::settings,
                   "A clip is not written to a terminal; send standard output elsewhere."};
    return {};
  }
  if (g_file_test(path.c_str(), G_FILE_TEST_IS_DIR)) return cannot_write(path, "it is a folder; name a file");
  if (g_file_test(path.c_str(), G_FILE_TEST_EXISTS) && !g_file_test(path.c_str(), G_FILE_TEST_IS_REGULAR))
    return cannot_write(path, "it is no regular file");
  const GStringPtr folder(g_path_get_dirname(path.c_str()));
  if (!g_file_test(folder.get(), G_FILE_TEST_IS_DIR)) return cannot_write(path, "there is no such folder");
  if (::access(folder.get(), W_OK | X_OK) != 0) return cannot_write(path, g_strerror(errno));
  return {};
}

Result<void> write_output(GrowingClip &clip, const std::string &path) {
  if (path == kStandardOutput) {
    auto copied = copy(clip, [&](std::span<const std::byte> piece) -> Result<void> {
      if (fwrite(piece.data(), 1, piece.size(), stdout) == piece.size()) return {};
      return cannot_write("standard output", g_strerror(errno), ErrorKind::write);
    });
    if (copied && fflush(stdout) != 0)
      return cannot_write("standard output", g_strerror(errno), ErrorKind::write);
    return copied;
  }
  GErrorPtr error;
  const auto file = GRef<GFile>::adopt(g_file_new_for_path(path.c_str()));
  const auto stream = GRef<GFileOutputStream>::adopt(
      g_file_replace(file.get(), nullptr, FALSE, G_FILE_CREATE_REPLACE_DESTINATION, nullptr, take(error)));
  if (!stream) return cannot_write(path, error->message);
  const auto cancelled = GRef<GCancellable>::adopt(g_cancellable_new());
  auto copied = copy(clip, [&](std::span<const std::byte> piece) -> Result<void> {
    if (g_output_stream_write_all(G_OUTPUT_STREAM(stream.get()), piece.data(), piece.size(), nullptr, nullptr,
                                  take(error)))
      return {};
    return cannot_write(path, error->message, ErrorKind::write);
  });
  if (!copied) {
    // Closed while cancelled, the old file stays.
    g_cancellable_cancel(cancelled.get());
    g_output_stream_close(G_OUTPUT_STREAM(stream.get()), cancelled.get(), nullptr);
    return copied;
  }
  if (!g_output_stream_close(G_OUTPUT_STREAM(stream.get()), nullptr, take(error)))
    return cannot_write(path, error->message, ErrorKind::write);
  return {};
}

}  // namespace genclip
