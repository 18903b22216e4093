// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A file without a name, which disappears with this object, or with the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "plugin/base/result.h"

namespace genclip {

class TemporaryFile {
 public:
  TemporaryFile() = default;
  ~TemporaryFile();
  TemporaryFile(TemporaryFile &&other) noexcept;
  TemporaryFile &operator=(TemporaryFile &&other) noexcept;

  // In the system's folder for such files ($TMPDIR).
  static Result<TemporaryFile> create();

  // Appends.
  Result<void> write(std::span<const std::byte> bytes);
  // Returns fewer bytes at the end, and where the file cannot be read.
  std::string read_at(uint64_t offset, size_t size) const;
  // A URI under which this process can open it.
  std::string uri() const;

 private:
  explicit TemporaryFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace genclip
