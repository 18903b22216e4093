// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/request_meaning.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/catalog/catalog.h"

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

// NFC writes another letter for these, which a reader can tell from the one that was typed.
bool is_compatibility_ideograph(gunichar c) {
  return (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

bool has_compatibility_ideograph(const std::string &text) {
  for (const char *at = text.c_str(); *at; at = g_utf8_next_char(at))
    if (is_compatibility_ideograph(g_utf8_get_char(at))) return true;
  return false;
}

std::string composed(const std::string &text) {
  if (g_str_is_ascii(text.c_str()) || has_too_many_marks(text) || has_compatibility_ideograph(text))
    return text;
  const GStringPtr normal(
      g_utf8_normalize(text.data(), static_cast<gssize>(text.size()), G_NORMALIZE_DEFAULT_COMPOSE));
  return normal ? normal.get() : text;
}

// The server that a URL names may know another file by each spelling.
bool holds_url(const std::string &text) { return text.find("://") != text.npos; }

// It excludes another field that has a default: with either of them, the other's default does not hold.
bool has_rival(const ModelSpec &model, std::string_view name) {
  return std::any_of(model.rules.begin(), model.rules.end(), [&](const Rule &rule) {
    const auto has_default = [&](const std::string &field) {
      const FieldSpec *spec = model.find(field);
      return field != name && spec && !spec->default_value.is_null();
    };
    return rule.kind == Rule::Kind::conflict &&
           std::find(rule.fields.begin(), rule.fields.end(), name) != rule.fields.end() &&
           std::any_of(rule.fields.begin(), rule.fields.end(), has_default);
  });
}

// What a file of $GENCLIP_MODELS says does not count, for it comes and goes, and other users of the store do
// not have it; but it may say that a default of the service's document does not hold any more.
bool says_nothing(const ModelSpec &model, const FieldSpec &field, const Json &value) {
  const auto built_in = Catalog::built_in()->find(model.id);
  const Json *unset = built_in ? meaning_of_unset(*built_in, field.name) : nullptr;
  return unset && !field.required && value == *unset && value == field.default_value;
}

}  // namespace

const Json *meaning_of_unset(const ModelSpec &documented, std::string_view field) {
  const FieldSpec *spec = documented.find(field);
  const bool has_default = spec && !spec->required && !spec->default_value.is_null();
  return has_default && !has_rival(documented, field) ? &spec->default_value : nullptr;
}

Json meaning_of(const ModelSpec &model, const Json &body) {
  Json::Object meaning;
  for (const auto &[name, value] : *body.object()) {
    const FieldSpec *field = model.find(name);
    if (field && says_nothing(model, *field, value)) continue;
    const std::string *text = field && field->type == FieldType::string ? value.string() : nullptr;
    const bool is_plain = text && (name == "prompt" || !holds_url(*text));
    meaning.emplace_back(name, is_plain ? Json(composed(*text)) : value);
  }
  return meaning;
}

}  // namespace genclip
