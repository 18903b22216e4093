// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/channel_view.h"

#include <algorithm>

#include "plugin/account/decision.h"
#include "plugin/account/ledger.h"
#include "plugin/base/utc_time.h"

namespace genclip {
namespace {

std::string text_in(const GstStructure *structure, const char *field) {
  const char *text = gst_structure_get_string(structure, field);
  return text ? text : "";
}

uint64_t number_in(const GstStructure *structure, const char *field) {
  guint64 value = 0;
  gst_structure_get_uint64(structure, field, &value);
  return value;
}

double amount_in(const GstStructure *structure, const char *field) {
  double value = 0;
  gst_structure_get_double(structure, field, &value);
  return value;
}

bool is_set(const GstStructure *structure, const char *field) {
  gboolean value = FALSE;
  gst_structure_get_boolean(structure, field, &value);
  return value;
}

StructurePtr property_of(GstElement *channel, const char *name) {
  GstStructure *structure = nullptr;
  g_object_get(channel, name, &structure, nullptr);
  return StructurePtr(structure);
}

ShownPiece piece_of(const GstStructure *shown) {
  ShownPiece piece;
  piece.id = text_in(shown, "id");
  piece.title = text_in(shown, "title");
  piece.kind = text_in(shown, "kind");
  piece.frame = number_in(shown, "frame");
  piece.duration_frames = number_in(shown, "duration-frames");
  piece.source = text_in(shown, "source");
  return piece;
}

ShownOutput shown(const OutputStatus &output) {
  ShownOutput shown;
  shown.name = output.name;
  shown.kind = to_word(output.kind);
  switch (output.state) {
    case OutputState::connecting: shown.state = ShownOutputState::starting; break;
    case OutputState::ok: shown.state = ShownOutputState::running; break;
    case OutputState::failed: shown.state = ShownOutputState::waiting; break;
    case OutputState::ended: shown.state = ShownOutputState::stopped; break;
  }
  shown.since = output.since;
  shown.rebuilds = output.rebuilds;
  shown.bytes = output.bytes;
  shown.error = output.last_error;
  return shown;
}

}  // namespace

ChannelView::ChannelView(GRef<GstElement> channel, const Outputs &outputs, double frames_per_second)
    : channel_(std::move(channel)),
      outputs_(outputs),
      frames_per_second_(frames_per_second),
      started_at_(Clock::system().wall_now()),
      fallback_(FallbackStatus{started_at_, {}, "The channel starts."}) {}

void ChannelView::take(const GstStructure *message) {
  const auto is = [&](const char *name) { return gst_structure_has_name(message, name); };
  MutexLock lock(mutex_);
  if (is("genchannel-item")) {
    reasons_.take(text_in(message, "id"), text_in(message, "state"), text_in(message, "reason"));
  } else if (is("genchannel-fallback")) {
    if (!fallback_) fallback_ = FallbackStatus{Clock::system().wall_now(), {}, {}};
    fallback_->for_id = text_in(message, "for");
    fallback_->reason = text_in(message, "reason");
  } else if (is("genchannel-on-air")) {
    if (text_in(message, "kind") == "clip") fallback_.reset();
    may_be_still_ = is_set(message, "still");
    may_be_silent_ = !is_set(message, "audio");
  } else if (is("genchannel-rundown")) {
    rundown_.accepted = is_set(message, "accepted");
    guint items = 0, line = 0;
    gst_structure_get(message, "items", G_TYPE_UINT, &items, "line", G_TYPE_UINT, &line, nullptr);
    if (rundown_.accepted || is_set(message, "edited")) rundown_.items = items;
    rundown_.line = line;
    rundown_.text = text_in(message, "text");
  } else if (is("genchannel-budget")) {
    budget_.reset();
    if (!is_set(message, "paused")) {
      key_problem_.clear();
    } else {
      budget_ = ChannelBudget{amount_in(message, "limit"),    amount_in(message, "spent"),
                              amount_in(message, "reserved"), {},
                              text_in(message, "text"),       text_in(message, "unit")};
      if (const auto resumes = utc_time(text_in(message, "resumes-at"))) budget_->resumes_at = *resumes;
    }
  } else if (is("genchannel-alarm")) {
    const std::string kind = text_in(message, "kind");
    const std::string problem = is_set(message, "active") ? text_in(message, "text") : "";
    if (kind == "key") {
      key_problem_ = problem;
      budget_.reset();
    }
    if (kind == "asrun") asrun_problem_ = problem;
    if (kind == "state") state_problem_ = problem;
    if (kind == "disk-full") disk_problem_ = problem;
  }
}

Result<std::optional<ChannelBudget>> read_standing_budget(FileSystem &files, Clock &clock,
                                                          const std::string &store) {
  Ledger ledger(files, clock, store);
  const auto budget = ledger.budget();
  if (!budget) return budget.error();
  if (!budget->limits_many()) return std::optional<ChannelBudget>();
  const auto reading = ledger.read_condensed();
  if (!reading) return reading.error();
  const auto nearest = nearest_limit(reading->account, *budget, to_utc(clock.wall_now()));
  if (!nearest) return std::optional<ChannelBudget>();
  ChannelBudget shown{nearest->limit, nearest->spent, nearest->reserved, {}, {}, nearest->unit};
  if (nearest->resets) shown.resumes_at = *nearest->resets;
  return std::optional(std::move(shown));
}

void ChannelView::set_budget(std::optional<ChannelBudget> budget) {
  MutexLock lock(mutex_);
  standing_ = std::move(budget);
}

void ChannelView::set_alarms(std::vector<ActiveAlarm> alarms, AlarmDeliveries deliveries) {
  MutexLock lock(mutex_);
  alarms_ = std::move(alarms);
  deliveries_ = std::move(deliveries);
}

Clock::WallTime ChannelView::wall_of(uint64_t frame, uint64_t frames, Clock::WallTime now) const {
  const double ahead = static_cast<double>(frame) - static_cast<double>(frames);
  return now + std::chrono::duration_cast<Clock::WallTime::duration>(
                   std::chrono::duration<double>(ahead / frames_per_second_));
}

ChannelStatus ChannelView::status() const {
  ChannelStatus status;
  status.at = Clock::system().wall_now();
  status.started_at = started_at_;
  status.frames_per_second = frames_per_second_;
  if (const StructurePtr stats = property_of(channel_.get(), "stats")) {
    status.channel = text_in(stats.get(), "channel");
    status.run = text_in(stats.get(), "run");
    status.frames = number_in(stats.get(), "frames");
    status.audio_frames = number_in(stats.get(), "audio-frames");
    status.aired = number_in(stats.get(), "aired");
    status.fallbacks = number_in(stats.get(), "fallbacks");
    status.slates = number_in(stats.get(), "slates");
    status.late = number_in(stats.get(), "late");
    status.dropped = number_in(stats.get(), "dropped");
    status.spent = amount_in(stats.get(), "spent");
    status.hold = is_set(stats.get(), "hold");
  }
  for (const auto &[name, piece] : {std::pair{"now", &status.now}, std::pair{"next", &status.next}})
    if (const StructurePtr shown = property_of(channel_.get(), name)) {
      *piece = piece_of(shown.get());
      (*piece)->since = wall_of((*piece)->frame, status.frames, status.at);
    }
  status.skipped = outputs_.skipped_frames();
  for (const OutputStatus &output : outputs_.status()) status.outputs.push_back(shown(output));

  GValue list = G_VALUE_INIT;
  g_value_init(&list, GST_TYPE_ARRAY);
  g_object_get_property(G_OBJECT(channel_.get()), "upcoming", &list);
  MutexLock lock(mutex_);
  for (guint i = 0; i < gst_value_array_get_size(&list); ++i) {
    const auto *shown =
        static_cast<const GstStructure *>(g_value_get_boxed(gst_value_array_get_value(&list, i)));
    AheadItem item;
    item.id = text_in(shown, "id");
    item.title = text_in(shown, "title");
    item.state = text_in(shown, "state");
    item.reason = reasons_.reason_of(item.id, item.state);
    item.start = wall_of(number_in(shown, "frame"), status.frames, status.at);
    item.duration = std::chrono::milliseconds(static_cast<int64_t>(
        static_cast<double>(number_in(shown, "duration-frames")) * 1000 / frames_per_second_));
    status.ahead.push_back(std::move(item));
  }
  g_value_unset(&list);
  status.budget = budget_ ? budget_ : standing_;
  status.fallback = fallback_;
  status.alarms = alarms_;
  status.alarm_deliveries = deliveries_;
  status.rundown = rundown_;
  return status;
}

Observation ChannelView::observe(const PictureWatch &watch) const {
  Observation seen;
  seen.frames = outputs_.encoded_frames();
  seen.skipped = outputs_.skipped_frames();
  const StructurePtr stats = property_of(channel_.get(), "stats");
  const bool is_held = stats && is_set(stats.get(), "hold");
  seen.still_for = watch.still_for();
  seen.silent_for = watch.silent_for();
  for (const OutputStatus &output : outputs_.status())
    seen.outputs.push_back({output.name, output.state == OutputState::ok, output.last_error});
  MutexLock lock(mutex_);
  seen.fallback = {fallback_.has_value() && !is_held, fallback_ ? fallback_->reason : ""};
  seen.budget = {budget_.has_value(), budget_ ? budget_->text : ""};
  seen.key = {!key_problem_.empty(), key_problem_};
  seen.disk = {!disk_problem_.empty(), disk_problem_};
  seen.rundown = {!rundown_.accepted && !rundown_.text.empty(), rundown_.text};
  seen.asrun = {!asrun_problem_.empty(), asrun_problem_};
  seen.state = {!state_problem_.empty(), state_problem_};
  seen.may_be_still = may_be_still_;
  seen.may_be_silent = may_be_silent_;
  return seen;
}

}  // namespace genclip
