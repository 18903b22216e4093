// SPDX-License-Identifier: LGPL-2.1-or-later
//
// ErrorKind to GStreamer's domains and codes, in one table.
#include "elements/post_error.h"

#include "plugin/base/log.h"

namespace genclip {
namespace {

struct DomainAndCode {
  GQuark domain;
  int code;
};

DomainAndCode code_of(ErrorKind kind) {
  const auto resource = [](GstResourceError code) { return DomainAndCode{GST_RESOURCE_ERROR, code}; };
  switch (kind) {
    case ErrorKind::settings: return resource(GST_RESOURCE_ERROR_SETTINGS);
    case ErrorKind::not_authorized: return resource(GST_RESOURCE_ERROR_NOT_AUTHORIZED);
    case ErrorKind::not_found: return resource(GST_RESOURCE_ERROR_NOT_FOUND);
    case ErrorKind::open_read: return resource(GST_RESOURCE_ERROR_OPEN_READ);
    case ErrorKind::read: return resource(GST_RESOURCE_ERROR_READ);
    case ErrorKind::open_write: return resource(GST_RESOURCE_ERROR_OPEN_WRITE);
    case ErrorKind::write: return resource(GST_RESOURCE_ERROR_WRITE);
    case ErrorKind::no_space_left: return resource(GST_RESOURCE_ERROR_NO_SPACE_LEFT);
    case ErrorKind::busy: return resource(GST_RESOURCE_ERROR_BUSY);
    case ErrorKind::stale:
    case ErrorKind::timed_out: return resource(GST_RESOURCE_ERROR_READ);
    case ErrorKind::wrong_type: return {GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE};
    case ErrorKind::failed:
    case ErrorKind::cancelled: break;
  }
  return resource(GST_RESOURCE_ERROR_FAILED);
}

void set_member(GstStructure *details, const char *name, const std::string &value) {
  gst_structure_set(details, name, G_TYPE_STRING, value.c_str(), nullptr);
}
void set_member(GstStructure *details, const char *name, double value) {
  gst_structure_set(details, name, G_TYPE_DOUBLE, value, nullptr);
}
void set_member(GstStructure *details, const char *name, bool value) {
  gst_structure_set(details, name, G_TYPE_BOOLEAN, static_cast<gboolean>(value), nullptr);
}

GstStructure *details_of(const Error &error) {
  GstStructure *details = gst_structure_new_empty("details");
  if (!error.task_id.empty())
    gst_structure_set(details, "task-id", G_TYPE_STRING, error.task_id.c_str(), nullptr);
  if (error.http_status != 0)
    gst_structure_set(details, "http-status", G_TYPE_UINT, error.http_status, nullptr);
  if (!error.service_message.empty())
    gst_structure_set(details, "service-message", G_TYPE_STRING, error.service_message.c_str(), nullptr);
  for (const ErrorDetail &detail : error.details)
    std::visit([&](const auto &value) { set_member(details, detail.name.c_str(), value); }, detail.value);
  return details;
}

void post(GstElement *element, GstDebugCategory *category, GstMessageType type, const Error &error) {
  if (error.kind == ErrorKind::cancelled) return;
  GST_CAT_LEVEL_LOG(category, type == GST_MESSAGE_ERROR ? GST_LEVEL_ERROR : GST_LEVEL_WARNING, element, "%s",
                    log_text(error).c_str());
  const auto [domain, code] = code_of(error.kind);
  gst_element_message_full_with_details(element, type, domain, code, g_strdup(error.text.c_str()),
                                        error.debug.empty() ? nullptr : g_strdup(error.debug.c_str()),
                                        __FILE__, GST_FUNCTION, __LINE__, details_of(error));
}

}  // namespace

void post_error(GstElement *element, GstDebugCategory *category, const Error &error) {
  post(element, category, GST_MESSAGE_ERROR, error);
}
void post_warning(GstElement *element, GstDebugCategory *category, const Error &error) {
  post(element, category, GST_MESSAGE_WARNING, error);
}

}  // namespace genclip
