// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which sounds a channel can make.
#pragma once

#include <gst/audio/audio.h>

#include <string>

namespace genclip {

// Why a channel cannot make sounds of these caps; empty: it can, and `form` is filled. Follows the name of
// the caps.
inline std::string sound_caps_problem(const GstCaps *caps, GstAudioInfo &form) {
  constexpr int kLeastRate = 1000;  // Hz. Elements that convert sound fail below.
  const bool is_sound = caps && gst_caps_is_fixed(caps) && gst_audio_info_from_caps(&form, caps) &&
                        form.layout == GST_AUDIO_LAYOUT_INTERLEAVED && form.rate >= kLeastRate;
  if (!is_sound)
    return " must be raw, interleaved audio of one format, rate (1000 Hz or more) and number of channels.";
  // No sound of a clip can be converted to such channels.
  if (form.channels > 2 && GST_AUDIO_INFO_IS_UNPOSITIONED(&form))
    return " must say with channel-mask where more than two channels are.";
  return "";
}

}  // namespace genclip
