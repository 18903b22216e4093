// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Finds the task in an answer. Some gateways wrap it although the service says that they do not (§4.1), and a
// wrapper has a status, and perhaps an ID, of its own.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/http/secrets.h"
#include "plugin/task/task.h"

namespace genclip {

// The task's own object first, then those around it. Never empty. Points into the answer.
using TaskObjects = std::vector<const Json *>;

// `asked`: the ID that a query was about; empty for a submit. A result at an address below `base_url` counts.
TaskObjects find_task_objects(const Json &answer, std::string_view asked, std::string_view base_url);

struct TaskState {
  TaskStatus status = TaskStatus::unknown;
  std::string word;  // As it was sent; empty if the object has none.
};

TaskState state_in(const Json &object);
// The same of the whole answer: a wrapper's own word never counts, except for success around a task that has
// none, which is `is_bare`.
struct AnswerState : TaskState {
  bool is_bare = false;
};
AnswerState state_of(const TaskObjects &objects);

// The task's ID; empty without one. An ID goes into URLs, logs, messages and the store, so only a short text
// of visible characters counts, and none that holds one of the keys: a long one however it is spelled. Of a
// part of an answer, a request_id never counts.
std::string id_of(const TaskObjects &objects, const Secrets &keys, std::string_view asked,
                  bool is_part = false);

// True if the object has that ID, under any of its names; false for an empty one.
bool has_id(const Json &object, std::string_view id);
// True if it has an ID, or one that is surely a task's, and not the one that was asked for.
bool has_other_id(const Json &object, std::string_view asked);
bool has_other_task_id(const Json &object, std::string_view asked);
// The same of a row of a list: of itself, or of an object that it wraps.
bool wraps_id(const Json &row, std::string_view id);
bool wraps_other_id(const Json &row, std::string_view asked);

// True if a member of that name may wrap the task: "data", "task_info", "resultData".
bool is_wrapper_name(std::string_view member);
// True if it has the status of a task, or an ID, and no error beside it. Where there is an ID alone, a code
// that is not good, or a message without a code, counts as an error.
bool is_like_a_task(const Json &json);

// The first of these members that is there and not null, however it is spelled.
const Json *first_of(const Json &object, std::initializer_list<const char *> names);
// The same of several objects: the first object that has one of them.
const Json *first_of(const TaskObjects &objects, std::initializer_list<const char *> names);

// The only item of a list; otherwise the value itself.
const Json &single(const Json &json);
// Of a list, the item that has or wraps that ID, or else the only one; otherwise the value itself.
const Json &chosen(const Json &json, std::string_view asked);

}  // namespace genclip
