// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Translates the simulator's faults into the gateway's; the stage sends the answers.
#include "examples/simulator/gateway_server.h"

#include "examples/simulator/error_body.h"
#include "examples/simulator/request_header.h"

namespace genclip::sim {
namespace {

GatewayShape shape_of(std::span<const Fault> faults) {
  struct Name {
    GatewayShape shape;
    const char *name;
  };
  constexpr Name kNames[] = {
      {GatewayShape::events, "events"},       {GatewayShape::events_crlf, "events-crlf"},
      {GatewayShape::events_cr, "events-cr"}, {GatewayShape::events_tight, "events-tight"},
      {GatewayShape::array, "array"},         {GatewayShape::lines, "lines"}};
  if (const Fault *framing = find_fault(faults, FaultKind::framing))
    for (const Name &name : kNames)
      if (framing->text == name.name) return name.shape;
  return GatewayShape::events;
}

GatewayFault of_form(FormFault form, const std::string &text = {}) {
  return {GatewayFaultKind::form, 0, text, {}, form};
}

GatewayFault fault_of(std::span<const Fault> faults) {
  for (const Fault &fault : faults) {
    const auto code = static_cast<unsigned>(fault.number);
    switch (fault.kind) {
      case FaultKind::blocked: return {GatewayFaultKind::blocked, 0, fault.text};
      case FaultKind::prompt_blocked: return {GatewayFaultKind::prompt_blocked, 0, fault.text};
      case FaultKind::error_on_200: return {GatewayFaultKind::error_on_200, code};
      case FaultKind::error_in_array: return {GatewayFaultKind::error_in_array, code};
      case FaultKind::error_midway: return {GatewayFaultKind::error_midway, code};
      case FaultKind::quota: return {GatewayFaultKind::status, 429, {}, fault.text};
      case FaultKind::max_tokens: return {GatewayFaultKind::thinks_too_long};
      case FaultKind::thought: return {GatewayFaultKind::thinks_aloud};
      case FaultKind::finish: return {GatewayFaultKind::finish, 0, fault.text};
      case FaultKind::no_finish: return {GatewayFaultKind::no_finish};
      case FaultKind::no_text: return {.kind = GatewayFaultKind::no_text, .text = fault.text, .as = fault.as};
      case FaultKind::cut_behind: return {GatewayFaultKind::cut_behind, code};
      case FaultKind::halves: return {GatewayFaultKind::halves};
      case FaultKind::lacks_key: return of_form(FormFault::lacks_key, fault.text);
      case FaultKind::other_key: return of_form(FormFault::other_key, fault.text);
      case FaultKind::lacks_number: return of_form(FormFault::lacks_number);
      case FaultKind::wrong_number: return of_form(FormFault::wrong_number);
      case FaultKind::fence: return of_form(FormFault::fence);
      case FaultKind::reversed: return of_form(FormFault::reversed);
      case FaultKind::no_form: return of_form(FormFault::no_form);
      default: break;
    }
  }
  return {};
}

}  // namespace

void GatewayServer::handle(SoupServerMessage *message, const std::string &path) {
  stage_.handle(message, Call::text, false, [this, message, path](std::span<const Fault> faults) {
    return answer(message, path, faults);
  });
}

Reply GatewayServer::answer(SoupServerMessage *message, const std::string &path,
                            std::span<const Fault> faults) {
  GatewayCall call{soup_server_message_get_method(message), path,
                   request_header(message, "Authorization").value_or(""),
                   request_header(message, "Content-Type").value_or(""), ""};
  const Fault *renewed = find_fault(faults, FaultKind::key);
  if (call.authorization != "Bearer " + (renewed ? renewed->text : key_)) {
    ledger_.refuse("401 The header Authorization has no valid key.");
    return error_reply(401, "The header Authorization has no valid key.");
  }
  const auto bytes =
      GRef<GBytes>::adopt(soup_message_body_flatten(soup_server_message_get_request_body(message)));
  gsize size = 0;
  const auto *data = static_cast<const char *>(g_bytes_get_data(bytes.get(), &size));
  if (size > 0) call.body.assign(data, size);
  bool valid = false;
  const GatewayReply answer = gateway_.answer(call, shape_of(faults), fault_of(faults), valid);
  std::string body;
  for (const std::string &chunk : answer.chunks) body += chunk;
  if (valid)
    ledger_.count([](SimulatorStats &stats) { ++stats.texts; });
  else
    ledger_.refuse(std::to_string(answer.status) + " " + body);
  // A length that is not kept is how HTTP shows a cut.
  const int64_t lacking = answer.cut ? 1000 : 0;
  return {.status = answer.status,
          .content_type = answer.content_type,
          .body = bytes_of(body),
          .length_difference = lacking};
}

}  // namespace genclip::sim
