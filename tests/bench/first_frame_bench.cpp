// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A stored clip's first decoded frame comes within 10 % of the time that filesrc takes for the same file. In
// one process that has played before, and in new ones, which load all plugins anew.
#include <gst/gst.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "plugin/base/gref.h"
#include "tests/bench/estimate.h"
#include "tests/bench/playback.h"
#include "tests/bench/service_process.h"
#include "tests/support/temporary_folder.h"

namespace genclip::bench {
namespace {

constexpr double kMostRatio = 1.10;
// Measure pairs until the ratio is this precise, or up to this number.
constexpr double kNarrowEnough = 0.03;
constexpr int kPairsAtOnce = 20;
constexpr int kPairs = 1000;
constexpr int kPairsOfProcesses = 200;
constexpr char kOnce[] = "--once";

constexpr char kDecoded[] = " ! decodebin ! fakesink name=sink";

double fail(const std::string &why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

double in_this_process(const std::string &line) {
  const auto ms = first_buffer_ms(line);
  return ms ? *ms : fail(ms.error().text);
}

double in_a_new_process(const std::string &line) {
  const char *const words[] = {"/proc/self/exe", kOnce, line.c_str(), nullptr};
  char *output = nullptr;
  int status = 1;
  GErrorPtr error;
  const bool ran = g_spawn_sync(nullptr, const_cast<char **>(words), nullptr, G_SPAWN_DEFAULT, nullptr,
                                nullptr, &output, nullptr, &status, take(error));
  const GStringPtr text(output);
  if (!ran || status != 0) return fail("A new process fails: " + line);
  return g_ascii_strtod(text.get(), nullptr);
}

bool compare(const char *resolution, const char *where, int most_pairs,
             double (*measure)(const std::string &), const std::string &clip, const std::string &file) {
  std::vector<double> ours, theirs;
  Estimate ratio;
  measure(clip);
  measure(file);
  do {
    for (int i = 0; i < kPairsAtOnce; ++i) {
      // Each one is first equally often.
      const bool clip_first = i % 2 == 0;
      const double first = measure(clip_first ? clip : file), second = measure(clip_first ? file : clip);
      ours.push_back(clip_first ? first : second);
      theirs.push_back(clip_first ? second : first);
    }
    ratio = ratio_of_medians(ours, theirs);
  } while (ratio.high - ratio.low > kNarrowEnough && static_cast<int>(ours.size()) < most_pairs);
  std::printf("%s, %-12s %4zu pairs  genclipsrc %6.2f ms  filesrc %6.2f ms  ratio %.3f [%.3f, %.3f]\n",
              resolution, where, ours.size(), estimate(ours).median, estimate(theirs).median, ratio.median,
              ratio.low, ratio.high);
  std::fflush(stdout);
  // A result from a machine that is too busy proves nothing.
  return ratio.low <= kMostRatio;
}

std::string only_clip_in(const std::string &store) {
  for (const auto &entry : std::filesystem::recursive_directory_iterator(store))
    if (entry.path().filename() == "clip.mp4") return entry.path().string();
  fail("No clip is stored.");
  return {};
}

int compare_all() {
  const test::TemporaryFolder folder;
  std::optional<ServiceProcess> service;
  service.emplace([] {
    gst_init(nullptr, nullptr);
    return ServicePlan{};
  });
  gst_init(nullptr, nullptr);
  struct Stored {
    const char *resolution;
    std::string clip, file;
  };
  std::vector<Stored> all;
  for (const char *resolution : {"480p", "720p"}) {
    const std::string store = folder.file(resolution);
    const std::string source =
        clip_source(service->base_url(), store, 0) + " aspect-ratio=16:9 resolution=" + resolution;
    if (const auto made = whole_ms(source + " ! fakesink"); !made) fail(made.error().text);
    all.push_back({resolution, source + kDecoded, "filesrc location=" + only_clip_in(store) + kDecoded});
  }
  service.reset();  // From here on there is no network.

  bool good = true;
  for (const auto &[resolution, clip, file] : all) {
    good &= compare(resolution, "same process", kPairs, in_this_process, clip, file);
    good &= compare(resolution, "new process", kPairsOfProcesses, in_a_new_process, clip, file);
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace genclip::bench

int main(int argc, char **argv) {
  using namespace genclip::bench;
  if (argc != 3 || std::string_view(argv[1]) != kOnce) return compare_all();
  gst_init(nullptr, nullptr);
  std::printf("%f\n", in_this_process(argv[2]));
  return 0;
}
