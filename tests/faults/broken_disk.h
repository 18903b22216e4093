// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Files below a folder that fail like those of a broken disk.
#pragma once

#include <string>

#include "tests/support/disk_calls.h"

namespace genclip::test {

struct DiskFault {
  FileCall call = FileCall::write;
  std::string name;    // The last part of the path; of a rename's source. Empty: any.
  int code = 0;        // errno.
  unsigned after = 0;  // So many calls go well before.
  unsigned times = 0;  // 0: until the disk is mended.
};

// Any thread; each folder has its own faults.
void break_disk(const std::string &folder, DiskFault fault);
void mend_disk(const std::string &folder);

}  // namespace genclip::test
