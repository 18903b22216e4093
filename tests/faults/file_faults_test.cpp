// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Each disk call fails, at each step of a generation, for each possible reason.
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "tests/faults/broken_disk.h"
#include "tests/faults/play.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;

struct Reason {
  const char *name;
  int code;
  GstResourceError of_open, of_write;
};

constexpr Reason kReasons[] = {
    {"NoSpace", ENOSPC, GST_RESOURCE_ERROR_NO_SPACE_LEFT, GST_RESOURCE_ERROR_NO_SPACE_LEFT},
    {"Quota", EDQUOT, GST_RESOURCE_ERROR_NO_SPACE_LEFT, GST_RESOURCE_ERROR_NO_SPACE_LEFT},
    {"BrokenDisk", EIO, GST_RESOURCE_ERROR_OPEN_WRITE, GST_RESOURCE_ERROR_WRITE},
    {"ReadOnly", EROFS, GST_RESOURCE_ERROR_OPEN_WRITE, GST_RESOURCE_ERROR_OPEN_WRITE},
};

using SceneAct = std::function<void(Scene &)>;

SceneAct breaks(DiskFault fault) {
  return [fault](Scene &scene) { break_disk(scene.folder().path(), fault); };
}

void mend(Scene &scene) { mend_disk(scene.folder().path()); }

struct Step {
  const char *name;
  FileCall call;
  const char *file;
};

std::string fault_name(const Step &step, const Reason &reason, const char *when) {
  return std::string(reason.name) + "At" + step.name + when;
}

// The intent is not on disk: nothing may be sent.
void add_before_the_submit(std::vector<FaultCase> &cases) {
  constexpr Step kSteps[] = {
      {"TheFolder", FileCall::make_folder, ""},
      {"TheLock", FileCall::make, "lock"},
      {"TheSpareRecord", FileCall::make, "task.json.spare"},
      {"TheSpareRecordsBytes", FileCall::write, "task.json.spare"},
      {"TheSpareRecordsSync", FileCall::sync, "task.json.spare"},
      {"TheRecord", FileCall::make, "task.json.tmp"},
      {"TheRecordsBytes", FileCall::write, "task.json.tmp"},
      {"TheRecordsLength", FileCall::truncate, "task.json.tmp"},
      {"TheRecordsSync", FileCall::sync, "task.json.tmp"},
      {"TheRecordsName", FileCall::rename, "task.json.tmp"},
      {"TheFoldersSync", FileCall::sync, ""},
  };
  for (const Step &step : kSteps)
    for (const Reason &reason : kReasons) {
      const bool opens = step.call == FileCall::make || step.call == FileCall::make_folder;
      cases.push_back({.name = fault_name(step, reason, "BeforeTheSubmit"),
                       .ending = nothing_sent(opens ? reason.of_open : reason.of_write),
                       .break_it = breaks({step.call, step.file, reason.code}),
                       .mend = mend});
    }
  for (const auto &[name, code] :
       {std::pair("NoLocks", ENOLCK), std::pair("NotSupported", EOPNOTSUPP), std::pair("BrokenDisk", EIO)})
    cases.push_back({.name = std::string(name) + "AtTheLocking",
                     .ending = nothing_sent(GST_RESOURCE_ERROR_OPEN_WRITE, "file system that supports locks"),
                     .break_it = breaks({FileCall::lock, "lock", code}),
                     .mend = mend});
}

// The task is there, its ID is not on disk: the error names it.
void add_at_the_id(std::vector<FaultCase> &cases) {
  constexpr Step kSteps[] = {
      {"TheSparesName", FileCall::rename, "task.json.spare"},
      {"TheBytes", FileCall::write, "task.json.tmp"},
      {"TheSync", FileCall::sync, "task.json.tmp"},
      {"TheName", FileCall::rename, "task.json.tmp"},
  };
  for (const Step &step : kSteps)
    for (const Reason &reason : kReasons)
      cases.push_back({.name = fault_name(step, reason, "OfTheId"),
                       .ending = doubtful(reason.of_write, "The task t-1 was accepted"),
                       .mend = mend,
                       .interlude = Interlude{Place::submit, breaks({step.call, step.file, reason.code})}});
}

// The ID is on disk: the next run continues from there.
void add_at_the_clip(std::vector<FaultCase> &cases) {
  constexpr Step kSteps[] = {{"TheClip", FileCall::make, "clip.part"},
                             {"TheClipsBytes", FileCall::write, "clip.part"},
                             {"TheClipsSync", FileCall::sync, "clip.part"},
                             {"TheClipsName", FileCall::rename, "clip.part"}};
  for (const Step &step : kSteps)
    for (const Reason &reason : kReasons)
      cases.push_back({.name = fault_name(step, reason, "OnceQueried"),
                       .ending = kept(step.call == FileCall::make ? reason.of_open : reason.of_write),
                       .mend = mend,
                       .interlude = Interlude{Place::query, breaks({step.call, step.file, reason.code})}});
  constexpr Step kAmid[] = {{"TheClipsBytes", FileCall::write, "clip.part"},
                            {"TheClipsSync", FileCall::sync, "clip.part"},
                            {"TheClipsName", FileCall::rename, "clip.part"},
                            {"TheRecord", FileCall::make, "task.json.tmp"},
                            {"TheRecordsBytes", FileCall::write, "task.json.tmp"},
                            {"TheRecordsName", FileCall::rename, "task.json.tmp"},
                            {"AnySync", FileCall::sync, ""}};
  for (const Step &step : kAmid)
    for (const Reason &reason : kReasons)
      cases.push_back({.name = fault_name(step, reason, "AmidTheClip"),
                       .ending = kept(step.call == FileCall::make ? reason.of_open : reason.of_write),
                       .mend = mend,
                       .interlude = Interlude{Place::media, breaks({step.call, step.file, reason.code})}});
  // Leftover files must not cause a whole clip to fail.
  for (const Reason &reason : kReasons)
    cases.push_back(
        {.name = std::string(reason.name) + "AtTheRemovalOfTheSpare",
         .ending = recovers(),
         .mend = mend,
         .interlude = Interlude{Place::media, breaks({FileCall::remove, "task.json.spare", reason.code})}});
}

// An unreadable file is not damaged: it stays in place, and nothing is paid for again.
void add_reads_of_a_stored_clip(std::vector<FaultCase> &cases) {
  constexpr Step kSteps[] = {{"TheRecord", FileCall::open, "task.json"},
                             {"TheRecordsBytes", FileCall::read, "task.json"},
                             {"TheClip", FileCall::open, "clip.mp4"},
                             {"TheClipsBytes", FileCall::read, "clip.mp4"}};
  for (const Step &step : kSteps)
    for (const auto &[name, code] : {std::pair("BrokenDisk", EIO), std::pair("StaleHandle", ESTALE),
                                     std::pair("TooManyFiles", EMFILE)}) {
      if (step.call == FileCall::read && code != EIO && code != ESTALE) continue;
      const GstResourceError error =
          step.call == FileCall::read ? GST_RESOURCE_ERROR_READ : GST_RESOURCE_ERROR_OPEN_READ;
      cases.push_back({.name = std::string(name) + "At" + step.name + "OfAStoredClip",
                       .ending = kept(error),
                       .break_it = breaks({step.call, step.file, code}),
                       .mend = mend,
                       .stored_before = true});
    }
}

// Even if the run writes into it at that moment.
void clear(const std::string &folder) {
  std::error_code failed;
  do {
    fs::remove_all(folder, failed);
  } while (failed);
}

// The cache is cleared during a generation.
void add_removals(std::vector<FaultCase> &cases) {
  const SceneAct remove_store = [](Scene &scene) { clear(scene.store()); };
  const SceneAct remove_folder = [](Scene &scene) { clear(scene.clip_folder()); };
  const SceneAct remove_record = [](Scene &scene) { fs::remove(scene.clip_file("task.json")); };
  const SceneAct remove_part = [](Scene &scene) { fs::remove(scene.clip_file("clip.part")); };
  const struct {
    const char *name;
    SceneAct act;
  } kRemovals[] = {{"Store", remove_store}, {"Folder", remove_folder}, {"Record", remove_record}};
  for (const auto &[name, act] : kRemovals) {
    cases.push_back({.name = std::string(name) + "IsRemovedAmidTheSubmit",
                     .ending = recovers(),
                     .interlude = Interlude{Place::submit, act}});
    cases.push_back({.name = std::string(name) + "IsRemovedAmidAQuery",
                     .ending = recovers(),
                     .interlude = Interlude{Place::query, act}});
  }
  cases.push_back({.name = "StoreIsRemovedAmidTheClip",
                   .ending = kept(GST_RESOURCE_ERROR_NOT_FOUND),
                   .interlude = Interlude{Place::media, remove_store}});
  cases.push_back({.name = "FolderIsRemovedAmidTheClip",
                   .ending = kept(GST_RESOURCE_ERROR_NOT_FOUND),
                   .interlude = Interlude{Place::media, remove_folder}});
  cases.push_back({.name = "PartIsRemovedAmidTheClip",
                   .ending = kept(GST_RESOURCE_ERROR_NOT_FOUND),
                   .interlude = Interlude{Place::media, remove_part}});
  cases.push_back({.name = "RecordIsRemovedAmidTheClip",
                   .ending = recovers(),
                   .interlude = Interlude{Place::media, remove_record}});
}

std::vector<FaultCase> file_cases() {
  std::vector<FaultCase> cases;
  add_before_the_submit(cases);
  add_at_the_id(cases);
  add_at_the_clip(cases);
  add_reads_of_a_stored_clip(cases);
  add_removals(cases);
  return cases;
}

FAULT_TABLE(FileFault, file_cases);

}  // namespace
}  // namespace genclip::test
