// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Enum types with a sentence for each value, as gst-inspect-1.0 shows them.
#include "elements/clipsrc/clip_enums.h"

#include "plugin/catalog/clip_request.h"
#include "plugin/generation/clip_status.h"
#include "plugin/task/media_verdict.h"

namespace genclip {
namespace {

template <typename Enum>
constexpr int number(Enum value) {
  return static_cast<int>(value);
}

}  // namespace

GType switch_get_type() {
  static const GEnumValue values[] = {{number(Switch::model_default), "Leave it to the model", "default"},
                                      {number(Switch::on), "On", "on"},
                                      {number(Switch::off), "Off", "off"},
                                      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GenclipSwitch", values);
  return type;
}

GType api_get_type() {
  static const GEnumValue values[] = {{number(Api::automatic), "As the catalog says for the model", "auto"},
                                      {number(Api::tasks), "v2 model-center tasks", "tasks"},
                                      {number(Api::legacy), "v1 legacy videos", "legacy"},
                                      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GenclipApi", values);
  return type;
}

GType media_check_get_type() {
  static const GEnumValue values[] = {
      {number(MediaCheck::none), "Not at all", "none"},
      {number(MediaCheck::headers), "Size and type, as their servers tell", "headers"},
      {number(MediaCheck::full), "Also duration, frame size and frame rate, by their content", "full"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GenclipMediaCheck", values);
  return type;
}

GType clip_status_get_type() {
  static const GEnumValue values[] = {
      {number(ClipStatus::idle), "Nothing asked for yet", "idle"},
      {number(ClipStatus::submitting), "The request is on its way", "submitting"},
      {number(ClipStatus::queued), "The task waits its turn", "queued"},
      {number(ClipStatus::processing), "The clip is generated", "processing"},
      {number(ClipStatus::downloading), "The clip is downloaded", "downloading"},
      {number(ClipStatus::completed), "The clip is stored, whole", "completed"},
      {number(ClipStatus::failed), "It failed", "failed"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GenclipStatus", values);
  return type;
}

}  // namespace genclip
