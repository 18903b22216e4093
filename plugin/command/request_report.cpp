// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/request_report.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/command/clip_words.h"
#include "plugin/command/command.h"
#include "plugin/command/console.h"
#include "plugin/command/text_table.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

constexpr size_t kMostOfAValue = 100;
// A clip's URI is whole, because a piece of it would be another request.
constexpr size_t kMostOfARequest = 4000;

// The content of problems_text(), which is one long line, with a line for each problem.
std::string text_for_terminal(const std::vector<Problem> &problems) {
  std::string text = std::to_string(problems.size()) + " problems with this request:";
  for (size_t i = 0; i < problems.size(); ++i)
    text += "\n  (" + std::to_string(i + 1) + ") " + printable(problems[i].text);
  return text;
}

// The URI of a clip without what is secret in its URLs: it still is that request, unless there is such a URL.
std::string shown_clip(const std::string &uri);

// A URL may be signed.
std::string shown_text_value(const std::string &text) {
  if (begins_with_clip(text)) return shown_clip(text);
  const char *scheme = g_uri_peek_scheme(text.c_str());
  return scheme && text.find("://") != text.npos ? redact_url(text) : text;
}

std::string shown_clip(const std::string &uri) {
  const size_t end = std::min(uri.find('#'), uri.size());
  std::string shown;
  for (size_t at = 0; at < end;) {
    const size_t next = std::min({uri.find_first_of("?&", at), end});
    const std::string piece = uri.substr(at, next - at);
    const size_t value = shown.empty() ? piece.size() : std::min(piece.find('='), piece.size() - 1) + 1;
    const GStringPtr plain(g_uri_unescape_string(piece.c_str() + value, nullptr));
    const std::string safe = plain ? shown_text_value(plain.get()) : "***";
    shown += plain && safe == plain.get()
                 ? piece
                 : piece.substr(0, value) + GStringPtr(g_uri_escape_string(safe.c_str(), "*", FALSE)).get();
    if (next < end) shown += uri[next];
    at = next + 1;
  }
  return shown + uri.substr(end);
}

std::string shown_value(const Json &value) {
  const std::string *text = value.string();
  if (!text) return value.to_text();
  const std::string shown = printable(shown_text_value(*text));
  return begins_with_clip(*text) ? shown : cut_to(shown, kMostOfAValue);
}

}  // namespace

int report_problems(const std::vector<Problem> &problems, bool json) {
  if (json) {
    Json::Array list;
    for (const Problem &problem : problems)
      list.push_back(Json::Object{{"field", problem.field}, {"text", problem.text}});
    const Json report =
        Json::Object{{"valid", false}, {"error", problems_text(problems)}, {"problems", std::move(list)}};
    print(report.to_pretty_text() + "\n");
  }
  const bool in_lines = problems.size() > 1 && is_terminal(stderr);
  print_error(in_lines ? text_for_terminal(problems) : printable(problems_text(problems)));
  return kFailed;
}

std::string request_words(const ClipRequest &request) {
  std::string text = shell_word(request.model);
  const auto add = [&](const std::string &name, const Json &value) {
    text += " " + shell_word(name + "=" + shown_value(value));
  };
  // What distinguishes many requests comes first.
  if (request.take > 0) add("take", request.take);
  for (const Json *fields : {&request.fields, &request.extra})
    for (const auto &[name, value] : *fields->object()) {
      const Json::Array *list = value.array();
      for (const Json &item : list ? *list : Json::Array{value}) add(name, item);
    }
  return cut_to(text, kMostOfARequest);
}

}  // namespace genclip
