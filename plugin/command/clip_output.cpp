// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A temporary file beside the old one is renamed at the end: whatever happens until then, no part of a clip
// has the name that the user chose.
#include "plugin/command/clip_output.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/account/ledger.h"
#include "plugin/base/durable_file.h"
#include "plugin/base/file_system.h"
#include "plugin/base/gref.h"
#include "plugin/command/console.h"
#include "plugin/store/clip_path.h"

namespace genclip {
namespace {

constexpr size_t kPiece = 1 << 20;
constexpr std::string_view kProcesses = "/proc/";  // With their open files.

Error cannot_write(const std::string &path, const char *why, ErrorKind kind = ErrorKind::open_write,
                   const char *what = kTheClip) {
  return {kind, std::string(what) + " cannot be written to " + printable(path) + ": " + why};
}

struct NamedContent {
  const char *extension;
  ResultKind kind;
  std::string_view format;
};

// Extensions with one meaning: a GIF may be an image or a video.
constexpr NamedContent kNamedContents[] = {
    {"mp4", ResultKind::video, "MP4"},      {"m4v", ResultKind::video, "MP4"},
    {"mov", ResultKind::video, "MP4"},      {"webm", ResultKind::video, "WebM"},
    {"mkv", ResultKind::video, "Matroska"}, {"avi", ResultKind::video, "AVI"},
    {"ts", ResultKind::video, "MPEG-TS"},   {"flv", ResultKind::video, "Flash Video"},
    {"mpg", ResultKind::video, "MPEG"},     {"mpeg", ResultKind::video, "MPEG"},
    {"png", ResultKind::image, "PNG"},      {"jpg", ResultKind::image, "JPEG"},
    {"jpeg", ResultKind::image, "JPEG"},    {"webp", ResultKind::image, "WebP"},
    {"bmp", ResultKind::image, "BMP"},      {"tif", ResultKind::image, "TIFF"},
    {"tiff", ResultKind::image, "TIFF"},    {"avif", ResultKind::image, "AVIF"},
    {"heic", ResultKind::image, "HEIC"},
};

// Text, which no clip is.
constexpr const char *kTextExtensions[] = {"vtt", "srt", "txt", "md", "json", "jsonl", "csv", "xges"};

// Whatever its case.
bool has_extension(const std::string &path, const char *extension) {
  const size_t dot = path.find_last_of("./");
  return dot != path.npos && path[dot] == '.' && g_ascii_strcasecmp(path.c_str() + dot + 1, extension) == 0;
}

// Null when the name has no known extension.
const NamedContent *content_named(const std::string &path) {
  const auto *found =
      std::find_if(std::begin(kNamedContents), std::end(kNamedContents),
                   [&](const NamedContent &content) { return has_extension(path, content.extension); });
  return found == std::end(kNamedContents) ? nullptr : found;
}

const char *with_article(ResultKind kind) { return kind == ResultKind::image ? "an image" : "a video"; }

// `put` returns null, or why it failed.
template <typename Put>
Result<void> copy(GrowingClip &clip, Put put) {
  std::vector<std::byte> piece(kPiece);
  const Interrupt never;
  const Interrupt::Watch watch(never);
  for (uint64_t offset = 0;;) {
    const auto ready = clip.wait(offset, piece.size(), true, watch);
    if (!ready) return ready.error();
    if (ready->available == 0) return {};
    const auto count = clip.read(offset, std::span(piece).first(static_cast<size_t>(ready->available)));
    if (!count) return count.error();
    if (*count == 0) return Error{ErrorKind::read, "The stored clip became shorter while it was copied."};
    if (auto put_piece = put(std::span(std::as_const(piece)).first(*count)); !put_piece) return put_piece;
    offset += *count;
  }
}

// Not where a symbolic link leads, which info() does not follow: that file may be one of a store, and be
// removed there.
bool holds_same(GrowingClip &clip, const std::string &path) {
  const auto info = FileSystem::posix().info(path);
  if (!info || !*info || !(*info)->is_regular || (*info)->size != clip.size()) return false;
  const auto file = FileSystem::posix().open(path, FileSystem::Mode::read);
  if (!file) return false;
  std::vector<std::byte> held(kPiece);
  uint64_t offset = 0;
  const auto compared = copy(clip, [&](std::span<const std::byte> piece) -> Result<void> {
    const auto there = std::span(held).first(piece.size());
    const auto count = (*file)->read_at(offset, there);
    offset += piece.size();
    if (count && *count == piece.size() && std::ranges::equal(piece, there)) return {};
    return Error{ErrorKind::failed, "It has other bytes."};
  });
  return compared.has_value();
}

// Has a name of its own until it is whole.
class NewFile {
 public:
  explicit NewFile(const std::string &path) : path_(path), temporary_(folder_of(path) + "/.genclip-XXXXXX") {}
  ~NewFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    g_unlink(temporary_.c_str());
  }
  NewFile(const NewFile &) = delete;
  NewFile &operator=(const NewFile &) = delete;

  Result<void> open() {
    // Other users may read it as the umask allows.
    descriptor_ = g_mkstemp_full(temporary_.data(), O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor_ < 0) return cannot_write(path_, g_strerror(errno));
    return {};
  }

  Result<void> write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failed();
      bytes = bytes.subspan(static_cast<size_t>(count));
    }
    return {};
  }

  // Gives it the name, also in place of a link.
  Result<void> name() {
    if (::fsync(descriptor_) < 0) return failed();
    if (::close(std::exchange(descriptor_, -1)) == 0 && g_rename(temporary_.c_str(), path_.c_str()) == 0)
      return {};
    Error error = failed();
    g_unlink(temporary_.c_str());
    return error;
  }

 private:
  Error failed() const { return cannot_write(path_, g_strerror(errno), ErrorKind::write); }

  const std::string &path_;
  std::string temporary_;
  int descriptor_ = -1;
};

// What G_FILE_ATTRIBUTE_ID_FILE is, of the file that links lead to; empty: there is none.
std::string id_of_file(const std::string &path) {
  const auto file = GRef<GFile>::adopt(g_file_new_for_path(path.c_str()));
  const auto info = GRef<GFileInfo>::adopt(
      g_file_query_info(file.get(), G_FILE_ATTRIBUTE_ID_FILE, G_FILE_QUERY_INFO_NONE, nullptr, nullptr));
  const char *id = info ? g_file_info_get_attribute_string(info.get(), G_FILE_ATTRIBUTE_ID_FILE) : nullptr;
  return id ? id : "";
}

}  // namespace

bool is_same_file(const std::string &one, const std::string &other) {
  if (destination_path(one) == destination_path(other)) return true;
  const std::string id = id_of_file(one);
  return !id.empty() && id == id_of_file(other);
}

std::string output_named(const std::string &path) {
  if (path.empty() || path == kStandardOutput) return path;
  return resolved_path(path, kProcesses) == destination_path("/proc/self/fd/1") ? kStandardOutput : path;
}

bool is_of_store(const std::string &path) {
  const GStringPtr folder(g_path_get_dirname(path.c_str())), file(g_path_get_basename(path.c_str()));
  const std::unique_ptr<char, decltype(&::free)> whole(::realpath(folder.get(), nullptr), ::free);
  if (!whole) return false;
  const GStringPtr name(g_path_get_basename(whole.get())), root(g_path_get_dirname(whole.get()));
  const bool is_clip = ClipPath::is_digest(name.get()) &&
                       g_file_test(ClipPath(root.get(), name.get()).record().c_str(), G_FILE_TEST_EXISTS);
  const std::string store = whole.get(), inside = store + "/" + file.get();
  const LedgerPath ledger(store);
  const std::string own[] = {ledger.ledger,
                             ledger.lock,
                             ledger.summary,
                             ledger.budget,
                             store_lock_path(store),
                             store_summary_path(store),
                             publish_secret_path(store),
                             store_summary_lock_path(store)};
  return is_clip || std::ranges::find(own, inside) != std::end(own);
}

Result<void> check_replaces_no_reference(const std::string &path, const CheckedRequest &request) {
  for (const MediaReference &reference : request.media())
    if (reference.source == MediaSource::file && is_same_file(path, reference.url))
      return cannot_write(path, ("it would replace " + reference.name + " of the request").c_str(),
                          ErrorKind::settings);
  return {};
}

Result<void> check_output_name(const std::string &path, const ModelSpec *model, const char *what) {
  const GStringPtr name(g_path_get_basename(path.c_str()));
  if (strlen(name.get()) > NAME_MAX)
    return cannot_write(path, "its name is too long", ErrorKind::settings, what);
  for (const char *extension : kTextExtensions)
    if (has_extension(path, extension))
      return cannot_write(path, "the name is for a text, which no clip is", ErrorKind::settings, what);
  const NamedContent *named = content_named(path);
  if (!model || !named || named->kind == model->result) return {};
  const std::string why = model->id + " makes " + with_article(model->result) + ", but the name is for " +
                          with_article(named->kind) + ". Choose a name such as " +
                          path.substr(0, path.rfind('.')) +
                          (model->result == ResultKind::image ? ".png" : ".mp4");
  return cannot_write(path, printable(why).c_str(), ErrorKind::settings);
}

Result<void> check_output(const std::string &path, const ModelSpec *model, const char *what) {
  const auto problem = [&](const char *why, ErrorKind kind = ErrorKind::open_write) {
    return cannot_write(path, why, kind, what);
  };
  if (path == kStandardOutput) {
    if (is_terminal(stdout))
      return Error{ErrorKind::settings,
                   "genclip does not write a clip to a terminal; redirect standard output."};
    return {};
  }
  // A rename would put a file in place of the last link.
  if (resolved_path(path, kProcesses).starts_with(kProcesses))
    return problem("it leads to an open file of a program; - is standard output", ErrorKind::settings);
  if (g_file_test(path.c_str(), G_FILE_TEST_IS_DIR)) return problem("it is a folder; name a file");
  if (g_file_test(path.c_str(), G_FILE_TEST_EXISTS) && !g_file_test(path.c_str(), G_FILE_TEST_IS_REGULAR))
    return problem("it is not a regular file");
  const GStringPtr folder(g_path_get_dirname(path.c_str()));
  if (!g_file_test(folder.get(), G_FILE_TEST_IS_DIR)) return problem("there is no such folder");
  if (is_of_store(path)) return problem("it is a file of a clip store", ErrorKind::settings);
  if (::access(folder.get(), W_OK | X_OK) != 0) return problem(g_strerror(errno));
  return check_output_name(path, model, what);
}

Result<void> check_output_folder(const std::string &path) {
  std::string there = destination_path(path);
  while (!g_file_test(there.c_str(), G_FILE_TEST_EXISTS))
    there = GStringPtr(g_path_get_dirname(there.c_str())).get();
  const char *why = nullptr;
  if (!g_file_test(there.c_str(), G_FILE_TEST_IS_DIR))
    why = g_strerror(ENOTDIR);
  else if (::access(there.c_str(), W_OK | X_OK) != 0)
    why = g_strerror(errno);
  if (!why) return {};
  return Error{ErrorKind::open_write,
               "Clips cannot be written to the folder " + printable(path) + ": " + why};
}

std::string other_content(const std::string &output, const std::string &clip) {
  const NamedContent *named = content_named(output);
  const NamedContent *made = content_named(clip);
  if (!named || !made || named->format == made->format) return {};
  return printable(output) + " contains " + std::string(made->format) + ", not what its name suggests.";
}

Result<bool> write_output(GrowingClip &clip, const std::string &path,
                          const std::function<bool()> &is_stopped) {
  if (path == kStandardOutput) {
    auto copied = copy(clip, [&](std::span<const std::byte> piece) -> Result<void> {
      if (fwrite(piece.data(), 1, piece.size(), stdout) == piece.size()) return {};
      return cannot_write("standard output", g_strerror(errno), ErrorKind::write);
    });
    if (copied && fflush(stdout) != 0)
      return cannot_write("standard output", g_strerror(errno), ErrorKind::write);
    if (!copied) return std::move(copied).error();
    return true;
  }
  if (holds_same(clip, path)) return false;
  NewFile file(path);
  if (auto opened = file.open(); !opened) return std::move(opened).error();
  const auto copied = copy(clip, [&](std::span<const std::byte> piece) {
    return is_stopped && is_stopped() ? Result<void>(cancelled()) : file.write(piece);
  });
  if (!copied) return copied.error();
  if (auto named = file.name(); !named) return std::move(named).error();
  return true;
}

}  // namespace genclip
