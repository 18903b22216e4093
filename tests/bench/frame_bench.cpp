// SPDX-License-Identifier: LGPL-2.1-or-later
//
// `genclip frame` on a clip of ten seconds takes at most twice as long as what people use otherwise, ffmpeg
// with a seek to the end. Each run is a new process.
#include <glib.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "tests/bench/estimate.h"
#include "tests/support/temporary_folder.h"

namespace genclip::bench {
namespace {

constexpr double kMostRatio = 2;
constexpr double kNarrowEnough = 0.1;
constexpr int kPairsAtOnce = 10;
constexpr int kPairs = 60;
constexpr int kSkipped = 77;

using Words = std::vector<std::string>;

bool ran(const Words &words) {
  std::vector<const char *> line;
  for (const std::string &word : words) line.push_back(word.c_str());
  line.push_back(nullptr);
  int status = 1;
  GErrorPtr error;
  return g_spawn_sync(nullptr, const_cast<char **>(line.data()), nullptr,
                      static_cast<GSpawnFlags>(G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL), nullptr,
                      nullptr, nullptr, nullptr, &status, take(error)) &&
         status == 0;
}

double ms_of(const Words &words) {
  const auto begin = std::chrono::steady_clock::now();
  if (!ran(words)) {
    std::fprintf(stderr, "%s %s fails.\n", words[0].c_str(), words[1].c_str());
    std::exit(1);
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

Words ffmpeg(const Words &more) {
  Words words{"ffmpeg", "-nostdin", "-v", "error", "-y"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool compare(const char *what, const Words &ours, const Words &theirs) {
  std::vector<double> our_times, their_times;
  Estimate ratio;
  ms_of(ours);
  ms_of(theirs);
  do {
    for (int i = 0; i < kPairsAtOnce; ++i) {
      // Each one is first equally often.
      const bool is_ours_first = i % 2 == 0;
      const double first = ms_of(is_ours_first ? ours : theirs),
                   second = ms_of(is_ours_first ? theirs : ours);
      our_times.push_back(is_ours_first ? first : second);
      their_times.push_back(is_ours_first ? second : first);
    }
    ratio = ratio_of_medians(our_times, their_times);
  } while (ratio.high - ratio.low > kNarrowEnough && static_cast<int>(our_times.size()) < kPairs);
  std::printf("%-12s %3zu pairs  genclip %6.1f ms  ffmpeg %6.1f ms  ratio %.2f [%.2f, %.2f]\n", what,
              our_times.size(), estimate(our_times).median, estimate(their_times).median, ratio.median,
              ratio.low, ratio.high);
  std::fflush(stdout);
  return ratio.low <= kMostRatio;
}

int compare_all(const std::string &genclip) {
  if (!ran({"ffmpeg", "-version"})) {
    std::puts("ffmpeg is not installed.");
    return kSkipped;
  }
  const test::TemporaryFolder folder;
  const std::string png = folder.file("frame.png");
  bool good = true;
  for (const char *size : {"854x480", "1280x720"}) {
    const std::string clip = folder.file(std::string(size) + ".mp4");
    ms_of(ffmpeg({"-f", "lavfi", "-i", std::string("testsrc2=r=24:d=10:s=") + size, "-c:v", "libx264",
                  "-preset", "veryfast", "-pix_fmt", "yuv420p", clip}));
    good &=
        compare((std::string(size) + " last").c_str(), {genclip, "frame", clip, "--last", "--output", png},
                ffmpeg({"-sseof", "-1", "-i", clip, "-update", "1", png}));
    good &=
        compare((std::string(size) + " first").c_str(), {genclip, "frame", clip, "--first", "--output", png},
                ffmpeg({"-i", clip, "-frames:v", "1", png}));
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace genclip::bench

int main(int argc, char **argv) { return argc == 2 ? genclip::bench::compare_all(argv[1]) : 2; }
