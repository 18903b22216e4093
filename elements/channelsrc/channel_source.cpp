// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/channel_source.h"

#include <utility>

#include "elements/channelsrc/channel_structures.h"
#include "elements/element_log.h"
#include "elements/post_error.h"
#include "elements/startup_warnings.h"
#include "plugin/base/local_file.h"
#include "plugin/catalog/settings.h"
#include "plugin/generation/clip_plan.h"
#include "plugin/http/http_client.h"
#include "plugin/store/clip_path.h"
#include "plugin/vetting/make_vetter.h"

namespace genclip {
namespace {

ChannelSettings channel_settings(const ChannelSrcSettings &settings, const FrameRate &rate) {
  ChannelSettings channel;
  channel.rundown = settings.rundown;
  channel.rundown_text = settings.rundown_text;
  channel.asrun = settings.asrun;
  channel.state_file = settings.state_file;
  channel.run = settings.run();
  channel.ahead = settings.ahead;
  channel.ahead_time = std::chrono::seconds(settings.ahead_time_s);
  ScheduleSettings &schedule = channel.schedule;
  schedule.fps_n = rate.n;
  schedule.fps_d = rate.d;
  schedule.fallback = settings.fallback;
  schedule.patience = frames_in(schedule, std::chrono::seconds(settings.patience_s));
  schedule.slate_step = frames_in(schedule, std::chrono::seconds(5));
  schedule.loop = settings.loop;
  return channel;
}

PreparerSettings preparer_settings(const ChannelSrcSettings &settings) {
  int channels = 0;
  gst_structure_get_int(gst_caps_get_structure(settings.audio_caps.get(), 0), "channels", &channels);
  return {settings.run(),    settings.workers,   settings.on_unknown,
          settings.loudness, settings.true_peak, channels == 1};
}

MediaAccess media_access(const RunSettings &run) {
  return {{.proxy = run.proxy, .tls_ca_file = run.tls_ca_file}, run.user_agent};
}

constexpr std::string ChannelSrcSettings::*kPaths[] = {
    &ChannelSrcSettings::rundown,      &ChannelSrcSettings::asrun,       &ChannelSrcSettings::state_file,
    &ChannelSrcSettings::api_key_file, &ChannelSrcSettings::tls_ca_file,
};

// A channel opens these again for as long as it runs, and plans a clip whenever one comes near.
ChannelSrcSettings in_current_folder(ChannelSrcSettings settings) {
  for (const auto path : kPaths) settings.*path = absolute_path(settings.*path);
  settings.store = store_root(settings.store);
  settings.working_folder = GStringPtr(g_get_current_dir()).get();
  settings.access = media_access(settings);
  return settings;
}

}  // namespace

ChannelSource::~ChannelSource() {
  interrupt();
  release();
}

Result<void> ChannelSource::prepare() {
  const ChannelSrcSettings settings = in_current_folder(told_.begin_run());
  const auto fail = [this](Error error) {
    told_.end_run();
    return error;
  };
  if (settings.rundown.empty() && settings.rundown_text.empty())
    return fail({ErrorKind::settings, "There is no rundown. Set rundown, or rundown-text."});
  if (!settings.rundown.empty() && !settings.rundown_text.empty())
    return fail({ErrorKind::settings, "Both rundown and rundown-text are set. Set one of them."});
  for (const std::string &problem : {max_amount_problem(settings.max_amount), max_amount_variable_problem()})
    if (!problem.empty()) return fail({ErrorKind::settings, problem});
  const auto rate = frame_rate_of(settings.playout());
  if (!rate) return fail(rate.error());
  auto playout = make_playout(bin_, settings.playout());
  if (!playout) return fail(std::move(playout).error());
  playout_ = std::move(*playout);
  gst_ghost_pad_set_target(GST_GHOST_PAD(video_), playout_->video_pad());
  gst_ghost_pad_set_target(GST_GHOST_PAD(audio_), playout_->audio_pad());

  ChannelTools tools;
  tools.make_preparer = [settings](PreparerListener &listener) {
    GenerationServices services;
    services.http = HttpClient::shared(settings.access.http);
    return make_preparer(preparer_settings(settings), std::move(services), make_vetter(settings.access),
                         listener);
  };
  auto channel = std::make_shared<Channel>(channel_settings(settings, *rate), std::move(tools),
                                           static_cast<ChannelListener &>(*this));
  {
    MutexLock lock(mutex_);
    messages_ = std::make_shared<MessageQueue>(GST_ELEMENT(bin_));
    channel_ = channel;
  }
  for (const std::string &mistakes : unreported_catalog_mistakes())
    on_warning({ErrorKind::settings, mistakes});
  channel->start(*playout_);
  return {};
}

void ChannelSource::interrupt() {
  if (const auto running = channel()) running->stop();
}

void ChannelSource::release() {
  std::shared_ptr<Channel> channel;
  std::shared_ptr<MessageQueue> messages;
  {
    MutexLock lock(mutex_);
    std::swap(channel, channel_);
    std::swap(messages, messages_);
  }
  if (channel) channel->stop();
  if (messages) messages->close();
  if (playout_) {
    gst_ghost_pad_set_target(GST_GHOST_PAD(video_), nullptr);
    gst_ghost_pad_set_target(GST_GHOST_PAD(audio_), nullptr);
  }
  playout_.reset();
  told_.end_run();
}

std::shared_ptr<Channel> ChannelSource::channel() const {
  MutexLock lock(mutex_);
  return channel_;
}

std::shared_ptr<MessageQueue> ChannelSource::messages() const {
  MutexLock lock(mutex_);
  return messages_;
}

ChannelSnapshot ChannelSource::status() const {
  const auto running = channel();
  return running ? running->status() : ChannelSnapshot{};
}

void ChannelSource::skip() {
  if (const auto running = channel()) running->skip();
}

void ChannelSource::hold(bool hold) {
  if (const auto running = channel()) running->hold(hold);
}

void ChannelSource::reload() {
  if (const auto running = channel()) running->reload();
}

void ChannelSource::end(Automation::End end) {
  if (const auto running = channel()) running->end(end);
}

void ChannelSource::remove(const std::string &id) {
  if (const auto running = channel()) running->remove(id);
}

Result<void> ChannelSource::insert(const std::string &item_json, const std::string &after) {
  const auto running = channel();
  if (!running) return Error{ErrorKind::settings, "The channel does not run."};
  const auto inserted = running->insert(item_json, after);
  if (!inserted) return Error{ErrorKind::settings, inserted.error().text};
  return {};
}

StructurePtr ChannelSource::stats() const { return stats_structure(status()); }

StructurePtr ChannelSource::now() const {
  const ChannelSnapshot shown = status();
  return shown.now ? on_air_structure(*shown.now) : nullptr;
}

StructurePtr ChannelSource::next() const {
  const ChannelSnapshot shown = status();
  return shown.next ? on_air_structure(*shown.next) : nullptr;
}

void ChannelSource::ahead(GValue *value) const {
  for (const ChannelAhead &item : status().ahead) {
    GValue one = G_VALUE_INIT;
    g_value_init(&one, GST_TYPE_STRUCTURE);
    g_value_take_boxed(&one, ahead_structure(item).release());
    gst_value_array_append_and_take_value(value, &one);
  }
}

void ChannelSource::post(StructurePtr structure) {
  const std::shared_ptr<GstStructure> shared(std::move(structure));
  if (const auto queue = messages())
    queue->add([shared](GstElement *element) {
      gst_element_post_message(
          element, gst_message_new_element(GST_OBJECT(element), gst_structure_copy(shared.get())));
    });
}

void ChannelSource::notify(const char *property) {
  if (const auto queue = messages())
    queue->add([property](GstElement *element) { g_object_notify(G_OBJECT(element), property); });
}

void ChannelSource::on_item(const std::string &id, const ItemStatus &status) {
  GST_CAT_INFO_OBJECT(genchannelsrc_category(), bin_, "%s: %s%s%s", id.c_str(), to_word(status.state),
                      status.reason.empty() ? "" : ", ", status.reason.c_str());
  post(item_structure(id, status));
}

void ChannelSource::on_air(const Piece &piece, Clock::WallTime) {
  GST_CAT_INFO_OBJECT(genchannelsrc_category(), bin_, "frame %" G_GUINT64_FORMAT ": %s %s", piece.start,
                      to_word(piece.kind), piece.id.c_str());
  if (const std::string problem = playout_->problem();
      problem != std::exchange(problem_, problem) && !problem.empty())
    on_warning({ErrorKind::settings, problem});
  if (piece.kind != PieceKind::clip) post(fallback_structure(piece));
  post(on_air_structure(piece));
  notify("now");
  notify("stats");
}

void ChannelSource::on_next() { notify("next"); }

void ChannelSource::on_rundown(const RundownNotice &notice) { post(rundown_structure(notice)); }

void ChannelSource::on_budget(const std::optional<BudgetNotice> &notice) {
  post(budget_structure(notice));
  if (notice) on_alarm(notice->alarm(), notice->text, true);
}

void ChannelSource::on_alarm(const std::string &kind, const std::string &text, bool is_active) {
  GST_CAT_LEVEL_LOG(genchannelsrc_category(), is_active ? GST_LEVEL_WARNING : GST_LEVEL_INFO, bin_, "%s: %s",
                    kind.c_str(), text.c_str());
  post(alarm_structure(kind, text, is_active));
}

void ChannelSource::on_warning(const Error &warning) {
  if (const auto queue = messages())
    queue->add([warning](GstElement *element) { post_warning(element, genchannelsrc_category(), warning); });
}

void ChannelSource::on_error(const Error &error) {
  if (const auto queue = messages())
    queue->add([error](GstElement *element) { post_error(element, genchannelsrc_category(), error); });
}

}  // namespace genclip
