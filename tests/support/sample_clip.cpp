// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Three boxes, and three chunks.
#include "tests/support/sample_clip.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <utility>

namespace genclip::test {
namespace {

std::string box(const std::string &type, const std::string &content) {
  const auto size = static_cast<uint32_t>(8 + content.size());
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift & 0xff);
  return bytes + type + content;
}

std::string made(size_t size, unsigned seed) {
  const std::string head =
      box("ftyp", std::string("isom\0\0\2\0isomiso2", 16)) + box("moov", std::string(16, '\0'));
  std::mt19937 random(seed);
  std::string noise(size - head.size() - 8, '\0');
  for (char &byte : noise) byte = static_cast<char>(random());
  return head + box("mdat", noise);
}

}  // namespace

std::string sample_mp4(size_t size, unsigned seed) {
  // A test wants the same few again and again, and noise takes time.
  static std::mutex mutex;
  static std::map<std::pair<size_t, unsigned>, std::string> known;
  const std::scoped_lock lock(mutex);
  std::string &clip = known[{size, seed}];
  if (clip.empty()) clip = made(size, seed);
  return clip;
}

std::string sample_png(size_t size) {
  const std::string head("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0\0\0\0\0", 33);
  const std::string length = {'\0', '\0', static_cast<char>(size >> 8), static_cast<char>(size & 0xff)};
  return head + length + "IDAT" + std::string(size + 4, 'x') + std::string("\0\0\0\0IENDxxxx", 12);
}

}  // namespace genclip::test
