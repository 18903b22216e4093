// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A table of members says how each is read and written. Two readers share it: json-glib's trees cost 30 µs a
// line, and a ledger of 100 000 lines is to be read in less than half a second; so lines as they are written
// here are scanned, and only others are parsed. A fuzz target holds both readers to the same result.
#include "plugin/account/ledger_entry.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "plugin/account/line_scanner.h"
#include "plugin/base/credits.h"
#include "plugin/base/json.h"
#include "plugin/base/shown_text.h"

namespace genclip {
namespace {

constexpr size_t kMaxText = 1000;
// Beyond these a number is damage: sums of it would be worth nothing.
constexpr double kMaxQuantity = 1e12;
constexpr double kMaxCount = 1e9;
constexpr size_t kMaxReferenceKinds = 32;
constexpr UtcTime kNoTime = UtcTime::min();

// ---- Values of each type, from a line and into one. What does not fit leaves the value as it is.

void take(std::string &value, const Scalar &scalar) {
  if (const auto *text = std::get_if<std::string_view>(&scalar)) value = *text;
}

void take(std::optional<double> &value, const Scalar &scalar) {
  const auto *number = std::get_if<double>(&scalar);
  if (number && *number >= 0 && *number <= kMaxQuantity) value = std::abs(*number);  // Of -0 too.
}

void take(unsigned &value, const Scalar &scalar) {
  const auto *number = std::get_if<double>(&scalar);
  if (number && *number >= 0 && *number <= kMaxCount) value = static_cast<unsigned>(*number);
}

void take(uint64_t &value, const Scalar &scalar) {
  const auto *number = std::get_if<double>(&scalar);
  if (number && *number >= 0 && *number <= kMostTallied) value = static_cast<uint64_t>(*number);
}

void take(std::optional<bool> &value, const Scalar &scalar) {
  if (const auto *flag = std::get_if<bool>(&scalar)) value = *flag;
}

void take(bool &value, const Scalar &scalar) {
  if (const auto *flag = std::get_if<bool>(&scalar)) value = *flag;
}

void take(LedgerEvent &value, const Scalar &scalar) {
  const auto *text = std::get_if<std::string_view>(&scalar);
  if (text) value = from_word<LedgerEvent>(*text).value_or(value);
}

std::string written_text(const std::string &text) {
  if (text.size() <= kMaxText && is_all_shown(text)) return text;
  std::string shown = shown_line(text);
  if (shown.size() <= kMaxText) return shown;
  size_t end = kMaxText;
  while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0) == 0x80) --end;
  return shown.substr(0, end);
}

Json json_of(double value) {
  const auto whole = static_cast<int64_t>(std::clamp(value, -kMaxQuantity, kMaxQuantity));
  return static_cast<double>(whole) == value ? Json(whole) : Json(value);
}
Json json_of(const std::string &value) { return written_text(value); }
Json json_of(const std::optional<double> &value) { return value ? json_of(*value) : Json(); }
Json json_of(unsigned value) { return value; }
Json json_of(const std::optional<bool> &value) { return value ? Json(*value) : Json(); }
Json json_of(bool value) { return value; }
Json json_of(LedgerEvent value) { return to_word(value); }

// Whether there is anything to write.
bool is_set(const std::string &value) { return !value.empty(); }
template <typename T>
bool is_set(const std::optional<T> &value) {
  return value.has_value();
}
bool is_set(bool value) { return value; }

// ---- The members of an estimate, and of a line.

void take_in_estimate(Estimate &estimate, std::string_view name, const Scalar &scalar) {
  const auto number = [&](double &value) {
    std::optional<double> read;
    take(read, scalar);
    if (read && is_amount(*read)) value = *read;
  };
  if (name == "low") number(estimate.low);
  if (name == "likely") number(estimate.likely);
  if (name == "high") number(estimate.high);
  if (name == "samples") take(estimate.samples, scalar);
  if (name == "basis") take(estimate.basis, scalar);
}

Json estimate_json(const Estimate &estimate) {
  Json json;
  json.set("low", json_of(estimate.low));
  json.set("likely", json_of(estimate.likely));
  json.set("high", json_of(estimate.high));
  json.set("samples", estimate.samples);
  json.set("basis", written_text(estimate.basis));
  return json;
}

constexpr CaptionMember kCaptionMembers[] = {
    {"requests", &CaptionCounts::requests},           {"untold", &CaptionCounts::untold},
    {"prompt_tokens", &CaptionCounts::prompt_tokens}, {"output_tokens", &CaptionCounts::output_tokens},
    {"total_tokens", &CaptionCounts::total_tokens},   {"assumed_tokens", &CaptionCounts::assumed_tokens},
    {"most_tokens", &CaptionCounts::most_tokens},     {"held_requests", &CaptionCounts::held_requests},
    {"held_tokens", &CaptionCounts::held_tokens},
};

void take_in_captions(CaptionCounts &counts, std::string_view name, const Scalar &scalar) {
  for (const CaptionMember &member : kCaptionMembers)
    if (member.name == name) take(counts.*member.count, scalar);
}

Json captions_json(const CaptionCounts &counts) {
  Json json = Json::Object{};
  for (const CaptionMember &member : kCaptionMembers)
    if (counts.*member.count > 0)
      json.set(member.name,
               static_cast<int64_t>(std::min(counts.*member.count, static_cast<uint64_t>(kMostTallied))));
  return json;
}

struct Row {
  std::string_view name;
  void (*read)(LedgerEntry &entry, const Scalar &scalar);
  // Null when it is left out.
  std::optional<Json> (*write)(const LedgerEntry &entry);
};

template <auto member>
void read_member(LedgerEntry &entry, const Scalar &scalar) {
  take(entry.*member, scalar);
}
template <auto member>
std::optional<Json> write_always(const LedgerEntry &entry) {
  return json_of(entry.*member);
}
template <auto member>
std::optional<Json> write_if_set(const LedgerEntry &entry) {
  if (!is_set(entry.*member)) return std::nullopt;
  return json_of(entry.*member);
}

template <auto member>
constexpr Row always(std::string_view name) {
  return {name, read_member<member>, write_always<member>};
}
template <auto member>
constexpr Row if_set(std::string_view name) {
  return {name, read_member<member>, write_if_set<member>};
}

using E = LedgerEntry;
constexpr Row kRows[] = {
    {"at",
     [](E &entry, const Scalar &scalar) {
       const auto *text = std::get_if<std::string_view>(&scalar);
       if (const auto at = text ? utc_time(*text) : std::nullopt) entry.at = *at;
     },
     [](const E &entry) -> std::optional<Json> { return Json(utc_text(entry.at)); }},
    always<&E::event>("event"),
    always<&E::key>("key"),
    always<&E::take>("take"),
    always<&E::model>("model"),
    always<&E::api>("api"),
    always<&E::base_url>("base_url"),
    always<&E::project>("project"),
    if_set<&E::duration>("duration"),
    if_set<&E::resolution>("resolution"),
    if_set<&E::size>("size"),
    if_set<&E::audio>("audio"),
    {"references", [](E &, const Scalar &) {},
     [](const E &entry) -> std::optional<Json> {
       if (entry.references.empty()) return std::nullopt;
       Json json;
       for (const auto &[kind, count] : entry.references) json.set(written_text(kind), count);
       return json;
     }},
    if_set<&E::task_id>("task_id"),
    {"estimate", [](E &, const Scalar &) {},
     [](const E &entry) -> std::optional<Json> {
       if (entry.estimate) return estimate_json(*entry.estimate);
       return entry.event == LedgerEvent::reserve ? std::optional<Json>(Json()) : std::nullopt;
     }},
    {"amount",
     [](E &entry, const Scalar &scalar) {
       const auto *number = std::get_if<double>(&scalar);
       if (number && is_amount(*number)) take(entry.amount, scalar);
     },
     [](const E &entry) -> std::optional<Json> {
       if (entry.amount) return json_of(*entry.amount);
       return entry.event == LedgerEvent::settle ? std::optional<Json>(Json()) : std::nullopt;
     }},
    if_set<&E::actual_duration>("actual_duration"),
    if_set<&E::waited>("waited"),
    if_set<&E::waited_error>("waited_error"),
    if_set<&E::status>("status"),
    if_set<&E::why>("why"),
    if_set<&E::imported>("imported"),
    if_set<&E::attached>("attached"),
    if_set<&E::corrected>("corrected"),
    {"captions", [](E &, const Scalar &) {},
     [](const E &entry) -> std::optional<Json> {
       if (entry.event != LedgerEvent::captions && entry.captions == CaptionCounts()) return std::nullopt;
       return captions_json(entry.captions);
     }},
};
constexpr size_t kRowCount = std::size(kRows);
static_assert(kRowCount <= 32, "bit() has one for each row");

constexpr unsigned bit(size_t row) { return 1U << row; }

class EntryBuilder final : public LineSink {
 public:
  EntryBuilder() { entry_.at = kNoTime; }

  bool member(std::string_view name, const Scalar &scalar) override {
    const size_t row = find(name);
    if (row == kRowCount) return true;
    if (seen_ & bit(row)) return false;
    seen_ |= bit(row);
    if (kRows[row].name == "event") has_event_ = std::holds_alternative<std::string_view>(scalar);
    kRows[row].read(entry_, scalar);
    return true;
  }

  bool object(std::string_view name) override {
    const size_t row = find(name);
    if (row == kRowCount) return true;
    if (seen_ & bit(row)) return false;
    seen_ |= bit(row);
    if (name == "estimate") entry_.estimate.emplace();
    return true;
  }

  bool nested(std::string_view object, std::string_view name, const Scalar &scalar) override {
    if (object == "references") {
      unsigned count = 0;
      genclip::take(count, scalar);
      if (count == 0 || name.empty() || name.size() > kMaxText) return true;
      if (entry_.references.size() >= kMaxReferenceKinds) return true;
      return entry_.references.emplace(name, count).second;
    }
    if (object == "estimate") take_in_estimate(*entry_.estimate, name, scalar);
    if (object == "captions") take_in_captions(entry_.captions, name, scalar);
    return true;
  }

  std::optional<LedgerEntry> take() {
    if (!has_event_ || entry_.at == kNoTime || entry_.key.empty()) return std::nullopt;
    if (auto &estimate = entry_.estimate; estimate && estimate->samples == 0) {
      estimate.reset();  // It rests on nothing.
    } else if (estimate) {
      estimate->likely = std::max(estimate->likely, estimate->low);
      estimate->high = std::max(estimate->high, estimate->likely);
    }
    return std::move(entry_);
  }

 private:
  // Members come in the order of the table, mostly.
  size_t find(std::string_view name) {
    for (size_t step = 0; step < kRowCount; ++step) {
      const size_t row = (next_ + step) % kRowCount;
      if (kRows[row].name != name) continue;
      next_ = (row + 1) % kRowCount;
      return row;
    }
    return kRowCount;
  }

  LedgerEntry entry_;
  size_t next_ = 0;
  unsigned seen_ = 0;
  bool has_event_ = false;
};

std::optional<Scalar> scalar_of(const Json &json) {
  if (json.is_null()) return Scalar();
  if (const bool *flag = json.boolean()) return Scalar(*flag);
  if (const auto number = json.number()) return Scalar(*number);
  if (const std::string *text = json.string()) return Scalar(std::string_view(*text));
  return std::nullopt;
}

}  // namespace

void CaptionUse::add(const CaptionUse &other) {
  requests += other.requests;
  untold += other.untold;
  prompt_tokens += other.prompt_tokens;
  output_tokens += other.output_tokens;
  total_tokens += other.total_tokens;
  assumed_tokens += other.assumed_tokens;
  most_tokens = std::max(most_tokens, other.most_tokens);
}

std::span<const CaptionMember> caption_members() { return kCaptionMembers; }

std::string ledger_line(const LedgerEntry &entry) {
  Json json;
  for (const Row &row : kRows)
    if (auto value = row.write(entry)) json.set(row.name, std::move(*value));
  return json.to_text();
}

std::optional<LedgerEntry> scan_ledger_line(std::string_view line) {
  EntryBuilder builder;
  if (!scan_line(line, builder)) return std::nullopt;
  return builder.take();
}

std::optional<LedgerEntry> parse_ledger_line(std::string_view line) {
  const auto json = Json::parse(line);
  if (!json || !json->object()) return std::nullopt;
  EntryBuilder builder;
  // Texts that a terminal must not see are changed: they are shown, and compared with each other only.
  for (const auto &[name, value] : *json->object()) {
    if (const std::string *text = value.string(); text && !is_all_shown(*text)) {
      const std::string shown = shown_line(*text);
      builder.member(name, Scalar(std::string_view(shown)));
    } else if (const auto scalar = scalar_of(value)) {
      builder.member(name, *scalar);
    } else if (value.object() && builder.object(name)) {
      for (const auto &[inner, inner_value] : *value.object())
        if (const auto inner_scalar = scalar_of(inner_value); inner_scalar && is_all_shown(inner))
          builder.nested(name, inner, *inner_scalar);
    }
  }
  return builder.take();
}

std::optional<LedgerEntry> read_ledger_line(std::string_view line) {
  if (auto entry = scan_ledger_line(line)) return entry;
  return parse_ledger_line(line);
}

std::span<const std::string_view> ledger_members() {
  static const auto names = [] {
    std::array<std::string_view, kRowCount> all;
    std::transform(std::begin(kRows), std::end(kRows), all.begin(), [](const Row &row) { return row.name; });
    return all;
  }();
  return names;
}

}  // namespace genclip
