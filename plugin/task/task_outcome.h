// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What it means for a task that a call brought none: what a journal decides by.
#pragma once

#include "plugin/base/error.h"

namespace genclip {

enum class SubmitOutcome {
  refused,      // There is no task: the request was not sent, or the service took nothing on.
  key_refused,  // The same, because of the key, the account or the proxy: nothing is said of the request.
  unknown,      // There may be a task, which is then charged.
  cancelled,    // There is no task: it was not sent.
};

enum class QueryOutcome {
  gone,         // The service says, and has repeated, that it has no such task (404, 410).
  key_refused,  // The key, the account or the proxy was refused: nothing is said of the task.
  no_answer,    // The task stays as it is: nobody told of it until the deadline, or what came made no sense.
  cancelled,
};

// 401, 402, 403 and 407: another key, account or proxy may do better with the same request.
bool is_about_the_key(const Error &error);

// Of an error of TaskClient::query().
QueryOutcome query_outcome(const Error &error);

}  // namespace genclip
