// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Time to load the catalog (< 5 ms) and to validate a request (< 1 ms). Fails if it takes longer.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "plugin/catalog/check_request.h"
#include "plugin/catalog/clip_uri.h"

namespace {

using namespace genclip;

// The median of many runs, in milliseconds.
double median_ms(int runs, const std::function<void()> &run) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

bool report(const char *what, double ms, double most_ms) {
  printf("%-40s %8.3f ms (at most %g ms)\n", what, ms, most_ms);
  return ms <= most_ms;
}

}  // namespace

int main() {
  const auto catalog = Catalog::built_in();
  ClipRequest request{.model = "sd_2.0_special"};
  request.fields.set("prompt", "a red kite over dunes");
  request.fields.set("duration", 5);
  request.fields.set("reference_images",
                     Json::Array(9, Json("https://media.example/picture.png?signature=abc")));
  ClipRequest wrong = request;
  wrong.model = "sd 2.0 speical";
  ClipRequest long_prompt = request;
  std::string text;
  while (text.size() < 100'000) text += "\u6C34 ";
  long_prompt.model = "wave2.7-r2v";
  long_prompt.fields.set("prompt", text);
  const std::string uri = clip_uri(*catalog, request);

  bool good = report("load the catalog", median_ms(50, [] { (void)Catalog::with_files({}); }), 5);
  good &= report("judge a request", median_ms(500, [&] { (void)check_request(*catalog, request); }), 1);
  good &= report("judge one for an unknown model",
                 median_ms(500, [&] { (void)check_request(*catalog, wrong); }), 1);
  good &= report("judge a prompt of 100 kB",
                 median_ms(100, [&] { (void)check_request(*catalog, long_prompt); }), 5);
  good &= report("read a URI", median_ms(500, [&] { (void)parse_clip_uri(*catalog, uri); }), 1);
  return good ? 0 : 1;
}
