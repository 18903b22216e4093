// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/film_source.h"

#include <string_view>

namespace genclip {
namespace {

void set_up(GstElement *, GstElement *source, gpointer data) {
  GstElementFactory *factory = gst_element_get_factory(source);
  if (!factory || std::string_view(GST_OBJECT_NAME(factory)) != "genclipsrc") return;
  for (const auto &[name, text] : *static_cast<const SourceSettings *>(data))
    g_object_set(source, name.c_str(), text.c_str(), nullptr);
}

}  // namespace

void set_up_source(GstElement *bin, const SourceSettings &settings) {
  g_signal_connect(bin, "source-setup", G_CALLBACK(set_up), const_cast<SourceSettings *>(&settings));
}

}  // namespace genclip
