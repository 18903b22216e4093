// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The channel's logo, blended into pictures.
#pragma once

#include <gst/video/video.h>

#include <memory>
#include <string>
#include <vector>

#include "elements/channelsrc/decoded_clip.h"

namespace genclip {

// Not thread-safe.
class Logo {
 public:
  // `uri`: empty: there is none.
  Logo(std::string uri, Corner corner, const GstVideoInfo &form, MediaAccess access);
  ~Logo();
  Logo(const Logo &) = delete;
  Logo &operator=(const Logo &) = delete;

  void open();
  void close();
  // The picture with the logo; the picture itself as long as there is none.
  GRef<GstBuffer> over(GRef<GstBuffer> picture);
  const std::string &problem() const { return problem_; }

 private:
  void look();

  const std::string uri_;
  const Corner corner_;
  const GstVideoInfo form_;
  const MediaAccess access_;
  std::shared_ptr<DecodedClip> loading_;
  GstVideoOverlayComposition *composition_ = nullptr;
  std::string problem_;
};

}  // namespace genclip
