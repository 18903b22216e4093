// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/rundown_source.h"

#include <glib.h>

#include <algorithm>
#include <utility>

#include "plugin/account/ledger.h"
#include "plugin/base/durable_file.h"
#include "plugin/base/gref.h"
#include "plugin/channel/preparer.h"
#include "plugin/channel/rundown_reader.h"
#include "plugin/store/clip_path.h"

namespace genclip {

// Looks: an editor may remove the file for a moment when it saves it.
static constexpr unsigned kMissing = 4;
static const std::string kUnreadable = "The rundown cannot be read: ";
// So long, who writes a file may take between two pieces of it.
static constexpr auto kWritten = std::chrono::seconds(10);

std::string RundownSource::folder() const {
  MutexLock lock(mutex_);
  return folder_;
}

RundownReading RundownSource::read() {
  if (!path_.empty()) return *read_file(std::nullopt);
  if (text_.empty()) return RundownLine{0, "There is no rundown. Set rundown, or rundown-text."};
  return read_text(text_);
}

// Of what was refused, the reason may have gone: that the store lacked a budget, say.
std::optional<RundownReading> RundownSource::read_again() {
  const bool is_the_same = path_.empty() || (read_ && stamp() == read_);
  if (is_accepted_ && is_the_same) return std::nullopt;
  return read();
}

std::optional<RundownReading> RundownSource::judge_again(Rundown rundown, bool is_refused) const {
  if (!is_refused && rundown.refused_fallback.empty() &&
      std::ranges::all_of(rundown.items, &std::string::empty, &RundownItem::problem))
    return std::nullopt;
  forget_judgement(rundown);
  return judge(std::move(rundown), [this] { return budget_on_disk(); });
}

std::optional<RundownReading> RundownSource::begin() {
  if (path_.empty()) return read();
  if (!seen_since_) seen_since_ = clock_.now();
  return read_file(clock_.wall_now());
}

std::optional<RundownReading> RundownSource::read_file(std::optional<Clock::WallTime> its_now) {
  const auto now = stamp();
  auto contents = read_whole(files_, resolved_path(path_), kMaxRundownSize);
  if (its_now && now && contents && may_be_unfinished(*contents) && is_young(*now, *its_now))
    return std::nullopt;
  read_ = seen_ = now;
  is_accepted_ = false;
  if (!contents) return RundownLine{0, kUnreadable + contents.error().text};
  return read_text(*contents);
}

RundownReading RundownSource::read_text(const std::string &text) {
  const std::string folder =
      path_.empty() ? GStringPtr(g_get_current_dir()).get() : std::string(folder_of(path_));
  {
    MutexLock lock(mutex_);
    folder_ = folder;
  }
  auto rundown = read_rundown(text, folder);
  auto reading = rundown ? judge(std::move(*rundown), [this] { return budget_on_disk(); })
                         : RundownReading(std::move(rundown).error());
  is_accepted_ = reading.has_value();
  return reading;
}

// A file server's clock may be another one, so that what has rested before this machine's eyes is not young.
bool RundownSource::is_young(const Stamp &stamp, Clock::WallTime its_now) const {
  return its_now < stamp.modified + kWritten && (!seen_since_ || clock_.now() < *seen_since_ + kWritten);
}

std::optional<RundownReading> RundownSource::look() {
  if (path_.empty()) return std::nullopt;
  const auto info = files_.info(resolved_path(path_));
  // One that cannot be looked at is the same one, with what was inserted into it.
  if (!info) {
    if (++unseen_looks_ >= kMissing) unseen_ = kUnreadable + info.error().text;
    return std::nullopt;
  }
  unseen_looks_ = 0;
  unseen_.clear();
  if (!*info) {
    read_ = seen_ = std::nullopt;
    if (++missing_ != kMissing) return std::nullopt;
    return RundownLine{0, "Its file is gone."};
  }
  missing_ = 0;
  const auto now = stamp();
  const bool rests = now == std::exchange(seen_, now);
  if (!rests) seen_since_ = clock_.now();
  if (!now || now == read_ || !rests) return std::nullopt;
  // Its disk's clock has just told the time of the change. Who moves a file, or copies it with its times,
  // leaves one that was written long before, as does who leads a link to it.
  return read_file(read_ && now->path != read_->path ? clock_.wall_now() : now->changed);
}

Result<Budget> RundownSource::budget_on_disk() const {
  return Ledger(files_, clock_, store_root(run_.store)).budget();
}

bool RundownSource::read_budget() {
  auto budget = budget_on_disk();
  const bool binds = !budget || is_bound(*budget);
  MutexLock lock(mutex_);
  budget_ = std::move(budget);
  return binds;
}

RundownReading RundownSource::judge(Rundown rundown) const {
  std::optional<Result<Budget>> known;
  {
    MutexLock lock(mutex_);
    known = budget_;
  }
  return judge(std::move(rundown), [&]() -> Result<Budget> {
    if (known) return *known;
    return Error{ErrorKind::read, "The store's budget has not been read yet. Try again in some seconds."};
  });
}

RundownReading RundownSource::judge(Rundown rundown, const std::function<Result<Budget>()> &budget) const {
  judge_rundown(rundown, run_);
  if (auto bound = check_budget(rundown, budget); !bound) return std::move(bound).error();
  return std::make_shared<const Rundown>(std::move(rundown));
}

std::optional<RundownSource::Stamp> RundownSource::stamp() {
  std::string path = resolved_path(path_);
  const auto info = files_.info(path);
  if (!info || !*info) return std::nullopt;
  return Stamp{std::move(path), (*info)->size, (*info)->modified, (*info)->changed};
}

}  // namespace genclip
