// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A folder that goes with its test, and a current folder that lasts as long.
#pragma once

#include <filesystem>
#include <random>
#include <string>

namespace genclip::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::random_device random;
    do {
      path_ = std::filesystem::temp_directory_path() / ("genclip-test-" + std::to_string(random()));
    } while (!std::filesystem::create_directory(path_));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string path() const { return path_.string(); }
  std::string file(const std::string &name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// The process's current folder for as long as this lives.
class CurrentFolder {
 public:
  explicit CurrentFolder(const std::string &path) { std::filesystem::current_path(path); }
  ~CurrentFolder() { std::filesystem::current_path(before_); }
  CurrentFolder(const CurrentFolder &) = delete;
  CurrentFolder &operator=(const CurrentFolder &) = delete;

 private:
  const std::filesystem::path before_ = std::filesystem::current_path();
};

}  // namespace genclip::test
