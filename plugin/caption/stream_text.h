// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What gencaption says of a budget that is used up ends with what becomes of its stream. The captions of a
// film are no stream: they are written all at once, or not at all.
#pragma once

#include <string>
#include <string_view>

namespace genclip {

inline constexpr std::string_view kStreamContinues = " The stream continues without captions.";

inline std::string without_stream(std::string text) {
  if (text.ends_with(kStreamContinues)) text.resize(text.size() - kStreamContinues.size());
  return text;
}

}  // namespace genclip
