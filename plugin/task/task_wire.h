// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The task APIs on the wire (§2.1, §2.6, §4.1–4.3). The only file that knows their paths and field names.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/json.h"
#include "plugin/base/result.h"
#include "plugin/catalog/check_request.h"
#include "plugin/task/task.h"

namespace genclip {

// {base_url}/v2/model-center/tasks, or {base_url}/v1/sky/videos for the legacy API. The base may end with
// slashes.
std::string submit_url(std::string_view base_url, Api api);

// The same with the task's ID, escaped, as a last path segment.
std::string query_url(std::string_view base_url, Api api, std::string_view task_id);

// The JSON text of a submit. The legacy API has `seconds` for `duration` (§2.6); what §2.6 does not show goes
// under its v2 name.
std::string submit_body(const CheckedRequest &request);

// What an answer is the answer to.
struct TaskQuestion {
  std::string_view base_url = {};  // For relative addresses; empty: they are none.
  std::string_view task_id = {};   // Of a query; empty: of a submit.
};

// Reads either API's answer, good or odd, whatever its HTTP status; never fails on a field, only on what is
// no JSON object. `key` is kept out of all texts (empty: none).
Result<Task> read_task(std::string_view body, std::string_view key = {}, const TaskQuestion &question = {});

// A status word in any case, its parts joined in any way, with its synonyms.
TaskStatus read_status(std::string_view word);

}  // namespace genclip
