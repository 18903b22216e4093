// SPDX-License-Identifier: LGPL-2.1-or-later
//
// gencaption: turns video frames into captions, or text into rewritten text.
#pragma once

#include <gst/gst.h>

#include <memory>

#include "plugin/http/http_client.h"

namespace genclip {

GType captioner_get_type();

// Registers "gencaption" with the plugin; null for tests that link the element.
bool register_captioner(GstPlugin *plugin);

// For tests: sends all further requests to `http` instead of the network. In NULL or READY.
void set_captioner_http(GstElement *captioner, std::shared_ptr<HttpClient> http);

}  // namespace genclip
