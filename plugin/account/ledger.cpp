// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Each change: take the lock, open the file anew (a shared file system then shows what others have written),
// read the summary and the lines behind it, append, sync.
#include "plugin/account/ledger.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include "plugin/account/estimate.h"
#include "plugin/account/ledger_summary.h"
#include "plugin/base/durable_file.h"
#include "plugin/base/json.h"
#include "plugin/base/number.h"
#include "plugin/base/shell_word.h"

namespace genclip {
namespace {

// Lines behind the summary that are read again each time: some milliseconds.
constexpr uint64_t kMostUnsummed = 500;
constexpr size_t kMaxSummary = 64 * 1024 * 1024;
// A first line is seldom longer than the first of these, and never than the second.
constexpr size_t kFirstLines[] = {4 * 1024, 64 * 1024};

// Counts what it reads; false when the account cannot take the line.
bool count_line(LedgerReading &reading, std::string_view line, uint64_t count) {
  reading.lines += count;
  const auto entry = read_ledger_line(line);
  if (!entry) reading.skipped += count;
  return !entry || reading.account.apply(*entry);
}

// As many as a seal covers.
std::string last_of(const std::string &bytes) {
  return bytes.substr(bytes.size() - std::min(bytes.size(), kSealedBytes));
}

// The last bytes before that offset, as many as a seal covers; fewer where the file is shorter.
Result<std::string> bytes_before(File &file, uint64_t offset) {
  std::string text(static_cast<size_t>(std::min<uint64_t>(kSealedBytes, offset)), '\0');
  const auto count = file.read_at(offset - text.size(), std::as_writable_bytes(std::span(text)));
  if (!count) return count.error();
  text.resize(*count);
  return text;
}

std::string dear_text(const Charge &charge, double amount) {
  if (!charge.estimate || fits(amount, charge.estimate->high)) return {};
  return "The task " + charge.task_id + " has cost " + counted(amount_text(amount), "credit") + "; at most " +
         amount_text(charge.estimate->high) + (charge.estimate->high == 1 ? " was" : " were") +
         " expected. The next estimate takes that into account.";
}

std::string untold_text(const Charge &charge, double assumed_price, const std::string &odd_amount) {
  std::string text = "The service has not told what the task " + charge.task_id + " has cost";
  if (!odd_amount.empty())
    text += ": its amount is " + odd_amount + ", which is not a plain number of credits";
  const double counts = charge.reserved(assumed_price);
  const std::string until =
      ", until you enter what it was: genclip cost correct " + shell_operand(charge.task_id) + " AMOUNT.";
  if (counts > 0)
    return text + ". It counts in the budget with " + counted(amount_text(counts), "credit") + ", " +
           (charge.estimate ? "which is its estimate" : "which is the assumed price") + until;
  return text + ". It counts in the budget with nothing" + until +
         " To say what such clips count with: genclip budget set --assumed-price N.";
}

}  // namespace

LedgerPath::LedgerPath(const std::string &store)
    : ledger(store + "/ledger.jsonl"),
      lock(store + "/ledger.lock"),
      summary(store + "/ledger.summary"),
      budget(store + "/budget.json") {}

Ledger::Ledger(FileSystem &files, Clock &clock, const std::string &store, OnLockWait on_wait)
    : files_(files),
      clock_(clock),
      store_(store),
      on_wait_(std::move(on_wait)),
      path_(store),
      desk_(desk_of(files, store)) {}

std::shared_ptr<Ledger::Desk> Ledger::desk_of(FileSystem &files, const std::string &store) {
  struct Desks {
    Mutex mutex;
    std::map<std::pair<FileSystem *, std::string>, std::weak_ptr<Desk>> of_stores GUARDED_BY(mutex);
  };
  static auto &desks = *new Desks;  // Never destroyed: threads may outlive main().
  MutexLock lock(desks.mutex);
  std::erase_if(desks.of_stores, [](const auto &entry) { return entry.second.expired(); });
  std::weak_ptr<Desk> &known = desks.of_stores[{&files, store}];
  auto desk = known.lock();
  if (!desk) known = desk = std::make_shared<Desk>();
  return desk;
}

Result<FileLock> Ledger::lock(GCancellable *cancellable, std::chrono::seconds patience) {
  auto lock = wait_for_lock(path_.lock, clock_, cancellable, on_wait_, patience);
  if (lock || lock.error().kind != ErrorKind::not_found) return lock;
  if (auto made = make_folder_durably(files_, store_); !made) return std::move(made).error();
  return wait_for_lock(path_.lock, clock_, cancellable, on_wait_, patience);
}

Result<Ledger::Books> Ledger::load_all(File &file) {
  Books books;
  auto end = read_lines(
      file, 0, [&](std::string_view line, uint64_t count) { return count_line(books.reading, line, count); });
  if (!end) return std::move(end).error();
  books.end = *end;
  books.unsummed = books.reading.lines;
  return books;
}

// Another clip may have attached to one of its tasks by the ID. Such lines have the other clip's key.
Result<Ledger::Books> Ledger::load_about(File &file, const std::string &key) {
  Books books;
  constexpr size_t kMostTasks = 10;  // Each is looked for in each line.
  const auto in_quotes = [](const std::string &name) { return Json(name).to_text(); };
  std::vector<std::string> names = {in_quotes(key)};
  auto end = read_lines(file, 0, [&](std::string_view line, uint64_t count) {
    // Several times as fast as std::string_view::find().
    const auto is_in_line = [line](const std::string &name) {
      return ::memmem(line.data(), line.size(), name.data(), name.size()) != nullptr;
    };
    if (std::ranges::none_of(names, is_in_line)) return true;
    const auto entry = read_ledger_line(line);
    if (entry && entry->key == key && !entry->task_id.empty())
      if (std::string name = in_quotes(entry->task_id); !std::ranges::count(names, name))
        names.push_back(std::move(name));
    if (names.size() > kMostTasks) return false;
    return count_line(books.reading, line, count);
  });
  if (!end) return std::move(end).error();
  if (names.size() > kMostTasks) return load_all(file);
  books.end = *end;
  return books;
}

// Counts the lines behind the end of the books. False: one is about what their account has let go of.
Result<bool> Ledger::read_on(File &file, Books &books) {
  bool is_taken = true;
  auto end = read_lines(file, books.end.whole, [&](std::string_view line, uint64_t count) {
    books.unsummed += count;
    return is_taken = count_line(books.reading, line, count);
  });
  if (!end) return std::move(end).error();
  books.end = *end;
  return is_taken;
}

// Nothing: the summary does not match the ledger, or a line is about what it has let go of.
Result<std::optional<Ledger::Books>> Ledger::load_summed(File &file) {
  const auto text = read_whole(files_, path_.summary, kMaxSummary);
  if (!text) return std::optional<Books>();
  auto summary = read_summary(*text);
  if (!summary) return std::optional<Books>();
  const auto sealed = bytes_before(file, summary->bytes);
  if (!sealed) return sealed.error();
  if (seal_of(*sealed) != summary->seal) return std::optional<Books>();
  Books books;
  books.reading = {std::move(summary->account), summary->lines, summary->skipped};
  books.end.whole = summary->bytes;
  const auto is_taken = read_on(file, books);
  if (!is_taken) return is_taken.error();
  return *is_taken ? std::optional(std::move(books)) : std::nullopt;
}

Result<Ledger::Books> Ledger::load(File &file) {
  auto summed = load_summed(file);
  if (!summed) return std::move(summed).error();
  if (*summed) return std::move(**summed);
  return load_all(file);
}

Result<Ledger::Change> Ledger::begin_change(GCancellable *cancellable, std::chrono::seconds patience) {
  auto lock = this->lock(cancellable, patience);
  if (!lock) return std::move(lock).error();
  auto file = files_.open(path_.ledger, FileSystem::Mode::read_write);
  if (!file) return std::move(file).error();
  auto known = take_from_desk(**file);
  if (!known) return std::move(known).error();
  auto books = *known ? Result<Books>(std::move(**known)) : load(**file);
  if (!books) return std::move(books).error();
  auto last_bytes = bytes_before(**file, books->end.whole);
  if (!last_bytes) return std::move(last_bytes).error();
  books->last_bytes = std::move(*last_bytes);
  return Change{std::move(*lock), std::move(*file), std::move(*books), to_utc(clock_.wall_now())};
}

// The last bytes tell whether it is still the same ledger, as they do for a summary.
Result<std::optional<Ledger::Books>> Ledger::take_from_desk(File &file) {
  std::optional<Books> books;
  {
    MutexLock lock(desk_->mutex);
    books = std::exchange(desk_->books, std::nullopt);
  }
  if (!books) return books;
  const auto last_bytes = bytes_before(file, books->end.whole);
  if (!last_bytes) return last_bytes.error();
  if (*last_bytes != books->last_bytes) return std::optional<Books>();
  const auto is_taken = read_on(file, *books);
  if (!is_taken) return is_taken.error();
  return *is_taken ? std::move(books) : std::nullopt;
}

void Ledger::put_back(Books books) {
  // A summary takes less memory. What follows the last newline is counted already, and would be read again.
  const bool is_whole = books.end.tail == LedgerTail::none && !books.last_bytes.empty() && !books.incomplete;
  if (!is_whole || books.unsummed > kMostUnsummed) return;
  MutexLock lock(desk_->mutex);
  desk_->books = std::move(books);
}

Result<void> Ledger::write(Change &change, const std::vector<LedgerEntry> &entries,
                           const std::vector<LedgerEntry> &news) {
  Books &books = change.books;
  std::string text;
  for (const LedgerEntry &entry : entries) text += ledger_line(entry) + "\n";
  // The file's own name, which another process may have made a moment ago.
  if (!has_synced_name_)
    if (auto synced = files_.sync_folder(store_); !synced) return synced;
  has_synced_name_ = true;
  const bool ends_with_newline = books.end.tail == LedgerTail::none || books.end.tail == LedgerTail::torn;
  const bool was_foreign = books.end.tail == LedgerTail::foreign;
  const bool knows_last_bytes = books.end.whole == 0 || !books.last_bytes.empty();
  if (auto appended = append_lines(*change.file, books.end, text); !appended) return appended;
  books.last_bytes = ends_with_newline && knows_last_bytes ? last_of(books.last_bytes + text) : std::string();
  books.reading.lines += entries.size();
  books.unsummed += entries.size();
  bool is_taken = true;
  for (const LedgerEntry &entry : news) is_taken = is_taken && change.account().apply(entry);
  if (!is_taken) {
    books.last_bytes.clear();
    auto anew = load_all(*change.file);
    if (anew)
      books = std::move(*anew);
    else
      books.incomplete = std::move(anew).error();
  }
  // Nobody needs to read anew what is long and says nothing.
  if ((books.unsummed > kMostUnsummed || was_foreign) && !books.incomplete) sum_up(*change.file, books);
  return {};
}

// A summary that cannot be written is made by the next one.
void Ledger::sum_up(File &file, Books &books) {
  const auto size = file.size();
  if (!size) return;
  LedgerSummary summary;
  summary.bytes = *size;
  const auto sealed = bytes_before(file, *size);
  if (!sealed) return;
  summary.seal = seal_of(*sealed);
  summary.lines = books.reading.lines;
  summary.skipped = books.reading.skipped;
  summary.account = books.reading.account.condensed();
  static_cast<void>(write_durably(files_, path_.summary, summary_text(summary)));
}

// Writes what became of this clip's charges that are under way.
Result<void> Ledger::bury(Change &change, const ChargeFacts &facts, const AfterDeath &after_death) {
  std::vector<LedgerEntry> entries;
  if (!after_death) return {};
  for (const Charge &charge : change.account().charges())
    if (charge.is_under_way() && charge.key == facts.key)
      for (LedgerEntry &entry : after_death(charge)) entries.push_back(std::move(entry));
  for (LedgerEntry &entry : entries) entry.at = change.now;
  if (entries.empty()) return {};
  if (auto written = write(change, entries); !written) return written;
  if (change.books.incomplete) return *change.books.incomplete;
  return {};
}

Result<Ledger::Reservation> Ledger::reserve(const ChargeFacts &facts, const ClipLimit &max_amount,
                                            GCancellable *cancellable, const AfterDeath &after_death,
                                            unsigned max_tasks,
                                            const std::function<void(UtcTime)> &before_line) {
  auto change = begin_change(cancellable);
  if (!change) return std::move(change).error();
  if (auto written = bury(*change, facts, after_death); !written) return std::move(written).error();
  LedgerEntry entry(LedgerEvent::reserve, facts);
  entry.at = change->now;
  entry.estimate = estimate_price(change->account().prices(), facts);
  Reservation reservation;
  reservation.at = entry.at;
  reservation.estimate = entry.estimate;
  reservation.waits = likely_waits(change->account().waits(), facts);
  reservation.skipped = change->books.reading.skipped;
  if (const auto limits = budget(); !limits)
    reservation.decision = unreadable_budget(kNothingSent, limits.error());
  else
    reservation.decision = decide(change->account(), *limits,
                                  clip_spending(*limits, max_amount, entry.estimate, max_tasks), change->now);
  if (reservation.decision.verdict == Verdict::allow) {
    if (before_line) before_line(entry.at);
    if (auto written = write(*change, {entry}); !written) return std::move(written).error();
  }
  put_back(std::move(change->books));
  return reservation;
}

Result<Ledger::CaptionLease> Ledger::lease_captions(const ChargeFacts &run, const CaptionUse &used,
                                                    const CaptionAsk &ask, GCancellable *cancellable) {
  auto change = begin_change(cancellable, kShortLockPatience);
  if (!change) return std::move(change).error();
  LedgerEntry entry(LedgerEvent::captions, run);
  entry.at = change->now;
  static_cast<CaptionUse &>(entry.captions) = used;
  const bool held_something = change->account().caption_blocks().contains(run.key);
  // What the run held is given back before it is decided what it may hold.
  static_cast<void>(change->account().apply(entry));

  CaptionLease lease;
  lease.day = day_of(entry.at);
  lease.skipped = change->books.reading.skipped;
  CaptionAsk question = ask;
  question.most_of_model = lease.most_of_model = change->account().most_tokens(run.base_url, run.model);
  const Spending spending = caption_spending(question);
  lease.decision.reserves = spending.unanswered;
  if (const auto limits = budget(); !limits)
    lease.decision = unreadable_budget(kNothingRequested, limits.error(), spending);
  else if (ask.wanted > 0)
    lease.decision = decide(change->account(), *limits, spending, change->now);

  lease.hold = hold_of(lease.decision);
  LedgerEntry held = entry;
  held.captions = {{}, lease.hold};
  static_cast<CaptionHold &>(entry.captions) = lease.hold;
  if (entry.captions != CaptionCounts() || held_something)
    if (auto written = write(*change, {entry}, {held}); !written) return std::move(written).error();
  put_back(std::move(change->books));
  return lease;
}

// Somebody may have corrected the amount, and a task that was only attached to counts in no budget. Without a
// limit in credits, an amount is missed by nobody; one that is there and is not understood is.
std::string Ledger::warning_of(const Account &account, const LedgerEntry &entry, const SettleNote &note) {
  if (entry.event != LedgerEvent::settle) return {};
  const Charge *charge = account.find_task(entry);
  if (!charge) return {};
  if (entry.amount) return dear_text(*charge, *entry.amount);
  if (!charge->is_untold()) return {};
  const auto limits = budget();
  const bool limits_credits = note.max_amount.credits > 0 || (limits && limits->limits_credits());
  if (!limits_credits && note.odd_amount.empty()) return {};
  return untold_text(*charge, limits ? limits->assumed_price : 0, note.odd_amount);
}

Result<Ledger::Appended> Ledger::append(std::vector<LedgerEntry> entries, GCancellable *cancellable,
                                        const SettleNote &note, std::chrono::seconds patience) {
  auto change = begin_change(cancellable, patience);
  if (!change) return std::move(change).error();
  for (LedgerEntry &entry : entries) entry.at = change->now;
  if (auto written = write(*change, entries); !written) return std::move(written).error();
  Appended appended;
  for (const LedgerEntry &entry : entries)
    if (appended.warning.empty()) appended.warning = warning_of(change->account(), entry, note);
  put_back(std::move(change->books));
  return appended;
}

// That its first line is about a clip: then no more need be read to know that it has such lines.
Result<bool> Ledger::begins_with_clip() {
  const auto text = retry_when_replaced([&]() -> Result<std::string> {
    auto file = files_.open(path_.ledger, FileSystem::Mode::read);
    if (!file && file.error().kind == ErrorKind::not_found) return std::string();
    if (!file) return std::move(file).error();
    std::string begin;
    for (const size_t size : kFirstLines) {
      begin.resize(size);
      const auto count = (*file)->read_at(0, std::as_writable_bytes(std::span(begin)));
      if (!count) return count.error();
      begin.resize(*count);
      if (*count < size || begin.find('\n') != begin.npos) break;
    }
    return begin;
  });
  if (!text) return text.error();
  const auto entry = read_ledger_line(std::string_view(*text).substr(0, text->find('\n')));
  return entry && entry->event != LedgerEvent::captions && entry->event != LedgerEvent::other;
}

Result<bool> Ledger::begin_with(const std::function<Result<std::vector<LedgerEntry>>()> &import,
                                GCancellable *cancellable, std::chrono::seconds patience) {
  // Without the lock first: this is asked before each submit.
  if (const auto there = begins_with_clip(); !there || *there) return there ? Result<bool>(false) : there;
  auto change = begin_change(cancellable, patience);
  if (!change) return std::move(change).error();
  if (change->account().has_clips()) {
    put_back(std::move(change->books));
    return false;
  }
  const auto entries = import();
  if (!entries) return entries.error();
  if (entries->empty() && change->books.end.size > 0) {
    put_back(std::move(change->books));
    return true;
  }
  // Captions may have begun it. All of the import comes at once, for a part of it would look like all.
  auto text = lines_before(*change->file, change->books.end);
  if (!text) return std::move(text).error();
  for (const LedgerEntry &entry : *entries) *text += ledger_line(entry) + "\n";
  if (auto written = write_durably(files_, path_.ledger, *text); !written) return std::move(written).error();
  return true;
}

// A ledger that another machine has just begun may replace an empty one.
Result<LedgerReading> Ledger::read(const std::function<Result<Books>(File &)> &load) {
  return retry_when_replaced([&]() -> Result<LedgerReading> {
    auto file = files_.open(path_.ledger, FileSystem::Mode::read);
    if (!file && file.error().kind == ErrorKind::not_found) return LedgerReading();
    if (!file) return std::move(file).error();
    auto books = load(**file);
    if (!books) return std::move(books).error();
    return std::move(books->reading);
  });
}

Result<LedgerReading> Ledger::read_all() {
  return read([this](File &file) { return load_all(file); });
}

Result<LedgerReading> Ledger::read_condensed() {
  return read([this](File &file) { return load(file); });
}

Result<LedgerReading> Ledger::read_about(const std::string &key) {
  return read([this, &key](File &file) { return load_about(file, key); });
}

Result<Budget> Ledger::budget() { return read_budget(files_, path_.budget); }

Result<Budget> Ledger::change_budget(const std::vector<std::pair<BudgetLimit, double>> &changes,
                                     GCancellable *cancellable) {
  for (const auto &[limit, value] : changes)
    if (const std::string wrong = fault_of(limit, value); !wrong.empty())
      return Error{ErrorKind::settings, "The value of " + std::string(limit.option) + " " + wrong + "."};
  auto lock = this->lock(cancellable);
  if (!lock) return std::move(lock).error();
  auto changed = budget();
  if (!changed) return changed;
  for (const auto &[limit, value] : changes) (*changed).*(limit.value) = value;
  if (auto written = write_durably(files_, path_.budget, changed->to_json().to_pretty_text() + "\n");
      !written)
    return std::move(written).error();
  return changed;
}

Result<void> Ledger::clear_budget(GCancellable *cancellable) {
  auto lock = this->lock(cancellable);
  if (!lock) return std::move(lock).error();
  if (auto removed = files_.remove(path_.budget); !removed) return removed;
  return files_.sync_folder(store_);
}

}  // namespace genclip
