// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a failed call means for its task. The journal's decisions depend on this.
#pragma once

#include "plugin/base/error.h"

namespace genclip {

enum class SubmitOutcome {
  refused,      // There is no task: the request was not sent, or the service refused it.
  key_refused,  // There is no task, because of the key, the account or the proxy; the request may be right.
  unknown,      // There may be a task; if so, it is charged.
  cancelled,    // There is no task: it was not sent.
};

enum class QueryOutcome {
  gone,         // The service says repeatedly that it has no such task (404, 410).
  key_refused,  // The key, the account or the proxy was refused; that says nothing about the task.
  no_answer,    // There was no answer until the deadline, or no readable one; the task stays as it is.
  cancelled,
};

// 401, 402, 403 and 407: the same request may succeed with another key, account or proxy.
bool is_about_the_key(const Error &error);

// For an error of TaskClient::query().
QueryOutcome query_outcome(const Error &error);

}  // namespace genclip
