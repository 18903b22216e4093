// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where a fault case plays: a service, a store, and runs of one genclipsrc with one request.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "plugin/base/mutex.h"
#include "tests/elements/clip_pipeline.h"
#include "tests/faults/fault_case.h"
#include "tests/faults/fault_service.h"
#include "tests/faults/visitor.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {

// Messages and output of one run.
struct FaultRun {
  std::optional<BusError> error;
  std::string bytes;  // That went downstream.
  std::vector<std::string> warnings;
  std::vector<std::string> leaks;  // Messages and graphs with a secret in them.
  std::string status;
  std::chrono::milliseconds time{0};
};

class Guest;

// The service's threads may query the guests; all other calls are for one thread.
class Scene {
 public:
  explicit Scene(std::unique_ptr<FaultService> service);
  ~Scene();
  Scene(const Scene &) = delete;
  Scene &operator=(const Scene &) = delete;

  FaultService &service() { return *service_; }
  // Of which nothing outlives the scene.
  const TemporaryFolder &folder() const { return folder_; }
  // Does not exist before the first run.
  std::string store() const { return store_.empty() ? folder_.file("store") : store_; }
  void move_store(std::string store) { store_ = std::move(store); }
  // The only clip's folder; empty when there is none, or more than one.
  std::string clip_folder() const;
  std::string clip_file(const std::string &name) const { return clip_folder() + "/" + name; }
  // Files of the store with a secret in them.
  std::vector<std::string> leaking_files() const;

  // A separate disk of this size for the store. False: this machine does not allow it.
  bool mount_disk(size_t bytes);
  // Leaves this number of bytes free on it.
  void fill_disk(size_t left);
  void make_room();

  // Waits until the condition holds; false if it never does.
  bool wait_for(const std::function<bool()> &what) const;
  // The record's text, empty when there is none.
  std::string record() const;
  size_t part_size() const;

  // The request of this scene, on an element that is in NULL.
  void use(ClipPipeline &clip, const Settings &settings) const;
  FaultRun run(const Settings &settings = {});

  // Starts another run of the request in this process; returns once it has joined.
  void invite();
  // Sets the number of runs of this process that will request the clip; any thread can wait for them.
  void expect(unsigned runs) EXCLUDES(mutex_);
  bool gather() const EXCLUDES(mutex_);
  Guest &guest(size_t which) EXCLUDES(mutex_);
  // How the remaining runs ended.
  std::vector<FaultRun> see_guests_off() EXCLUDES(mutex_);

  // Starts another run of the request in a separate process.
  Visitor &call_in(const Settings &settings = {});
  Visitor &visitor(size_t which) { return *visitors_.at(which); }
  void end_visitors() { visitors_.clear(); }
  // On a separate thread, which ends with the scene.
  void later(std::chrono::milliseconds time, std::function<void()> act);

  // The reason why this machine cannot play the case; empty: it can.
  std::string obstacle;

 private:
  Settings request() const;

  const std::unique_ptr<FaultService> service_;
  const TemporaryFolder folder_;
  std::string store_;
  std::string disk_;
  std::vector<std::unique_ptr<Visitor>> visitors_;
  std::vector<std::thread> threads_;
  mutable Mutex mutex_;
  std::vector<std::unique_ptr<Guest>> guests_ GUARDED_BY(mutex_);
  unsigned expected_ GUARDED_BY(mutex_) = 0;
  const ClipPipeline *running_ GUARDED_BY(mutex_) = nullptr;
};

// All messages and output of a pipeline, from now on.
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

// A run that continues by itself.
class Guest {
 public:
  Guest(const Scene &scene, const Settings &settings);

  // To NULL, from any thread, once.
  void leave();
  bool has_left() const { return has_left_; }
  const ClipPipeline &clip() const { return clip_; }
  FaultRun finish();

 private:
  ClipPipeline clip_;
  Witness witness_;
  std::atomic<bool> has_left_ = false;
};

}  // namespace genclip::test
