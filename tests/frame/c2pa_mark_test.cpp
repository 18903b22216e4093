// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Content credentials in a file: found where the formats have them, and nowhere else.
#include "plugin/frame/c2pa_mark.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace genclip {
namespace {

bool is_marked(const std::string &bytes) {
  return has_c2pa_mark(
      [&](uint64_t offset, void *target, size_t size) {
        if (offset > bytes.size() || bytes.size() - offset < size) return false;
        std::memcpy(target, bytes.data() + offset, size);
        return true;
      },
      bytes.size());
}

std::string mark_number(uint64_t number, int bytes) {
  std::string text;
  while (bytes-- > 0) text += static_cast<char>(number >> (8 * bytes));
  return text;
}

std::string mark_box(const std::string &type, const std::string &content) {
  return mark_number(content.size() + 8, 4) + type + content;
}

const std::string kUuid("\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81", 16);
const std::string kBegin = mark_box("ftyp", "isom0000");

TEST(C2paMark, IsTheBoxOfAnMp4) {
  EXPECT_TRUE(is_marked(kBegin + mark_box("uuid", kUuid + "manifest") + mark_box("mdat", "xx")));
  EXPECT_FALSE(is_marked(kBegin + mark_box("mdat", mark_box("uuid", kUuid))));
  for (size_t at : {size_t{0}, size_t{7}, size_t{8}, size_t{15}}) {
    std::string other = kUuid;
    other[at] ^= 1;
    EXPECT_FALSE(is_marked(kBegin + mark_box("uuid", other))) << at;
  }
  EXPECT_FALSE(is_marked(kBegin + mark_box("uuid", kUuid.substr(0, 12))));
}

TEST(C2paMark, IsTheChunkOfAPng) {
  const auto chunk = [](const std::string &type, const std::string &data) {
    return mark_number(data.size(), 4) + type + data + "crc!";
  };
  const std::string begin = std::string("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", "0123456789abc");
  EXPECT_TRUE(is_marked(begin + chunk("caBX", "x")));
  EXPECT_FALSE(is_marked(begin + chunk("tEXt", "caBX")));
}

TEST(C2paMark, IsTheSegmentOfAJpeg) {
  const auto segment = [](char kind, const std::string &data) {
    return std::string("\xff") + kind + mark_number(data.size() + 2, 2) + data;
  };
  EXPECT_TRUE(is_marked("\xff\xd8" + segment('\xe0', "JFIF-----") + segment('\xeb', "JP----jumb")));
  EXPECT_FALSE(is_marked("\xff\xd8" + segment('\xeb', "other one")));
  EXPECT_FALSE(is_marked("\xff\xd8" + segment('\xda', "pixels--") + segment('\xeb', "JP----jumb")));
}

TEST(C2paMark, IsNotInACutOrForeignFile) {
  const std::string whole = kBegin + mark_box("uuid", kUuid);
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(is_marked(whole.substr(0, size))) << size;
  EXPECT_FALSE(is_marked(std::string(100, '\xff')));
}

}  // namespace
}  // namespace genclip
