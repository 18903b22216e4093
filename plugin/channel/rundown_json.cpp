// SPDX-License-Identifier: LGPL-2.1-or-later
//
// ffplayout's JSON with more members. Members that are not known warn, each name once: other programs put
// their own into each of thousands of items.
#include <cmath>
#include <set>

#include "plugin/base/number.h"
#include "plugin/base/shown_text.h"
#include "plugin/catalog/member_reader.h"
#include "plugin/catalog/wording.h"
#include "plugin/channel/item_source.h"
#include "plugin/channel/rundown_formats.h"
#include "plugin/channel/rundown_reader.h"
#include "plugin/channel/shelf.h"
#include "plugin/channel/start_time.h"

namespace genclip {
namespace {

constexpr size_t kMaxId = 200;

// The members of one object. The first mistake counts; each later one is dropped.
class Members {
 public:
  Members(const Json &json, std::string folder) : json_(json), folder_(std::move(folder)) {}

  const Json *find(const char *name) {
    known_.insert(name);
    const Json *value = json_.find(name);
    return value && !value->is_null() ? value : nullptr;
  }

  void read(const char *name, std::string &into) {
    const Json *value = find(name);
    if (!value) return;
    if (const std::string *text = value->string())
      into = *text;
    else
      wrong(*value, name, "a text");
  }
  void read_title(const char *name, std::string &into) {
    read(name, into);
    into = shown_line(into, kMaxTitle);
  }
  void read(const char *name, bool &into) {
    const Json *value = find(name);
    if (!value) return;
    if (const bool *flag = value->boolean())
      into = *flag;
    else
      wrong(*value, name, "true or false");
  }
  template <typename Enum>
  void read_word(const char *name, Enum &into) {
    const Json *value = find(name);
    if (!value) return;
    const auto word = value->string() ? from_word<Enum>(*value->string()) : std::nullopt;
    std::string words;
    for (const std::string &each : words_of<Enum>()) words += (words.empty() ? "" : " or ") + quoted(each);
    if (word)
      into = *word;
    else
      wrong(*value, name, words.c_str());
  }
  void read_time(const char *name, std::optional<StartTime> &into) {
    const Json *value = find(name);
    if (!value) return;
    into = value->string() ? start_time(*value->string()) : std::nullopt;
    if (!into) wrong(*value, name, "\"HH:MM\", \"HH:MM:SS\", or a date and time as 2026-11-22T12:00:00Z");
  }
  std::optional<std::chrono::nanoseconds> seconds(const char *name) {
    const Json *value = find(name);
    if (!value) return std::nullopt;
    const auto number = value->number();
    if (number && *number >= 0 && *number <= kMaxItemSeconds)
      return std::chrono::nanoseconds(std::llround(*number * 1e9));
    wrong(*value, name, ("a number of seconds from 0 to " + number_text(kMaxItemSeconds)).c_str());
    return std::nullopt;
  }
  std::string uri(const Json &value, const char *name) {
    if (!value.string()) {
      wrong(value, name, "a text");
      return "";
    }
    auto uri = source_uri(*value.string(), folder_);
    if (uri) return std::move(*uri);
    mistake(value.line(), std::move(uri).error().text);
    return "";
  }

  void wrong(const Json &value, const char *name, const char *right) {
    mistake(value.line(), std::string("The member ") + quoted(name) + " is not " + right + ".");
  }
  void mistake(int line, std::string text) {
    if (!mistake_) mistake_ = RundownLine{static_cast<unsigned>(std::max(line, 0)), std::move(text)};
  }
  const std::optional<RundownLine> &first_mistake() const { return mistake_; }

  // Members that were not asked for.
  void warn(std::set<std::string> &told, std::vector<RundownLine> &warnings) const {
    if (!json_.object()) return;
    for (const auto &[name, value] : *json_.object())
      if (!known_.contains(name) && told.size() < kMaxWarnings && told.insert(name).second)
        warnings.push_back(
            {static_cast<unsigned>(std::max(first_line(value), 0)),
             "The member " + quoted(shown_line(name, kMaxTitle)) + " is not known; it is ignored."});
  }

 private:
  static constexpr size_t kMaxWarnings = 100;

  const Json &json_;
  const std::string folder_;
  std::set<std::string, std::less<>> known_;
  std::optional<RundownLine> mistake_;
};

void read_id(Members &members, RundownItem &item) {
  const Json *value = members.find("id");
  if (!value) return;
  members.read("id", item.id);
  if (item.id.empty() || g_utf8_strlen(item.id.c_str(), -1) > static_cast<glong>(kMaxId) ||
      !is_all_shown(item.id))
    members.wrong(*value, "id", "a text of 1 to 200 characters that can be shown");
  if (item.id.starts_with("fallback:"))
    members.mistake(value->line(), "An \"id\" must not begin with \"fallback:\", the name of fallbacks.");
}

// `out` wins over `duration`, the length of the whole source.
void read_length(Members &members, RundownItem &item) {
  const auto in = members.seconds("in");
  const auto out = members.seconds("out");
  const auto duration = members.seconds("duration");
  item.in = in.value_or(std::chrono::nanoseconds(0));
  const auto end = out ? out : duration;
  if (!end) return;
  const char *name = out ? "out" : "duration";
  if (*end <= item.in)
    members.wrong(*members.find(name), name, "above \"in\"");
  else
    item.length = *end - item.in;
}

Result<RundownItem, RundownLine> read_item(const Json &json, const std::string &folder,
                                           std::set<std::string> &told, std::vector<RundownLine> &warnings) {
  const int line = first_line(json);
  if (!json.object())
    return RundownLine{static_cast<unsigned>(std::max(line, 0)),
                       "An item is not an object with a \"source\"."};
  Members members(json, folder);
  RundownItem item;
  item.line = static_cast<unsigned>(std::max(line, 0));
  read_id(members, item);
  members.read_title("title", item.title);
  if (const Json *source = members.find("source"))
    item.source = members.uri(*source, "source");
  else
    members.mistake(line, "An item has no \"source\".");
  read_length(members, item);
  members.read_word("fresh", item.fresh);
  members.read_time("at", item.at);
  members.read_word("late", item.late);
  members.read("retry", item.retry);
  members.warn(told, warnings);
  if (members.first_mistake()) return *members.first_mistake();
  return item;
}

// The texts name the line.
Result<Json, RundownLine> parsed(std::string_view text) {
  auto json = Json::parse(text, Json::Lines::noted, Json::Reading::exact);
  if (json) return std::move(*json);
  RundownLine mistake{0, std::move(json).error().text};
  constexpr std::string_view kLine = "line ";
  if (const auto at = mistake.text.find(kLine); at != std::string::npos) {
    std::string_view number = std::string_view(mistake.text).substr(at + kLine.size());
    mistake.line = take_number<unsigned>(number).value_or(0);
    // It is told beside the text.
    if (const auto end = mistake.text.find(": ", at); mistake.line > 0 && end != std::string::npos)
      mistake.text.erase(at, end + 2 - at);
  }
  return mistake;
}

}  // namespace

Result<Rundown, RundownLine> read_json_rundown(std::string_view text, const std::string &folder) {
  const auto json = parsed(text);
  if (!json) return json.error();
  if (!json->object()) return RundownLine{1, "A rundown in JSON is an object with a \"program\"."};
  Rundown rundown;
  Members members(*json, folder);
  members.read_title("channel", rundown.channel);
  members.read_title("date", rundown.date);
  const Json *program = members.find("program");
  if (!program) members.mistake(first_line(*json), "The rundown has no \"program\".");
  if (program && !program->array()) members.wrong(*program, "program", "an array of items");
  if (const Json *fallback = members.find("fallback")) {
    if (!fallback->array())
      members.wrong(*fallback, "fallback", "an array of URIs");
    else
      for (const Json &each : *fallback->array()) rundown.fallback.push_back(members.uri(each, "fallback"));
  }
  if (members.first_mistake()) return *members.first_mistake();
  std::set<std::string> told;
  members.warn(told, rundown.warnings);
  told.clear();
  for (const Json &each : *program->array()) {
    if (rundown.items.size() == kMaxRundownItems)
      return RundownLine{static_cast<unsigned>(std::max(first_line(each), 0)),
                         "The rundown has more than " + std::to_string(kMaxRundownItems) + " items."};
    auto item = read_item(each, folder, told, rundown.warnings);
    if (!item) return std::move(item).error();
    rundown.items.push_back(std::move(*item));
  }
  return rundown;
}

Result<Rundown, RundownLine> read_json_item(std::string_view text, const std::string &folder) {
  const auto json = parsed(text);
  if (!json) return json.error();
  Rundown alone;
  std::set<std::string> told;
  auto item = read_item(*json, folder, told, alone.warnings);
  if (!item) return std::move(item).error();
  alone.items.push_back(std::move(*item));
  return alone;
}

}  // namespace genclip
