// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip store gallery: writes one page with a picture of every clip.
#include <gio/gio.h>
#include <gst/gst.h>

#include "plugin/base/durable_file.h"
#include "plugin/base/gref.h"
#include "plugin/base/number.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/clip_output.h"
#include "plugin/command/clip_search.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/gallery_page.h"
#include "plugin/command/setting_options.h"
#include "plugin/command/store_json.h"
#include "plugin/frame/thumbnail.h"
#include "plugin/store/clip_cost.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/store_listing.h"

namespace genclip {
namespace {

constexpr CommandText kGalleryText{
    "store gallery", "[WORD…]",
    "Writes a page that shows all clips of the store, with a picture, the prompt, the\n"
    "model, the take, the cost and the date of each. A browser opens it from the\n"
    "disk; it needs nothing else, and can be searched and sorted.",
    "With WORDs, only the clips that genclip store list WORD… lists. The pictures are\n"
    "made once and kept in the store, beside the clips. The page contains the\n"
    "prompts.\n\n"
    "Exit code: 0 success, 1 the store cannot be read or the page not written, 2\n"
    "usage error.\n\n"
    "Example:\n"
    "  genclip store gallery -o clips.html && xdg-open clips.html\n"};

constexpr unsigned kThumbnailSide = 320;
constexpr size_t kMostThumbnailBytes = 256 * 1024;
constexpr const char *kDefaultOutput = "gallery.html";

// The picture that is kept beside the clip; it is made if it is missing, or older than the clip. Where the
// store cannot be written, it is made and not kept. Empty: the clip has none.
std::string thumbnail_beside(FileSystem &files, const std::string &root, const StoredClip &clip) {
  if (clip.clip_path.empty()) return {};
  const std::string path = ClipPath(root, clip.digest).thumbnail();
  const auto of_clip = files.info(clip.clip_path);
  const auto kept = files.info(path);
  if (of_clip && *of_clip && kept && *kept && (*kept)->is_regular &&
      (*kept)->modified >= (*of_clip)->modified)
    if (auto jpeg = read_whole(files, path, kMostThumbnailBytes); jpeg && !jpeg->empty())
      return std::move(*jpeg);
  auto jpeg = thumbnail_of(clip.clip_path, kThumbnailSide);
  if (!jpeg) {
    print_warning(clip.clip_path + " " + jpeg.error().text);
    return {};
  }
  if (auto written = write_durably(files, path, *jpeg); !written) print_warning(written.error().text);
  return std::move(*jpeg);
}

GalleryClip gallery_clip(const StoredClip &clip, std::string thumbnail) {
  const ClipRecord record = clip.record.value_or(ClipRecord{});
  return {clip.digest,     clip.prompt(),       record.model,   state_word(clip),    record.identity.take,
          told_cost(clip), record.submitted_at, clip.clip_path, std::move(thumbnail)};
}

Result<void> write_page(const std::string &html, const std::string &path) {
  if (path == kStandardOutput) {
    print(html);
    return {};
  }
  GErrorPtr error;
  // Only for the user, as the store is: the page contains the prompts.
  if (g_file_set_contents_full(path.c_str(), html.data(), static_cast<gssize>(html.size()),
                               G_FILE_SET_CONTENTS_CONSISTENT, 0600, take(error)))
    return {};
  return Error{ErrorKind::write, "The page cannot be written to " + path + ": " + error->message};
}

}  // namespace

int run_store_gallery(const Words &words) {
  std::string store;
  std::string output = kDefaultOutput;
  CommandOptions options(kGalleryText);
  options.add("output", 'o', "FILE", "Write the page to FILE, - for standard output; else gallery.html",
              output);
  add_setting(options, "store", store);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  gst_init(nullptr, nullptr);
  output = output_named(output);
  if (auto writable = check_output(output, nullptr, "The page"); !writable)
    return report_failure(writable.error(), false);
  FileSystem &files = FileSystem::posix();
  const std::string root = store_root(store);
  const auto stored = list_store(files, root);
  if (!stored) return report_failure(stored.error(), false);
  if (stored->empty() && !g_file_test(root.c_str(), G_FILE_TEST_IS_DIR))
    print_warning("There is no store " + root + " yet.");
  std::vector<GalleryClip> clips;
  for (const StoredClip &clip : *stored)
    if (has_words(clip, *rest)) clips.push_back(gallery_clip(clip, thumbnail_beside(files, root, clip)));
  const size_t count = clips.size();
  if (auto written = write_page(gallery_page("Clips of " + root, std::move(clips)), output); !written)
    return report_failure(written.error(), false);
  print_note(counted(static_cast<int64_t>(count), "clip") + ".");
  if (output != kStandardOutput) print_path(output);
  return kOk;
}

}  // namespace genclip
