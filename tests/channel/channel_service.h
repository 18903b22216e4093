// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A task API and its media, where each prompt has a fate of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/mutex.h"
#include "plugin/base/utc_time.h"
#include "tests/support/fake_http_client.h"

namespace genclip::test {

// What happens to requests of a prompt.
struct Fate {
  unsigned refusal = 0;       // Status of the answer to a submit; 0: it is accepted.
  bool loses_answer = false;  // Accepted, but the connection breaks.
  bool hangs = false;         // Never completed.
  std::string failure;        // The task fails with this.
  bool is_denied = false;     // Queries are answered with 404.
  unsigned media_status = 0;  // Of the clip; 0: it is sent.
  unsigned polls = 1;         // Queries before it is completed.
  double amount = 2;          // Credits.
};

// Any thread.
class ChannelService {
 public:
  // Borrows the clock, which tells the day of a submit.
  explicit ChannelService(const Clock &clock) : clock_(clock) {}

  void set(const std::string &prompt, const Fate &fate) EXCLUDES(mutex_);
  // Submits are answered with that status, whatever the prompt; 0: as its fate says.
  void refuse_all(unsigned status) EXCLUDES(mutex_);
  FakeAnswer operator()(const HttpRequest &request) EXCLUDES(mutex_);

  // Accepted ones.
  unsigned submits(const std::string &prompt) const EXCLUDES(mutex_);
  unsigned submits() const EXCLUDES(mutex_);
  unsigned attempts() const EXCLUDES(mutex_);  // Refused ones too.
  unsigned queries() const EXCLUDES(mutex_);   // Of tasks: who asks has journalled the task's ID.
  unsigned downloads(const std::string &prompt) const EXCLUDES(mutex_);
  double charged() const EXCLUDES(mutex_);
  unsigned most_under_way() const EXCLUDES(mutex_);
  // Of accepted submits, by UTC days from the first one to the last; those without any too.
  std::vector<unsigned> days() const EXCLUDES(mutex_);

 private:
  struct Task {
    std::string prompt;
    unsigned queries = 0;
    bool is_over = false;
  };

  FakeAnswer submit(const HttpRequest &request) REQUIRES(mutex_);
  FakeAnswer query(const std::string &id) REQUIRES(mutex_);
  FakeAnswer media(const std::string &id) REQUIRES(mutex_);
  void end(Task &task) REQUIRES(mutex_);

  const Clock &clock_;
  mutable Mutex mutex_;
  std::map<std::string, Fate> fates_ GUARDED_BY(mutex_);
  std::map<std::string, Task> tasks_ GUARDED_BY(mutex_);
  std::map<std::string, unsigned> downloads_ GUARDED_BY(mutex_);
  std::map<UtcDay, unsigned> days_ GUARDED_BY(mutex_);
  unsigned refusal_ GUARDED_BY(mutex_) = 0;
  unsigned attempts_ GUARDED_BY(mutex_) = 0;
  unsigned queries_ GUARDED_BY(mutex_) = 0;
  double charged_ GUARDED_BY(mutex_) = 0;
  unsigned under_way_ GUARDED_BY(mutex_) = 0;
  unsigned most_under_way_ GUARDED_BY(mutex_) = 0;
};

}  // namespace genclip::test
