// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A GstStructure held by value.
#pragma once

#include <gst/gst.h>

#include <utility>

namespace genclip {

class StructureCopy {
 public:
  StructureCopy() = default;
  explicit StructureCopy(const GstStructure *source)
      : structure_(source ? gst_structure_copy(source) : nullptr) {}
  StructureCopy(const StructureCopy &other) : StructureCopy(other.structure_) {}
  StructureCopy(StructureCopy &&other) noexcept : structure_(std::exchange(other.structure_, nullptr)) {}
  StructureCopy &operator=(StructureCopy other) noexcept {
    std::swap(structure_, other.structure_);
    return *this;
  }
  ~StructureCopy() {
    if (structure_) gst_structure_free(structure_);
  }

  // Null when unset.
  const GstStructure *get() const { return structure_; }

 private:
  GstStructure *structure_ = nullptr;
};

}  // namespace genclip
