// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/inner_clip.h"

#include <algorithm>

#include "plugin/base/number.h"

namespace genclip {
namespace {

constexpr std::string_view kDuration = "duration";

std::optional<double> longest_duration(const ModelSpec &model) {
  const FieldSpec *field = model.find(kDuration);
  if (!field) return std::nullopt;
  std::optional<double> longest;
  if (field->max) longest = static_cast<double>(*field->max);
  for (const Json &value : field->values)
    longest = std::max(longest, value.number());  // Nothing is less than any number.
  return longest;
}

// What the clips in these fields last together at most. Nothing if another medium is among them.
std::optional<double> longest_of(const CheckedRequest &request, const std::vector<std::string> &fields) {
  double together = 0;
  for (const MediaReference &reference : request.media()) {
    if (std::ranges::find(fields, reference.field) == fields.end()) continue;
    const auto longest = reference.clip ? longest_clip_duration(*reference.clip) : std::nullopt;
    if (!longest) return std::nullopt;
    together += *longest;
  }
  return together > 0 ? std::optional(together) : std::nullopt;
}

}  // namespace

std::optional<std::string> inner_clip_problem(const ModelSpec &inner, const MediaReference &reference) {
  const bool makes_image = inner.result == ResultKind::image;
  const std::string maker = "is a clip of " + inner.id + ", which makes ";
  const std::string end = "#" + reference.part.fragment;
  if (reference.kind == MediaKind::video) {
    if (makes_image) return maker + "an image, and a video is needed here; take a model that makes videos";
    if (reference.part.is_frame)
      return "is one frame of a clip, and a whole clip is needed here; leave out " + end;
    return std::nullopt;
  }
  if (makes_image && reference.part.is_frame) return maker + "an image; leave out " + end;
  if (!makes_image && !reference.part.is_frame)
    return maker +
           "a video, and an image is needed here; add #last for its last frame, or #first or #t=SECONDS";
  return std::nullopt;
}

std::optional<std::string> unpublished_clip_problem(const MediaReference &reference,
                                                    const ReferencePolicy &policy) {
  const std::string how(kHowToPublish);
  if (policy.publishes) return std::nullopt;
  if (reference.part.is_frame) return "is a frame of a clip, which the service cannot see; " + how;
  if (policy.is_service_public) return std::nullopt;
  return "is a clip, and a service at a private address gives no public URL for it; " + how;
}

std::optional<double> clip_duration(const CheckedRequest &inner) {
  if (inner.spec().result == ResultKind::image) return std::nullopt;
  const FieldSpec *field = inner.spec().find(kDuration);
  const Json *value = inner.body().find(kDuration);
  if (!value && field) value = &field->default_value;
  const auto duration = value ? value->number() : std::nullopt;
  return duration && *duration > 0 ? duration : std::nullopt;
}

std::optional<double> longest_clip_duration(const CheckedRequest &inner) {
  if (inner.spec().result == ResultKind::image) return std::nullopt;
  if (const auto duration = clip_duration(inner)) return duration;
  auto longest = longest_duration(inner.spec());
  for (const Rule &rule : inner.spec().rules) {
    const bool limits_it = rule.kind == Rule::Kind::not_longer_than &&
                           std::ranges::find(rule.fields, kDuration) != rule.fields.end();
    const auto material = limits_it ? longest_of(inner, rule.others) : std::nullopt;
    if (material) longest = std::min(longest.value_or(*material), *material);
  }
  return longest;
}

std::optional<std::string> late_frame_problem(const CheckedRequest &inner, const ClipPart &part) {
  const auto duration = clip_duration(inner);
  const auto end = longest_clip_duration(inner);
  if (!part.time || !end) return std::nullopt;
  const double time = std::chrono::duration<double>(*part.time).count();
  if (time <= *end) return std::nullopt;
  const bool is_default = duration && !inner.body().find(kDuration);
  return "is the frame at " + counted(number_text(time), "second") + " of a clip of " +
         (duration ? "" : "at most ") + counted(number_text(*end), "second") +
         (is_default ? ", which is the default of " + inner.model() : "") + "; take an earlier one, or #last";
}

}  // namespace genclip
