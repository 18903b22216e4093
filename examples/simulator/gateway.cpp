// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/gateway.h"

#include "examples/simulator/strict_json.h"

namespace genclip::sim {

void Gateway::set_pace(const GatewayPace &pace) {
  MutexLock lock(mutex_);
  pace_ = pace;
}

void Gateway::add_fault(const GatewayFault &fault, unsigned times) {
  MutexLock lock(mutex_);
  faults_.push_back({fault, times});
}

unsigned Gateway::calls() const {
  MutexLock lock(mutex_);
  return calls_;
}

unsigned Gateway::valid_calls() const {
  MutexLock lock(mutex_);
  return valid_calls_;
}

std::vector<std::string> Gateway::problems() const {
  MutexLock lock(mutex_);
  return problems_;
}

GatewayReply Gateway::refuse(unsigned code, const std::string &why) {
  MutexLock lock(mutex_);
  problems_.push_back(why);
  return gateway_refusal(code, why);
}

GatewayFault Gateway::next_fault() {
  if (faults_.empty()) return {};
  GatewayFault fault = faults_.front().fault;
  if (faults_.front().times > 0 && --faults_.front().times == 0) faults_.pop_front();
  return fault;
}

Result<GatewayQuestion, GatewayReply> Gateway::judge(const GatewayCall &call) {
  {
    MutexLock lock(mutex_);
    ++calls_;
  }
  if (!call.authorization.starts_with("Bearer ") || call.authorization.size() < 8)
    return refuse(401, "There is no key.");
  if (call.method != "POST") return refuse(405, "Only POST is served.");
  auto question = read_gateway_path(call.path);
  if (!question) return refuse(404, question.error().text);
  if (!call.content_type.starts_with("application/json"))
    return refuse(415, "Content-Type is not application/json.");
  const auto body = parse_strictly(call.body);
  if (!body) return refuse(400, body.error().text);
  std::string why;
  for (const std::string &problem : read_gateway_body(*body, *question))
    why += (why.empty() ? "" : "; ") + problem;
  if (!why.empty()) return refuse(400, why + ".");
  MutexLock lock(mutex_);
  ++valid_calls_;
  return *std::move(question);
}

GatewayReply Gateway::answer(const GatewayCall &call) {
  const auto question = judge(call);
  if (!question) return question.error();
  GatewayFault fault;
  GatewayPace pace;
  {
    MutexLock lock(mutex_);
    fault = next_fault();
    pace = pace_;
  }
  return gateway_answer(*question, GatewayShape::events, fault, pace);
}

GatewayReply Gateway::answer(const GatewayCall &call, GatewayShape shape, const GatewayFault &fault,
                             bool &valid) {
  const auto question = judge(call);
  valid = question.has_value();
  return valid ? gateway_answer(*question, shape, fault, {}) : question.error();
}

}  // namespace genclip::sim
