// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/task_outcome.h"

namespace genclip {

bool is_about_the_key(const Error &error) {
  return error.http_status == 401 || error.http_status == 402 || error.http_status == 403 ||
         error.http_status == 407;
}

QueryOutcome query_outcome(const Error &error) {
  if (error.kind == ErrorKind::cancelled) return QueryOutcome::cancelled;
  if (is_about_the_key(error)) return QueryOutcome::key_refused;
  // An unknown host is not_found too, but without a status.
  const bool says_gone = error.http_status == 404 || error.http_status == 410;
  return says_gone && error.kind == ErrorKind::not_found ? QueryOutcome::gone : QueryOutcome::no_answer;
}

}  // namespace genclip
