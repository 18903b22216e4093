// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/shown_source.h"

#include "plugin/catalog/catalog.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/channel/clip_survey.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

// No chain of clips is longer.
constexpr int kMaxDepth = 32;

std::string shown(const std::string &text, int depth);

Json shown_value(const Json &value, int depth) {
  if (const auto *text = value.string()) return shown(*text, depth);
  if (const auto *list = value.array()) {
    Json::Array all;
    for (const Json &one : *list) all.push_back(shown_value(one, depth));
    return all;
  }
  if (const auto *members = value.object()) {
    Json::Object all;
    for (const auto &[name, member] : *members) all.emplace_back(name, shown_value(member, depth));
    return all;
  }
  return value;
}

std::string shown(const std::string &text, int depth) {
  if (!is_clip_uri(text)) return redact_text(text, "");
  auto request = depth < kMaxDepth ? parse_clip_uri(*Catalog::shared(), text) : Result<ClipRequest>(Error{});
  if (!request) return redact_text(text, "");
  request->fields = shown_value(request->fields, depth + 1);
  request->extra = shown_value(request->extra, depth + 1);
  return clip_uri(*Catalog::shared(), *request);
}

}  // namespace

std::string shown_source(const std::string &uri) {
  // What stands behind # or ? is a part of the file's name.
  return uri.starts_with("file:///") ? uri : shown(uri, 0);
}

}  // namespace genclip
