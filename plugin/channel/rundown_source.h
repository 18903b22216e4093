// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where a channel's rundown comes from: a file that is watched, or a text.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "plugin/account/budget.h"
#include "plugin/base/clock.h"
#include "plugin/base/file_system.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"
#include "plugin/catalog/run_settings.h"
#include "plugin/channel/rundown.h"

namespace genclip {

// What was read, or why it cannot be used.
using RundownReading = Result<std::shared_ptr<const Rundown>, RundownLine>;

// read(), read_again(), begin() and look(): one thread at a time; they block for the disk, as read_budget()
// and judge_again() do. judge() and folder(): any thread, once something has been read; they do not wait.
// Borrows the files and the clock, which must outlive it.
class RundownSource {
 public:
  // `path`: of a file; where it is empty, `text` is the rundown.
  RundownSource(FileSystem &files, Clock &clock, std::string path, std::string text, RunSettings run)
      : files_(files), clock_(clock), path_(std::move(path)), text_(std::move(text)), run_(std::move(run)) {}

  // What paths in the rundown are relative to.
  std::string folder() const EXCLUDES(mutex_);

  // As it is now.
  RundownReading read() EXCLUDES(mutex_);
  // The same. Nothing: it is what was read and accepted last, perhaps without some of its items.
  std::optional<RundownReading> read_again() EXCLUDES(mutex_);
  // That rundown, which was made of what was read: the reason for which a part of it was refused may have
  // gone. Nothing: all of it was accepted. `is_refused`: as a whole, so it is validated in any case.
  std::optional<RundownReading> judge_again(Rundown rundown, bool is_refused = false) const;
  // The same for the start of a channel. Nothing: somebody may still be writing the file, so this is to be
  // called again; but not for longer than ten seconds after the first call.
  std::optional<RundownReading> begin() EXCLUDES(mutex_);
  // What the file contains now, if it has changed since it was read and has then rested for one look, so that
  // a file that somebody writes is not read too early; for ten seconds, if its text may be unfinished. An
  // error, once, if there is no file any more.
  std::optional<RundownReading> look() EXCLUDES(mutex_);
  // After look(), on its thread: why the last looks failed; empty: they did not.
  const std::string &unseen() const { return unseen_; }
  // The store's, for judge(). False: it ends nothing of what fresh takes cost. One that cannot be read binds:
  // nothing is paid then.
  bool read_budget() EXCLUDES(mutex_);
  // Validates as a file is validated: with the catalog, and the store's budget as it was read last.
  RundownReading judge(Rundown rundown) const EXCLUDES(mutex_);

 private:
  struct Stamp {
    std::string path;  // Behind links.
    uint64_t size = 0;
    std::chrono::system_clock::time_point modified, changed;
    bool operator==(const Stamp &) const = default;
  };
  std::optional<Stamp> stamp();
  // `its_now`: by which its age is told. Nothing: somebody may still be writing it; not without `its_now`.
  std::optional<RundownReading> read_file(std::optional<Clock::WallTime> its_now) EXCLUDES(mutex_);
  RundownReading read_text(const std::string &text) EXCLUDES(mutex_);
  bool is_young(const Stamp &stamp, Clock::WallTime its_now) const;
  Result<Budget> budget_on_disk() const;
  RundownReading judge(Rundown rundown, const std::function<Result<Budget>()> &budget) const;

  FileSystem &files_;
  Clock &clock_;
  const std::string path_;
  const std::string text_;
  const RunSettings run_;
  std::optional<Stamp> read_;  // Of the file that was read last.
  bool is_accepted_ = false;   // What was read last.
  unsigned missing_ = 0;       // Looks at it in which it was not there.
  unsigned unseen_looks_ = 0;  // Those that failed, one after the other.
  std::string unseen_;
  std::optional<Stamp> seen_;              // At the last look.
  std::optional<Clock::Time> seen_since_;  // When it was first seen so; at the start, when that began.
  mutable Mutex mutex_;
  std::string folder_ GUARDED_BY(mutex_);
  std::optional<Result<Budget>> budget_ GUARDED_BY(mutex_);  // Empty: not read yet.
};

}  // namespace genclip
