// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A ledger of 100 000 lines: what it adds to a submit (< 20 ms), and how long genclip cost takes (< 0.5 s).
// Of the processor's time, for other programs run beside it. Fails when it takes longer.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "plugin/account/ledger.h"
#include "plugin/command/command.h"
#include "tests/bench/cpu_time.h"

namespace {

using namespace genclip;
using bench::cpu_ms_of;

// The median, and the most.
bool report(const char *what, std::vector<double> times, double most_ms) {
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  std::printf("%-52s %8.2f ms, at most %8.2f ms (bound: %g ms)\n", what, median, times.back(), most_ms);
  return median <= most_ms;
}

std::vector<double> times_of(int runs, const std::function<void()> &run) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) times.push_back(cpu_ms_of(run));
  return times;
}

bool report(const char *what, int runs, double most_ms, const std::function<void()> &run) {
  return report(what, times_of(runs, run), most_ms);
}

// The command, with its output to nowhere.
bool report_command(const char *what, const Words &words) {
  std::fflush(stdout);
  const int output = dup(STDOUT_FILENO);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  bool good = true;
  const auto times = times_of(5, [&] {
    good &= run_cost(words) == kOk;
    std::fflush(stdout);
  });
  dup2(output, STDOUT_FILENO);
  close(output);
  close(nowhere);
  return report(what, times, 500) && good;
}

ChargeFacts facts_of(int number) {
  ChargeFacts facts;
  facts.key = std::string(56, 'd') + std::to_string(10'000'000 + number);
  facts.model = "sd_2.0_special" + std::to_string(number % 5);
  facts.api = "tasks";
  facts.base_url = "https://service.example/a/fixed/prefix";
  facts.project = "project " + std::to_string(number % 7);
  facts.duration = 4 + number % 9;
  facts.resolution = number % 2 ? "720p" : "1080p";
  facts.references = {{"reference_images", static_cast<unsigned>(number % 3 + 1)}};
  return facts;
}

// A year of clips; one in fifty is unknown, one in fifty was not told.
void write_ledger(const std::string &path) {
  std::ofstream file(path, std::ios::binary);
  const UtcTime start = *utc_time("2026-01-01T00:00:00Z");
  constexpr int kLines = 100'000;
  for (int line = 0, number = 0; line < kLines; ++number) {
    const UtcTime at = start + std::chrono::minutes(number * 15);
    const auto write = [&](LedgerEntry entry) {
      entry.at = at;
      file << ledger_line(entry) << '\n';
      ++line;
    };
    const std::string task = "task-" + std::to_string(number);
    LedgerEntry reserve(LedgerEvent::reserve, facts_of(number));
    reserve.estimate = Estimate{1.5, 2, 2.5, 20, "same"};
    write(reserve);
    if (number % 50 == 0) {
      write(LedgerEntry(LedgerEvent::unknown, facts_of(number)));
      continue;
    }
    LedgerEntry submitted(LedgerEvent::submitted, facts_of(number));
    submitted.task_id = task;
    write(submitted);
    LedgerEntry settle(LedgerEvent::settle, facts_of(number));
    settle.task_id = task;
    settle.status = "completed";
    if (number % 50 != 1) settle.amount = 2.25;
    settle.actual_duration = 5.04;
    write(settle);
  }
}

}  // namespace

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "genclip-bench-XXXXXX").string();
  if (!mkdtemp(folder.data())) return 1;
  write_ledger(folder + "/ledger.jsonl");
  Ledger ledger(FileSystem::posix(), Clock::system(), folder);
  bool good = report("read 100 000 lines", 5, 500, [&] { (void)ledger.read_all(); });
  good &= report_command("genclip cost", {"--store", folder});
  good &= report_command("genclip cost --by day --csv", {"--store", folder, "--by", "day", "--csv"});
  good &= report_command("genclip cost --by task", {"--store", folder, "--by", "task"});
  int number = 1'000'000;
  const auto submit = [&] { (void)ledger.reserve(facts_of(++number), 0, nullptr); };
  good &= report("the first reservation, which sums up", 1, 1000, submit);
  good &= report("a submit's reservation", 200, 20, submit);
  good &= report("whether a clip was paid before", 50, 20,
                 [&] { (void)ledger.read_about(std::string(64, 'f')); });
  good &= report("the estimate of a check", 50, 20, [&] { (void)ledger.read_condensed(); });
  std::filesystem::remove_all(folder);
  return good ? 0 : 1;
}
