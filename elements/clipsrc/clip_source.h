// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What genclipsrc does, without GObject: settings, one run at a time, bytes.
#pragma once

#include <gst/base/gstbasesrc.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "elements/clipsrc/clip_messages.h"
#include "elements/clipsrc/clip_settings.h"
#include "elements/element_settings.h"
#include "plugin/base/clock.h"
#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "plugin/generation/clip_plan.h"
#include "plugin/generation/clip_reader.h"
#include "plugin/generation/generations.h"

namespace genclip {

// settings, state and prefetch: any thread. open, close: the element's changes of state. prepare, release:
// while pads are activated. read: the streaming thread. interrupt, resume: any thread.
class ClipSource {
 public:
  // Borrows the element that owns it.
  explicit ClipSource(GstBaseSrc *element) : element_(element) {}

  ClipSettings settings() const {
    return told_.read([](const Told &told) { return told.settings; });
  }
  // Calls edit(ClipSettings &). False: refused, because a run is prepared.
  template <typename Edit>
  bool edit_settings(Access access, Edit edit) {
    return told_.edit(access, [&](Told &told) {
      const ClipRequest before = told.settings.request();
      edit(told.settings);
      ++told.edits;
      if (!(told.settings.request() == before)) told.uri.clear();
    });
  }

  // The URI as it was given, or one made of the properties; empty without a model.
  std::string uri() const;
  // The same with a file name of the model's kind, for elements that use its extension.
  std::string uri_with_extension() const;
  Result<void> set_uri(const std::string &uri);

  GenerationState state() const EXCLUDES(mutex_);
  // Never waits.
  std::optional<uint64_t> size() const EXCLUDES(mutex_);
  // The same, but waits for the search for a stored clip; not again in a run in which that was too slow.
  std::optional<uint64_t> size_after_look(std::chrono::milliseconds patience) EXCLUDES(mutex_);
  // Tells GstBaseSrc.
  void tell_size(uint64_t size);

  // From READY on the element may prefetch.
  void open() EXCLUDES(mutex_);
  // On the way to NULL.
  void close() EXCLUDES(mutex_);
  // Starts the generation, as the first read would, and returns. In READY it validates all settings, as
  // prepare() does; the next prepare() continues with that generation, unless a setting has changed or the
  // generation has failed.
  Result<void> prefetch() EXCLUDES(mutex_);

  // On the way to PAUSED: validates all settings, and lets another thread look for a stored clip. Uses
  // neither the store's disk nor the network.
  Result<void> prepare() EXCLUDES(mutex_);
  // Between prepare() and release().
  bool is_prepared() const EXCLUDES(mutex_);
  // On the way to READY.
  void release() EXCLUDES(mutex_);

  // The application ends the stream before the clip does. Closes the run's messages, for an open progress
  // keeps gst-launch from the end of the stream.
  void announce_end() EXCLUDES(mutex_);
  // Behind it, once nobody reads: leaves the generation, whose task goes on at the service. What is known of
  // it stays. A read after a seek joins it anew, and gets what this run has paid for.
  void end_early() EXCLUDES(mutex_);

  // A buffer of the bytes at `offset`: at most `size`, or with `whole` exactly that many, unless the clip
  // ends before. Null at the end; an empty buffer if `size` is 0.
  Result<GRef<GstBuffer>> read(uint64_t offset, unsigned size, bool whole) EXCLUDES(mutex_);
  // Ends waits at once, until resume().
  void interrupt() EXCLUDES(mutex_);
  void resume() { interrupt_.lower(); }

 private:
  struct Told {
    ClipSettings settings;
    std::string uri;     // As it was given, as long as the settings say the same.
    unsigned edits = 0;  // How often something was set.
  };
  struct Run {
    std::shared_ptr<ClipMessages> messages;
    std::shared_ptr<Generation> generation;  // None for a dry run.
    GenerationState joined_at;
    std::shared_ptr<ClipReader> reader;
    GRef<GCancellable> ended;  // Of a dry run, whose files may be long.
    unsigned edits = 0;        // Told::edits of its settings.
  };

  enum class Stage { made, begun, ended };

  Result<void> make_run(const Told &told, bool is_prepared) EXCLUDES(mutex_);
  // A run of plan_, whose clip nobody looks for yet.
  void join(const Told &told, bool is_prepared) REQUIRES(mutex_);
  // There is a run of these settings that has not failed.
  bool has_run(const Told &told) const REQUIRES(mutex_);
  static void end(const Run &run);

  // Starts the generation, at the first read.
  Run begin() EXCLUDES(mutex_);
  static void wake(const Run &run);
  Result<void> open_stream(const Run &run, uint64_t size, bool pulled, const Interrupt::Watch &watch)
      EXCLUDES(mutex_);
  void show_request(const ClipPlan &plan, const Run &run);

  GstBaseSrc *const element_;
  Interrupt interrupt_;
  // The streaming thread's.
  bool opened_ = false;
  uint64_t next_ = 0;  // Behind the bytes that were read last.
  Clock::Time prepared_at_{};
  std::atomic<bool> gave_up_look_ = false;
  // The estimate of a dry run, in credits; -1: unknown. Set by the thread that posts messages.
  const std::shared_ptr<std::atomic<double>> likely_ = std::make_shared<std::atomic<double>>(-1);

  ElementSettings<Told> told_;

  mutable Mutex mutex_;
  std::optional<ClipPlan> plan_ GUARDED_BY(mutex_);
  Run run_ GUARDED_BY(mutex_);
  Stage stage_ GUARDED_BY(mutex_) = Stage::made;
  bool is_open_ GUARDED_BY(mutex_) = false;
  bool is_prepared_ GUARDED_BY(mutex_) = false;
  bool joins_ GUARDED_BY(mutex_) = false;  // The run began in a pipeline that had played already.
};

}  // namespace genclip
