// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What an HTTP status of the task API means to a user.
#pragma once

#include <string_view>

#include "plugin/base/error.h"
#include "plugin/http/http_client.h"

namespace genclip {

enum class TaskCall { submit, query };

// An error with the kind, the text and the details of a reply that is no success; `key` is in none of them.
Error reply_error(TaskCall call, const HttpReply &reply, std::string_view key);

// A 429 that waiting for a while does not mend: the quota of the day or the credits are used up.
bool is_quota_used_up(const HttpReply &reply);

}  // namespace genclip
