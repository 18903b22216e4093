// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How loud the sound of a slate that is a clip is shown: as loud as all clips, so it is vetted as they are.
// That takes a while, and a slate must be there at once; until then it is silent.
#pragma once

#include <gio/gio.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elements/channelsrc/decoded_clip.h"
#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "plugin/channel/vetter.h"

namespace genclip {

// Thread-safe; no call waits.
class SlateGain : public std::enable_shared_from_this<SlateGain> {
 public:
  SlateGain(VettingRequest request, std::shared_ptr<Vetter> vetter);

  // The clip gets the gain as soon as that is known. Vets the slate, unless it is known, is being found, or
  // never will be.
  void give(const std::shared_ptr<DecodedClip> &clip) EXCLUDES(mutex_);
  // Why the last attempt did not find the gain, as a sentence; empty if none has failed.
  std::string problem() EXCLUDES(mutex_);
  void cancel();

 private:
  void find() EXCLUDES(mutex_);

  const VettingRequest request_;
  const std::shared_ptr<Vetter> vetter_;
  const GRef<GCancellable> cancellable_;

  Mutex mutex_;
  std::optional<double> db_ GUARDED_BY(mutex_);
  std::string problem_ GUARDED_BY(mutex_);
  bool is_over_ GUARDED_BY(mutex_) = false;  // It is being found, or never will be.
  std::vector<std::weak_ptr<DecodedClip>> waiting_ GUARDED_BY(mutex_);
};

}  // namespace genclip
