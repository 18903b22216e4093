// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A store with clips in it, made through ClipFolder.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plugin/store/clip_folder.h"
#include "tests/support/lossy_file_system.h"
#include "tests/support/sample_clip.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {

class StoreTest : public testing::Test {
 protected:
  StoreTest() : root_(folder_.path() + "/store"), files_(folder_.path()) {}

  ClipRecord record_of(const std::string &prompt, ClipState state) const {
    ClipRecord record;
    record.identity = {"https://api.example", "tasks", Json(Json::Object{{"prompt", prompt}}), 0};
    record.model = "m";
    record.state = state;
    record.task_id = "task of " + prompt;
    record.updated_at = 1767225600;
    return record;
  }
  ClipPath path_of(const ClipRecord &record) const { return {root_, record.identity.digest()}; }

  // Its folder and journal; a complete one has its clip.
  ClipPath add(ClipRecord record, const std::string &clip = sample_mp4(10'000)) {
    ClipFolder folder(files_, path_of(record));
    const auto lock = folder.lock_writer(on_damage());
    EXPECT_TRUE(lock && *lock);
    if (record.state == ClipState::complete) {
      record.clip_name = "clip.mp4";
      record.clip_size = clip.size();
      auto part = *folder.open_part();
      EXPECT_TRUE(part->write_at(0, std::as_bytes(std::span(clip))));
      EXPECT_TRUE(folder.commit(*part, record));
    } else {
      EXPECT_TRUE(folder.write_record(record));
    }
    return path_of(record);
  }
  ClipPath add(const std::string &prompt, ClipState state = ClipState::complete) {
    return add(record_of(prompt, state));
  }

  OnDamage on_damage() {
    return [this](const std::string &what) { damage_.push_back(what); };
  }

  TemporaryFolder folder_;
  const std::string root_;
  LossyFileSystem files_;
  std::vector<std::string> damage_;
};

}  // namespace genclip::test
