// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as a catalog file in addition to the built-in one: mistakes are reported, and built-in models
// stay intact.
#include <fstream>
#include <iterator>

#include "plugin/catalog/catalog_reader.h"
#include "tests/fuzz/hold.h"

namespace {

using namespace genclip;

// The built-in file is read once: it is most of the work.
CatalogReader with_built_in() {
  std::ifstream file(GENCLIP_MODELS_JSON);
  CatalogReader reader;
  reader.read({"models.json", std::string(std::istreambuf_iterator<char>(file), {})});
  return reader;
}

}  // namespace

FUZZ_TARGET(catalog_file)(const uint8_t *data, size_t size) {
  static const CatalogReader kBuiltIn = with_built_in();
  CatalogReader reader = kBuiltIn;
  reader.read({"fuzz.json", std::string(as_text(data, size))});
  const Catalog::Ptr catalog = reader.finish();
  for (const Mistake &mistake : catalog->mistakes()) {
    hold(!mistake.text.empty());
    hold(mistake.file == "fuzz.json");
    hold(mistake.line >= 0);
  }
  for (const auto &model : Catalog::built_in()->models()) hold(catalog->find(model->id) != nullptr);
  return 0;
}
