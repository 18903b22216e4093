// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/subtitle_reader.h"

#include <glib.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"
#include "plugin/base/utf8.h"

namespace genclip {
namespace {

using std::chrono::milliseconds;

constexpr size_t kMostHourDigits = 3;
constexpr std::chrono::seconds kLatest = std::chrono::hours(1000) - std::chrono::seconds(1);
constexpr size_t kMostProblems = 5;
constexpr size_t kLongestTag = 1000;
constexpr size_t kLongestEntity = 12;
// More than any film; the lengths of all cues can be added.
constexpr std::chrono::hours kLongestInAll{24 * 365 * 10};

constexpr std::string_view kSubRipTags[] = {"b", "i", "u",    "s",  "font", "span",
                                            "c", "v", "ruby", "rt", "lang"};
constexpr struct {
  std::string_view name, text;
} kEntities[] = {{"amp", "&"},  {"lt", "<"},        {"gt", ">"},       {"quot", "\""},
                 {"apos", "'"}, {"nbsp", "\u00a0"}, {"lrm", "\u200e"}, {"rlm", "\u200f"}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const size_t begin = text.find_first_not_of(kBlanks);
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char one) { return g_ascii_isdigit(one); });
}

Result<std::string> converted(std::string_view bytes, const char *charset) {
  gsize length = 0;
  const GStringPtr text(g_convert(bytes.data(), static_cast<gssize>(bytes.size()), "UTF-8", charset, nullptr,
                                  &length, nullptr));
  if (!text) return Error{ErrorKind::wrong_type, std::string("It is no text in ") + charset + "."};
  return std::string(text.get(), length);
}

// Most of the old files that are not in Unicode are from Western Europe, and made on Windows, whose quotes,
// dashes and euro sign are control characters elsewhere. In the last of these, every byte is a character.
constexpr const char *kOldEncodings[] = {"WINDOWS-1252", "ISO-8859-15"};

// Sets `assumed` where the file does not tell its encoding.
Result<std::string> utf8_of(std::string_view bytes, std::string &assumed) {
  if (bytes.starts_with("\xff\xfe")) return converted(bytes.substr(2), "UTF-16LE");
  if (bytes.starts_with("\xfe\xff")) return converted(bytes.substr(2), "UTF-16BE");
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  std::string plain(bytes);
  std::erase(plain, '\0');
  if (is_utf8(plain)) return plain;
  Result<std::string> text = std::string();
  for (const char *encoding : kOldEncodings) {
    assumed = encoding;
    text = converted(plain, encoding);
    if (text) break;
  }
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of("\r\n"), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + (text.substr(end).starts_with("\r\n") ? 2 : 1), text.size()));
  }
  return lines;
}

// "1:02:03,4", "02:03.456" and the like. Takes it from the front of the text.
std::optional<milliseconds> take_time(std::string_view &text) {
  int64_t seconds = 0;
  size_t parts = 0;
  while (true) {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || digits > kMostHourDigits) return std::nullopt;
    seconds = seconds * 60 + *parse_number<int64_t>(text.substr(0, digits));
    text.remove_prefix(digits);
    ++parts;
    if (parts == 3 || !text.starts_with(':')) break;
    text.remove_prefix(1);
  }
  if (parts < 2 || seconds > kLatest.count()) return std::nullopt;
  int64_t ms = 0;
  if (text.starts_with(',') || text.starts_with('.')) {
    text.remove_prefix(1);
    int64_t worth = 100;
    for (; !text.empty() && g_ascii_isdigit(text.front()); text.remove_prefix(1), worth /= 10)
      ms += (text.front() - '0') * worth;
  }
  return milliseconds(seconds * 1000 + ms);
}

struct Times {
  milliseconds begin{}, end{};
};

// "00:00:01,000 --> 00:00:02,000", and what may follow: a position.
std::optional<Times> times_of(std::string_view line) {
  line = trimmed(line);
  const auto begin = take_time(line);
  line = trimmed(line);
  if (!begin || !line.starts_with("-->")) return std::nullopt;
  line = trimmed(line.substr(3));
  const auto end = take_time(line);
  const bool ends = line.empty() || line.front() == ' ' || line.front() == '\t';
  return end && ends ? std::optional(Times{*begin, *end}) : std::nullopt;
}

// It is meant as the times of a cue; "a --> b" is a text.
bool is_meant_as_times(std::string_view line) {
  line = trimmed(line);
  const size_t arrow = line.find("-->");
  return arrow != line.npos && line.substr(0, arrow).find_first_not_of("0123456789:.,- \t") == line.npos &&
         line.find(':') < arrow;
}

// A tag at the front of the text: its length; 0: it is none.
size_t tag_length(std::string_view text, bool is_vtt) {
  if (!is_vtt && text.starts_with("{\\")) {
    const size_t end = text.substr(0, kLongestTag).find('}');
    return end == text.npos ? 0 : end + 1;
  }
  if (!text.starts_with('<')) return 0;
  const size_t end = text.substr(0, kLongestTag).find('>');
  if (end == text.npos) return 0;
  std::string_view name = text.substr(1, end - 1);
  if (name.starts_with('/')) name.remove_prefix(1);
  if (is_vtt) return name.empty() || g_ascii_isalnum(name.front()) ? end + 1 : 0;
  name = name.substr(0, name.find_first_of(" \t.=/\n"));
  const auto is_it = [name](std::string_view tag) {
    return tag.size() == name.size() && g_ascii_strncasecmp(tag.data(), name.data(), tag.size()) == 0;
  };
  return std::ranges::any_of(kSubRipTags, is_it) ? end + 1 : 0;
}

// "#39" and "#x27"; empty: it is no character that may be shown.
std::string numbered_character(std::string_view name) {
  name.remove_prefix(1);
  const bool is_hex = name.starts_with('x') || name.starts_with('X');
  if (is_hex) name.remove_prefix(1);
  constexpr size_t kMostDigits = 7;
  const auto is_digit = [is_hex](char one) { return is_hex ? g_ascii_isxdigit(one) : g_ascii_isdigit(one); };
  if (name.empty() || name.size() > kMostDigits || !std::ranges::all_of(name, is_digit)) return "";
  const auto code =
      static_cast<gunichar>(g_ascii_strtoull(std::string(name).c_str(), nullptr, is_hex ? 16 : 10));
  if (!g_unichar_validate(code) || g_unichar_iscntrl(code)) return "";
  char bytes[6];
  return std::string(bytes, static_cast<size_t>(g_unichar_to_utf8(code, bytes)));
}

// The character of an entity at the front of the text, which is then taken from it; empty: it is none.
std::string take_entity(std::string_view &text) {
  if (!text.starts_with('&')) return "";
  const size_t end = text.substr(0, kLongestEntity).find(';');
  if (end == text.npos || end < 2) return "";
  const std::string_view name = text.substr(1, end - 1);
  std::string character;
  if (name.starts_with('#')) character = numbered_character(name);
  for (const auto &entity : kEntities)
    if (entity.name == name) character = entity.text;
  if (!character.empty()) text.remove_prefix(end + 1);
  return character;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : lines_(lines_of(text)) {
    is_vtt_ = !lines_.empty() && lines_.front().starts_with("WEBVTT");
  }

  // In the head, which ends with a blank line.
  std::string timestamp_map() const {
    for (size_t i = 1; is_vtt_ && i < lines_.size() && !trimmed(lines_[i]).empty(); ++i)
      if (lines_[i].starts_with("X-TIMESTAMP-MAP=")) return std::string(trimmed(lines_[i]));
    return {};
  }

  Result<std::vector<FilmCue>> read() {
    for (size_t i = 0; i < lines_.size(); ++i)
      if (is_cue_at(i)) starts_.push_back(i);
    const auto is_text = [](std::string_view line) { return !trimmed(line).empty(); };
    if (starts_.empty() && !is_vtt_ && std::ranges::any_of(lines_, is_text))
      return Error{ErrorKind::wrong_type, "There are no cues of SubRip or WebVTT in it."};
    for (size_t i = 0; i < starts_.size(); ++i) add_cue(i);
    if (in_all_ > kLongestInAll) note("Its cues last longer than any film.");
    if (!problems_.empty()) return Error{ErrorKind::wrong_type, problems_};
    std::ranges::stable_sort(cues_, {}, &FilmCue::begin);
    return std::move(cues_);
  }

 private:
  // Comments and style sheets of WebVTT may have anything.
  bool is_cue_at(size_t index) {
    const bool is_after_blank = index == 0 || trimmed(lines_[index - 1]).empty();
    const std::string_view line = lines_[index];
    if (trimmed(line).empty()) is_comment_ = false;
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    if (is_vtt_ && is_after_blank) is_comment_ = word == "NOTE" || word == "STYLE" || word == "REGION";
    return !is_comment_ && is_meant_as_times(line);
  }

  // Behind the last line of the text of this cue. SubRip's texts may have blank lines, and players show them.
  size_t end_of(size_t number) const {
    size_t end = number + 1 < starts_.size() ? starts_[number + 1] : lines_.size();
    const size_t begin = starts_[number] + 1;
    if (is_vtt_) {
      const auto is_blank = [](std::string_view line) { return trimmed(line).empty(); };
      const auto from = lines_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto to = lines_.begin() + static_cast<std::ptrdiff_t>(end);
      return begin + static_cast<size_t>(std::distance(from, std::find_if(from, to, is_blank)));
    }
    const bool has_next = number + 1 < starts_.size();
    const bool is_next_numbered =
        has_next && end > begin && is_number(trimmed(lines_[end - 1])) &&
        (end - 1 == begin || trimmed(lines_[end - 2]).empty() || is_numbered(number));
    return is_next_numbered ? end - 1 : end;
  }

  // In a file with numbers each cue has one, and a cue may follow without a blank line.
  bool is_numbered(size_t number) const {
    const size_t line = starts_[number];
    return line > 0 && is_number(trimmed(lines_[line - 1]));
  }

  void add_cue(size_t number) {
    const size_t line = starts_[number];
    std::string raw;
    for (size_t i = line + 1; i < end_of(number); ++i) raw += std::string(lines_[i]) + "\n";
    const std::string text = plain_cue_text(raw, is_vtt_);
    const auto times = times_of(lines_[line]);
    const std::string place = "Line " + std::to_string(line + 1) + ": ";
    if (!times) return note(place + "the times of the cue cannot be read.");
    if (text.empty()) return;
    if (times->end < times->begin) return note(place + "the cue ends before it begins.");
    if (times->end == times->begin) return note(place + "the cue lasts for no time.");
    in_all_ += times->end - times->begin;
    cues_.push_back({times->begin, times->end, text});
  }

  void note(const std::string &problem) {
    if (++problem_count_ <= kMostProblems) problems_ += (problems_.empty() ? "" : " ") + problem;
    if (problem_count_ == kMostProblems + 1) problems_ += " There are more of these.";
  }

  const std::vector<std::string_view> lines_;
  bool is_vtt_ = false;
  bool is_comment_ = false;
  std::vector<size_t> starts_;  // Lines with times.
  std::vector<FilmCue> cues_;
  milliseconds in_all_{};
  std::string problems_;
  size_t problem_count_ = 0;
};

}  // namespace

std::string plain_cue_text(std::string_view text, bool is_vtt) {
  std::string plain;
  while (!text.empty()) {
    if (const size_t tag = tag_length(text, is_vtt); tag > 0) {
      text.remove_prefix(tag);
      continue;
    }
    if (const std::string character = take_entity(text); !character.empty()) {
      plain += character;
      continue;
    }
    plain += text.front();
    text.remove_prefix(1);
  }
  std::string kept;
  for (std::string_view line : lines_of(plain))
    if (line = trimmed(line); !line.empty()) kept += (kept.empty() ? "" : "\n") + std::string(line);
  return kept;
}

std::string text_of_assumed_encoding(const std::string &encoding) {
  return "It is not in Unicode, and is read as " + encoding +
         "; if that is wrong, convert it to UTF-8 first, as with iconv.";
}

Result<Subtitles> read_subtitles(std::string_view bytes) {
  Subtitles subtitles;
  auto text = utf8_of(bytes, subtitles.assumed_encoding);
  if (!text) return std::move(text).error();
  // No text of GStreamer has it.
  std::erase(*text, '\0');
  Reader reader(*text);
  subtitles.timestamp_map = reader.timestamp_map();
  auto cues = reader.read();
  if (!cues) return std::move(cues).error();
  subtitles.cues = *std::move(cues);
  return subtitles;
}

}  // namespace genclip
