// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A real full disk, from the start or from some moment on, if this machine allows mounts.
#include <gtest/gtest.h>

#include "tests/faults/play.h"

namespace genclip::test {
namespace {

constexpr size_t kDisk = 1 << 20;

void mount(Scene &scene) { scene.mount_disk(kDisk); }
void make_room(Scene &scene) { scene.make_room(); }

std::vector<FaultCase> full_disk_cases() {
  std::vector<FaultCase> cases;
  for (const size_t left : {0, 1, 2, 3, 4, 5, 6, 8}) {
    const std::string name = "With" + std::to_string(left) + "BlocksLeft";
    const auto fill = [left](Scene &scene) { scene.fill_disk(left * 4096); };
    // Where the intent and its spare fit, the ID does too: then the run fails later, and its task is kept.
    cases.push_back({.name = "FullOnceSubmitted" + name,
                     .ending = kept(GST_RESOURCE_ERROR_NO_SPACE_LEFT),
                     .break_it = mount,
                     .mend = make_room,
                     .interlude = Interlude{Place::submit, fill}});
    cases.push_back({.name = "FullOnceQueried" + name,
                     .ending = kept(GST_RESOURCE_ERROR_NO_SPACE_LEFT),
                     .break_it = mount,
                     .mend = make_room,
                     .interlude = Interlude{Place::query, fill}});
    cases.push_back({.name = "FullAmidTheClip" + name,
                     .ending = kept(GST_RESOURCE_ERROR_NO_SPACE_LEFT),
                     .break_it = mount,
                     .mend = make_room,
                     .interlude = Interlude{Place::media, fill}});
  }
  return cases;
}

FAULT_TABLE(FullDiskFault, full_disk_cases);

}  // namespace
}  // namespace genclip::test
