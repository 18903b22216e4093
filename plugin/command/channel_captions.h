// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The options of genclip channel for captions of what it shows.
#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/command/channel_element.h"
#include "plugin/command/command_options.h"
#include "plugin/output/outputs.h"

namespace genclip {

class CaptionOptions {
 public:
  CaptionOptions();

  // Borrows this.
  void add_to(CommandOptions &options);

  // A gencaption with what was given; no element if no captions are wanted. It uses the account that
  // `channel`, the options of genchannelsrc, names. The error (settings) is a sentence.
  Result<CaptionOutput> make(const std::vector<ElementProperty> &channel) const;

 private:
  bool track_ = false, burnt_ = false;
  unsigned interval_s_ = 0;
  std::vector<ElementProperty> properties_;
};

// What gencaption says, with the options in place of the properties that it names.
std::string with_caption_options(std::string text);

}  // namespace genclip
