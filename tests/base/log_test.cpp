// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A category that heeds what was asked for before it was made, and errors in one line.
#include "plugin/base/log.h"

#include <gtest/gtest.h>

#include "tests/support/log_lines.h"

namespace genclip::test {
namespace {

TEST(LogCategory, MadeLateHeedsThePatternsThatWereSetBefore) {
  LogLines log("gen*:4");
  GstDebugCategory *const category = new_log_category("genclip-log-test", "For this test");
  GST_CAT_INFO(category, "said");
  GST_CAT_DEBUG(category, "not said");
  EXPECT_EQ(log.text(), "INFO genclip-log-test: said\n");
}

TEST(LogText, SaysWhatElseIsKnownOfAnError) {
  EXPECT_EQ(log_text({ErrorKind::read, "It broke."}), "It broke.");
  EXPECT_EQ(log_text({ErrorKind::read, "It broke.", "after 3 tries", "t-1", 503}),
            "It broke. [task t-1; HTTP 503; after 3 tries]");
  EXPECT_EQ(log_text({ErrorKind::read, "It broke.", {}, {}, 503}), "It broke. [HTTP 503]");
  EXPECT_EQ(log_text({ErrorKind::read, "It broke.", "HTTP 503 Gone", {}, 503}), "It broke. [HTTP 503 Gone]");
}

TEST(LogText, IsOneLineWhateverTheServiceSays) {
  EXPECT_EQ(log_text({ErrorKind::read, "It broke.\n0:00:01 ERROR forged", "a\rb", "t\n1"}),
            "It broke. 0:00:01 ERROR forged [task t 1; a b]");
}

}  // namespace
}  // namespace genclip::test
