// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Plays a genclip:// URI in playbin3. The signal source-setup gives the source what a URI has no place for.
//
// cc play_clip.c -o play_clip $(pkg-config --cflags --libs gstreamer-1.0)
#include <glib-unix.h>
#include <gst/gst.h>

static GMainLoop *loop;
static int exit_code = 1;

static void on_source_setup(GstElement *playbin, GstElement *source, gpointer key_file) {
  if (!g_str_equal(GST_OBJECT_NAME(gst_element_get_factory(source)), "genclipsrc")) return;
  const guint seconds = 3600;  // How long to wait for the task.
  g_object_set(source, "api-key-file", key_file, "timeout", seconds, NULL);
}

static gboolean on_message(GstBus *bus, GstMessage *message, gpointer data) {
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_PROGRESS) {
    g_autofree gchar *text = NULL;
    gst_message_parse_progress(message, NULL, NULL, &text);
    g_print("%s\n", text);
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
    // Nothing else says, for example, that a request may be charged twice.
    g_autoptr(GError) warning = NULL;
    gst_message_parse_warning(message, &warning, NULL);
    g_printerr("Warning: %s\n", warning->message);
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    g_autoptr(GError) error = NULL;
    gst_message_parse_error(message, &error, NULL);
    g_printerr("Error: %s\n", error->message);
    g_main_loop_quit(loop);
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) {
    exit_code = 0;
    g_main_loop_quit(loop);
  }
  return G_SOURCE_CONTINUE;
}

static gboolean on_interrupt(gpointer data) {
  exit_code = 130;
  g_main_loop_quit(loop);
  return G_SOURCE_CONTINUE;
}

// Without a screen, GStreamer 1.22 crashes in dfbvideosink, which this leaves out, or plays to nobody.
static gboolean has_screen(void) {
  g_autoptr(GstPluginFeature) directfb = gst_registry_lookup_feature(gst_registry_get(), "dfbvideosink");
  if (directfb) gst_plugin_feature_set_rank(directfb, GST_RANK_NONE);
  GstElement *sink = gst_element_factory_make("autovideosink", NULL);
  if (!sink) return FALSE;
  g_autoptr(GstBus) bus = gst_bus_new();
  gst_element_set_bus(sink, bus);
  gst_element_set_state(sink, GST_STATE_READY);
  g_autoptr(GstMessage) problem = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  gst_element_set_state(sink, GST_STATE_NULL);
  gst_object_unref(sink);
  return !problem;
}

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (argc != 3) {
    g_printerr("Usage: play_clip URI KEY_FILE\n");
    return 2;
  }
  if (!has_screen()) {  // Before the clip is paid for.
    g_printerr("Error: there is no screen. generate_clip writes a clip into a file instead.\n");
    return 1;
  }
  GstElement *playbin = gst_element_factory_make_full("playbin3", "uri", argv[1], NULL);
  if (!playbin) {
    g_printerr("Error: there is no playbin3. It is in GStreamer's base plugins.\n");
    return 1;
  }
  g_signal_connect(playbin, "source-setup", G_CALLBACK(on_source_setup), argv[2]);
  loop = g_main_loop_new(NULL, FALSE);
  g_autoptr(GstBus) bus = gst_element_get_bus(playbin);
  gst_bus_add_watch(bus, on_message, NULL);
  g_unix_signal_add(SIGINT, on_interrupt, NULL);
  gst_element_set_state(playbin, GST_STATE_PLAYING);
  g_main_loop_run(loop);
  gst_element_set_state(playbin, GST_STATE_NULL);
  gst_object_unref(playbin);
  return exit_code;
}
