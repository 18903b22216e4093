// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One list of problems for people and programs.
#include "plugin/command/request_report.h"

#include "plugin/command/command.h"
#include "plugin/command/console.h"

namespace genclip {
namespace {

// The words of problems_text(), which is one long line, where a person reads them.
std::string text_for_terminal(const std::vector<Problem> &problems) {
  std::string text = std::to_string(problems.size()) + " problems with this request:";
  for (size_t i = 0; i < problems.size(); ++i)
    text += "\n  (" + std::to_string(i + 1) + ") " + printable(problems[i].text);
  return text;
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

}  // namespace genclip
