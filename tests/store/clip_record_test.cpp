// SPDX-License-Identifier: LGPL-2.1-or-later
//
// task.json: a written record reads back the same, and an invalid one is refused with a reason.
#include "plugin/store/clip_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/taken.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ClipRecord full_record() {
  ClipRecord record;
  record.identity = {"https://api.example/base", "legacy",
                     Json(Json::Object{{"model", "m"}, {"prompt", "Zürich\n\"雪\""}}), 3};
  record.model = "m";
  record.state = ClipState::submitted;
  record.task_id = "t-1";
  record.amount = 2.5;
  record.actual_duration = 4.75;
  record.submitted_at = 1767225600;
  record.updated_at = 1767225700;
  record.status = "downloading";
  record.progress = 55;
  record.error = "It failed.";
  record.http_status = 402;
  record.part = {5'000'000'000, "\"tag\"", "Thu, 01 Jan 2026 00:00:00 GMT", 4'900'000'000, "boot", 2,
                 "result_url"};
  record.clip_name = "clip.mp4";
  record.media_type = "video/mp4";
  record.clip_size = 5'000'000'000;
  record.unanswered_submits = 3;
  record.warned_submits = 2;
  record.earlier_tasks = {"t-0", "t-00"};
  record.unfetched_tasks = {"t-00"};
  record.completed_tasks = {"t-00"};
  record.references = {{"first_image", 0, std::string(64, 'a'), "copy.png", std::string(64, 'b'), "t-000"},
                       {"reference_images", 2, std::string(64, 'c'), "", "", ""}};
  return record;
}

Result<ClipRecord> reread(const ClipRecord &record) {
  const auto json = Json::parse(record.to_json().to_pretty_text());
  if (!json) return json.error();
  return ClipRecord::from_json(*json);
}

TEST(ClipRecord, KeepsEveryField) {
  const ClipRecord before = full_record();
  const auto after = reread(before);
  ASSERT_TRUE(after) << after.error().text;
  EXPECT_EQ(after->identity.digest(), before.identity.digest());
  EXPECT_EQ(after->identity.base_url, before.identity.base_url);
  EXPECT_EQ(after->identity.api, before.identity.api);
  EXPECT_EQ(after->identity.take, before.identity.take);
  EXPECT_EQ(after->identity.request, before.identity.request);
  EXPECT_EQ(after->model, before.model);
  EXPECT_EQ(after->state, before.state);
  EXPECT_EQ(after->task_id, before.task_id);
  EXPECT_EQ(after->amount, before.amount);
  EXPECT_EQ(after->actual_duration, before.actual_duration);
  EXPECT_EQ(after->submitted_at, before.submitted_at);
  EXPECT_EQ(after->updated_at, before.updated_at);
  EXPECT_EQ(after->status, before.status);
  EXPECT_EQ(after->progress, before.progress);
  EXPECT_EQ(after->error, before.error);
  EXPECT_EQ(after->http_status, before.http_status);
  EXPECT_EQ(after->part.total, before.part.total);
  EXPECT_EQ(after->part.synced, before.part.synced);
  EXPECT_EQ(after->part.etag, before.part.etag);
  EXPECT_EQ(after->part.last_modified, before.part.last_modified);
  EXPECT_EQ(after->part.boot, before.part.boot);
  EXPECT_EQ(after->part.restarts, before.part.restarts);
  EXPECT_EQ(after->part.field, before.part.field);
  EXPECT_EQ(after->clip_name, before.clip_name);
  EXPECT_EQ(after->media_type, before.media_type);
  EXPECT_EQ(after->clip_size, before.clip_size);
  EXPECT_EQ(after->unanswered_submits, before.unanswered_submits);
  EXPECT_EQ(after->warned_submits, before.warned_submits);
  EXPECT_EQ(after->earlier_tasks, before.earlier_tasks);
  EXPECT_EQ(after->unfetched_tasks, before.unfetched_tasks);
  EXPECT_EQ(after->completed_tasks, before.completed_tasks);
  ASSERT_EQ(after->references.size(), 2u);
  EXPECT_EQ(after->references[0].field, "first_image");
  EXPECT_EQ(after->references[0].sha256, std::string(64, 'a'));
  EXPECT_EQ(after->references[0].copy, "copy.png");
  EXPECT_EQ(after->references[0].clip, std::string(64, 'b'));
  EXPECT_EQ(after->references[0].task_id, "t-000");
  EXPECT_EQ(after->references[1].index, 2u);
  EXPECT_EQ(after->references[1].copy, "");
  EXPECT_EQ(after->to_json().to_text(), before.to_json().to_text());
}

// An earlier version kept such ones, and no request that had them was sent.
TEST(ClipRecord, ForgetsAValidatorThatCannotBeSentBack) {
  ClipRecord record = full_record();
  record.part.etag = "\"a\x01z\"";
  record.part.last_modified = "Thu\x7f";
  const auto after = reread(record);
  ASSERT_TRUE(after) << after.error().text;
  EXPECT_EQ(after->part.etag, "");
  EXPECT_EQ(after->part.last_modified, "");
  EXPECT_EQ(after->part.total, record.part.total);
}

TEST(ClipRecord, KeepsEveryState) {
  for (const ClipState state :
       {ClipState::intent, ClipState::ambiguous, ClipState::refused, ClipState::submitted, ClipState::failed,
        ClipState::lost, ClipState::complete}) {
    ClipRecord record = full_record();
    record.state = state;
    const auto after = reread(record);
    ASSERT_TRUE(after) << to_word(state);
    EXPECT_EQ(after->state, state);
  }
}

TEST(ClipRecord, SpellsStatesAsTheFormatPromises) {
  EXPECT_EQ(words_of<ClipState>(), (std::vector<std::string>{"intent", "ambiguous", "refused", "submitted",
                                                             "failed", "lost", "complete"}));
}

TEST(ClipRecord, KeepsTheClipThatIsToBeReplaced) {
  ClipRecord old = full_record();
  old.state = ClipState::complete;
  ClipRecord record = full_record();
  record.task_id = "t-2";
  record.replaced = std::make_shared<const ClipRecord>(old);
  const auto after = reread(record);
  ASSERT_TRUE(after);
  ASSERT_TRUE(after->replaced);
  EXPECT_EQ(after->replaced->task_id, "t-1");
  EXPECT_EQ(after->replaced->clip_size, old.clip_size);
}

TEST(ClipRecord, LeavesOutWhatIsUnknown) {
  ClipRecord record;
  record.identity = {"https://api.example", "tasks", Json(Json::Object{}), 0};
  EXPECT_EQ(
      record.to_json().to_text(),
      R"({"version":1,"state":"intent","base_url":"https://api.example","api":"tasks","take":0,"request":{}})");
  const auto after = reread(record);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->amount, -1);
  EXPECT_EQ(after->progress, -1);
  EXPECT_FALSE(after->replaced);
}

TEST(ClipRecord, ToleratesFieldsOfLaterVersionsAndOddValues) {
  const auto record = ClipRecord::from_json(*Json::parse(
      R"({"version":1,"state":"submitted","task_id":"t","colour":"red","download":{"total":-5,"synced":"x","new":1},
          "amount":"much","progress":900,"clip":7,"take":-1,"earlier_tasks":["a",7,null],"replaces":{"version":1},
          "http_status":-3,"submitted_at":1e400})"));
  ASSERT_TRUE(record) << record.error().text;
  EXPECT_EQ(record->part.total, 0u);
  EXPECT_EQ(record->amount, -1);
  EXPECT_EQ(record->progress, 100);
  EXPECT_EQ(record->identity.take, 0u);
  EXPECT_EQ(record->http_status, 0u);
  EXPECT_THAT(record->earlier_tasks, ElementsAre("a"));
  EXPECT_FALSE(record->replaced);
}

TEST(ClipRecord, HasAnAmountFrom0To1e9OrNone) {
  ClipRecord record;
  for (const auto &[told, kept] : std::map<double, double>{{0, 0}, {1e9, 1e9}, {1e9 + 1, -1}, {1e308, -1}}) {
    record.amount = told;
    const auto read = ClipRecord::from_json(record.to_json());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->amount, kept) << told;
  }
}

TEST(ClipRecord, HandsOnNothingThatATerminalObeys) {
  const auto record = ClipRecord::from_json(*Json::parse(
      R"({"version":1,"state":"intent","task_id":"t\u001b[2J","model":"m\u009b31m","earlier_tasks":["a","b\u202e"]})"));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->task_id, "") << "it is no ID";
  EXPECT_EQ(record->model, "m 31m");
  EXPECT_THAT(record->earlier_tasks, ElementsAre("a"));
  EXPECT_THAT(
      failure_of(ClipRecord::from_json(taken(Json::parse(R"({"version":1,"state":"\u001bx"})")))).text,
      HasSubstr("\" x\""));
}

TEST(ClipRecord, RefusesWhatIsNoRecordAndSaysWhy) {
  const std::pair<const char *, const char *> cases[] = {
      {"[]", "not a JSON object"},
      {"null", "not a JSON object"},
      {"{}", "it has no version"},
      {R"({"version":2,"state":"intent"})", "a newer genclip wrote it (version 2"},
      {R"({"version":2.0,"state":"intent"})", "a newer genclip wrote it (version 2,"},
      {R"({"version":1e3})", "a newer genclip wrote it (version 1000,"},
      {R"({"version":1.5})", "a newer genclip wrote it (version 1.5,"},
      {R"({"version":99999999999999999999})", "a newer genclip wrote it (version "},
      {R"({"version":"2","state":"intent"})", "a newer genclip wrote it (version \"2\","},
      {R"({"version":"2.0.1"})", "a newer genclip wrote it (version \"2.0.1\","},
      {R"({"version":"1"})", "a newer genclip wrote it (version \"1\","},
      {R"({"version":{"major":2}})", "a newer genclip wrote it (version {\"major\":2},"},
      {R"({"version":[2]})", "a newer genclip wrote it (version [2],"},
      {R"({"version":1e400})", "a newer genclip wrote it (version \"1e400\","},
      {R"({"version":null})", "a newer genclip wrote it (version null,"},
      {R"({"version":-2,"state":"intent"})", "its version is -2,"},
      {R"({"version":0.5})", "its version is 0.5,"},
      {R"({"version":0})", "its version is 0,"},
      {R"({"version":1})", "state \"\""},
      {R"({"version":1,"state":"dancing"})", "\"dancing\""},
      {R"({"version":1,"state":"submitted"})", "no task_id"},
      {R"({"version":1,"state":"complete","task_id":"t"})", "names no clip"},
      {R"({"version":1,"state":"complete","clip":{"file":"clip.mp4","size":0}})", "names no clip"},
      {R"({"version":1,"state":"complete","clip":{"file":"../../etc/passwd","size":5}})",
       "names a clip that genclip would not"},
      {R"({"version":1,"state":"complete","clip":{"file":"clip.part","size":5}})",
       "names a clip that genclip would not"},
  };
  for (const auto &[text, reason] : cases) {
    const auto record = ClipRecord::from_json(*Json::parse(text));
    ASSERT_FALSE(record) << text;
    EXPECT_THAT(record.error().text, HasSubstr(reason)) << text;
  }
}

}  // namespace
}  // namespace genclip::test
