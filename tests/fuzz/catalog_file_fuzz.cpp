// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as a catalog file on top of the built-in one: its mistakes are told, and no built-in model is
// harmed by them.
#include "plugin/catalog/catalog.h"
#include "tests/fuzz/hold.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace genclip;
  const auto catalog = Catalog::with_files({{"fuzz.json", std::string(as_text(data, size))}});
  for (const Mistake &mistake : catalog->mistakes()) {
    hold(!mistake.text.empty());
    hold(mistake.file == "fuzz.json");
    hold(mistake.line >= 0);
  }
  for (const auto &model : Catalog::built_in()->models()) hold(catalog->find(model->id) != nullptr);
  return 0;
}
