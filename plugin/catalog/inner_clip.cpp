// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/inner_clip.h"

#include "plugin/base/number.h"

namespace genclip {

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

std::optional<std::string> late_frame_problem(const CheckedRequest &inner, const ClipPart &part) {
  const Json *asked = inner.body().find("duration");
  const auto duration = asked ? asked->number() : std::nullopt;
  if (!part.time || !duration || *duration <= 0) return std::nullopt;
  const double time = std::chrono::duration<double>(*part.time).count();
  if (time <= *duration) return std::nullopt;
  return "is the frame at " + counted(number_text(time), "second") + " of a clip of " +
         counted(number_text(*duration), "second") + "; take an earlier one, or #last";
}

}  // namespace genclip
