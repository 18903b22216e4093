// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/store/store_log.h"

namespace genclip {

GstDebugCategory *store_category() {
  static GstDebugCategory *const category =
      new_log_category("genclip-store", "Clip store: journals, locks, clips that come and go");
  return category;
}

}  // namespace genclip
