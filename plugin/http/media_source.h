// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Media that GStreamer fetches itself go the way of everything else that is fetched: by the same proxy, with
// the same trust, under the same name.
#pragma once

#include <gst/gst.h>

#include <string>

#include "plugin/base/result.h"
#include "plugin/http/http_client.h"

namespace genclip {

struct MediaAccess {
  HttpSettings http;
  std::string user_agent;  // Empty: genclip/VERSION.
};

// For `source-setup` of a uridecodebin. Only GStreamer's HTTP source is changed, and what is on this machine
// comes without the proxy. An error (settings): the proxy or the CA file cannot be used, or the source cannot
// log in to the proxy; then it fails and asks nobody, because it would go around them. May read the CA file.
Result<void> set_up_media_source(GstElement *source, const MediaAccess &access);

}  // namespace genclip
