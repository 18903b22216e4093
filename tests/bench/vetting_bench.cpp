// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Vetting a clip of 720p takes little more of the processor than decoding it does: at most half as much again
// as gst-launch with fakesinks. Each run is a new process.
#include <gst/gst.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/vetting/make_vetter.h"
#include "tests/bench/estimate.h"
#include "tests/support/temporary_folder.h"

namespace genclip::bench {
namespace {

constexpr double kMostRatio = 1.5;
constexpr int kPairs = 15;
constexpr int kSeconds = 10;

using Words = std::vector<std::string>;

// ms of the processor.
double cost_of(const Words &words) {
  std::vector<const char *> line;
  for (const std::string &word : words) line.push_back(word.c_str());
  line.push_back(nullptr);
  rusage before{}, after{};
  getrusage(RUSAGE_CHILDREN, &before);
  int status = 1;
  GErrorPtr error;
  if (!g_spawn_sync(nullptr, const_cast<char **>(line.data()), nullptr,
                    static_cast<GSpawnFlags>(G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL), nullptr,
                    nullptr, nullptr, nullptr, &status, take(error)) ||
      status != 0) {
    std::fprintf(stderr, "%s fails.\n", words[0].c_str());
    std::exit(1);
  }
  getrusage(RUSAGE_CHILDREN, &after);
  const auto ms = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(after.ru_utime) + ms(after.ru_stime) - ms(before.ru_utime) - ms(before.ru_stime);
}

int compare(const std::string &program) {
  const test::TemporaryFolder folder;
  const std::string clip = folder.file("clip.mp4");
  cost_of({"ffmpeg",  "-nostdin", "-v",       "error",
           "-f",      "lavfi",    "-i",       "testsrc2=r=25:d=" + std::to_string(kSeconds) + ":s=1280x720",
           "-f",      "lavfi",    "-i",       "sine=f=440:r=48000:d=" + std::to_string(kSeconds),
           "-ac",     "2",        "-c:v",     "libx264",
           "-preset", "veryfast", "-pix_fmt", "yuv420p",
           "-c:a",    "aac",      clip});
  const Words ours{program, clip};
  const Words theirs{"gst-launch-1.0", "-q", "filesrc", "location=" + clip, "!", "decodebin", "name=d", "!",
                     "fakesink",       "d.", "!",       "fakesink"};
  std::vector<double> our_costs, their_costs;
  cost_of(ours);
  cost_of(theirs);
  for (int i = 0; i < kPairs; ++i) {
    our_costs.push_back(cost_of(ours));
    their_costs.push_back(cost_of(theirs));
  }
  const Estimate ratio = ratio_of_medians(our_costs, their_costs);
  std::printf("720p25, %d s  vetting %.0f ms  decoding %.0f ms  ratio %.2f [%.2f, %.2f]\n", kSeconds,
              estimate(our_costs).median, estimate(their_costs).median, ratio.median, ratio.low, ratio.high);
  return ratio.low <= kMostRatio ? 0 : 1;
}

int vet(const char *path) {
  const GStringPtr uri(g_filename_to_uri(path, nullptr, nullptr));
  const auto vetted = make_vetter()->vet({.uri = uri.get(), .is_generated = true}, nullptr);
  if (!vetted) std::fprintf(stderr, "%s\n", vetted.error().text.c_str());
  return vetted ? 0 : 1;
}

}  // namespace
}  // namespace genclip::bench

// Without an argument it compares; with one it vets that clip.
int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  return argc == 2 ? genclip::bench::vet(argv[1]) : genclip::bench::compare(argv[0]);
}
