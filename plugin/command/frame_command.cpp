// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip frame: one picture out of a clip, without a key and without the network.
#include <gst/gst.h>

#include <cmath>
#include <optional>
#include <string_view>

#include "plugin/base/gref.h"
#include "plugin/base/media_end.h"
#include "plugin/base/number.h"
#include "plugin/base/shell_word.h"
#include "plugin/channel/clip_survey.h"
#include "plugin/command/chosen_clips.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/clip_output.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/setting_options.h"
#include "plugin/command/store_json.h"
#include "plugin/frame/frame.h"
#include "plugin/store/clip_check.h"
#include "plugin/store/store_listing.h"

namespace genclip {
namespace {

constexpr CommandText kFrameText{
    "frame", "KEY|URI|FILE",
    "Takes one picture out of a clip, exactly as a player shows it, and writes it as\n"
    "a PNG: the last one, unless --first or --time asks for another. Needs no key and\n"
    "no network, and costs nothing.",
    "FILE is a video, a PNG or JPEG picture, or the folder of a stored clip. KEY is a\n"
    "key from the first column of genclip store list, the first 8 or more digits of\n"
    "one, or a task ID. URI is the genclip:// URI of a stored clip; it may end in\n"
    "#first, #last or #t=SECONDS.\n\n"
    "Exit code: 0 success, 1 the command failed, 2 usage error.\n\n"
    "Example:\n"
    "  genclip frame storm.mp4 --last -o end-of-the-storm.png\n"};

struct Choice {
  bool first = false;
  bool last = false;
  std::string time;

  bool is_made() const { return first || last || !time.empty(); }
};

// A second is divided into whole nanoseconds; more than a day is a mistake.
std::optional<FramePosition> time_position(const std::string &text) {
  constexpr double kDay = 86'400;
  const auto seconds = parse_number<double>(text);
  if (!seconds || !(*seconds >= 0 && *seconds <= kDay)) return std::nullopt;
  return FramePosition{std::chrono::nanoseconds(std::llround(*seconds * 1e9))};
}

// The frame that the fragment of a URI names; an empty choice for any other fragment.
Choice choice_of(std::string_view fragment) {
  constexpr std::string_view kTime = "t=";
  Choice choice;
  choice.first = fragment == "first";
  choice.last = fragment == "last";
  if (fragment.starts_with(kTime)) choice.time = fragment.substr(kTime.size());
  return choice;
}

Result<std::string> path_of(const StoredClip &clip, const std::string &named) {
  const ClipRecord *whole = clip.whole();
  if (!whole)
    return Error{ErrorKind::not_found,
                 "The clip " + named + " is " + state_word(clip) +
                     ", so it has no picture yet. Generate it first: genclip generate."};
  const std::string path = clip.folder + "/" + whole->clip_name;
  const auto checked = check_clip(FileSystem::posix(), path, whole->clip_size);
  if (!checked) return checked.error();
  if (checked->flaw.empty()) return path;
  return Error{ErrorKind::read, path + " is damaged: " + checked->flaw + "." + fetch_hint(clip)};
}

// A file that was cut off has no last frame.
Result<std::string> path_of_file(const std::string &path) {
  const auto file = FileSystem::posix().open(path, FileSystem::Mode::read);
  if (!file) return path;  // frame_at() says why.
  std::vector<std::byte> head(kContainerProbeSize);
  const auto count = (*file)->read_at(0, head);
  const auto container = count ? probe_container(std::span(head).first(*count)) : std::nullopt;
  const auto end =
      container ? clip_end_of(**file, container->media_type) : Result<MediaEnd>(MediaEnd::unknown);
  if (end && *end == MediaEnd::cut)
    return Error{ErrorKind::wrong_type, path + " is truncated, so which frame is the last one is unknown."};
  return path;
}

Result<std::string> path_of_word(const std::string &word, const RunSettings &run) {
  const auto info = FileSystem::posix().info(word);
  if (info && *info && (*info)->is_regular) return path_of_file(word);
  const auto clip = chosen_clip(word, run);
  if (clip) return path_of(*clip, is_clip_uri(word) ? short_key(*clip) : word);
  Error error = clip.error();
  if (error.kind != ErrorKind::not_found) return error;
  if (info && *info) return word;  // frame_at() says why.
  error.text += is_clip_uri(word) ? " Generate it first: genclip generate " + shell_word(word)
                                  : " There is no such file either.";
  return error;
}

Result<void> write_picture(const std::string &png, const std::string &path) {
  const auto failed = [&](const std::string &to, const char *why) {
    return Error{ErrorKind::write, "The picture cannot be written to " + to + ": " + why};
  };
  if (path == kStandardOutput) {
    if (fwrite(png.data(), 1, png.size(), stdout) == png.size() && fflush(stdout) == 0) return {};
    return failed("standard output", g_strerror(errno));
  }
  GErrorPtr error;
  if (g_file_set_contents_full(path.c_str(), png.data(), static_cast<gssize>(png.size()),
                               G_FILE_SET_CONTENTS_CONSISTENT, 0666, take(error)))
    return {};
  return failed(path, error->message);
}

Json frame_json(const Frame &frame, const std::string &clip, const std::string &output) {
  return Json::Object{{"output", output},
                      {"width", static_cast<int64_t>(frame.width)},
                      {"height", static_cast<int64_t>(frame.height)},
                      {"pts", std::chrono::duration<double>(frame.time).count()},
                      {"clip", clip}};
}

}  // namespace

int run_frame(const Words &words) {
  Choice choice;
  RunSettings run;
  std::string output = kStandardOutput;
  bool json = false;
  CommandOptions options(kFrameText);
  options.add("last", 0, "The frame that begins last; this is the default", choice.last);
  options.add("first", 0, "The first frame that is displayed", choice.first);
  options.add("time", 0, "SECONDS", "The frame that is displayed at that time", choice.time);
  options.add("output", 'o', "FILE", "Write the PNG to FILE; without it, to standard output", output);
  options.add("json", 'j', "Print the result as JSON; needs --output=FILE", json);
  add_setting(options, "base-url", run.base_url);
  add_settings(options, run, kFrame);
  auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->size() != 1 || rest->front().empty())
    return options.refuse("Name one clip: a file, a genclip:// URI, or a key of the store.");
  std::string word = rest->front();
  if (const size_t sign = word.find('#'); is_clip_uri(word) && sign != word.npos) {
    const Choice named = choice_of(std::string_view(word).substr(sign + 1));
    if (!named.is_made()) return options.refuse("A URI may end in #first, #last or #t=SECONDS.");
    if (choice.is_made())
      return options.refuse("The URI and an option both choose a frame; give one of them.");
    choice = named;
    word.resize(sign);
  }
  if (choice.first + choice.last + !choice.time.empty() > 1)
    return options.refuse("Give one of --first, --last and --time.");
  FramePosition position = choice.first ? FramePosition::first() : FramePosition::last();
  if (!choice.time.empty()) {
    const auto time = time_position(choice.time);
    if (!time) return options.refuse("The time of a frame must be a number of seconds, such as 2.5.");
    position = *time;
  }
  output = output_named(output);
  const bool to_stream = output == kStandardOutput;
  if (json && to_stream) return options.refuse("Standard output takes the picture or JSON, not both.");

  gst_init(nullptr, nullptr);
  if (auto knows = check_typefinding(); !knows) return report_failure(knows.error(), json);
  const auto path = path_of_word(word, run);
  if (!path) return report_failure(path.error(), json);
  if (to_stream && is_terminal(stdout))
    return options.refuse("genclip does not write a picture to a terminal; name a file with --output.");
  if (auto writable = check_output(output, nullptr, "The picture"); !writable)
    return report_failure(writable.error(), json);
  if (!to_stream && is_same_file(output, *path))
    return options.refuse("The picture would replace the clip; name another file with --output.");
  auto frame = frame_at(*path, position);
  if (!frame) {
    Error error = std::move(frame).error();
    error.text = *path + " " + error.text;
    return report_failure(error, json);
  }
  if (auto written = write_picture(frame->png, output); !written)
    return report_failure(written.error(), json);
  if (const std::string other = other_content(output, "frame.png"); !other.empty())
    print_error("Warning: " + other);
  if (json)
    print(frame_json(*frame, *path, output).to_pretty_text() + "\n");
  else if (!to_stream)
    print_path(output);
  return kOk;
}

}  // namespace genclip
