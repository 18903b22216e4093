// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The simulator as a program.
#include <glib-unix.h>

#include <array>
#include <cstdio>
#include <string_view>

#include "examples/simulator/clip_renderer.h"
#include "examples/simulator/simulator.h"
#include "plugin/base/durable_file.h"
#include "plugin/base/gref.h"
#include "plugin/base/number.h"
#include "plugin/base/version.h"

namespace genclip::sim {
namespace {

constexpr int kUsageError = 2;

struct GStrvFree {
  void operator()(gchar **strings) const { g_strfreev(strings); }
};
struct OptionContextFree {
  void operator()(GOptionContext *context) const { g_option_context_free(context); }
};

// In the form that GOption needs: C strings, which it allocates, and plain numbers.
struct Arguments {
  gchar *host = nullptr, *media_host = nullptr, *key = nullptr, *ready_file = nullptr, *prices = nullptr,
        *queued = nullptr, *processing = nullptr, *tone = nullptr;
  gint port = 0, media_port = 0;
  gint poll_interval = 5000, frame_rate = 24;
  gdouble url_lifetime = 3600, moderated = 0;
  gint64 padding = 0, throttle = 0, seed = -1;
  gboolean faststart = FALSE, marks = FALSE, ignore_references = FALSE, version = FALSE, list_faults = FALSE;
  gchar **faults = nullptr, **models = nullptr;

  ~Arguments() {
    for (gchar *text : {host, media_host, key, ready_file, prices, queued, processing, tone}) g_free(text);
    for (gchar **texts : {faults, models}) g_strfreev(texts);
  }
};

bool parse(Arguments &to, int argc, char **argv) {
  const GOptionEntry entries[] = {
      {"host", 0, 0, G_OPTION_ARG_STRING, &to.host, "IP address to listen on (127.0.0.1)", "ADDRESS"},
      {"port", 0, 0, G_OPTION_ARG_INT, &to.port, "Port of the APIs (any free port)", "PORT"},
      {"media-host", 0, 0, G_OPTION_ARG_STRING, &to.media_host,
       "IP address that serves the clips (same as --host)", "ADDRESS"},
      {"media-port", 0, 0, G_OPTION_ARG_INT, &to.media_port, "Port of the clips (any free port)", "PORT"},
      {"key", 0, 0, G_OPTION_ARG_STRING, &to.key, "The API key to accept (sim-key)", "KEY"},
      {"queued", 0, 0, G_OPTION_ARG_STRING, &to.queued, "Time that a task is queued (2000)", "MS[..MS]"},
      {"processing", 0, 0, G_OPTION_ARG_STRING, &to.processing,
       "Minimum time that a task is then processed (6000)", "MS[..MS]"},
      {"moderated", 0, 0, G_OPTION_ARG_DOUBLE, &to.moderated, "Part of the prompts that fail (0)", "PERCENT"},
      {"poll-interval", 0, 0, G_OPTION_ARG_INT, &to.poll_interval,
       "Queries at shorter intervals count as early (5000)", "MS"},
      {"url-lifetime", 0, 0, G_OPTION_ARG_DOUBLE, &to.url_lifetime, "Time that a clip's URL is valid (3600)",
       "SECONDS"},
      {"faststart", 0, 0, G_OPTION_ARG_NONE, &to.faststart, "Write mp4 files with the index first", nullptr},
      {"marks", 0, 0, G_OPTION_ARG_NONE, &to.marks, "Mark each frame by bars, each second by a tick",
       nullptr},
      {"frame-rate", 0, 0, G_OPTION_ARG_INT, &to.frame_rate, "Frames per second of clips (24)", "NUMBER"},
      {"tone", 0, 0, G_OPTION_ARG_STRING, &to.tone, "Peak of the clips' tone (-20)", "DBFS[..DBFS]"},
      {"padding", 0, 0, G_OPTION_ARG_INT64, &to.padding, "Pad mp4 files to at least this size", "BYTES"},
      {"throttle", 0, 0, G_OPTION_ARG_INT64, &to.throttle, "Send each clip at so many bytes per second",
       "RATE"},
      {"ignore-references", 0, 0, G_OPTION_ARG_NONE, &to.ignore_references, "Fetch no references", nullptr},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &to.seed, "Seed of task IDs and of chance (random)", "NUMBER"},
      {"models", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &to.models, "File with more models; may be repeated",
       "FILE"},
      {"prices", 0, 0, G_OPTION_ARG_FILENAME, &to.prices, "What tasks cost (by seconds and size)", "FILE"},
      {"fault", 0, 0, G_OPTION_ARG_STRING_ARRAY, &to.faults, "Inject a fault; may be repeated", "FAULT"},
      {"list-faults", 0, 0, G_OPTION_ARG_NONE, &to.list_faults, "List the faults and exit", nullptr},
      {"ready-file", 0, 0, G_OPTION_ARG_FILENAME, &to.ready_file,
       "Write the addresses to this file once it listens", "FILE"},
      {"version", 0, 0, G_OPTION_ARG_NONE, &to.version, "Print the version and exit", nullptr},
      {nullptr, 0, 0, G_OPTION_ARG_NONE, nullptr, nullptr, nullptr}};
  const std::unique_ptr<GOptionContext, OptionContextFree> context(
      g_option_context_new("- a stand-in for the generation service, on loopback"));
  g_option_context_set_description(
      context.get(),
      "It prints its addresses as shell assignments and runs until SIGINT or SIGTERM.\n"
      "--ready-file writes the same lines to a file:  . FILE; export GENCLIP_BASE_URL\n"
      "A FAULT is CALL[#FROM[-TO]]:KIND[=ARGUMENT], such as media#1-3:cut=100000.\n");
  g_option_context_add_main_entries(context.get(), entries, nullptr);
  // GOption prints the help with it, and would put "?" for "…" where the locale is unset.
  g_set_print_handler([](const gchar *text) { std::fputs(text, stdout); });
  GErrorPtr error;
  if (!g_option_context_parse(context.get(), &argc, &argv, take(error))) {
    std::fprintf(stderr, "genclip-sim: %s\nTry genclip-sim --help.\n", error->message);
    return false;
  }
  if (argc > 1) {
    std::fprintf(stderr, "genclip-sim: unexpected argument \"%s\".\nTry genclip-sim --help.\n", argv[1]);
    return false;
  }
  return true;
}

// Names an impossible port, time or size; null when there is none.
const char *nonsense(const Arguments &from) {
  for (const gint port : {from.port, from.media_port})
    if (port < 0 || port > 65535) return "a port must be a number from 0 to 65535.";
  if (from.poll_interval < 0) return "a time cannot be negative.";
  if (!(from.url_lifetime >= 0) || from.url_lifetime > 1e9)
    return "a lifetime must be from 0 to 1e9 seconds.";
  if (from.padding < 0 || from.padding > G_MAXINT32) return "the padding must be from 0 to 2147483647 bytes.";
  if (from.throttle < 0) return "a rate cannot be negative.";
  if (from.frame_rate < 1 || from.frame_rate > 60 || 48000 % from.frame_rate != 0)
    return "the frame rate must be a divisor of 48000 from 1 to 60.";
  if (!(from.moderated >= 0 && from.moderated <= 100)) return "a part must be from 0 to 100 %.";
  if (from.key && !*from.key) return "the key must not be empty.";
  return nullptr;
}

struct Range {
  double least = 0, most = 0;
};

// "3" or "3..5", between these limits.
Result<Range> range_of(const char *text, Range limits) {
  // Split first: as a number, "3..5" begins with "3.".
  const std::string_view both(text);
  const size_t dots = both.find("..");
  const auto least = parse_number<double>(both.substr(0, dots));
  const auto most = dots == both.npos ? least : parse_number<double>(both.substr(dots + 2));
  if (least && most && *least >= limits.least && *most <= limits.most && *least <= *most)
    return Range{*least, *most};
  std::array<char, 100> why;
  g_snprintf(why.data(), why.size(), "\" is neither a number from %.0f to %.0f nor two like 3..5.",
             limits.least, limits.most);
  return Error{ErrorKind::settings, "\"" + std::string(text) + why.data()};
}

Result<void> set_ranges(const Arguments &from, SimulatorOptions &to) {
  constexpr Range kTimes{0, 1e9}, kTones{-200, 0};
  const auto queued = range_of(from.queued ? from.queued : "2000", kTimes);
  const auto processing = range_of(from.processing ? from.processing : "6000", kTimes);
  const auto tone = range_of(from.tone ? from.tone : "-20", kTones);
  for (const auto *range : {&queued, &processing, &tone})
    if (!*range) return range->error();
  const auto ms = [](double count) { return std::chrono::milliseconds(static_cast<int64_t>(count)); };
  to.queued = ms(queued->least);
  to.most_queued = ms(queued->most);
  to.processing = ms(processing->least);
  to.most_processing = ms(processing->most);
  to.least_tone = tone->least;
  to.most_tone = tone->most;
  return {};
}

Result<SimulatorOptions> options_of(const Arguments &from) {
  if (const char *what = nonsense(from)) return Error{ErrorKind::settings, what};
  SimulatorOptions options;
  if (from.host) options.host = from.host;
  if (from.media_host) options.media_host = from.media_host;
  if (from.key) options.key = from.key;
  options.port = static_cast<unsigned>(from.port);
  options.media_port = static_cast<unsigned>(from.media_port);
  if (auto set = set_ranges(from, options); !set) return set.error();
  options.moderated = from.moderated / 100;
  options.marks = from.marks;
  options.frames_per_second = static_cast<unsigned>(from.frame_rate);
  options.least_poll_interval = std::chrono::milliseconds(from.poll_interval);
  options.url_lifetime = std::chrono::milliseconds(static_cast<int64_t>(from.url_lifetime * 1000));
  options.faststart = from.faststart;
  options.padding = static_cast<uint64_t>(from.padding);
  options.media_bytes_per_second = static_cast<uint64_t>(from.throttle);
  options.fetch_references = !from.ignore_references;
  options.seed =
      from.seed >= 0 ? static_cast<uint64_t>(from.seed) : uint64_t{g_random_int()} << 32 | g_random_int();
  for (gchar **file = from.models; file && *file; ++file) options.model_files.emplace_back(*file);
  if (from.prices) options.price_file = from.prices;
  for (gchar **text = from.faults; text && *text; ++text) {
    const auto fault = parse_fault(*text);
    if (!fault) return fault.error();
    options.faults.push_back(*fault);
  }
  return options;
}

void list_faults() {
  for (const FaultHelp &help : fault_help())
    std::printf("%s%s%s\n    Calls: %s. %s\n", help.name.c_str(), help.argument.empty() ? "" : "=",
                help.argument.c_str(), help.calls.c_str(), help.meaning.c_str());
}

gboolean quit(gpointer loop) {
  g_main_loop_quit(static_cast<GMainLoop *>(loop));
  return G_SOURCE_CONTINUE;
}

int complain(const std::string &text, int code) {
  std::fprintf(stderr, "genclip-sim: %s\n", text.c_str());
  return code;
}

int run(const Arguments &arguments) {
  auto options = options_of(arguments);
  if (!options) return complain(options.error().text, kUsageError);
  const auto loop = GRef<GMainLoop>::adopt(g_main_loop_new(nullptr, FALSE));
  for (const int signal : {SIGINT, SIGTERM}) g_unix_signal_add(signal, quit, loop.get());

  Simulator simulator(std::move(*options));
  if (const auto started = simulator.start(); !started) return complain(started.error().text, 1);
  // Now, not when a task fails that somebody waits for.
  if (const auto renders = check_rendering(); !renders) return complain(renders.error().text, 1);
  const std::string ready = "GENCLIP_BASE_URL=" + simulator.base_url() +
                            "\nGENCLIP_LLM_BASE_URL=" + simulator.llm_base_url() +
                            "\nGENCLIP_MEDIA_URL=" + simulator.media_url() + "\n";
  if (arguments.ready_file) {
    const auto written = write_durably(FileSystem::posix(), arguments.ready_file, ready);
    if (!written) return complain(written.error().text, 1);
  }
  std::fputs(ready.c_str(), stdout);
  std::fflush(stdout);
  g_main_loop_run(loop.get());
  return 0;
}

}  // namespace
}  // namespace genclip::sim

int main(int argc, char **argv) {
  using namespace genclip::sim;
  Arguments arguments;
  if (!parse(arguments, argc, argv)) return kUsageError;
  if (arguments.version) {
    std::puts("genclip-sim " GENCLIP_VERSION);
    return 0;
  }
  if (arguments.list_faults) {
    list_faults();
    return 0;
  }
  return run(arguments);
}
