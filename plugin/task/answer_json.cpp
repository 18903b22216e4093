// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/answer_json.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "plugin/base/name_letters.h"
#include "plugin/base/trimmed.h"

namespace genclip {
namespace {

constexpr size_t kMaxDocuments = 16;
constexpr int kMaxWrapped = 3;

// The text of any other member, such as the prompt, may be JSON of the user's.
constexpr std::string_view kWrapperNames[] = {"data", "result",  "response", "output",
                                              "body", "payload", "task"};

bool may_be_document(std::string_view text) { return text.starts_with('{') || text.starts_with('['); }

Json read_in_place(Json json, int depth) {
  if (depth > kMaxWrapped) return json;
  if (const auto *text = json.string(); text && may_be_document(trimmed(*text)))
    if (auto inner = Json::parse(trimmed(*text))) return read_in_place(*std::move(inner), depth + 1);
  if (auto *object = json.object())
    for (auto &[name, value] : *object)
      if (std::ranges::find(kWrapperNames, name_letters(name)) != std::end(kWrapperNames))
        value = read_in_place(std::move(value), depth + 1);
  return json;
}

// The length of the object or list that the text begins with; 0: it does not end.
size_t document_size(std::string_view text) {
  int depth = 0;
  bool is_in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      is_in_string = c != '"';
    } else if (c == '"') {
      is_in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

}  // namespace

Result<std::vector<Json>> answer_documents(std::string_view body) {
  auto whole = Json::parse(body);
  std::vector<Json> documents;
  if (whole) {
    documents.push_back(read_in_place(*std::move(whole), 0));
    return documents;
  }
  for (std::string_view rest = trimmed(body); may_be_document(rest) && documents.size() < kMaxDocuments;) {
    const size_t size = document_size(rest);
    auto document = Json::parse(rest.substr(0, size));
    if (size == 0 || !document) break;
    documents.push_back(read_in_place(*std::move(document), 0));
    rest.remove_prefix(size);
    rest = trimmed(rest);
  }
  if (documents.empty()) return std::move(whole).error();
  return documents;
}

}  // namespace genclip
