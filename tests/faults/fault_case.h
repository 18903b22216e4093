// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One row of the fault table: a fault, and the expected outcome of a run.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/faults/misdeed.h"

namespace genclip::test {

class Scene;

// How the run with the fault ends, and its cost.
struct Ending {
  // The whole clip went downstream. Else the error below was posted.
  bool whole = true;
  bool of_stream = false;  // The error is GST_STREAM_ERROR's WRONG_TYPE.
  GstResourceError code = GST_RESOURCE_ERROR_FAILED;
  std::string text = {};          // A part of the error's, or of a warning's when the run is whole.
  const char *status = "failed";  // The property, of a run that is not whole.
  // Submits that the service may have charged for: after that run, and after one more without the fault.
  unsigned charges = 1;
  unsigned charges_in_all = 1;
  // The next run says that it may be charged twice.
  bool in_doubt = false;
};

// Ends successfully.
Ending recovers(unsigned charges = 1);
// Ends successfully, with a warning that contains this text.
Ending warns(std::string text, unsigned charges = 1);
// There is no task: the next run submits.
Ending refused(GstResourceError code, std::string text = {});
// It is unknown whether there is a task: the next run warns and submits. `charges`: 0 if the service never
// saw the request, which the client cannot know.
Ending doubtful(GstResourceError code, std::string text = "unknown", unsigned charges = 1);
// There is a task: the next run submits nothing and has its clip.
Ending kept(GstResourceError code, std::string text = {});
Ending kept_as_wrong_type(std::string text = {});
// The service says that the task failed: the next run submits.
Ending failed(std::string text);
// The run never got to the service.
Ending nothing_sent(GstResourceError code, std::string text = {});
// A property cannot be used: the element does not get to PAUSED.
Ending not_begun(std::string text);

using Settings = std::vector<std::pair<const char *, std::string>>;

inline const Settings kOnce = {{"retries", "0"}};
inline const Settings kBriefly = {{"retries", "0"}, {"timeout", "2"}};
constexpr auto kOpenRead = GST_RESOURCE_ERROR_OPEN_READ;

// Happens once during a run, before the service answers this call, or in the middle of its first clip.
struct Interlude {
  Place place = Place::submit;
  std::function<void(Scene &)> act = {};
};

struct FaultCase {
  std::string name;  // Unique; letters and digits.
  // Either faults of the simulator (see docs/simulator.md), or of a scripted service.
  std::vector<std::string> simulator = {};
  std::vector<Misdeed> misdeeds = {};
  Ending ending = {};
  // Clips come over https with this certificate (see faulty_service).
  std::string media_certificate = {};
  // In addition to those of every run; only for the run with the fault.
  Settings settings = {};
  // Before the run with the fault, and after it, to repair what `break_it` broke.
  std::function<void(Scene &)> break_it = {};
  std::function<void(Scene &)> mend = {};
  // Only with misdeeds.
  std::optional<Interlude> interlude = {};
  // Elements of this process with the same request that started before the run with the fault: they end as it
  // does.
  unsigned guests = 0;
  // There is a whole clip in the store before.
  bool stored_before = false;
  // The fault is permanent: the next run ends like the first one.
  bool stays = false;
};

void PrintTo(const FaultCase &one, std::ostream *out);

}  // namespace genclip::test
