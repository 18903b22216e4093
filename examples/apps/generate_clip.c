// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Generates a clip into a file. Shows progress, the task's ID, Ctrl-C, and advice by how a run has ended.
//
// cc generate_clip.c -o generate_clip $(pkg-config --cflags --libs gstreamer-1.0)
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <glib/gstdio.h>
#include <gst/gst.h>
#include <signal.h>
#include <unistd.h>

// By the details "charged" and "retry" of an error. `without_task`: where "outcome" says that there is no
// task of this clip, so that what was charged are the clips that it is made of; NULL: the same.
static const struct {
  const char *charged;
  gboolean retry;
  const char *text;
  const char *without_task;
} kAdvice[] = {
    {"no", TRUE, "Nothing was charged. Run this again later.", NULL},
    {"no", FALSE, "Nothing was charged. Change what the error names.", NULL},
    {"maybe", FALSE, "The task may have been charged, and the same run may pay again. Read the error first.",
     NULL},
    {"yes", TRUE, "The clip is paid for. Run this again: it attaches to the task and does not pay twice.",
     "Clips that it is made of are paid for and kept; this clip was not submitted. Run this again later."},
    {"yes", FALSE, "The clip was charged, and running this again does not help.",
     "Clips that it is made of are paid for and kept; this clip was not submitted. Change what the error "
     "names."},
};

static GMainLoop *loop;
static GstElement *source;
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
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
    // Nothing else says, for example, that a request may be charged twice.
    g_autoptr(GError) warning = NULL;
    gst_message_parse_warning(message, &warning, NULL);
    g_printerr("Warning: %s\n", warning->message);
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    g_autoptr(GError) error = NULL;
    gst_message_parse_error(message, &error, NULL);
    g_printerr("Error: %s\n", error->message);
    const GstStructure *details = NULL;
    gst_message_parse_error_details(message, &details);
    gboolean retry = FALSE;
    if (details) gst_structure_get_boolean(details, "retry", &retry);
    const gchar *outcome = details ? gst_structure_get_string(details, "outcome") : NULL;
    gboolean has_task = g_strcmp0(outcome, "not-submitted") != 0 && g_strcmp0(outcome, "refused") != 0;
    for (gsize i = 0; details && i < G_N_ELEMENTS(kAdvice); ++i)
      if (g_strcmp0(gst_structure_get_string(details, "charged"), kAdvice[i].charged) == 0 &&
          retry == kAdvice[i].retry)
        g_printerr("%s\n", has_task || !kAdvice[i].without_task ? kAdvice[i].text : kAdvice[i].without_task);
    g_main_loop_quit(loop);
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) {
    exit_code = 0;
    g_main_loop_quit(loop);
  }
  return G_SOURCE_CONTINUE;
}

static gboolean on_signal(gpointer number) {
  g_autofree gchar *task = NULL;
  g_object_get(source, "task-id", &task, NULL);
  if (task && *task)
    g_printerr("Stopped. Task %s stays with the service; the next run attaches to it.\n", task);
  else
    // The answer to a request that is on its way is waited for, for a moment, and stored.
    g_printerr("Stopped. If the service has named a task, the next run attaches to it.\n");
  exit_code = 128 + GPOINTER_TO_INT(number);
  g_main_loop_quit(loop);
  return G_SOURCE_CONTINUE;
}

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (argc < 3) {
    g_printerr("Usage: generate_clip OUT.mp4 PROPERTY=VALUE...\n");
    return 2;
  }
  const gchar *out = argv[1];
  GstElement *sink = gst_element_factory_make("filesink", NULL);
  argv[1] = "genclipsrc";  // The rest of the words are its properties.
  g_autoptr(GError) error = NULL;
  source = gst_parse_launchv((const gchar **)argv + 1, &error);
  if (error || !sink) {
    g_printerr("Error: %s\n",
               error ? error->message : "there is no filesink. It is in GStreamer's core plugins.");
    return !error || g_error_matches(error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_ELEMENT) ? 1 : 2;
  }
  // It gets the name OUT when it is whole, so a failure leaves what was there.
  g_autofree gchar *part = g_strconcat(out, ".XXXXXX.part", NULL);
  // A rename would replace a device such as /dev/null.
  gboolean is_other = g_file_test(out, G_FILE_TEST_EXISTS) && !g_file_test(out, G_FILE_TEST_IS_REGULAR);
  gboolean is_folder = g_file_test(out, G_FILE_TEST_IS_DIR);
  int file = is_other ? -1 : g_mkstemp_full(part, O_WRONLY, 0666);
  if (file < 0) {
    g_printerr("Error: %s cannot be written: %s\n", out,
               is_folder  ? "it is a folder"
               : is_other ? "it is not a file"
                          : g_strerror(errno));
    return 1;
  }
  close(file);
  g_object_set(sink, "location", part, NULL);
  GstElement *pipeline = gst_pipeline_new(NULL);
  gst_bin_add_many(GST_BIN(pipeline), source, sink, NULL);
  gst_element_link(source, sink);
  loop = g_main_loop_new(NULL, FALSE);
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gst_bus_add_watch(bus, on_message, NULL);
  const int endings[] = {SIGINT, SIGTERM, SIGHUP};
  for (gsize i = 0; i < G_N_ELEMENTS(endings); ++i) {
    struct sigaction now;
    // nohup has SIGHUP ignored.
    if (sigaction(endings[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      g_unix_signal_add(endings[i], on_signal, GINT_TO_POINTER(endings[i]));
  }
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_main_loop_run(loop);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  if (exit_code == 0 && g_rename(part, out) != 0) {
    g_printerr("Error: %s cannot be written: %s\n", out, g_strerror(errno));
    exit_code = 1;
  }
  if (exit_code == 0)
    g_print("Written: %s\n", out);
  else
    g_unlink(part);
  return exit_code;
}
