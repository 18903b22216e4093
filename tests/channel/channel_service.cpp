// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/channel/channel_service.h"

#include <algorithm>

#include "plugin/base/json.h"
#include "tests/support/sample_clip.h"

namespace genclip::test {
namespace {

constexpr char kTasks[] = "/v2/model-center/tasks/";
constexpr char kMedia[] = "https://media.example/";
constexpr size_t kClipSize = 20'000;

std::string prompt_of(const HttpRequest &request) {
  const auto body = Json::parse(request.body.text());
  const Json *prompt = body ? body->find("prompt") : nullptr;
  return prompt && prompt->string() ? *prompt->string() : "";
}

}  // namespace

void ChannelService::set(const std::string &prompt, const Fate &fate) {
  MutexLock lock(mutex_);
  fates_[prompt] = fate;
}

void ChannelService::refuse_all(unsigned status) {
  MutexLock lock(mutex_);
  refusal_ = status;
}

FakeAnswer ChannelService::operator()(const HttpRequest &request) {
  MutexLock lock(mutex_);
  if (request.method == HttpRequest::Method::post) return submit(request);
  const auto tasks = request.url.find(kTasks);
  if (tasks != std::string::npos) return query(request.url.substr(tasks + sizeof kTasks - 1));
  const std::string name = request.url.substr(sizeof kMedia - 1);
  return media(name.substr(0, name.find('?')));
}

FakeAnswer ChannelService::submit(const HttpRequest &request) {
  ++attempts_;
  const std::string prompt = prompt_of(request);
  const Fate &fate = fates_[prompt];
  const unsigned refusal = refusal_ != 0 ? refusal_ : fate.refusal;
  if (refusal != 0) return answer(refusal, R"({"error":"no"})");
  const std::string id = "task-" + std::to_string(tasks_.size() + 1);
  tasks_[id] = {prompt, 0, false};
  ++days_[day_of(to_utc(clock_.wall_now()))];
  if (fate.failure.empty()) charged_ += fate.amount;
  most_under_way_ = std::max(most_under_way_, ++under_way_);
  if (fate.loses_answer) {
    end(tasks_[id]);
    return lost();
  }
  return answer(200, R"({"id":")" + id + R"(","status":"queued"})");
}

void ChannelService::end(Task &task) {
  if (!std::exchange(task.is_over, true)) --under_way_;
}

FakeAnswer ChannelService::query(const std::string &id) {
  ++queries_;
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) return answer(404, R"({"error":"no such task"})");
  Task &task = found->second;
  const Fate &fate = fates_[task.prompt];
  if (fate.is_denied) return answer(404, R"({"error":"no such task"})");
  Json reply;
  reply.set("id", id);
  if (fate.hangs || ++task.queries <= fate.polls) {
    reply.set("status", "processing");
  } else if (!fate.failure.empty()) {
    end(task);
    reply.set("status", "failed");
    reply.set("error", fate.failure);
  } else {
    end(task);
    reply.set("status", "completed");
    reply.set("amount", fate.amount);
    reply.set("video_url", kMedia + id + "?sig=secret");
  }
  return answer(200, reply.to_text());
}

FakeAnswer ChannelService::media(const std::string &id) {
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) return answer(404, "");
  const Fate &fate = fates_[found->second.prompt];
  if (fate.media_status != 0) return answer(fate.media_status, "");
  ++downloads_[found->second.prompt];
  const std::string clip = sample_mp4(kClipSize);
  return answer(200, clip, {{"Content-Length", std::to_string(clip.size())}, {"ETag", "\"" + id + "\""}});
}

unsigned ChannelService::submits(const std::string &prompt) const {
  MutexLock lock(mutex_);
  return static_cast<unsigned>(std::count_if(tasks_.begin(), tasks_.end(),
                                             [&](const auto &task) { return task.second.prompt == prompt; }));
}

unsigned ChannelService::submits() const {
  MutexLock lock(mutex_);
  return static_cast<unsigned>(tasks_.size());
}

unsigned ChannelService::queries() const {
  MutexLock lock(mutex_);
  return queries_;
}

unsigned ChannelService::attempts() const {
  MutexLock lock(mutex_);
  return attempts_;
}

unsigned ChannelService::downloads(const std::string &prompt) const {
  MutexLock lock(mutex_);
  const auto found = downloads_.find(prompt);
  return found == downloads_.end() ? 0 : found->second;
}

double ChannelService::charged() const {
  MutexLock lock(mutex_);
  return charged_;
}

unsigned ChannelService::most_under_way() const {
  MutexLock lock(mutex_);
  return most_under_way_;
}

std::vector<unsigned> ChannelService::days() const {
  MutexLock lock(mutex_);
  std::vector<unsigned> counts;
  if (days_.empty()) return counts;
  for (UtcDay day = days_.begin()->first; day <= days_.rbegin()->first; day += std::chrono::days(1)) {
    const auto found = days_.find(day);
    counts.push_back(found == days_.end() ? 0 : found->second);
  }
  return counts;
}

}  // namespace genclip::test
