// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/request_report.h"

#include <glib.h>

#include "plugin/base/shell_word.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/catalog/request_builder.h"
#include "plugin/catalog/uri_values.h"
#include "plugin/command/command.h"
#include "plugin/command/console.h"
#include "plugin/command/text_table.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

constexpr size_t kMostOfAValue = 100;
constexpr size_t kMostOfARequest = 4000;

// The content of problems_text(), which is one long line, with a line for each problem.
std::string text_for_terminal(const std::vector<Problem> &problems) {
  std::string text = std::to_string(problems.size()) + " problems with this request:";
  for (size_t i = 0; i < problems.size(); ++i)
    text += "\n  (" + std::to_string(i + 1) + ") " + printable(problems[i].text);
  return text;
}

// A URL may be signed, and so may those inside a clip's URI, which is shown whole if none is.
std::string without_secrets(const Catalog &catalog, const std::string &text) {
  const char *scheme = g_uri_peek_scheme(text.c_str());
  if (!scheme || text.find("://") == text.npos) return text;
  if (scheme == kClipUriScheme) {
    const auto is_open = [&](const Json &value) {
      const std::string *inner = value.string();
      return !inner || without_secrets(catalog, *inner) == *inner;
    };
    const auto clip = parse_clip_uri(catalog, std::string_view(text).substr(0, text.find('#')));
    bool all_open = clip.has_value();
    if (clip)
      for (const Json *fields : {&clip->fields, &clip->extra})
        for (const auto &[name, value] : *fields->object()) {
          const Json::Array *list = value.array();
          for (const Json &item : list ? *list : Json::Array{value}) all_open = all_open && is_open(item);
        }
    if (all_open) return text;
  }
  return redact_url(text);
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

std::string request_line(const ClipRequest &request) {
  const auto catalog = Catalog::shared();
  const auto model = catalog->find(request.model);
  std::string text = shell_word(request.model);
  bool is_complete = true;
  const auto add = [&](const std::string &name, const std::string &value) {
    const std::string open = printable(without_secrets(*catalog, value));
    const bool is_clip = open.starts_with(std::string(kClipUriScheme) + "://");
    const std::string shown = is_clip ? open : cut_to(open, kMostOfAValue);
    is_complete = is_complete && shown == value;
    text += " " + shell_word(name + "=" + shown);
  };
  // What distinguishes many requests comes first.
  if (request.take > 0) add("take", std::to_string(request.take));
  if (request.api != Api::automatic) add("api", to_word(request.api));
  for (const Json *fields : {&request.fields, &request.extra})
    for (const auto &[name, value] : *fields->object())
      for (const std::string &item : texts_of_value(type_of_field(*catalog, model.get(), name), value))
        add(name, item);
  const std::string shown = cut_to(text, kMostOfARequest);
  is_complete = is_complete && shown == text;
  return shown + (is_complete ? "" : " (not complete)");
}

}  // namespace genclip
