// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/film_source.h"

#include <string_view>

namespace genclip {
namespace {

void set_up(GstElement *, GstElement *source, gpointer data) {
  if (!is_clip_source(GST_OBJECT(source))) return;
  for (const auto &[name, text] : *static_cast<const SourceSettings *>(data))
    g_object_set(source, name.c_str(), text.c_str(), nullptr);
}

}  // namespace

bool is_clip_source(GstObject *source) {
  GstElementFactory *factory =
      GST_IS_ELEMENT(source) ? gst_element_get_factory(GST_ELEMENT(source)) : nullptr;
  return factory && std::string_view(GST_OBJECT_NAME(factory)) == "genclipsrc";
}

void tell_cost(GstMessage *message, FilmListener &listener) {
  const GstStructure *told = gst_message_get_structure(message);
  if (!told || !gst_structure_has_name(told, "genclip-task")) return;
  const char *task_id = gst_structure_get_string(told, "task-id");
  gboolean is_reused = TRUE;
  double amount = -1;
  gst_structure_get(told, "reused", G_TYPE_BOOLEAN, &is_reused, "amount", G_TYPE_DOUBLE, &amount, nullptr);
  if (task_id && *task_id && !is_reused && amount >= 0) listener.on_cost(task_id, amount);
}

void set_up_source(GstElement *bin, const SourceSettings &settings) {
  g_signal_connect(bin, "source-setup", G_CALLBACK(set_up), const_cast<SourceSettings *>(&settings));
}

}  // namespace genclip
