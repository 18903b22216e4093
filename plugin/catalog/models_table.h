// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The catalog as tables for people: docs/models.md, and one model for a terminal.
#pragma once

#include <string>
#include <vector>

#include "plugin/catalog/catalog.h"

namespace genclip {

struct FieldRow {
  std::string field;
  std::string type;
  std::string required;  // "yes", "no"; "refused" for a field that the model does not take
  std::string allowed;   // empty: anything
  std::string fallback;  // the default; empty: undocumented
};

// The fields that the service documents for the model, in its order.
std::vector<FieldRow> field_rows(const ModelSpec &spec);

// Further facts about the model, one sentence each: assets, APIs, openness, rules.
std::vector<std::string> remarks(const ModelSpec &spec);

// The forms in which a medium of that kind may be given: "https://…", "FILE", …
std::vector<std::string> reference_forms(MediaKind kind, bool assets);
// What the media fields of the model take, one sentence for each kind of media that it takes.
std::vector<std::string> reference_remarks(const ModelSpec &spec);

// docs/models.md, whole.
std::string models_markdown(const Catalog &catalog);

}  // namespace genclip
