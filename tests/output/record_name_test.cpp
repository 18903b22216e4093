// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/record_name.h"

#include <glib/gstdio.h>
#include <gtest/gtest.h>

#include <memory>

#include "plugin/output/record_folder.h"
#include "tests/support/temporary_folder.h"

namespace genclip {
namespace {

using namespace std::chrono_literals;

using Zone = std::unique_ptr<GTimeZone, decltype(&g_time_zone_unref)>;
Zone zone(const char *name) { return {g_time_zone_new_identifier(name), g_time_zone_unref}; }

// 2026-11-22T20:00:00Z.
const RecordTime kEvening = std::chrono::system_clock::from_time_t(1'795'377'600);

TEST(RecordName, HasTheLocalTimeAndItsDistance) {
  EXPECT_EQ(record_name(kEvening, zone("UTC").get()), "genclip-20261122T200000+0000.mkv");
  EXPECT_EQ(record_name(kEvening, zone("+05:30").get()), "genclip-20261123T013000+0530.mkv");
  EXPECT_EQ(record_name(kEvening, zone("-03:30").get(), 2), "genclip-20261122T163000-0330-2.mkv");
}

TEST(RecordName, IsReadBack) {
  for (const char *place : {"UTC", "+05:30", "-03:30"})
    for (const unsigned copy : {1U, 2U, 13U})
      EXPECT_EQ(record_begin(record_name(kEvening, zone(place).get(), copy)), kEvening) << place << copy;
}

TEST(RecordName, IsNoOtherName) {
  for (const char *name :
       {"genclip-20261122T200000+0000.mp4", "genclip-20261122T200000+0000.mkv.part",
        "Genclip-20261122T200000+0000.mkv", "genclip-20261122T200000.mkv", "genclip-20261322T200000+0000.mkv",
        "genclip-20261122 200000+0000.mkv", "genclip-20261122T200000+0000-1.mkv",
        "genclip-20261122T200000+0000-02.mkv", "genclip-20261122T200000+0000-x.mkv",
        "genclip-2026112xT200000+0000.mkv", "genclip-.mkv", "holiday.mkv", ""})
    EXPECT_FALSE(record_begin(name)) << name;
}

TEST(RecordExpiry, CountsFromTheBeginning) {
  const auto name = record_name(kEvening, zone("+01:00").get());
  EXPECT_FALSE(record_expired(name, kEvening + 48h, 2));
  EXPECT_TRUE(record_expired(name, kEvening + 48h + 1s, 2));
  EXPECT_FALSE(record_expired(name, kEvening + 10'000h, 0)) << "0 keeps all";
  for (const unsigned days : {365'000U, 999'999U, UINT_MAX})
    EXPECT_FALSE(record_expired(name, kEvening + 10'000h, days)) << days;
  EXPECT_FALSE(record_expired("holiday.mkv", kEvening + 10'000h, 1));
}

TEST(RecordCut, ComesAtTheNextMultipleAfterMidnight) {
  const auto utc = zone("UTC");
  EXPECT_EQ(until_next_record(kEvening, utc.get(), 60), 60min) << "never at once";
  EXPECT_EQ(until_next_record(kEvening + 61min + 1500ms, utc.get(), 60), 59min - 1500ms);
  EXPECT_EQ(until_next_record(kEvening + 14min, utc.get(), 15), 1min);
  EXPECT_EQ(until_next_record(kEvening, zone("+05:30").get(), 60), 30min) << "a full hour of local time";
  EXPECT_EQ(until_next_record(kEvening + 3h, utc.get(), 7 * 60), 1h) << "midnight is always one";
}

void write(const std::string &path) {
  ASSERT_TRUE(g_file_set_contents(path.c_str(), "x", 1, nullptr)) << path;
}
bool exists(const std::string &path) { return g_file_test(path.c_str(), G_FILE_TEST_EXISTS); }

TEST(RecordFolder, RemovesOnlyOldFilesThatItNamed) {
  const test::TemporaryFolder folder;
  const auto path = [&folder](const std::string &name) { return folder.path() + "/" + name; };
  const std::string old = "genclip-20261101T000000+0000.mkv", kept = "genclip-20261122T000000+0000.mkv";
  for (const auto &name :
       {old, kept, std::string("genclip-old.mkv"), std::string("genclip-20261101T000000+0000.txt")})
    write(path(name));
  ASSERT_EQ(g_mkdir_with_parents(path("genclip-20261102T000000+0000.mkv").c_str(), 0755), 0);
  const auto writer = make_record_folder(folder.path(), 60, 7);
  ASSERT_TRUE(writer->begin());
  writer->open(kEvening, nullptr);
  EXPECT_FALSE(exists(path(old)));
  EXPECT_TRUE(exists(path(kept)));
  EXPECT_TRUE(exists(path("genclip-old.mkv")));
  EXPECT_TRUE(exists(path("genclip-20261101T000000+0000.txt")));
  EXPECT_TRUE(exists(path("genclip-20261102T000000+0000.mkv"))) << "a folder";
}

TEST(RecordFolder, NeverGivesANameTwice) {
  const test::TemporaryFolder folder;
  const auto writer = make_record_folder(folder.path(), 60, 0);
  ASSERT_TRUE(writer->begin());
  const auto first = writer->open(kEvening, nullptr);
  write(first);
  EXPECT_NE(writer->open(kEvening, nullptr), first);
}

TEST(RecordFolder, RemovesTheEmptyFileOfABuildThatFailed) {
  const test::TemporaryFolder folder;
  const auto other = folder.file("genclip-20261101T000000+0000.mkv");
  ASSERT_TRUE(g_file_set_contents(other.c_str(), "", 0, nullptr));
  const auto writer = make_record_folder(folder.path(), 60, 0);
  ASSERT_TRUE(writer->begin());
  const auto empty = writer->open(kEvening, nullptr);
  ASSERT_TRUE(g_file_set_contents(empty.c_str(), "", 0, nullptr));
  ASSERT_TRUE(writer->begin());
  EXPECT_FALSE(exists(empty));
  EXPECT_TRUE(exists(other)) << "of another program, which may still write it";
  const auto full = writer->open(kEvening, nullptr);
  write(full);
  ASSERT_TRUE(writer->begin());
  EXPECT_TRUE(exists(full));
}

TEST(RecordFolder, NoticesThatItsFileHasGone) {
  const test::TemporaryFolder folder;
  const auto writer = make_record_folder(folder.path(), 60, 0);
  ASSERT_TRUE(writer->begin());
  EXPECT_TRUE(writer->look());
  const auto path = writer->open(kEvening, nullptr);
  EXPECT_TRUE(writer->look()) << "it is not made yet";
  write(path);
  EXPECT_TRUE(writer->look());
  ASSERT_EQ(g_rename(path.c_str(), folder.file("kept").c_str()), 0);
  EXPECT_FALSE(writer->look());
  write(path);
  EXPECT_FALSE(writer->look()) << "this is another file";
  const auto next = writer->open(kEvening, nullptr);
  EXPECT_TRUE(writer->look());
  write(next);
  EXPECT_TRUE(writer->look());
}

TEST(RecordFolder, CutsNoFileJustBeforeTheHour) {
  const test::TemporaryFolder folder;
  const auto writer = make_record_folder(folder.path(), 60, 0);
  const auto local_hour =
      kEvening + until_next_record(kEvening, Zone(g_time_zone_new_local(), g_time_zone_unref).get(), 60);
  EXPECT_EQ(writer->until_cut(std::chrono::time_point_cast<RecordTime::duration>(local_hour) - 20ms),
            60min + 20ms);
  EXPECT_EQ(writer->until_cut(std::chrono::time_point_cast<RecordTime::duration>(local_hour) - 1min), 1min);
}

}  // namespace
}  // namespace genclip
