// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/alarms.h"

#include <algorithm>

#include "plugin/base/shown_text.h"
#include "plugin/base/utc_time.h"

namespace genclip {
namespace {

using std::chrono::seconds;

struct AlarmRule {
  AlarmKind kind;
  seconds after;  // For how long its condition must hold.
  const char *text;
};

constexpr const char *kFallbackText = "A fallback has been on the air for 60 s.";

constexpr AlarmRule kAlarmRules[] = {
    {AlarmKind::fallback, seconds(60), kFallbackText},
    {AlarmKind::budget, seconds(0), "The budget is spent: nothing new is generated."},
    {AlarmKind::key, seconds(0), "The service refuses the key: nothing new is generated."},
    {AlarmKind::output, seconds(10), "The output does not run."},
    {AlarmKind::silence, seconds(9), "The sound that leaves has been silent for 10 s."},
    {AlarmKind::frozen, seconds(9), "The picture that leaves has stood still for 10 s."},
    {AlarmKind::stopped, seconds(10), "No frame has left for 10 s."},
    {AlarmKind::overload, seconds(0),
     "The encoder is too slow, so pictures are left out: it needs a faster preset, a smaller picture or a "
     "lower frame rate."},
    {AlarmKind::disk, seconds(0), "The disk is full: nothing new is generated."},
    {AlarmKind::rundown, seconds(0), "No new rundown is taken; the one before it plays on."},
    {AlarmKind::asrun, seconds(0), "The as-run log cannot be written; its lines wait."},
    {AlarmKind::state, seconds(0), "The state file cannot be written."},
    {AlarmKind::lock, seconds(0), "The lock of the state file is lost: another channel may use that file."},
};

const AlarmRule &rule_of(AlarmKind kind) {
  return *std::find_if(std::begin(kAlarmRules), std::end(kAlarmRules),
                       [kind](const AlarmRule &rule) { return rule.kind == kind; });
}

std::string with_cause(std::string text, const std::string &cause) {
  if (!cause.empty()) text += " " + cause;
  return text;
}

// A condition that holds. It is raised when it has held for its rule's time and is ripe.
struct Condition {
  std::string text;
  bool ripe = true;
};

// Sound and picture are looked at from 1 s of stillness on, which 9 s more follow: the watch alone does not
// do, as what stood still where it may (a still before a clip, say) starts to count when it may no longer.
// The rule alone does not do either, as the picture may change between two looks.
constexpr seconds kStill{1}, kStillTooLong{10};
// An encoder that is a little too slow is so now and then: the alarm is over when it kept up for that time.
constexpr seconds kKeptUp{60};

std::map<AlarmName, Condition> conditions(const AlarmRecord &record, const Observation &seen,
                                          Clock::Time now) {
  std::map<AlarmName, Condition> held;
  const auto add = [&held](AlarmKind kind, bool holds, const std::string &text, std::string subject = {},
                           bool ripe = true) {
    if (holds)
      held[{kind, std::move(subject)}] = {text.empty() ? rule_of(kind).text : shown_line(text), ripe};
  };
  add(AlarmKind::fallback, seen.fallback.holds, with_cause(kFallbackText, seen.fallback.text));
  add(AlarmKind::budget, seen.budget.holds, seen.budget.text);
  add(AlarmKind::key, seen.key.holds, seen.key.text);
  add(AlarmKind::disk, seen.disk.holds, seen.disk.text);
  add(AlarmKind::rundown, seen.rundown.holds,
      with_cause(rule_of(AlarmKind::rundown).text, seen.rundown.text));
  add(AlarmKind::asrun, seen.asrun.holds, seen.asrun.text);
  add(AlarmKind::state, seen.state.holds, seen.state.text);
  add(AlarmKind::lock, seen.lock.holds, seen.lock.text);
  add(AlarmKind::silence, seen.silent_for >= kStill && !seen.may_be_silent, {}, {},
      seen.silent_for >= kStillTooLong);
  add(AlarmKind::frozen, seen.still_for >= kStill && !seen.may_be_still, {}, {},
      seen.still_for >= kStillTooLong);
  add(AlarmKind::stopped, seen.frames && seen.frames == record.frames, {});
  add(AlarmKind::overload, record.last_skip && now - *record.last_skip < kKeptUp, {});
  for (const Observation::Output &output : seen.outputs)
    add(AlarmKind::output, !output.runs,
        with_cause("The output " + output.name + " does not run.", output.error), output.name);
  return held;
}

}  // namespace

std::pair<AlarmRecord, std::vector<AlarmEvent>> next_alarms(AlarmRecord record, const Observation &seen,
                                                            Clock::Time now, Clock::WallTime wall_now) {
  std::vector<AlarmEvent> events;
  if (seen.skipped > record.skipped) record.last_skip = now;
  record.skipped = seen.skipped;
  auto held = conditions(record, seen, now);
  record.frames = seen.frames;
  for (auto at = record.entries.begin(); at != record.entries.end();) {
    const auto &[name, entry] = *at;
    if (held.contains(name)) {
      ++at;
      continue;
    }
    if (entry.raised) events.push_back({name, false, entry.text, entry.wall_since, wall_now});
    at = record.entries.erase(at);
  }
  for (auto &[name, condition] : held) {
    auto &entry =
        record.entries.try_emplace(name, AlarmRecord::Entry{now, wall_now, false, {}}).first->second;
    entry.text = std::move(condition.text);
    if (entry.raised || !condition.ripe || now - entry.since < rule_of(name.kind).after) continue;
    entry.raised = true;
    events.push_back({name, true, entry.text, entry.wall_since, wall_now});
  }
  return {std::move(record), std::move(events)};
}

std::vector<ActiveAlarm> active_alarms(const AlarmRecord &record) {
  std::vector<ActiveAlarm> active;
  for (const auto &[name, entry] : record.entries)
    if (entry.raised) active.push_back({to_word(name.kind), name.subject, entry.text, entry.wall_since});
  return active;
}

Json alarm_json(const AlarmEvent &event, const std::string &channel, const std::string &run) {
  return Json::Object{{"alarm", to_word(event.name.kind)},
                      {"subject", event.name.subject.empty() ? Json() : Json(shown_line(event.name.subject))},
                      {"state", event.raised ? "raised" : "cleared"},
                      {"text", shown_line(event.text)},
                      {"channel", shown_line(channel)},
                      {"run", shown_line(run)},
                      {"since", utc_text(event.since)},
                      {"at", utc_text(event.at)}};
}

}  // namespace genclip
