// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/element_log.h"

namespace genclip {

GstDebugCategory *genclipsrc_category() {
  static GstDebugCategory *const category = new_log_category("genclipsrc", "Generated clip source");
  return category;
}

GstDebugCategory *gencaption_category() {
  static GstDebugCategory *const category = new_log_category("gencaption", "Generated captions");
  return category;
}

GstDebugCategory *genchannelsrc_category() {
  static GstDebugCategory *const category = new_log_category("genchannelsrc", "Channel of generated clips");
  return category;
}

}  // namespace genclip
