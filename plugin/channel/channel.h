// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A channel at work: its thread lets the automation step, follows the rundown's file, and tells the preparer
// what to make ready.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/disk_queue.h"
#include "plugin/base/file_system.h"
#include "plugin/base/mutex.h"
#include "plugin/channel/automation.h"
#include "plugin/channel/preparer.h"
#include "plugin/channel/rundown_source.h"
#include "plugin/channel/stage.h"

namespace genclip {

struct ChannelSettings {
  std::string rundown;  // Path, watched. Empty: the text.
  std::string rundown_text;
  std::string asrun;       // Path; empty: none.
  std::string state_file;  // Path; empty: none.
  ScheduleSettings schedule;
  std::chrono::seconds settle{1};        // How long before a cut it stands.
  size_t ahead = 4;                      // Items that are prepared ahead,
  std::chrono::seconds ahead_time{900};  // or as many as begin in this time, if they are more.
  RunSettings run;
};

// An item that is to come, for people.
struct ChannelAhead {
  std::string id;
  std::string title;
  ItemState state = ItemState::planned;
  uint64_t frame = 0;
  uint64_t frames = 0;  // How long it lasts; 0: unknown.
};

// What a channel shows of itself. A plain value.
struct ChannelSnapshot {
  std::string channel;  // The rundown's name of it.
  std::string run;
  std::optional<Piece> now, next;
  std::vector<ChannelAhead> ahead;
  StageCounts stage;
  AutomationCounts counts;
  double spent = 0;
  size_t asrun_waiting = 0;  // Lines that could not be written yet.
  bool hold = false;
};

struct RundownNotice {
  bool accepted = false;
  size_t items = 0;
  unsigned line = 0;  // Of the problem, or of the first warning; 0: none.
  std::string text;   // The problem, or the warnings; may be empty.
  // A command has changed the items of the rundown that is played; all else was told before, of the newest
  // one.
  bool is_edited = false;
};

// Called on the channel's thread, with no lock held. No call may wait.
class ChannelListener {
 public:
  virtual ~ChannelListener() = default;
  virtual void on_item(const std::string &id, const ItemStatus &status) = 0;
  virtual void on_air(const Piece &piece, Clock::WallTime wall) = 0;
  virtual void on_next() = 0;
  virtual void on_rundown(const RundownNotice &notice) = 0;
  virtual void on_budget(const std::optional<BudgetNotice> &notice) = 0;
  virtual void on_alarm(const std::string &kind, const std::string &text, bool is_active) = 0;
  virtual void on_warning(const Error &warning) = 0;
  // The channel cannot begin.
  virtual void on_error(const Error &error) = 0;
};

// What a channel works with; tests replace these.
struct ChannelTools {
  FileSystem *files = &FileSystem::posix();  // Borrowed; outlives every channel.
  Clock *clock = &Clock::system();           // Likewise.
  // For the last lines of the as-run log and the last state, when the channel stops.
  std::chrono::milliseconds patience_for_disk{50};
  std::function<std::shared_ptr<Preparer>(PreparerListener &)> make_preparer;
};

// Commands and status(): any thread, none waits. start() and stop(): one thread.
class Channel : private AutomationListener, private PreparerListener {
 public:
  // Borrows the listener.
  Channel(ChannelSettings settings, ChannelTools tools, ChannelListener &listener);
  ~Channel() override;

  // Reads the rundown on another thread, then begins. Borrows the stage until stop().
  void start(Stage &stage);
  // Ends the thread, and tells the as-run log what was on the air. Waits for a step; the first call also
  // waits for the disks, but no longer than ChannelTools says.
  void stop() EXCLUDES(mutex_);

  void skip();
  void hold(bool hold);
  void reload();
  void end(Automation::End end);
  // Behind the item `after`; empty: as the next one. An error: the text has no item, or one that can never be
  // shown, or there is no such item `after`, or the channel ends; nothing changes.
  Result<void, RundownLine> insert(const std::string &item_json, const std::string &after) EXCLUDES(mutex_);
  // What is on the air, or about to be, stays.
  void remove(const std::string &id);

  ChannelSnapshot status() const EXCLUDES(mutex_);

 private:
  using Job = std::function<void()>;
  // A disk's thread was asked something, and has not answered for so many looks.
  struct DiskWait {
    bool is_asked = false;
    unsigned missed = 0;

    bool hangs() const;
    // One more is missed. Returns whether the disk hangs from now on.
    bool miss();
  };

  void on_item(const std::string &id, uint64_t turn, const ItemStatus &status) override;
  void on_air(const Piece &piece, Clock::WallTime wall) override;
  void on_state(const ChannelState &state) override;
  void on_aired(const AsRunEntry &entry) override;
  void on_next(const std::optional<Piece> &next) override;
  void on_end() override;
  void on_budget(const std::optional<BudgetNotice> &notice) override;
  void on_warning(const Error &warning) override;
  void on_alarm(const std::string &kind, const std::string &text, bool is_active) override;

  // To the channel's thread; without a wait.
  void post(Job job) EXCLUDES(mutex_);
  // The same, once the automation is there: at the start, the rundown may take some seconds.
  void post_to_automation(Job job) EXCLUDES(mutex_);
  void run() EXCLUDES(mutex_);
  bool is_on_own_thread() const { return std::this_thread::get_id() == thread_id_; }

  // On the channel's thread.
  void load();
  void look_at_disks();
  void look_at_rundown();
  void look_at_what_is_written();
  void look_at_budget();
  void take_first(RundownReading reading, Result<std::optional<ChannelState>> state);
  void take_rundown(RundownReading reading);
  void take_edited(Rundown rundown, const std::string &inserted = "");
  void follow(const std::shared_ptr<const Rundown> &rundown, const std::string &inserted);
  void read_again();
  void forget_shown();
  void write_asrun();
  std::function<void()> state_writer();
  void take_state_written(const Result<void> &written);
  void take_asrun(const Result<void> &written, size_t waiting);
  void want();
  void show();
  uint64_t frames_of(const RundownItem &item, uint64_t turn) const;
  const RundownItem *find_item(const std::string &id) const;

  const ChannelSettings settings_;
  const ChannelTools tools_;
  ChannelListener &listener_;
  const std::string run_name_;
  // The disks' threads use it, one job of each disk at a time, also after this object.
  const std::shared_ptr<RundownSource> source_;
  const std::shared_ptr<AsRunLog> asrun_;               // Likewise, those of asrun_disk_. Null: none.
  const std::shared_ptr<ChannelStateFile> state_file_;  // Likewise, those of state_disk_.
  // Each may be on another disk, whose hang must not hold up the others. What is written into the state file
  // comes by way of asrun_disk_, unless that hangs: a piece's line is in the log before the state says that
  // the next one is on.
  const std::shared_ptr<DiskQueue> asrun_disk_ = DiskQueue::make();
  const std::shared_ptr<DiskQueue> state_disk_ = DiskQueue::make();
  const std::shared_ptr<DiskQueue> rundown_disk_ = DiskQueue::make();
  const std::shared_ptr<DiskQueue> store_disk_ = DiskQueue::make();
  // So that a disk that hangs holds one job of each, and one state.
  struct Behind;
  const std::shared_ptr<Behind> behind_asrun_;

  // The channel's thread.
  Stage *stage_ = nullptr;
  std::shared_ptr<Preparer> preparer_;
  std::unique_ptr<Automation> automation_;
  std::vector<Job> waiting_;  // For the automation.
  bool is_over_ = false;      // It was ended before it had a rundown.
  std::vector<Wish> wishes_;
  std::optional<ChannelState> state_;  // As it was told last.
  uint64_t states_ = 0;                // How many were.
  bool is_loading_again_ = false;      // Somebody may have been writing the rundown's file at the start.
  DiskWait rundown_look_, asrun_look_, state_look_;
  std::string rundown_unseen_;  // RundownSource::unseen() of the last look.
  RundownNotice told_rundown_;  // Of the newest one that was read.
  bool is_want_due_ = true;
  bool is_reading_budget_ = false;  // A disk thread reads the store's budget.
  Clock::Time next_look_;
  Clock::Time next_budget_look_;
  Clock::Time next_want_;
  Clock::Time next_asrun_;      // When lines that wait are tried again.
  bool is_state_told_ = false;  // That it cannot be written.
  bool is_asrun_told_ = false;  // That they wait.

  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<Job> jobs_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  ChannelSnapshot status_ GUARDED_BY(mutex_);
  bool ends_ GUARDED_BY(mutex_) = false;  // What is inserted would never be shown.
  // The newest one, with what is being inserted. Null: none was accepted yet.
  std::shared_ptr<const Rundown> rundown_ GUARDED_BY(mutex_);
  // Disk threads post through it: nothing once the channel has stopped.
  struct Gate;
  std::shared_ptr<Gate> gate_;
  std::thread thread_;
  std::thread::id thread_id_;
};

}  // namespace genclip
