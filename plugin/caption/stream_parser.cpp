// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One byte at a time through a small state machine; only whole documents reach the JSON parser.
#include "plugin/caption/stream_parser.h"

#include <glib.h>

#include <algorithm>
#include <utility>

#include "plugin/base/trimmed.h"
#include "plugin/caption/surrogate_halves.h"

namespace genclip {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr int kMaxArrays = 4;
constexpr std::string_view kDone = "[DONE]";
// Gateways may send it while the model thinks.
constexpr std::string_view kKeepAlive = "null";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// An array counts as its elements, as in the array framing.
void append(Json json, std::vector<Json> &documents) {
  if (Json::Array *elements = json.array()) {
    for (Json &element : *elements) documents.push_back(std::move(element));
  } else {
    documents.push_back(std::move(json));
  }
}

// Events that no blank line separates. False: they are something else.
bool append_lines(std::string_view data, std::vector<Json> &documents) {
  while (!data.empty()) {
    const size_t end = std::min(data.find('\n'), data.size());
    const std::string_view line = trimmed(data.substr(0, end));
    data.remove_prefix(std::min(end + 1, data.size()));
    if (line.empty()) continue;
    auto json = Json::parse(mark_halves(line));
    if (!json) return false;
    append(*std::move(json), documents);
  }
  return true;
}

}  // namespace

Error StreamParser::broken(std::string why) {
  framing_ = Framing::broken;
  document_.clear();
  line_.clear();
  return {ErrorKind::read, "The text gateway's answer cannot be read: " + std::move(why)};
}

// False while the framing is still unknown.
bool StreamParser::sniff(char c) {
  if (lead_.size() < kByteOrderMark.size() && c == kByteOrderMark[lead_.size()]) {
    lead_ += c;
    return false;
  }
  if (is_blank(c)) return false;
  if (c == '{' || c == '[')
    framing_ = Framing::json;
  else if (c == ':' || g_ascii_islower(c))
    framing_ = Framing::events;
  else
    framing_ = Framing::broken;
  return true;
}

Result<void> StreamParser::feed(std::string_view bytes, std::vector<Json> &documents) {
  if (framing_ == Framing::broken) return broken("an earlier part of it was broken.");
  for (const char c : bytes) {
    if (framing_ == Framing::unknown && !sniff(c)) continue;
    if (framing_ == Framing::broken) return broken("it is neither JSON nor a stream of events.");
    auto fed = framing_ == Framing::json ? feed_json(c, documents) : feed_event(c, documents);
    if (!fed) return fed;
    if (document_.size() + line_.size() > kMaxDocument)
      return broken("one of its documents is larger than 8 MiB.");
  }
  return {};
}

Result<void> StreamParser::finish(std::vector<Json> &documents) {
  switch (framing_) {
    case Framing::broken: return broken("an earlier part of it was broken.");
    case Framing::unknown: return broken("it is empty.");
    case Framing::json:
      if (depth_ > 0 || arrays_ > 0 || keep_alive_ > 0) return broken("it ends in the middle.");
      return {};
    case Framing::events: break;
  }
  // The last event may lack its blank line; a truncated event fails to parse.
  if (auto ended = end_line(documents); !ended) return ended;
  return end_event(documents);
}

Result<void> StreamParser::feed_json(char c, std::vector<Json> &documents) {
  if (depth_ == 0) {
    if (c == kKeepAlive[keep_alive_]) {
      keep_alive_ = (keep_alive_ + 1) % kKeepAlive.size();
      return {};
    }
    if (keep_alive_ > 0) return broken("there is text between its documents.");
    if (is_blank(c) || c == ',') return {};
    if (c == '[')
      return ++arrays_ > kMaxArrays ? Result<void>(broken("it nests too many arrays.")) : Result<void>();
    if (c == ']') {
      if (--arrays_ < 0) return broken("a closing bracket has no opening one.");
      has_ended_ = arrays_ == 0;
      return {};
    }
    if (c != '{') return broken("there is text between its documents.");
    depth_ = 1;
    document_ = c;
    return {};
  }
  document_ += c;
  if (in_string_) {
    if (escaped_)
      escaped_ = false;
    else if (c == '\\')
      escaped_ = true;
    else if (c == '"')
      in_string_ = false;
    return {};
  }
  if (c == '"') in_string_ = true;
  if (c == '{' || c == '[') ++depth_;
  if (c == '}' || c == ']') --depth_;
  if (depth_ > 0) return {};
  auto json = Json::parse(mark_halves(std::exchange(document_, {})));
  if (!json) return broken(json.error().text);
  append(*std::move(json), documents);
  return {};
}

// Lines end with LF, CR or CRLF; an empty one ends the event.
Result<void> StreamParser::feed_event(char c, std::vector<Json> &documents) {
  const bool was_cr = std::exchange(after_cr_, c == '\r');
  if (c == '\n' && was_cr) return {};
  if (c == '\n' || c == '\r') return end_line(documents);
  if (line_.empty() && (c == '{' || c == '[')) {
    // No event begins with this: a gateway that fails midway writes its error here, without framing.
    if (auto ended = end_event(documents); !ended) return ended;
    framing_ = Framing::json;
    return feed_json(c, documents);
  }
  line_ += c;
  return {};
}

Result<void> StreamParser::end_line(std::vector<Json> &documents) {
  const std::string line = std::exchange(line_, {});
  if (line.empty()) return end_event(documents);
  if (trimmed(line) == kKeepAlive) return {};
  const size_t colon = line.find(':');
  const std::string_view name = std::string_view(line).substr(0, colon);
  if (name != "data") {
    // Ignores comments and other fields. A line that is not a field means that this is not an event stream.
    if (colon == std::string::npos && name != "event" && name != "id" && name != "retry")
      return broken("one of its lines is not an event.");
    return {};
  }
  std::string_view value = line;
  value.remove_prefix(std::min(value.size(), name.size() + 1));
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (trimmed(value) == kDone) {
    // It may stand directly behind the last event.
    auto ended = end_event(documents);
    has_ended_ = has_ended_ || ended;
    return ended;
  }
  if (has_data_) document_ += '\n';
  document_ += value;
  has_data_ = true;
  return {};
}

Result<void> StreamParser::end_event(std::vector<Json> &documents) {
  has_data_ = false;
  const std::string data = std::exchange(document_, {});
  const std::string_view document = trimmed(data);
  if (document.empty()) return {};
  auto json = Json::parse(mark_halves(document));
  if (json)
    append(*std::move(json), documents);
  else if (!append_lines(document, documents))
    return broken(json.error().text);
  return {};
}

}  // namespace genclip
