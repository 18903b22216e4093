// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/alarm_teller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "plugin/base/json.h"
#include "tests/monitor/status_examples.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/taken.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

const AlarmEvent kRaised{{AlarmKind::fallback, ""}, true, "A fallback.", kNow - 60s, kNow};
const AlarmEvent kCleared{{AlarmKind::fallback, ""}, false, "A fallback.", kNow - 60s, kNow};

template <typename Condition>
bool comes_true(Condition condition) {
  for (const auto end = steady_clock::now() + 60s; steady_clock::now() < end;
       std::this_thread::sleep_for(5ms))
    if (condition()) return true;
  return false;
}

class Teller : public testing::Test {
 protected:
  std::string script(const std::string &text) const {
    std::ofstream(folder_.file("script.sh")) << text;
    return "sh " + folder_.file("script.sh") + " 'two words'";
  }
  std::string content(const std::string &name) const {
    std::ostringstream text;
    text << std::ifstream(folder_.file(name)).rdbuf();
    return text.str();
  }
  std::unique_ptr<AlarmTeller> teller(const AlarmTargets &targets) {
    return taken(AlarmTeller::make(targets, http_, clock_));
  }

  const TemporaryFolder folder_;
  FakeClock clock_;
  std::shared_ptr<FakeHttpClient> http_ = std::make_shared<FakeHttpClient>(clock_);
};

TEST_F(Teller, GivesTheCommandEachAlarmAsALineOfJson) {
  ::setenv("GENCLIP_API_KEY", "secret-key", 1);
  const auto teller =
      this->teller({.command = script("cat >> '" + folder_.file("out") + "'; env > '" + folder_.file("env") +
                                      "'; echo \"$1\" >> '" + folder_.file("words") + "'\n")});
  teller->tell({kRaised, kCleared}, "Dunes", "r-7");
  const std::string expected = alarm_json(kRaised, "Dunes", "r-7").to_text() + "\n" +
                               alarm_json(kCleared, "Dunes", "r-7").to_text() + "\n";
  EXPECT_TRUE(comes_true([&] { return content("words") == "two words\ntwo words\n"; }));
  ::unsetenv("GENCLIP_API_KEY");
  EXPECT_EQ(content("out"), expected);
  EXPECT_EQ(content("env").find("secret-key"), std::string::npos);
  EXPECT_EQ(content("env").find("fallback"), std::string::npos);
}

TEST_F(Teller, NeitherWaitsForACommandNorLetsItStay) {
  const std::string pid_file = folder_.file("pid"), told = folder_.file("told");
  const auto teller = this->teller({.command = script("cat >> '" + told + "'; if [ ! -e '" + pid_file +
                                                      "' ]; then (trap '' TERM; echo $$ > '" + pid_file +
                                                      "'; while :; do sleep 1; done) & wait; fi\n"),
                                    .command_limit = 5s});
  const auto begin = steady_clock::now();
  teller->tell({kRaised}, "Dunes", "r-7");
  EXPECT_LT(steady_clock::now() - begin, time_limit(10s));
  teller->tell({kCleared}, "Dunes", "r-7");
  EXPECT_TRUE(comes_true([&] { return content("told").find("cleared") != std::string::npos; }))
      << "the next alarm is told when the first command was killed";
}

TEST_F(Teller, EndsWithACommandUnderWay) {
  auto teller = this->teller({.command = script("echo begun > '" + folder_.file("out") + "'; sleep 60\n")});
  teller->tell({kRaised, kCleared}, "Dunes", "r-7");
  ASSERT_TRUE(comes_true([&] { return content("out") == "begun\n"; }));
  const auto begin = steady_clock::now();
  teller = nullptr;
  EXPECT_LT(steady_clock::now() - begin, time_limit(20s)) << "it sleeps for a minute";
}

// The alarm that says why a channel ends.
TEST_F(Teller, TellsTheLastAlarmsBeforeItEnds) {
  auto teller = this->teller({.command = script("sleep 1; cat >> '" + folder_.file("out") + "'\n")});
  EXPECT_TRUE(teller->finish(0ms)) << "nothing is to be told";
  teller->tell({kRaised, kCleared}, "Dunes", "r-7");
  EXPECT_FALSE(teller->finish(0ms));
  EXPECT_TRUE(teller->finish(std::chrono::seconds(60)));
  teller = nullptr;
  EXPECT_NE(content("out").find("cleared"), std::string::npos) << content("out");
}

TEST_F(Teller, PostsTheSameJson) {
  http_->expect(answer(204, ""), 2);
  const auto teller = this->teller({.url = "https://alarms.example/hook?token=x"});
  teller->tell({kRaised, kCleared}, "Dunes", "r-7");
  ASSERT_TRUE(comes_true([&] { return http_->requests().size() == 2; }));
  const auto requests = http_->requests();
  EXPECT_EQ(requests[0].request.method, HttpRequest::Method::post);
  EXPECT_EQ(requests[0].request.content_type, "application/json");
  EXPECT_EQ(requests[0].request.url, "https://alarms.example/hook?token=x");
  EXPECT_EQ(requests[0].request.body, alarm_json(kRaised, "Dunes", "r-7").to_text());
  EXPECT_EQ(requests[1].request.body, alarm_json(kCleared, "Dunes", "r-7").to_text());
  EXPECT_TRUE(requests[0].request.bearer_key.empty());
}

TEST_F(Teller, PostsAgainWhatMayYetArrive) {
  http_->expect(answer(503, ""));
  http_->expect(lost());
  http_->expect(answer(200, ""));
  http_->expect(answer(200, ""));
  const auto teller = this->teller({.url = "https://alarms.example/"});
  teller->tell({kRaised, kCleared}, "Dunes", "r-7");
  ASSERT_TRUE(comes_true([&] { return http_->requests().size() == 4; }));
  EXPECT_EQ(http_->requests()[2].request.body, http_->requests()[0].request.body);
  EXPECT_NE(http_->requests()[3].request.body, http_->requests()[0].request.body);
}

TEST_F(Teller, GivesUpAfterAFewTriesAndAtOnceForGood) {
  http_->expect(answer(503, ""), 5);
  http_->expect(answer(404, ""));
  http_->expect(answer(200, ""));
  const auto teller = this->teller({.url = "https://alarms.example/"});
  teller->tell({kRaised, kRaised, kCleared}, "Dunes", "r-7");
  ASSERT_TRUE(comes_true([&] { return http_->requests().size() == 7; }));
  EXPECT_EQ(http_->unexpected(), 0u);
  EXPECT_EQ(http_->requests().back().request.body, alarm_json(kCleared, "Dunes", "r-7").to_text());
}

TEST_F(Teller, ReachesOneTargetWhileTheOtherHangs) {
  http_->expect(hanging(), 5);
  const auto teller = this->teller(
      {.command = script("cat >> '" + folder_.file("out") + "'\n"), .url = "https://alarms.example/"});
  teller->tell({kRaised}, "Dunes", "r-7");
  EXPECT_TRUE(comes_true([&] { return content("out").ends_with("}\n"); }));
}

TEST_F(Teller, CountsWhatCouldNotBeToldAndSaysWhyUntilOneIsTold) {
  const auto teller =
      this->teller({.command = script("read line; test -e '" + folder_.file("fine") +
                                      "' || { echo 'No line to the pager' >&2; exit 3; }\n")});
  EXPECT_EQ(teller->deliveries().failed, 0u);
  teller->tell({kRaised, kCleared}, "Dunes", "r-7");
  ASSERT_TRUE(comes_true([&] { return teller->deliveries().failed == 2; }));
  EXPECT_EQ(teller->deliveries().error, "The alarm command sh failed: No line to the pager.");
  std::ofstream(folder_.file("fine")) << "";
  teller->tell({kRaised}, "Dunes", "r-7");
  EXPECT_TRUE(comes_true([&] { return teller->deliveries().error.empty(); }));
  EXPECT_EQ(teller->deliveries().failed, 2u);
}

TEST_F(Teller, SaysWithoutItsSecretsWhyAUrlWasNotTold) {
  http_->expect(answer(404, ""));
  const auto teller = this->teller({.url = "https://alarms.example/hook?token=x"});
  teller->tell({kRaised}, "Dunes", "r-7");
  ASSERT_TRUE(comes_true([&] { return teller->deliveries().failed == 1; }));
  EXPECT_EQ(teller->deliveries().error, "The alarm URL was not told: it answered HTTP 404.");
}

TEST_F(Teller, RefusesTargetsThatCannotWork) {
  for (const AlarmTargets &targets : {AlarmTargets{.command = "echo 'open"}, AlarmTargets{.command = " "},
                                      AlarmTargets{.command = "/nonexistent/pager now"},
                                      AlarmTargets{.url = "mailto:me@example.org"}, AlarmTargets{.url = "x"}})
    EXPECT_EQ(failure_of(AlarmTeller::make(targets, http_, clock_)).kind, ErrorKind::settings)
        << targets.command << targets.url;
}

TEST_F(Teller, NeedsNoTarget) {
  const auto teller = this->teller({});
  teller->tell({kRaised}, "Dunes", "r-7");
  EXPECT_EQ(http_->requests().size(), 0u);
}

}  // namespace
}  // namespace genclip::test
