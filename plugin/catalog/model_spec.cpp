// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/model_spec.h"

#include <algorithm>

namespace genclip {

std::optional<MediaKind> media_kind(FieldType type) {
  switch (type) {
    case FieldType::images: return MediaKind::image;
    case FieldType::videos: return MediaKind::video;
    case FieldType::audios: return MediaKind::audio;
    default: return std::nullopt;
  }
}

const FieldSpec *find_field(const std::vector<FieldSpec> &fields, std::string_view name) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const FieldSpec &spec) { return spec.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

bool has_legacy_duration(const ModelSpec *model) {
  return !model ||
         (std::ranges::find(model->apis, Api::legacy) != model->apis.end() && !model->find(kLegacyDuration));
}

}  // namespace genclip
