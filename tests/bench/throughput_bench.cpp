// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How fast a clip of 200 MB comes over loopback: genclipsrc, which submits, asks, stores, syncs and checks
// it, beside souphttpsrc and curl, which leave the bytes to the page cache, and souphttpsrc with a sync
// behind it. TMPDIR chooses the disk.
#include <fcntl.h>
#include <gst/gst.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "plugin/base/gref.h"
#include "tests/bench/estimate.h"
#include "tests/bench/playback.h"
#include "tests/bench/service_process.h"
#include "tests/support/sample_clip.h"
#include "tests/support/temporary_folder.h"

namespace genclip::bench {
namespace {

constexpr size_t kSize = 200'000'000;
constexpr int kRounds = 11;
// Of souphttpsrc that writes a file, which is then synced: as genclip's is before it is called whole.
constexpr double kLeastRatio = 0.5;

[[noreturn]] void fail(const std::string &why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

double pipeline_ms(const std::string &line) {
  const auto ms = whole_ms(line);
  if (!ms) fail(ms.error().text);
  return *ms;
}

double sync_ms(const std::string &path) {
  const auto begun = std::chrono::steady_clock::now();
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0 || ::fsync(file) < 0) fail("Cannot sync " + path);
  ::close(file);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
}

// Nothing when there is no curl.
std::optional<double> curl_ms(const std::string &url, const std::string &target) {
  const char *const words[] = {"curl",         "--silent",  "--fail", "--output",
                               target.c_str(), url.c_str(), nullptr};
  int status = 1;
  const auto begun = std::chrono::steady_clock::now();
  const bool ran = g_spawn_sync(nullptr, const_cast<char **>(words), nullptr, G_SPAWN_SEARCH_PATH, nullptr,
                                nullptr, nullptr, nullptr, &status, nullptr);
  if (!ran) return std::nullopt;
  if (status != 0) fail("curl failed.");
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
}

void print(const char *what, const std::vector<double> &times) {
  if (times.empty()) return;
  const Estimate ms = estimate(times);
  const auto rate = [](double time) { return static_cast<double>(kSize) / 1000 / time; };
  std::printf("%-26s %7.0f MB/s [%.0f, %.0f]\n", what, rate(ms.median), rate(ms.high), rate(ms.low));
}

int compare() {
  const test::TemporaryFolder folder;
  ServiceProcess service([] {
    ServicePlan plan;
    plan.options.queued = plan.options.processing = std::chrono::milliseconds(0);
    plan.options.clip_bytes = test::sample_mp4(kSize);
    return plan;
  });
  gst_init(nullptr, nullptr);
  const std::string url = service.clip_url(), target = folder.file("copy.mp4");
  const std::string http = "souphttpsrc location=\"" + url + "\" ! ";
  std::vector<double> ours, theirs, theirs_on_disk, theirs_synced, curls;
  for (int round = 0; round < kRounds; ++round) {
    const std::string store = folder.file("store" + std::to_string(round));
    ours.push_back(pipeline_ms(clip_source(service.base_url(), store, 0) + " ! fakesink sync=false"));
    std::filesystem::remove_all(store);
    theirs.push_back(pipeline_ms(http + "fakesink sync=false"));
    theirs_on_disk.push_back(pipeline_ms(http + "filesink location=" + target));
    theirs_synced.push_back(theirs_on_disk.back() + sync_ms(target));
    std::filesystem::remove(target);
    if (const auto ms = curl_ms(url, target)) curls.push_back(*ms);
    std::filesystem::remove(target);
  }
  print("genclipsrc ! fakesink", ours);
  print("souphttpsrc ! fakesink", theirs);
  print("souphttpsrc ! filesink", theirs_on_disk);
  print("... and a sync", theirs_synced);
  print("curl to a file", curls);
  const Estimate loose = ratio_of_medians(theirs_on_disk, ours),
                 ratio = ratio_of_medians(theirs_synced, ours);
  std::printf("genclipsrc has %.2f [%.2f, %.2f] of the speed of souphttpsrc ! filesink\n", loose.median,
              loose.low, loose.high);
  std::printf("genclipsrc has %.2f [%.2f, %.2f] of that with a sync (at least %.2f)\n", ratio.median,
              ratio.low, ratio.high, kLeastRatio);
  return ratio.high >= kLeastRatio ? 0 : 1;
}

}  // namespace
}  // namespace genclip::bench

int main() { return genclip::bench::compare(); }
