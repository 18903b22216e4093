// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/error_body.h"

#include <libsoup/soup.h>

namespace genclip::sim {
namespace {

Json object(Json::Object members) { return Json(std::move(members)); }

Json nested(unsigned status, const std::string &message) {
  return object({{"error", object({{"message", message},
                                   {"type", "invalid_request_error"},
                                   {"param", nullptr},
                                   {"code", static_cast<int64_t>(status)}})}});
}

Json body(unsigned status, const std::string &message, ErrorShape shape) {
  const auto code = static_cast<int64_t>(status);
  switch (shape) {
    case ErrorShape::usual:
    case ErrorShape::nested: return nested(status, message);
    case ErrorShape::string: return object({{"error", message}});
    case ErrorShape::object: return object({{"code", code}, {"message", message}});
    case ErrorShape::code_text: return object({{"error", "request_failed"}, {"message", message}});
    case ErrorShape::detail: return object({{"detail", message}});
    case ErrorShape::detail_list:
      return object({{"detail", Json::Array{object({{"loc", Json::Array{"body"}}, {"msg", message}})}}});
    case ErrorShape::problem:
      return object({{"type", "about:blank"},
                     {"title", soup_status_get_phrase(status)},
                     {"status", code},
                     {"detail", message}});
    case ErrorShape::fail_reason: return object({{"fail_reason", message}});
    case ErrorShape::escaped:
      return object(
          {{"error",
            object({{"message", object({{"error", nested(status, message).to_text()}}).to_text()}})}});
    case ErrorShape::empty: return object({});
    case ErrorShape::text: return Json(message);
  }
  return {};
}

}  // namespace

Reply error_reply(unsigned status, const std::string &message, ErrorShape shape) {
  return shape == ErrorShape::text ? text_reply(status, message)
                                   : json_reply(status, body(status, message, shape));
}

void set_failure(Json &task, const std::string &message, ErrorShape shape) {
  constexpr unsigned kStatus = 500;
  switch (shape) {
    case ErrorShape::usual:
    case ErrorShape::string:
    case ErrorShape::text: task.set("error", message); break;
    case ErrorShape::fail_reason:
    case ErrorShape::code_text: {
      const Json fields = body(kStatus, message, shape);
      for (const auto &[name, value] : *fields.object()) task.set(name, value);
      break;
    }
    case ErrorShape::escaped: task.set("error", body(kStatus, message, shape).to_text()); break;
    case ErrorShape::object:
    case ErrorShape::nested:
    case ErrorShape::detail:
    case ErrorShape::detail_list:
    case ErrorShape::problem:
    case ErrorShape::empty: task.set("error", body(kStatus, message, shape)); break;
  }
}

}  // namespace genclip::sim
