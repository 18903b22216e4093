// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/known_models.h"

#include "plugin/command/console.h"

namespace genclip {

Catalog::Ptr known_models() {
  Catalog::Ptr catalog = Catalog::shared();
  for (const Mistake &mistake : catalog->mistakes()) print_error(printable(mistake.to_text()));
  return catalog;
}

}  // namespace genclip
