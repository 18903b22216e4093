// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What tasks cost by a price list, and the account that the simulator keeps of it.
#include <gtest/gtest.h>

#include "plugin/base/durable_file.h"
#include "tests/simulator/web.h"
#include "tests/support/temporary_folder.h"

namespace genclip::sim::test {
namespace {

constexpr auto kAtOnce = std::chrono::milliseconds(0);

class Prices : public ::testing::Test {
 protected:
  Result<void> begin(const std::string &prices) {
    const std::string file = folder_.path() + "/prices.json";
    if (const auto written = write_durably(FileSystem::posix(), file, prices); !written) return written;
    simulator_ = std::make_unique<Simulator>(
        SimulatorOptions{.queued = kAtOnce, .processing = kAtOnce, .clip_bytes = "x", .price_file = file});
    return simulator_->start();
  }
  void begin_well(const std::string &prices) {
    const auto begun = begin(prices);
    ASSERT_TRUE(begun) << begun.error().text;
  }
  Json finished(Json::Object request) {
    request.emplace_back("prompt", "a kite");
    return finished_task(*simulator_, Json(std::move(request)));
  }
  // -1: the answer has no amount.
  double amount(Json::Object request) {
    const Json task = finished(std::move(request));
    const Json *amount = task.find("amount");
    return amount ? amount->number().value_or(-2) : -1;
  }
  Json account() {
    const std::string base = simulator_->base_url();
    return ask("GET", base.substr(0, base.rfind('/')) + "/_sim/account").json();
  }
  double spent() { return account().find("spent")->number().value_or(-1); }
  std::string account_of(size_t task, const char *member) {
    return (*account().find("tasks")->array())[task].find(member)->to_text();
  }
  void fault(const std::string &text) {
    const auto added = simulator_->add_fault(text);
    ASSERT_TRUE(added) << added.error().text;
  }

  genclip::test::TemporaryFolder folder_;
  std::unique_ptr<Simulator> simulator_;
};

TEST_F(Prices, TheFirstThatFitsApplies) {
  begin_well(R"({"prices":[
      {"model":"dance-2.5","resolution":"480p","duration":4,"amount":2},
      {"model":"dance-2.5","resolution":"720p","per_second":0.75},
      {"model":"dance-2.5","duration":6,"amount":7},
      {"model":"sky2Stable","amount":3.5},
      {"duration":9,"amount":40},
      {"per_second":100},
      {"amount":0.25}]})");
  EXPECT_EQ(amount({{"model", "dance-2.5"}, {"duration", 4}}), 2) << "480p is the first that it has";
  EXPECT_EQ(amount({{"model", "dance-2.5"}, {"duration", 4}, {"resolution", "480p"}}), 2);
  EXPECT_EQ(amount({{"model", "dance-2.5"}, {"duration", 8}, {"resolution", "720p"}}), 6);
  EXPECT_EQ(amount({{"model", "dance-2.5"}, {"duration", 6}}), 7);
  EXPECT_EQ(amount({{"model", "dance-2.5"}, {"duration", 9}}), 40);
  EXPECT_EQ(amount({{"model", "dance-2.5"}, {"duration", 5}}), 500);
  EXPECT_EQ(amount({{"model", "dream-5.0"}}), 0.25) << "an image has no seconds";
  EXPECT_EQ(spent(), 2 + 2 + 6 + 7 + 40 + 500 + 0.25);
}

TEST_F(Prices, WhatNoneFitsCostsAsWithoutAList) {
  begin_well(R"({"prices":[{"model":"dance-2.5","duration":4,"amount":2}]})");
  const double listed = amount({{"model", "dance-2.5"}, {"duration", 4}});
  const double other = amount({{"model", "dance-2.5"}, {"duration", 5}});
  Simulator without({.queued = kAtOnce, .processing = kAtOnce, .clip_bytes = "x"});
  ASSERT_TRUE(without.start());
  const Json task =
      finished_task(without, Json::Object{{"model", "dance-2.5"}, {"prompt", "a"}, {"duration", 5}});
  EXPECT_EQ(listed, 2);
  EXPECT_EQ(other, task.find("amount")->number());
  EXPECT_GT(other, 0);
}

TEST_F(Prices, AFailedTaskCostsNothingUnlessTheListSaysSo) {
  begin_well(R"({"prices":[{"amount":3}]})");
  fault("submit#1:fail=No.");
  EXPECT_EQ(amount({{"model", "dance-2.5"}}), -1);
  EXPECT_EQ(spent(), 0);
  EXPECT_EQ(account_of(0, "cost"), "0.0");
  EXPECT_EQ(account_of(0, "status"), "\"failed\"");
  begin_well(R"({"charge_failures":true,"prices":[{"amount":3}]})");
  fault("submit#1:fail=No.");
  EXPECT_EQ(amount({{"model", "dance-2.5"}}), 3);
  EXPECT_EQ(spent(), 3);
}

TEST_F(Prices, ATaskCanCostSomethingElseAndCanKeepItsAmountToItself) {
  begin_well(R"({"prices":[{"amount":3}]})");
  fault("submit#1:amount=9.5");
  fault("submit#2:no-amount");
  EXPECT_EQ(amount({{"model", "dance-2.5"}}), 9.5);
  EXPECT_EQ(amount({{"model", "dance-2.5"}}), -1);
  EXPECT_EQ(amount({{"model", "dance-2.5"}}), 3);
  EXPECT_EQ(spent(), 9.5 + 3 + 3);
  EXPECT_EQ(account_of(0, "told"), "true");
  EXPECT_EQ(account_of(1, "told"), "false");
  EXPECT_EQ(account_of(1, "cost"), "3.0");
}

TEST_F(Prices, TheAccountHasEachTaskInItsOrderAndTheCostOfThoseThatHaveEnded) {
  begin_well(R"({"prices":[{"amount":3}]})");
  const Json first = finished({{"model", "dance-2.5"}, {"duration", 5}});
  fault("submit#1:lose-answer");
  const std::string url = simulator_->base_url() + "/v2/model-center/tasks";
  EXPECT_TRUE(ask_api("POST", url, R"({"model":"dream-5.0","prompt":"a"})").was_reset);
  const Json tasks = *account().find("tasks");
  ASSERT_EQ(tasks.array()->size(), 2u) << "a task whose answer is lost costs, too";
  EXPECT_EQ(account_of(0, "id"), first.find("id")->to_text());
  EXPECT_EQ(account_of(0, "model"), "\"dance-2.5\"");
  EXPECT_EQ(account_of(0, "duration"), "5");
  EXPECT_EQ(account_of(0, "resolution"), "\"480p\"");
  EXPECT_EQ(account_of(1, "model"), "\"dream-5.0\"");

  Simulator slow({.queued = std::chrono::hours(1), .clip_bytes = "x"});
  ASSERT_TRUE(slow.start());
  ask_api("POST", slow.base_url() + "/v2/model-center/tasks", R"({"model":"dance-2.5","prompt":"a"})");
  const std::string base = slow.base_url();
  const Json running = ask("GET", base.substr(0, base.rfind('/')) + "/_sim/account").json();
  EXPECT_EQ(running.find("spent")->number(), 0);
  EXPECT_TRUE((*running.find("tasks")->array())[0].find("cost")->is_null());
}

TEST_F(Prices, SayWhatIsWrongWithTheirFile) {
  struct Case {
    const char *text, *complaint;
  };
  for (const auto &[text, complaint] : {
           Case{"", "JSON"},
           Case{"[]", "an object"},
           Case{"{}", "prices must be an array"},
           Case{R"({"prices":{}})", "prices must be an array"},
           Case{R"({"prices":[],"price":[]})", "no member \"price\""},
           Case{R"({"prices":[],"prices":[]})", "repeated"},
           Case{R"({"prices":[],"charge_failures":1})", "true or false"},
           Case{R"({"prices":[3]})", "price 1: an object"},
           Case{R"({"prices":[{"amount":1},{}]})", "price 2: either amount or per_second"},
           Case{R"({"prices":[{"amount":1,"per_second":1}]})", "either"},
           Case{R"({"prices":[{"amount":-1}]})", "amount must be"},
           Case{R"({"prices":[{"amount":"1"}]})", "amount must be"},
           Case{R"({"prices":[{"per_second":1e300}]})", "per_second must be"},
           Case{R"({"prices":[{"amount":1,"model":"dance"}]})", "no model \"dance\""},
           Case{R"({"prices":[{"amount":1,"model":3}]})", "no model 3"},
           Case{R"({"prices":[{"amount":1,"duration":0}]})", "duration must be"},
           Case{R"({"prices":[{"amount":1,"duration":"4"}]})", "duration must be"},
           Case{R"({"prices":[{"amount":1,"resolution":720}]})", "resolution must be"},
           Case{R"({"prices":[{"amount":1,"model":"dance-2.5","resolution":"721p"}]})", "it has 480p, 720p"},
           Case{R"({"prices":[{"amount":1,"model":"dream-5.0","duration":4}]})", "makes images"},
           Case{R"({"prices":[{"per_second":1,"model":"dream-5.0"}]})", "makes images"},
           Case{R"({"prices":[{"amount":1,"seconds":4}]})", "no member \"seconds\""},
       }) {
    const auto begun = begin(text);
    ASSERT_FALSE(begun) << text;
    EXPECT_NE(begun.error().text.find(complaint), std::string::npos) << text << " -> " << begun.error().text;
    EXPECT_NE(begun.error().text.find("prices.json"), std::string::npos) << begun.error().text;
  }
}

}  // namespace
}  // namespace genclip::sim::test
