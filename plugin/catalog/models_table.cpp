// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/models_table.h"

#include <glib.h>

#include <algorithm>

#include "plugin/catalog/cross_field_rules.h"
#include "plugin/catalog/field_check.h"
#include "plugin/catalog/prompt_rules.h"
#include "plugin/catalog/request_fields.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

std::string without_full_stop(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string allowed(const FieldSpec &field) {
  std::string text = allowed_text(field);
  for (const TextLimit &limit : field.text_limits) append_part(text, limit_text(limit));
  append_part(text, field.media.text());
  append_part(text, without_full_stop(field.note));
  return text;
}

// One with a default is sent with it.
bool is_to_give(const FieldSpec &field) { return field.required && field.default_value.is_null(); }

std::string code(const std::string &text) { return text.empty() ? "" : "`" + text + "`"; }

std::string model_markdown(const ModelSpec &spec) {
  std::string text = "\n### " + spec.id + "\n\n";
  if (!spec.note.empty()) text += spec.note + "\n\n";
  const auto rows = field_rows(spec);
  if (!rows.empty()) {
    text += markdown_row({"Field", "Type", "Required", "Allowed", "Default"}) +
            markdown_row({"---", "---", "---", "---", "---"});
    for (const FieldRow &field : rows)
      text +=
          markdown_row({code(field.field), field.type, field.required, field.allowed, code(field.fallback)});
    text += "\n";
  }
  for (const std::string &remark : remarks(spec)) text += "- " + remark + "\n";
  return text;
}

std::string common_fields_markdown(const Catalog &catalog) {
  std::string text = "\n## Fields with a property\n\n" +
                     markdown_row({"Field", "Property", "Type", "Meaning"}) +
                     markdown_row({"---", "---", "---", "---"});
  for (const FieldSpec &field : catalog.common_fields())
    text += markdown_row({code(field.name), code(property_name(field.name)), to_word(field.property->kind),
                          field.property->help});
  return text;
}

std::string capitalized(std::string text) {
  text[0] = g_ascii_toupper(text[0]);
  return text;
}

// What genclip makes a URL of.
const char *further_references(MediaKind kind) {
  switch (kind) {
    case MediaKind::image:
      return "a file, a picture of an image model (`genclip://MODEL?…`), or a frame of a video model's clip "
             "(`genclip://MODEL?…#last`, `#first` or `#t=SECONDS`)";
    case MediaKind::video: return "a file, or a whole clip of a video model (`genclip://MODEL?…`)";
    case MediaKind::audio: return "a file";
  }
  return "";
}

std::string references_markdown() {
  std::string text =
      "\n## References\n\n"
      "A media field takes a URL on every model, and `assetId://ID` on a model with assets. genclip makes a "
      "URL "
      "of the\n"
      "following, where publishing is set up (`publish-folder` and `publish-url`, or "
      "`$GENCLIP_PUBLISH_COMMAND`). A file is a\n"
      "path, a `file:` URI, or `sha256:` and the SHA-256 of its content.\n\n" +
      markdown_row({"Media", "Besides a URL"}) + markdown_row({"---", "---"});
  for (const Word<MediaKind> &kind : kWords<MediaKind>)
    text += markdown_row({kind.word, further_references(kind.value)});
  return text;
}

const char *variant_text(TextModel::Variant variant) {
  switch (variant) {
    case TextModel::Variant::standard: return "standard, stable";
    case TextModel::Variant::official: return "official version";
    case TextModel::Variant::low_cost: return "low-cost version";
  }
  return "";
}

}  // namespace

std::vector<FieldRow> field_rows(const ModelSpec &spec) {
  std::vector<FieldRow> rows;
  for (const FieldSpec &field : spec.fields) {
    if (!field.shown) continue;
    rows.push_back({field.name, to_word(field.type),
                    field.refused       ? "refused"
                    : is_to_give(field) ? "yes"
                                        : "no",
                    allowed(field),
                    field.default_value.string()    ? *field.default_value.string()
                    : field.default_value.is_null() ? ""
                                                    : field.default_value.to_text()});
  }
  return rows;
}

std::vector<std::string> remarks(const ModelSpec &spec) {
  std::vector<std::string> lines;
  if (spec.open)
    lines.push_back(
        field_rows(spec).empty()
            ? "Its fields are undocumented: it needs `prompt`, and every other field is sent as it is."
            : "Other fields are undocumented: it needs `prompt`, and every other field is sent as it is.");
  for (const FieldSpec &field : spec.fields)
    if (field.shown && field.required && !field.refused && !is_to_give(field))
      lines.push_back("`" + field.name + "` is always sent: with its default, if you leave it out.");
  for (const Rule &rule : spec.rules) lines.push_back(rule_text(rule));
  if (spec.assets) lines.push_back("Media may be assets: `assetId://ID`.");
  lines.push_back(std::string("Result: ") + (spec.result == ResultKind::image ? "an image." : "a video."));
  std::string api = std::string("API: ") + to_word(spec.apis[0]);
  if (spec.apis.size() > 1) api += std::string(" (`api=") + to_word(spec.apis[1]) + "` is possible)";
  lines.push_back(api + ".");
  return lines;
}

std::vector<std::string> reference_forms(MediaKind kind, bool assets) {
  std::vector<std::string> forms = {"https://HOST/PATH"};
  if (assets) forms.emplace_back("assetId://ID");
  forms.insert(forms.end(), {"FILE", "sha256:HEX"});
  if (kind == MediaKind::image)
    forms.insert(forms.end(), {"genclip://IMAGE-MODEL?…", "genclip://VIDEO-MODEL?…#last"});
  if (kind == MediaKind::video) forms.emplace_back("genclip://VIDEO-MODEL?…");
  return forms;
}

std::vector<std::string> reference_remarks(const ModelSpec &spec) {
  std::vector<std::string> lines;
  for (const Word<MediaKind> &row : kWords<MediaKind>) {
    std::vector<std::string> fields;
    for (const FieldSpec &field : spec.fields)
      if (media_kind(field.type) == row.value && !field.refused) fields.push_back(code(field.name));
    if (fields.empty()) continue;
    lines.push_back("Besides a URL, " + both(fields) + (fields.size() == 1 ? " takes " : " take ") +
                    further_references(row.value) + ".");
  }
  return lines;
}

std::string models_markdown(const Catalog &catalog) {
  std::string text =
      "<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->\n"
      "<!-- Written from plugin/catalog/models.json by the build: `meson compile models-doc`. Do not edit. "
      "-->\n\n"
      "# Models\n\n"
      "Every model that genclip knows, and what it checks before a request costs anything. Field names are "
      "the\n"
      "service's; the element has the same with `-` for `_`. A field that is not required is left out when "
      "unset,\n"
      "and the service uses the default, unless its model says otherwise. Characters are Unicode code "
      "points, a Chinese character is one of the Han\n"
      "script, and a MB is 1 000 000 bytes. Media limits are checked when `check-media` asks for it.\n\n"
      "To add a model, see [adding-a-model.md](adding-a-model.md).\n";
  text += common_fields_markdown(catalog);
  text += references_markdown();
  std::vector<std::string> groups;
  for (const auto &model : catalog.models())
    if (std::find(groups.begin(), groups.end(), model->group) == groups.end()) groups.push_back(model->group);
  for (const std::string &group : groups) {
    text += "\n## " + (group.empty() ? "Further models" : capitalized(group)) + "\n";
    for (const auto &model : catalog.models())
      if (model->group == group) text += model_markdown(*model);
  }
  text += "\n## Text models, for gencaption\n\n" + markdown_row({"Model ID", "Version"}) +
          markdown_row({"---", "---"});
  for (const TextModel &model : catalog.text_models())
    text += markdown_row({code(model.id), variant_text(model.variant)});
  return text;
}

}  // namespace genclip
