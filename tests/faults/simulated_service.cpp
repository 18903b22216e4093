// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The simulator, with one short clip.
#include <gtest/gtest.h>

#include "examples/simulator/simulator.h"
#include "tests/faults/fault_service.h"
#include "tests/support/sample_clip.h"

namespace genclip::test {
namespace {

// Faults of a submit after which only the service knows whether it was accepted.
bool leaves_doubt(const sim::Fault &fault) {
  using Kind = sim::FaultKind;
  if (fault.call != sim::Call::submit) return false;
  if (fault.kind == Kind::status) return fault.number >= 500 && fault.number != 503;
  return fault.kind == Kind::hang || fault.kind == Kind::reset || fault.kind == Kind::html ||
         fault.kind == Kind::garbage_json || fault.kind == Kind::redirect;
}

class SimulatedService final : public FaultService {
 public:
  explicit SimulatedService(const std::vector<std::string> &faults)
      : simulator_({.key = kSecretKey,
                    .queued = std::chrono::milliseconds(0),
                    .processing = std::chrono::milliseconds(0),
                    .clip_bytes = clip()}) {
    const auto started = simulator_.start();
    EXPECT_TRUE(started) << started.error().text;
    for (const std::string &fault : faults) {
      const auto added = simulator_.add_fault(fault);
      EXPECT_TRUE(added) << fault << ": " << added.error().text;
    }
  }

  std::string base_url() const override { return simulator_.base_url(); }
  std::string clip() const override { return sample_mp4(300'000, 3); }
  unsigned charges() const override {
    const auto stats = simulator_.stats();
    unsigned charges = stats.submits;
    for (const auto &[text, times] : stats.faults) {
      const auto fault = sim::parse_fault(text);
      if (fault && leaves_doubt(*fault)) charges += times;
    }
    return charges;
  }
  size_t requests() const override {
    const auto stats = simulator_.stats();
    return size_t{stats.submits} + stats.queries + stats.media_requests;
  }
  unsigned media_with_key() const override { return simulator_.stats().media_with_authorization; }
  void heal() override { simulator_.clear_faults(); }

 private:
  sim::Simulator simulator_;
};

}  // namespace

std::unique_ptr<FaultService> simulated_service(const std::vector<std::string> &faults) {
  return std::make_unique<SimulatedService>(faults);
}

}  // namespace genclip::test
