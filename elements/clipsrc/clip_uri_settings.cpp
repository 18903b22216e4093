// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The way back of request_of().
#include "elements/clipsrc/clip_uri_settings.h"

#include <algorithm>

#include "elements/structure_json.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

std::string text_of(const ClipRequest &request, const char *name) {
  const Json *value = request.fields.find(name);
  return value && value->string() ? *value->string() : std::string();
}

int64_t integer_of(const ClipRequest &request, const char *name, int64_t otherwise) {
  const Json *value = request.fields.find(name);
  return value && value->integer() ? *value->integer() : otherwise;
}

Switch switch_of(const ClipRequest &request, const char *name) {
  const Json *value = request.fields.find(name);
  if (!value || !value->boolean()) return Switch::model_default;
  return *value->boolean() ? Switch::on : Switch::off;
}

std::vector<std::string> list_of(const ClipRequest &request, const char *name) {
  std::vector<std::string> list;
  const Json *value = request.fields.find(name);
  if (value && value->array())
    for (const Json &item : *value->array())
      if (item.string()) list.push_back(*item.string());
  return list;
}

std::string first_of(const ClipRequest &request, const char *name) {
  const auto list = list_of(request, name);
  return list.empty() ? std::string() : list.front();
}

std::string property_of(std::string field) {
  std::replace(field.begin(), field.end(), '_', '-');
  return field;
}

void replace_request(const ClipRequest &request, ClipSettings &settings) {
  settings.model = request.model;
  settings.api = request.api;
  settings.take = request.take;
  settings.prompt = text_of(request, "prompt");
  settings.duration = static_cast<unsigned>(integer_of(request, "duration", 0));
  settings.aspect_ratio = text_of(request, "aspect_ratio");
  settings.resolution = text_of(request, "resolution");
  settings.size = text_of(request, "size");
  settings.reference_mode = text_of(request, "reference_mode");
  settings.seed = integer_of(request, "seed", -1);
  settings.generate_audio = switch_of(request, "generate_audio");
  settings.watermark = switch_of(request, "watermark");
  settings.first_image = first_of(request, "first_image");
  settings.last_image = first_of(request, "last_image");
  settings.reference_images = list_of(request, "reference_images");
  settings.reference_videos = list_of(request, "reference_videos");
  settings.reference_audios = list_of(request, "reference_audios");
  settings.extra_params = structure_of(request.extra);
}

}  // namespace

Result<void> settings_from(const ClipRequest &request, ClipSettings &settings) {
  ClipSettings replaced = settings;
  replace_request(request, replaced);
  const ClipRequest back = request_of(replaced);
  const auto lost = [](const Json &fields, const Json &kept) -> const Json::Member * {
    for (const auto &member : *fields.object()) {
      const Json *value = kept.object() ? kept.find(member.first) : nullptr;
      if (!value || !(*value == member.second)) return &member;
    }
    return nullptr;
  };
  if (const auto *field = lost(request.fields, back.fields))
    return Error{ErrorKind::settings, field->first + " is " + shown(field->second) +
                                          ", for which the property " + property_of(field->first) +
                                          " has no room."};
  if (const auto *field = lost(request.extra, back.extra))
    return Error{ErrorKind::settings, field->first + " is " + shown(field->second) +
                                          ", for which the property extra-params has no room."};
  settings = std::move(replaced);
  return {};
}

}  // namespace genclip
