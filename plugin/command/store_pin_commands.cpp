// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip store pin and unpin: no network, no key.
#include "plugin/command/chosen_clips.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/store_json.h"
#include "plugin/store/clip_pin.h"

namespace genclip {
namespace {

struct PinCommand {
  CommandText text;
  const char *done;    // "Pinned"
  const char *member;  // Of the JSON.
  Result<void> (*change)(FileSystem &files, const ClipPath &path);
};

constexpr PinCommand kPin{{"store pin", "KEY…",
                           "Pins clips: neither store-max-size nor genclip store prune removes them, and\n"
                           "genclip store remove only when it is told to. A clip can be pinned while it is\n"
                           "generated.",
                           kKeysText},
                          "Pinned",
                          "pinned",
                          pin_clip};
constexpr PinCommand kUnpin{
    {"store unpin", "KEY…", "Takes the pins off clips, which then can be removed like others.", kKeysText},
    "Unpinned",
    "unpinned",
    unpin_clip};

int run_pin(const PinCommand &command, const Words &words) {
  RunSettings run;
  bool json = false;
  CommandOptions options(command.text);
  options.add("json", 'j', "Print JSON", json);
  add_choice_options(options, run);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->empty()) return options.refuse("Name the clips: by key, task ID, URI or path.");
  const std::string root = store_root(run.store);
  // With one wrong key, nothing is changed.
  const auto clips = chosen_clips(*rest, run);
  if (!clips) return report_failure(clips.error(), json);

  std::vector<StoredClip> changed;
  for (const StoredClip &clip : *clips) {
    if (auto done = command.change(FileSystem::posix(), ClipPath(root, clip.digest)); !done) {
      print_error(short_key(clip) + ": " + printable(done.error().text));
      continue;
    }
    if (!json) print(std::string(command.done) + " " + short_key(clip) + "\n");
    changed.push_back(clip);
  }
  if (json) print(Json(Json::Object{{command.member, keys_of(changed)}}).to_pretty_text() + "\n");
  return changed.size() == clips->size() ? kOk : kFailed;
}

}  // namespace

int run_store_pin(const Words &words) { return run_pin(kPin, words); }
int run_store_unpin(const Words &words) { return run_pin(kUnpin, words); }

}  // namespace genclip
