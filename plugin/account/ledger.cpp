// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Each change: take the lock, open the file anew (a shared file system then shows what others have written),
// read the summary and the lines behind it, append, sync.
#include "plugin/account/ledger.h"

#include <algorithm>
#include <map>
#include <utility>

#include "plugin/account/estimate.h"
#include "plugin/account/ledger_summary.h"
#include "plugin/base/durable_file.h"
#include "plugin/base/number.h"
#include "plugin/base/trimmed.h"

namespace genclip {
namespace {

constexpr auto kLockPatience = std::chrono::seconds(60);
constexpr int kLeastPauseMs = 2;
constexpr int kMostPauseMs = 12;
// Lines behind the summary that are read again each time: some milliseconds.
constexpr uint64_t kMostUnsummed = 500;
constexpr size_t kMaxSummary = 64 * 1024 * 1024;
constexpr size_t kMaxBudget = 64 * 1024;
// A first line is seldom longer than the first of these, and never than the second.
constexpr size_t kFirstLines[] = {4 * 1024, 64 * 1024};

// Counts what it reads; false when the account cannot take the line.
bool count_line(LedgerReading &reading, std::string_view line) {
  ++reading.lines;
  const auto entry = read_ledger_line(line);
  if (!entry) ++reading.skipped;
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
      ", until you enter what it was: genclip cost correct " + charge.task_id + " AMOUNT.";
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

Ledger::Ledger(FileSystem &files, Clock &clock, const std::string &store)
    : files_(files), clock_(clock), store_(store), path_(store), desk_(desk_of(files, store)) {}

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

Result<FileLock> Ledger::lock(GCancellable *cancellable) {
  const auto deadline = clock_.now() + kLockPatience;
  bool has_made_folder = false;
  while (true) {
    if (g_cancellable_is_cancelled(cancellable)) return cancelled();
    auto lock = FileLock::try_lock(path_.lock);
    if (lock && *lock) return std::move(**lock);
    if (!lock && (lock.error().kind != ErrorKind::not_found || has_made_folder))
      return std::move(lock).error();
    if (!lock) {
      if (auto made = make_folder_durably(files_, store_); !made) return std::move(made).error();
      has_made_folder = true;
      continue;
    }
    if (clock_.now() >= deadline)
      return Error{ErrorKind::busy, "Another process has held " + path_.lock + " for " +
                                        std::to_string(kLockPatience.count()) +
                                        " s. Run again when it has ended."};
    const auto pause = std::chrono::milliseconds(g_random_int_range(kLeastPauseMs, kMostPauseMs));
    if (!clock_.sleep_until(clock_.now() + pause, cancellable)) return cancelled();
  }
}

Result<Ledger::Books> Ledger::load_all(File &file) {
  Books books;
  auto end = read_lines(file, 0, [&](std::string_view line) { return count_line(books.reading, line); });
  if (!end) return std::move(end).error();
  books.end = *end;
  books.unsummed = books.reading.lines;
  return books;
}

// Counts the lines behind the end of the books. False: one is about what their account has let go of.
Result<bool> Ledger::read_on(File &file, Books &books) {
  bool is_taken = true;
  auto end = read_lines(file, books.end.whole, [&](std::string_view line) {
    ++books.unsummed;
    return is_taken = count_line(books.reading, line);
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

Result<Ledger::Books> Ledger::take_books(File &file) {
  auto known = take_from_desk(file);
  if (!known) return std::move(known).error();
  auto books = *known ? Result<Books>(std::move(**known)) : load(file);
  if (!books) return books;
  auto last_bytes = bytes_before(file, books->end.whole);
  if (!last_bytes) return std::move(last_bytes).error();
  books->last_bytes = std::move(*last_bytes);
  return books;
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
  const bool is_whole = books.end.tail == LedgerTail::none && !books.last_bytes.empty();
  if (!is_whole || books.unsummed > kMostUnsummed) return;
  MutexLock lock(desk_->mutex);
  desk_->books = std::move(books);
}

Result<void> Ledger::write(File &file, Books &books, const std::vector<LedgerEntry> &entries) {
  std::string text;
  for (const LedgerEntry &entry : entries) text += ledger_line(entry) + "\n";
  // The file's own name, which another process may have made a moment ago.
  if (!has_synced_name_)
    if (auto synced = files_.sync_folder(store_); !synced) return synced;
  has_synced_name_ = true;
  const bool ends_with_newline = books.end.tail == LedgerTail::none || books.end.tail == LedgerTail::torn;
  const bool knows_last_bytes = books.end.whole == 0 || !books.last_bytes.empty();
  if (auto appended = append_lines(file, books.end, text); !appended) return appended;
  books.last_bytes = ends_with_newline && knows_last_bytes ? last_of(books.last_bytes + text) : std::string();
  bool is_taken = true;
  for (const LedgerEntry &entry : entries) {
    ++books.reading.lines;
    ++books.unsummed;
    is_taken = is_taken && books.reading.account.apply(entry);
  }
  if (!is_taken) {
    books.last_bytes.clear();
    auto anew = load_all(file);
    if (!anew) return {};  // The lines are written; the next one reads anew.
    books = std::move(*anew);
  }
  if (books.unsummed > kMostUnsummed) sum_up(file, books);
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
Result<void> Ledger::bury(File &file, Books &books, const ChargeFacts &facts, UtcTime now,
                          const AfterDeath &after_death) {
  std::vector<LedgerEntry> entries;
  if (!after_death) return {};
  for (const Charge &charge : books.reading.account.charges())
    if (charge.is_under_way() && charge.key == facts.key)
      for (LedgerEntry &entry : after_death(charge)) entries.push_back(std::move(entry));
  for (LedgerEntry &entry : entries) entry.at = now;
  return entries.empty() ? Result<void>() : write(file, books, entries);
}

Result<Ledger::Reservation> Ledger::reserve(const ChargeFacts &facts, const ClipLimit &max_amount,
                                            GCancellable *cancellable, const AfterDeath &after_death,
                                            unsigned max_tasks) {
  auto lock = this->lock(cancellable);
  if (!lock) return std::move(lock).error();
  auto file = files_.open(path_.ledger, FileSystem::Mode::read_write);
  if (!file) return std::move(file).error();
  auto books = take_books(**file);
  if (!books) return std::move(books).error();

  LedgerEntry entry(LedgerEvent::reserve, facts);
  entry.at = to_utc(clock_.wall_now());
  if (auto written = bury(**file, *books, facts, entry.at, after_death); !written)
    return std::move(written).error();
  entry.estimate = estimate_price(books->reading.account.prices(), facts);
  Reservation reservation;
  reservation.at = entry.at;
  reservation.estimate = entry.estimate;
  reservation.waits = likely_waits(books->reading.account.waits(), facts);
  reservation.skipped = books->reading.skipped;
  const auto limits = budget();
  if (!limits) {
    reservation.decision.verdict = Verdict::refuse;
    reservation.decision.budget = "budget.json";
    reservation.decision.text = std::string(kNothingSent) + limits.error().text;
    return reservation;
  }
  reservation.decision =
      decide(books->reading.account, *limits, max_amount, entry.estimate, entry.at, max_tasks);
  if (reservation.decision.verdict == Verdict::allow)
    if (auto written = write(**file, *books, {entry}); !written) return std::move(written).error();
  put_back(std::move(*books));
  return reservation;
}

// Somebody may have corrected the amount, and a task that was only attached to counts in no budget. Without a
// limit in credits, an amount is missed by nobody; one that is there and is not understood is.
std::string Ledger::warning_of(const Account &account, const LedgerEntry &entry, const SettleNote &note) {
  if (entry.event != LedgerEvent::settle) return {};
  const Charge *charge = account.find(entry.task_id);
  if (!charge) return {};
  if (entry.amount) return dear_text(*charge, *entry.amount);
  if (!charge->is_untold()) return {};
  const auto limits = budget();
  const bool limits_credits = note.max_amount.credits > 0 || (limits && limits->limits_credits());
  if (!limits_credits && note.odd_amount.empty()) return {};
  return untold_text(*charge, limits ? limits->assumed_price : 0, note.odd_amount);
}

Result<Ledger::Appended> Ledger::append(std::vector<LedgerEntry> entries, GCancellable *cancellable,
                                        const SettleNote &note) {
  auto lock = this->lock(cancellable);
  if (!lock) return std::move(lock).error();
  auto file = files_.open(path_.ledger, FileSystem::Mode::read_write);
  if (!file) return std::move(file).error();
  auto books = take_books(**file);
  if (!books) return std::move(books).error();
  for (LedgerEntry &entry : entries) entry.at = to_utc(clock_.wall_now());
  if (auto written = write(**file, *books, entries); !written) return std::move(written).error();
  Appended appended;
  for (const LedgerEntry &entry : entries)
    if (appended.warning.empty()) appended.warning = warning_of(books->reading.account, entry, note);
  put_back(std::move(*books));
  return appended;
}

// That its first line is about a clip: then no more need be read to know that it has such lines.
Result<bool> Ledger::begins_with_clip() {
  auto file = open_to_read();
  if (!file && file.error().kind == ErrorKind::not_found) return false;
  if (!file) return std::move(file).error();
  std::string text;
  for (const size_t size : kFirstLines) {
    text.resize(size);
    const auto count = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
    if (!count) return count.error();
    text.resize(*count);
    if (*count < size || text.find('\n') != text.npos) break;
  }
  const auto entry = read_ledger_line(std::string_view(text).substr(0, text.find('\n')));
  return entry && entry->event != LedgerEvent::captions && entry->event != LedgerEvent::other;
}

Result<bool> Ledger::begin_with(const std::function<Result<std::vector<LedgerEntry>>()> &import,
                                GCancellable *cancellable) {
  // Without the lock first: this is asked before each submit.
  if (const auto there = begins_with_clip(); !there || *there) return there ? Result<bool>(false) : there;
  auto lock = this->lock(cancellable);
  if (!lock) return std::move(lock).error();
  auto file = files_.open(path_.ledger, FileSystem::Mode::read_write);
  if (!file) return std::move(file).error();
  auto books = load(**file);
  if (!books) return std::move(books).error();
  if (books->reading.account.has_clips()) return false;
  const auto entries = import();
  if (!entries) return entries.error();
  if (books->end.size > 0) {
    if (entries->empty()) return true;
    if (auto written = write(**file, *books, *entries); !written) return std::move(written).error();
    return true;
  }
  std::string text;
  for (const LedgerEntry &entry : *entries) text += ledger_line(entry) + "\n";
  if (auto written = write_durably(files_, path_.ledger, text); !written) return std::move(written).error();
  return true;
}

Result<std::unique_ptr<File>> Ledger::open_to_read() {
  return files_.open(path_.ledger, FileSystem::Mode::read);
}

Result<LedgerReading> Ledger::read_all() {
  auto file = open_to_read();
  if (!file && file.error().kind == ErrorKind::not_found) return LedgerReading();
  if (!file) return std::move(file).error();
  auto books = load_all(**file);
  if (!books) return std::move(books).error();
  return std::move(books->reading);
}

Result<LedgerReading> Ledger::read_condensed() {
  auto file = open_to_read();
  if (!file && file.error().kind == ErrorKind::not_found) return LedgerReading();
  if (!file) return std::move(file).error();
  auto books = load(**file);
  if (!books) return std::move(books).error();
  return std::move(books->reading);
}

Result<Budget> Ledger::budget() {
  const auto text = read_whole(files_, path_.budget, kMaxBudget);
  if (!text && text.error().kind == ErrorKind::not_found) return Budget();
  const auto unreadable = [&](const std::string &why) {
    return Error{ErrorKind::settings, "The store's budget " + path_.budget +
                                          " cannot be read: " + std::string(without_full_stop(why)) +
                                          ". Mend it, or lift all limits with: genclip budget clear."};
  };
  if (!text) return unreadable(text.error().text);
  const auto json = Json::parse(*text);
  if (!json) return unreadable(json.error().text);
  // The parser takes the last of several members: a limit that was meant would be lost. No name needs an
  // escape, by which it could be spelled twice.
  if (text->find('\\') != text->npos) return unreadable("it has a backslash.");
  for (const BudgetLimit &limit : budget_limits()) {
    const std::string name = "\"" + std::string(limit.name) + "\"";
    if (const size_t first = text->find(name);
        first != text->npos && text->find(name, first + 1) != text->npos)
      return unreadable("it has " + std::string(limit.name) + " twice.");
  }
  auto budget = Budget::from_json(*json);
  if (!budget) return unreadable(budget.error().text);
  return budget;
}

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
