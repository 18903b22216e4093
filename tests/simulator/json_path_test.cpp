// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/json_path.h"

#include <gtest/gtest.h>

namespace genclip::sim {
namespace {

TEST(JsonPath, MakesItsWay) {
  struct Case {
    const char *before, *path, *after;
  };
  for (const auto &[before, path, after] :
       {Case{"{}", "url", R"({"url":1})"}, Case{R"({"a":0})", "data[0].url", R"({"a":0,"data":[{"url":1}]})"},
        Case{"{}", "result.url[1]", R"({"result":{"url":[null,1]}})"},
        Case{R"({"a":{"b":2}})", "a.c", R"({"a":{"b":2,"c":1}})"},
        Case{R"({"a":"text"})", "a[0]", R"({"a":[1]})"}, Case{"{}", "a[1][0]", R"({"a":[null,[1]]})"}}) {
    ASSERT_TRUE(is_json_path(path)) << path;
    Json root = *Json::parse(before);
    set_at(root, path, 1);
    EXPECT_EQ(root.to_text(), after) << path;
  }
}

TEST(JsonPath, IsNamesAndIndices) {
  for (const char *path : {"", ".a", "a.", "a..b", "[0]", "a[]", "a[10]", "a[x]", "a[0]b", "a]", "a.[0]"})
    EXPECT_FALSE(is_json_path(path)) << path;
}

}  // namespace
}  // namespace genclip::sim
