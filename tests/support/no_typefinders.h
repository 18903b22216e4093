// SPDX-License-Identifier: LGPL-2.1-or-later
//
// GStreamer as it is where its base plugins are not installed.
#pragma once

#include <gst/gst.h>

namespace genclip::test {

// While it lives this process has no typefinder.
class NoTypefinders {
 public:
  NoTypefinders() : features_(gst_registry_get_feature_list(gst_registry_get(), GST_TYPE_TYPE_FIND_FACTORY)) {
    for (GList *feature = features_; feature; feature = feature->next)
      gst_registry_remove_feature(gst_registry_get(), GST_PLUGIN_FEATURE(feature->data));
  }
  ~NoTypefinders() {
    for (GList *feature = features_; feature; feature = feature->next)
      gst_registry_add_feature(gst_registry_get(), GST_PLUGIN_FEATURE(feature->data));
    gst_plugin_feature_list_free(features_);
  }
  NoTypefinders(const NoTypefinders &) = delete;
  NoTypefinders &operator=(const NoTypefinders &) = delete;

 private:
  GList *const features_;
};

}  // namespace genclip::test
