// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All models that genclip knows: those compiled in, and those of the user's files.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/catalog/closest.h"
#include "plugin/catalog/model_spec.h"

namespace genclip {

// A mistake in a catalog file. The model that has it is left out; the rest of the file is used.
struct Mistake {
  std::string file;
  int line = 0;       // from 1; 0: the whole file
  std::string model;  // the ID, where known
  std::string text;

  // "FILE:LINE: TEXT", as compilers write it.
  std::string to_text() const;
};

struct CatalogFile {
  std::string name;  // for mistakes
  std::string text;
};

// Immutable once made, so every thread may read it.
class Catalog {
 public:
  using Ptr = std::shared_ptr<const Catalog>;

  // The built-in models, added to or replaced by the files of $GENCLIP_MODELS (a path list, later files win).
  // Read once for each distinct value of the variable.
  static Ptr shared();
  // The built-in models alone.
  static Ptr built_in();
  // The built-in models with these files on top.
  static Ptr with_files(const std::vector<CatalogFile> &files);
  // The built-in models and those of this text; fails with the first mistake.
  static Result<Ptr> from_text(std::string_view text);

  const std::vector<Mistake> &mistakes() const { return mistakes_; }

  // Null when there is none; a display name does not resolve (§7.2).
  std::shared_ptr<const ModelSpec> find(std::string_view id) const;
  const TextModel *find_text(std::string_view id) const;
  // In the order of the files.
  const std::vector<std::shared_ptr<const ModelSpec>> &models() const { return models_; }
  const std::vector<TextModel> &text_models() const { return text_models_; }

  // Up to three IDs that `wanted` may mean, the best first; a display name finds its ID.
  std::vector<std::string> closest(std::string_view wanted) const;
  // False of words that are no model misspelled: a prompt, which shares some letters with any name.
  bool may_name_model(std::string_view wanted) const;
  // The error text for an ID that find() does not know.
  std::string unknown_model_text(std::string_view wanted) const;
  std::string unknown_text_model_text(std::string_view wanted) const;

  // The service's name of a field: resolves aliases (§2.2.5), and returns any other name as it is, also one
  // that the model itself has a field of. `model` may be null.
  std::string_view canonical(const ModelSpec *model, std::string_view field) const;
  // Further names of fields, and the fields that they mean.
  const std::map<std::string, std::string, std::less<>> &aliases() const { return aliases_; }
  // The fields that elements have a property for, in a fixed order; models inherit from them.
  const std::vector<FieldSpec> &common_fields() const { return common_fields_; }
  const FieldSpec *common_field(std::string_view field) const { return find_field(common_fields_, field); }
  // The limits of the legacy API (§2.6) on fields, for every model.
  const std::vector<FieldSpec> &legacy_fields() const { return legacy_fields_; }

 private:
  friend class CatalogReader;
  Catalog() = default;

  std::vector<Name> names() const;
  std::vector<Name> text_names() const;

  std::vector<std::shared_ptr<const ModelSpec>> models_;
  std::vector<TextModel> text_models_;
  std::vector<FieldSpec> common_fields_;
  std::vector<FieldSpec> legacy_fields_;
  std::map<std::string, std::string, std::less<>> aliases_;
  std::vector<Mistake> mistakes_;
};

}  // namespace genclip
