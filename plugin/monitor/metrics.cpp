// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Writes the text format of Prometheus, as its documents describe it:
// https://prometheus.io/docs/instrumenting/exposition_formats/.
#include <string>
#include <utility>
#include <vector>

#include "plugin/base/number.h"
#include "plugin/base/shown_text.h"
#include "plugin/base/version.h"
#include "plugin/monitor/alarms.h"
#include "plugin/monitor/channel_status.h"

namespace genclip {
namespace {

using Labels = std::vector<std::pair<const char *, std::string>>;

std::string label_value(const std::string &any) {
  std::string escaped;
  for (const char letter : shown_line(any)) {
    if (letter == '\\' || letter == '"') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

double seconds_of(Clock::WallTime::duration time) { return std::chrono::duration<double>(time).count(); }

class Exposition {
 public:
  explicit Exposition(std::string channel) : channel_(std::move(channel)) {}

  // Opens a family; its samples follow. The name of a counter ends in _total.
  void family(const char *name, const char *type, const char *help) {
    name_ = std::string("genclip_channel_") + name;
    text_ += "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " " + type + "\n";
  }
  void sample(double value, const Labels &labels = {}) { line(labels, number_text(value)); }
  void sample(uint64_t value, const Labels &labels = {}) { line(labels, std::to_string(value)); }
  void sample(bool value, const Labels &labels = {}) { line(labels, value ? "1" : "0"); }

  template <typename Value>
  void gauge(const char *name, const char *help, Value value) {
    family(name, "gauge", help);
    sample(value);
  }
  template <typename Value>
  void counter(const char *name, const char *help, Value value) {
    family(name, "counter", help);
    sample(value);
  }

  std::string take() { return std::move(text_); }

 private:
  void line(const Labels &labels, const std::string &value) {
    text_ += name_ + "{channel=\"" + label_value(channel_) + '"';
    for (const auto &[label, content] : labels)
      text_ += std::string(",") + label + "=\"" + label_value(content) + '"';
    text_ += "} " + value + "\n";
  }

  const std::string channel_;
  std::string name_;
  std::string text_;
};

void write_budget(Exposition &to, const ChannelBudget &budget) {
  if (budget.unit != "credits") return;
  to.gauge("budget_limit_credits", "Credits that the store's budget allows.", budget.limit);
  to.gauge("budget_spent_credits", "Credits of the budget that are spent.", budget.spent);
  to.gauge("budget_reserved_credits", "Credits of the budget that are reserved.", budget.reserved);
}

void write_outputs(Exposition &to, const std::vector<ShownOutput> &outputs) {
  if (outputs.empty()) return;
  const auto labels = [](const ShownOutput &output, size_t number) {
    return Labels{{"output", output.name}, {"kind", output.kind}, {"number", std::to_string(number)}};
  };
  const auto each = [&](const auto &value) {
    size_t number = 0;
    for (const ShownOutput &output : outputs) to.sample(value(output), labels(output, ++number));
  };
  to.family("output_up", "gauge", "1 while the output runs.");
  each([](const ShownOutput &output) { return output.state == ShownOutputState::running; });
  to.family("output_rebuilds_total", "counter", "How many times the output was rebuilt.");
  each([](const ShownOutput &output) { return output.rebuilds; });
  to.family("output_bytes_total", "counter", "Bytes that the output has sent or written.");
  each([](const ShownOutput &output) { return output.bytes; });
}

void write_alarms(Exposition &to, const std::vector<ActiveAlarm> &alarms) {
  to.family("alarm_active", "gauge", "Active alarms of that kind.");
  for (const auto &row : kWords<AlarmKind>) {
    uint64_t active = 0;
    for (const ActiveAlarm &alarm : alarms) active += alarm.kind == row.word;
    to.sample(active, {{"kind", row.word}});
  }
}

}  // namespace

std::string metrics_text(const ChannelStatus &status) {
  Exposition to(status.channel);
  to.family("info", "gauge", "What runs; always 1.");
  to.sample(true, {{"run", status.run}, {"version", GENCLIP_VERSION}});
  to.gauge("start_time_seconds", "When this run began, in Unix time.",
           seconds_of(status.started_at.time_since_epoch()));
  to.gauge("uptime_seconds", "For how long this run has lasted.", seconds_of(status.at - status.started_at));
  to.counter("frames_total", "Video frames that left.", status.frames);
  to.counter("audio_frames_total", "Samples of each audio channel that left.", status.audio_frames);
  to.counter("aired_total", "Items that aired.", status.aired);
  to.counter("fallbacks_total", "Pieces of fallback that aired.", status.fallbacks);
  to.counter("slates_total", "Times that the slate aired.", status.slates);
  to.counter("late_frames_total", "Video frames that left too late.", status.late);
  to.counter("dropped_frames_total", "Video frames of clips that were not shown.", status.dropped);
  to.counter("skipped_frames_total", "Video frames left out because the encoder is too slow.",
             status.skipped);
  to.counter("spent_credits_total", "Credits that this run has spent.", status.spent);
  to.family("on_air", "gauge", "1 for the kind of piece that is on the air.");
  for (const char *kind : {"clip", "fallback", "slate"})
    to.sample(status.now && status.now->kind == kind, {{"kind", kind}});
  to.gauge("fallback_seconds", "For how long a fallback has been on the air; 0 while none is.",
           status.fallback ? seconds_of(status.at - status.fallback->since) : 0.0);
  to.gauge("hold", "1 while the fallback is held by hand.", status.hold);
  to.gauge("ahead_items", "Items that are prepared ahead, in any state.", uint64_t{status.ahead.size()});
  uint64_t ready = 0;
  for (const AheadItem &item : status.ahead) ready += item.state == "ready" || item.state == "cued";
  to.gauge("ahead_ready_items", "Items ahead that could air at once.", ready);
  to.gauge("rundown_items", "Items of the rundown that is played.", status.rundown.items);
  to.gauge("rundown_accepted", "0 if the newest rundown was refused.", status.rundown.accepted);
  if (status.budget) write_budget(to, *status.budget);
  write_outputs(to, status.outputs);
  write_alarms(to, status.alarms);
  to.counter("alarm_deliveries_failed_total", "Alarms that a command or a URL could not be told.",
             status.alarm_deliveries.failed);
  return to.take();
}

}  // namespace genclip
