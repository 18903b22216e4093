// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tolerant reading, exact writing.
#include "plugin/task/task_wire.h"

#include <glib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "plugin/base/gref.h"
#include "plugin/task/service_message.h"

namespace genclip {
namespace {

struct StatusWord {
  std::string_view word;
  TaskStatus status;
};

constexpr StatusWord kStatusWords[] = {
    {"queued", TaskStatus::queued},         {"queueing", TaskStatus::queued},
    {"in_queue", TaskStatus::queued},       {"pending", TaskStatus::queued},
    {"submitted", TaskStatus::queued},      {"created", TaskStatus::queued},
    {"preparing", TaskStatus::queued},      {"initializing", TaskStatus::queued},
    {"wait", TaskStatus::queued},           {"waiting", TaskStatus::queued},
    {"starting", TaskStatus::queued},       {"throttled", TaskStatus::queued},
    {"not_start", TaskStatus::queued},      {"processing", TaskStatus::processing},
    {"running", TaskStatus::processing},    {"in_progress", TaskStatus::processing},
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

std::string base_of(std::string_view base_url) {
  while (base_url.ends_with('/')) base_url.remove_suffix(1);
  return std::string(base_url);
}

std::string trimmed_lower(std::string_view text) {
  const GStringPtr lower(g_ascii_strdown(text.data(), static_cast<gssize>(text.size())));
  return g_strstrip(lower.get());
}

// The first of these members that is there and not null.
const Json *first_of(const Json &object, std::initializer_list<const char *> keys) {
  for (const char *key : keys)
    if (const Json *member = object.find(key); member && !member->is_null()) return member;
  return nullptr;
}

// A string, or the digits of a number.
std::string read_text(const Json *json) {
  if (!json) return {};
  if (const auto *text = json->string()) return *text;
  if (json->integer() || json->real()) return json->to_text();
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
  const std::string trimmed = trimmed_lower(*text);
  char *end = nullptr;
  const double value = g_ascii_strtod(trimmed.c_str(), &end);
  if (end == trimmed.c_str() || !std::isfinite(value)) return std::nullopt;
  const bool has_percent = std::string_view(end).find('%') != std::string_view::npos;
  return Number{value, !has_percent && trimmed.find('.') != std::string::npos, has_percent};
}

// Percent from 0–100, "50%" or a fraction of 1; -1 when there is none.
int read_progress(const Json *json) {
  const auto number = read_number(json);
  if (!number || number->value < 0) return -1;
  const bool of_one = number->is_fraction && number->value <= 1;
  return static_cast<int>(std::min(100.0, of_one ? number->value * 100 : number->value));
}

// Never negative: -1 says unknown.
double read_quantity(const Json *json) {
  const auto number = read_number(json);
  return number && number->value >= 0 ? number->value : -1;
}

// A URL, or the first one of a list of URLs.
std::string read_url(const Json *json) {
  if (!json) return {};
  if (const auto *list = json->array()) return list->empty() ? std::string() : read_url(&list->front());
  const std::string text = read_text(json);
  return text.starts_with("http://") || text.starts_with("https://") ? text : std::string();
}

std::string read_clip_url(const Json &object) {
  std::string url = read_url(object.find("video_url"));
  return url.empty() ? read_url(object.find("result_url")) : url;
}

// Some gateways wrap the object in `data` although the service says it does not.
const Json &task_object(const Json &answer) {
  const Json *inner = answer.find("data");
  const bool wrapped = inner && inner->object() && !first_of(answer, {"id", "task_id", "status"});
  return wrapped ? *inner : answer;
}

}  // namespace

std::string submit_url(std::string_view base_url, Api api) {
  return base_of(base_url) + (api == Api::legacy ? "/v1/sky/videos" : "/v2/model-center/tasks");
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
  std::string wanted = trimmed_lower(word);
  std::replace_if(
      wanted.begin(), wanted.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  const auto *found = std::find_if(std::begin(kStatusWords), std::end(kStatusWords),
                                   [&](const StatusWord &entry) { return entry.word == wanted; });
  return found == std::end(kStatusWords) ? TaskStatus::unknown : found->status;
}

Result<Task> read_task(std::string_view body) {
  const auto answer = Json::parse(body);
  if (!answer)
    return Error{ErrorKind::read, "The service sent something that is no task.", answer.error().text};
  if (!answer->object())
    return Error{ErrorKind::read, "The service sent something that is no task.",
                 "The answer is no JSON object."};
  const Json &object = task_object(*answer);

  Task task;
  task.id = read_text(first_of(object, {"id", "task_id"}));
  task.status_word = read_text(object.find("status"));
  task.status = read_status(task.status_word);
  task.progress = read_progress(object.find("progress"));
  task.amount = read_quantity(object.find("amount"));
  task.actual_duration = read_quantity(first_of(object, {"actualDuration", "actual_duration"}));
  if (task.status == TaskStatus::completed) task.clip_url = read_clip_url(object);
  if (const Json *error = first_of(object, {"error", "fail_reason"}))
    task.error_message = service_message(*error);
  return task;
}

}  // namespace genclip
