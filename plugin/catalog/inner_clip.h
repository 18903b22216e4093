// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether a media field takes what the request inside a genclip URI makes.
#pragma once

#include <optional>
#include <string>

#include "plugin/catalog/check_request.h"
#include "plugin/catalog/media_reference.h"
#include "plugin/catalog/model_spec.h"

namespace genclip {

// `inner` is the model of the inner request. The text begins with a verb, as that of read_reference().
std::optional<std::string> inner_clip_problem(const ModelSpec &inner, const MediaReference &reference);

// Why the service could not fetch the clip or its frame in this run.
std::optional<std::string> unpublished_clip_problem(const MediaReference &reference,
                                                    const ReferencePolicy &policy);

// How many seconds the clip will last: what the request asks for, else the model's documented default.
// Nothing for a picture, or when neither of them tells.
std::optional<double> clip_duration(const CheckedRequest &inner);

// Models make clips whose length is some frames off: so many seconds at most.
inline constexpr double kOffInLength = 0.5;

// How many seconds it can last at most: that, or what the model's longest clip has, or the clips that it is
// made of, if nothing is longer than these. Nothing if none of them tells.
std::optional<double> longest_clip_duration(const CheckedRequest &inner);

// The problem of a frame that is later than the end of the clip, or than that of the longest that it can be.
std::optional<std::string> late_frame_problem(const CheckedRequest &inner, const ClipPart &part);

}  // namespace genclip
