// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What an error message of GStreamer says of the server that media come from.
#pragma once

#include <gst/gst.h>

#include <string>

namespace genclip {

// A sentence without an address, which may be signed. Empty: the message is not of an element that reads over
// the network, or is about something else.
std::string server_fault(GstMessage *error);

}  // namespace genclip
