// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/fault.h"

#include <glib.h>

#include <algorithm>
#include <optional>

#include "examples/simulator/fault_kinds.h"
#include "examples/simulator/json_path.h"
#include "plugin/base/json.h"
#include "plugin/base/number.h"

namespace genclip::sim {
namespace {

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
    {ErrorShape::task_status_msg, "task-status-msg"},
    {ErrorShape::failure_reason, "failure-reason"},
    {ErrorShape::base_resp, "base-resp"},
    {ErrorShape::err_msg, "err-msg"},
    {ErrorShape::failure, "failure"},
    {ErrorShape::status_message, "status-message"},
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

bool is_one_of(std::string_view words, std::string_view word) {
  for (std::optional<std::string_view> left = words; left;) {
    const auto [one, rest] = split(*left, ' ');
    if (one == word) return true;
    left = rest;
  }
  return false;
}

std::string one_of(std::string_view name, std::string_view words) {
  std::string all(name);
  all += " is one of ";
  for (const char letter : words) all += letter == ' ' ? std::string(", ") : std::string(1, letter);
  return all + ".";
}

bool is_credits(std::string_view text) {
  const auto credits = parse_number<double>(text);
  return credits && *credits >= 0 && *credits <= 1e9;
}

bool is_move(std::string_view text) {
  const auto [field, path] = split(text, '/');
  return !field.empty() && path && is_json_path(*path);
}

// RFC 3986 §3.1.
bool is_scheme(std::string_view text) {
  return g_ascii_isalpha(text.front()) && std::all_of(text.begin(), text.end(), [](char letter) {
           return g_ascii_isalnum(letter) || letter == '+' || letter == '.' || letter == '-';
         });
}

bool is_userinfo(std::string_view text) {
  return text.find(':') != text.npos && text.find_first_of("@/?#[] ") == text.npos;
}

struct TextRule {
  FaultKind kind;
  bool (*holds)(std::string_view text);
  const char *sentence;
};

bool is_target(std::string_view text) { return text.starts_with('/'); }

constexpr TextRule kTextRules[] = {
    {FaultKind::amount, is_credits, "amount is a number of credits from 0 to 1e9."},
    {FaultKind::place, is_json_path, "place is names and numbers, such as data[0].url."},
    {FaultKind::move, is_move, "move needs FIELD/PATH, such as error/base.message."},
    {FaultKind::scheme, is_scheme, "scheme is a word such as ftp."},
    {FaultKind::userinfo, is_userinfo, "userinfo is USER:PASSWORD, as a URL has them."},
    {FaultKind::exact, is_target, "exact needs a TARGET such as /a%7Eb.mp4?s=1."},
};

// Finds the mistake in a text argument that is not empty.
std::string text_problem(const KindRow &row, const Fault &fault) {
  if (*row.arguments && !is_one_of(row.arguments, fault.text)) return one_of(row.name, row.arguments);
  for (const TextRule &rule : kTextRules)
    if (rule.kind == fault.kind && !rule.holds(fault.text)) return rule.sentence;
  if (fault.kind != FaultKind::set) return "";
  const auto [field, value] = split(fault.text, ':');
  if (field.empty() || !value) return "set needs FIELD:JSON.";
  if (const auto parsed = Json::parse(*value); !parsed) return "set: " + parsed.error().text;
  return "";
}

bool is_retry_after(std::string_view text) {
  if (text.starts_with("date+")) text.remove_prefix(5);
  const auto seconds = parse_number<int64_t>(text);
  return seconds && *seconds >= 0 && *seconds <= 86400;
}

std::string option_problem(std::string_view option, Fault &fault) {
  const auto [name, value] = split(option, '=');
  if (name == "retry-after" && (fault.kind == FaultKind::status || fault.kind == FaultKind::lag)) {
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
  if (const char *forms = row_of(fault.kind).forms; name == "as" && *forms) {
    if (!value || !is_one_of(forms, *value)) return one_of("as", forms);
    fault.as = *value;
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
  const auto kinds = fault_kinds();
  const auto row = std::find_if(kinds.begin(), kinds.end(),
                                [word = kind_word](const KindRow &one) { return one.name == word; });
  if (row == kinds.end()) {
    std::string all;
    for (const KindRow &one : kinds) all += (all.empty() ? "" : ", ") + std::string(one.name);
    return mistake(text, "the kind is one of " + all + ".");
  }
  fault.kind = row->kind;
  if (!(row->calls & bit(fault.call)))
    return mistake(text, std::string(row->name) + " can happen to " + calls_text(row->calls) + " only.");
  if (const auto problem = argument_problem(*row, argument, fault); !problem.empty())
    return mistake(text, problem);
  if (!fault.text.empty())
    if (const auto problem = text_problem(*row, fault); !problem.empty()) return mistake(text, problem);
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
  if (!fault.as.empty()) text += ";as=" + fault.as;
  if (!fault.retry_after.empty()) text += ";retry-after=" + fault.retry_after;
  if (fault.shape != ErrorShape::usual) text += ";shape=" + word_of(kShapes, fault.shape);
  return text;
}

std::vector<FaultHelp> fault_help() {
  std::vector<FaultHelp> help;
  for (const KindRow &row : fault_kinds())
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
