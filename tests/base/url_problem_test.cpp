// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Texts that can be the URL of something, and those that cannot.
#include "plugin/base/url_problem.h"

#include <gtest/gtest.h>

namespace genclip::test {
namespace {

std::string told(std::string_view url) { return url_problem(url).value_or(""); }

TEST(UrlProblem, IsABlankOrAControlCharacterAnywhere) {
  for (const char *url : {"http://a b", "http://h /x", "http://h\n/x", "http://h/x y", " http://h",
                          "http://h/\x01", "http://h/x\t", "http://h/\x7f"})
    EXPECT_EQ(told(url).find("contains a blank or a control character"), 0u) << url;
}

TEST(UrlProblem, IsAHostThatNobodyCanHave) {
  for (const char *url : {"http://", "http:///x", "http://.../", "http://./x", "http://.h/x",
                          "http://m..example/x", "http://h../", "http://:80/", "http://h:x/", "h/x", ""})
    EXPECT_EQ(told(url).find("is not a complete URL"), 0u) << url;
  EXPECT_EQ(told("http://h:0/x").find("names port 0"), 0u);
}

TEST(UrlProblem, IsNoneOfWhatServersDo) {
  for (const char *url : {"http://h", "https://media.example./x", "http://[::1]:8080/x", "http://127.0.0.1/",
                          "https://m_x.example/%FF%00?a=%zz#t", "https://h/\xC3\xA9", "http://h:65535",
                          "https://b\xC3\xBC"
                          "cher.example/"})
    EXPECT_EQ(told(url), "") << url;
}

}  // namespace
}  // namespace genclip::test
