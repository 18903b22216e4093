// SPDX-License-Identifier: LGPL-2.1-or-later
//
// SIGHUP reloads. SIGTERM and SIGINT end the channel after the clip that is on the air, but within a limit;
// a second one ends it at once.
#include "plugin/command/channel_program.h"

#include <glib-unix.h>
#include <gst/video/video.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "plugin/base/disk_queue.h"
#include "plugin/channel/item_state.h"
#include "plugin/channel/rundown_reader.h"
#include "plugin/channel/schedule.h"
#include "plugin/command/channel_element.h"
#include "plugin/command/channel_view.h"
#include "plugin/command/command.h"
#include "plugin/command/console.h"
#include "plugin/frame/picture_form.h"
#include "plugin/frame/sound_form.h"
#include "plugin/generation/exit_guard.h"
#include "plugin/monitor/control_server.h"
#include "plugin/monitor/control_token.h"
#include "plugin/monitor/service_notifier.h"
#include "plugin/store/clip_path.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace genclip {
namespace {

constexpr int kSignalExit = 128;
// For what the encoders still hold, of the time that the end may take.
constexpr guint kEncodersLimit_s = 5;
// Between looks at what is left of the budget.
constexpr auto kBudgetInterval = std::chrono::minutes(1);
// For files and connections to be finished, of the time that the end may take.
constexpr auto kOutputsLimit = std::chrono::seconds(5);
// For the last alarms, such as the one that says why the channel ends.
constexpr auto kAlarmsLimit = std::chrono::seconds(5);

// Pictures of many decoders, each with its threads, leave holes in the heaps of glibc, one for each of these
// threads: the program would grow for hours. Large blocks, which all pictures are, go back to the system
// instead, and few heaps are enough for the rest.
void keep_memory_flat() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 64 * 1024);
  mallopt(M_ARENA_MAX, 2);
#endif
}

// What people and programs ask for over HTTP, as the element's commands.
class ElementControl final : public ChannelControl {
 public:
  explicit ElementControl(GstElement *channel) : channel_(channel) {}

  Result<void> skip() override {
    g_signal_emit_by_name(channel_, "skip");
    return {};
  }
  Result<void> reload() override {
    g_signal_emit_by_name(channel_, "reload");
    return {};
  }
  Result<void> insert(const Json &item, const std::string &after) override {
    const std::string text = item.to_text();
    if (const auto form = read_rundown_item(text, "/"); !form)
      return Error{ErrorKind::settings, form.error().text};
    char *refusal = nullptr;
    g_signal_emit_by_name(channel_, "try-insert", text.c_str(), after.c_str(), &refusal);
    const GStringPtr held(refusal);
    if (refusal) return Error{ErrorKind::busy, refusal};
    return {};
  }
  Result<void> hold(bool on) override {
    g_signal_emit_by_name(channel_, "hold", static_cast<gboolean>(on));
    return {};
  }

 private:
  GstElement *const channel_;
};

// Feeds the watch from a pad. Pictures and sounds of other formats are not looked at.
GstPadProbeReturn see_buffer(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  auto &watch = *static_cast<PictureWatch *>(data);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const auto caps = GRef<GstCaps>::adopt(gst_pad_get_current_caps(pad));
  GstVideoInfo video;
  if (!caps || !gst_video_info_from_caps(&video, caps.get())) return GST_PAD_PROBE_OK;
  const bool is_luma = GST_VIDEO_INFO_IS_YUV(&video) && GST_VIDEO_INFO_N_PLANES(&video) > 1 &&
                       GST_VIDEO_INFO_COMP_DEPTH(&video, 0) == 8;
  GstVideoFrame frame;
  if (!is_luma || !gst_video_frame_map(&frame, &video, buffer, GST_MAP_READ)) return GST_PAD_PROBE_OK;
  watch.see(static_cast<const uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)),
            static_cast<size_t>(GST_VIDEO_FRAME_WIDTH(&frame)),
            static_cast<size_t>(GST_VIDEO_FRAME_HEIGHT(&frame)),
            static_cast<size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0)),
            std::chrono::nanoseconds(GST_BUFFER_DURATION(buffer)));
  gst_video_frame_unmap(&frame);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn hear_buffer(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  auto &watch = *static_cast<PictureWatch *>(data);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const auto caps = GRef<GstCaps>::adopt(gst_pad_get_current_caps(pad));
  const char *format =
      caps ? gst_structure_get_string(gst_caps_get_structure(caps.get(), 0), "format") : nullptr;
  GstMapInfo map;
  if (g_strcmp0(format, "F32LE") != 0 || !gst_buffer_map(buffer, &map, GST_MAP_READ)) return GST_PAD_PROBE_OK;
  watch.hear({reinterpret_cast<const float *>(map.data), map.size / sizeof(float)},
             std::chrono::nanoseconds(GST_BUFFER_DURATION(buffer)));
  gst_buffer_unmap(buffer, &map);
  return GST_PAD_PROBE_OK;
}

GRef<GstCaps> caps_of(GstElement *channel, const char *property) {
  GstCaps *caps = nullptr;
  g_object_get(channel, property, &caps, nullptr);
  return GRef<GstCaps>::adopt(caps);
}

double frame_rate_of(GstElement *channel) {
  const auto caps = caps_of(channel, "video-caps");
  int n = 25, d = 1;
  if (caps && gst_caps_get_size(caps.get()) > 0)
    gst_structure_get_fraction(gst_caps_get_structure(caps.get(), 0), "framerate", &n, &d);
  return n > 0 && d > 0 ? static_cast<double>(n) / d : 25;
}

class ChannelProgram {
 public:
  ChannelProgram(GRef<GstElement> channel, const ChannelProgramSettings &settings)
      : channel_(std::move(channel)), settings_(settings), control_(channel_.get()) {}
  ~ChannelProgram();

  Result<void> build();
  int run();

 private:
  using Handler = gboolean (*)(gpointer);

  Result<void> start_server();
  void add_source(guint id) { sources_.push_back(id); }
  void take(GstMessage *message);
  void tell(const GstStructure *message);
  void tell_item(const std::string &id, const std::string &state, const std::string &reason);
  void tick();
  bool has_lost_lock();
  void look_at_budget(Clock::Time now);
  void reload();
  void end_softly(int signal);
  void end(int exit_code);

  const GRef<GstElement> channel_;
  const ChannelProgramSettings &settings_;
  ElementControl control_;
  PictureWatch watch_;
  std::unique_ptr<Outputs> outputs_;
  GRef<GstElement> pipeline_;
  std::unique_ptr<ChannelView> view_;
  std::unique_ptr<AlarmTeller> teller_;
  std::optional<ControlServer> server_;
  ServiceNotifier notifier_ = ServiceNotifier::of_environment();
  AlarmRecord alarms_;
  AlarmDeliveries deliveries_;
  std::set<std::string> told_items_;  // With their states and reasons.
  std::string told_fallback_;         // Since the last clip.
  bool has_rundown_ = false;
  const GRef<GMainLoop> loop_ = GRef<GMainLoop>::adopt(g_main_loop_new(nullptr, FALSE));
  std::string state_problem_;  // Another channel has written into the state file.
  // A disk thread's look at the lock, also after this object.
  struct LockLook {
    std::atomic<bool> is_under_way = false, is_lost = false;
  };
  const std::shared_ptr<LockLook> lock_look_ = std::make_shared<LockLook>();
  const std::shared_ptr<DiskQueue> disk_ = DiskQueue::make();
  // Likewise, at the store.
  struct BudgetLook {
    Mutex mutex;
    bool is_under_way GUARDED_BY(mutex) = false;
    std::optional<ChannelBudget> found GUARDED_BY(mutex);
  };
  const std::shared_ptr<BudgetLook> budget_look_ = std::make_shared<BudgetLook>();
  const std::shared_ptr<DiskQueue> store_disk_ = DiskQueue::make();
  Clock::Time next_budget_look_{};
  std::vector<guint> sources_;
  bool is_ready_ = false;
  std::optional<std::chrono::nanoseconds> end_began_;
  int exit_code_ = kOk;
};

ChannelProgram::~ChannelProgram() {
  for (const guint source : sources_) g_source_remove(source);
  server_.reset();
  if (pipeline_) gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
}

Result<void> ChannelProgram::build() {
  auto outputs = Outputs::create(settings_.outputs, settings_.output, [](const OutputStatus &output) {
    if (output.state == OutputState::failed)
      print_error(printable(output.name + ": " + output.last_error + " It is built again."));
  });
  if (!outputs) return std::move(outputs).error();
  outputs_ = std::move(*outputs);
  pipeline_ = GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new("channel"))));
  gst_bin_add_many(GST_BIN(pipeline_.get()), GST_ELEMENT(gst_object_ref(channel_.get())), outputs_->bin(),
                   nullptr);
  for (const char *pad : {"video", "audio"})
    if (!gst_element_link_pads(channel_.get(), pad, outputs_->bin(), pad))
      return Error{ErrorKind::settings,
                   std::string("The encoder of the ") + pad + " does not take the channel's caps."};
  view_ = std::make_unique<ChannelView>(channel_, *outputs_, frame_rate_of(channel_.get()));
  const auto watch = [&](const char *name, GstPadProbeCallback look) {
    const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(channel_.get(), name));
    gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, look, &watch_, nullptr);
  };
  watch("video", see_buffer);
  watch("audio", hear_buffer);
  auto teller = AlarmTeller::make(settings_.alarms);
  if (!teller) return std::move(teller).error();
  teller_ = std::move(*teller);
  auto served = start_server();
  if (served || !settings_.is_takeover) return served;
  // The other one is dead: without a page, the channel is still on the air.
  print_error(printable("Warning: no status is served. " + served.error().text));
  return {};
}

Result<void> ChannelProgram::start_server() {
  if (!settings_.status_port) return {};
  const std::string token = new_control_token();
  auto server = ControlServer::start(
      {*settings_.status_port, settings_.status_address, token}, [this] { return view_->status(); },
      control_);
  if (!server) return std::move(server).error();
  // Not before: the file may be that of a channel which has the port.
  if (!settings_.token_file.empty())
    if (auto written = write_token_file(settings_.token_file, token); !written) return written;
  server_ = std::move(*server);
  print_error("Status: " + server_->url() + " Token: " + token);
  return {};
}

int ChannelProgram::run() {
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline_.get()));
  add_source(gst_bus_add_watch(
      bus.get(),
      [](GstBus *, GstMessage *message, gpointer self) -> gboolean {
        static_cast<ChannelProgram *>(self)->take(message);
        return G_SOURCE_CONTINUE;
      },
      this));
  const auto on_signal = [this](int signal, Handler handler) {
    add_source(g_unix_signal_add(signal, handler, this));
  };
  on_signal(SIGHUP, [](gpointer self) -> gboolean {
    static_cast<ChannelProgram *>(self)->reload();
    return G_SOURCE_CONTINUE;
  });
  on_signal(SIGTERM, [](gpointer self) -> gboolean {
    static_cast<ChannelProgram *>(self)->end_softly(SIGTERM);
    return G_SOURCE_CONTINUE;
  });
  on_signal(SIGINT, [](gpointer self) -> gboolean {
    static_cast<ChannelProgram *>(self)->end_softly(SIGINT);
    return G_SOURCE_CONTINUE;
  });
  add_source(g_timeout_add(
      1000,
      [](gpointer self) -> gboolean {
        static_cast<ChannelProgram *>(self)->tick();
        return G_SOURCE_CONTINUE;
      },
      this));
  look_at_budget(Clock::system().now());
  gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  g_main_loop_run(loop_.get());
  notifier_.stopping();
  gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  if (!outputs_->end(exit_code_ > kSignalExit ? std::chrono::seconds(0) : kOutputsLimit) && exit_code_ == kOk)
    print_error("Warning: an output could not be finished in time.");
  if (!teller_->finish(exit_code_ > kSignalExit ? std::chrono::seconds(0) : kAlarmsLimit))
    print_error("Warning: not all alarms could be told in time.");
  return exit_code_;
}

void ChannelProgram::take(GstMessage *message) {
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ELEMENT:
      if (GST_MESSAGE_SRC(message) == GST_OBJECT(channel_.get())) {
        view_->take(gst_message_get_structure(message));
        tell(gst_message_get_structure(message));
      }
      break;
    case GST_MESSAGE_WARNING:
    case GST_MESSAGE_ERROR: {
      const bool is_error = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR;
      GErrorPtr error;
      is_error ? gst_message_parse_error(message, genclip::take(error), nullptr)
               : gst_message_parse_warning(message, genclip::take(error), nullptr);
      print_error((is_error ? "" : "Warning: ") + printable(error->message));
      if (is_error) end(kFailed);
      break;
    }
    case GST_MESSAGE_EOS: end(kOk); break;
    default: break;
  }
}

// A line for each cut and each thing that a person should know.
void ChannelProgram::tell(const GstStructure *message) {
  const auto text = [&](const char *field) {
    const char *value = gst_structure_get_string(message, field);
    return printable(value ? value : "");
  };
  if (gst_structure_has_name(message, "genchannel-on-air")) {
    const std::string title = text("title").empty() ? text("id") : text("title");
    print(text("kind") + (title.empty() ? "" : ": " + title) + "\n");
    if (text("kind") == to_word(PieceKind::clip)) told_fallback_.clear();
    notifier_.status("On the air: " + (title.empty() ? text("kind") : title));
  } else if (gst_structure_has_name(message, "genchannel-fallback")) {
    const std::string line = "Fallback for " + text("for") + ": " + text("reason");
    if (!text("for").empty() && std::exchange(told_fallback_, line) != line) print_error(line);
  } else if (gst_structure_has_name(message, "genchannel-item")) {
    tell_item(text("id"), text("state"), text("reason"));
  } else if (gst_structure_has_name(message, "genchannel-rundown")) {
    gboolean accepted = FALSE, is_edited = FALSE;
    guint line = 0;
    gst_structure_get(message, "accepted", G_TYPE_BOOLEAN, &accepted, "line", G_TYPE_UINT, &line, "edited",
                      G_TYPE_BOOLEAN, &is_edited, nullptr);
    if (is_edited) return;
    has_rundown_ = has_rundown_ || accepted;
    const std::string where = line == 0 ? "" : "line " + std::to_string(line) + ": ";
    // Of the first one, the error at the end tells.
    if (!text("text").empty() && has_rundown_)
      print_error((accepted ? "Warning: rundown: " : "The rundown is refused: ") + where + text("text"));
  } else if (gst_structure_has_name(message, "genchannel-alarm")) {
    gboolean is_active = FALSE;
    gst_structure_get_boolean(message, "active", &is_active);
    if (is_active) print_error(text("text"));
    if (text("kind") == "state-file") state_problem_ = text("text");
  }
}

// What is passed over, and why: once, not in each turn and at each try.
void ChannelProgram::tell_item(const std::string &id, const std::string &state, const std::string &reason) {
  // In weeks, many items fail for many reasons.
  constexpr size_t kMostTold = 10000;
  constexpr ItemState kTold[] = {ItemState::refused, ItemState::failed, ItemState::unknown,
                                 ItemState::paid_unfetched};
  const bool is_told =
      std::any_of(std::begin(kTold), std::end(kTold), [&](ItemState each) { return state == to_word(each); });
  if (!is_told) return;
  if (told_items_.size() >= kMostTold) told_items_.clear();
  const std::string line = "Item " + id + ": " + state + (reason.empty() ? "." : ". " + reason);
  if (told_items_.insert(line).second) print_error(line);
}

void ChannelProgram::tick() {
  const uint64_t frames = outputs_->encoded_frames();
  const auto now = Clock::system().now();
  if (frames > 0 && !std::exchange(is_ready_, true)) notifier_.ready();
  notifier_.alive(frames, now);
  look_at_budget(now);
  Observation seen = view_->observe(watch_);
  seen.lock = {has_lost_lock() || !state_problem_.empty(), state_problem_};
  // Without the lock, nothing may be written into the state file any more: the channel ends at once.
  if (seen.lock.holds) end(kFailed);
  auto [record, events] = next_alarms(std::move(alarms_), seen, now, Clock::system().wall_now());
  alarms_ = std::move(record);
  const AlarmDeliveries deliveries = teller_->deliveries();
  if (!deliveries.error.empty() && deliveries_.error.empty()) print_error(printable(deliveries.error));
  deliveries_ = deliveries;
  view_->set_alarms(active_alarms(alarms_), deliveries);
  for (const AlarmEvent &event : events)
    print_error((event.raised ? "Alarm: " : "Over: ") + printable(event.text));
  if (events.empty()) return;
  const ChannelStatus status = view_->status();
  teller_->tell(events, status.channel, status.run);
}

// As far as is known: the next look does not wait for the disk.
bool ChannelProgram::has_lost_lock() {
  if (settings_.is_lock_lost && !lock_look_->is_under_way.exchange(true))
    disk_->add([look = lock_look_, is_lost = settings_.is_lock_lost] {
      if (is_lost()) look->is_lost = true;
      look->is_under_way = false;
    });
  return lock_look_->is_lost;
}

// Shows what the last look has found. One that fails changes nothing.
void ChannelProgram::look_at_budget(Clock::Time now) {
  {
    MutexLock lock(budget_look_->mutex);
    view_->set_budget(budget_look_->found);
    if (now < next_budget_look_ || budget_look_->is_under_way) return;
    budget_look_->is_under_way = true;
  }
  next_budget_look_ = now + kBudgetInterval;
  store_disk_->add([look = budget_look_, store = store_root(run_settings_of(channel_.get()).store)] {
    auto found = read_standing_budget(FileSystem::posix(), Clock::system(), store);
    MutexLock lock(look->mutex);
    look->is_under_way = false;
    if (found) look->found = *std::move(found);
  });
}

void ChannelProgram::reload() {
  // Before the first frame, systemd still waits for the end of the start: READY=1 would be that end.
  if (is_ready_) notifier_.reloading(Clock::system().now());
  g_signal_emit_by_name(channel_.get(), "reload");
  if (is_ready_) notifier_.ready();
}

void ChannelProgram::end_softly(int signal) {
  const std::chrono::nanoseconds now = std::chrono::microseconds(g_get_monotonic_time());
  if (end_began_) {
    if (!ExitGuard::is_same_stop(*end_began_, now)) end(kSignalExit + signal);
    return;
  }
  end_began_ = now;
  print_error("Ending after the clip on the air, within " + std::to_string(settings_.end_within_s) +
              " s; a second signal ends at once.");
  outputs_->expect_restart();
  g_signal_emit_by_name(channel_.get(), "finish");
  // Past the limit the end is an ordinary one nevertheless: EOS at one frame.
  add_source(g_timeout_add_seconds(
      settings_.end_within_s,
      [](gpointer self) -> gboolean {
        gst_element_send_event(static_cast<ChannelProgram *>(self)->channel_.get(), gst_event_new_eos());
        return G_SOURCE_CONTINUE;
      },
      this));
  // The end of the stream may wait behind an encoder that is too slow.
  add_source(g_timeout_add_seconds(
      settings_.end_within_s + kEncodersLimit_s,
      [](gpointer self) -> gboolean {
        print_error("Warning: the encoders did not end in time.");
        static_cast<ChannelProgram *>(self)->end(kOk);
        return G_SOURCE_CONTINUE;
      },
      this));
}

void ChannelProgram::end(int exit_code) {
  if (exit_code_ == kOk) exit_code_ = exit_code;
  g_main_loop_quit(loop_.get());
}

}  // namespace

Result<void> check_channel_form(GstElement *channel, const std::vector<OutputSpec> &outputs,
                                const OutputSettings &output) {
  const auto caps = caps_of(channel, "video-caps");
  GstVideoInfo info;
  if (const std::string problem = picture_caps_problem(caps.get(), info); !problem.empty())
    return Error{ErrorKind::settings, "--video-caps" + problem};
  GstAudioInfo sound;
  if (const std::string problem = sound_caps_problem(caps_of(channel, "audio-caps").get(), sound);
      !problem.empty())
    return Error{ErrorKind::settings, "--audio-caps" + problem};
  if (auto fine = Outputs::check(outputs, output); !fine) return fine;
  // The encoders that are chosen here do not say what they miss.
  if (!output.video_encoder.empty()) return {};
  const auto splits_samples = [&](int size, const guint *shifts) { return size % 2 != 0 && shifts[1] > 0; };
  if (!splits_samples(info.width, info.finfo->w_sub) && !splits_samples(info.height, info.finfo->h_sub))
    return {};
  return Error{ErrorKind::settings, "--video-caps has an odd size, " + std::to_string(info.width) + "x" +
                                        std::to_string(info.height) +
                                        ", which H.264 cannot have in this format. Take an even one."};
}

int run_channel_program(const GRef<GstElement> &channel, const ChannelProgramSettings &settings) {
  keep_memory_flat();
  ChannelProgram program(channel, settings);
  if (auto built = program.build(); !built) {
    print_error(printable(built.error().text));
    return built.error().kind == ErrorKind::settings ? kUsage : kFailed;
  }
  return program.run();
}

}  // namespace genclip
