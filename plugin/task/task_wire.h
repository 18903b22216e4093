// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The task APIs on the wire (§2.1, §2.6, §4.1–4.3). The only file that knows their paths and field names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/base/result.h"
#include "plugin/catalog/check_request.h"
#include "plugin/http/secrets.h"
#include "plugin/task/clip_result.h"
#include "plugin/task/task.h"

namespace genclip {

// {base_url}/v2/model-center/tasks, or {base_url}/v1/sky/videos for the legacy API. The base may end with
// slashes.
std::string submit_url(std::string_view base_url, Api api);

// The same with the task's ID, escaped, as a last path segment.
std::string query_url(std::string_view base_url, Api api, std::string_view task_id);

// The ID of the task whose query goes to that address, which may be relative to that of the submit; empty: it
// is another address. It is not checked.
std::string task_id_at(std::string_view base_url, Api api, const std::string &address);

// The JSON text of a submit. The legacy API has `seconds` for `duration` (§2.6); other fields keep their v2
// names, as §2.6 does not document theirs.
std::string submit_body(const CheckedRequest &request);

// The call that an answer belongs to.
struct TaskQuestion {
  std::string_view base_url = {};  // To resolve relative addresses; empty: these are ignored.
  std::string_view task_id = {};   // The task of a query; empty for a submit.
  WantedResult wanted = {};
  bool is_part = false;  // More may stand behind it that did not arrive.
};

// The URLs in an answer that may hold secrets, whatever its HTTP status and whatever they are for. Not more
// than kMostToldUrls, and none that is longer than kLongestToldUrl.
inline constexpr size_t kMostToldUrls = 60;  // Secrets has room for more: those of redirects.
inline constexpr size_t kLongestToldUrl = 16384;
std::vector<std::string> urls_told(std::string_view body);

// Reads the answer of either API, whatever its HTTP status. Tolerates any field; fails only when the answer
// is no JSON object. All texts are without the secrets, among which are the values in the queries of the
// URLs that it brings.
Result<Task> read_task(std::string_view body, const Secrets &secrets = {}, const TaskQuestion &question = {});

}  // namespace genclip
