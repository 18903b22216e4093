// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/fault.h"

#include <algorithm>
#include <optional>

#include "plugin/base/json.h"
#include "plugin/base/number.h"

namespace genclip::sim {
namespace {

enum class Argument { none, number, text, optional_number, optional_text };

constexpr unsigned kSubmit = 1, kQuery = 2, kMedia = 4, kText = 8;
constexpr unsigned kApi = kSubmit | kQuery, kAny = kApi | kMedia | kText;
constexpr int64_t kMost = int64_t{1} << 40;

struct KindRow {
  FaultKind kind;
  const char *name;
  unsigned calls;
  Argument argument;
  const char *argument_name;
  int64_t least, most, unset;
  // The fault counts only queries of completed tasks.
  bool of_completed;
  const char *meaning;
};

constexpr KindRow kKinds[] = {
    {FaultKind::status, "status", kAny, Argument::number, "CODE", 200, 599, 0, false,
     "Answers with this status and does nothing else. Add `;retry-after=SECONDS` or "
     "`;retry-after=date+SECONDS`, and `;shape=…` for the body."},
    {FaultKind::delay, "delay", kAny, Argument::number, "MS", 0, 3600000, 0, false,
     "Waits before it handles the call."},
    {FaultKind::hang, "hang", kAny, Argument::none, "", 0, 0, 0, false,
     "Never answers, and ignores the call."},
    {FaultKind::reset, "reset", kAny, Argument::none, "", 0, 0, 0, false,
     "Resets the connection before it handles the call."},
    {FaultKind::lose_answer, "lose-answer", kAny, Argument::none, "", 0, 0, 0, false,
     "Handles the call (a submit counts and costs), then resets the connection instead of answering."},
    {FaultKind::hold_answer, "hold-answer", kAny, Argument::none, "", 0, 0, 0, false,
     "Handles the call, then never answers."},
    {FaultKind::cut, "cut", kAny, Argument::number, "BYTES", 0, kMost, 0, false,
     "Closes the connection after this many bytes of the body."},
    {FaultKind::throttle, "throttle", kAny, Argument::number, "BYTES_PER_SECOND", 1, kMost, 0, false,
     "Sends the body at this rate."},
    {FaultKind::wrong_length, "wrong-length", kAny, Argument::number, "DIFFERENCE", -kMost, kMost, 0, false,
     "Adds this to the true Content-Length and sends the true body."},
    {FaultKind::html, "html", kAny, Argument::none, "", 0, 0, 0, false,
     "Answers 200 with an HTML page, as an intermediate proxy would."},
    {FaultKind::wrong_type, "wrong-type", kAny, Argument::optional_text, "TYPE", 0, 0, 0, false,
     "Sends the right body with another Content-Type (text/plain)."},
    {FaultKind::garbage_json, "garbage-json", kAny, Argument::none, "", 0, 0, 0, false,
     "Answers 200 with bytes that are neither JSON nor UTF-8 nor media."},
    {FaultKind::oversized, "oversized", kApi, Argument::optional_number, "BYTES", 1, int64_t{1} << 30,
     9 << 20, false, "Pads the JSON answer to this size (9 MiB)."},
    {FaultKind::redirect, "redirect", kAny, Argument::text, "URL", 0, 0, 0, false,
     "Answers 302 with this Location."},
    {FaultKind::redirects, "redirects", kMedia, Argument::number, "N", 1, 100, 0, false,
     "Answers 302 this many times in a row, then sends the clip."},
    {FaultKind::redirect_loop, "redirect-loop", kAny, Argument::none, "", 0, 0, 0, false,
     "Answers 302 with its own address as the Location."},
    {FaultKind::no_range, "no-range", kMedia, Argument::none, "", 0, 0, 0, false,
     "Ignores Range and If-Range: sends the whole clip with status 200 and no Accept-Ranges."},
    {FaultKind::changed_content, "changed-content", kMedia, Argument::none, "", 0, 0, 0, false,
     "Sends another clip of the same length, with another ETag."},
    {FaultKind::fail, "fail", kApi, Argument::text, "MESSAGE", 0, 0, 0, false,
     "Lets the task fail: a submitted one when it is due, a queried one at once. Add `;shape=…` for its "
     "error."},
    {FaultKind::state, "state", kApi, Argument::text, "[REAL/]WORD", 0, 0, 0, false,
     "Writes another word as the status; with REAL/, only if that is the true status "
     "(`state=completed/SUCCEEDED`)."},
    {FaultKind::set, "set", kApi, Argument::text, "FIELD:JSON", 0, 0, 0, false,
     "Sets any field of the answer to any value."},
    {FaultKind::drop, "drop", kApi, Argument::text, "FIELD", 0, 0, 0, false,
     "Leaves a field of the answer out."},
    {FaultKind::progress, "progress", kApi, Argument::text, "percent|fraction|text", 0, 0, 0, false,
     "Writes progress as \"50%\", as 0.5 or as \"50\"."},
    {FaultKind::id_number, "id-number", kSubmit, Argument::none, "", 0, 0, 0, false,
     "The task's id is a JSON number in all its answers."},
    {FaultKind::amount, "amount", kSubmit, Argument::text, "CREDITS", 0, 0, 0, false,
     "The task costs this, whatever the prices say."},
    {FaultKind::no_amount, "no-amount", kSubmit, Argument::none, "", 0, 0, 0, false,
     "The task's amount is in none of its answers. It costs what it costs."},
    {FaultKind::no_url, "no-url", kQuery, Argument::none, "", 0, 0, 0, true,
     "Reports a completed task without a URL. Counts only queries of completed tasks."},
    {FaultKind::expire_urls, "expire-urls", kQuery, Argument::none, "", 0, 0, 0, true,
     "Sends URLs that have already expired. Counts only queries of completed tasks."},
    {FaultKind::framing, "framing", kText, Argument::text, "NAME", 0, 0, 0, false,
     "Frames a streamed answer as events, events-crlf, events-cr, events-tight, array or lines."},
    {FaultKind::blocked, "blocked", kText, Argument::text, "REASON", 0, 0, 0, false,
     "Answers with only this finishReason."},
    {FaultKind::prompt_blocked, "prompt-blocked", kText, Argument::text, "REASON", 0, 0, 0, false,
     "Answers with only this promptFeedback.blockReason."},
    {FaultKind::error_on_200, "error-on-200", kText, Argument::number, "CODE", 400, 599, 0, false,
     "Answers 200 with an error object of this code."},
    {FaultKind::error_in_array, "error-in-array", kText, Argument::number, "CODE", 400, 599, 0, false,
     "Answers 200 with an array of one error object."},
    {FaultKind::error_midway, "error-midway", kText, Argument::number, "CODE", 400, 599, 0, false,
     "Ends a streamed answer early with an error object of this code."},
    {FaultKind::quota, "quota", kText, Argument::text, "DELAY", 0, 0, 0, false,
     "Answers 429 with a RetryInfo of this delay, such as 1.5s."},
    {FaultKind::max_tokens, "max-tokens", kText, Argument::none, "", 0, 0, 0, false,
     "Answers with no text because its tokens ran out (MAX_TOKENS)."},
    {FaultKind::thought, "thought", kText, Argument::none, "", 0, 0, 0, false,
     "Sends its thoughts before the answer."},
    {FaultKind::no_finish, "no-finish", kText, Argument::none, "", 0, 0, 0, false,
     "Sends the whole text, but no finishReason."},
    {FaultKind::lacks_key, "lacks-key", kText, Argument::optional_text, "LANGUAGE", 0, 0, 0, false,
     "An answer in several languages lacks this one (the last)."},
    {FaultKind::other_key, "other-key", kText, Argument::optional_text, "LANGUAGE", 0, 0, 0, false,
     "An answer in several languages has this one (the last) under another key."},
    {FaultKind::lacks_number, "lacks-number", kText, Argument::none, "", 0, 0, 0, false,
     "An answer about numbered cues lacks the last one."},
    {FaultKind::wrong_number, "wrong-number", kText, Argument::none, "", 0, 0, 0, false,
     "An answer about numbered cues has a wrong number for the last one."},
    {FaultKind::fence, "fence", kText, Argument::none, "", 0, 0, 0, false,
     "An answer in a form has a remark in front of it and a fence of markdown around it."},
    {FaultKind::reversed, "reversed", kText, Argument::none, "", 0, 0, 0, false,
     "An answer in a form has its languages and cues in reverse order."},
    {FaultKind::no_form, "no-form", kText, Argument::none, "", 0, 0, 0, false,
     "Answers with one text where a form is asked for."},
};

template <typename T>
struct Word {
  T value;
  const char *word;
};

constexpr Word<Call> kCalls[] = {
    {Call::submit, "submit"}, {Call::query, "query"}, {Call::media, "media"}, {Call::text, "text"}};

constexpr Word<ErrorShape> kShapes[] = {
    {ErrorShape::usual, "usual"},
    {ErrorShape::nested, "nested"},
    {ErrorShape::string, "string"},
    {ErrorShape::object, "object"},
    {ErrorShape::code_text, "code-text"},
    {ErrorShape::detail, "detail"},
    {ErrorShape::detail_list, "detail-list"},
    {ErrorShape::problem, "problem"},
    {ErrorShape::fail_reason, "fail-reason"},
    {ErrorShape::escaped, "escaped"},
    {ErrorShape::empty, "empty"},
    {ErrorShape::text, "text"},
};

template <typename T, size_t N>
std::optional<T> value_of(const Word<T> (&words)[N], std::string_view word) {
  for (const auto &row : words)
    if (row.word == word) return row.value;
  return std::nullopt;
}

template <typename T, size_t N>
std::string word_of(const Word<T> (&words)[N], T value) {
  for (const auto &row : words)
    if (row.value == value) return row.word;
  return "";
}

template <typename T, size_t N>
std::string all_words(const Word<T> (&words)[N]) {
  std::string all;
  for (const auto &row : words) all += (all.empty() ? "" : ", ") + std::string(row.word);
  return all;
}

unsigned bit(Call call) { return 1u << static_cast<unsigned>(call); }

const KindRow &row_of(FaultKind kind) {
  return *std::find_if(std::begin(kKinds), std::end(kKinds),
                       [&](const KindRow &row) { return row.kind == kind; });
}

// Splits at the first `separator`; nothing after it when there is none.
std::pair<std::string_view, std::optional<std::string_view>> split(std::string_view text, char separator) {
  const size_t at = text.find(separator);
  if (at == text.npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 1)};
}

Error mistake(std::string_view text, const std::string &what) {
  return {ErrorKind::settings, "The fault \"" + std::string(text) + "\": " + what};
}

// "#2", "#2-5" or "#2-".
bool read_range(std::string_view range, Fault &fault) {
  const auto [first, last] = split(range, '-');
  const auto from = parse_number<int64_t>(first);
  if (!from || *from < 1 || *from > 1000000) return false;
  fault.from = static_cast<unsigned>(*from);
  fault.times = 1;
  if (!last) return true;
  fault.times = 0;
  if (last->empty()) return true;
  const auto to = parse_number<int64_t>(*last);
  if (!to || *to < *from || *to > 1000000) return false;
  fault.times = static_cast<unsigned>(*to - *from + 1);
  return true;
}

std::string argument_problem(const KindRow &row, const std::optional<std::string_view> &argument,
                             Fault &fault) {
  const std::string form = std::string(row.name) + "=" + row.argument_name;
  if (row.argument == Argument::none) return argument ? std::string(row.name) + " takes no argument." : "";
  const bool optional = row.argument == Argument::optional_number || row.argument == Argument::optional_text;
  fault.number = row.unset;
  if (!argument) return optional ? "" : "it needs an argument: " + form + ".";
  if (row.argument == Argument::text || row.argument == Argument::optional_text) {
    fault.text = *argument;
    return argument->empty() ? "the argument of " + form + " is empty." : "";
  }
  const auto number = parse_number<int64_t>(*argument);
  if (!number || *number < row.least || *number > row.most)
    return "the argument of " + form + " is a whole number from " + std::to_string(row.least) + " to " +
           std::to_string(row.most) + ".";
  fault.number = *number;
  return "";
}

// What is wrong with a text argument that is not empty.
std::string text_problem(const Fault &fault) {
  if (fault.kind == FaultKind::set) {
    const auto [field, value] = split(fault.text, ':');
    if (field.empty() || !value) return "set needs FIELD:JSON.";
    if (const auto parsed = Json::parse(*value); !parsed) return "set: " + parsed.error().text;
  }
  if (const auto credits = parse_number<double>(fault.text);
      fault.kind == FaultKind::amount && !(credits && *credits >= 0 && *credits <= 1e9))
    return "amount is a number of credits from 0 to 1e9.";
  if (fault.kind == FaultKind::progress && fault.text != "percent" && fault.text != "fraction" &&
      fault.text != "text")
    return "progress is percent, fraction or text.";
  constexpr std::string_view kFramings[] = {"events",       "events-crlf", "events-cr",
                                            "events-tight", "array",       "lines"};
  if (fault.kind == FaultKind::framing &&
      std::find(std::begin(kFramings), std::end(kFramings), fault.text) == std::end(kFramings))
    return "framing is events, events-crlf, events-cr, events-tight, array or lines.";
  return "";
}

bool is_retry_after(std::string_view text) {
  if (text.starts_with("date+")) text.remove_prefix(5);
  const auto seconds = parse_number<int64_t>(text);
  return seconds && *seconds >= 0 && *seconds <= 86400;
}

std::string option_problem(std::string_view option, Fault &fault) {
  const auto [name, value] = split(option, '=');
  if (name == "retry-after" && fault.kind == FaultKind::status) {
    if (!value || !is_retry_after(*value)) return "retry-after is seconds, or date+SECONDS.";
    fault.retry_after = *value;
    return "";
  }
  if (name == "shape" && (fault.kind == FaultKind::status || fault.kind == FaultKind::fail)) {
    const auto shape = value_of(kShapes, value.value_or(""));
    if (!shape) return "shape is one of " + all_words(kShapes) + ".";
    fault.shape = *shape;
    return "";
  }
  if (name == "percent") {
    const auto percent = parse_number<int64_t>(value.value_or(""));
    if (!percent || *percent < 1 || *percent > 100) return "percent is a whole number from 1 to 100.";
    fault.percent = static_cast<unsigned>(*percent);
    return "";
  }
  return std::string(row_of(fault.kind).name) + " has no option \"" + std::string(name) + "\".";
}

std::string calls_text(unsigned calls) {
  if (calls == kAny) return "any";
  std::string all;
  for (const auto &row : kCalls)
    if (calls & bit(row.value)) all += (all.empty() ? "" : ", ") + std::string(row.word);
  return all;
}

}  // namespace

Result<Fault> parse_fault(std::string_view text) {
  Fault fault;
  const auto [where, what] = split(text, ':');
  if (!what)
    return mistake(text, "it must read CALL[#FROM[-TO]]:KIND[=ARGUMENT], such as media#1-3:cut=100000.");
  const auto [call_word, range] = split(where, '#');
  const auto call = value_of(kCalls, call_word);
  if (!call) return mistake(text, "the call is one of " + all_words(kCalls) + ".");
  fault.call = *call;
  if (range && !read_range(*range, fault))
    return mistake(text, "the calls it happens to are #3 (the third), #3-5 or #3- (from the third on).");

  auto [kind_text, options] = split(*what, ';');
  const auto [kind_word, argument] = split(kind_text, '=');
  const auto row = std::find_if(std::begin(kKinds), std::end(kKinds),
                                [word = kind_word](const KindRow &one) { return one.name == word; });
  if (row == std::end(kKinds)) {
    std::string all;
    for (const KindRow &one : kKinds) all += (all.empty() ? "" : ", ") + std::string(one.name);
    return mistake(text, "the kind is one of " + all + ".");
  }
  fault.kind = row->kind;
  if (!(row->calls & bit(fault.call)))
    return mistake(text, std::string(row->name) + " can happen to " + calls_text(row->calls) + " only.");
  if (const auto problem = argument_problem(*row, argument, fault); !problem.empty())
    return mistake(text, problem);
  if (const auto problem = text_problem(fault); !problem.empty()) return mistake(text, problem);
  while (options) {
    const auto [option, rest] = split(*options, ';');
    if (const auto problem = option_problem(option, fault); !problem.empty()) return mistake(text, problem);
    options = rest;
  }
  return fault;
}

std::string fault_text(const Fault &fault) {
  const KindRow &row = row_of(fault.kind);
  std::string text = word_of(kCalls, fault.call);
  if (fault.from != 1 || fault.times != 0) {
    text += "#" + std::to_string(fault.from);
    if (fault.times == 0) text += "-";
    if (fault.times > 1) text += "-" + std::to_string(fault.from + fault.times - 1);
  }
  text += ":" + std::string(row.name);
  if (row.argument == Argument::number || row.argument == Argument::optional_number)
    text += "=" + std::to_string(fault.number);
  else if (!fault.text.empty())
    text += "=" + fault.text;
  if (fault.percent != 100) text += ";percent=" + std::to_string(fault.percent);
  if (!fault.retry_after.empty()) text += ";retry-after=" + fault.retry_after;
  if (fault.shape != ErrorShape::usual) text += ";shape=" + word_of(kShapes, fault.shape);
  return text;
}

std::vector<FaultHelp> fault_help() {
  std::vector<FaultHelp> help;
  for (const KindRow &row : kKinds)
    help.push_back({row.name, row.argument_name, calls_text(row.calls), row.meaning});
  return help;
}

std::vector<Fault> FaultScript::all() const {
  std::vector<Fault> faults;
  for (const Entry &entry : entries_) faults.push_back(entry.fault);
  return faults;
}

std::vector<Fault> FaultScript::take(Call call, bool completed) {
  std::vector<Fault> taken;
  for (Entry &entry : entries_) {
    const Fault &fault = entry.fault;
    if (fault.call != call || (row_of(fault.kind).of_completed && !completed)) continue;
    const unsigned number = ++entry.seen;
    if (number < fault.from || (fault.times > 0 && number - fault.from >= fault.times)) continue;
    const uint64_t nth = number - fault.from + 1;
    if (nth * fault.percent / 100 > (nth - 1) * fault.percent / 100) taken.push_back(fault);
  }
  return taken;
}

const Fault *find_fault(std::span<const Fault> faults, FaultKind kind) {
  const auto found =
      std::find_if(faults.begin(), faults.end(), [&](const Fault &one) { return one.kind == kind; });
  return found == faults.end() ? nullptr : &*found;
}

}  // namespace genclip::sim
