// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/wanted_result.h"

#include <utility>

#include "plugin/catalog/media_extension.h"
#include "plugin/http/http_url.h"
#include "plugin/task/result_search.h"

namespace genclip {
namespace {

// Every http(s) URL in a request. Amid its prompt only media count, as amid the texts of an answer.
void add_urls(const Json &json, std::vector<std::string> &urls) {
  if (const auto *text = json.string()) {
    if (parse_http_url(*text)) urls.push_back(*text);
    for (std::string &url : urls_amid(*text))
      if (!media_type_of_path(url).empty()) urls.push_back(std::move(url));
  }
  if (const auto *list = json.array())
    for (const Json &item : *list) add_urls(item, urls);
  if (const auto *object = json.object())
    for (const auto &[name, value] : *object) add_urls(value, urls);
}

}  // namespace

WantedResult wanted_result(const ClipRecord &record, std::optional<ResultKind> kind, const Json &sent) {
  WantedResult wanted;
  wanted.kind = kind;
  add_urls(sent, wanted.own_urls);
  add_urls(record.identity.request, wanted.own_urls);
  for (const UsedReference &used : record.references)
    if (!used.copy.empty()) wanted.own_files.push_back(used.copy);
  return wanted;
}

}  // namespace genclip
