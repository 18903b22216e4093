// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The one error type that travels through genclip: a kind, a text for people, and details for machines.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace genclip {

// Named after GStreamer's error codes, which users know. elements/post_error maps each kind to a code: the
// code of the same name where there is one.
enum class ErrorKind {
  cancelled,       // the caller asked to stop; an element returns FLUSHING and posts nothing
  settings,        // the request or a property is wrong
  not_authorized,  // the key, the account or the credits
  not_found,       // no such task, host or file
  open_read,       // the service cannot be reached or refuses
  read,            // the transfer broke
  stale,           // another machine has replaced the file that is open; posted as READ
  open_write,
  write,
  no_space_left,
  busy,        // another process works on it, or the service asks to wait
  timed_out,   // no progress in time; posted as READ
  failed,      // the service tried and failed
  wrong_type,  // the bytes are not media; posted as a stream error, the others as resource errors
};

// One more fact for programs: a member of a message's details, and of JSON (with underscores there).
struct ErrorDetail {
  std::string name;  // "retry"
  std::variant<std::string, double, bool> value;

  friend bool operator==(const ErrorDetail &, const ErrorDetail &) = default;
};

struct Error {
  ErrorKind kind = ErrorKind::failed;
  // One or two sentences: what happened and what to do next. Holds no key and no signed URL.
  std::string text;
  // For the debug field of a message: where and how it failed. Holds no key and no signed URL either.
  std::string debug = {};
  // Empty or 0 where they do not apply.
  std::string task_id = {};
  unsigned http_status = 0;
  std::string service_message = {};
  std::vector<ErrorDetail> details = {};
};

inline Error cancelled() { return {ErrorKind::cancelled, "Cancelled."}; }

}  // namespace genclip
