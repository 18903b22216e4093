// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Runs a pipeline and prints everything that an application can see of it. What is secret comes from a file,
// as properties: on a command line GStreamer's own parser would log it.
#include <gst/gst.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "plugin/base/gref.h"

namespace genclip::test {
namespace {

void print_values(const GValue *item, gpointer) {
  auto *element = static_cast<GstElement *>(g_value_get_object(item));
  guint count = 0;
  GParamSpec **specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
  for (guint i = 0; i < count; ++i) {
    if ((specs[i]->flags & G_PARAM_READABLE) == 0) continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, specs[i]->value_type);
    g_object_get_property(G_OBJECT(element), specs[i]->name, &value);
    // GStreamer's own transformation of a structure does not expect none.
    const bool is_null = G_VALUE_HOLDS_BOXED(&value) && !g_value_get_boxed(&value);
    const GStringPtr text(is_null ? nullptr : g_strdup_value_contents(&value));
    std::printf("%s.%s = %s\n", GST_OBJECT_NAME(element), specs[i]->name, text ? text.get() : "none");
    g_value_unset(&value);
  }
  g_free(specs);
  if (!GST_IS_URI_HANDLER(element)) return;
  const GStringPtr uri(gst_uri_handler_get_uri(GST_URI_HANDLER(element)));
  std::printf("%s has the URI %s\n", GST_OBJECT_NAME(element), uri ? uri.get() : "-");
}

void print_all(GstElement *pipeline, const char *moment) {
  std::printf("-- %s\n", moment);
  GstIterator *elements = gst_bin_iterate_recurse(GST_BIN(pipeline));
  gst_iterator_foreach(elements, print_values, nullptr);
  gst_iterator_free(elements);
  gst_debug_bin_to_dot_file_with_ts(GST_BIN(pipeline), GST_DEBUG_GRAPH_SHOW_VERBOSE, moment);
}

void print_error(GstMessage *message) {
  GError *error = nullptr;
  char *debug = nullptr;
  const GstStructure *details = nullptr;
  const bool is_error = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR;
  if (is_error) {
    gst_message_parse_error(message, &error, &debug);
    gst_message_parse_error_details(message, &details);
  } else {
    gst_message_parse_warning(message, &error, &debug);
    gst_message_parse_warning_details(message, &details);
  }
  const GStringPtr text(details ? gst_structure_to_string(details) : nullptr);
  std::printf("%s: %s | %s | %s\n", is_error ? "ERROR" : "WARNING", error->message, debug ? debug : "",
              text ? text.get() : "");
  g_clear_error(&error);
  g_free(debug);
}

// Lines of property=value.
bool set_from(const char *file, GstElement *element) {
  char *raw = nullptr;
  if (!g_file_get_contents(file, &raw, nullptr, nullptr)) return false;
  const GStringPtr text(raw);
  char **lines = g_strsplit(text.get(), "\n", -1);
  for (char **line = lines; *line; ++line) {
    char *equals = std::strchr(*line, '=');
    if (!equals) continue;
    *equals = '\0';
    g_object_set(element, *line, equals + 1, nullptr);
  }
  g_strfreev(lines);
  return true;
}

int show_all(const char *properties_file, const char **words) {
  const auto pipeline = GRef<GstElement>::adopt(
      static_cast<GstElement *>(gst_object_ref_sink(gst_parse_launchv(words, nullptr))));
  if (!pipeline) return 2;
  const auto keyed = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), "keyed"));
  if (!keyed || !set_from(properties_file, keyed.get())) return 2;
  gst_element_add_property_deep_notify_watch(pipeline.get(), nullptr, TRUE);
  print_all(pipeline.get(), "in NULL");

  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  int code = -1;
  while (code < 0) {
    const auto message = GRef<GstMessage>::adopt(gst_bus_timed_pop(bus.get(), 60 * GST_SECOND));
    if (!message) return 3;
    const GstStructure *structure = gst_message_get_structure(message.get());
    const GStringPtr text(structure ? gst_structure_to_string(structure) : nullptr);
    std::printf("%s: %s\n", GST_MESSAGE_TYPE_NAME(message.get()), text ? text.get() : "");
    const GstMessageType type = GST_MESSAGE_TYPE(message.get());
    if (type == GST_MESSAGE_ERROR || type == GST_MESSAGE_WARNING) print_error(message.get());
    if (type == GST_MESSAGE_ERROR) code = 1;
    if (type == GST_MESSAGE_EOS) code = 0;
  }
  print_all(pipeline.get(), "at the end");
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  print_all(pipeline.get(), "in NULL again");
  return code;
}

}  // namespace
}  // namespace genclip::test

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  return argc > 2 ? genclip::test::show_all(argv[1], const_cast<const char **>(argv + 2)) : 2;
}
