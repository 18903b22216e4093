// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lines of JSON: a head, the sums by day, the histories of prices and waits; and, as entries that the
// ledger's fast reader takes, the open charges, what captions have used and hold, and the tasks whose clips
// are not in the store.
#include "plugin/account/ledger_summary.h"

#include <glib.h>

#include "plugin/base/credits.h"
#include "plugin/base/gref.h"
#include "plugin/base/json.h"

namespace genclip {
namespace {

constexpr int64_t kVersion = 7;

Json days_json(const Account::Days &days) {
  Json::Array rows;
  for (const auto &[day, total] : days)
    rows.emplace_back(Json::Array{day_text(day), total.credits, static_cast<int64_t>(total.tasks)});
  return rows;
}

std::optional<Account::Days> days_of(const Json *rows) {
  if (!rows || !rows->array()) return std::nullopt;
  Account::Days days;
  for (const Json &row : *rows->array()) {
    const auto *cells = row.array();
    if (!cells || cells->size() != 3 || !(*cells)[0].string()) return std::nullopt;
    const auto day = utc_day(*(*cells)[0].string());
    const auto spent = (*cells)[1].number();
    const auto *tasks = (*cells)[2].integer();
    if (!day || !spent || !tasks || *tasks < 0) return std::nullopt;
    const auto count = static_cast<double>(*tasks);
    if (!(*spent >= 0 && *spent <= count * kMostCredits)) return std::nullopt;
    days[*day] = {.credits = *spent, .tasks = count};
  }
  return days;
}

Json class_json(const PriceClass &price_class) {
  Json row;
  row.set("base_url", price_class.base_url);
  row.set("model", price_class.model);
  if (price_class.duration) row.set("duration", *price_class.duration);
  row.set("resolution", price_class.resolution);
  row.set("size", price_class.size);
  if (price_class.audio) row.set("audio", *price_class.audio);
  row.set("reference_kinds", price_class.reference_kinds);
  return row;
}

Json prices_json(const PriceHistory &prices) {
  Json::Array rows;
  for (const auto &[price_class, samples] : prices.classes()) {
    Json row = class_json(price_class);
    Json::Array amounts;
    for (const PriceHistory::Sample &sample : samples) amounts.emplace_back(sample.amount);
    row.set("amounts", std::move(amounts));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json waits_json(const WaitHistory &history) {
  Json::Array rows;
  for (const auto &[price_class, waits] : history.classes()) {
    Json row = class_json(price_class);
    Json::Array cells;
    for (const Wait &wait : waits) cells.emplace_back(Json::Array{wait.seconds, wait.error});
    row.set("waits", std::move(cells));
    rows.push_back(std::move(row));
  }
  return rows;
}

bool read_text(const Json &row, std::string_view name, std::string &text) {
  const Json *member = row.find(name);
  if (!member || !member->string()) return false;
  text = *member->string();
  return true;
}

std::optional<PriceClass> class_of(const Json &row) {
  PriceClass price_class;
  if (!read_text(row, "base_url", price_class.base_url) || !read_text(row, "model", price_class.model) ||
      !read_text(row, "resolution", price_class.resolution) || !read_text(row, "size", price_class.size) ||
      !read_text(row, "reference_kinds", price_class.reference_kinds))
    return std::nullopt;
  if (const Json *duration = row.find("duration")) price_class.duration = duration->number();
  if (const Json *audio = row.find("audio"); audio && audio->boolean()) price_class.audio = *audio->boolean();
  return price_class;
}

std::optional<PriceHistory> prices_of(const Json *rows) {
  if (!rows || !rows->array()) return std::nullopt;
  PriceHistory prices;
  for (const Json &row : *rows->array()) {
    const auto price_class = class_of(row);
    const Json *amounts = row.find("amounts");
    if (!price_class || !amounts || !amounts->array()) return std::nullopt;
    uint64_t number = 0;
    for (const Json &amount : *amounts->array()) {
      if (!amount.number() || !is_amount(*amount.number())) return std::nullopt;
      prices.put(*price_class, ++number, *amount.number());
    }
  }
  return prices;
}

std::optional<WaitHistory> waits_of(const Json *rows) {
  if (!rows || !rows->array()) return std::nullopt;
  WaitHistory history;
  for (const Json &row : *rows->array()) {
    const auto price_class = class_of(row);
    const Json *waits = row.find("waits");
    if (!price_class || !waits || !waits->array()) return std::nullopt;
    for (const Json &wait : *waits->array()) {
      const auto *cells = wait.array();
      if (!cells || cells->size() != 2 || !(*cells)[0].number() || !(*cells)[1].number()) return std::nullopt;
      history.add(*price_class, {*(*cells)[0].number(), *(*cells)[1].number()});
    }
  }
  return history;
}

// The next line, taken off the text.
std::string_view take_line(std::string_view &text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::optional<uint64_t> count_of(const Json &head, std::string_view name) {
  const Json *member = head.find(name);
  if (!member || !member->integer() || *member->integer() < 0) return std::nullopt;
  return static_cast<uint64_t>(*member->integer());
}

}  // namespace

std::string seal_of(std::string_view bytes) {
  const GStringPtr sum(g_compute_checksum_for_data(
      G_CHECKSUM_SHA256, reinterpret_cast<const guchar *>(bytes.data()), bytes.size()));
  return sum.get();
}

std::string summary_text(const LedgerSummary &summary) {
  const Account account = summary.account.condensed();
  std::string body = days_json(account.let_go()).to_text() + "\n" + prices_json(account.prices()).to_text() +
                     "\n" + waits_json(account.waits()).to_text() + "\n";
  for (const LedgerEntry &entry : entries_of(account)) body += ledger_line(entry) + "\n";
  Json head;
  head.set("version", kVersion);
  head.set("bytes", static_cast<int64_t>(summary.bytes));
  head.set("seal", summary.seal);
  head.set("lines", static_cast<int64_t>(summary.lines));
  head.set("skipped", static_cast<int64_t>(summary.skipped));
  head.set("clips", account.has_clips());
  head.set("body", seal_of(body));
  return head.to_text() + "\n" + body;
}

std::optional<LedgerSummary> read_summary(std::string_view text) {
  const auto head = Json::parse(take_line(text));
  if (!head) return std::nullopt;
  const auto version = count_of(*head, "version"), bytes = count_of(*head, "bytes");
  const auto lines = count_of(*head, "lines"), skipped = count_of(*head, "skipped");
  LedgerSummary summary;
  std::string body_seal;
  if (version != kVersion || !bytes || !lines || !skipped || !read_text(*head, "seal", summary.seal) ||
      !read_text(*head, "body", body_seal) || body_seal != seal_of(text))
    return std::nullopt;
  summary.bytes = *bytes;
  summary.lines = *lines;
  summary.skipped = *skipped;
  const auto days_line = Json::parse(take_line(text));
  const auto prices_line = Json::parse(take_line(text));
  const auto waits_line = Json::parse(take_line(text));
  if (!days_line || !prices_line || !waits_line) return std::nullopt;
  auto days = days_of(&*days_line);
  auto prices = prices_of(&*prices_line);
  auto waits = waits_of(&*waits_line);
  const Json *clips = head->find("clips");
  if (!days || !prices || !waits || !clips || !clips->boolean()) return std::nullopt;
  summary.account = Account(std::move(*days), std::move(*prices), std::move(*waits), *clips->boolean());
  while (!text.empty()) {
    const auto entry = read_ledger_line(take_line(text));
    if (!entry || !summary.account.apply(*entry)) return std::nullopt;
  }
  return summary;
}

}  // namespace genclip
