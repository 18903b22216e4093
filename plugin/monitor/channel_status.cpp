// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/channel_status.h"

#include <algorithm>
#include <utility>

#include "plugin/base/shown_text.h"
#include "plugin/base/utc_time.h"

namespace genclip {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

Json json_text(const std::string &any) { return any.empty() ? Json() : Json(shown_line(any)); }
Json json_count(uint64_t number) { return static_cast<int64_t>(number); }
Json json_seconds(Clock::WallTime::duration time) {
  return static_cast<double>(duration_cast<milliseconds>(time).count()) / 1000;
}

Json json_of(const std::optional<ShownPiece> &piece) {
  if (!piece) return {};
  return Json::Object{{"id", json_text(piece->id)},
                      {"title", json_text(piece->title)},
                      {"kind", json_text(piece->kind)},
                      {"frame", json_count(piece->frame)},
                      {"duration_frames", json_count(piece->duration_frames)},
                      {"source", json_text(piece->source)},
                      {"since", utc_text(piece->since)}};
}

Json json_of(const AheadItem &item) {
  return Json::Object{{"id", json_text(item.id)},
                      {"title", json_text(item.title)},
                      {"state", json_text(item.state)},
                      {"reason", json_text(item.reason)},
                      {"start", utc_text(item.start)},
                      {"duration", item.duration.count() > 0 ? json_seconds(item.duration) : Json()}};
}

Json json_of(const ShownOutput &output) {
  return Json::Object{{"name", json_text(output.name)},          {"kind", json_text(output.kind)},
                      {"state", to_word(output.state)},          {"since", utc_text(output.since)},
                      {"rebuilds", json_count(output.rebuilds)}, {"bytes", json_count(output.bytes)},
                      {"error", json_text(output.error)}};
}

Json json_of(const ActiveAlarm &alarm) {
  return Json::Object{{"kind", json_text(alarm.kind)},
                      {"subject", json_text(alarm.subject)},
                      {"text", json_text(alarm.text)},
                      {"since", utc_text(alarm.since)}};
}

template <typename T>
Json all_of(const std::vector<T> &values) {
  Json::Array array;
  for (const T &value : values) array.push_back(json_of(value));
  return array;
}

Json json_of(const std::optional<ChannelBudget> &budget) {
  if (!budget) return {};
  const auto number = [&](double known) { return budget->unit.empty() ? Json() : Json(known); };
  return Json::Object{{"unit", json_text(budget->unit)},
                      {"limit", number(budget->limit)},
                      {"spent", number(budget->spent)},
                      {"reserved", number(budget->reserved)},
                      {"resumes_at", budget->resumes_at ? Json(utc_text(*budget->resumes_at)) : Json()},
                      {"text", json_text(budget->text)}};
}

Json json_of(const std::optional<FallbackStatus> &fallback) {
  if (!fallback) return {};
  return Json::Object{{"since", utc_text(fallback->since)},
                      {"for", json_text(fallback->for_id)},
                      {"reason", json_text(fallback->reason)}};
}

}  // namespace

void ItemReasons::take(std::string id, std::string state, std::string reason) {
  if (const auto known = told_.find(id); known != told_.end()) {
    order_.erase(known->second.place);
    told_.erase(known);
  }
  if (reason.empty()) return;
  if (told_.size() >= kMost) {
    told_.erase(order_.front());
    order_.pop_front();
  }
  const auto place = order_.insert(order_.end(), id);
  told_[std::move(id)] = {std::move(state), std::move(reason), place};
}

std::string ItemReasons::reason_of(const std::string &id, const std::string &state) const {
  const auto told = told_.find(id);
  return told != told_.end() && told->second.state == state ? told->second.reason : "";
}

Json status_json(const ChannelStatus &status) {
  return Json::Object{
      {"channel", json_text(status.channel)},
      {"run", json_text(status.run)},
      {"at", utc_text(status.at)},
      {"started_at", utc_text(status.started_at)},
      {"uptime", json_seconds(status.at - status.started_at)},
      {"frames_per_second", status.frames_per_second},
      {"now", json_of(status.now)},
      {"next", json_of(status.next)},
      {"ahead", all_of(status.ahead)},
      {"frames", json_count(status.frames)},
      {"audio_frames", json_count(status.audio_frames)},
      {"aired", json_count(status.aired)},
      {"fallbacks", json_count(status.fallbacks)},
      {"slates", json_count(status.slates)},
      {"late", json_count(status.late)},
      {"dropped", json_count(status.dropped)},
      {"skipped", json_count(status.skipped)},
      {"spent", status.spent},
      {"budget", json_of(status.budget)},
      {"outputs", all_of(status.outputs)},
      {"fallback", json_of(status.fallback)},
      {"alarms", all_of(status.alarms)},
      {"alarm_deliveries", Json::Object{{"failed", json_count(status.alarm_deliveries.failed)},
                                        {"error", json_text(status.alarm_deliveries.error)}}},
      {"rundown", Json::Object{{"accepted", status.rundown.accepted},
                               {"items", json_count(status.rundown.items)},
                               {"line", status.rundown.line ? Json(status.rundown.line) : Json()},
                               {"text", json_text(status.rundown.text)}}},
      {"hold", status.hold}};
}

}  // namespace genclip
