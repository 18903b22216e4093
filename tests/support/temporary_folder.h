// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A folder that goes with its test, and a current folder that lasts as long.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

namespace genclip::test {

// Under the model of NFS (nfs_preload.cpp), the folder as one machine has it, and as another one has it; else
// both are the same.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::random_device random;
    do {
      made_ = std::filesystem::temp_directory_path() / ("genclip-test-" + std::to_string(random()));
    } while (!std::filesystem::create_directory(made_));
    path_ = other_path_ = made_;
    if (!std::getenv("GENCLIP_TEST_NFS")) return;
    path_ = made_ / "machine-1";
    other_path_ = made_ / "machine-2";
    std::filesystem::create_directory(made_ / "server");
    std::filesystem::create_symlink("server", path_);
    std::filesystem::create_symlink("server", other_path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(made_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string path() const { return path_.string(); }
  std::string file(const std::string &name) const { return (path_ / name).string(); }
  std::string file_on_other(const std::string &name) const { return (other_path_ / name).string(); }

 private:
  std::filesystem::path made_, path_, other_path_;
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
