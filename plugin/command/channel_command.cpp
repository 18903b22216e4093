// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip channel: unattended playout of a rundown.
#include <glib-unix.h>
#include <gst/gst.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/disk_thread.h"
#include "plugin/base/file_lock.h"
#include "plugin/base/file_system.h"
#include "plugin/base/mutex.h"
#include "plugin/base/number.h"
#include "plugin/channel/clip_survey.h"
#include "plugin/channel/item_source.h"
#include "plugin/channel/rundown_source.h"
#include "plugin/command/channel_captions.h"
#include "plugin/command/channel_check.h"
#include "plugin/command/channel_element.h"
#include "plugin/command/channel_program.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/http/local_server.h"
#include "plugin/monitor/service_notifier.h"
#include "plugin/output/live_captions.h"

namespace genclip {
namespace {

constexpr CommandText kChannelText{
    "channel", "RUNDOWN",
    "Shows what a rundown lists, live and without a break: generates clips ahead of\n"
    "time, fills holes, and goes on when an output fails. See docs/channel.md.",
    "RUNDOWN is a file: JSON, M3U, or one URI a line. It is read again when it\n"
    "changes. At least one output is needed; each can be given several times. Every\n"
    "property of genchannelsrc but api-key is an option of the same name: other users\n"
    "could read a key on the command line.\n\n"
    "SIGHUP reads a changed rundown and looks at the budget again. SIGTERM ends the\n"
    "channel after the clip on the air; a second one ends it at once.\n\n"
    "Exit code: 0 success, 1 the channel failed, 2 usage error, 143 ended at once.\n\n"
    "Examples:\n"
    "  genclip channel day.json --hls www/ --record archive/ --status-port 8080\n"
    "  genclip channel day.json --check\n"};

constexpr unsigned kMostDays = 36'500;
constexpr unsigned kLongestEnd_s = 86'400;

struct Targets {
  std::vector<std::string> hls, srt, udp, rtmp, record;
  bool window = false;
};

Result<std::vector<OutputSpec>> specs_of(const Targets &targets) {
  std::vector<OutputSpec> specs;
  const std::pair<OutputKind, const std::vector<std::string> *> kinds[] = {
      {OutputKind::hls, &targets.hls},
      {OutputKind::srt, &targets.srt},
      {OutputKind::udp, &targets.udp},
      {OutputKind::rtmp, &targets.rtmp},
      {OutputKind::record, &targets.record}};
  for (const auto &[kind, list] : kinds)
    for (const std::string &target : *list) {
      auto spec = parse_output(kind, target);
      if (!spec) return std::move(spec).error();
      specs.push_back(std::move(*spec));
    }
  if (targets.window) specs.push_back({OutputKind::window});
  if (auto fine = check_outputs(specs); !fine) return std::move(fine).error();
  return specs;
}

std::string lock_path_of(const std::string &state_file) { return state_file + ".lock"; }

std::string busy_text(const std::string &state_file) {
  return "Another channel uses the state file " + state_file + ".";
}

// So long a disk may take to answer before that is told.
constexpr auto kDiskPatience = std::chrono::seconds(5);
constexpr auto kLookPatience = std::chrono::milliseconds(20);   // Of a loop that looks again and again.
constexpr auto kLookInterval = std::chrono::milliseconds(250);  // At a rundown that somebody writes.
constexpr auto kPatienceOfTakeover = std::chrono::seconds(1);   // It is on the air within 3 s.

// Work on a thread of its own, because a disk may never answer.
template <typename Answer>
class DiskLook {
 public:
  explicit DiskLook(std::function<Answer()> work) {
    on_disk_thread([work = std::move(work), state = state_] {
      Answer answer = work();
      MutexLock lock(state->mutex);
      state->answer = std::move(answer);
      state->changed.notify_all();
    });
  }

  // Nothing: the work goes on.
  std::optional<Answer> wait(std::chrono::nanoseconds patience) {
    MutexLock lock(state_->mutex);
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!state_->answer && std::chrono::steady_clock::now() < end) state_->changed.wait_until(lock, end);
    return std::move(state_->answer);
  }

 private:
  struct State {
    Mutex mutex;
    CondVar changed;
    std::optional<Answer> answer GUARDED_BY(mutex);
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

// Nothing: a signal has ended the wait. To systemd, a standby is a service that runs: it is ready while it
// waits, and each look at the lock is a sign of life. A lock that cannot be looked at ends no wait: the file
// server may come back, and a standby that has ended would not notice it.
std::optional<FileLock> stand_by(const std::string &state_file, const std::string &path) {
  constexpr guint kInterval_ms = 200;
  ServiceNotifier notifier = ServiceNotifier::of_environment();
  notifier.ready();
  std::string told;
  const auto tell = [&](const std::string &reason) {
    if (std::exchange(told, reason) == reason) return;
    print_error("Standing by. " + printable(reason));
    notifier.status("Standby: " + reason);
  };
  tell(busy_text(state_file));
  bool is_ended = false;
  const GSourceFunc end = [](gpointer ended) -> gboolean {
    *static_cast<bool *>(ended) = true;
    return G_SOURCE_CONTINUE;
  };
  const GSourceFunc wake = [](gpointer) -> gboolean { return G_SOURCE_CONTINUE; };
  const guint sources[] = {g_unix_signal_add(SIGTERM, end, &is_ended),
                           g_unix_signal_add(SIGINT, end, &is_ended),
                           g_timeout_add(kInterval_ms, wake, nullptr)};
  // A file server that is away may answer no look for hours; meanwhile, signals end the wait.
  using Look = DiskLook<Result<std::optional<FileLock>>>;
  std::optional<FileLock> lock;
  std::optional<Look> look;
  Clock::Time begun{};
  for (uint64_t turns = 1; !is_ended; ++turns) {
    const auto now = Clock::system().now();
    if (!look) {
      look.emplace([path] { return FileLock::try_lock(path); });
      begun = now;
    }
    if (auto seen = look->wait(kLookPatience)) {
      look.reset();
      if (*seen && **seen) {
        lock = std::move(**seen);
        break;
      }
      tell(*seen ? busy_text(state_file) : seen->error().text);
    } else if (now - begun >= kDiskPatience) {
      tell("The disk of " + path + " does not answer.");
    }
    notifier.alive(turns, now);
    g_main_context_iteration(nullptr, TRUE);
  }
  for (const guint source : sources) g_source_remove(source);
  if (!lock) notifier.stopping();
  return lock;
}

// One channel at a time has a state file, on all machines that mount its folder. A standby waits for its
// turn. Nothing: it was ended instead. Each machine may name the file by a link of its own: `state_file`
// becomes the file behind it.
Result<std::optional<FileLock>> take_channel(std::string &state_file, bool standby) {
  struct Look {
    std::string file;
    Result<std::optional<FileLock>> lock;
  };
  DiskLook<Look> look([state_file] {
    std::string file = resolved_path(state_file);
    auto lock = FileLock::try_lock(lock_path_of(file));
    return Look{std::move(file), std::move(lock)};
  });
  auto answer = look.wait(kDiskPatience);
  if (!answer)
    print_error("Waits for the disk of --state-file " + printable(state_file) +
                ", which has not answered for 5 s.");
  while (!answer) answer = look.wait(std::chrono::hours(1));
  auto &lock = answer->lock;
  state_file = answer->file;
  if (!lock || *lock) return std::move(lock);
  if (!standby)
    return Error{ErrorKind::busy, busy_text(state_file) + " Stop it, or wait for its end with --standby."};
  return stand_by(state_file, lock_path_of(state_file));
}

// Before anything is written, sent or paid. False: it is refused, which is told. For a disk that does not
// answer, the channel waits on the air; a takeover also does so for the end of a file that somebody writes.
bool can_begin(const std::string &rundown, const RunSettings &run, bool is_takeover) {
  const auto source = std::make_shared<RundownSource>(FileSystem::posix(), Clock::system(), rundown, "", run);
  const auto look = [&] {
    return DiskLook<std::optional<RundownReading>>([source] { return source->begin(); })
        .wait(is_takeover ? kPatienceOfTakeover : kDiskPatience);
  };
  auto begun = look();
  if (begun && !*begun && is_takeover) return true;
  if (begun && !*begun)
    print_error("Waits for the end of " + printable(rundown) +
                ", which somebody may be writing; 10 s at most.");
  for (; begun && !*begun; begun = look()) std::this_thread::sleep_for(kLookInterval);
  if (!begun)
    print_error("The disk of " + printable(rundown) +
                " does not answer. The channel begins, and waits for it.");
  if (!begun || **begun) return true;
  const RundownLine &problem = (*begun)->error();
  const std::string where = problem.line == 0 ? "" : "Line " + std::to_string(problem.line) + ": ";
  print_error(printable("The rundown cannot be used. " + where + problem.text));
  return false;
}

void add_target_options(CommandOptions &options, Targets &targets) {
  options.add("hls", "FOLDER", "Write HLS into that folder", targets.hls);
  options.add("srt", "URI", "Send by SRT, such as srt://:9000?mode=listener", targets.srt);
  options.add("udp", "HOST:PORT", "Send MPEG-TS by UDP", targets.udp);
  options.add("rtmp", "URL", "Send by RTMP", targets.rtmp);
  options.add("record", "FOLDER", "Record into files in that folder", targets.record);
  options.add("window", 0, "Show it in a window", targets.window);
}

// In the help of an element's property. FILE and FOLDER are completed with files.
const char *value_name_of(const ElementProperty &property) {
  constexpr std::string_view kFiles[] = {"api-key-file", "asrun",      "logo",
                                         "slate",        "state-file", "tls-ca-file"};
  constexpr std::string_view kFolders[] = {"publish-folder", "store"};
  if (std::ranges::find(kFiles, property.name) != std::end(kFiles)) return "FILE";
  return std::ranges::find(kFolders, property.name) != std::end(kFolders) ? "FOLDER" : property.value_name;
}

// Why that picture cannot be shown, as far as that is known at the start; empty: it can. It may be a URI.
std::string picture_problem(GstElement *channel, const char *property) {
  char *value = nullptr;
  g_object_get(channel, property, &value, nullptr);
  const GStringPtr held(value);
  if (!value || !*value) return "";
  if (is_clip_uri(value)) return "--" + std::string(property) + ": " + kOnlyItemsAreGenerated;
  const bool is_uri = gst_uri_is_valid(value);
  const GStringPtr path(is_uri ? g_filename_from_uri(value, nullptr, nullptr) : g_strdup(value));
  if (!path) return "";
  DiskLook<Result<std::optional<FileInfo>>> look(
      [path = std::string(path.get())] { return FileSystem::posix().info(path); });
  const auto answer = look.wait(kDiskPatience);
  if (!answer) {
    print_error("Warning: --" + std::string(property) + ": the disk of " + printable(path.get()) +
                " has not answered for 5 s. The channel begins without it.");
    return "";
  }
  const auto &info = *answer;
  if (info && *info) return "";
  return "--" + std::string(property) + ": " + path.get() +
         (info ? " does not exist." : ": " + info.error().text);
}

}  // namespace

int run_channel(const Words &words) {
  gst_init(nullptr, nullptr);
  auto channel = make_own_element("genchannelsrc");
  std::vector<ElementProperty> properties;
  // Without the element, each of its properties would be an unknown option.
  const bool asks_for_help =
      std::ranges::any_of(words, [](const auto &word) { return word == "--help" || word == "-h"; });
  if (!channel && !asks_for_help) {
    print_error(channel.error().text);
    return kFailed;
  }
  if (channel) properties = channel_properties_of(channel->get());

  Targets targets;
  ChannelProgramSettings program;
  std::string status_port;
  bool standby = false, check = false, json = false;
  CommandOptions options(kChannelText);
  add_target_options(options, targets);
  options.add("video-encoder", 0, "LAUNCH", "Piece of launch line from raw video to H.264",
              program.output.video_encoder);
  options.add("audio-encoder", 0, "LAUNCH", "Piece of launch line from raw audio to AAC",
              program.output.audio_encoder);
  options.add("bitrate", "KBIT/S", "Bit rate of the picture (4000)", program.output.video_kbps, 1);
  CaptionOptions captions;
  captions.add_to(options);
  options.add("record-minutes", "N", "Length of a recorded file in minutes (60)",
              program.output.record_minutes, 1);
  options.add("keep-days", "N", "Remove recorded files after N days (never)", program.output.keep_days, 0,
              kMostDays);
  options.add("status-port", 0, "PORT", "Serve the status page there; 0: any free port", status_port);
  options.add("status-address", 0, "ADDRESS", "Serve it on that address instead", program.status_address);
  options.add("token-file", 0, "FILE", "Write the token there that the buttons of the status page ask for",
              program.token_file);
  options.add("alarm-command", 0, "COMMAND", "Tell alarms to that command, as JSON", program.alarms.command);
  options.add("alarm-url", 0, "URL", "Tell alarms by a POST of JSON", program.alarms.url);
  options.add("end-within", "SECONDS", "Maximum wait for a clip after SIGTERM (30)", program.end_within_s, 0,
              kLongestEnd_s);
  options.add("standby", 0, "Wait until the channel of this state file has died", standby);
  options.add("check", 0, "Validate and price all items; send nothing", check);
  options.add("json", 'j', "With --check: print JSON", json);
  for (ElementProperty &property : properties)
    options.add(property.name, 0, value_name_of(property), property.help.c_str(), property.text,
                property.words);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->size() != 1 || rest->front().empty()) return options.refuse("Name one rundown.");
  if (auto set = set_properties(channel->get(), properties); !set) return options.refuse(set.error().text);
  g_object_set(channel->get(), "rundown", rest->front().c_str(), nullptr);
  auto outputs = specs_of(targets);
  if (!outputs) return options.refuse(outputs.error().text);
  if (outputs->empty() && !check) return options.refuse("Name at least one output, such as --hls FOLDER.");
  program.outputs = std::move(*outputs);
  auto caption_output = captions.make(properties);
  if (!caption_output) return options.refuse(caption_output.error().text);
  program.output.captions = std::move(*caption_output);
  if (!status_port.empty()) {
    const auto port = parse_number<uint16_t>(status_port);
    if (!port) return options.refuse("--status-port must be an integer from 0 to 65535.");
    program.status_port = *port;
  } else if (!program.token_file.empty() || !program.status_address.empty()) {
    return options.refuse(std::string(program.token_file.empty() ? "--status-address" : "--token-file") +
                          " needs --status-port.");
  }
  if (!program.status_address.empty() && !is_numeric_address(program.status_address))
    return options.refuse("--status-address \"" + program.status_address + "\" is not a numeric address.");
  for (const char *picture : {"slate", "logo"})
    if (const std::string problem = picture_problem(channel->get(), picture); !problem.empty())
      return options.refuse(problem);
  // The element tells no password of its proxy.
  const auto given = [&properties](std::string_view name) {
    const auto row = std::ranges::find_if(properties, [&](const auto &each) { return each.name == name; });
    return row == properties.end() ? std::string() : row->text;
  };
  program.alarms.http = {given("proxy"), given("tls-ca-file")};
  if (auto fine = AlarmTeller::check(program.alarms); !fine) return options.refuse(fine.error().text);
  if (auto fine = check_channel_form(channel->get(), program.outputs, program.output); !fine)
    return options.refuse(fine.error().text);
  char *named = nullptr;
  g_object_get(channel->get(), "state-file", &named, nullptr);
  const GStringPtr held(named);
  if (standby && !named) return options.refuse("--standby needs --state-file.");
  if (CaptionOutput &made = program.output.captions; made.gencaption) {
    // As it is in a live stream, which gencaption does not know at its start: without a key it cannot begin.
    if (!check) gst_util_set_object_arg(G_OBJECT(made.gencaption.get()), "cache", "off");
    const auto fine = LiveCaptions::check(made.gencaption.get(), made.told_before);
    for (const std::string &warning : made.told_before) made.told(warning);
    if (!fine) return options.refuse(with_caption_options(fine.error().text));
  }
  if (check) {
    int on_unknown = 0;
    g_object_get(channel->get(), "on-unknown", &on_unknown, nullptr);
    return check_channel(rest->front(), run_settings_of(channel->get()), static_cast<OnUnknown>(on_unknown),
                         json);
  }
  const BackgroundConsole console;
  // Whoever reads the lines may go away.
  std::signal(SIGPIPE, SIG_IGN);
  // Until the program takes the signal, there is nothing to reload. It must not end a standby, or a channel
  // that is about to begin.
  std::signal(SIGHUP, SIG_IGN);
  const RunSettings run = run_settings_of(channel->get());
  if (!can_begin(rest->front(), run, false)) return kFailed;
  if (named) {
    std::string state_file = named;
    auto taken = take_channel(state_file, standby);
    if (!taken) {
      print_error(printable(taken.error().text));
      return kFailed;
    }
    if (!*taken) return kOk;
    program.is_takeover = standby;
    // It may have changed while a standby waited.
    if (standby && !can_begin(rest->front(), run, true)) return kFailed;
    g_object_set(channel->get(), "state-file", state_file.c_str(), nullptr);
    // A look at it may hang longer than the channel runs.
    program.is_lock_lost = [lock = std::make_shared<const FileLock>(std::move(**taken)),
                            path = lock_path_of(state_file)] {
      return lock->is_replaced(path) || !lock->renew();
    };
  }
  return run_channel_program(*channel, program);
}

}  // namespace genclip
