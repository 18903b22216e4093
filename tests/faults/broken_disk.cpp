// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Faults by folder.
#include "tests/faults/broken_disk.h"

#include <map>
#include <vector>

#include "plugin/base/mutex.h"

namespace genclip::test {
namespace {

struct Disk {
  Mutex mutex;
  std::map<std::string, std::vector<DiskFault>> faults GUARDED_BY(mutex);
};

Disk &disk() {
  static auto &disk = *new Disk;  // Never destroyed: threads may outlive main().
  return disk;
}

int meet(FileCall call, std::string &path, int) {
  const auto slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  MutexLock lock(disk().mutex);
  for (auto &[folder, faults] : disk().faults) {
    if (!path.starts_with(folder)) continue;
    for (DiskFault &fault : faults) {
      if (fault.call != call || fault.code == 0 || !(fault.name.empty() || fault.name == name)) continue;
      if (fault.after > 0) {
        --fault.after;
        continue;
      }
      const int code = fault.code;
      if (fault.times > 0 && --fault.times == 0) fault.code = 0;
      return code;
    }
  }
  return 0;
}

}  // namespace

void break_disk(const std::string &folder, DiskFault fault) {
  MutexLock lock(disk().mutex);
  disk().faults[folder].push_back(std::move(fault));
  set_disk_hook(meet);
}

void mend_disk(const std::string &folder) {
  MutexLock lock(disk().mutex);
  disk().faults.erase(folder);
}

}  // namespace genclip::test
