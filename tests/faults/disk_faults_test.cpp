// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A store that cannot be written, is full, is damaged, or contains foreign files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/faults/play.h"
#include "tests/support/file_content.h"

namespace genclip::test {
namespace {

using namespace std::string_literals;
namespace fs = std::filesystem;

void put_text(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

using Break = std::function<void(Scene &)>;

// Something else in place of a file of the clip's folder.
Break replace(const std::string &name, std::function<void(const std::string &path)> put) {
  return [=](Scene &scene) {
    const std::string path = scene.clip_file(name);
    ASSERT_NE(scene.clip_folder(), "");
    fs::remove_all(path);
    put(path);
  };
}

Break rewrite(const std::string &name, std::function<std::string(std::string)> change) {
  return [=](Scene &scene) {
    ASSERT_NE(scene.clip_folder(), "");
    const std::string path = scene.clip_file(name);
    put_text(path, change(content(path)));
  };
}

void put_folder(const std::string &path) { fs::create_directories(path + "/inside"); }
void put_pipe(const std::string &path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); }
void put_dangling_link(const std::string &path) { fs::create_symlink("/nowhere/at/all", path); }
void put_link_to_a_device(const std::string &path) { fs::create_symlink("/dev/zero", path); }
void put_loop(const std::string &path) { fs::create_symlink(path, path); }

struct Stranger {
  const char *name;
  void (*put)(const std::string &path);
};
constexpr Stranger kStrangers[] = {{"AFolder", put_folder},
                                   {"APipe", put_pipe},
                                   {"ADanglingLink", put_dangling_link},
                                   {"ALinkToADevice", put_link_to_a_device},
                                   {"ALoop", put_loop}};

// The whole clip is stored: damaged files are set aside and fetched again from the task, which the ledger
// names, too. Only a foreign folder without a clip looks like the folder of one that was removed.
void add_damage(std::vector<FaultCase> &cases) {
  const auto with_record = [&](const char *name, std::function<std::string(std::string)> change,
                               bool has_id) {
    cases.push_back({.name = std::string("RecordIs") + name,
                     .ending = warns(has_id ? "" : "charged, again", 1),
                     .break_it = rewrite("task.json", std::move(change)),
                     .stored_before = true});
  };
  const auto instead = [](std::string text) { return [text](const std::string &) { return text; }; };
  const auto with = [](std::string from, std::string to) {
    return [=](std::string text) {
      const auto place = text.find(from);
      EXPECT_NE(place, text.npos) << from << " in " << text;
      return place == text.npos ? text : text.replace(place, from.size(), to);
    };
  };
  with_record("Empty", instead(""), false);
  with_record("Nul", instead(std::string(500, '\0')), false);
  with_record("APage", instead("<html></html>"), false);
  with_record("Null", instead("null"), false);
  with_record("AList", instead("[]"), false);
  with_record("AnEmptyObject", instead("{}"), false);
  with_record("Binary", instead("\x80\xff\xfe{\0}"s), false);
  with_record("NestedDeeply", instead(std::string(200'000, '[')), false);
  with_record("Huge", instead("{\"a\":\"" + std::string(5 << 20, 'x') + "\"}"), false);
  with_record(
      "CutAtTheStart", [](const std::string &text) { return text.substr(0, 10); }, false);
  with_record(
      "CutAtTheEnd", [](const std::string &text) { return text.substr(0, text.size() - 4); }, true);
  with_record("OfNoVersion", with("\"version\"", "\"edition\""), true);
  with_record("OfAnUnknownState", with("\"complete\"", "\"wonderful\""), true);
  with_record("OfNoState", with("\"state\"", "\"estate\""), true);
  with_record("OfAClipElsewhere", with("\"clip.mp4\"", "\"../../../etc/passwd\""), true);
  with_record("OfAnAbsoluteClip", with("\"clip.mp4\"", "\"/etc/passwd\""), true);
  with_record("OfAClipOfNoName", with("\"file\"", "\"pile\""), true);
  with_record("OfNoSize", with("\"size\"", "\"sighs\""), true);
  with_record("OfAnotherSize", with("\"size\": 100000", "\"size\": 100001"), true);

  const auto with_clip = [&](const char *name, Break break_it) {
    cases.push_back({.name = std::string("ClipIs") + name,
                     .ending = recovers(),
                     .break_it = std::move(break_it),
                     .stored_before = true});
  };
  with_clip("Missing", [](Scene &scene) { fs::remove(scene.clip_file("clip.mp4")); });
  with_clip("Empty", rewrite("clip.mp4", instead("")));
  with_clip("Short", rewrite("clip.mp4", [](std::string clip) { return clip.substr(0, clip.size() - 1); }));
  with_clip("Long", rewrite("clip.mp4", [](const std::string &clip) { return clip + "x"; }));
  with_clip("APage", rewrite("clip.mp4", [](const std::string &clip) {
              return "<!DOCTYPE html>" + std::string(clip.size() - 15, ' ');
            }));
  with_clip("Zeroed",
            rewrite("clip.mp4", [](const std::string &clip) { return std::string(clip.size(), '\0'); }));

  for (const Stranger &stranger : kStrangers) {
    with_clip(stranger.name, replace("clip.mp4", stranger.put));
    cases.push_back({.name = std::string("RecordIs") + stranger.name,
                     .ending = recovers(),
                     .break_it = replace("task.json", stranger.put),
                     .stored_before = true});
    cases.push_back({.name = std::string("LockIs") + stranger.name,
                     .ending = recovers(),
                     .break_it =
                         [put = stranger.put](Scene &scene) {
                           fs::remove(scene.clip_file("clip.mp4"));  // So that the lock is needed.
                           replace("lock", put)(scene);
                         },
                     .stored_before = true});
    for (const char *name : {"clip.part", "task.json.tmp", "task.json.spare"})
      cases.push_back({.name = std::string(stranger.name) + "At" +
                               (name == "clip.part"s       ? "ThePart"
                                : name == "task.json.tmp"s ? "TheNextRecord"
                                                           : "TheSpare"),
                       .ending = recovers(),
                       .break_it =
                           [put = stranger.put, name](Scene &scene) {
                             fs::remove(scene.clip_file("clip.mp4"));
                             replace(name, put)(scene);
                           },
                       .stored_before = true});
    cases.push_back({.name = std::string("FolderIs") + stranger.name,
                     .ending = recovers(stranger.put == put_folder ? 2 : 1),
                     .break_it =
                         [put = stranger.put](Scene &scene) {
                           const std::string folder = scene.clip_folder();
                           fs::remove_all(folder);
                           // A foreign folder in its place is still a folder.
                           put(folder);
                         },
                     .stored_before = true});
  }
}

void add_stores(std::vector<FaultCase> &cases) {
  const auto at = [](const char *name, std::string store, GstResourceError code) {
    return FaultCase{.name = std::string("StoreIs") + name,
                     .ending = nothing_sent(code),
                     .settings = {{"store", std::move(store)}}};
  };
  cases.push_back(at("BelowAFile", "/dev/null/store", GST_RESOURCE_ERROR_OPEN_WRITE));
  cases.push_back(at("BelowProc", "/proc/genclip-store", GST_RESOURCE_ERROR_OPEN_WRITE));
  cases.push_back(at("OfTooLongAName", "/tmp/" + std::string(300, 'x'), GST_RESOURCE_ERROR_OPEN_WRITE));
  cases.push_back({.name = "StoreIsAFile",
                   .ending = nothing_sent(GST_RESOURCE_ERROR_OPEN_WRITE),
                   .break_it = [](Scene &scene) { put_text(scene.store(), "here I am"); },
                   .mend = [](Scene &scene) { fs::remove(scene.store()); }});
  cases.push_back({.name = "StoreVanishesBetweenTwoRuns",
                   .ending = recovers(2),
                   .break_it = [](Scene &scene) { fs::remove_all(scene.store()); },
                   .stored_before = true});
}

std::vector<FaultCase> disk_cases() {
  std::vector<FaultCase> cases;
  add_damage(cases);
  add_stores(cases);
  return cases;
}

FAULT_TABLE(StoreFault, disk_cases);

}  // namespace
}  // namespace genclip::test
