// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Everything is decided on the channel's thread, which never waits for a disk: files are read and written on
// disk threads, in order, and what they say comes back as a job.
#include "plugin/channel/channel.h"

#include <glib.h>

#include <algorithm>
#include <utility>

#include "plugin/base/gref.h"
#include "plugin/channel/rundown_reader.h"

namespace genclip {
namespace {

constexpr auto kStep = std::chrono::milliseconds(20);
constexpr auto kLookInterval = std::chrono::milliseconds(250);
// So many looks are left out for one that does not end: ten seconds. By looks, because a process that was
// stopped has waited for nothing.
constexpr unsigned kLooksOfHang = 40;
constexpr char kRundownHangs[] =
    "Its file does not answer, so changes are not seen. The channel plays on with the rundown that it has.";
constexpr char kStartHangs[] =
    "Its file or the state file does not answer, so the channel shows the slate. It begins when they do.";
constexpr char kAsRunHangs[] = "The as-run log cannot be written; its lines wait. Its disk does not answer.";
constexpr auto kBudgetInterval = std::chrono::seconds(1);
constexpr auto kWantInterval = std::chrono::seconds(1);
constexpr auto kAsRunInterval = std::chrono::minutes(1);
// Of an item whose length is not known yet.
constexpr auto kUsualLength = std::chrono::seconds(5);

constexpr char kEnds[] = "The channel ends, so nothing more is shown.";
const std::string kStateLost =
    "The state file cannot be written, so a channel that is killed would begin elsewhere. ";

// "20261122T203412Z-1a2b3c4d"
std::string new_run_name(Clock &clock) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(clock.wall_now().time_since_epoch()).count();
  const auto time = GRef<GDateTime>::adopt(g_date_time_new_from_unix_utc(seconds));
  const GStringPtr text(g_date_time_format(time.get(), "%Y%m%dT%H%M%SZ"));
  const GStringPtr random(g_strdup_printf("-%08x", g_random_int()));
  return std::string(text.get()) + random.get();
}

// A channel that is killed cannot write the line of what was on the air; the next one does.
Result<void> tell_killed(FileSystem &files, const std::string &path, const ChannelState &state,
                         AsRunLog &asrun) {
  if (!state.shown.object()) return {};
  const auto is_there = has_asrun_line(files, path, state.shown);
  if (!is_there) return is_there.error();
  // The channel may have shown something meanwhile.
  if (!*is_there) asrun.add_first(killed_line(state.shown));
  return asrun.write_waiting();
}

}  // namespace

struct Channel::Gate {
  Mutex mutex;
  Channel *channel GUARDED_BY(mutex) = nullptr;

  void post(Job job) EXCLUDES(mutex) {
    MutexLock lock(mutex);
    if (channel) channel->post(std::move(job));
  }
};

// The newest state that waits for the as-run lines before it.
struct Channel::Behind {
  struct Numbered {
    ChannelState state;
    uint64_t number;
  };

  void set(Numbered state) EXCLUDES(mutex) {
    MutexLock lock(mutex);
    newest = std::move(state);
  }
  std::optional<Numbered> take() EXCLUDES(mutex) {
    MutexLock lock(mutex);
    return std::exchange(newest, std::nullopt);
  }

  Mutex mutex;
  std::optional<Numbered> newest GUARDED_BY(mutex);
};

Channel::Channel(ChannelSettings settings, ChannelTools tools, ChannelListener &listener)
    : settings_(std::move(settings)),
      tools_(std::move(tools)),
      listener_(listener),
      run_name_(new_run_name(*tools_.clock)),
      source_(std::make_shared<RundownSource>(*tools_.files, *tools_.clock, settings_.rundown,
                                              settings_.rundown_text, settings_.run)),
      asrun_(settings_.asrun.empty() ? nullptr : std::make_shared<AsRunLog>(*tools_.files, settings_.asrun)),
      state_file_(settings_.state_file.empty()
                      ? nullptr
                      : std::make_shared<ChannelStateFile>(*tools_.files, settings_.state_file)),
      behind_asrun_(std::make_shared<Behind>()),
      gate_(std::make_shared<Gate>()) {
  MutexLock lock(gate_->mutex);
  gate_->channel = this;
}

Channel::~Channel() { stop(); }

void Channel::start(Stage &stage) {
  stage_ = &stage;
  thread_ = std::thread([this] { run(); });
}

void Channel::stop() {
  {
    MutexLock lock(gate_->mutex);
    gate_->channel = nullptr;
  }
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (!thread_.joinable()) return;
  thread_.join();
  // One after the other, as the state comes by way of the first.
  const auto end = std::chrono::steady_clock::now() + tools_.patience_for_disk;
  if (!asrun_look_.hangs()) asrun_disk_->wait_until_empty(end);
  if (!state_look_.hangs()) state_disk_->wait_until_empty(end);
}

void Channel::post(Job job) {
  MutexLock lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

void Channel::post_to_automation(Job job) {
  post([this, job = std::move(job)] {
    if (automation_)
      job();
    else
      waiting_.push_back(job);
  });
}

void Channel::run() {
  thread_id_ = std::this_thread::get_id();
  preparer_ = tools_.make_preparer(*this);
  load();
  for (;;) {
    std::deque<Job> jobs;
    {
      MutexLock lock(mutex_);
      const auto end = std::chrono::steady_clock::now() + kStep;
      while (!stopping_ && jobs_.empty() && changed_.wait_until(lock, end)) {
      }
      if (stopping_) break;
      jobs.swap(jobs_);
    }
    for (const Job &job : jobs) job();
    look_at_disks();
    if (!automation_) continue;
    look_at_budget();
    automation_->step();
    want();
    show();
    // A full disk may have room again, long before the next piece.
    if (is_asrun_told_ && tools_.clock->now() >= next_asrun_) write_asrun();
  }
  preparer_->close();
  if (automation_) automation_->stop();
  forget_shown();
  automation_.reset();
}

void Channel::load() {
  is_loading_again_ = false;
  rundown_look_ = {.is_asked = true};
  rundown_disk_->add([gate = gate_, source = source_, tools = tools_, path = settings_.state_file,
                      asrun_path = settings_.asrun, asrun = asrun_, asrun_disk = asrun_disk_, this] {
    auto begun = source->begin();
    if (!begun) {
      gate->post([this] {
        rundown_look_ = {};
        is_loading_again_ = true;
      });
      return;
    }
    auto reading = std::make_shared<RundownReading>(*std::move(begun));
    auto state = std::make_shared<Result<std::optional<ChannelState>>>(std::optional<ChannelState>());
    if (!path.empty()) *state = read_channel_state(*tools.files, path);
    if (*reading && *state && **state && asrun)
      asrun_disk->add([gate, files = tools.files, asrun_path, asrun, killed = ***state, this] {
        auto told = tell_killed(*files, asrun_path, killed, *asrun);
        gate->post([this, told = std::move(told), waiting = asrun->waiting()] { take_asrun(told, waiting); });
      });
    gate->post([this, reading, state] { take_first(std::move(*reading), std::move(*state)); });
  });
}

void Channel::take_first(RundownReading reading, Result<std::optional<ChannelState>> state) {
  rundown_look_ = {};
  take_rundown(reading);
  if (is_over_) return;
  if (!reading) {
    const RundownLine &problem = reading.error();
    const std::string where = problem.line == 0 ? "" : "Line " + std::to_string(problem.line) + ": ";
    listener_.on_error({ErrorKind::settings, "The rundown cannot be used. " + where + problem.text});
    return;
  }
  Place place;
  if (!state)
    listener_.on_warning(
        {ErrorKind::read,
         "The state file cannot be used, so the channel begins with the first item. " + state.error().text});
  else if (*state)
    place = (*state)->place;
  place = moved({}, **reading, std::move(place), settings_.schedule, tools_.clock->wall_now());
  AutomationSettings automation;
  automation.schedule = settings_.schedule;
  automation.settle = frames_in(settings_.schedule, settings_.settle);
  automation.run = run_name_;
  automation_ =
      std::make_unique<Automation>(std::move(automation), *stage_, *preparer_,
                                   static_cast<AutomationListener &>(*this), *reading, std::move(place));
  for (const Job &job : std::exchange(waiting_, {})) job();
}

bool Channel::DiskWait::hangs() const { return missed >= kLooksOfHang; }

bool Channel::DiskWait::miss() { return ++missed == kLooksOfHang; }

void Channel::look_at_disks() {
  const auto now = tools_.clock->now();
  if (now < next_look_) return;
  next_look_ = now + kLookInterval;
  look_at_rundown();
  look_at_what_is_written();
}

void Channel::look_at_rundown() {
  if (rundown_look_.is_asked) {
    if (rundown_look_.miss()) listener_.on_rundown({.text = automation_ ? kRundownHangs : kStartHangs});
    return;
  }
  if (is_loading_again_) return load();
  if (settings_.rundown.empty() || !automation_) return;
  rundown_look_ = {.is_asked = true};
  rundown_disk_->add([gate = gate_, source = source_, this] {
    auto found = std::make_shared<std::optional<RundownReading>>(source->look());
    gate->post([this, found, unseen = source->unseen()] {
      const bool has_hung = std::exchange(rundown_look_, {}).hangs();
      const bool was_unseen = !std::exchange(rundown_unseen_, unseen).empty();
      if (*found)
        take_rundown(**found);
      else if (!unseen.empty() && (!was_unseen || has_hung))
        listener_.on_rundown({.items = told_rundown_.items, .text = unseen});
      else if (unseen.empty() && (was_unseen || has_hung))
        listener_.on_rundown(told_rundown_);
    });
  });
}

// A file that is written tells of itself when it is written again.
void Channel::look_at_what_is_written() {
  const auto hangs_now = [this](const std::shared_ptr<DiskQueue> &disk, DiskWait Channel::*look) {
    if ((this->*look).is_asked) return (this->*look).miss();
    this->*look = {.is_asked = true};
    disk->add([gate = gate_, look, this] { gate->post([look, this] { this->*look = {}; }); });
    return false;
  };
  if (hangs_now(asrun_disk_, &Channel::asrun_look_)) {
    if (asrun_ && !std::exchange(is_asrun_told_, true)) listener_.on_alarm("asrun", kAsRunHangs, true);
    if (state_) on_state(ChannelState(*state_));
  }
  if (hangs_now(state_disk_, &Channel::state_look_) && !std::exchange(is_state_told_, true))
    listener_.on_alarm("state", kStateLost + "Its disk does not answer.", true);
}

// So that insert() knows it without a wait, and that fresh takes end when nobody limits them any more.
void Channel::look_at_budget() {
  const auto now = tools_.clock->now();
  if (is_reading_budget_ || now < next_budget_look_) return;
  next_budget_look_ = now + kBudgetInterval;
  is_reading_budget_ = true;
  store_disk_->add([gate = gate_, source = source_, this] {
    gate->post([this, is_bound = source->read_budget()] {
      is_reading_budget_ = false;
      preparer_->set_bound(is_bound);
    });
  });
}

// Tells of it, and follows it if there is an automation already.
void Channel::take_rundown(RundownReading reading) {
  RundownNotice notice;
  if (!reading) {
    notice.line = reading.error().line;
    notice.text = reading.error().text;
    told_rundown_ = notice;
    listener_.on_rundown(notice);
    return;
  }
  const std::shared_ptr<const Rundown> rundown = *reading;
  notice.accepted = true;
  notice.items = rundown->items.size();
  for (const RundownLine &warning : rundown->warnings) {
    if (notice.line == 0) notice.line = warning.line;
    notice.text += (notice.text.empty() ? "" : " ") + warning.text;
  }
  told_rundown_ = notice;
  listener_.on_rundown(notice);
  for (const RundownItem &item : rundown->items)
    if (!item.problem.empty()) listener_.on_item(item.id, {ItemState::refused, item.problem, nullptr});
  follow(rundown, "");
}

// Of a command. The newest file stays refused if it is, and its warnings were told.
void Channel::take_edited(Rundown rundown, const std::string &inserted) {
  told_rundown_.items = rundown.items.size();
  RundownNotice notice = told_rundown_;
  if (rundown_look_.is_asked && rundown_look_.hangs())
    notice = {.items = notice.items, .text = kRundownHangs};
  else if (!rundown_unseen_.empty())
    notice = {.items = notice.items, .text = rundown_unseen_};
  notice.is_edited = true;
  listener_.on_rundown(notice);
  follow(std::make_shared<const Rundown>(std::move(rundown)), inserted);
}

void Channel::follow(const std::shared_ptr<const Rundown> &rundown, const std::string &inserted) {
  if (automation_) automation_->set_rundown(rundown, inserted);
  is_want_due_ = true;
  MutexLock lock(mutex_);
  rundown_ = rundown;
}

// The item is judged here, so that its sender learns why it is refused. What plays needs no judgement again.
Result<void, RundownLine> Channel::insert(const std::string &item_json, const std::string &after) {
  auto alone = read_rundown_item(item_json, source_->folder());
  if (!alone) return std::move(alone).error();
  const bool is_named = !alone->items.front().id.empty();
  {
    MutexLock lock(mutex_);
    if (ends_) return RundownLine{0, kEnds};
    if (!rundown_) return RundownLine{0, "The channel has no rundown yet."};
  }
  const auto judged = source_->judge(std::move(*alone));
  if (!judged) return judged.error();
  RundownItem accepted = (*judged)->items.front();
  if (!accepted.problem.empty()) return RundownLine{accepted.line, accepted.problem};
  {
    MutexLock lock(mutex_);
    if (ends_) return RundownLine{0, kEnds};
    if (!after.empty() && !rundown_->find(after))
      return RundownLine{0, "The rundown has no item \"" + after + "\"."};
    if (!is_named) accepted.id = unused_id(*rundown_, accepted);
    // The next call may name this item.
    Rundown known = *rundown_;
    insert_item(known, accepted, after, "");
    rundown_ = std::make_shared<const Rundown>(std::move(known));
  }
  post([this, accepted, warnings = (*judged)->warnings, after] {
    if (!automation_) return;
    Rundown rundown = *automation_->rundown();
    const Place &place = automation_->place();
    // Behind the last item, if that is the last thing to be shown.
    const bool is_last = after.empty() && place.ended && !rundown.items.empty();
    insert_item(rundown, accepted, is_last ? rundown.items.back().id : after, place.next);
    for (const RundownLine &warning : warnings) listener_.on_warning({ErrorKind::settings, warning.text});
    // One that is put behind itself stays where it is.
    take_edited(std::move(rundown), after == accepted.id ? "" : accepted.id);
  });
  return {};
}

void Channel::remove(const std::string &id) {
  post_to_automation([this, id] {
    Rundown rundown = *automation_->rundown();
    std::erase_if(rundown.items, [&](const RundownItem &item) { return item.id == id; });
    rundown.reindex();
    take_edited(std::move(rundown));
  });
}

void Channel::skip() {
  post([this] {
    if (automation_) automation_->skip();
  });
}

void Channel::hold(bool hold) {
  post_to_automation([this, hold] {
    automation_->hold(hold);
    // The piece on the air may last for hours.
    if (!state_ || state_->place.hold == hold) return;
    ChannelState state = *state_;
    state.place.hold = hold;
    on_state(state);
  });
}

void Channel::end(Automation::End end) {
  {
    MutexLock lock(mutex_);
    ends_ = true;
  }
  post([this, end] {
    is_want_due_ = true;
    if (automation_) return automation_->end(end);
    is_over_ = true;
    stage_->end(stage_->earliest_frame());
  });
}

void Channel::reload() {
  post([this] {
    preparer_->reload();
    if (automation_) read_again();
  });
}

// Where the file is the same, what was inserted and removed stays.
void Channel::read_again() {
  rundown_disk_->add([gate = gate_, source = source_, known = automation_->rundown(),
                      is_refused = !told_rundown_.accepted, this] {
    auto reading = std::make_shared<std::optional<RundownReading>>(source->read_again());
    const bool is_of_file = reading->has_value();
    if (!is_of_file) *reading = source->judge_again(*known, is_refused);
    gate->post([this, reading, known, is_of_file] {
      if (!*reading) return listener_.on_rundown(told_rundown_);
      // Something was inserted or removed meanwhile.
      if (!is_of_file && known != automation_->rundown()) return read_again();
      take_rundown(**reading);
    });
  });
}

const RundownItem *Channel::find_item(const std::string &id) const {
  const Rundown &rundown = *automation_->rundown();
  const auto position = rundown.find(id);
  return position ? &rundown.items[*position] : nullptr;
}

uint64_t Channel::frames_of(const RundownItem &item, uint64_t turn) const {
  if (const ItemStatus status = preparer_->status(item.id, turn); status.media)
    return frames_in(settings_.schedule, status.media->length);
  const auto expected = item.is_length_of_still && item.expected_length ? item.expected_length : item.length;
  return frames_in(settings_.schedule, expected.value_or(item.expected_length.value_or(kUsualLength)));
}

// Makes ready what is on the air and what comes, and nothing else.
void Channel::want() {
  const auto now = tools_.clock->now();
  if (!is_want_due_ && now < next_want_) return;
  is_want_due_ = false;
  next_want_ = now + kWantInterval;
  std::vector<Wish> wishes;
  const auto add = [&](const RundownItem &item, uint64_t turn) {
    const bool is_there = std::any_of(wishes.begin(), wishes.end(), [&](const Wish &wish) {
      return wish.item.id == item.id && (wish.turn == turn || item.fresh == Fresh::never);
    });
    if (!is_there && item.problem.empty()) wishes.push_back({item, turn});
  };
  for (const Piece &piece : automation_->kept()) {
    if (piece.kind != PieceKind::clip) continue;
    const auto wished = std::find_if(wishes_.begin(), wishes_.end(), [&](const Wish &wish) {
      return wish.item.id == piece.id && (wish.turn == piece.turn || wish.item.fresh == Fresh::never);
    });
    // It may have left the rundown since. If it has become something else there, that is what comes under its
    // name; the piece holds its own clip.
    const RundownItem *item = find_item(piece.id);
    if (wished != wishes_.end() && (!item || *item == wished->item)) add(wished->item, wished->turn);
  }
  // Nothing is paid that could not be shown any more.
  const bool ends = automation_->ends();
  std::vector<ChannelAhead> ahead;
  const auto length_of = [&](const RundownItem &item, uint64_t turn) {
    const bool is_lost = is_passed_over(preparer_->status(item.id, turn).state);
    return is_lost ? std::nullopt : std::optional(frames_of(item, turn));
  };
  std::vector<Upcoming> to_come;
  if (!ends)
    to_come = upcoming(*automation_->rundown(), automation_->place(), settings_.schedule,
                       automation_->last_certain(), stage_->clock(), settings_.ahead,
                       frames_in(settings_.schedule, settings_.ahead_time), length_of);
  for (const Upcoming &upcoming : to_come) {
    const RundownItem *item = find_item(upcoming.id);
    if (!item) continue;
    // Also what is passed over: the preparer would forget that it has failed.
    add(*item, upcoming.turn);
    if (upcoming.is_passed_over) continue;
    const ItemStatus status = preparer_->status(item->id, upcoming.turn);
    ahead.push_back({item->id, item->title, status.state, upcoming.frame, frames_of(*item, upcoming.turn)});
  }
  wishes_ = wishes;
  preparer_->want(std::move(wishes), ends ? std::vector<std::string>() : automation_->rundown()->fallback);
  MutexLock lock(mutex_);
  status_.ahead = std::move(ahead);
}

// For whoever asks.
void Channel::show() {
  const StageCounts stage = stage_->counts();
  const double spent = preparer_->spent();
  MutexLock lock(mutex_);
  status_.stage = stage;
  status_.spent = spent;
  if (asrun_ && asrun_look_.hangs()) status_.asrun_waiting = asrun_->waiting();
  status_.counts = automation_->counts();
  status_.hold = automation_->place().hold;
  ends_ = ends_ || automation_->ends();
  status_.channel = automation_->rundown()->channel;
  status_.run = run_name_;
}

ChannelSnapshot Channel::status() const {
  MutexLock lock(mutex_);
  return status_;
}

// The preparer tells from threads of its own.
void Channel::on_item(const std::string &id, uint64_t, const ItemStatus &status) {
  const auto tell = [this, id, status] {
    is_want_due_ = true;
    listener_.on_item(id, status);
  };
  is_on_own_thread() ? tell() : post(tell);
}

void Channel::on_budget(const std::optional<BudgetNotice> &notice) {
  post([this, notice] { listener_.on_budget(notice); });
}

void Channel::on_warning(const Error &warning) {
  post([this, warning] { listener_.on_warning(warning); });
}

void Channel::on_alarm(const std::string &kind, const std::string &text, bool is_active) {
  post([this, kind, text, is_active] { listener_.on_alarm(kind, text, is_active); });
}

void Channel::on_air(const Piece &piece, Clock::WallTime wall) {
  {
    MutexLock lock(mutex_);
    status_.now = piece;
  }
  is_want_due_ = true;
  listener_.on_air(piece, wall);
}

void Channel::on_next(const std::optional<Piece> &next) {
  {
    MutexLock lock(mutex_);
    status_.next = next;
  }
  is_want_due_ = true;
  listener_.on_next();
}

void Channel::on_end() {
  forget_shown();
  MutexLock lock(mutex_);
  status_.now.reset();
}

void Channel::on_state(const ChannelState &state) {
  if (!state_file_) return;
  state_ = state;
  const uint64_t number = ++states_;
  if (!asrun_ || asrun_look_.hangs()) {
    state_file_->set(state, number);
    return state_writer()();
  }
  behind_asrun_->set({state, number});
  write_asrun();
}

// Any thread may call it.
std::function<void()> Channel::state_writer() {
  return [disk = state_disk_, gate = gate_, file = state_file_, this] {
    disk->add_once("state", [gate, file, this] {
      gate->post([this, written = file->write()] { take_state_written(written); });
    });
  };
}

// Tells of the first failure, and then of none until it is written again.
void Channel::take_state_written(const Result<void> &written) {
  if (!written && written.error().kind == ErrorKind::busy)
    return listener_.on_alarm("state-file", written.error().text, true);
  if (std::exchange(is_state_told_, !written) == !written) return;
  listener_.on_alarm(
      "state", written ? "The state file is written again." : kStateLost + written.error().text, !written);
}

// The piece was not killed, wherever somebody moves the log that has its line.
void Channel::forget_shown() {
  if (!state_) return;
  ChannelState state = *state_;
  state.shown = {};
  on_state(state);
  state_.reset();
}

void Channel::on_aired(const AsRunEntry &entry) {
  if (!asrun_) return;
  asrun_->add(to_json(entry));
  write_asrun();
}

// The lines that wait, and then the state that came behind them.
void Channel::write_asrun() {
  next_asrun_ = tools_.clock->now() + kAsRunInterval;
  asrun_disk_->add_once("asrun", [gate = gate_, asrun = asrun_, behind = behind_asrun_, file = state_file_,
                                  write_state = state_writer(), this] {
    auto state = behind->take();
    auto written = asrun->write_waiting();
    gate->post(
        [this, written = std::move(written), waiting = asrun->waiting()] { take_asrun(written, waiting); });
    if (!state) return;
    file->set(std::move(state->state), state->number);
    write_state();
  });
}

// Tells of the first failure, and then of none until all lines are written.
void Channel::take_asrun(const Result<void> &written, size_t waiting) {
  if (!written && !std::exchange(is_asrun_told_, true))
    listener_.on_alarm("asrun", "The as-run log cannot be written; its lines wait. " + written.error().text,
                       true);
  if (written && std::exchange(is_asrun_told_, false))
    listener_.on_alarm("asrun", "All lines of the as-run log are written.", false);
  MutexLock lock(mutex_);
  status_.asrun_waiting = waiting;
}

}  // namespace genclip
