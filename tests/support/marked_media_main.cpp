// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Makes media with marks for tests in other languages: marked-media FILE [MEMBER=VALUE]..., where the members
// are those of MarkedMedia. A FILE that ends with .png, .jpg or .webp becomes a still.
#include <cstdio>
#include <functional>
#include <map>

#include "tests/support/marks.h"

namespace {

int make(const std::string &path, int count, char **words) {
  genclip::test::MarkedMedia media;
  const auto number = [](unsigned &to) {
    return [&to](const std::string &value) { to = static_cast<unsigned>(std::stoul(value)); };
  };
  const auto real = [](double &to) { return [&to](const std::string &value) { to = std::stod(value); }; };
  const auto text = [](std::string &to) { return [&to](const std::string &value) { to = value; }; };
  const std::map<std::string, std::function<void(const std::string &)>> members = {
      {"clip", number(media.clip)},
      {"frames", number(media.frames)},
      {"rate", text(media.rate)},
      {"size", text(media.size)},
      {"pattern", text(media.pattern)},
      {"video", text(media.video)},
      {"muxer", text(media.muxer)},
      {"audio", text(media.audio)},
      {"audio_delay", number(media.audio_delay)},
      {"audio_seconds", real(media.audio_seconds)},
      {"tone", real(media.tone)},
      {"channels", number(media.channels)},
  };
  for (int i = 0; i < count; ++i) {
    const std::string word = words[i];
    const size_t equals = word.find('=');
    const auto member = members.find(word.substr(0, equals));
    if (equals == word.npos || member == members.end()) {
      std::fprintf(stderr, "marked-media: %s?\n", word.c_str());
      return 2;
    }
    member->second(word.substr(equals + 1));
  }
  for (const auto &[end, encoder] : {std::pair(".png", "pngenc"), {".jpg", "jpegenc"}, {".webp", "webpenc"}})
    if (path.ends_with(end)) {
      genclip::test::make_marked_still(path, media.clip, encoder, media.size);
      return 0;
    }
  genclip::test::make_marked_media(path, media);
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(nullptr, nullptr);
  if (argc < 2) {
    std::fputs("marked-media FILE [MEMBER=VALUE]...\n", stderr);
    return 2;
  }
  return make(argv[1], argc - 2, argv + 2);
}
