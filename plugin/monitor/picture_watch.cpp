// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/picture_watch.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace genclip {
namespace {

constexpr int kVisible = 2;  // Levels of luma, as the mean of a cell.
constexpr size_t kLineStep = 4;
constexpr float kSilence = 0.001F;

}  // namespace

// The mean of each cell, from every fourth line. A frame that is smaller than the grid has empty cells.
PictureWatch::Cells PictureWatch::cells_of(const uint8_t *luma, size_t width, size_t height, size_t stride) {
  Cells cells = {};
  for (size_t row = 0; row < kRows; ++row) {
    const size_t top = row * height / kRows, bottom = (row + 1) * height / kRows;
    for (size_t column = 0; column < kColumns; ++column) {
      const size_t left = column * width / kColumns, right = (column + 1) * width / kColumns;
      uint64_t sum = 0, count = 0;
      for (size_t y = top; y < bottom; y += kLineStep) {
        for (const uint8_t *at = luma + y * stride + left; at < luma + y * stride + right; ++at) sum += *at;
        count += right - left;
      }
      cells[row * kColumns + column] = count > 0 ? static_cast<uint8_t>(sum / count) : 0;
    }
  }
  return cells;
}

void PictureWatch::see(const uint8_t *luma, size_t width, size_t height, size_t stride,
                       std::chrono::nanoseconds duration) {
  const Cells cells = cells_of(luma, width, height, stride);
  MutexLock lock(mutex_);
  // Compared with the first still frame, not with the one before: a slow fade is a change, too.
  const bool same = has_seen_ && std::equal(cells.begin(), cells.end(), seen_.begin(), [](int now, int then) {
                      return std::abs(now - then) < kVisible;
                    });
  has_seen_ = true;
  if (!same) seen_ = cells;
  still_for_ = same ? still_for_ + duration : std::chrono::nanoseconds(0);
}

void PictureWatch::hear(std::span<const float> samples, std::chrono::nanoseconds duration) {
  const bool silent =
      std::all_of(samples.begin(), samples.end(), [](float sample) { return std::fabs(sample) < kSilence; });
  MutexLock lock(mutex_);
  silent_for_ = silent ? silent_for_ + duration : std::chrono::nanoseconds(0);
}

std::chrono::nanoseconds PictureWatch::still_for() const {
  MutexLock lock(mutex_);
  return still_for_;
}

std::chrono::nanoseconds PictureWatch::silent_for() const {
  MutexLock lock(mutex_);
  return silent_for_;
}

}  // namespace genclip
