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
// With one of these, a stream of server-sent events begins.
constexpr std::string_view kEventFields[] = {"data:", "event:", "id:", "retry:", ":"};
constexpr std::string_view kDataField = "data:";
constexpr int kMaxWrapped = 3;

// Names with one of these in them say why something failed. That may be JSON of another service.
constexpr std::string_view kPartsOfMessageNames[] = {"message", "msg", "detail"};

// What services write before JSON, so that no page can run it as a script.
constexpr std::string_view kGuards[] = {")]}'", "while(1);", "for(;;);"};

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

std::string_view without_guard(std::string_view text) {
  for (const std::string_view guard : kGuards)
    if (text.starts_with(guard)) {
      text.remove_prefix(guard.size());
      if (text.starts_with(',')) text.remove_prefix(1);
      return trimmed(text);
    }
  return text;
}

// The data of server-sent events that may be JSON, in their order.
std::vector<std::string> data_of_events(std::string_view body) {
  if (std::ranges::none_of(kEventFields, [&](auto field) { return body.starts_with(field); })) return {};
  std::vector<std::string> all(1);
  while (!body.empty()) {
    std::string_view line = body.substr(0, body.find('\n'));
    body.remove_prefix(std::min(line.size() + 1, body.size()));
    if (trimmed(line).empty() && !all.back().empty()) all.emplace_back();
    if (!line.starts_with(kDataField)) continue;
    line.remove_prefix(kDataField.size());
    all.back().append(line).append("\n");
  }
  std::erase_if(all, [](const std::string &data) { return !may_be_document(trimmed(data)); });
  return all;
}

}  // namespace

Result<std::vector<Json>> answer_documents(std::string_view body) {
  const std::string_view text = without_guard(trimmed(without_byte_order_mark(body)));
  auto whole = Json::parse(text);
  std::vector<Json> documents;
  if (whole) {
    documents.push_back(read_in_place(*std::move(whole), 0));
    return documents;
  }
  std::vector<std::string> events = data_of_events(text);
  // The first one may have the ID; the last ones have the news.
  if (events.size() > kMaxDocuments)
    events.erase(events.begin() + 1, events.end() - static_cast<ptrdiff_t>(kMaxDocuments - 1));
  for (const std::string &data : events)
    if (auto document = Json::parse(data)) documents.push_back(read_in_place(*std::move(document), 0));
  for (std::string_view rest = text; may_be_document(rest) && documents.size() < kMaxDocuments;) {
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

std::string whole_beginning(std::string_view body) {
  std::string open, closing;  // The brackets that are to come; the outermost first, and last.
  size_t whole = 0;
  bool is_in_value = false;  // Not in a name.
  const auto keep = [&](size_t size) {
    whole = size;
    closing.assign(open.rbegin(), open.rend());
  };
  for (size_t i = 0; i < body.size() && open.size() <= Json::kMaxDepth; ++i) {
    const char c = body[i];
    if (c == '"') {
      for (++i; i < body.size() && body[i] != '"'; ++i)
        if (body[i] == '\\') ++i;
      if (is_in_value && i < body.size()) keep(i + 1);
    } else if (c == '{' || c == '[') {
      open += c == '{' ? '}' : ']';
      is_in_value = c == '[';
    } else if (c == ':') {
      is_in_value = true;
    } else if (c == ',' || c == '}' || c == ']') {
      if (open.empty() || (c != ',' && open.back() != c)) break;
      if (c == ',') {
        keep(i);
        is_in_value = open.back() == ']';
      } else {
        open.pop_back();
        keep(i + 1);
      }
    }
  }
  return std::string(body.substr(0, whole)) + closing;
}

}  // namespace genclip
