// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What an HTTP status of the task API means to a user.
#pragma once

#include <string>

#include "plugin/base/error.h"
#include "plugin/http/http_client.h"

namespace genclip {

enum class TaskCall { submit, query };

// An error with the domain, the text and the details of a reply that is no success.
Error reply_error(TaskCall call, const HttpReply &reply);

}  // namespace genclip
