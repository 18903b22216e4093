// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tables of what can go wrong and pass again; what can never work is for other tests.
#include "tests/soak/fault_plan.h"

#include <glib.h>

#include <random>
#include <string>

namespace genclip::soak {
namespace {

constexpr unsigned kOneIn = 20;

constexpr const char *kSubmitFaults[] = {
    "status=429;retry-after=1",
    "status=503;retry-after=date+1",
    "status=500",
    "status=502;shape=text",
    "delay=300",
    "hang",
    "reset",
    "lose-answer",
    "hold-answer",
    "cut=10",
    "wrong-length=100",
    "html",
    "wrong-type",
    "garbage-json",
    "oversized",
    "fail=The model was busy.",
    "state=IN_QUEUE",
    "drop=status",
    "progress=fraction",
    "id-number",
};
constexpr const char *kQueryFaults[] = {
    "status=429;retry-after=1",
    "status=500",
    "status=503;shape=problem",
    "status=404",
    "delay=300",
    "hang",
    "reset",
    "lose-answer",
    "hold-answer",
    "cut=20",
    "throttle=2000",
    "wrong-length=100",
    "html",
    "wrong-type",
    "garbage-json",
    "oversized",
    "state=UNHEARD_OF",
    "drop=status",
    "progress=percent",
    "progress=text",
    "set=progress:null",
    "no-url",
    "expire-urls",
    "set=amount:\"1.5\"",
};
constexpr const char *kMediaFaults[] = {
    "status=500",
    "status=503;retry-after=1",
    "status=403",
    "status=404",
    "status=410",
    "delay=300",
    "hang",
    "reset",
    "lose-answer",
    "hold-answer",
    "cut=5000",
    "cut=20000",
    "wrong-length=1000",
    "throttle=40000",
    "html",
    "wrong-type",
    "redirects=3",
    "no-range",
    "garbage-json",
};

using Kind = sim::GatewayFaultKind;
const sim::GatewayFault kGatewayFaults[] = {
    {Kind::status, 429, "", "0.3s"},
    {Kind::status, 500},
    {Kind::status, 503},
    {Kind::error_on_200, 503},
    {Kind::error_in_array, 500},
    {Kind::blocked, 0, "SAFETY"},
    {Kind::prompt_blocked, 0, "SAFETY"},
    {Kind::thinks_too_long},
    {Kind::thinks_aloud},
    {Kind::no_finish},
    {Kind::cut, 10},
    {Kind::html},
    {Kind::empty},
    {Kind::hang},
};

class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}
  bool falls() { return random_() % kOneIn == 0; }
  template <typename T, size_t kCount>
  const T &one_of(const T (&all)[kCount]) {
    return all[random_() % kCount];
  }

 private:
  std::mt19937_64 random_;
};

template <size_t kCount>
void add(std::vector<sim::Fault> &faults, Dice &dice, const char *call, int calls,
         const char *const (&kinds)[kCount]) {
  for (int number = 1; number <= calls; ++number) {
    if (!dice.falls()) continue;
    const std::string text = std::string(call) + "#" + std::to_string(number) + ":" + dice.one_of(kinds);
    const auto fault = sim::parse_fault(text);
    if (!fault) g_error("%s", fault.error().text.c_str());
    faults.push_back(*fault);
  }
}

}  // namespace

FaultPlan fault_plan(int clips, uint64_t seed) {
  Dice dice(seed);
  FaultPlan plan;
  // More calls than there will be.
  add(plan.service, dice, "submit", 2 * clips, kSubmitFaults);
  add(plan.service, dice, "query", 10 * clips, kQueryFaults);
  add(plan.service, dice, "media", 3 * clips, kMediaFaults);
  for (int call = 0; call < 3 * clips; ++call)
    plan.gateway.push_back(dice.falls() ? dice.one_of(kGatewayFaults) : sim::GatewayFault());
  return plan;
}

}  // namespace genclip::soak
