// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/media_limits.h"

#include "plugin/base/number.h"
#include "plugin/catalog/wording.h"

namespace genclip {
bool Bounds::contains(double value) const {
  if (lower && (lower_inclusive ? value < *lower : value <= *lower)) return false;
  if (upper && (upper_inclusive ? value > *upper : value >= *upper)) return false;
  return true;
}

std::string Bounds::text(double unit) const {
  const std::string low = lower ? number_text(*lower / unit) : "";
  const std::string high = upper ? number_text(*upper / unit) : "";
  if (lower && upper && lower_inclusive && upper_inclusive) return low + " to " + high;
  std::string text;
  if (lower) text = (lower_inclusive ? "at least " : "above ") + low;
  if (lower && upper) text += " and ";
  if (upper) text += (upper_inclusive ? "at most " : "below ") + high;
  return text;
}

bool MediaLimits::empty() const {
  return formats.empty() && bytes.empty() && width.empty() && height.empty() && ratio.empty() &&
         duration.empty() && total_duration.empty() && frame_rate.empty();
}

std::string MediaLimits::text() const {
  std::string text;
  std::string list;
  for (const std::string &format : formats) list += (list.empty() ? "" : ", ") + format;
  if (!list.empty()) append_part(text, list + (similar_formats ? " and similar" : ""));
  if (!bytes.empty()) append_part(text, bytes.text(kBytesPerMegabyte) + " MB");
  if (width == height && !width.empty()) {
    append_part(text, "width and height " + width.text() + " pixels");
  } else {
    if (!width.empty()) append_part(text, "width " + width.text() + " pixels");
    if (!height.empty()) append_part(text, "height " + height.text() + " pixels");
  }
  if (!ratio.empty()) append_part(text, "width / height " + ratio.text());
  if (!duration.empty()) append_part(text, duration.text() + " seconds");
  if (!total_duration.empty()) append_part(text, "together " + total_duration.text() + " seconds");
  if (!frame_rate.empty()) append_part(text, frame_rate.text() + " frames a second");
  return text;
}

}  // namespace genclip
