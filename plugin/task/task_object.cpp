// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/task_object.h"

#include <glib.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "plugin/base/name_letters.h"
#include "plugin/base/shown_text.h"
#include "plugin/base/trimmed.h"
#include "plugin/task/result_search.h"
#include "plugin/task/service_message.h"
#include "plugin/task/status_word.h"

namespace genclip {
namespace {

constexpr size_t kMaxIdLength = 1024;
constexpr size_t kMaxBareIdLength = 128;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53: below it, a double has every integer.
constexpr int kMaxWrappers = 4;

// All names are compared by their letters (name_letters.h): "taskId", "TaskID" and "task_id" are one.
struct StatusName {
  const char *name;
  bool is_sure;  // Any word is the task's status. A "state" may be that of something else.
};
// Those of the legacy API are undocumented (§4.3).
constexpr StatusName kStatusNames[] = {
    {"status", true}, {"taskstatus", true}, {"state", false}, {"taskstate", false}, {"jobstatus", true}};
constexpr const char *kIdNames[] = {"id", "taskid"};
constexpr const char *kTaskIdNames[] = {"taskid"};
// Of the answer to a submit, where there is no other ID.
constexpr const char *kOtherIdNames[] = {"jobid",    "generationid", "videoid", "uuid", "promptid",
                                         "taskuuid", "taskids",      "jobids",  "ids"};
constexpr const char *kRequestIdNames[] = {"requestid"};

struct Wrapper {
  const char *name;
  bool is_envelope;  // Else it holds results, whose status counts only once the task is done.
};
constexpr Wrapper kWrappers[] = {
    {"data", true},       {"task", true},       {"output", false},   {"result", false}, {"response", true},
    {"job", true},        {"payload", true},    {"body", true},      {"item", true},    {"record", true},
    {"prediction", true}, {"generation", true}, {"operation", true}, {"detail", true},  {"video", false},
    {"content", false},   {"outputs", false}};
// Names of other wrappers are made of these words: "task_info", "resultData". A name with any other word in
// it is that of a part of the task.
constexpr std::string_view kWrapperWords[] = {
    "data",       "task",       "output",    "result",    "response", "resp", "reply",  "res",    "job",
    "item",       "payload",    "body",      "record",    "message",  "msg",  "return", "ret",    "value",
    "info",       "object",     "obj",       "entity",    "list",     "row",  "video",  "status", "detail",
    "prediction", "generation", "operation", "attribute", "content",  "json", "d",      "s"};
constexpr size_t kLongestWrapperName = 30;
// What stands there is about something else than the task, whatever its status and its ID.
constexpr std::string_view kOtherObjects[] = {
    "error",  "errors",  "input",   "inputs",     "request",  "params",  "parameters",   "options",
    "usage",  "billing", "webhook", "callback",   "user",     "account", "organization", "project",
    "safety", "model",   "models",  "moderation", "metadata", "meta",    "links"};

const Json *named(const Json &object, std::string_view letters) {
  if (const auto *members = object.object())
    for (const auto &[name, value] : *members)
      if (name_letters(name) == letters && !value.is_null()) return &value;
  return nullptr;
}

// A string without blanks around it, or the digits of a number; of a list, its only item.
std::string read_text(const Json *json) {
  if (!json) return {};
  json = &single(*json);
  if (const auto *text = json->string()) return std::string(trimmed(*text));
  if (json->integer()) return json->to_text();
  // Some JSON encoders write integers as reals: 12.0 is 12.
  if (const auto *real = json->real(); real && *real == std::floor(*real) && std::abs(*real) < kExactIntegers)
    return std::to_string(static_cast<int64_t>(*real));
  return json->real() ? json->to_text() : std::string();
}

}  // namespace

bool has_id(const Json &object, std::string_view id) {
  const auto is_it = [&](const char *name) { return read_text(named(object, name)) == id; };
  return !id.empty() && (std::any_of(std::begin(kIdNames), std::end(kIdNames), is_it) ||
                         std::any_of(std::begin(kOtherIdNames), std::end(kOtherIdNames), is_it));
}

namespace {

// What stands for no ID, such as 0 or "none", is left out.
std::string read_id(const Json *json) {
  std::string id = read_text(json);
  return id == "0" || means_nothing(id) ? std::string() : id;
}

bool has_any(const Json &object, const auto &names) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](const char *name) { return !read_id(named(object, name)).empty(); });
}

bool has_some_id(const Json &object) { return has_any(object, kIdNames) || has_any(object, kOtherIdNames); }

bool is_usable_id(const std::string &id, const Secrets &keys) {
  return !id.empty() && id.size() <= kMaxIdLength && is_all_shown(id) && !keys.shows_key(id);
}

bool is_good_code(std::string_view code) { return code == "0" || code == "200"; }

std::string id_under(const TaskObjects &objects, const auto &names, const Secrets &keys) {
  for (const Json *object : objects)
    for (const char *name : names)
      if (std::string id = read_id(named(*object, name)); is_usable_id(id, keys)) return id;
  return {};
}

// A number may be that of an error, so nothing may speak of one beside it. 1 may be a "true".
bool is_bare_number(const std::string &id, const Json &answer) {
  const auto tells = [&](const char *name) {
    const Json *member = named(answer, name);
    return member && !service_message(*member, {}).empty();
  };
  const auto denies = [&](const char *name) {
    const Json *member = named(answer, name);
    return member && member->boolean() && !*member->boolean();
  };
  if (denies("success") || denies("ok")) return false;
  const bool is_good = named(answer, "code") || (!tells("message") && !tells("msg") && !tells("detail"));
  return is_good && !tells("error") && state_in(answer).status != TaskStatus::failed && !is_good_code(id) &&
         id != "1" && std::ranges::all_of(id, [](char c) { return g_ascii_isdigit(c); });
}

// {"code":0,"data":"ID"}: the whole result of a submit that succeeded.
std::string bare_id(const Json &answer, const Secrets &keys) {
  if (const Json *code = named(answer, "code"); code && !is_good_code(read_text(code))) return {};
  for (const char *name : {"data", "result", "task"}) {
    const Json *member = named(answer, name);
    if (!member) continue;
    std::string id = read_id(member);
    if (!single(*member).string() && !is_bare_number(id, answer)) continue;
    const bool is_token = id.size() <= kMaxBareIdLength && std::all_of(id.begin(), id.end(), [](char c) {
                            return g_ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
                          });
    const bool has_digit = std::any_of(id.begin(), id.end(), [](char c) { return g_ascii_isdigit(c); });
    if (is_token && has_digit && is_usable_id(id, keys)) return id;
  }
  return {};
}

// Whether a word there is a status for sure, though perhaps an unknown one. Results may have a number as one.
bool has_word(const Json &object, bool may_be_number) {
  return std::any_of(std::begin(kStatusNames), std::end(kStatusNames), [&](const StatusName &status) {
    const std::string word = status.is_sure ? read_text(named(object, status.name)) : std::string();
    return may_be_number ? !word.empty()
                         : std::any_of(word.begin(), word.end(), [](char c) { return g_ascii_isalpha(c); });
  });
}

bool is_about_something_else(std::string_view member) {
  return std::ranges::find(kOtherObjects, name_letters(member)) != std::end(kOtherObjects);
}

bool is_made_of_wrapper_words(std::string_view letters) {
  return letters.empty() || std::ranges::any_of(kWrapperWords, [&](std::string_view word) {
           return letters.starts_with(word) && is_made_of_wrapper_words(letters.substr(word.size()));
         });
}

// The object in `outer`, if it is the only one and has the name of a wrapper; otherwise null. With
// `but_for_figures`, an object with neither a status nor an ID nor such a name does not count.
const Json *only_wrapped(const Json &outer, bool but_for_figures) {
  const Json *only = nullptr;
  for (const auto &[name, value] : *outer.object()) {
    if (!single(value).object() || is_about_something_else(name) || is_of_request_or_other_task(name))
      continue;
    const Json &object = single(value);
    const bool is_wrapper = is_wrapper_name(name);
    if (but_for_figures && !is_wrapper && state_in(object).word.empty() && !has_some_id(object)) continue;
    if (only || !is_wrapper) return nullptr;
    only = &object;
  }
  return only;
}

// Each of them is all that `outer` wraps: its only object, the only one inside of that, and so on.
TaskObjects wrapped_in(const Json &outer, bool but_for_figures) {
  TaskObjects wrapped;
  for (const Json *only = &outer; (only = only_wrapped(*only, but_for_figures));) wrapped.push_back(only);
  return wrapped;
}

bool is_among(const TaskObjects &objects, const Json &object) {
  return std::ranges::find(objects, &object) != objects.end();
}

// What the objects inside are compared with. What it wraps is found once: it may have as many members as
// there are objects inside.
struct Outer {
  const Json &json;
  TaskObjects wrapped;  // But for figures.
  bool is_ours;         // It or what is around it has the ID that was asked for.
};

// Whether it tells how a task of another ID ended. A clip that is done may have the ID of its file, where it
// is all of the answer.
bool is_end_of_another(const Json &inner, const Outer &outer, std::string_view asked) {
  if (has_id(inner, asked)) return false;
  const TaskStatus status = state_in(inner).status;
  if (status == TaskStatus::failed) return has_some_id(inner);
  if (status != TaskStatus::completed) return false;
  return has_any(inner, kTaskIdNames) || (has_any(inner, kIdNames) && !is_among(outer.wrapped, inner));
}

// The failure of another task or of a step must not end a paid task: it counts as the task's where it has the
// ID, or is all that the answer wraps.
bool is_failure_of_a_part(const Json &inner, const Outer &outer, std::string_view asked) {
  return state_in(inner).status == TaskStatus::failed && !has_id(inner, asked) &&
         !is_among(outer.wrapped, inner);
}

// An ID inside may be that of a file, so an object counts as the task only if it has the ID that was asked
// for, the status of a task, or an ID where the wrapper has none. An error's ID is not a task's.
bool is_task_inside(const Json &inner, const Outer &outer, bool is_envelope, std::string_view asked) {
  if (!inner.object()) return false;
  const Json &wrapper = outer.json;
  if (has_id(inner, asked) && !has_id(wrapper, asked)) return true;
  if (first_of(wrapper, {"video_url", "result_url"})) return false;
  const TaskState own = state_in(inner);
  const TaskState around = state_in(wrapper);
  const bool is_done_around = around.status == TaskStatus::completed;
  const auto has_own_id = [&](const Json &object) {
    return has_any(object, kIdNames) || (asked.empty() && has_any(object, kOtherIdNames));
  };
  const bool has_inner_id = has_own_id(inner);
  const bool has_wrapper_id = has_own_id(wrapper);
  // Before that, results have a status of their own, which is not the task's.
  const bool may_be_done = is_done_around || around.word.empty();
  const bool has_status = own.status != TaskStatus::unknown ? is_envelope || may_be_done
                                                            : has_word(inner, is_envelope) && may_be_done;
  if (has_status) {
    if (outer.is_ours && is_end_of_another(inner, outer, asked)) return false;
    if (!is_envelope && !asked.empty() && is_failure_of_a_part(inner, outer, asked)) return false;
    if (!has_inner_id || has_id(inner, asked)) return true;
    // Both may have an ID. That of the wrapper may be the request's, that inside a file's or another task's.
    if (outer.is_ours) return is_done_around && is_envelope;
    return !has_wrapper_id || is_done_around || around.status == TaskStatus::unknown;
  }
  if (has_wrapper_id) return asked.empty() && has_any(inner, kTaskIdNames) && !has_any(wrapper, kTaskIdNames);
  if (has_inner_id) return asked.empty() || around.status == TaskStatus::unknown;
  return around.word.empty() && !own.word.empty();
}

// All objects below that one, as deep as wrappers go, but for those about something else, those that are left
// `out` by their name, and those inside of an object that `ends` it.
void add_objects_in(const Json &json, const auto &ends, const auto &out, int depth, TaskObjects &found) {
  if (depth > kMaxWrappers) return;
  const auto add = [&](const Json &value) {
    if (value.object()) found.push_back(&value);
    if (!value.object() || !ends(value)) add_objects_in(value, ends, out, depth + 1, found);
  };
  if (const auto *list = json.array())
    for (const Json &item : *list) add(item);
  if (const auto *members = json.object())
    for (const auto &[name, value] : *members)
      if (!is_about_something_else(name) && !out(name)) add(value);
}

TaskObjects objects_in(const Json &outer, const auto &ends, const auto &out) {
  TaskObjects found;
  add_objects_in(outer, ends, out, 0, found);
  return found;
}

// The only one of them that is so; null: none, or several.
const Json *only_one(const TaskObjects &objects, const auto &is_so) {
  const Json *found = nullptr;
  for (const Json *object : objects) {
    if (!is_so(*object)) continue;
    if (found) return nullptr;
    found = object;
  }
  return found;
}

// Whether what it tells of its status may be about the call alone.
bool may_tell_of_the_call(const TaskState &state) {
  return state.word.empty() || is_good_code(state.word) || may_be_the_calls(state.word);
}

// How surely an object is one with a task's status: 3 by its name and its word, 2 by its word, 1 by its name.
int sureness(const Json &object) {
  const TaskState state = state_in(object);
  const bool is_sure = has_word(object, false);
  if (state.status != TaskStatus::unknown) return is_sure ? 3 : 2;
  return is_sure && !may_be_the_calls(state.word) ? 1 : 0;
}

// Whether the status inside counts before one outside that says "completed". It does not where a result
// stands outside. A paid clip must not be lost to the failure of its sound, or to the word for the state of
// its file. A link to a document or to the task is not a result: while the task runs, only media are.
bool counts_before_done(const Json &inner, const Json &outer, std::string_view asked,
                        std::string_view base_url) {
  const std::vector<FoundUrl> urls = find_urls(outer, base_url, {}, asked).urls;
  std::set<std::string> inside;
  for (const FoundUrl &found : find_urls(inner, base_url, {}, asked).urls) inside.insert(found.url);
  const TaskStatus status = state_in(inner).status;
  const bool is_under_way = status == TaskStatus::queued || status == TaskStatus::processing;
  const auto is_result_outside = [&](const FoundUrl &found) {
    if (inside.count(found.url) != 0) return false;
    if (!found.media_type.empty())
      return found.place < (is_under_way ? FoundUrl::Place::variant : FoundUrl::Place::last);
    return found.place == FoundUrl::Place::usual && !found.is_relative && !is_under_way;
  };
  if (std::any_of(urls.begin(), urls.end(), is_result_outside)) return false;
  if ((status != TaskStatus::failed && status != TaskStatus::unknown) || has_id(inner, asked)) return true;
  const bool is_task = !has_some_id(inner) && is_among(wrapped_in(outer, false), inner);
  return is_task && (status == TaskStatus::failed || (urls.empty() && inside.empty()));
}

// The status of the task where it stands under an unusual name, though its ID may stand outside: that of the
// only object that has one. Inside of that one, further statuses are those of its steps and results. Where
// the ID stands outside, an object with another ID never tells how the task ended.
const Json *find_status_inside(const Outer &outer, std::string_view asked, std::string_view base_url) {
  const TaskState around = state_in(outer.json);
  const bool is_done = around.status == TaskStatus::completed;
  if (!may_tell_of_the_call(around) && (has_id(outer.json, asked) || !is_done)) return nullptr;
  TaskObjects objects = objects_in(
      outer.json, [](const Json &object) { return sureness(object) > 0; }, is_of_request_or_other_task);
  std::erase_if(
      objects, [&](const Json *object) { return outer.is_ours && is_end_of_another(*object, outer, asked); });
  int most = 1;
  for (const Json *object : objects) most = std::max(most, sureness(*object));
  const Json *found = only_one(objects, [&](const Json &object) { return sureness(object) == most; });
  if (found && !is_done && is_failure_of_a_part(*found, outer, asked)) return nullptr;
  return found && is_done && !counts_before_done(*found, outer.json, asked, base_url) ? nullptr : found;
}

// The task where it stands under an unusual name: the object that has the ID; else, of a submit, the only one
// with an ID, and of a query, the one with the task's status.
const Json *find_elsewhere(const Outer &outer, std::string_view asked, std::string_view base_url,
                           bool is_whole_answer) {
  const Json &json = outer.json;
  if (first_of(json, {"video_url", "result_url"})) return nullptr;
  const auto all = [&] {
    return objects_in(
        json, [](const Json &) { return false; }, [](std::string_view) { return false; });
  };
  if (asked.empty()) return is_whole_answer && !has_some_id(json) ? only_one(all(), has_some_id) : nullptr;
  if (is_whole_answer && !has_id(json, asked))
    for (const Json *object : all())
      if (has_id(*object, asked)) return object;
  return find_status_inside(outer, asked, base_url);
}

}  // namespace

bool is_wrapper_name(std::string_view member) {
  const std::string letters = name_letters(member);
  return letters.size() <= kLongestWrapperName && is_made_of_wrapper_words(letters);
}

bool is_like_a_task(const Json &json) {
  const Json &object = single(json);
  if (first_of(object, {"error"})) return false;
  if (state_in(object).status != TaskStatus::unknown) return true;
  // An error may have an ID, too.
  const Json *code = named(object, "code");
  const bool is_good = code ? is_good_code(read_text(code)) : !first_of(object, {"message", "msg", "detail"});
  return is_good && has_some_id(object);
}

const Json *first_of(const Json &object, std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (const Json *member = named(object, name_letters(name))) return member;
  return nullptr;
}

const Json *first_of(const TaskObjects &objects, std::initializer_list<const char *> names) {
  for (const Json *object : objects)
    if (const Json *member = first_of(*object, names)) return member;
  return nullptr;
}

const Json &single(const Json &json) {
  const auto *list = json.array();
  return list && list->size() == 1 ? list->front() : json;
}

bool has_other_id(const Json &object, std::string_view asked) {
  return !asked.empty() && has_some_id(object) && !has_id(object, asked);
}

bool has_other_task_id(const Json &object, std::string_view asked) {
  return !asked.empty() && has_any(object, kTaskIdNames) && !has_id(object, asked);
}

namespace {

bool is_so_inside(const Json &json, const auto &is_so, int depth) {
  if (is_so(json)) return true;
  const auto *members = depth < kMaxWrappers ? json.object() : nullptr;
  return members && std::ranges::any_of(*members, [&](const Json::Member &member) {
           const Json &inner = single(member.second);
           return inner.object() && is_wrapper_name(member.first) && is_so_inside(inner, is_so, depth + 1);
         });
}

}  // namespace

bool wraps_id(const Json &row, std::string_view id) {
  const auto has_it = [&](const Json &json) { return has_id(json, id); };
  return !id.empty() && is_so_inside(row, has_it, 0);
}

bool wraps_other_id(const Json &row, std::string_view asked) {
  const auto has_other = [&](const Json &json) { return has_other_id(json, asked); };
  return is_so_inside(row, has_other, 0);
}

const Json &chosen(const Json &json, std::string_view asked) {
  if (const auto *list = json.array()) {
    for (const Json &item : *list)
      if (has_id(item, asked)) return item;
    for (const Json &item : *list)
      if (wraps_id(item, asked)) return item;
  }
  return single(json);
}

TaskObjects find_task_objects(const Json &answer, std::string_view asked, std::string_view base_url) {
  TaskObjects objects{&answer};
  for (int depth = 0; depth < kMaxWrappers; ++depth) {
    const Json &json = *objects.front();
    const Json *found = nullptr;
    const bool is_ours = std::ranges::any_of(objects, [&](const Json *o) { return has_id(*o, asked); });
    const Outer outer{json, wrapped_in(json, true), is_ours};
    for (const Wrapper &wrapper : kWrappers) {
      const Json *member = found ? nullptr : named(json, wrapper.name);
      if (!member) continue;
      const Json &inner = chosen(*member, asked);
      if (is_task_inside(inner, outer, wrapper.is_envelope, asked)) found = &inner;
      // A wrapper may be around another one.
      if (const Json *data = found || !inner.object() ? nullptr : first_of(inner, {"data", "task"});
          data && is_task_inside(chosen(*data, asked), outer, true, asked))
        found = &chosen(*data, asked);
    }
    if (!found) found = find_elsewhere(outer, asked, base_url, depth == 0);
    if (!found) break;
    objects.insert(objects.begin(), found);
  }
  return objects;
}

// Several names may hold a word: one that is known counts before one that is not, and any before "success",
// which may be the call's.
TaskState state_in(const Json &object) {
  TaskState state;
  for (const StatusName &known : kStatusNames) {
    std::string word = read_text(named(object, known.name));
    if (word.empty()) continue;
    const TaskStatus status = read_status(word);
    const bool is_better = status != TaskStatus::unknown &&
                           (state.status == TaskStatus::unknown || state.status == TaskStatus::completed);
    if (state.word.empty() || is_better) state = {status, std::move(word)};
  }
  return state;
}

AnswerState state_of(const TaskObjects &objects) {
  AnswerState state{state_in(*objects.front())};
  if (!state.word.empty() || objects.size() == 1) return state;
  const TaskState around = state_in(*objects.back());
  state.is_bare = around.status == TaskStatus::completed;
  return state;
}

std::string id_of(const TaskObjects &objects, const Secrets &keys, std::string_view asked, bool is_part) {
  for (const Json *object : objects)
    if (has_id(*object, asked)) return std::string(asked);
  // Of a query, an ID around the task's object is not the task's.
  if (!asked.empty()) return id_under({objects.front()}, kIdNames, keys);
  if (std::string id = id_under(objects, kIdNames, keys); !id.empty()) return id;
  if (std::string id = id_under(objects, kOtherIdNames, keys); !id.empty()) return id;
  if (is_part) return {};
  if (std::string id = bare_id(*objects.back(), keys); !id.empty()) return id;
  // A request_id is that of the call, unless the answer is about a task and has no other.
  const TaskStatus status = state_of(objects).status;
  return status == TaskStatus::queued || status == TaskStatus::processing
             ? id_under(objects, kRequestIdNames, keys)
             : std::string();
}

}  // namespace genclip
