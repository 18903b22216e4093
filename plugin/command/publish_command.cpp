// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip publish: files at public URLs, without a key.
#include <glib-unix.h>
#include <gst/gst.h>

#include <csignal>
#include <thread>

#include "plugin/base/gref.h"
#include "plugin/base/local_file.h"
#include "plugin/base/media_end.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/setting_options.h"
#include "plugin/publish/publisher.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/media_container.h"
#include "plugin/task/media_format.h"

namespace genclip {
namespace {

constexpr CommandText kPublishText{
    "publish", "FILE…",
    "Publishes pictures, videos and sounds as genclip does with a request's local\n"
    "files, and prints their URLs, one per line. Needs no key.",
    "Publishing is set up by --publish-folder and --publish-url, or by the program\n"
    "that $GENCLIP_PUBLISH_COMMAND names. The first bytes of a file decide what it\n"
    "is, and not its name. For a file that is named like a subcommand, write ./list.\n\n"
    "Exit code: 0 success, 1 a file was not published, 2 usage error.\n\n"
    "Example:\n"
    "  genclip publish --publish-folder=/srv/www/clips \\\n"
    "    --publish-url=https://media.example/clips first.png\n"};

struct CaughtSignal {
  GCancellable *cancellable;
  int *last;
  int signal;
  guint source = 0;
};

gboolean cancel_by_signal(gpointer data) {
  auto &caught = *static_cast<CaughtSignal *>(data);
  *caught.last = caught.signal;
  g_cancellable_cancel(caught.cancellable);
  caught.source = 0;
  return G_SOURCE_REMOVE;
}

// Runs `work` on a thread of its own. SIGINT, SIGTERM and SIGHUP cancel it, so that it can end the programs
// that it has started; the same signal again ends genclip at once. Returns the signal, or 0.
template <typename Work>
int run_until_signal(const Work &work) {
  const auto loop = GRef<GMainLoop>::adopt(g_main_loop_new(nullptr, FALSE));
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  int last = 0;
  CaughtSignal signals[] = {{cancellable.get(), &last, SIGINT},
                            {cancellable.get(), &last, SIGTERM},
                            {cancellable.get(), &last, SIGHUP}};
  for (CaughtSignal &one : signals) one.source = g_unix_signal_add(one.signal, cancel_by_signal, &one);
  std::thread worker([&] {
    work(cancellable.get());
    // Ends the loop even if it has not begun yet.
    g_idle_add_once([](gpointer main) { g_main_loop_quit(static_cast<GMainLoop *>(main)); }, loop.get());
  });
  g_main_loop_run(loop.get());
  worker.join();
  for (const CaughtSignal &one : signals)
    if (one.source != 0) g_source_remove(one.source);
  return last;
}

struct PublishedFile {
  std::string media_type;
  std::string sha256;
  uint64_t size = 0;
  Published published;
};

// Errors begin with the path.
Result<PublishedFile> publish_path(const std::string &path, const PublishSettings &settings,
                                   const PublishTools &tools, const std::string &store,
                                   GCancellable *cancellable) {
  const auto about = [&](Error error, const char *between) {
    if (error.kind != ErrorKind::cancelled) error.text = path + between + error.text;
    return error;
  };
  const auto file = LocalFile::open(path, nullptr);
  if (!file) return about(file.error(), " ");
  PublishedFile result;
  result.media_type = sniff_media_type(file->read_at(0, kSniffedBytes));
  if (file_extension(result.media_type).empty())
    return Error{ErrorKind::wrong_type,
                 path + " is not a known kind of picture, video or sound, and nothing else is published."};
  const auto size = file->size();
  if (!size) return about(size.error(), " ");
  result.size = *size;
  const auto read = [&](uint64_t offset, size_t wanted) { return file->read_at(offset, wanted); };
  if (const auto extent = media_extent(result.media_type, *size, read); extent.end == MediaEnd::cut)
    return Error{ErrorKind::wrong_type, path + " " + cut_text(extent, *size) + "."};
  auto sum = file->sha256(cancellable);
  if (!sum) return about(std::move(sum).error(), " ");
  result.sha256 = std::move(*sum);
  auto published = publish(settings, tools, store, *file, result.sha256, result.media_type, cancellable);
  if (!published) return about(std::move(published).error(), ": ");
  result.published = std::move(*published);
  return result;
}

Json file_json(const std::string &path, const Result<PublishedFile> &file) {
  const auto known = [&](const std::string &text) { return text.empty() ? Json() : Json(text); };
  if (!file)
    return Json::Object{{"file", path},
                        {"url", Json()},
                        {"copy", Json()},
                        {"sha256", Json()},
                        {"media_type", Json()},
                        {"size", Json()},
                        {"error", file.error().text}};
  return Json::Object{
      {"file", path},           {"url", file->published.url},     {"copy", known(file->published.copy)},
      {"sha256", file->sha256}, {"media_type", file->media_type}, {"size", static_cast<int64_t>(file->size)},
      {"error", Json()}};
}

}  // namespace

int run_publish(const Words &words) {
  RunSettings run;
  bool json = false;
  CommandOptions options(kPublishText);
  options.add("json", 'j', "Print JSON", json);
  add_settings(options, run, kPublish);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->empty()) return options.refuse("Name the files to publish.");
  const PublishSettings settings = publish_settings(run.publish_folder, run.publish_url, run.publish_check);
  gst_init(nullptr, nullptr);
  if (auto knows = check_typefinding(); !knows) return report_failure(knows.error(), json);

  const auto http = HttpClient::shared({run.proxy, run.tls_ca_file});
  const PublishTools tools{http.get(), &Clock::system(), &FileSystem::posix(), print_warning};
  Json::Array list;
  int exit_code = kOk;
  const int signal = run_until_signal([&](GCancellable *cancellable) {
    for (const std::string &path : *rest) {
      const auto file = publish_path(path, settings, tools, store_root(run.store), cancellable);
      if (g_cancellable_is_cancelled(cancellable)) return;
      list.push_back(file_json(path, file));
      if (!file) {
        print_error(printable(file.error().text));
        exit_code = kFailed;
      } else if (!json) {
        print(file->published.url + "\n");
        fflush(stdout);
      }
    }
  });
  if (json) print(Json(Json::Object{{"published", std::move(list)}}).to_pretty_text() + "\n");
  return signal != 0 ? 128 + signal : exit_code;
}

}  // namespace genclip
