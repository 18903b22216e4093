// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Faults as text, and which calls they happen to.
#include "examples/simulator/fault.h"

#include <gtest/gtest.h>

#include "tests/support/taken.h"

namespace genclip::sim {
namespace {

TEST(FaultText, ComesBackAsItWas) {
  for (const char *text : {"submit:hang",
                           "submit#1:status=429;retry-after=2",
                           "query#2-4:status=500;shape=detail",
                           "media#1-3:cut=100000",
                           "media#7-:throttle=20000",
                           "query:state=completed/SUCCEEDED",
                           "query:set=error:{\"code\":0}",
                           "submit#1:fail=The picture, it seems: refused.;shape=object",
                           "media:wrong-length=-5",
                           "query#1-2:no-url",
                           "submit#1:lose-answer",
                           "media:wrong-type=text/html",
                           "query:status=503;retry-after=date+30",
                           "submit:oversized=9437184",
                           "submit#2:amount=9.5",
                           "submit:no-amount",
                           "media:lag=3000;as=202;retry-after=2",
                           "media#1-3:lag=60000",
                           "query:place=task_result.videos[0].url",
                           "query#1:cover",
                           "query:cover=only",
                           "query:results=3",
                           "submit:wrapper=SUCCEED;as=code",
                           "query:move=error/base.message",
                           "query#3-:key=new",
                           "query:userinfo=a:b%40c",
                           "query:exact",
                           "query:exact=/a%7Eb.mp4?#t",
                           "media:empty",
                           "query:fail=No.;shape=base-resp"}) {
    const auto fault = parse_fault(text);
    ASSERT_TRUE(fault) << text << ": " << fault.error().text;
    EXPECT_EQ(fault_text(*fault), text);
  }
}

TEST(FaultText, SaysWhatIsWrong) {
  struct Case {
    const char *text, *complaint;
  };
  for (const auto &[text, complaint] : {
           Case{"", "must read CALL"},
           Case{"media", "must read CALL"},
           Case{"upload:hang", "submit, query, media"},
           Case{"media:explode", "changed-content"},
           Case{"media:cut", "cut=BYTES"},
           Case{"media:cut=many", "whole number"},
           Case{"media:cut=-1", "whole number"},
           Case{"submit:status=99", "from 200 to 599"},
           Case{"submit:no-range", "media only"},
           Case{"media:no-url", "query only"},
           Case{"submit:hang=3", "no argument"},
           Case{"submit#0:hang", "the third"},
           Case{"submit#3-2:hang", "the third"},
           Case{"submit#x:hang", "the third"},
           Case{"submit:status=429;retry-after=soon", "date+SECONDS"},
           Case{"submit:status=429;shape=round", "nested"},
           Case{"submit:hang;shape=string", "no option"},
           Case{"query:set=progress", "FIELD:JSON"},
           Case{"query:set=progress:{", "set: "},
           Case{"query:progress=half", "percent"},
           Case{"submit:amount=much", "number of credits"},
           Case{"submit:amount=-1", "number of credits"},
           Case{"query:amount=1", "submit only"},
           Case{"query:lag=1", "media only"},
           Case{"media:lag=1;as=soon", "404, 403, 503, 202, page, empty"},
           Case{"media:cut=1;as=404", "no option"},
           Case{"query:place=data[0]url", "data[0].url"},
           Case{"query:place=data[x]", "data[0].url"},
           Case{"query:place=.url", "data[0].url"},
           Case{"query:move=error", "FIELD/PATH"},
           Case{"query:move=error/a..b", "FIELD/PATH"},
           Case{"query:results=1", "from 2 to 9"},
           Case{"query:cover=behind", "beside, only, first"},
           Case{"query:wrapper=ok;as=list", "status, code"},
           Case{"query:scheme=f:", "such as ftp"},
           Case{"query:userinfo=kite", "USER:PASSWORD"},
           Case{"query:exact=a.mp4", "/a%7Eb.mp4"},
           Case{"query:framing=lines", "text only"},
       }) {
    const auto fault = parse_fault(text);
    ASSERT_FALSE(fault) << text;
    EXPECT_NE(fault.error().text.find(complaint), std::string::npos) << text << " -> " << fault.error().text;
  }
}

TEST(FaultScript, HappensToTheCallsThatAreNamed) {
  FaultScript script;
  for (const char *text : {"media#2-3:hang", "submit:reset", "query#1:no-url"})
    script.add(genclip::test::taken(parse_fault(text)));
  const auto count = [&](Call call, bool completed = false) { return script.take(call, completed).size(); };
  EXPECT_EQ(count(Call::media), 0u);
  EXPECT_EQ(count(Call::media), 1u);
  EXPECT_EQ(count(Call::media), 1u);
  EXPECT_EQ(count(Call::media), 0u);
  EXPECT_EQ(count(Call::submit), 1u);
  EXPECT_EQ(count(Call::submit), 1u);
  EXPECT_EQ(count(Call::query, false), 0u);
  EXPECT_EQ(count(Call::query, true), 1u) << "a query of a task that is not completed counted";
  EXPECT_EQ(count(Call::query, true), 0u);
}

}  // namespace
}  // namespace genclip::sim
