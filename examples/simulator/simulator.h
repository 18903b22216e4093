// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The whole service on loopback, strict and independent of the plugin's wire code (service-interface.txt).
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "examples/simulator/fault.h"
#include "plugin/base/clock.h"

namespace genclip::sim {

struct SimulatorOptions {
  std::string host = "127.0.0.1";
  unsigned port = 0;  // 0 = a free one
  // Empty: as `host`.
  std::string media_host = {};
  unsigned media_port = 0;
  std::string key = "sim-key";

  std::chrono::milliseconds queued{50};
  std::chrono::milliseconds processing{150};
  // Above these: each task takes a random time between the two.
  std::chrono::milliseconds most_queued{0}, most_processing{0};
  std::chrono::milliseconds url_lifetime{std::chrono::hours(1)};
  // A query that comes sooner than this after the previous one of its task is counted as early.
  std::chrono::milliseconds least_poll_interval{0};

  // The moov box first.
  bool faststart = false;
  // Each mp4 is at least that long.
  uint64_t padding = 0;
  // Of all clips.
  unsigned frames_per_second = 24;
  // The peak of their tone, in dB of full scale: a clip has a level between these, by its prompt.
  double least_tone = -20, most_tone = -20;
  // Bars that tell the clip and the number of each frame, and a tick in each second of sound.
  bool marks = false;
  // Whether tasks fetch the references that this machine serves.
  bool fetch_references = true;
  std::chrono::milliseconds reference_patience{std::chrono::seconds(10)};

  // Given out as every clip; nothing is rendered, and no reference fetched.
  std::optional<std::string> clip_bytes = {};
  uint64_t media_bytes_per_second = 0;  // 0 = no limit

  // This part of all prompts, from 0 to 1, is refused by moderation: their tasks fail.
  double moderated = 0;
  // Of the task ids, of random times, and of which prompts are moderated.
  uint64_t seed = 1;
  // Further models, in the format of docs/adding-a-model.md.
  std::vector<std::string> model_files = {};
  // What tasks cost, in the format of docs/simulator.md. Empty: by seconds and size.
  std::string price_file = {};
  std::vector<Fault> faults = {};
  // PEM texts; both or none. Media then goes over https.
  std::string media_certificate = {};
  std::string media_private_key = {};
  // Must outlive the simulator.
  const Clock *clock = &Clock::system();
};

struct SimulatorStats {
  // Accepted submits, whether or not their answer arrived.
  unsigned submits = 0;
  // The same, by the canonical JSON of the body.
  std::map<std::string, unsigned> submits_by_request;
  // Tasks that had not ended when one more was accepted, that one included: the most there were.
  unsigned most_at_once = 0;
  unsigned queries = 0;
  unsigned early_queries = 0;
  // Between two queries of one task; the first ten thousand.
  std::vector<double> query_intervals_ms = {};
  // GETs of a clip whose answer had at least one byte of it.
  unsigned downloads = 0;
  // HEADs, refusals and redirects too.
  unsigned media_requests = 0;
  // Bytes of the bodies of clips.
  uint64_t bytes_sent = 0;
  // Must stay 0.
  unsigned media_with_authorization = 0;
  // Valid requests to the text gateway.
  unsigned texts = 0;
  // The last thousand requests that the simulator itself refused on the APIs: status and reasons.
  std::vector<std::string> refusals;
  // How often each fault happened, by its text.
  std::map<std::string, unsigned> faults;
};

// The servers run on a thread of their own. All methods may be called from any thread.
class Simulator {
 public:
  explicit Simulator(SimulatorOptions options = {});
  ~Simulator();
  Simulator(const Simulator &) = delete;
  Simulator &operator=(const Simulator &) = delete;

  // Listens. An error says which port is taken or which file is wrong.
  Result<void> start();
  // Resets open connections. The destructor calls it.
  void stop();

  // {base_url} of the document, with a fixed path prefix and no slash at the end. Valid once started.
  std::string base_url() const;
  // {llm_base_url}, no slash at the end.
  std::string llm_base_url() const;
  std::string media_url() const;

  SimulatorStats stats() const;
  void add_fault(const Fault &fault);
  // As text; see docs/simulator.md.
  Result<void> add_fault(std::string_view text);
  void clear_faults();
  std::vector<Fault> faults() const;

 private:
  class Servers;

  const SimulatorOptions options_;
  const std::unique_ptr<Servers> servers_;
};

}  // namespace genclip::sim
