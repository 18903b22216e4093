// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/channel_status.h"

#include <glib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/base/version.h"
#include "tests/monitor/status_examples.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

bool is_json_text(const ChannelStatus &status) {
  return static_cast<bool>(Json::parse(status_json(status).to_text()));
}

TEST(ItemReasons, AreThoseOfTheLastStates) {
  ItemReasons reasons;
  reasons.take("kite", "waiting", "The budget is spent.");
  reasons.take("news", "failed", "The task failed.");
  EXPECT_EQ(reasons.reason_of("kite", "waiting"), "The budget is spent.");
  EXPECT_EQ(reasons.reason_of("kite", "cued"), "") << "of a turn before";
  EXPECT_EQ(reasons.reason_of("card", "waiting"), "");
  reasons.take("kite", "waiting", "The quota is spent.");
  EXPECT_EQ(reasons.reason_of("kite", "waiting"), "The quota is spent.");
  reasons.take("kite", "waiting", "");
  EXPECT_EQ(reasons.reason_of("kite", "waiting"), "");
  EXPECT_EQ(reasons.reason_of("news", "failed"), "The task failed.");
}

TEST(ItemReasons, AreForgottenOnceManyOthersWereTold) {
  ItemReasons reasons;
  const auto tell = [&](size_t number) { reasons.take(std::to_string(number), "failed", "It failed."); };
  for (size_t number = 0; number <= ItemReasons::kMost; ++number) {
    tell(number);
    tell(1);  // Again and again, which is one.
  }
  EXPECT_EQ(reasons.reason_of("0", "failed"), "");
  for (size_t number = 1; number <= ItemReasons::kMost; ++number)
    EXPECT_EQ(reasons.reason_of(std::to_string(number), "failed"), "It failed.") << number;
}

TEST(StatusJson, SaysAllThatIsKnown) {
  const Json json = taken(Json::parse(status_json(example_status()).to_text()));
  EXPECT_EQ(
      json.to_text(),
      R"({"channel":"Dunes","run":"r-7","at":"2026-11-22T20:30:00.000Z",)"
      R"("started_at":"2026-11-22T19:28:59.000Z","uptime":3661.0,"frames_per_second":25.0,)"
      R"("now":{"id":"kite","title":"Red kite","kind":"clip","frame":91500,"duration_frames":150,)"
      R"("source":"genclip://dance-2.5?prompt=a%20red%20kite","since":"2026-11-22T20:29:58.000Z"},)"
      R"("next":{"id":"news","title":"News","kind":"clip","frame":91650,"duration_frames":750,)"
      R"("source":"file:///media/news.mp4","since":"2026-11-22T20:30:04.000Z"},)"
      R"("ahead":[{"id":"news","title":"News","state":"cued","reason":null,)"
      R"("start":"2026-11-22T20:30:04.000Z","duration":30.0},)"
      R"({"id":"noon","title":"Noon","state":"generating","reason":null,)"
      R"("start":"2026-11-22T20:30:34.000Z","duration":null},)"
      R"({"id":"card","title":null,"state":"failed","reason":"The task failed.",)"
      R"("start":"2026-11-22T20:30:40.000Z","duration":5.0},)"
      R"({"id":"late","title":"Late","state":"planned","reason":null,)"
      R"("start":"2026-11-22T20:30:45.000Z","duration":null}],)"
      R"("frames":91550,"audio_frames":175776000,"aired":610,"fallbacks":2,"slates":1,"late":3,)"
      R"("dropped":4,"skipped":5,"spent":12.5,)"
      R"("budget":{"unit":"credits","limit":100.0,"spent":40.0,"reserved":2.25,"resumes_at":null,"text":null},)"
      R"("outputs":[{"name":"www/","kind":"hls","state":"running","since":"2026-11-22T19:30:00.000Z",)"
      R"("rebuilds":0,"bytes":123456789,"error":null},)"
      R"({"name":"srt://:9000","kind":"srt","state":"waiting","since":"2026-11-22T20:29:55.000Z",)"
      R"("rebuilds":7,"bytes":1000,"error":"Connection refused."}],)"
      R"("fallback":null,"alarms":[],"alarm_deliveries":{"failed":0,"error":null},)"
      R"("rundown":{"accepted":true,"items":48,"line":null,"text":null},"hold":false})");
}

TEST(StatusJson, HasANullForWhatIsNotThere) {
  ChannelStatus status;
  const Json json = status_json(status);
  for (const char *name : {"now", "next", "budget", "fallback"})
    EXPECT_TRUE(json.find(name)->is_null()) << name;
}

TEST(StatusJson, SaysWhyAFallbackIsOnTheAir) {
  ChannelStatus status = example_status();
  status.fallback = {kNow - 90s, "noon", "It is not ready."};
  EXPECT_EQ(status_json(status).find("fallback")->to_text(),
            R"({"since":"2026-11-22T20:28:30.000Z","for":"noon","reason":"It is not ready."})");
}

TEST(StatusJson, StaysJsonWhateverTheTitles) {
  EXPECT_TRUE(is_json_text(hostile_status()));
  const std::string text = status_json(hostile_status()).to_text();
  EXPECT_TRUE(g_utf8_validate(text.data(), static_cast<gssize>(text.size()), nullptr));
}

TEST(Epg, ListsWhatIsOnAndWhatComes) {
  EXPECT_EQ(
      epg_xmltv(example_status()),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<!DOCTYPE tv SYSTEM \"xmltv.dtd\">\n"
      "<tv generator-info-name=\"genclip " GENCLIP_VERSION
      "\">\n"
      "  <channel id=\"dunes.genclip\">\n    <display-name>Dunes</display-name>\n  </channel>\n"
      "  <programme start=\"20261122202958 +0000\" stop=\"20261122203004 +0000\" channel=\"dunes.genclip\">\n"
      "    <title>Red kite</title>\n  </programme>\n"
      "  <programme start=\"20261122203004 +0000\" stop=\"20261122203034 +0000\" channel=\"dunes.genclip\">\n"
      "    <title>News</title>\n  </programme>\n"
      "  <programme start=\"20261122203034 +0000\" stop=\"20261122203040 +0000\" channel=\"dunes.genclip\">\n"
      "    <title>Noon</title>\n  </programme>\n"
      "  <programme start=\"20261122203040 +0000\" stop=\"20261122203045 +0000\" channel=\"dunes.genclip\">\n"
      "    <title>card</title>\n  </programme>\n"
      "</tv>\n");
}

TEST(Epg, LeavesFallbacksOut) {
  ChannelStatus status = example_status();
  status.now->kind = "slate";
  EXPECT_THAT(epg_xmltv(status), Not(HasSubstr("Red kite")));
}

TEST(Epg, TakesAnyLengthAndRate) {
  ChannelStatus status = example_status();
  status.now->duration_frames = UINT64_MAX;
  EXPECT_THAT(epg_xmltv(status), HasSubstr("Red kite"));
  status.frames_per_second = 0;
  EXPECT_THAT(epg_xmltv(status), Not(HasSubstr("Red kite")));
}

TEST(Epg, HasAnIdForAnyChannel) {
  ChannelStatus status = example_status();
  for (const auto &[name, id] : {std::pair{"Dunes & Sea 2!", "dunes-sea-2.genclip"},
                                 {"", "channel.genclip"},
                                 {"砂丘", "channel.genclip"}}) {
    status.channel = name;
    EXPECT_THAT(epg_xmltv(status), HasSubstr(std::string("channel id=\"") + id + '"')) << name;
  }
}

TEST(Epg, EscapesEveryTitle) {
  ChannelStatus status = hostile_status();
  status.now->title += "\xEF\xBF\xBE";  // U+FFFE, which XML does not have.
  const std::string text = epg_xmltv(status);
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, Not(HasSubstr("\xEF\xBF\xBE")));
  GError *error = nullptr;
  const GMarkupParser parser = {};
  GMarkupParseContext *context =
      g_markup_parse_context_new(&parser, static_cast<GMarkupParseFlags>(0), nullptr, nullptr);
  EXPECT_TRUE(g_markup_parse_context_parse(context, text.data(), static_cast<gssize>(text.size()), &error))
      << error->message;
  g_markup_parse_context_free(context);
}

TEST(Metrics, NameTheirUnitsAndCounters) {
  const std::string text = metrics_text(example_status());
  for (const char *line :
       {"# TYPE genclip_channel_frames_total counter\ngenclip_channel_frames_total{channel=\"Dunes\"} "
        "91550\n",
        "genclip_channel_uptime_seconds{channel=\"Dunes\"} 3661\n",
        "genclip_channel_start_time_seconds{channel=\"Dunes\"} 1795375739\n",
        "genclip_channel_spent_credits_total{channel=\"Dunes\"} 12.5\n",
        "genclip_channel_on_air{channel=\"Dunes\",kind=\"clip\"} 1\n",
        "genclip_channel_on_air{channel=\"Dunes\",kind=\"slate\"} 0\n",
        "genclip_channel_fallback_seconds{channel=\"Dunes\"} 0\n",
        "genclip_channel_ahead_items{channel=\"Dunes\"} 4\n",
        "genclip_channel_ahead_ready_items{channel=\"Dunes\"} 1\n",
        "genclip_channel_budget_reserved_credits{channel=\"Dunes\"} 2.25\n",
        "genclip_channel_output_up{channel=\"Dunes\",output=\"www/\",kind=\"hls\",number=\"1\"} 1\n",
        "genclip_channel_output_up{channel=\"Dunes\",output=\"srt://:9000\",kind=\"srt\",number=\"2\"} 0\n",
        "genclip_channel_output_rebuilds_total{channel=\"Dunes\",output=\"srt://"
        ":9000\",kind=\"srt\",number=\"2\"} 7\n",
        "genclip_channel_alarm_active{channel=\"Dunes\",kind=\"frozen\"} 0\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(Metrics, CallOnlyCreditsCredits) {
  ChannelStatus status = example_status();
  for (const char *unit : {"tasks", ""}) {
    status.budget->unit = unit;
    EXPECT_EQ(metrics_text(status).find("budget_"), std::string::npos) << unit;
  }
  EXPECT_EQ(status_json(status).find("budget")->find("limit")->to_text(), "null") << "it is not known";
}

TEST(Metrics, TellOfAFallbackAndOfAlarms) {
  ChannelStatus status = example_status();
  status.fallback = {kNow - 90s, "noon", ""};
  status.alarms = {{"output", "a", "", kNow}, {"output", "b", "", kNow}, {"fallback", "", "", kNow}};
  const std::string text = metrics_text(status);
  EXPECT_THAT(text, HasSubstr("genclip_channel_fallback_seconds{channel=\"Dunes\"} 90\n"));
  EXPECT_THAT(text, HasSubstr("genclip_channel_alarm_active{channel=\"Dunes\",kind=\"output\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("genclip_channel_alarm_active{channel=\"Dunes\",kind=\"fallback\"} 1\n"));
}

TEST(Metrics, EscapeEveryLabel) {
  ChannelStatus status = example_status();
  status.channel = "a\\b\"c\nd";
  EXPECT_THAT(metrics_text(status), HasSubstr("genclip_channel_hold{channel=\"a\\\\b\\\"c d\"} 0\n"));
}

}  // namespace
}  // namespace genclip::test
