// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Registers genclip's elements.
#include <gst/gst.h>

#include "elements/captioner/captioner.h"
#include "elements/channelsrc/channel_src.h"
#include "elements/clipsrc/clip_src.h"
#include "plugin/base/version.h"

#define PACKAGE "genclip"

static gboolean plugin_init(GstPlugin *plugin) {
  return genclip::register_clip_src(plugin) && genclip::register_captioner(plugin) &&
         genclip::register_channel_src(plugin);
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, genclip, "Clips from a remote generation service",
                  plugin_init, GENCLIP_VERSION, "LGPL", "genclip", "Unknown package origin")
