// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What an HTTP status of the task API means to a user.
#pragma once

#include <string_view>

#include "plugin/base/error.h"
#include "plugin/http/http_client.h"
#include "plugin/http/secrets.h"

namespace genclip {

enum class TaskCall { submit, query };

// The error for a reply that is not a success, with its kind, text and details; none of them holds a secret.
Error reply_error(TaskCall call, const HttpReply &reply, const Secrets &secrets);

// True for a 429 that a short wait does not solve: the daily quota or the credits are used up.
bool is_quota_used_up(const HttpReply &reply);

}  // namespace genclip
