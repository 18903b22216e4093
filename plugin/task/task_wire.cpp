// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/task_wire.h"

#include <glib.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "plugin/base/base_url.h"
#include "plugin/base/gref.h"
#include "plugin/base/number.h"
#include "plugin/base/shown_text.h"
#include "plugin/base/trimmed.h"
#include "plugin/http/display_line.h"
#include "plugin/task/clip_url.h"
#include "plugin/task/service_message.h"

namespace genclip {
namespace {

constexpr size_t kMaxIdLength = 1024;
constexpr size_t kMaxModelLength = 200;
constexpr size_t kMaxStatusLength = 40;
constexpr size_t kMaxDebugLength = 200;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53: below it, a double has every integer.

struct StatusWord {
  std::string_view word;
  TaskStatus status;
};

// In lower case and without separators: in_progress, "In Progress" and inProgress are the same.
constexpr StatusWord kStatusWords[] = {
    {"queued", TaskStatus::queued},         {"queueing", TaskStatus::queued},
    {"inqueue", TaskStatus::queued},        {"pending", TaskStatus::queued},
    {"submitted", TaskStatus::queued},      {"created", TaskStatus::queued},
    {"preparing", TaskStatus::queued},      {"initializing", TaskStatus::queued},
    {"wait", TaskStatus::queued},           {"waiting", TaskStatus::queued},
    {"starting", TaskStatus::queued},       {"throttled", TaskStatus::queued},
    {"notstart", TaskStatus::queued},       {"processing", TaskStatus::processing},
    {"running", TaskStatus::processing},    {"inprogress", TaskStatus::processing},
    {"generating", TaskStatus::processing}, {"completed", TaskStatus::completed},
    {"complete", TaskStatus::completed},    {"succeeded", TaskStatus::completed},
    {"succeed", TaskStatus::completed},     {"success", TaskStatus::completed},
    {"finished", TaskStatus::completed},    {"done", TaskStatus::completed},
    {"ready", TaskStatus::completed},       {"failed", TaskStatus::failed},
    {"fail", TaskStatus::failed},           {"failure", TaskStatus::failed},
    {"error", TaskStatus::failed},          {"cancelled", TaskStatus::failed},
    {"canceled", TaskStatus::failed},       {"aborted", TaskStatus::failed},
    {"expired", TaskStatus::failed},        {"rejected", TaskStatus::failed},
    {"moderated", TaskStatus::failed},
};

// Those of the legacy API are undocumented (§4.3).
constexpr std::initializer_list<const char *> kStatusNames = {"status", "task_status", "state"};

// The first of these members that is there and not null.
const Json *first_of(const Json &object, std::initializer_list<const char *> keys) {
  for (const char *key : keys)
    if (const Json *member = object.find(key); member && !member->is_null()) return member;
  return nullptr;
}

// A string without blanks around it, or the digits of a number.
std::string read_text(const Json *json) {
  if (!json) return {};
  if (const auto *text = json->string()) return std::string(trimmed(*text));
  if (json->integer()) return json->to_text();
  // Some JSON encoders write integers as reals: 12.0 is 12.
  if (const auto *real = json->real(); real && *real == std::floor(*real) && std::abs(*real) < kExactIntegers)
    return std::to_string(static_cast<int64_t>(*real));
  return json->real() ? json->to_text() : std::string();
}

constexpr std::initializer_list<const char *> kIdNames = {"id", "task_id"};

bool has_id(const Json &object, std::string_view id) {
  return !id.empty() && std::any_of(kIdNames.begin(), kIdNames.end(),
                                    [&](const char *name) { return read_text(object.find(name)) == id; });
}

// An ID goes into URLs, logs, messages and the store, so only a short text of visible characters counts, and
// none that holds the key.
std::string read_id(const Json &object, std::string_view key, std::string_view asked) {
  if (has_id(object, asked)) return std::string(asked);
  for (const char *name : kIdNames) {
    std::string id = read_text(object.find(name));
    const bool has_key = !key.empty() && id.find(key) != id.npos;
    if (!id.empty() && id.size() <= kMaxIdLength && is_all_shown(id) && !has_key) return id;
  }
  return {};
}

struct Number {
  double value;
  bool is_fraction;  // Written with a decimal point and without a percent sign.
  bool has_percent;
};

// A number, or a string that holds one, perhaps with a percent sign or a unit behind it.
std::optional<Number> read_number(const Json *json) {
  if (!json) return std::nullopt;
  if (const auto *integer = json->integer()) return Number{static_cast<double>(*integer), false, false};
  if (const auto *real = json->real()) return Number{*real, true, false};
  const auto *text = json->string();
  if (!text) return std::nullopt;
  std::string_view unit = trimmed(*text);
  if (unit.starts_with('+')) unit.remove_prefix(1);
  const std::string_view whole = unit;
  const auto value = take_number<double>(unit);
  if (!value) return std::nullopt;
  // 1,234.5 and 3/10 and 0x10 are no numbers with a unit.
  if (unit.find_first_of("+-.,:/0123456789") != unit.npos) return std::nullopt;
  const bool has_percent = unit.find('%') != unit.npos;
  const std::string_view digits = whole.substr(0, whole.size() - unit.size());
  return Number{*value, !has_percent && digits.find('.') != digits.npos, has_percent};
}

// Percent from 0–100, "50%" or a fraction of 1; -1 when there is none.
int read_progress(const Json *json) {
  const auto number = read_number(json);
  if (!number || number->value < 0) return -1;
  const bool of_one = number->is_fraction && number->value <= 1;
  // 0.57 * 100 is a little less than 57.
  return static_cast<int>(std::min(100.0, (of_one ? number->value * 100 : number->value) + 1e-6));
}

// -1 when it is unknown, negative or no number.
double read_quantity(const Json *json) {
  const auto number = read_number(json);
  return number && number->value >= 0 ? number->value : -1;
}

// The message beside an error that is a single word: {"error":"code","message":…}.
std::string explanation_of(const std::string &message, const Json &object, std::string_view key) {
  const Json *beside = object.find("message");
  if (!beside || message.find(' ') != message.npos) return {};
  const std::string more = service_message(*beside, key);
  return more.empty() || more == message ? std::string() : ": " + more;
}

// The first of these that holds a message. For a failed task without any, the first message anywhere in it.
std::string read_error(const Json &object, TaskStatus status, std::string_view key) {
  for (const char *name : {"error", "fail_reason", "failReason", "error_message"})
    if (const Json *error = object.find(name))
      if (std::string message = service_message(*error, key); !message.empty())
        return message + explanation_of(message, object, key);
  return status == TaskStatus::failed ? service_message(object, key) : std::string();
}

// The only item of a list; otherwise the value itself.
const Json &single(const Json &json) {
  const auto *list = json.array();
  return list && list->size() == 1 ? list->front() : json;
}

bool has_known_status(const Json &object) {
  return read_status(read_text(first_of(object, kStatusNames))) != TaskStatus::unknown;
}

// Some gateways wrap the object in `data` although the service says they do not (§4.1); their own `status` is
// not the task's. Their own `id` is not either, where only the inner object has the status of a task or the
// ID that was asked for. An error's ID is no task's.
const Json &task_object(const Json &answer, std::string_view asked) {
  for (const char *wrapper : {"data", "task", "output"}) {
    const Json *data = answer.find(wrapper);
    if (!data) continue;
    const Json &inner = single(*data);
    const bool has_inner_id = first_of(inner, kIdNames) != nullptr;
    if (first_of(answer, kIdNames) || first_of(answer, {"video_url", "result_url"})) {
      const bool is_envelope = has_inner_id && has_known_status(inner) && !has_known_status(answer);
      if (is_envelope || (has_id(inner, asked) && !has_id(answer, asked))) return inner;
    } else if (has_inner_id || (first_of(inner, kStatusNames) && !first_of(answer, kStatusNames))) {
      return inner;
    }
  }
  return answer;
}

}  // namespace

std::string submit_url(std::string_view base_url, Api api) {
  return normal_base_url(base_url) + (api == Api::legacy ? "/v1/sky/videos" : "/v2/model-center/tasks");
}

std::string query_url(std::string_view base_url, Api api, std::string_view task_id) {
  const GStringPtr escaped(
      g_uri_escape_bytes(reinterpret_cast<const guint8 *>(task_id.data()), task_id.size(), nullptr));
  return submit_url(base_url, api) + "/" + escaped.get();
}

std::string submit_body(const CheckedRequest &request) {
  Json body = request.body();
  if (request.api() == Api::legacy && body.object())
    for (Json::Member &member : *body.object())
      if (member.first == "duration") member.first = "seconds";
  return body.to_text();
}

TaskStatus read_status(std::string_view word) {
  std::string wanted;
  for (const char c : trimmed(word))
    if (c != ' ' && c != '-' && c != '_') wanted += g_ascii_tolower(c);
  const auto *found = std::find_if(std::begin(kStatusWords), std::end(kStatusWords),
                                   [&](const StatusWord &entry) { return entry.word == wanted; });
  return found == std::end(kStatusWords) ? TaskStatus::unknown : found->status;
}

Result<Task> read_task(std::string_view body, std::string_view key, const TaskQuestion &question) {
  const auto no_task = [](std::string why) {
    return Error{ErrorKind::read,
                 "The service sent something that is not a task. Check base-url, including its path prefix.",
                 std::move(why)};
  };
  const auto answer = Json::parse(body);
  if (!answer) return no_task(display_line(answer.error().text, kMaxDebugLength, key));
  const Json &top = single(*answer);
  if (!top.object()) return no_task("The answer is not a JSON object.");
  const std::string_view asked = trimmed(question.task_id);
  const Json &object = task_object(top, asked);

  Task task;
  task.id = read_id(object, key, asked);
  if (const Json *model = object.find("model"); model && model->string())
    task.model = display_line(*model->string(), kMaxModelLength, key);
  const std::string status_word = read_text(first_of(object, kStatusNames));
  task.status = read_status(status_word);
  task.status_word = display_line(status_word, kMaxStatusLength, key);
  task.progress = read_progress(object.find("progress"));
  task.amount = read_quantity(object.find("amount"));
  task.actual_duration = read_quantity(first_of(object, {"actualDuration", "actual_duration"}));
  if (task.status == TaskStatus::completed) task.clip_url = read_clip_url(object, question.base_url);
  task.error_message = read_error(object, task.status, key);
  if (task.error_message.empty()) task.error_message = read_error(top, task.status, key);
  return task;
}

}  // namespace genclip
