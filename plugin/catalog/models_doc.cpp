// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip-models-doc [FILE]: writes docs/models.md, to FILE or to standard output.
#include <glib.h>

#include <cstdio>

#include "plugin/base/gref.h"
#include "plugin/catalog/models_table.h"

int main(int argc, char **argv) {
  const std::string text = genclip::models_markdown(*genclip::Catalog::built_in());
  if (argc < 2) return fputs(text.c_str(), stdout) < 0 ? 1 : 0;
  genclip::GErrorPtr error;
  if (g_file_set_contents(argv[1], text.data(), static_cast<gssize>(text.size()), genclip::take(error)))
    return 0;
  fprintf(stderr, "%s\n", error->message);
  return 1;
}
