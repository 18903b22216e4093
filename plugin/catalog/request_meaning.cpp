// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/request_meaning.h"

#include <glib.h>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

// Unicode's own limit of marks on one letter (UAX #15, "Stream-Safe Text Format"). GLib takes quadratic time
// to sort more, which a hostile text could have a million of.
constexpr int kMostMarks = 30;

bool has_too_many_marks(const std::string &text) {
  int marks = 0;
  for (const char *at = text.c_str(); *at; at = g_utf8_next_char(at)) {
    marks = g_unichar_combining_class(g_utf8_get_char(at)) == 0 ? 0 : marks + 1;
    if (marks > kMostMarks) return true;
  }
  return false;
}

std::string composed(const std::string &text) {
  if (g_str_is_ascii(text.c_str()) || has_too_many_marks(text)) return text;
  const GStringPtr normal(
      g_utf8_normalize(text.data(), static_cast<gssize>(text.size()), G_NORMALIZE_DEFAULT_COMPOSE));
  return normal ? normal.get() : text;
}

// The server that a URL names may know another file by each spelling.
bool holds_url(const std::string &text) { return text.find("://") != text.npos; }

void compose_texts(Json &value) {
  if (const auto *text = value.string(); text && !holds_url(*text)) value = composed(*text);
  if (auto *items = value.array())
    for (Json &item : *items) compose_texts(item);
  if (auto *members = value.object())
    for (auto &[name, member] : *members) compose_texts(member);
}

bool says_nothing(const FieldSpec &field, const Json &value) {
  return !field.required && !field.default_value.is_null() && value == field.default_value;
}

}  // namespace

Json meaning_of(const ModelSpec &model, const Json &body) {
  Json::Object meaning;
  for (const auto &[name, value] : *body.object()) {
    const FieldSpec *field = model.find(name);
    if (field && says_nothing(*field, value)) continue;
    Json meant = value;
    if (name == "prompt" && value.string())
      meant = composed(*value.string());
    else if (!field || !media_kind(field->type))
      compose_texts(meant);
    meaning.emplace_back(name, std::move(meant));
  }
  return meaning;
}

}  // namespace genclip
