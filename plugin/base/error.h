// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The one error type that travels through genclip: a kind, a text for people, and details for machines.
#pragma once

#include <string>

namespace genclip {

// Named after the GStreamer error codes that users know; elements/post_error maps one to one.
enum class ErrorKind {
  cancelled,       // the caller asked to stop: becomes FLUSHING, is never posted
  settings,        // the request or a property is wrong
  not_authorized,  // the key, the account or the credits
  not_found,       // no such task, host or file
  open_read,       // the service cannot be reached or refuses
  read,            // the transfer broke
  open_write,
  write,
  no_space_left,
  busy,        // somebody else works on it, or the service asks to wait
  timed_out,   // no progress in time; posted as open_read or read by its place
  failed,      // the service tried and failed
  wrong_type,  // what came is not media
};

struct Error {
  ErrorKind kind = ErrorKind::failed;
  // One or two sentences: what happened and what to do next. Holds no key and no signed URL.
  std::string text;
  // For the debug field of a message: where and how. Same promise.
  std::string debug = {};
  // Empty or 0 where they do not apply.
  std::string task_id = {};
  unsigned http_status = 0;
  std::string service_message = {};
};

inline Error cancelled() { return {ErrorKind::cancelled, "Cancelled."}; }

}  // namespace genclip
