// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip store find: prints the paths of the clips that a few words describe.
#include <algorithm>

#include "plugin/command/amounts.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/clip_search.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/setting_options.h"
#include "plugin/command/store_json.h"
#include "plugin/command/text_table.h"

namespace genclip {
namespace {

constexpr CommandText kFindText{
    "store find", "WORD…",
    "Prints the paths of the whole clips whose prompt, model, key or task ID contains\n"
    "each WORD, in capitals or not; the newest first.",
    "On a terminal, a line with the clip's date, model and prompt precedes each path.\n\n"
    "Exit code: 0 there is such a clip, 1 there is none, 2 usage error.\n\n"
    "Example:\n"
    "  gst-play-1.0 \"$(genclip store find red kite | head -n 1)\"\n"};

void show_found(const StoredClip &clip) {
  if (columns_of(stdout) != kNoLimit) {
    const std::string model = clip.record ? clip.record->model : "";
    const std::string head =
        printable(date_text(clip.record->submitted_at) + "  " + model + "  " + clip.prompt());
    for (const std::string &line : wrapped(head, columns_of(stdout), LongWords::kept))
      print(emphasized(line, stdout) + "\n");
  }
  print_path(clip.clip_path);
}

}  // namespace

int run_store_find(const Words &words) {
  std::string store;
  bool json = false;
  CommandOptions options(kFindText);
  options.add("json", 'j', "Print JSON", json);
  add_setting(options, "store", store);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->empty())
    return options.refuse("Give a word of the clip's prompt. genclip store list lists all clips.");
  const std::string root = store_root(store);
  auto clips = list_store(FileSystem::posix(), root);
  if (!clips) return report_failure(clips.error(), json);
  std::erase_if(*clips,
                [&](const StoredClip &clip) { return clip.clip_path.empty() || !has_words(clip, *rest); });
  std::stable_sort(clips->begin(), clips->end(), [](const StoredClip &a, const StoredClip &b) {
    return a.record->submitted_at > b.record->submitted_at;
  });
  if (json) {
    Json::Array list;
    for (const StoredClip &clip : *clips) list.push_back(stored_json(clip));
    print(Json(Json::Object{{"store", root}, {"clips", std::move(list)}}).to_pretty_text() + "\n");
  } else {
    for (const StoredClip &clip : *clips) show_found(clip);
  }
  if (clips->empty() && !json) print_error("The store has no whole clip with these words.");
  return clips->empty() ? kFailed : kOk;
}

}  // namespace genclip
