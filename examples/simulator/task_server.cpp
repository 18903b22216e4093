// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/task_server.h"

#include <algorithm>

#include "examples/simulator/error_body.h"
#include "examples/simulator/json_path.h"
#include "examples/simulator/request_header.h"
#include "examples/simulator/strict_json.h"

namespace genclip::sim {
namespace {

struct Route {
  TaskApi api;
  std::string_view path;
};
constexpr size_t kMostIntervals = 10000;
constexpr Route kRoutes[] = {{TaskApi::tasks, "/v2/model-center/tasks"}, {TaskApi::legacy, "/v1/sky/videos"}};

std::string joined(const std::vector<std::string> &problems) {
  std::string all;
  for (const std::string &problem : problems) all += (all.empty() ? "" : "; ") + problem;
  return all;
}

Json odd_progress(const std::string &form, int progress) {
  if (form == "percent") return std::to_string(progress) + "%";
  if (form == "fraction") return progress / 100.0;
  return std::to_string(progress);
}

void odd_state(Json &task, const std::string &argument) {
  const size_t slash = argument.find('/');
  if (slash == argument.npos) return task.set("status", argument);
  const Json *state = task.find("status");
  if (state && *state == Json(argument.substr(0, slash))) task.set("status", argument.substr(slash + 1));
}

void leave_out(Json &task, const std::string &field) {
  std::erase_if(*task.object(), [&](const Json::Member &member) { return member.first == field; });
}

void move(Json &task, const std::string &argument) {
  const size_t slash = argument.find('/');
  const std::string field = argument.substr(0, slash);
  const Json *value = task.find(field);
  if (!value) return;
  Json moved = *value;
  leave_out(task, field);
  set_at(task, argument.substr(slash + 1), std::move(moved));
}

Json wrapped(Json task, const Fault &wrapper) {
  if (wrapper.as == "code")
    return Json::Object{{"code", 0}, {"message", wrapper.text}, {"data", std::move(task)}};
  return Json::Object{{"status", wrapper.text}, {"data", std::move(task)}};
}

UrlWish wish_of(std::span<const Fault> faults) {
  const auto argument = [&](FaultKind kind, const char *usual) {
    const Fault *fault = find_fault(faults, kind);
    return !fault ? "" : fault->text.empty() ? usual : fault->text;
  };
  const auto has = [&](FaultKind kind) { return find_fault(faults, kind) != nullptr; };
  return {.expired = has(FaultKind::expire_urls),
          .at_api = has(FaultKind::api_origin),
          .exact = has(FaultKind::exact),
          .target = argument(FaultKind::exact, ""),
          .scheme = argument(FaultKind::scheme, ""),
          .userinfo = argument(FaultKind::userinfo, "kite:p%40ss")};
}

// Applies the faults that change fields of a task's answer.
void disfigure(Json &task, int progress, std::span<const Fault> faults) {
  for (const Fault &fault : faults) {
    switch (fault.kind) {
      case FaultKind::state: odd_state(task, fault.text); break;
      case FaultKind::progress: task.set("progress", odd_progress(fault.text, progress)); break;
      case FaultKind::move: move(task, fault.text); break;
      case FaultKind::drop: leave_out(task, fault.text); break;
      case FaultKind::set: {
        const size_t colon = fault.text.find(':');
        if (const auto value = Json::parse(fault.text.substr(colon + 1)))
          task.set(fault.text.substr(0, colon), *value);
        break;
      }
      case FaultKind::no_url:
        for (const char *field : {"result_url", "video_url"}) leave_out(task, field);
        break;
      default: break;
    }
  }
}

}  // namespace

void TaskServer::handle(SoupServerMessage *message, const std::string &path) {
  const std::string_view method = soup_server_message_get_method(message);
  for (const Route &route : kRoutes) {
    if (!path.starts_with(route.path)) continue;
    const std::string rest = path.substr(route.path.size());
    if (rest.empty() && method == "POST") {
      stage_.handle(message, Call::submit, false,
                    [this, message, api = route.api](std::span<const Fault> faults) {
                      return submit(message, api, faults);
                    });
      return;
    }
    if (rest.size() > 1 && rest.front() == '/' && method == "GET") {
      const std::string id = rest.substr(1);
      stage_.handle(message, Call::query, has_completed(route.api, id),
                    [this, message, api = route.api, id](std::span<const Fault> faults) {
                      return query(message, api, id, faults);
                    });
      return;
    }
    if (rest.empty() || rest.front() == '/')
      return stage_.answer(message, refuse(405, "This method is not allowed for this address."), false);
  }
  stage_.answer(message, refuse(404, "There is nothing at " + path + "."), false);
}

Reply TaskServer::refuse(unsigned status, const std::string &reason) {
  ledger_.refuse(std::to_string(status) + " " + reason);
  return error_reply(status, reason);
}

std::optional<Reply> TaskServer::refuse_stranger(SoupServerMessage *message, std::span<const Fault> faults) {
  const Fault *renewed = find_fault(faults, FaultKind::key);
  const std::string &key = renewed ? renewed->text : options_.key;
  if (request_header(message, "Authorization") == "Bearer " + key) return std::nullopt;
  return refuse(401, "The header Authorization has no valid key.");
}

Reply TaskServer::submit(SoupServerMessage *message, TaskApi api, std::span<const Fault> faults) {
  if (auto refusal = refuse_stranger(message, faults)) return *refusal;
  const char *type =
      soup_message_headers_get_content_type(soup_server_message_get_request_headers(message), nullptr);
  if (!type || std::string_view(type) != "application/json")
    return refuse(415, "The Content-Type must be application/json.");
  const auto bytes =
      GRef<GBytes>::adopt(soup_message_body_flatten(soup_server_message_get_request_body(message)));
  gsize size = 0;
  const auto *data = static_cast<const char *>(g_bytes_get_data(bytes.get(), &size));
  const auto body = parse_strictly({data, size});
  if (!body) return refuse(400, "The body: " + body.error().text + ".");
  const Judgement judgement = judge(models_, api, *body);
  if (!judgement.problems.empty()) return refuse(400, joined(judgement.problems) + ".");

  SimTask &task = tasks_.submit(api, judgement, find_fault(faults, FaultKind::id_number));
  if (const Fault *fail = find_fault(faults, FaultKind::fail)) {
    task.failure = fail->text;
    task.failure_shape = fail->shape;
  }
  if (const Fault *amount = find_fault(faults, FaultKind::amount))
    task.price = g_ascii_strtod(amount->text.c_str(), nullptr);
  task.tells_amount = !find_fault(faults, FaultKind::no_amount);
  ledger_.count([&](SimulatorStats &stats) {
    stats.submits++;
    stats.submits_by_request[body->to_canonical_text()]++;
    stats.most_at_once = std::max(stats.most_at_once, tasks_.count_running());
  });
  return task_reply(task, faults);
}

Reply TaskServer::query(SoupServerMessage *message, TaskApi api, const std::string &id,
                        std::span<const Fault> faults) {
  if (auto refusal = refuse_stranger(message, faults)) return *refusal;
  SimTask *task = tasks_.find(api, id);
  if (!task) return refuse(404, "There is no task with the id \"" + id + "\".");
  const auto now = options_.clock->now();
  const auto interval = task->queried ? std::optional(now - *task->queried) : std::nullopt;
  task->queried = now;
  if (const Fault *fail = find_fault(faults, FaultKind::fail)) {
    task->failure = fail->text;
    task->failure_shape = fail->shape;
    task->failed_already = true;
  }
  ledger_.count([&](SimulatorStats &stats) {
    stats.queries++;
    if (!interval) return;
    if (*interval < options_.least_poll_interval) stats.early_queries++;
    if (stats.query_intervals_ms.size() < kMostIntervals)
      stats.query_intervals_ms.push_back(std::chrono::duration<double, std::milli>(*interval).count());
  });
  return task_reply(*task, faults);
}

bool TaskServer::has_completed(TaskApi api, const std::string &id) {
  const SimTask *task = tasks_.find(api, id);
  return task && tasks_.view(*task).state == TaskState::completed;
}

void TaskServer::set_urls(Json &out, const SimTask &task, std::span<const Fault> faults) {
  UrlWish wish = wish_of(faults);
  const Json url = media_.url(task, wish);
  const Fault *place = find_fault(faults, FaultKind::place), *cover = find_fault(faults, FaultKind::cover),
              *results = find_fault(faults, FaultKind::results);
  const Json picture = cover ? Json(media_.cover_url(task)) : Json();
  const bool is_first = cover && cover->text == "first";
  if (place || results || is_first) {
    Json::Array all = is_first ? Json::Array{picture, url} : Json::Array{url};
    for (wish.result = 1; results && wish.result < results->number; ++wish.result)
      all.push_back(media_.url(task, wish));
    return set_at(out, place ? place->text : "output", all.size() > 1 ? Json(std::move(all)) : url);
  }
  if (task.api == TaskApi::tasks || task.order.image) out.set("result_url", url);
  if (!task.order.image) out.set("video_url", url);
  if (cover) out.set("video_url", picture);
  if (cover && cover->text == "only")
    leave_out(out, "result_url");
  else if (cover)
    out.set("result_url", url);
}

// §2.1. What v1 answers beside the id is undocumented (§4.3); this uses names that are common for such
// services.
Reply TaskServer::task_reply(const SimTask &task, std::span<const Fault> faults) {
  const TaskView view = tasks_.view(task);
  const bool v1 = task.api == TaskApi::legacy;
  Json out;
  out.set("id", task.id_is_number ? Json(g_ascii_strtoll(task.id.c_str(), nullptr, 10)) : Json(task.id));
  out.set("object", task.order.image ? "image" : "video");
  out.set(v1 ? "created_at" : "created", task.created);
  out.set("model", task.model);
  out.set("status", state_word(view.state));
  out.set("progress", view.progress);
  if (v1 && !task.order.image) out.set("seconds", task.order.seconds);
  if (view.state == TaskState::completed) {
    set_urls(out, task, faults);
    out.set("actualDuration", task.order.seconds);
  }
  // Of a failed task only what it did cost: a service that charges nothing says nothing.
  const auto cost = tasks_.cost(task, view.state);
  if (cost && task.tells_amount && (view.state == TaskState::completed || *cost > 0))
    out.set("amount", *cost);
  out.set("error", nullptr);
  if (view.state == TaskState::failed) set_failure(out, view.failure, task.failure_shape);
  disfigure(out, view.progress, faults);
  if (const Fault *wrapper = find_fault(faults, FaultKind::wrapper)) out = wrapped(std::move(out), *wrapper);
  return json_reply(200, out);
}

}  // namespace genclip::sim
