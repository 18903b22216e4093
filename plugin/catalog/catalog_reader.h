// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Builds a Catalog from catalog files, the built-in one first.
#pragma once

#include <map>
#include <set>
#include <string>

#include "plugin/catalog/catalog.h"
#include "plugin/catalog/field_reader.h"

namespace genclip {

class CatalogReader {
 public:
  // The first file is the built-in one. Only it has the sections about the service as a whole.
  void read(const CatalogFile &file);
  void note(Mistake mistake) { catalog_.mistakes_.push_back(std::move(mistake)); }
  Catalog::Ptr finish();

 private:
  void read_common(MemberReader &top);
  void read_aliases(MemberReader &top);
  void read_media_sets(MemberReader &top);
  void read_models(MemberReader &top);
  void read_text_models(MemberReader &top);
  void read_one_model(const Json &json, std::set<std::string> &seen);
  void keep(ModelSpec spec);

  Catalog catalog_;
  MediaSets media_sets_;
  std::map<std::string, Json> sources_;  // Each model as its file has it, `like` resolved.
  std::string file_;
  bool first_ = true;
};

}  // namespace genclip
