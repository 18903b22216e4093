// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Bounds how deep one error may be wrapped in another.
#include "plugin/caption/service_fault.h"

#include <glib.h>

#include <cmath>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"

namespace genclip {
namespace {

constexpr int kMaxWrapping = 4;

std::string text_of(const Json *value) {
  if (!value) return {};
  if (const auto *text = value->string()) return *text;
  return {};
}

int code_of(const Json *value) {
  if (!value) return 0;
  if (const auto number = value->number())
    return *number > 0 && *number < 1000 ? static_cast<int>(*number) : 0;
  std::string_view text = value->string() ? *value->string() : std::string_view();
  const int code = take_number<int>(text).value_or(0);
  return code > 0 && code < 1000 ? code : 0;
}

// "45.8s", as google.protobuf.Duration has it.
std::optional<std::chrono::milliseconds> duration_of(std::string_view text) {
  const auto seconds = take_number<double>(text);
  if (!seconds || text != "s" || *seconds < 0 || *seconds > 1e6) return std::nullopt;
  return std::chrono::milliseconds(std::llround(*seconds * 1000));
}

bool names_a_day(std::string_view text) {
  const GStringPtr lower(g_ascii_strdown(text.data(), static_cast<gssize>(text.size())));
  const std::string_view low = lower.get();
  for (const std::string_view word : {"perday", "per day", "per_day", "daily"})
    if (low.find(word) != std::string_view::npos) return true;
  return false;
}

void read_details(const Json &details, ServiceFault &fault) {
  if (!details.array()) return;
  for (const Json &detail : *details.array()) {
    if (const auto delay = duration_of(text_of(detail.find("retryDelay")))) fault.retry_delay = delay;
    const Json *violations = detail.find("violations");
    if (!violations || !violations->array()) continue;
    for (const Json &violation : *violations->array())
      for (const char *field : {"quotaId", "quotaMetric", "description"})
        if (names_a_day(text_of(violation.find(field)))) fault.daily_quota = true;
  }
}

bool is_empty(const Json &value) {
  return value.is_null() || (value.object() && value.object()->empty()) ||
         (value.string() && value.string()->empty());
}

std::optional<ServiceFault> read_object(const Json &error, int depth);

// A gateway often puts the whole answer of the service behind it into its own message, as text.
std::optional<ServiceFault> unwrap(const std::string &message, int depth) {
  if (depth >= kMaxWrapping || message.empty() || message.find('{') != 0) return std::nullopt;
  const auto inner = Json::parse(message);
  if (!inner) return std::nullopt;
  const Json *error = inner->find("error");
  return read_object(error ? *error : *inner, depth + 1);
}

std::optional<ServiceFault> read_object(const Json &error, int depth) {
  ServiceFault fault;
  if (const auto *text = error.string()) {
    if (auto inner = unwrap(*text, depth)) return inner;
    fault.message = *text;
    return fault;
  }
  if (const Json *nested = error.find("error"); nested && nested->object() && depth < kMaxWrapping)
    return read_object(*nested, depth + 1);
  fault.code = code_of(error.find("code"));
  fault.status = text_of(error.find("status"));
  for (const char *field : {"type", "code"})
    if (fault.status.empty()) fault.status = text_of(error.find(field));
  for (const char *field : {"code", "status", "type", "reason"})
    if (const std::string word = text_of(error.find(field)); fault.withheld.empty() && is_blocking(word))
      fault.withheld = word;
  for (const char *field : {"message", "detail", "title", "error"})
    if (fault.message.empty()) fault.message = text_of(error.find(field));
  if (const Json *details = error.find("details")) read_details(*details, fault);
  if (names_a_day(fault.message)) fault.daily_quota = true;
  if (auto inner = unwrap(fault.message, depth)) {
    if (inner->code == 0) inner->code = fault.code;
    if (inner->withheld.empty()) inner->withheld = fault.withheld;
    return inner;
  }
  if (fault.code == 0 && fault.message.empty() && fault.status.empty() && fault.withheld.empty())
    return std::nullopt;
  return fault;
}

}  // namespace

std::optional<ServiceFault> read_service_fault(const Json &document) {
  if (const Json *error = document.find("error"); error && !is_empty(*error)) {
    auto fault = read_object(*error, 0);
    if (fault && fault->message.empty()) fault->message = text_of(document.find("message"));
    return fault;
  }
  if (document.find("candidates") || document.find("usageMetadata") || document.find("promptFeedback"))
    return std::nullopt;
  for (const char *field : {"message", "detail", "title"})
    if (!text_of(document.find(field)).empty()) return read_object(document, 0);
  return std::nullopt;
}

}  // namespace genclip
