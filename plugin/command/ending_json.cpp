// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/ending_json.h"

#include <algorithm>

#include "plugin/base/trimmed.h"
#include "plugin/command/option_words.h"
#include "plugin/generation/paid_amount.h"

namespace genclip {
namespace {

void set_known(Json &json, const char *name, double value) {
  if (value >= 0) json.set(name, value);
}

// What a clip that existed has cost, else what this run has paid, as far as it was told; -1: nothing was.
double told_amount(const GenerationState &state) {
  const bool is_known = state.amount >= 0 || state.links_amount > 0;
  return state.reused || !is_known ? state.amount : paid_amount(state);
}

// "link-task-id" is link_task_id.
std::string member_of(const ErrorDetail &detail) {
  std::string name = detail.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

bool has_outcome(const Error &error, Outcome outcome) {
  return std::any_of(error.details.begin(), error.details.end(), [&](const ErrorDetail &detail) {
    const auto *word = std::get_if<std::string>(&detail.value);
    return detail.name == "outcome" && word && *word == to_word(outcome);
  });
}

}  // namespace

RunEnding ending_of_state(const GenerationState &state) {
  if (state.status == ClipStatus::completed)
    return {Outcome::stored, state.charged ? Charged::yes : Charged::no, true};
  if (state.is_submitting())
    return {Outcome::unknown, state.links_charged ? Charged::yes : Charged::maybe, false};
  if (state.is_unfetched()) return {Outcome::paid_unfetched, Charged::yes, true};
  if (state.is_running()) return {Outcome::running, Charged::yes, true};
  // The clips that it begins with may be paid.
  const bool has_paid = state.charged || state.links_amount > 0;
  return {Outcome::not_submitted, has_paid ? Charged::yes : Charged::no, true};
}

bool has_failed_at_a_cost(const Error &error) {
  bool is_charged = false, may_retry = false;
  for (const ErrorDetail &detail : error.details) {
    const auto *word = std::get_if<std::string>(&detail.value);
    const auto *flag = std::get_if<bool>(&detail.value);
    if (detail.name == "charged" && word) is_charged = *word == to_word(Charged::yes);
    if (detail.name == "retry" && flag) may_retry = *flag;
  }
  return has_outcome(error, Outcome::failed) && is_charged && !may_retry;
}

bool may_be_paid(const Error &error) { return has_outcome(error, Outcome::unknown); }

bool is_under_way(const Error &error) { return has_outcome(error, Outcome::running); }

Error not_written(Error error, const GenerationState &state) {
  error.text = std::string(without_full_stop(error.text)) + ". It is stored as " + state.clip_location + ".";
  error = with_paid(with_ending(std::move(error), ending_of_state(state)), state);
  if (state.reused) error.details.push_back({"reused", true});
  if (error.task_id.empty()) error.task_id = state.task_id;
  return error;
}

Json state_json(const GenerationState &state, std::string_view status) {
  Json json = Json::Object{{"status", status}};
  if (!state.model.empty()) json.set("model", state.model);
  json.set("task_id", state.task_id.empty() ? Json() : Json(state.task_id));
  json.set("reused", state.reused);
  set_known(json, "amount", told_amount(state));
  set_known(json, "actual_duration", state.actual_duration);
  if (state.status != ClipStatus::completed) set_known(json, "eta", state.eta);
  const RunEnding end = ending_of_state(state);
  json.set("outcome", to_word(end.outcome));
  json.set("charged", to_word(end.charged));
  json.set("retry", end.retry);
  return json;
}

Json failure_json(const Error &error, const std::optional<ClipRequest> &request) {
  Json json = Json::Object{{"status", "failed"}, {"error", with_options(error.text)}};
  if (request) {
    const Json *prompt = request->fields.find("prompt");
    json.set("model", request->model);
    json.set("prompt", prompt ? *prompt : Json());
    json.set("take", request->take);
  }
  json.set("task_id", error.task_id.empty() ? Json() : Json(error.task_id));
  if (error.http_status > 0) json.set("http_status", error.http_status);
  if (!error.service_message.empty()) json.set("service_message", error.service_message);
  const Error ended = with_ending(error, {Outcome::not_submitted});
  for (const ErrorDetail &detail : ended.details)
    std::visit([&](const auto &value) { json.set(member_of(detail), value); }, detail.value);
  return json;
}

}  // namespace genclip
