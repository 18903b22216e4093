// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tells people of alarms: by a command that reads JSON, and by a POST of the same JSON.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/result.h"
#include "plugin/http/http_client.h"
#include "plugin/monitor/alarms.h"

namespace genclip {

struct AlarmTargets {
  std::string command = {};  // --alarm-command: words as a shell reads them; no shell runs. Empty: none.
  std::string url = {};      // --alarm-url: http or https. Empty: none. May be secret.
  std::chrono::milliseconds command_limit{30000};
  HttpSettings http = {};  // Of the way to the URL.
};

// The command gets the JSON and a newline on its standard input, nothing in its environment, and no API key.
// It is killed with its children after `command_limit`. The POST is repeated a few times if that may help.
// Each target has a thread and its own queue, so a slow one delays nothing else; the alarms of one target are
// told in their order. What cannot be told is logged (category genclip-monitor), counted, and forgotten.
class AlarmTeller {
 public:
  // ErrorKind::settings if a target cannot be used: the command is not found, say. Starts nothing.
  static Result<void> check(const AlarmTargets &targets);
  // Of the way to its URL.
  static HttpSettings http_settings(const AlarmTargets &targets);
  // The same error as check(). `http` and `clock` may be a test's; borrows the clock.
  static Result<std::unique_ptr<AlarmTeller>> make(const AlarmTargets &targets,
                                                   std::shared_ptr<HttpClient> http = nullptr,
                                                   Clock &clock = Clock::system());
  virtual ~AlarmTeller() = default;  // Ends what is under way, within a second or so.

  // Any thread; never waits.
  virtual void tell(const std::vector<AlarmEvent> &events, const std::string &channel,
                    const std::string &run) = 0;
  // Waits until all of them have been told, or could not be, but no longer than that. False: it took longer.
  virtual bool finish(std::chrono::milliseconds limit) = 0;
  virtual AlarmDeliveries deliveries() const = 0;
};

}  // namespace genclip
