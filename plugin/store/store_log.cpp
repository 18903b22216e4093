// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/store/store_log.h"

namespace genclip {

GstDebugCategory *store_category() {
  static GstDebugCategory *category =
      _gst_debug_category_new("genclip-store", 0, "Clip store of the genclip elements");
  return category;
}

}  // namespace genclip
