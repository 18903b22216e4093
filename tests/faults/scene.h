// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where a fault case plays: a service, a store, and runs of one genclipsrc with one request.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/elements/clip_pipeline.h"
#include "tests/faults/fault_case.h"
#include "tests/faults/fault_service.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {

// What one run said and gave.
struct FaultRun {
  std::optional<BusError> error;
  std::string bytes;  // That went downstream.
  std::vector<std::string> warnings;
  std::vector<std::string> leaks;  // Messages and graphs with a secret in them.
  std::string status;
  std::chrono::milliseconds time{0};
};

class Scene {
 public:
  explicit Scene(std::unique_ptr<FaultService> service) : service_(std::move(service)) {}

  FaultService &service() { return *service_; }
  // Of which nothing outlives the scene.
  const TemporaryFolder &folder() const { return folder_; }
  // Not there before the first run.
  std::string store() const { return store_.empty() ? folder_.file("store") : store_; }
  void move_store(std::string store) { store_ = std::move(store); }
  // The only clip's folder; empty when there is none, or more than one.
  std::string clip_folder() const;
  std::string clip_file(const std::string &name) const { return clip_folder() + "/" + name; }
  // Files of the store with a secret in them.
  std::vector<std::string> leaking_files() const;

  // The request of this scene, on an element that is in NULL.
  void use(ClipPipeline &clip, const Settings &settings) const;
  FaultRun run(const Settings &settings = {});

 private:
  const std::unique_ptr<FaultService> service_;
  const TemporaryFolder folder_;
  std::string store_;
};

// Everything that a pipeline says and gives, from now on.
class Witness {
 public:
  explicit Witness(ClipPipeline &clip);
  ~Witness();
  Witness(const Witness &) = delete;
  Witness &operator=(const Witness &) = delete;

  // What it has seen so far.
  FaultRun report() const;

 private:
  struct Notes;
  static GstBusSyncReply on_message(GstBus *bus, GstMessage *message, gpointer notes);
  static void on_buffer(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer notes);

  ClipPipeline &clip_;
  const std::shared_ptr<Notes> notes_;  // Also of a message that is being posted while the witness goes.
};

// For a Witness to see the bytes.
constexpr char kSeenSink[] = "fakesink name=sink sync=false signal-handoffs=true";

}  // namespace genclip::test
