// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/task_wire.h"

#include <glib.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "plugin/base/base_url.h"
#include "plugin/base/credits.h"
#include "plugin/base/gref.h"
#include "plugin/base/number.h"
#include "plugin/base/shown_text.h"
#include "plugin/base/trimmed.h"
#include "plugin/catalog/media_extension.h"
#include "plugin/http/display_line.h"
#include "plugin/http/http_url.h"
#include "plugin/task/answer_json.h"
#include "plugin/task/result_search.h"
#include "plugin/task/service_message.h"
#include "plugin/task/task_object.h"

namespace genclip {
namespace {

constexpr size_t kMaxModelLength = 200;
constexpr size_t kMaxStatusLength = 40;
constexpr size_t kMaxDebugLength = 200;
constexpr size_t kMaxAmountLength = 40;
constexpr double kLongestDuration = 1e9;  // s; more is a slip of the service

struct Number {
  double value;
  bool is_fraction;  // Written with a decimal point and without a percent sign.
  bool has_percent;
  std::string_view unit = {};  // Borrows the text.
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
  return Number{*value, !has_percent && digits.find('.') != digits.npos, has_percent, trimmed(unit)};
}

// Percent from 0–100, "50%" or a fraction of 1; -1 when there is none.
int read_progress(const Json *json) {
  const auto number = read_number(json);
  if (!number || number->value < 0) return -1;
  const bool of_one = number->is_fraction && number->value <= 1;
  // 0.57 * 100 is a little less than 57.
  return static_cast<int>(std::min(100.0, (of_one ? number->value * 100 : number->value) + 1e-6));
}

// -1 when it is unknown, negative, too large or no number.
double read_duration(const Json *json) {
  const auto number = read_number(json);
  return number && number->value >= 0 && number->value <= kLongestDuration ? number->value : -1;
}

// Likewise. A price in a currency is no number of credits.
double read_amount(const Json *json) {
  const auto number = read_number(json);
  if (!number || !is_amount(number->value)) return -1;
  const std::string unit(number->unit);
  const auto is_unit = [&](const char *word) { return g_ascii_strcasecmp(unit.c_str(), word) == 0; };
  return is_unit("") || is_unit("credit") || is_unit("credits") ? number->value : -1;
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

// A service behind a proxy may write http where https is meant; no request goes there.
std::string task_id_at(std::string_view base_url, Api api, const std::string &address) {
  const auto submit = parse_http_url(submit_url(base_url, api));
  const auto resolved = submit ? resolve_http_url(submit->get(), address) : std::nullopt;
  const auto target = resolved ? parse_http_url(*resolved) : Error{};
  if (!target || g_ascii_strcasecmp(host_of(submit->get()).c_str(), host_of(target->get()).c_str()) != 0)
    return {};
  const std::string above = std::string(g_uri_get_path(submit->get())) + "/";
  std::string_view id = g_uri_get_path(target->get());
  if (!id.starts_with(above)) return {};
  id.remove_prefix(above.size());
  if (id.ends_with('/')) id.remove_suffix(1);
  if (id.find('/') != id.npos) return {};
  const GStringPtr plain(g_uri_unescape_string(std::string(id).c_str(), nullptr));
  return plain ? plain.get() : "";
}

std::string submit_body(const CheckedRequest &request) {
  Json body = request.body();
  if (request.api() == Api::legacy && body.object())
    for (Json::Member &member : *body.object())
      if (member.first == "duration") member.first = "seconds";
  return body.to_text();
}

namespace {

// Tells each URL among the texts of an answer, whatever it is for.
void tell_urls(const Json &json, const auto &tell) {
  if (const auto *text = json.string(); text && text->find("://") != text->npos) {
    tell(*text);
    for (const std::string_view url : joined_urls(trimmed(*text))) tell(url);
  }
  if (const auto *list = json.array())
    for (const Json &item : *list) tell_urls(item, tell);
  if (const auto *object = json.object())
    for (const auto &[name, value] : *object) tell_urls(value, tell);
}

// Of several, those with the ID that was asked for count, or else any ID, or none. Of these, it is the last
// one that tells a status, as news come last, or else the first; null: they have different IDs. Without an
// ID, a failure may be that of something else, such as the call.
const Json *document_of_task(const std::vector<Json> &documents, const Secrets &secrets,
                             const TaskQuestion &question) {
  const std::string_view asked = trimmed(question.task_id);
  constexpr int kOfAnyId = 2, kOfAsked = 4;  // One more with a status.
  int most = 0;
  const Json *found = &single(documents.front());
  std::set<std::string> ids;
  for (const Json &document : documents) {
    const Json &top = chosen(document, asked);
    if (!top.object()) continue;
    const TaskObjects objects = find_task_objects(top, asked, question.base_url);
    const std::string id = id_of(objects, secrets.keys(), asked);
    if (!id.empty()) ids.insert(id);
    const TaskStatus status = state_of(objects).status;
    const bool tells =
        status == TaskStatus::failed ? !id.empty() || most == 0 : status != TaskStatus::unknown;
    const int rank = (id.empty() ? 0 : id == asked ? kOfAsked : kOfAnyId) + (tells ? 1 : 0);
    if (rank < most || (rank == most && !tells)) continue;
    most = rank;
    found = &top;
  }
  return most < kOfAsked && ids.size() > 1 ? nullptr : found;
}

}  // namespace

std::vector<std::string> urls_told(std::string_view body) {
  std::vector<std::string> urls;
  const auto documents = answer_documents(body);
  if (!documents) return urls;
  const auto tell = [&](std::string_view url) {
    const bool has_secrets = url.find_first_of("?@") != url.npos && url.size() <= kLongestToldUrl;
    if (has_secrets && urls.size() < kMostToldUrls) urls.emplace_back(url);
  };
  for (const Json &document : *documents) tell_urls(document, tell);
  return urls;
}

Result<Task> read_task(std::string_view body, const Secrets &secrets, const TaskQuestion &question) {
  const auto no_task = [](std::string why) {
    return Error{ErrorKind::read,
                 "The service sent something that is not a task. Check base-url, including its path prefix.",
                 std::move(why)};
  };
  const auto documents = answer_documents(body);
  if (!documents) return no_task(display_line(documents.error().text, kMaxDebugLength, secrets));
  const std::string_view asked = trimmed(question.task_id);
  const Json *of_task = document_of_task(*documents, secrets, question);
  if (!of_task) return no_task("The answer is several JSON documents, which have IDs.");
  const Json &top = *of_task;
  if (!top.object()) return no_task("The answer is not a JSON object.");
  const TaskObjects objects = find_task_objects(top, asked, question.base_url);
  const AnswerState state = state_of(objects);
  Secrets all = secrets;
  tell_urls(top, [&](std::string_view url) { all.add_url(url); });

  Task task;
  task.id = id_of(objects, secrets.keys(), asked, question.is_part);
  if (const Json *model = first_of(objects, {"model"}); model && model->string())
    task.model = display_line(*model->string(), kMaxModelLength, secrets.keys());
  task.status = state.status;
  task.status_word = display_line(state.word, kMaxStatusLength, all);
  task.progress = read_progress(first_of(objects, {"progress"}));
  const Json *amount = first_of(objects, {"amount"});
  task.amount = read_amount(amount);
  if (amount && task.amount < 0) task.odd_amount = display_line(amount->to_text(), kMaxAmountLength, all);
  task.actual_duration = read_duration(first_of(objects, {"actual_duration"}));
  if (task.status == TaskStatus::completed || state.is_bare) {
    WantedResult wanted = question.wanted;
    wanted.task_id = asked;
    if (!wanted.kind) wanted.kind = made_by(task.model);  // Only the ID of the task was known.
    task.result = read_clip_result(*objects.front(), question.base_url, wanted, all);
    const bool has_none = task.result.urls.empty();
    if ((has_none || task.result.is_last_resort) && objects.size() > 1) {
      ClipResult around = read_clip_result(top, question.base_url, wanted, all);
      // A plain "url" around it may also be the address of a page about the task.
      const auto is_page = [](const ResultUrl &url) {
        return url.field == "url" && media_type_of_path(url.url).empty();
      };
      const bool is_better = !around.urls.empty() && !around.is_last_resort && !is_page(around.urls.front());
      if (is_better || (has_none && !around.urls.empty())) task.result = std::move(around);
    }
    if (state.is_bare && !task.result.urls.empty() && !task.result.is_last_resort)
      task.status = TaskStatus::completed;
    if (task.status != TaskStatus::completed) task.result = {};
  }
  for (const Json *object : objects)
    if (task.error_message.empty()) task.error_message = failure_reason(*object, task.status, all);
  if (task.status == TaskStatus::completed && task.result.is_last_resort)
    for (const Json *object : objects)
      if (task.error_message.empty()) task.error_message = stated_reason(*object, all);
  return task;
}

}  // namespace genclip
