// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Pictures that contradict their format are damaged; others are not.
#include "plugin/vetting/access_unit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes unit(const Bytes &content, unsigned length_size = 4) {
  Bytes bytes;
  for (unsigned i = length_size; i-- > 0;) bytes.push_back(static_cast<uint8_t>(content.size() >> 8 * i));
  bytes.insert(bytes.end(), content.begin(), content.end());
  return bytes;
}

Bytes joined(Bytes one, const Bytes &other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

constexpr UnitFormat kH264{false, 4}, kHevc{true, 4};
const Bytes kSlice{0x65, 0x88, 0, 0, 3, 0, 0x12};

TEST(AccessUnit, IsFineIfItsLengthsFit) {
  EXPECT_FALSE(is_damaged(kH264, unit(kSlice)));
  EXPECT_FALSE(is_damaged(kH264, joined(unit({0x67, 1}), unit(kSlice))));
  EXPECT_FALSE(is_damaged({false, 2}, unit(kSlice, 2)));
  EXPECT_FALSE(is_damaged(kHevc, unit({0x02, 1, 0x88, 0, 0, 3})));
}

TEST(AccessUnit, IsDamagedIfALengthIsWrong) {
  EXPECT_TRUE(is_damaged(kH264, unit({})));
  EXPECT_TRUE(is_damaged(kH264, Bytes(8)));
  Bytes cut = unit(kSlice);
  cut.pop_back();
  EXPECT_TRUE(is_damaged(kH264, cut));
  EXPECT_TRUE(is_damaged(kH264, Bytes{0, 0, 1}));
  EXPECT_TRUE(is_damaged(kH264, Bytes{0xFF, 0xFF, 0xFF, 0xFF, 0x65}));
}

TEST(AccessUnit, IsDamagedIfASliceHasASequenceThatIsNeverInOne) {
  for (uint8_t third = 0; third <= 2; ++third) {
    EXPECT_TRUE(is_damaged(kH264, unit({0x65, 0x88, 0, 0, third, 0x12, 1, 2, 3, 4, 5, 6, 7, 8})));
    EXPECT_TRUE(is_damaged(kHevc, unit({0x02, 0x01, 0x88, 0, 0, third, 0x12})));
  }
  EXPECT_TRUE(is_damaged(kH264, unit(joined({0x41, 0x9A}, Bytes(20))))) << "zeros to the end";
  EXPECT_FALSE(is_damaged(kH264, unit(joined({0x41, 0x9A}, Bytes(4))))) << "padding";
  EXPECT_FALSE(is_damaged(kH264, unit({0x06, 5, 0, 0, 0, 1}))) << "no slice";
}

TEST(AccessUnit, HasAFormatOnlyWhereUnitsHaveLengths) {
  const auto format = [](const std::string &text) {
    const auto caps = GRef<GstCaps>::adopt(gst_caps_from_string(text.c_str()));
    return unit_format(caps.get());
  };
  const auto h264 = format("video/x-h264,stream-format=avc,codec_data=(buffer)0164001fffe1");
  ASSERT_TRUE(h264);
  EXPECT_EQ(h264->length_size, 4u);
  EXPECT_FALSE(h264->is_hevc);
  const auto hevc =
      format("video/x-h265,stream-format=hvc1,codec_data=(buffer)01" + std::string(40, '0') + "fd");
  ASSERT_TRUE(hevc);
  EXPECT_EQ(hevc->length_size, 2u);
  EXPECT_TRUE(hevc->is_hevc);
  EXPECT_FALSE(format("video/x-h264,stream-format=avc,codec_data=(buffer)0164"));
  EXPECT_FALSE(format("video/x-h264,stream-format=byte-stream,codec_data=(buffer)0164001fffe1"));
  EXPECT_FALSE(format("video/x-h264,stream-format=avc"));
  EXPECT_FALSE(format("video/x-vp9"));
}

}  // namespace
}  // namespace genclip
