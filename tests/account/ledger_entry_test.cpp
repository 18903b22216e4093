// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lines of the ledger: as documented, as any bytes, and by both readers.
#include "plugin/account/ledger_entry.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "plugin/base/json.h"
#include "tests/account/sample_entries.h"

namespace genclip::test {
namespace {

LedgerEntry full_entry(LedgerEvent event) {
  LedgerEntry entry = entry_of(event, "digest", "task-1", "2026-11-22T09:50:06.123Z");
  entry.take = 2;
  entry.project = "night shift";
  entry.size = "1440x1440";
  entry.audio = false;
  entry.references = {{"first_image", 1}, {"reference_videos", 3}};
  entry.estimate = Estimate{1, 1.5, 2.25, 7, "line"};
  entry.amount = 1.75;
  entry.actual_duration = 5.04;
  entry.waited = 84.25;
  entry.waited_error = 2.5;
  entry.status = "completed";
  entry.why = "refused";
  entry.imported = entry.attached = entry.corrected = true;
  return entry;
}

TEST(LedgerLine, IsWrittenAsTheContractSays) {
  LedgerEntry entry = reserve_of("digest", 2, "2026-11-22T09:50:06.123Z");
  entry.references = {{"first_image", 1}};
  EXPECT_EQ(ledger_line(entry),
            R"({"at":"2026-11-22T09:50:06.123Z","event":"reserve","key":"digest","take":0,)"
            R"("model":"sd_2.0_special","api":"tasks","base_url":"https://api.example/v","project":"",)"
            R"("duration":5,"resolution":"720p","references":{"first_image":1},)"
            R"("estimate":{"low":1,"likely":1,"high":2,"samples":1,"basis":"same"}})");
}

TEST(LedgerLine, SaysNullForWhatIsUnknown) {
  EXPECT_NE(ledger_line(reserve_of("k", std::nullopt)).find(R"("estimate":null)"), std::string::npos);
  EXPECT_NE(ledger_line(settle_of("k", "t", std::nullopt)).find(R"("amount":null)"), std::string::npos);
  EXPECT_EQ(ledger_line(entry_of(LedgerEvent::submitted, "k", "t")).find("null"), std::string::npos);
}

TEST(LedgerLine, IsReadAsItWasWrittenByBothReaders) {
  for (const LedgerEvent event : {LedgerEvent::reserve, LedgerEvent::submitted, LedgerEvent::settle,
                                  LedgerEvent::release, LedgerEvent::unknown, LedgerEvent::correct}) {
    const LedgerEntry entry = full_entry(event);
    const auto scanned = scan_ledger_line(ledger_line(entry));
    const auto parsed = parse_ledger_line(ledger_line(entry));
    ASSERT_TRUE(scanned && parsed) << ledger_line(entry);
    EXPECT_TRUE(*scanned == entry) << ledger_line(entry) << "\n" << ledger_line(*scanned);
    EXPECT_TRUE(*parsed == entry) << ledger_line(entry) << "\n" << ledger_line(*parsed);
  }
}

TEST(LedgerLine, OfAProjectInChineseTakesTheFastWayToo) {
  LedgerEntry entry = full_entry(LedgerEvent::reserve);
  entry.project = "\u6C34\u706B";
  const auto scanned = scan_ledger_line(ledger_line(entry));
  ASSERT_TRUE(scanned);
  EXPECT_EQ(scanned->project, entry.project);
}

TEST(LedgerLine, IsAlwaysOneLineOfJson) {
  LedgerEntry entry = full_entry(LedgerEvent::release);
  entry.why = "a\nb\x1b[31m\xff\xe2\x80\xae";
  entry.project = std::string(5000, 'x') + "\u6C34";
  const std::string line = ledger_line(entry);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_LT(line.size(), 4000u);
  ASSERT_TRUE(Json::parse(line));
  ASSERT_TRUE(read_ledger_line(line));
  EXPECT_EQ(ledger_line(*read_ledger_line(line)), line);
}

TEST(LedgerLine, WithoutTimeEventOrKeyIsNone) {
  const std::string line = R"({"at":"2026-11-22T09:50:06.123Z","event":"reserve","key":"digest"})";
  EXPECT_TRUE(read_ledger_line(line));
  for (const char *member : {"at", "event", "key"}) {
    std::string damaged = line;
    damaged.replace(damaged.find(member), 1, "x");
    EXPECT_FALSE(read_ledger_line(damaged)) << damaged;
  }
  for (const char *text : {"", "x", "[]", "{}", "null", "{\"at\":1}", "{\"at\":\"today\"}", "{\"at\":"})
    EXPECT_FALSE(read_ledger_line(text)) << text;
}

TEST(LedgerLine, OfALaterVersionIsKeptAsOther) {
  const auto entry = read_ledger_line(
      R"({"at":"2026-11-22T09:50:06Z","event":"subtitles","key":"d","tokens":[1,{"a":{}}],"new":{"x":{"y":1}}})");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->event, LedgerEvent::other);
}

TEST(LedgerLine, TakesWhatHasTheWrongTypeForMissing) {
  const auto entry = read_ledger_line(
      R"({"at":"2026-11-22T09:50:06Z","event":"settle","key":"d","take":-1,"model":5,"amount":"2","duration":-3,)"
      R"("estimate":{"low":1},"actual_duration":1e300,"audio":0,"references":{"first_image":"one"},"project":null})");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->take, 0u);
  EXPECT_EQ(entry->model, "");
  EXPECT_FALSE(entry->amount || entry->duration || entry->estimate || entry->actual_duration || entry->audio);
  EXPECT_TRUE(entry->references.empty());
}

// More than that is damage, or a slip of whoever wrote it: it would use every budget up.
TEST(LedgerLine, HasAnAmountFrom0To1e9OrNone) {
  for (const auto &[text, amount] : std::map<std::string, std::optional<double>>{
           {"0", 0}, {"1e9", 1e9}, {"1000000001", {}}, {"1e308", {}}, {"-1", {}}}) {
    const std::string line =
        R"({"at":"2026-11-22T09:50:06.000Z","event":"settle","key":"d","amount":)" + text + "}";
    for (const auto &entry : {read_ledger_line(line), parse_ledger_line(line)}) {
      ASSERT_TRUE(entry) << line;
      EXPECT_EQ(entry->amount, amount) << line;
    }
  }
}

TEST(LedgerLine, HasNoEstimateOfMoreThanATaskCanCost) {
  LedgerEntry entry = reserve_of("a", 1e9);
  EXPECT_EQ(read_ledger_line(ledger_line(entry))->estimate->high, 1e9);
  entry.estimate->high = 1e12;
  EXPECT_LE(read_ledger_line(ledger_line(entry))->estimate->high, 1e9);
}

TEST(LedgerLine, WithEscapesOrSpacesIsReadByTheParser) {
  const std::string line =
      R"({ "at" : "2026-11-22T09:50:06.5Z", "event":"\u0072eserve", "key":"d\/e", "amount":1.5e1 })";
  EXPECT_FALSE(scan_ledger_line(line));
  const auto entry = read_ledger_line(line);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->event, LedgerEvent::reserve);
  EXPECT_EQ(entry->key, "d/e");
  EXPECT_EQ(entry->amount, 15);
  EXPECT_EQ(entry->at, at("2026-11-22T09:50:06.500Z"));
}

TEST(LedgerLine, IsNotScannedWhereJsonWouldNotHaveIt) {
  for (const char *value :
       {"01", "1.", ".5", "+1", "-", "1e5", "tru", "nul", "\"a", "[1]", "1 ", "0x1", "\"\t\""}) {
    const std::string line =
        std::string(R"({"at":"2026-11-22T09:50:06Z","event":"reserve","key":"d","amount":)") + value + "}";
    EXPECT_FALSE(scan_ledger_line(line)) << line;
  }
  EXPECT_FALSE(scan_ledger_line(R"({"at":"2026-11-22T09:50:06Z","event":"reserve","key":"d"}})"));
  EXPECT_FALSE(scan_ledger_line(R"({"at":"2026-11-22T09:50:06Z","event":"reserve","key":"d",})"));
}

}  // namespace
}  // namespace genclip::test
