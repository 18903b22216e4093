// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/answer_json.h"

#include <algorithm>
#include <string>
#include <utility>

#include "plugin/base/name_letters.h"
#include "plugin/base/trimmed.h"
#include "plugin/task/task_object.h"

namespace genclip {
namespace {

constexpr size_t kMaxDocuments = 16;
constexpr int kMaxWrapped = 3;

// Names with one of these in them say why something failed. That may be JSON of another service.
constexpr std::string_view kPartsOfMessageNames[] = {"message", "msg", "detail"};

bool may_be_document(std::string_view text) { return text.starts_with('{') || text.starts_with('['); }

bool is_message_name(std::string_view member) {
  const std::string letters = name_letters(member);
  return std::ranges::any_of(kPartsOfMessageNames,
                             [&](auto part) { return letters.find(part) != letters.npos; });
}

// The text of a member without the name of a wrapper, such as the prompt, may be JSON of the user's.
Json read_in_place(Json json, int depth) {
  if (depth > kMaxWrapped) return json;
  if (const auto *text = json.string())
    if (const auto bare = trimmed(*text); may_be_document(bare) || bare.starts_with('"'))
      if (auto inner = Json::parse(bare)) return read_in_place(*std::move(inner), depth + 1);
  if (auto *object = json.object())
    for (auto &[name, value] : *object) {
      if (!is_wrapper_name(name)) continue;
      if (!value.string() || !is_message_name(name)) {
        value = read_in_place(std::move(value), depth + 1);
      } else if (Json read = read_in_place(value, depth + 1); is_like_a_task(read)) {
        value = std::move(read);
      }
    }
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
