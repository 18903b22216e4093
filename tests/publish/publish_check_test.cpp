// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A published URL must answer with the file's size before anything is paid.
#include "plugin/publish/publish_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/base/gref.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

FakeAnswer sized(unsigned size) {
  return answer(200, "", {{"Content-Length", std::to_string(size)}, {"Content-Type", "image/png"}});
}

class PublishCheckTest : public testing::Test {
 protected:
  Result<void> check(GCancellable *cancellable = nullptr) {
    return check_public_url(http_, clock_, "https://media.example/a.png?sig=SECRET", 100, cancellable);
  }

  FakeClock clock_;
  FakeHttpClient http_{clock_};
};

TEST_F(PublishCheckTest, IsOneRequestWhenTheCopyIsThere) {
  http_.expect(sized(100));
  EXPECT_TRUE(check());
  EXPECT_EQ(http_.count(HttpRequest::Method::head), 1u);
  EXPECT_EQ(clock_.elapsed(), 0s);
}

TEST_F(PublishCheckTest, GivesAnUploadTimeToAppear) {
  http_.expect(answer(404, ""), 2);  // A HEAD and a GET.
  http_.expect(sized(60));
  http_.expect(not_sent(), 2);
  http_.expect(sized(100));
  EXPECT_TRUE(check());
  EXPECT_EQ(http_.left(), 0u);
}

TEST_F(PublishCheckTest, EndsAfterFiveSecondsAndNamesTheSettingThatSkipsIt) {
  http_.otherwise([](const HttpRequest &) { return answer(404, ""); });
  const Error error = failure_of(check());
  EXPECT_EQ(error.kind, ErrorKind::open_read);
  EXPECT_THAT(error.text, AllOf(HasSubstr("https://media.example/a.png"), HasSubstr("answers HTTP 404"),
                                HasSubstr("publish-check=none"), Not(HasSubstr("SECRET"))));
  EXPECT_GE(clock_.elapsed(), 4s);
  EXPECT_LE(clock_.elapsed(), 6s);
}

TEST_F(PublishCheckTest, SaysWhyOfAHostThatCannotBeReachedInOneSentence) {
  http_.otherwise([](const HttpRequest &) { return not_sent("Check whether the service runs."); });
  EXPECT_THAT(failure_of(check()).text, HasSubstr("Check whether the service runs. Correct publish-url"));
}

TEST_F(PublishCheckTest, WantsTheSizeOfTheFile) {
  http_.otherwise([](const HttpRequest &) { return sized(99); });
  EXPECT_THAT(failure_of(check()).text, HasSubstr("has 99 bytes, but the file has 100"));
}

TEST_F(PublishCheckTest, WantsASize) {
  http_.otherwise([](const HttpRequest &) { return answer(200, "x", {{"Content-Type", "image/png"}}); });
  EXPECT_THAT(failure_of(check()).text, HasSubstr("does not tell its size"));
}

TEST_F(PublishCheckTest, EndsWhenItIsCancelled) {
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  http_.otherwise([](const HttpRequest &) { return answer(404, ""); });
  http_.before_answer([&](const HttpRequest &) { g_cancellable_cancel(cancellable.get()); });
  EXPECT_EQ(failure_of(check(cancellable.get())).kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace genclip::test
