// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The element genchannelsrc, as the program `genclip channel` uses it: its properties as texts.
#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"
#include "plugin/catalog/run_settings.h"
#include "plugin/command/command.h"

namespace genclip {

struct ElementProperty {
  const char *name;    // Lives as long as the type.
  const char *option;  // Of the command line; null: of the same name.
  std::string help;    // Short enough for a terminal.
  std::string text;    // What the user gave; empty: not set.
  const char *value_name = "VALUE";
  Words words = {};  // Values that it takes; empty: it has no list of them.
};

// One of genclip's own, not in a bin yet. The error says what to do if GStreamer does not find it.
Result<GRef<GstElement>> make_own_element(const char *name);

// Those that a command line can set: all that can be written, but neither the key, which other users of the
// machine would see there, nor the rundown.
std::vector<ElementProperty> channel_properties_of(GstElement *channel);

// Sets those that have a text. The error (settings) names the option and what it takes.
Result<void> set_properties(GstElement *element, const std::vector<ElementProperty> &properties);

// What of its properties matters to a request that is not sent.
RunSettings run_settings_of(GstElement *channel);

}  // namespace genclip
