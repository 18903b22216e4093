// SPDX-License-Identifier: LGPL-2.1-or-later
//
// An unattended channel against a service of which one call in twenty goes wrong: no clip is lost, nothing is
// paid twice in silence, and nothing grows.
#include <gst/gst.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/bench/estimate.h"
#include "tests/bench/process_figures.h"
#include "tests/bench/service_process.h"
#include "tests/soak/channel.h"
#include "tests/soak/fault_plan.h"
#include "tests/support/temporary_folder.h"

namespace genclip::soak {
namespace {

constexpr unsigned kFrames = 48;
constexpr int kLines = 10;
// What a whole run may add after its first quarter, by the line that fits its samples best.
constexpr double kMostMemoryGrowthKib = 8192;
constexpr double kMostThreadGrowth = 3;
constexpr double kMostDescriptorGrowth = 3;
// libsoup keeps an idle one for a second.
constexpr int kMostConnections = 100;

// Two seconds of a test picture, with the index last.
std::string small_clip(const std::string &path) {
  gst_init(nullptr, nullptr);
  const std::string line =
      "videotestsrc pattern=ball num-buffers=" + std::to_string(kFrames) +
      " ! video/x-raw,width=320,height=180,framerate=24/1 ! x264enc speed-preset=ultrafast ! "
      "mp4mux ! filesink location=" +
      path;
  GErrorPtr error;
  const auto pipeline =
      GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(line.c_str(), take(error)))));
  if (error) g_error("%s", error->message);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
  const auto end = GRef<GstMessage>::adopt(gst_bus_timed_pop_filtered(
      bus.get(), GST_CLOCK_TIME_NONE, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  if (GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_ERROR) g_error("The small clip cannot be made.");
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Sample {
  bench::ProcessFigures figures;
  double seconds = 0;
};

// Descriptors that are no connection.
int files_of(const Sample &sample) { return sample.figures.descriptors - sample.figures.connections; }

int wrongs = 0;

void expect(bool holds, const std::string &what) {
  std::printf("%s %s\n", holds ? "holds " : "BROKEN", what.c_str());
  wrongs += !holds;
}

void print_line(int clip, const Sample &sample, const ChannelCounts &counts) {
  std::printf("| %5d | %7.1f | %10.0f | %5d | %11d | %7d | %8d |\n", clip, sample.seconds,
              sample.figures.memory_kib, files_of(sample), sample.figures.connections, sample.figures.threads,
              counts.captions);
  std::fflush(stdout);
}

void expect_flat(const char *what, const char *unit, double most, const std::vector<Sample> &samples,
                 double (*figure)(const Sample &)) {
  std::vector<double> values;
  for (size_t i = samples.size() / 4; i < samples.size(); ++i) values.push_back(figure(samples[i]));
  const double growth = bench::slope(values) * static_cast<double>(values.size());
  char text[200];
  g_snprintf(text, sizeof text, "flat %s: %+.1f %s over the last three quarters (at most %+.0f)", what,
             growth, unit, most);
  expect(growth <= most, text);
}

int run(int clips, uint64_t seed) {
  // Else the threshold grows with the first picture that is freed, and pictures of many threads leave holes
  // in many heaps, which would look like a leak.
  mallopt(M_MMAP_THRESHOLD, 64 * 1024);
  const test::TemporaryFolder folder;
  bench::ServiceProcess service([&] {
    auto faults = fault_plan(clips, seed);
    bench::ServicePlan plan;
    plan.options.queued = std::chrono::milliseconds(50);
    plan.options.processing = std::chrono::milliseconds(100);
    plan.options.least_poll_interval = std::chrono::milliseconds(40);
    plan.options.clip_bytes = small_clip(folder.file("small.mp4"));
    plan.options.faults = std::move(faults.service);
    plan.gateway_faults = std::move(faults.gateway);
    return plan;
  });
  gst_init(nullptr, nullptr);

  std::printf("%d clips, --seed %" G_GUINT64_FORMAT "\n\n", clips, seed);
  std::printf("|  clip | seconds | memory KiB | files | connections | threads | captions |\n");
  std::printf("| ----: | ------: | ---------: | ----: | ----------: | ------: | -------: |\n");
  ChannelPlan plan;
  plan.base_url = service.base_url();
  plan.gateway_url = service.gateway_url();
  plan.store = folder.file("store");
  plan.clips = clips;
  plan.frames_per_clip = kFrames;
  Channel channel(std::move(plan));
  std::vector<Sample> samples;
  const auto begun = std::chrono::steady_clock::now();
  const std::string wrong = channel.run([&](const ChannelCounts &counts) {
    malloc_trim(0);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    samples.push_back({bench::process_figures(), seconds});
    const int step = std::max(1, clips / kLines);
    if (counts.played % step == 0) print_line(counts.played, samples.back(), counts);
  });
  const ChannelCounts &counts = channel.counts();
  const Json stats = service.stats();
  const auto count = [&](const char *name) {
    return static_cast<int>(stats.find(name)->number().value_or(-1));
  };
  int faults = 0, failed_tasks = 0, media_faults = 0;
  for (const auto &[fault, times] : *stats.find("faults")->object()) {
    faults += static_cast<int>(times.number().value_or(0));
    if (fault.starts_with("media") || fault.find(":expire-urls") != fault.npos)
      media_faults += static_cast<int>(times.number().value_or(0));
    if (fault.find(":fail=") != fault.npos) failed_tasks += static_cast<int>(times.number().value_or(0));
  }
  int stored = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder.file("store")))
    stored += entry.path().filename() == "clip.mp4";

  std::printf("\n%d faults of the service in %d submits, %d queries and %d downloads\n", faults,
              count("submits"), count("queries"), count("downloads"));
  for (const auto &[text, times] : counts.errors)
    std::printf("  %3d failed attempts: %s\n", times, text.c_str());
  for (const auto &[text, times] : counts.warnings) std::printf("  %3d warnings: %s\n", times, text.c_str());
  std::printf("\n");

  expect(wrong.empty(), "the channel plays to its end. " + wrong);
  const std::string of_clips = " of " + std::to_string(clips) + " clips";
  expect(counts.played == clips, std::to_string(counts.played) + of_clips + " are played with every frame");
  expect(stored == clips, std::to_string(stored) + of_clips + " are stored");
  expect(count("distinct_requests") == clips,
         std::to_string(count("distinct_requests")) + " distinct requests");
  const int repeats = count("submits") - count("distinct_requests");
  expect(repeats >= 0 && repeats <= counts.announced_repeats + failed_tasks,
         std::to_string(repeats) + " repeated submits; " + std::to_string(counts.announced_repeats) +
             " were announced by a warning, and " + std::to_string(failed_tasks) + " tasks failed");
  // An expired URL is asked for anew at once: nobody polls there.
  expect(count("early_queries") <= media_faults,
         std::to_string(count("early_queries")) + " queries came sooner than the interval, with " +
             std::to_string(media_faults) + " faults that take a fresh URL");
  expect(count("media_with_authorization") == 0, "no download carried the key");
  expect(count("gateway_problems") == 0, "no request for a caption was wrong");
  expect(counts.captions + counts.skipped >= clips,
         std::to_string(counts.captions) + " captions, and " + std::to_string(counts.skipped) +
             " skipped with a warning, for " + std::to_string(clips) + " clips");
  expect_flat("memory", "KiB", kMostMemoryGrowthKib, samples,
              [](const Sample &s) { return s.figures.memory_kib; });
  expect_flat("open files", "", kMostDescriptorGrowth, samples,
              [](const Sample &s) { return static_cast<double>(files_of(s)); });
  expect_flat("threads", "", kMostThreadGrowth, samples,
              [](const Sample &s) { return static_cast<double>(s.figures.threads); });
  int connections = 0;
  for (const Sample &sample : samples) connections = std::max(connections, sample.figures.connections);
  expect(connections <= kMostConnections, std::to_string(connections) + " connections at most (at most " +
                                              std::to_string(kMostConnections) + ")");
  return wrongs == 0 ? 0 : 1;
}

}  // namespace
}  // namespace genclip::soak

int main(int argc, char **argv) {
  gint clips = 25;
  gint64 seed = 1;
  const GOptionEntry entries[] = {
      {"clips", 0, 0, G_OPTION_ARG_INT, &clips, "How many clips to play (25)", "NUMBER"},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &seed, "Decides which calls go wrong (1)", "NUMBER"},
      {nullptr, 0, 0, G_OPTION_ARG_NONE, nullptr, nullptr, nullptr}};
  GOptionContext *context = g_option_context_new("- an unattended channel");
  g_option_context_add_main_entries(context, entries, nullptr);
  const bool parsed = g_option_context_parse(context, &argc, &argv, nullptr) && argc == 1 && clips > 0;
  g_option_context_free(context);
  if (!parsed) {
    std::fprintf(stderr, "channel_soak: see --help\n");
    return 2;
  }
  return genclip::soak::run(clips, static_cast<uint64_t>(seed));
}
