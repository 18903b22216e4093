// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/film_run.h"

#include <gst/pbutils/pbutils.h>

#include <string_view>
#include <utility>

namespace genclip {
namespace {

struct Parsed {
  GErrorPtr error;
  const GstStructure *details = nullptr;
};

Parsed parsed(GstMessage *message) {
  Parsed all;
  GError *error = nullptr;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error(message, &error, nullptr);
    gst_message_parse_error_details(message, &all.details);
  } else {
    gst_message_parse_warning(message, &error, nullptr);
    gst_message_parse_warning_details(message, &all.details);
  }
  all.error.reset(error);
  return all;
}

ErrorKind kind_of(const GError &error) {
  if (g_error_matches(&error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY)) return ErrorKind::busy;
  if (g_error_matches(&error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND)) return ErrorKind::not_found;
  if (g_error_matches(&error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS)) return ErrorKind::settings;
  if (g_error_matches(&error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED))
    return ErrorKind::not_authorized;
  if (g_error_matches(&error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT))
    return ErrorKind::no_space_left;
  return ErrorKind::failed;
}

// What follows from a plugin that is missing. Other errors have reasons of their own: what is missing may be
// for a stream that nobody needs.
bool is_of_missing_plugin(const GError &error) {
  return g_error_matches(&error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN) ||
         g_error_matches(&error, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND);
}

// FFmpeg's demuxer of NUT looks for further data for ever when gst-libav tells it that there are none.
// decodebin keeps the errors of its elements back, so the pipeline tells it.
void refuse_endless(GstBin *pipeline, GstBin *, GstElement *element, gpointer) {
  GstElementFactory *factory = gst_element_get_factory(element);
  if (!factory || std::string_view(GST_OBJECT_NAME(factory)) != "avdemux_nut") return;
  GST_ELEMENT_ERROR(pipeline, STREAM, DEMUX, ("%s", kEndless), (nullptr));
}

}  // namespace

std::string text_of_message(GstMessage *message) { return parsed(message).error->message; }

std::string detail_of_message(GstMessage *message, const char *name) {
  const Parsed all = parsed(message);
  const char *text = all.details ? gst_structure_get_string(all.details, name) : nullptr;
  return text ? text : "";
}

bool flag_of_message(GstMessage *message, const char *name) {
  const Parsed all = parsed(message);
  gboolean flag = FALSE;
  if (all.details) gst_structure_get_boolean(all.details, name, &flag);
  return flag != FALSE;
}

unsigned status_of_message(GstMessage *message) {
  const Parsed all = parsed(message);
  guint status = 0;
  if (all.details) gst_structure_get_uint(all.details, "http-status", &status);
  return status;
}

FilmRun::FilmRun(GRef<GstElement> pipeline)
    : pipeline_(std::move(pipeline)), bus_(GRef<GstBus>::adopt(gst_element_get_bus(pipeline_.get()))) {
  g_signal_connect(pipeline_.get(), "deep-element-added", G_CALLBACK(refuse_endless), nullptr);
}

void FilmRun::stop() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

void FilmRun::take(GstMessage *message) {
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) end_ = End::eos;
  if (gst_is_missing_plugin_message(message) && missing_.empty())
    missing_ = GStringPtr(gst_missing_plugin_message_get_description(message)).get();
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_ERROR) return;
  end_ = End::error;
  const Parsed all = parsed(message);
  error_ = {kind_of(*all.error), all.error->message};
  if (std::string budget = detail_of_message(message, "budget"); !budget.empty())
    error_.details = {{"budget", std::move(budget)}};
  if (!missing_.empty() && is_of_missing_plugin(*all.error))
    error_.text = "GStreamer has no plugin for it (" + missing_ + ").";
  error_element_ = GST_MESSAGE_SRC_NAME(message);
}

FilmRun::End FilmRun::run(const std::function<void(GstMessage *)> &on_message,
                          const std::function<void()> &on_wake) {
  on_message_ = &on_message;
  const auto watch = GRef<GSource>::adopt(gst_bus_create_watch(bus_.get()));
  const GstBusFunc hand_over = [](GstBus *, GstMessage *message, gpointer self) -> gboolean {
    auto &run = *static_cast<FilmRun *>(self);
    if (run.end_ || run.ended_) return G_SOURCE_CONTINUE;
    run.take(message);
    (*run.on_message_)(message);
    return G_SOURCE_CONTINUE;
  };
  g_source_set_callback(watch.get(), G_SOURCE_FUNC(hand_over), this, nullptr);
  g_source_attach(watch.get(), nullptr);
  if (gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) {
    // The element that fails says why.
    while (!end_ && g_main_context_iteration(nullptr, FALSE)) {
    }
    if (!end_) {
      end_ = End::error;
      error_ = {ErrorKind::failed, "GStreamer cannot begin."};
    }
  }
  while (!end_ && !ended_) {
    g_main_context_iteration(nullptr, TRUE);
    if (!end_ && !ended_) on_wake();
  }
  g_source_destroy(watch.get());
  return end_.value_or(End::ended);
}

}  // namespace genclip
