// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/boot_id.h"

#include <array>

#include "plugin/base/file_system.h"
#include "plugin/base/mutex.h"

namespace genclip {
namespace {

std::string read_boot_id() {
  std::array<std::byte, 64> bytes;
  auto file = FileSystem::posix().open("/proc/sys/kernel/random/boot_id", FileSystem::Mode::read);
  if (!file) return "";
  const auto count = (*file)->read_at(0, bytes);
  if (!count) return "";
  std::string id(reinterpret_cast<const char *>(bytes.data()), *count);
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

}  // namespace

std::string current_boot() {
  struct Known {
    Mutex mutex;
    std::string id GUARDED_BY(mutex);
  };
  static auto &known = *new Known;  // Never destroyed: threads may outlive main().
  MutexLock lock(known.mutex);
  if (known.id.empty()) known.id = read_boot_id();
  return known.id;
}

}  // namespace genclip
