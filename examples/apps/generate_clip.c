// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Generates a clip into a file. Shows progress, the task's ID, Ctrl-C and advice for each kind of error.
//
// cc generate_clip.c -o generate_clip $(pkg-config --cflags --libs gstreamer-1.0)
#include <glib-unix.h>
#include <gst/gst.h>

static const char kAgain[] = "Run this again later. A task whose ID is known is not paid for again.";
static const struct {
  GstResourceError code;
  const char *text;
} kAdvice[] = {
    {GST_RESOURCE_ERROR_SETTINGS, "Correct the request or the settings. This run created no task."},
    {GST_RESOURCE_ERROR_NOT_AUTHORIZED, "Check the key, and whether the account has credits."},
    {GST_RESOURCE_ERROR_NOT_FOUND, "Check the base URL and the task's ID."},
    {GST_RESOURCE_ERROR_OPEN_READ, kAgain},
    {GST_RESOURCE_ERROR_READ, kAgain},
    {GST_RESOURCE_ERROR_BUSY, kAgain},
    {GST_RESOURCE_ERROR_FAILED,
     "Change the request: the service could not make this clip. A new run submits a new task."},
    {GST_RESOURCE_ERROR_NO_SPACE_LEFT, "Free some space, then run this again. What was downloaded is kept."},
};

static GMainLoop *loop;
static int exit_code = 1;

static gboolean on_message(GstBus *bus, GstMessage *message, gpointer data) {
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_PROGRESS) {
    g_autofree gchar *text = NULL;
    gst_message_parse_progress(message, NULL, NULL, &text);
    g_print("%s\n", text);
  } else if (gst_message_has_name(message, "genclip-task")) {
    const GstStructure *task = gst_message_get_structure(message);
    const gchar *id = gst_structure_get_string(task, "task-id");
    if (*id) g_print("Task %s: %s\n", id, gst_structure_get_string(task, "status"));
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    g_autoptr(GError) error = NULL;
    gst_message_parse_error(message, &error, NULL);
    g_printerr("Error: %s\n", error->message);
    for (gsize i = 0; i < G_N_ELEMENTS(kAdvice); ++i)
      if (g_error_matches(error, GST_RESOURCE_ERROR, kAdvice[i].code)) g_printerr("%s\n", kAdvice[i].text);
    g_main_loop_quit(loop);
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) {
    exit_code = 0;
    g_main_loop_quit(loop);
  }
  return G_SOURCE_CONTINUE;
}

static gboolean on_interrupt(gpointer source) {
  g_autofree gchar *task = NULL;
  g_object_get(source, "task-id", &task, NULL);
  if (task && *task)
    g_printerr("Stopped. Task %s stays with the service; the next run attaches to it.\n", task);
  else
    g_printerr("Stopped before the service named a task.\n");
  exit_code = 130;
  g_main_loop_quit(loop);
  return G_SOURCE_CONTINUE;
}

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (argc < 3) {
    g_printerr("Usage: generate_clip OUT.mp4 PROPERTY=VALUE...\n");
    return 2;
  }
  GstElement *sink = gst_element_factory_make_full("filesink", "location", argv[1], NULL);
  argv[1] = "genclipsrc";  // The rest of the words are its properties.
  g_autoptr(GError) error = NULL;
  GstElement *source = gst_parse_launchv((const gchar **)argv + 1, &error);
  if (error) {
    g_printerr("Error: %s\n", error->message);
    return 1;
  }
  GstElement *pipeline = gst_pipeline_new(NULL);
  gst_bin_add_many(GST_BIN(pipeline), source, sink, NULL);
  gst_element_link(source, sink);
  loop = g_main_loop_new(NULL, FALSE);
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gst_bus_add_watch(bus, on_message, NULL);
  g_unix_signal_add(SIGINT, on_interrupt, source);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_main_loop_run(loop);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  return exit_code;
}
