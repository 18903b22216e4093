// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What can be the ID of a task, and what people give in its place.
#include "plugin/task/task_id.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace genclip::test {
namespace {

using testing::HasSubstr;

TEST(TaskId, MayBeAlmostAnything) {
  for (const char *id :
       {"task_01HZX", "4711", "t/7", "a.b-c_d", "projects/p/operations/7", "9a8cbe9e", "ünï", "a:b", ""})
    EXPECT_EQ(task_id_problem(id), "") << id;
}

TEST(TaskId, IsNoPath) {
  for (const char *path : {"/home/me/x.mp4", "./x", "../x", "~/x", "clips/x.mp4", "kite.png"})
    EXPECT_THAT(task_id_problem(path), HasSubstr("the path of a file, not the ID of a task")) << path;
}

TEST(TaskId, IsNoUri) {
  EXPECT_THAT(task_id_problem("genclip://dance-2.5?prompt=x"), HasSubstr("which genclip generate takes"));
  EXPECT_THAT(task_id_problem("https://media.example/x"), HasSubstr("is a URI, not the ID of a task"));
}

TEST(TaskId, HasNoBlanks) {
  for (const char *text : {"a red kite", "t-7\n", "a\tb"})
    EXPECT_THAT(task_id_problem(text), HasSubstr("a text with blanks")) << text;
}

}  // namespace
}  // namespace genclip::test
