// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a limit of the store's size adds to a new clip (at most 0.2 s in a store of 100 000 clips), and that
// genclip store prune and genclip store list take a time for each clip that does not grow with the store. Of
// the processor's time, for other programs run beside it. Fails when it takes longer.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "plugin/command/command.h"
#include "plugin/store/clip_removal.h"
#include "tests/bench/cpu_time.h"

namespace {

using namespace genclip;
using bench::cpu_ms_of;
namespace fs = std::filesystem;

constexpr int kSizes[] = {1'000, 10'000, 100'000};
constexpr double kMostForNewClipMs = 200;
// For each clip. A store that is listed for the first time, or by a person, is read whole.
constexpr double kMostForListedClipMs = 0.5;
constexpr double kMostForCheckedClipMs = 0.01;
// A store of few clips has costs of its own.
constexpr double kMostAlwaysMs = 50;
constexpr int kNewClips = 25;
constexpr size_t kClipSize = 1000;

// The median, and the most.
bool report(int clips, const char *what, std::vector<double> times, double most_ms) {
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  std::printf("%7d clips: %-44s %9.2f ms, at most %9.2f ms (bound: %g ms)\n", clips, what, median,
              times.back(), most_ms);
  std::fflush(stdout);
  return median <= most_ms;
}

// Stored an hour ago, as if by another process.
std::string add_clip(const std::string &root, int number) {
  ClipRecord record;
  record.identity = {"https://service.example", "tasks",
                     Json(Json::Object{{"model", "sd_2.0"}, {"prompt", "clip " + std::to_string(number)}}),
                     0};
  record.model = "sd_2.0";
  record.state = ClipState::complete;
  record.task_id = "task-" + std::to_string(number);
  record.amount = 2.25;
  record.submitted_at = record.updated_at = 1'767'225'600 + number;
  record.clip_name = "clip.mp4";
  record.media_type = "video/mp4";
  record.clip_size = kClipSize;
  const ClipPath path(root, record.identity.digest());
  fs::create_directory(path.folder());
  std::ofstream(path.file("clip.mp4")) << std::string(kClipSize, 'x');
  std::ofstream(path.record()) << record.to_json().to_pretty_text() << '\n';
  std::ofstream(path.lock()) << "";
  std::ofstream(path.use()) << "";
  const auto then = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const std::string &name :
       {path.file("clip.mp4"), path.record(), path.lock(), path.use(), path.folder()})
    fs::last_write_time(name, then + std::chrono::seconds(name == path.use() ? number % 1000 : 0));
  return path.digest();
}

// The command, with its output to nowhere.
double time_of_command(int (*run)(const Words &), const Words &words, bool &good) {
  std::fflush(stdout);
  const int output = dup(STDOUT_FILENO);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  const double time = cpu_ms_of([&] {
    good &= run(words) == kOk;
    std::fflush(stdout);
  });
  dup2(output, STDOUT_FILENO);
  close(output);
  close(nowhere);
  return time;
}

bool measure(const std::string &root, int clips) {
  fs::create_directory(root);
  for (int number = 0; number < clips; ++number) add_clip(root, number);
  FileSystem &files = FileSystem::posix();
  const double each = clips;
  bool good = true;
  const auto prune = [&](uint64_t size, const std::string &new_clip) {
    const auto pruned = prune_store(files, root, size, new_clip);
    good &= pruned && pruned->size <= size;
    return pruned ? *pruned : Pruned();
  };

  uint64_t size = 0;
  const double first = cpu_ms_of([&] { size = prune(uint64_t{1} << 50, "").size; });
  good &= report(clips, "the first prune, which makes the summary", {first},
                 kMostAlwaysMs + each * kMostForListedClipMs);
  std::vector<double> times;
  for (int i = 0; i < 5; ++i)
    times.push_back(time_of_command(run_store_prune, {"--store", root, std::to_string(size) + "B"}, good));
  good &= report(clips, "genclip store prune", times, kMostAlwaysMs + each * kMostForCheckedClipMs);

  size_t removed = 0;
  times.clear();
  for (int i = 0; i < kNewClips; ++i) {
    const std::string digest = add_clip(root, clips + i);
    times.push_back(cpu_ms_of([&] { removed += prune(size, digest).removed.size(); }));
  }
  good &= report(clips, "what a limit adds to a new clip", times, kMostForNewClipMs);
  good &= removed >= kNewClips - 1 && removed <= kNewClips + 1;
  if (clips > 1000) {
    // The one in 200 that has to write the summary.
    for (int i = 0; i < 200; ++i) add_clip(root, clips + kNewClips + i);
    const std::string digest = add_clip(root, clips + kNewClips + 200);
    const double time = cpu_ms_of([&] { prune(uint64_t{1} << 50, digest); });
    good &= report(clips, "the new clip that writes the summary", {time}, 2 * kMostForNewClipMs);
  }
  good &= report(clips, "genclip store list", {time_of_command(run_store_list, {"--store", root}, good)},
                 kMostAlwaysMs + each * kMostForListedClipMs);
  fs::remove_all(root);
  return good;
}

}  // namespace

int main() {
  std::string folder = (fs::temp_directory_path() / "genclip-bench-XXXXXX").string();
  if (!mkdtemp(folder.data())) return 1;
  bool good = true;
  for (const int clips : kSizes) good &= measure(folder + "/store", clips);
  fs::remove_all(folder);
  return good ? 0 : 1;
}
