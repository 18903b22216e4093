// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A stored clip of 256 MiB flows as fast as its file does from filesrc, on a disk twice as fast. TMPDIR
// chooses the file system.
#include <gst/gst.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/estimate.h"
#include "tests/bench/playback.h"
#include "tests/bench/service_process.h"
#include "tests/support/sample_clip.h"
#include "tests/support/temporary_folder.h"

namespace genclip::bench {
namespace {

constexpr size_t kSize = size_t{256} << 20;
constexpr int kRounds = 21;
constexpr double kMostRatio = 1.0;
constexpr double kMostRatioOnDisk = 0.5;

// Those that tell what is in the page cache.
bool is_on_disk(const std::string &folder) {
  struct statfs status = {};
  if (statfs(folder.c_str(), &status) != 0) return false;
  const auto type = static_cast<uint32_t>(status.f_type);
  return type == EXT4_SUPER_MAGIC || type == XFS_SUPER_MAGIC || type == BTRFS_SUPER_MAGIC;
}

double play_ms(const std::string &source) {
  const auto ms = whole_ms(source + " ! fakesink sync=false");
  if (ms) return *ms;
  std::fprintf(stderr, "%s\n", ms.error().text.c_str());
  std::exit(1);
}

int compare() {
  const test::TemporaryFolder folder;
  std::optional<ServiceProcess> service;
  service.emplace([] {
    ServicePlan plan;
    plan.options.queued = plan.options.processing = std::chrono::milliseconds(0);
    plan.options.clip_bytes = test::sample_mp4(kSize);
    return plan;
  });
  gst_init(nullptr, nullptr);
  const std::string clip = clip_source(service->base_url(), folder.file("store"), 0);
  play_ms(clip);
  service.reset();  // From here on there is no network.
  std::string file = "filesrc location=";
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder.file("store")))
    if (entry.path().filename() == "clip.mp4") file += entry.path().string();
  play_ms(file);
  std::vector<double> ours, theirs;
  for (int round = 0; round < kRounds; ++round) {
    ours.push_back(play_ms(clip));
    theirs.push_back(play_ms(file));
  }
  const Estimate ratio = ratio_of_medians(ours, theirs);
  const double most = is_on_disk(folder.path()) ? kMostRatioOnDisk : kMostRatio;
  std::printf("256 MiB to EOS: genclipsrc %.0f ms  filesrc %.0f ms  ratio %.2f [%.2f, %.2f] (at most %.2f)\n",
              estimate(ours).median, estimate(theirs).median, ratio.median, ratio.low, ratio.high, most);
  // A result from a machine that is too busy proves nothing.
  return ratio.low <= most ? 0 : 1;
}

}  // namespace
}  // namespace genclip::bench

int main() { return genclip::bench::compare(); }
