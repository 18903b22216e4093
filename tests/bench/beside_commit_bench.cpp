// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Compares two builds of the plugin: how long a new clip of 256 MiB takes from the service's `completed` to
// the end of the stream, and by how much the memory of a process grows with 100 sources that wait. Each
// measurement is a new process, which finds one of the two plugins by GST_PLUGIN_PATH; both talk to the same
// service. Started by tests/bench/beside_commit.
#include <gst/gst.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plugin/base/gref.h"
#include "tests/bench/estimate.h"
#include "tests/bench/process_figures.h"
#include "tests/bench/service_process.h"
#include "tests/support/sample_clip.h"
#include "tests/support/temporary_folder.h"

namespace genclip::bench {
namespace {

constexpr size_t kClipSize = size_t{256} << 20;
constexpr int kSources = 100;
constexpr auto kPatience = std::chrono::seconds(120);
// Sources that wait have asked a few times by then.
constexpr auto kSettled = std::chrono::seconds(4);

[[noreturn]] void fail(const std::string &why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

using Time = std::chrono::steady_clock;

// A pipeline, watched by the threads that post its messages.
class Watched {
 public:
  Watched(const std::string &base_url, const std::string &store, int number, const char *poll_interval) {
    const std::string line = "genclipsrc model=dance-2.5 prompt=\"number " + std::to_string(number) +
                             "\" api-key=sim-key base-url=" + base_url + " store=" + store +
                             " poll-interval=" + poll_interval + " ! fakesink sync=false";
    GErrorPtr error;
    pipeline_ = GRef<GstElement>::adopt(
        GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(line.c_str(), take(error)))));
    if (error) fail(error->message);
    const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline_.get()));
    gst_bus_set_sync_handler(bus.get(), hear, this, nullptr);
  }
  ~Watched() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }
  Watched(const Watched &) = delete;
  Watched &operator=(const Watched &) = delete;

  void play() { gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING); }
  bool is_queued() const { return is_queued_; }
  bool has_ended() const { return ended_.load() != Time::time_point(); }
  double completed_to_end_ms() const {
    return std::chrono::duration<double, std::milli>(ended_.load() - completed_.load()).count();
  }

 private:
  static GstBusSyncReply hear(GstBus *, GstMessage *message, gpointer self) {
    static_cast<Watched *>(self)->on_message(message);
    gst_message_unref(message);
    return GST_BUS_DROP;
  }

  void on_message(GstMessage *message) {
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) ended_ = Time::now();
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
      GErrorPtr error;
      gst_message_parse_error(message, take(error), nullptr);
      fail(error->message);
    }
    const GstStructure *told = gst_message_get_structure(message);
    if (!told || !gst_structure_has_name(told, "genclip-task")) return;
    const std::string status = gst_structure_get_string(told, "status");
    if (status == "queued") is_queued_ = true;
    // The element downloads once the service has said `completed`.
    if (status == "downloading" && completed_.load() == Time::time_point()) completed_ = Time::now();
  }

  GRef<GstElement> pipeline_;
  std::atomic<bool> is_queued_ = false;
  std::atomic<Time::time_point> completed_ = Time::time_point(), ended_ = Time::time_point();
};

template <typename Done>
void wait_until(Done done) {
  const auto begun = Time::now();
  while (!done()) {
    if (Time::now() - begun > kPatience) fail("Nothing happened in time.");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// A process that knows one plugin prints the result of one of these.

void measure_clip(const std::string &base_url, const std::string &store) {
  Watched source(base_url, store, 0, "10");
  source.play();
  wait_until([&] { return source.has_ended(); });
  std::printf("%f\n", source.completed_to_end_ms());
}

void measure_memory(const std::string &base_url, const std::string &store) {
  { const Watched loads_plugins(base_url, store, 0, "1000"); }
  malloc_trim(0);
  const ProcessFigures before = process_figures();
  std::vector<std::unique_ptr<Watched>> sources;
  for (int number = 0; number < kSources; ++number)
    sources.push_back(std::make_unique<Watched>(base_url, store, number, "1000"));
  for (const auto &source : sources) source->play();
  wait_until([&] {
    return std::all_of(sources.begin(), sources.end(),
                       [](const auto &source) { return source->is_queued(); });
  });
  std::this_thread::sleep_for(kSettled);
  const ProcessFigures now = process_figures();
  std::printf("%f %d\n", now.memory_kib - before.memory_kib, now.threads - before.threads);
  std::fflush(stdout);
  std::_Exit(0);
}

// The program's figures in a new process that finds the plugin in `plugin`.
std::vector<double> run_with(const std::string &plugin, const char *what, const std::string &base_url,
                             const std::string &scratch) {
  const std::string store = scratch + "/store", registry = scratch + "/registry.bin";
  char **environment = g_get_environ();
  environment = g_environ_setenv(environment, "GST_PLUGIN_PATH", plugin.c_str(), TRUE);
  environment = g_environ_setenv(environment, "GST_REGISTRY", registry.c_str(), TRUE);
  char *output = nullptr;
  int status = 1;
  GErrorPtr error;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const char *const command[] = {self.c_str(), what, base_url.c_str(), store.c_str(), nullptr};
  g_spawn_sync(nullptr, const_cast<char **>(command), environment, G_SPAWN_DEFAULT, nullptr, nullptr, &output,
               nullptr, &status, take(error));
  g_strfreev(environment);
  const GStringPtr owned(output);
  if (error) fail(error->message);
  if (status != 0) fail("A measurement with the plugin in " + plugin + " failed.");
  std::filesystem::remove_all(store);
  std::vector<double> figures;
  char *end = output;
  for (char *next = output;; next = end) {
    const double figure = g_ascii_strtod(next, &end);
    if (end == next) return figures;
    figures.push_back(figure);
  }
}

// A figure of both plugins, by turns.
struct Pair {
  std::vector<double> then, now;

  // False: the whole interval of the ratio is above `most`. 0: no bound.
  bool print(double most, const char *what, const char *unit, double divisor = 1) const {
    const auto shown = [&](const std::vector<double> &values) { return estimate(values).median / divisor; };
    const Estimate ratio = ratio_of_medians(now, then);
    std::printf("%-34s %9.1f %-4s %9.1f %-4s %5.2f [%.2f, %.2f]\n", what, shown(then), unit, shown(now), unit,
                ratio.median, ratio.low, ratio.high);
    return most <= 0 || ratio.low <= most;
  }
};

int compare(const std::string &then, const std::string &now, int rounds, double most) {
  const test::TemporaryFolder folder;
  const std::string scratch[] = {folder.file("then"), folder.file("now")};
  for (const std::string &path : scratch) std::filesystem::create_directory(path);
  ServiceProcess clips([] {
    ServicePlan plan;
    plan.options.queued = plan.options.processing = std::chrono::milliseconds(0);
    plan.options.clip_bytes = test::sample_mp4(kClipSize);
    return plan;
  });
  ServiceProcess waits([] {
    ServicePlan plan;
    plan.options.queued = std::chrono::hours(1);
    plan.options.clip_bytes = test::sample_mp4(1 << 20);
    return plan;
  });
  Pair clip, memory, threads;
  const auto measure = [&](bool is_now) {
    const std::string &plugin = is_now ? now : then;
    const auto of = [is_now](Pair &pair) -> std::vector<double> & { return is_now ? pair.now : pair.then; };
    of(clip).push_back(run_with(plugin, "--clip", clips.base_url(), scratch[is_now]).at(0));
    const auto waiting = run_with(plugin, "--waiting", waits.base_url(), scratch[is_now]);
    of(memory).push_back(waiting.at(0));
    of(threads).push_back(waiting.at(1));
  };
  for (int round = 0; round < rounds; ++round)
    for (const bool second : {false, true}) measure(second != (round % 2 == 1));
  std::printf("%-34s %14s %14s ratio\n", "", "then", "now");
  bool good = clip.print(most, "256 MiB, `completed` to the end", "ms");
  good &= memory.print(most, "growth by 100 waiting sources", "MiB", 1024);
  good &= threads.print(most, "threads of these", "");
  return good ? 0 : 1;
}

int run(int count, char **words) {
  const std::string what = count > 1 ? words[1] : "";
  if (count == 4 && what == "--clip") {
    gst_init(nullptr, nullptr);
    measure_clip(words[2], words[3]);
    return 0;
  }
  if (count == 4 && what == "--waiting") {
    gst_init(nullptr, nullptr);
    measure_memory(words[2], words[3]);
    return 0;
  }
  if (count != 5) fail("Usage: beside_commit_bench PLUGIN-FOLDER-THEN PLUGIN-FOLDER-NOW ROUNDS MOST-RATIO");
  return compare(words[1], words[2], std::atoi(words[3]), g_ascii_strtod(words[4], nullptr));
}

}  // namespace
}  // namespace genclip::bench

int main(int count, char **words) { return genclip::bench::run(count, words); }
