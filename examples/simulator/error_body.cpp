// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/error_body.h"

#include <libsoup/soup.h>

#include <algorithm>

#include "examples/simulator/json_path.h"

namespace genclip::sim {
namespace {

Json object(Json::Object members) { return Json(std::move(members)); }

Json nested(unsigned status, const std::string &message) {
  return object({{"error", object({{"message", message},
                                   {"type", "invalid_request_error"},
                                   {"param", nullptr},
                                   {"code", static_cast<int64_t>(status)}})}});
}

// The shapes that have the message under another name, and perhaps a code beside it.
struct Place {
  ErrorShape shape;
  std::string_view message, code;
};

constexpr Place kPlaces[] = {
    {ErrorShape::fail_reason, "fail_reason", ""},
    {ErrorShape::task_status_msg, "task_status_msg", ""},
    {ErrorShape::failure_reason, "failure_reason", ""},
    {ErrorShape::base_resp, "base_resp.status_msg", "base_resp.status_code"},
    {ErrorShape::err_msg, "err_msg", "err_code"},
    {ErrorShape::failure, "failure", ""},
    {ErrorShape::status_message, "status_message", ""},
};

// Null for all other shapes.
const Place *place_of(ErrorShape shape) {
  const Place *found =
      std::ranges::find_if(kPlaces, [&](const Place &place) { return place.shape == shape; });
  return found == std::end(kPlaces) ? nullptr : found;
}

void set_place(Json &out, const Place &place, unsigned status, const std::string &message) {
  if (!place.code.empty()) set_at(out, place.code, status);
  set_at(out, place.message, message);
}

Json body(unsigned status, const std::string &message, ErrorShape shape) {
  const auto code = static_cast<int64_t>(status);
  if (const Place *place = place_of(shape)) {
    Json out;
    set_place(out, *place, status, message);
    return out;
  }
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
    case ErrorShape::escaped:
      return object(
          {{"error",
            object({{"message", object({{"error", nested(status, message).to_text()}}).to_text()}})}});
    case ErrorShape::empty: return object({});
    case ErrorShape::text: return Json(message);
    default: break;
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
  if (const Place *place = place_of(shape)) {
    std::erase_if(*task.object(), [](const Json::Member &member) { return member.first == "error"; });
    return set_place(task, *place, kStatus, message);
  }
  switch (shape) {
    case ErrorShape::usual:
    case ErrorShape::string:
    case ErrorShape::text: task.set("error", message); break;
    case ErrorShape::code_text: {
      const Json fields = body(kStatus, message, shape);
      for (const auto &[name, value] : *fields.object()) task.set(name, value);
      break;
    }
    case ErrorShape::escaped: task.set("error", body(kStatus, message, shape).to_text()); break;
    default: task.set("error", body(kStatus, message, shape)); break;
  }
}

}  // namespace genclip::sim
