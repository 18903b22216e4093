// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Hours of a whole channel on a fast clock, while everything goes wrong at random: every frame, every second
// of sound and every line of the as-run log is looked at, and nothing may grow.
//
// The clock is N times as fast, the machine is not: what takes a second of work takes N seconds of the
// channel. So the playout has N seconds of latency, and a cut is settled as early.
#include <gst/gst.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "elements/channelsrc/playout.h"
#include "plugin/base/json.h"
#include "plugin/channel/channel.h"
#include "plugin/http/http_client.h"
#include "plugin/vetting/make_vetter.h"
#include "tests/bench/estimate.h"
#include "tests/bench/process_figures.h"
#include "tests/bench/service_process.h"
#include "tests/channelsrc/stand.h"
#include "tests/soak/day_check.h"
#include "tests/soak/day_service.h"
#include "tests/soak/day_watch.h"
#include "tests/soak/fault_plan.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

constexpr double kMostMemoryGrowthKib = 8192;
constexpr double kMostThreadGrowth = 3, kMostDescriptorGrowth = 3;
constexpr size_t kMostSamples = 2000;
constexpr uint64_t kMeddleEvery = 60;  // Seconds of the channel.
constexpr uint64_t kStoreSize = 40 << 20;

int wrongs = 0;

void expect(bool holds, const std::string &what) {
  std::printf("%s %s\n", holds ? "holds " : "BROKEN", what.c_str());
  std::fflush(stdout);
  wrongs += !holds;
}

// Counts what the channel tells.
class Told : public ChannelListener {
 public:
  void on_item(const std::string &, const ItemStatus &status) override { add(to_word(status.state)); }
  void on_air(const Piece &, Clock::WallTime) override {}
  void on_next() override {}
  void on_rundown(const RundownNotice &notice) override {
    add(notice.accepted ? "rundown accepted" : "rundown refused");
  }
  void on_budget(const std::optional<BudgetNotice> &) override { add("budget"); }
  void on_alarm(const std::string &kind, const std::string &, bool is_active) override {
    add((is_active ? "alarm " : "end of alarm ") + kind);
  }
  void on_warning(const Error &warning) override { add("warning: " + warning.text.substr(0, 60)); }
  void on_error(const Error &error) override { add("ERROR: " + error.text); }

  std::map<std::string, unsigned> counts() {
    MutexLock lock(mutex_);
    return counts_;
  }

 private:
  void add(const std::string &what) {
    MutexLock lock(mutex_);
    ++counts_[what];
  }

  Mutex mutex_;
  std::map<std::string, unsigned> counts_ GUARDED_BY(mutex_);
};

struct Options {
  unsigned minutes = 60, speed = 20;
  uint64_t seed = 1;
  uint64_t frames() const { return uint64_t{minutes} * 60 * kDayRate; }
};

bench::ServicePlan service_plan(const Options &options) {
  bench::ServicePlan plan;
  plan.options.marks = true;
  plan.options.frames_per_second = kDayRate;
  plan.options.faststart = true;
  plan.options.queued = std::chrono::milliseconds(0);
  plan.options.most_queued = std::chrono::milliseconds(200);
  plan.options.processing = std::chrono::milliseconds(0);
  plan.options.most_processing = std::chrono::milliseconds(400);
  plan.options.moderated = 0.05;
  plan.options.least_tone = -30;
  plan.options.most_tone = -12;
  plan.options.seed = options.seed;
  plan.options.faults = soak::fault_plan(static_cast<int>(options.minutes * 4 + 100), options.seed).service;
  return plan;
}

// A playout on a fast clock, all of whose frames are watched.
class FastPlayout {
 public:
  explicit FastPlayout(const Options &options) : watch_(options.frames() + 60 * 60 * kDayRate) {
    pipeline_ = GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new("day"))));
    gst_pipeline_use_clock(GST_PIPELINE(pipeline_.get()), fast_clock(options.speed).get());
    GstElement *bin = gst_bin_new("channel");
    gst_bin_add(GST_BIN(pipeline_.get()), bin);
    PlayoutSettings settings;
    settings.video_caps = GRef<GstCaps>::adopt(gst_caps_new_simple(
        "video/x-raw", "format", G_TYPE_STRING, "I420", "width", G_TYPE_INT, kDayWidth, "height", G_TYPE_INT,
        kDayHeight, "framerate", GST_TYPE_FRACTION, static_cast<int>(kDayRate), 1, nullptr));
    settings.audio_caps = GRef<GstCaps>::adopt(
        gst_caps_from_string("audio/x-raw,format=F32LE,rate=48000,channels=2,layout=interleaved"));
    settings.latency_ms = options.speed * 1000;
    playout_ = std::move(*make_playout(GST_BIN(bin), settings));
    for (const bool is_video : {true, false}) {
      GstPad *inner = is_video ? playout_->video_pad() : playout_->audio_pad();
      GstPad *pad = gst_ghost_pad_new(is_video ? "video" : "audio", inner);
      gst_element_add_pad(bin, pad);
      watch_.connect(pipeline_.get(), pad, is_video);
    }
  }
  ~FastPlayout() { stop(); }
  FastPlayout(const FastPlayout &) = delete;
  FastPlayout &operator=(const FastPlayout &) = delete;

  void start() { gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING); }
  void stop() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }
  Playout &stage() { return *playout_; }
  DayWatch &watch() { return watch_; }

 private:
  DayWatch watch_;
  GRef<GstElement> pipeline_;
  std::unique_ptr<Playout> playout_;
};

void expect_flat(const char *what, double most, const std::vector<bench::ProcessFigures> &samples,
                 double (*figure)(const bench::ProcessFigures &)) {
  std::vector<double> values;
  for (size_t i = samples.size() / 4; i < samples.size(); ++i) values.push_back(figure(samples[i]));
  const double growth = bench::slope(values) * static_cast<double>(values.size());
  char text[200];
  g_snprintf(text, sizeof text, "flat %s: %.0f, %+.1f over the last three quarters (at most %+.0f)", what,
             values.empty() ? 0 : values.back(), growth, most);
  expect(growth <= most, text);
}

void print_line(uint64_t frame, const bench::ProcessFigures &now, uint64_t clips) {
  std::printf("%7.1f min: %.0f KiB, %d files, %d threads, %" G_GUINT64_FORMAT " clips\n",
              static_cast<double>(frame) / kDayRate / 60, now.memory_kib, now.descriptors - now.connections,
              now.threads, clips);
  std::fflush(stdout);
}

// One of the things that people do, or that happen to files.
void meddle(Channel &channel, DayRundown &rundown, const std::string &file, std::mt19937 &random) {
  switch (random() % 10) {
    case 0: channel.skip(); break;
    case 1: channel.hold(true); break;
    case 2: channel.reload(); break;
    case 3: rundown.spoil(); break;
    case 4: static_cast<void>(channel.insert(rundown.new_item(), "")); break;
    case 5: std::filesystem::resize_file(file, std::filesystem::file_size(file) * 2 / 3); break;
    case 6: rundown.write(); break;
    default: rundown.renew(); break;
  }
}

int run(const Options &options) {
  // As in channel_soak: else freed pictures leave holes that look like a leak.
  mallopt(M_MMAP_THRESHOLD, 64 * 1024);
  bench::ServiceProcess service([&] { return service_plan(options); });
  gst_init(nullptr, nullptr);
  const TemporaryFolder folder;
  const auto media = [&](const char *name, MarkedMedia marked) {
    marked.size = "width=160,height=90";
    make_marked_media(folder.file(name), marked);
    return folder.file(name);
  };
  const std::string whole = media("c1.mp4", {.clip = 1, .frames = 150});
  const std::string other = media("c2.mkv", {.clip = 2, .frames = 300, .muxer = "matroskamux"});
  // Its index comes first, so that its head can be shown when the rest has gone.
  const std::string cut = media("c3.mkv", {.clip = 3, .frames = 250, .muxer = "matroskamux streamable=true"});
  const std::string kept =
      media("kept.mkv", {.clip = 3, .frames = 250, .muxer = "matroskamux streamable=true"});
  const std::string served =
      media("served.mkv", {.clip = 9,
                           .frames = 250,
                           .video = "x264enc bframes=0 tune=zerolatency key-int-max=5 ! h264parse",
                           .muxer = "matroskamux"});
  std::mt19937 random(static_cast<unsigned>(options.seed));
  FailingServer server(served, std::chrono::milliseconds(700));
  DayRundown rundown(folder.file("day.json"), {whole, other, cut}, server, random);

  ChannelSettings settings;
  settings.rundown = folder.file("day.json");
  settings.asrun = folder.file("asrun");
  settings.state_file = folder.file("state");
  settings.schedule.patience = 60 * kDayRate;
  settings.settle = std::chrono::seconds(options.speed / 2);
  settings.ahead = 6;
  settings.ahead_time = std::chrono::seconds(60);
  settings.run.base_url = service.base_url();
  settings.run.api_key = "sim-key";
  settings.run.store = folder.file("store");
  settings.run.store_max_size = kStoreSize;
  settings.run.poll_interval_ms = 50;
  settings.run.http_timeout_s = 2;
  ChannelTools tools;
  tools.make_preparer = [&](PreparerListener &listener) {
    GenerationServices services;
    services.http = HttpClient::shared({"", ""});
    return make_preparer({.run = settings.run}, std::move(services),
                         std::make_shared<TrustingVetter>(make_vetter(), server), listener);
  };

  Told told;
  FastPlayout playout(options);
  std::vector<bench::ProcessFigures> samples;
  std::printf("%u minutes at %u times the speed, seed %" G_GUINT64_FORMAT "\n", options.minutes,
              options.speed, options.seed);
  const auto begun = std::chrono::steady_clock::now();
  bool flows = true;
  StageCounts counts;
  {
    Channel channel(settings, std::move(tools), told);
    playout.start();
    channel.start(playout.stage());
    const uint64_t step = std::max<uint64_t>(5 * kDayRate, options.frames() / kMostSamples);
    const uint64_t tell_step = options.frames() / 8;
    for (uint64_t frame = 60 * kDayRate; frame < options.frames() && flows; frame += step) {
      flows = playout.watch().wait_for(frame);
      malloc_trim(0);
      samples.push_back(bench::process_figures());
      if (frame / tell_step != (frame - step) / tell_step)
        print_line(frame, samples.back(), channel.status().counts.aired);
      if (random() % (kMeddleEvery * kDayRate) >= step) continue;
      // What somebody did is undone when somebody does something else.
      channel.hold(false);
      std::filesystem::copy_file(kept, cut, std::filesystem::copy_options::overwrite_existing);
      meddle(channel, rundown, cut, random);
    }
    counts = playout.stage().counts();
    channel.stop();
    playout.stop();
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();

  for (const auto &[what, times] : told.counts()) std::printf("%6u %s\n", times, what.c_str());
  DayWatch &watch = playout.watch();
  const Checked checked = check_log(settings.asrun, watch);
  const Sounds sounds = check_sound(watch, checked.repeats);
  const Json stats = service.stats();
  const auto count = [&](const char *name) {
    return static_cast<int>(stats.find(name)->number().value_or(-1));
  };
  std::printf("%" G_GUINT64_FORMAT " frames in %.0f s: %" G_GUINT64_FORMAT " clips, %" G_GUINT64_FORMAT
              " fallbacks, %" G_GUINT64_FORMAT " slates; %" G_GUINT64_FORMAT " late, %" G_GUINT64_FORMAT
              " dropped, %d submits\n",
              watch.frames(), seconds, checked.clips, checked.fallbacks, checked.slates, counts.late,
              counts.dropped, count("submits"));
  expect(flows, "frames leave all the time");
  const auto faults = watch.faults();
  expect(faults.empty(), "each frame and each sample has the exact time of its count" +
                             (faults.empty() ? "" : ": " + faults.front()));
  for (size_t i = 0; i < std::min<size_t>(checked.wrong.size(), 10); ++i)
    std::printf("  %s\n", checked.wrong[i].c_str());
  expect(checked.wrong.empty(), "each frame shows what the as-run log says (" +
                                    std::to_string(checked.lines) + " lines), and each hole is told; " +
                                    std::to_string(checked.wrong.size()) + " do not");
  expect(checked.told + 60 * kDayRate > watch.frames(), "the log ends where the pictures end");
  expect(checked.repeated <= counts.dropped, std::to_string(checked.repeated) +
                                                 " frames were shown twice, and " +
                                                 std::to_string(counts.dropped) + " are counted as dropped");
  expect(sounds.lost + sounds.stray == 0,
         "of " + std::to_string(sounds.expected) + " seconds of sound " + std::to_string(sounds.lost) +
             " are missing beside their picture, and " + std::to_string(sounds.stray) + " are too many");
  char apart[100];
  g_snprintf(apart, sizeof apart, "sound is within %.2f ms of its picture",
             static_cast<double>(sounds.most_apart) * 1000 / kDaySamples);
  expect(sounds.most_apart <= kMostApart, apart);
  expect(count("submits") == count("distinct_requests"), std::to_string(count("submits")) + " submits of " +
                                                             std::to_string(count("distinct_requests")) +
                                                             " requests");
  expect(count("media_with_authorization") == 0, "no download carried the key");
  expect(checked.clips > uint64_t{options.minutes} * 2,
         std::to_string(checked.clips) + " clips were on the air");
  expect_flat("memory (KiB)", kMostMemoryGrowthKib, samples, [](const auto &s) { return s.memory_kib; });
  expect_flat("open files", kMostDescriptorGrowth, samples,
              [](const auto &s) { return static_cast<double>(s.descriptors - s.connections); });
  expect_flat("threads", kMostThreadGrowth, samples,
              [](const auto &s) { return static_cast<double>(s.threads); });
  return wrongs == 0 ? 0 : 1;
}

}  // namespace
}  // namespace genclip::test

int main(int argc, char **argv) {
  gint minutes = 60, speed = 20;
  gint64 seed = 1;
  const GOptionEntry entries[] = {
      {"minutes", 0, 0, G_OPTION_ARG_INT, &minutes, "Length in minutes of the channel (60)", "NUMBER"},
      {"speed", 0, 0, G_OPTION_ARG_INT, &speed, "How many times as fast as time (20)", "NUMBER"},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &seed, "Decides what goes wrong, and when (1)", "NUMBER"},
      {nullptr, 0, 0, G_OPTION_ARG_NONE, nullptr, nullptr, nullptr}};
  GOptionContext *context = g_option_context_new("- hours of a channel on a fast clock");
  g_option_context_add_main_entries(context, entries, nullptr);
  const bool parsed =
      g_option_context_parse(context, &argc, &argv, nullptr) && argc == 1 && minutes > 0 && speed > 0;
  g_option_context_free(context);
  if (!parsed) {
    std::fprintf(stderr, "channel_day: see --help\n");
    return 2;
  }
  return genclip::test::run(
      {static_cast<unsigned>(minutes), static_cast<unsigned>(speed), static_cast<uint64_t>(seed)});
}
