// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Captions of a running channel: its pictures go to gencaption, in a pipeline that nothing waits for.
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/gst.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"
#include "plugin/output/caption_cues.h"
#include "plugin/output/encoded_frame.h"
#include "plugin/output/outputs.h"

namespace genclip {

// Whatever becomes of the text gateway, the channel does not notice: a picture that gencaption has no time
// for is left out. A pipeline that failed is not built again, because its limits count for one run.
class LiveCaptions {
 public:
  using Listener = std::function<void(const CaptionCue &)>;

  // What gencaption says of its settings: an error, and what it warns of. Asks nothing.
  static Result<void> check(GstElement *gencaption, std::vector<std::string> &warnings);
  // Begins at once, and tells what gencaption warns of, but for what was told already. The error is what it
  // says of its settings. Later, both listeners are called on threads of the pipeline, with no lock held.
  static Result<std::unique_ptr<LiveCaptions>> start(const CaptionOutput &settings, Listener listener);
  ~LiveCaptions();
  LiveCaptions(const LiveCaptions &) = delete;
  LiveCaptions &operator=(const LiveCaptions &) = delete;

  // A raw picture. One thread; never waits.
  void feed(const EncodedFrame &picture);

 private:
  LiveCaptions(GRef<GstElement> pipeline, const CaptionOutput &settings, Listener listener);

  static GstFlowReturn take(GstAppSink *sink, gpointer self);
  static GstBusSyncReply handle(GstBus *, GstMessage *message, gpointer self);
  // Each trouble once, in whatever ways it shows; an empty text: it is over. `is_lasting`: told also if there
  // is another one.
  void tell(const std::string &trouble, bool is_lasting) EXCLUDES(mutex_);
  // A flaw of captions that come: once in a run.
  void note(const std::string &flaw) EXCLUDES(mutex_);
  void say(const std::string &trouble) const;

  const GRef<GstElement> pipeline_;
  const GRef<GstElement> source_;
  const std::function<void(const std::string &)> told_;
  const Listener listener_;
  GRef<GstCaps> caps_;  // Of the last picture.

  Mutex mutex_;
  // What must be added to the channel's running time to get the pipeline's; INT64_MAX: no picture came yet.
  int64_t to_pipeline_ GUARDED_BY(mutex_) = INT64_MAX;
  bool in_trouble_ GUARDED_BY(mutex_) = false;
  bool failed_ GUARDED_BY(mutex_) = false;
  std::set<std::string> noted_ GUARDED_BY(mutex_);
};

}  // namespace genclip
