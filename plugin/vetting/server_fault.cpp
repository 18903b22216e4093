// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/vetting/server_fault.h"

#include "plugin/base/gref.h"

namespace genclip {
namespace {

bool reads_from_network(GstObject *element) {
  if (!GST_IS_URI_HANDLER(element)) return false;
  const GStringPtr uri(gst_uri_handler_get_uri(GST_URI_HANDLER(element)));
  return uri && !gst_uri_has_protocol(uri.get(), "file");
}

const GstStructure *details_of(GstMessage *error) {
  const GstStructure *details = nullptr;
  gst_message_parse_error_details(error, &details);
  return details;
}

// 0: the server has not answered.
unsigned status_in(GstMessage *error) {
  guint status = 0;
  if (const GstStructure *details = details_of(error))
    gst_structure_get_uint(details, "http-status-code", &status);
  return status;
}

// Not every source says why it stopped; all say so if it was not for what comes behind them.
bool has_failed_to_read(const GError *reason, GstMessage *error) {
  for (const auto code :
       {GST_RESOURCE_ERROR_NOT_FOUND, GST_RESOURCE_ERROR_OPEN_READ, GST_RESOURCE_ERROR_READ})
    if (g_error_matches(reason, GST_RESOURCE_ERROR, static_cast<int>(code))) return true;
  gint flow = GST_FLOW_OK;
  if (const GstStructure *details = details_of(error)) gst_structure_get_int(details, "flow-return", &flow);
  return flow == GST_FLOW_ERROR;
}

bool has_sent(GstObject *source) {
  gint64 bytes = 0;
  return gst_element_query_position(GST_ELEMENT(source), GST_FORMAT_BYTES, &bytes) && bytes > 0;
}

std::string fault_of_status(unsigned status) {
  const char *const fault = status == 404 || status == 410  ? "Its server does not have it"
                            : status >= 400 && status < 500 ? "Its server refuses it"
                                                            : "Its server cannot give it";
  return std::string(fault) + " (HTTP " + std::to_string(status) + ").";
}

}  // namespace

std::string server_fault(GstMessage *error) {
  if (!reads_from_network(GST_MESSAGE_SRC(error))) return "";
  if (const unsigned status = status_in(error); status >= 300) return fault_of_status(status);
  GErrorPtr reason;
  gst_message_parse_error(error, take(reason), nullptr);
  // A transfer that breaks off is tried again from that place.
  if (g_error_matches(reason.get(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SEEK))
    return "Its server broke the transfer off, or cannot send it from a later place on.";
  if (!has_failed_to_read(reason.get(), error)) return "";
  return has_sent(GST_MESSAGE_SRC(error)) ? "Its server broke the transfer off."
                                          : "Its server cannot be reached.";
}

}  // namespace genclip
