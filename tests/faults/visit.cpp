// SPDX-License-Identifier: LGPL-2.1-or-later
//
// visit FILE PROPERTY=VALUE...: one genclipsrc into a file. Ends with 0 at its end, 1 with an error, 3 when
// it is told to leave.
#include <glib-unix.h>
#include <gst/gst.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Visit {
  GMainLoop *loop;
  int result = 1;
};

int exit_code = 2;

// Ends the process after the exit handlers, of which this is the first one registered and so the last one
// called, but before the libraries' destructors. GIO's and libproxy's threads outlive main() and may be
// loading libraries then, which makes glibc run GObject's constructor once more, and that aborts. Whether it
// happens is chance, and nothing that genclip could wait for.
void end_after_exit_handlers() { ::_exit(exit_code); }

gboolean on_message(GstBus *, GstMessage *message, gpointer data) {
  auto &visit = *static_cast<Visit *>(data);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) visit.result = 0;
  if (GST_MESSAGE_TYPE(message) & (GST_MESSAGE_EOS | GST_MESSAGE_ERROR)) g_main_loop_quit(visit.loop);
  return TRUE;
}

gboolean on_signal(gpointer data) {
  auto &visit = *static_cast<Visit *>(data);
  visit.result = 3;
  g_main_loop_quit(visit.loop);
  return FALSE;
}

}  // namespace

int main(int argc, char **argv) {
  std::atexit(end_after_exit_handlers);
  gst_init(&argc, &argv);
  GstElement *pipeline = gst_parse_launch("genclipsrc name=src ! filesink name=sink", nullptr);
  if (!pipeline || argc < 2) return 2;
  GstElement *src = gst_bin_get_by_name(GST_BIN(pipeline), "src");
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_object_set(sink, "location", argv[1], nullptr);
  for (int i = 2; i < argc; ++i) {
    const char *equals = std::strchr(argv[i], '=');
    if (!equals) return 2;
    gst_util_set_object_arg(G_OBJECT(src), std::string(static_cast<const char *>(argv[i]), equals).c_str(),
                            equals + 1);
  }
  Visit visit{g_main_loop_new(nullptr, FALSE)};
  GstBus *bus = gst_element_get_bus(pipeline);
  gst_bus_add_watch(bus, on_message, &visit);
  g_unix_signal_add(SIGTERM, on_signal, &visit);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_main_loop_run(visit.loop);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_bus_remove_watch(bus);
  for (gpointer object : {static_cast<gpointer>(bus), static_cast<gpointer>(src), static_cast<gpointer>(sink),
                          static_cast<gpointer>(pipeline)})
    gst_object_unref(object);
  g_main_loop_unref(visit.loop);
  return exit_code = visit.result;
}
