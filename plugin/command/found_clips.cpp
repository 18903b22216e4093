// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/found_clips.h"

#include <glib.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "plugin/base/gref.h"
#include "plugin/base/json.h"
#include "plugin/base/trimmed.h"
#include "plugin/catalog/clip_part.h"
#include "plugin/command/clip_words.h"
#include "plugin/command/utf8_text.h"

namespace genclip {
namespace {

// For ges-launch-1.0, a "?" is escaped once and a "%" is escaped once more.
std::string without_escape_of_ges_launch(std::string uri) {
  if (uri.find('?') != uri.npos) return uri;
  std::string upper = uri;
  for (char &c : upper) c = g_ascii_toupper(c);
  if (upper.find("%3F") == upper.npos) return uri;
  const GStringPtr plain(g_uri_unescape_string(uri.c_str(), nullptr));
  return plain ? std::string(plain.get()) : uri;
}

// Of a frame: the whole clip is to be generated. Any other "#" is a mistake that parse_clip_uri() tells.
std::string without_frame(std::string uri) {
  const size_t fragment = uri.find('#');
  if (fragment != uri.npos && clip_part(std::string_view(uri).substr(fragment + 1))) uri.resize(fragment);
  return uri;
}

void add(std::vector<FoundClip> &clips, FoundClip found) {
  found.uri = without_escape_of_ges_launch(without_frame(std::move(found.uri)));
  const auto is_same = [&](const FoundClip &clip) { return clip.uri == found.uri; };
  if (!found.problem.empty() || std::none_of(clips.begin(), clips.end(), is_same))
    clips.push_back(std::move(found));
}

void add_text(std::vector<FoundClip> &clips, std::string_view text, const TextRules &rules, unsigned line) {
  for (FoundClip &found : clips_in_text(text, rules)) {
    if (line > 0) found.line = line;
    add(clips, std::move(found));
  }
}

// ---- XML ----

// Of a string in a structure that GStreamer has serialized. A byte that is not ASCII is \ and three octal
// digits there.
std::string without_escape_of_gst(std::string_view uri) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] != '\\' || i + 1 == uri.size()) {
      plain += uri[i];
    } else if (i + 3 < uri.size() && is_octal(uri[i + 1]) && is_octal(uri[i + 2]) && is_octal(uri[i + 3])) {
      plain += static_cast<char>((uri[i + 1] - '0') * 64 + (uri[i + 2] - '0') * 8 + (uri[i + 3] - '0'));
      i += 3;
    } else {
      plain += uri[++i];
    }
  }
  return plain;
}

// An attribute's value or an element's text, decoded.
void find_in_xml_value(std::string_view value, unsigned line, std::vector<FoundClip> &clips) {
  constexpr std::string_view kString = "(string)\"";
  if (begins_with_clip(value)) return add(clips, {std::string(value), line});
  std::string other(value);
  for (size_t at = 0; (at = other.find(kString, at)) != other.npos;) {
    at += kString.size();
    size_t end = at;
    while (end < other.size() && other[end] != '"') end += other[end] == '\\' ? 2 : 1;
    end = std::min(end, other.size());
    const std::string_view string = std::string_view(other).substr(at, end - at);
    if (!begins_with_clip(string)) continue;
    add(clips, {without_escape_of_gst(string), line});
    other.erase(at, end - at);
  }
  add_text(clips, other, {.has_lines = false, .trims = "", .may_have_blanks = true}, line);
}

class XmlReader {
 public:
  // An error names the line.
  std::vector<FoundClip> read(std::string_view text) {
    GMarkupParser parser = {};
    parser.start_element = [](GMarkupParseContext *, const char *, const char **, const char **values,
                              gpointer self, GError **) {
      for (; *values; ++values) static_cast<XmlReader *>(self)->add_attribute(*values);
    };
    parser.text = [](GMarkupParseContext *, const char *text, gsize size, gpointer self, GError **) {
      static_cast<XmlReader *>(self)->add_content({text, size});
    };
    const std::unique_ptr<GMarkupParseContext, decltype(&g_markup_parse_context_free)> context(
        g_markup_parse_context_new(&parser, G_MARKUP_TREAT_CDATA_AS_TEXT, this, nullptr),
        g_markup_parse_context_free);
    context_ = context.get();
    GErrorPtr error;
    if (!g_markup_parse_context_parse(context_, text.data(), static_cast<gssize>(text.size()), take(error)) ||
        !g_markup_parse_context_end_parse(context_, take(error)))
      return {{"", line(), "The file begins as XML and is not well-formed: " + std::string(error->message)}};
    return std::move(clips_);
  }

 private:
  // GLib counts a line's end as the first character of the next line.
  unsigned line() const {
    int line = 0, column = 0;
    g_markup_parse_context_get_position(context_, &line, &column);
    return static_cast<unsigned>(column == 1 && line > 1 ? line - 1 : line);
  }

  void add_attribute(std::string_view value) { find_in_xml_value(value, line(), clips_); }

  // A text that is a URI may stand on a line of its own.
  void add_content(std::string_view text) {
    const unsigned end = line();
    auto below = static_cast<unsigned>(std::count(text.begin(), text.end(), '\n'));
    while (!text.empty()) {
      const std::string_view part = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(part.size() + 1, text.size()));
      find_in_xml_value(trimmed(part), end > below ? end - below : 1, clips_);
      if (below > 0) --below;
    }
  }

  GMarkupParseContext *context_ = nullptr;
  std::vector<FoundClip> clips_;
};

// ---- JSON ----

// `first`: that of the JSON.
unsigned line_of(const Json &json, unsigned first) {
  return json.line() > 0 ? first + static_cast<unsigned>(json.line()) - 1 : first;
}

void find_in_json_string(const std::string &text, unsigned line, std::vector<FoundClip> &clips) {
  if (begins_with_clip(text))
    add(clips, {text, line});
  else
    add_text(clips, text, {.has_lines = false}, line);
}

void find_in_json(const Json &json, unsigned line, std::vector<FoundClip> &clips) {
  if (const std::string *text = json.string()) find_in_json_string(*text, line_of(json, line), clips);
  if (const Json::Array *items = json.array())
    for (const Json &item : *items) find_in_json(item, line, clips);
  if (const Json::Object *members = json.object())
    for (const auto &[name, value] : *members) {
      find_in_json_string(name, line_of(value, line), clips);
      find_in_json(value, line, clips);
    }
}

FoundClip json_problem(const Error &error, unsigned line) {
  return {"", line, "The file begins as JSON. " + error.text};
}

// The line that the error of Json::parse() names.
unsigned line_of(const Error &error) {
  const size_t at = error.text.find("line ");
  if (at == error.text.npos) return 1;
  return static_cast<unsigned>(std::max(std::strtoul(error.text.c_str() + at + 5, nullptr, 10), 1UL));
}

std::vector<FoundClip> clips_in_json_lines(std::string_view text) {
  std::vector<FoundClip> clips;
  for (unsigned number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (trimmed(line).empty()) continue;
    const auto json = Json::parse(line, Json::Lines::unknown, Json::Reading::strict);
    if (!json) return {json_problem(json.error(), number)};
    find_in_json(*json, number, clips);
  }
  return clips;
}

std::vector<FoundClip> clips_in_json(std::string_view text) {
  const auto json = Json::parse(text, Json::Lines::noted, Json::Reading::strict);
  if (json) {
    std::vector<FoundClip> clips;
    find_in_json(*json, 1, clips);
    return clips;
  }
  const std::string_view content = trimmed(text);
  if (Json::parse(content.substr(0, content.find('\n')))) return clips_in_json_lines(text);
  return {json_problem(json.error(), line_of(json.error()))};
}

// ---- All ----

bool mentions_clip(std::string_view text) {
  constexpr std::string_view kName = "genclip:";
  return std::search(text.begin(), text.end(), kName.begin(), kName.end(),
                     [](char a, char b) { return g_ascii_tolower(a) == b; }) != text.end();
}

// Such as "[playlist]", the first line of a .pls.
bool begins_as_ini(std::string_view content) {
  const std::string_view line = trimmed(content.substr(0, content.find('\n')));
  return line.size() > 2 && line.front() == '[' && g_ascii_isalpha(line[1]) &&
         line.find(']') == line.size() - 1 && line.find_first_of("\",{") == line.npos;
}

// With LF at the end of each line, whether it was LF, CR LF, or CR alone.
std::string with_plain_lines(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r')
      plain += text[i];
    else if (i + 1 == text.size() || text[i + 1] != '\n')
      plain += '\n';
  return plain;
}

}  // namespace

std::vector<FoundClip> found_clips(std::string_view bytes) {
  bytes = without_byte_order_mark(bytes);
  if (const unsigned line = line_that_is_not_utf8(bytes)) return {{"", line, kNotUtf8}};
  if (!mentions_clip(bytes)) return {};
  const std::string text = with_plain_lines(bytes);
  const std::string_view content = trimmed(text);
  if (content.starts_with('<') && !begins_with_clip(content.substr(1))) return XmlReader().read(text);
  const bool is_ini = begins_as_ini(content);
  if ((content.starts_with('{') || content.starts_with('[')) && !is_ini) return clips_in_json(text);
  TextRules rules = {.has_keys = is_ini};
  if (text.starts_with("#!")) {
    rules.is_script = true;
    rules.trims = ";";
  }
  std::vector<FoundClip> clips;
  add_text(clips, text, rules, 0);
  return clips;
}

}  // namespace genclip
