// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/request_report.h"

#include <glib.h>

#include "plugin/command/command.h"
#include "plugin/command/console.h"
#include "plugin/command/text_table.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

constexpr size_t kMostOfAValue = 100;
constexpr size_t kMostOfARequest = 400;

// The content of problems_text(), which is one long line, with a line for each problem.
std::string text_for_terminal(const std::vector<Problem> &problems) {
  std::string text = std::to_string(problems.size()) + " problems with this request:";
  for (size_t i = 0; i < problems.size(); ++i)
    text += "\n  (" + std::to_string(i + 1) + ") " + printable(problems[i].text);
  return text;
}

// A URL may be signed, and so may those inside another clip's URI.
std::string shown_value(const Json &value) {
  const std::string *text = value.string();
  if (!text) return value.to_text();
  const char *scheme = g_uri_peek_scheme(text->c_str());
  return scheme && text->find("://") != text->npos ? redact_url(*text) : *text;
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
    text += " " + shell_word(name + "=" + cut_to(printable(shown_value(value)), kMostOfAValue));
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
