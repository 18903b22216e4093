// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Texts of gencaption name the options of the command line.
#include "plugin/command/channel_captions.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

TEST(ChannelCaptions, NameTheOptionsInPlaceOfTheProperties) {
  EXPECT_EQ(with_caption_options("The budget of max-requests is used up."),
            "The budget of --caption-max-requests is used up.");
  EXPECT_EQ(with_caption_options("latency is 4000 ms; set latency to 5000."),
            "latency is 4000 ms; set --caption-latency to 5000.");
  EXPECT_EQ(with_caption_options("The model stopped at its output limit; raise max-output-tokens."),
            "The model stopped at its output limit; raise --caption-max-output-tokens.");
  EXPECT_EQ(with_caption_options("The limit requests-per-day is reached."),
            "The limit requests-per-day is reached.");
}

}  // namespace
}  // namespace genclip
