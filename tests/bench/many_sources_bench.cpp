// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Two hundred genclipsrc in one process, waiting and downloading at once: their resources, and whether all of
// them respect the service's polling interval.
#include <gst/gst.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "plugin/base/gref.h"
#include "tests/bench/process_figures.h"
#include "tests/bench/service_process.h"
#include "tests/support/sample_clip.h"
#include "tests/support/temporary_folder.h"

namespace genclip::bench {
namespace {

constexpr int kSources = 200;
constexpr size_t kClipSize = 1 << 20;
constexpr auto kPollInterval = std::chrono::milliseconds(1000);
constexpr auto kPatience = std::chrono::seconds(120);

// The bounds. A source has its streaming thread and its generation's; the rest is shared: the one of libsoup,
// and GStreamer's pool that posts messages.
constexpr int kMostThreadsPerSource = 2;
constexpr int kMostSharedThreads = 100;
constexpr int kMostThreadsLeft = 16;
constexpr auto kThreadsLinger = std::chrono::seconds(30);
// A connection while it is asked or downloaded, and the last one, which libsoup keeps for a second.
constexpr int kMostConnectionsPerSource = 2;
// 22 MiB for a hundred that wait. One that downloads has its buffers, too.
constexpr double kMostMemoryWaitingKib = 225;
constexpr double kMostMemoryDownloadingKib = 512;
// Late by the jitter of a tenth, and by what a busy machine adds.
constexpr double kMostMedianInterval = 1.25;

[[noreturn]] void fail(const std::string &why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

ServicePlan plan() {
  ServicePlan plan;
  plan.options.queued = std::chrono::seconds(3);
  plan.options.processing = std::chrono::seconds(3);
  plan.options.least_poll_interval = kPollInterval;
  plan.options.clip_bytes = test::sample_mp4(kClipSize);
  plan.options.media_bytes_per_second = kClipSize / 3;
  return plan;
}

struct Source {
  GRef<GstElement> pipeline;
  GRef<GstBus> bus;
  bool ended = false;

  explicit Source(const std::string &line) {
    GErrorPtr error;
    pipeline = GRef<GstElement>::adopt(
        GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(line.c_str(), take(error)))));
    if (error) fail(error->message);
    bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
  }

  // Reads the messages.
  void hear() {
    const auto wanted = static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    while (const auto message = GRef<GstMessage>::adopt(gst_bus_pop(bus.get()))) {
      if (!(GST_MESSAGE_TYPE(message.get()) & wanted)) continue;
      if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS) {
        ended = true;
        continue;
      }
      GErrorPtr error;
      gst_message_parse_error(message.get(), take(error), nullptr);
      fail(error->message);
    }
  }
};

// The maximum of each figure, and its value per source.
struct Peak {
  ProcessFigures most;

  void see(const ProcessFigures &now) {
    most.threads = std::max(most.threads, now.threads);
    most.connections = std::max(most.connections, now.connections);
    most.descriptors = std::max(most.descriptors, now.descriptors);
    most.memory_kib = std::max(most.memory_kib, now.memory_kib);
  }
};

bool bounded(const char *what, double value, double most, const char *unit) {
  std::printf("  %-34s %9.1f %-4s (at most %g)\n", what, value, unit, most);
  return value <= most;
}

bool judge(const char *phase, const Peak &peak, const ProcessFigures &before, double most_memory_kib) {
  std::printf("%s\n", phase);
  bool good = bounded("threads", peak.most.threads - before.threads,
                      kMostThreadsPerSource * kSources + kMostSharedThreads, "");
  good &= bounded("connections", peak.most.connections - before.connections,
                  kMostConnectionsPerSource * kSources, "");
  good &= bounded("memory of a source", (peak.most.memory_kib - before.memory_kib) / kSources,
                  most_memory_kib, "KiB");
  return good;
}

bool judge_pace(const Json &stats) {
  std::vector<double> intervals;
  for (const Json &interval : *stats.find("intervals_ms")->array())
    intervals.push_back(interval.number().value_or(0));
  if (intervals.empty()) fail("No task was asked for twice.");
  std::sort(intervals.begin(), intervals.end());
  const double interval = static_cast<double>(kPollInterval.count());
  std::printf("pace of %zu questions, as the service sees it\n", intervals.size());
  bool good = bounded("shortest interval short by", std::max(0.0, interval - intervals.front()), 0, "ms");
  good &= bounded("median interval", intervals[intervals.size() / 2], kMostMedianInterval * interval, "ms");
  std::printf("  %-34s %9.1f ms\n", "99 of 100 below", intervals[intervals.size() * 99 / 100]);
  std::printf("  %-34s %9.1f ms\n", "longest interval", intervals.back());
  return good;
}

int measure() {
  const test::TemporaryFolder folder;
  ServiceProcess service(plan);
  gst_init(nullptr, nullptr);
  const auto line = [&](int number) {
    return "genclipsrc model=dance-2.5 prompt=\"number " + std::to_string(number) +
           "\" api-key=sim-key base-url=" + service.base_url() + " store=" + folder.file("store") +
           " poll-interval=" + std::to_string(kPollInterval.count()) + " ! fakesink sync=false";
  };
  Source(line(0)).hear();  // The plugins are loaded.
  malloc_trim(0);
  const ProcessFigures before = process_figures();

  const auto begun = std::chrono::steady_clock::now();
  std::vector<Source> sources;
  for (int number = 0; number < kSources; ++number) sources.emplace_back(line(number));
  for (const Source &source : sources) gst_element_set_state(source.pipeline.get(), GST_STATE_PLAYING);
  const double started_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();

  Peak waiting, downloading;
  for (bool all_ended = false; !all_ended;) {
    const Json stats = service.stats();
    (stats.find("downloads")->integer() && *stats.find("downloads")->integer() > 0 ? downloading : waiting)
        .see(process_figures());
    all_ended = true;
    for (Source &source : sources) {
      source.hear();
      all_ended &= source.ended;
    }
    if (std::chrono::steady_clock::now() - begun > kPatience) fail("Not all clips came in time.");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  const double ended_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const Json stats = service.stats();
  for (const Source &source : sources) gst_element_set_state(source.pipeline.get(), GST_STATE_NULL);
  sources.clear();
  // GLib keeps the threads of its pools for a while.
  const auto gone = std::chrono::steady_clock::now();
  const auto threads_left = [&] { return process_figures().threads - before.threads; };
  while (threads_left() > kMostThreadsLeft && std::chrono::steady_clock::now() - gone < kThreadsLinger)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const double gone_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - gone).count();

  std::printf("%d sources: all playing after %.2f s, all clips of 1 MiB whole after %.2f s\n", kSources,
              started_s, ended_s);
  bool good = judge("all waiting", waiting, before, kMostMemoryWaitingKib);
  good &= judge("all downloading", downloading, before, kMostMemoryDownloadingKib);
  std::printf("gone, after %.1f s\n", gone_s);
  good &= bounded("threads left", threads_left(), kMostThreadsLeft, "");
  good &= judge_pace(stats);
  std::printf("service\n");
  good &=
      bounded("submits too many or too few", std::abs(*stats.find("submits")->number() - kSources), 0, "");
  good &= bounded("questions too early", *stats.find("early_queries")->number(), 0, "");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace genclip::bench

int main() { return genclip::bench::measure(); }
