// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One path each for submit, query and media.
#include "tests/generation/fake_service.h"

#include <algorithm>

#include "plugin/base/json.h"

namespace genclip::test {
namespace {

constexpr char kTasks[] = "/v2/model-center/tasks";

std::string etag_of(const std::string &clip) {
  return "\"" + std::to_string(std::hash<std::string>()(clip)) + "\"";
}

template <typename T>
std::optional<T> take(std::deque<T> &queue) {
  if (queue.empty()) return std::nullopt;
  T first = std::move(queue.front());
  queue.pop_front();
  return first;
}

}  // namespace

std::string header_of(const HttpRequest &request, const std::string &name) {
  for (const auto &[key, value] : request.headers)
    if (key == name) return value;
  return "";
}

FakeAnswer FakeService::operator()(const HttpRequest &request) {
  MutexLock lock(mutex_);
  if (request.method == HttpRequest::Method::post) return submit();
  const auto tasks = request.url.find(kTasks);
  if (tasks != std::string::npos) return query(request.url.substr(tasks + sizeof kTasks));
  return media(request);
}

FakeAnswer FakeService::submit() {
  if (auto odd = take(odd_submits)) return std::move(*odd);
  const std::string id = "task-" + std::to_string(++submits_);
  if (loses_submit_answers) return lost();
  Json task = Json::Object{{"id", id}, {"status", "queued"}};
  if (!amount.empty() && tells_amount.find("submit") != std::string::npos)
    task.set("amount", *Json::parse(amount));
  return answer(200, task.to_text());
}

FakeAnswer FakeService::query(const std::string &task_id) {
  ++queries_;
  if (odd_query) return *odd_query;
  if (knows_no_task) return answer(404, R"({"error":"no such task"})");
  Json task;
  task.set("id", task_id);
  if (!model.empty()) task.set("model", model);
  if (!failure.empty()) {
    task.set("status", "failed");
    task.set("error", failure);
  } else if (++queries_of_[task_id] <= polls) {
    task.set("status", "processing");
    task.set("progress", static_cast<int>(queries_of_[task_id] * 10));
  } else {
    task.set("status", "completed");
    if (!results.empty()) {
      const Json members = *Json::parse("{" + results + "}");
      for (const auto &[name, value] : *members.object()) task.set(name, value);
    } else if (missing_urls == 0)
      task.set("video_url", "https://media.example/" + task_id + "?sig=" + std::to_string(queries_));
    else
      --missing_urls;
  }
  if (!amount.empty() && tells_amount.find(*task.find("status")->string()) != std::string::npos)
    task.set("amount", *Json::parse(amount));
  return answer(200, task.to_text());
}

FakeAnswer FakeService::media(const HttpRequest &request) {
  ranges_.push_back(header_of(request, "Range"));
  if (expired > 0) {
    --expired;
    return answer(expired_status, "expired");
  }
  if (auto odd = take(odd_media)) return std::move(*odd);
  FakeAnswer whole = whole_or_part(request);
  whole.max_read = 7000;
  const auto cut = take(cuts);
  if (!cut || *cut >= whole.reply.body.size()) {
    media_bytes_ += whole.reply.body.size();
    return whole;
  }
  media_bytes_ += *cut;
  return cut_after(std::move(whole), *cut);
}

FakeAnswer FakeService::whole_or_part(const HttpRequest &request) {
  HttpHeaders headers;
  if (sends_etag) headers.emplace_back("ETag", etag_of(clip_));
  const std::string range = header_of(request, "Range");
  const std::string condition = header_of(request, "If-Range");
  size_t first = 0;
  if (takes_ranges && !range.empty() && (condition.empty() || condition == etag_of(clip_)))
    first = std::stoull(range.substr(std::string("bytes=").size()));
  const std::string total = sends_length ? std::to_string(clip_.size()) : "*";
  if (first >= clip_.size()) {
    headers.emplace_back("Content-Range", "bytes */" + std::to_string(clip_.size()));
    return answer(416, "", std::move(headers));
  }
  std::string body = clip_.substr(first);
  if (sends_length) headers.emplace_back("Content-Length", std::to_string(body.size()));
  const bool is_part = takes_ranges && first != 0;
  if (is_part)
    headers.emplace_back("Content-Range", "bytes " + std::to_string(first) + "-" +
                                              std::to_string(clip_.size() - 1) + "/" + total);
  return answer(is_part ? 206 : 200, std::move(body), std::move(headers));
}

void FakeService::set_clip(std::string clip) {
  MutexLock lock(mutex_);
  clip_ = std::move(clip);
}

std::string FakeService::clip() const {
  MutexLock lock(mutex_);
  return clip_;
}

unsigned FakeService::submits() const {
  MutexLock lock(mutex_);
  return submits_;
}

unsigned FakeService::queries() const {
  MutexLock lock(mutex_);
  return queries_;
}

std::vector<std::string> FakeService::ranges() const {
  MutexLock lock(mutex_);
  return ranges_;
}

size_t FakeService::media_bytes() const {
  MutexLock lock(mutex_);
  return media_bytes_;
}

}  // namespace genclip::test
