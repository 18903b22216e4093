// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Finds the sentence for people in whatever a service sends as an error (§7: the shapes are undocumented).
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/json.h"
#include "plugin/http/secrets.h"
#include "plugin/task/task.h"

namespace genclip {

// Looks through strings, objects, lists and JSON inside strings, to a bounded depth. Empty when there is no
// message: null, {}, {"code":0}, "". A display line of at most 500 characters.
std::string service_message(const Json &error, const Secrets &secrets = {});

// Why a task failed, from its object; of another task, what its `error` says.
std::string failure_reason(const Json &task, TaskStatus status, const Secrets &secrets);

// Why a completed task has no clip, from its object: under the names of reasons alone, because a message may
// be that of a success.
std::string stated_reason(const Json &task, const Secrets &secrets);

// The message in the body of an error reply, JSON or not; a page of HTML or XML gives its title or message,
// or nothing.
std::string service_message_in(std::string_view body, const Secrets &secrets = {});

}  // namespace genclip
