// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A fault that happens to a call, as a value and as the text that the command line and the control endpoint
// accept.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/result.h"

namespace genclip::sim {

// Both APIs' submits are `submit`, both APIs' queries `query`; GET and HEAD of a clip are `media`; `text` is
// the text gateway.
enum class Call { submit, query, media, text };

enum class FaultKind {
  status,
  delay,
  hang,
  reset,
  lose_answer,
  hold_answer,
  cut,
  throttle,
  wrong_length,
  html,
  wrong_type,
  garbage_json,
  oversized,
  redirect,
  redirects,
  redirect_loop,
  no_range,
  changed_content,
  fail,
  state,
  set,
  drop,
  progress,
  id_number,
  amount,
  no_amount,
  no_url,
  expire_urls,
  place,
  results,
  cover,
  move,
  wrapper,
  scheme,
  userinfo,
  api_origin,
  exact,
  key,
  empty,
  lag,
  want_key,
  cookie,
  unasked_part,
  framing,
  blocked,
  prompt_blocked,
  error_on_200,
  error_in_array,
  error_midway,
  quota,
  max_tokens,
  thought,
  finish,
  no_finish,
  no_text,
  cut_behind,
  halves,
  lacks_key,
  other_key,
  lacks_number,
  wrong_number,
  fence,
  reversed,
  no_form,
};

// How an error is spelled: in the body of a refusal, and in a failed task.
enum class ErrorShape {
  usual,
  nested,
  string,
  object,
  code_text,
  detail,
  detail_list,
  problem,
  fail_reason,
  escaped,
  empty,
  text,
  task_status_msg,
  failure_reason,
  base_resp,
  err_msg,
  failure,
  status_message,
};

struct Fault {
  Call call = Call::submit;
  FaultKind kind = FaultKind::status;
  // The argument; the kind decides which of these it is.
  int64_t number = 0;
  std::string text = {};
  // The calls that it happens to, counted from when it was added: from number `from` on, `times` of them (0:
  // all).
  unsigned from = 1;
  unsigned times = 0;
  // Of these calls, it happens to this part, evenly spread.
  unsigned percent = 100;
  // Which of its kind's forms it takes; empty: the first.
  std::string as = {};
  // For `status` and `lag`: empty, seconds, or "date+SECONDS" for an HTTP date that far in the future.
  std::string retry_after = {};
  ErrorShape shape = ErrorShape::usual;
};

// CALL[#FROM[-[TO]]]:KIND[=ARGUMENT][;percent=N][;as=…][;retry-after=…][;shape=…], such as
// "media#1-3:cut=100000".
Result<Fault> parse_fault(std::string_view text);
// The same as text.
std::string fault_text(const Fault &fault);

// One line for each kind, for people.
struct FaultHelp {
  std::string name;
  std::string argument;
  std::string calls;
  std::string meaning;
};
std::vector<FaultHelp> fault_help();

// The faults that are waiting for their calls. Not thread-safe.
class FaultScript {
 public:
  void add(const Fault &fault) { entries_.push_back({fault, 0}); }
  void clear() { entries_.clear(); }
  std::vector<Fault> all() const;

  // Counts this call and returns its faults. `completed`: it is a query of a completed task.
  std::vector<Fault> take(Call call, bool completed = false);

 private:
  struct Entry {
    Fault fault;
    unsigned seen = 0;
  };
  std::vector<Entry> entries_;
};

// Null when there is none of that kind.
const Fault *find_fault(std::span<const Fault> faults, FaultKind kind);

}  // namespace genclip::sim
