// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The real folder has the latest state; beside it stands what a power cut would leave.
#include "tests/support/lossy_file_system.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "plugin/base/durable_file.h"

namespace genclip::test {
namespace {

std::string contents_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

Error dead() { return {ErrorKind::write, "The process is dead."}; }

bool is_below(const std::string &path, const std::string &folder) { return path.starts_with(folder + "/"); }

// Gives everything below `from` its name below `to`.
template <typename Map>
void move_names(Map &names, const std::string &from, const std::string &to) {
  Map moved;
  for (auto &[path, node] : names)
    moved[is_below(path, from) ? to + path.substr(from.size()) : path] = std::move(node);
  names = std::move(moved);
}

}  // namespace

class LossyFile final : public File {
 public:
  LossyFile(LossyFileSystem &files, std::unique_ptr<File> real, std::shared_ptr<LossyFileSystem::Node> node,
            unsigned life)
      : files_(files), real_(std::move(real)), node_(std::move(node)), life_(life) {}

  Result<size_t> read_at(uint64_t offset, std::span<std::byte> target) override {
    MutexLock lock(files_.mutex_);
    if (auto error = begin()) return std::move(*error);
    const auto count = real_->read_at(offset, target);
    if (count) files_.bytes_read_ += *count;
    return count;
  }

  Result<void> write_at(uint64_t offset, std::span<const std::byte> source) override {
    MutexLock lock(files_.mutex_);
    if (auto error = begin()) {
      if (life_ == files_.life_ && files_.operations_ == files_.dies_at_)
        static_cast<void>(real_->write_at(offset, source.first(source.size() / 2)));
      return std::move(*error);
    }
    const auto size = real_->size();
    if (!size) return size.error();
    const uint64_t used = files_.used();
    const uint64_t end = offset + source.size();
    const uint64_t growth = end > *size ? end - *size : 0;
    if (!files_.space_ || used + growth <= *files_.space_) return real_->write_at(offset, source);
    const uint64_t missing = used + growth - *files_.space_;
    const size_t fits = source.size() - static_cast<size_t>(std::min<uint64_t>(missing, source.size()));
    static_cast<void>(real_->write_at(offset, source.first(fits)));
    return Error{ErrorKind::no_space_left, "No space left on device."};
  }

  Result<uint64_t> size() override {
    MutexLock lock(files_.mutex_);
    if (auto error = begin()) return std::move(*error);
    return real_->size();
  }

  Result<void> truncate(uint64_t size) override {
    MutexLock lock(files_.mutex_);
    if (auto error = begin()) return std::move(*error);
    return real_->truncate(size);
  }

  void begin_sync(uint64_t offset, uint64_t size) override {
    MutexLock lock(files_.mutex_);
    files_.begun_.emplace_back(offset, offset + size);
  }

  Result<void> sync() override {
    MutexLock lock(files_.mutex_);
    if (auto error = begin()) return std::move(*error);
    const auto size = real_->size();
    if (!size) return size.error();
    node_->synced.resize(*size);
    const auto read = real_->read_at(0, std::as_writable_bytes(std::span(node_->synced)));
    if (!read) return read.error();
    return {};
  }

 private:
  std::optional<Error> begin() REQUIRES(files_.mutex_) {
    return life_ == files_.life_ ? files_.count_operation() : dead();
  }

  LossyFileSystem &files_;
  const std::unique_ptr<File> real_;
  const std::shared_ptr<LossyFileSystem::Node> node_;
  const unsigned life_;
};

LossyFileSystem::LossyFileSystem(std::string root) : root_(std::move(root)) {}

uint64_t LossyFileSystem::bytes_read() const {
  MutexLock lock(mutex_);
  return bytes_read_;
}

std::vector<std::pair<uint64_t, uint64_t>> LossyFileSystem::begun() const {
  MutexLock lock(mutex_);
  return begun_;
}

size_t LossyFileSystem::operations() const {
  MutexLock lock(mutex_);
  return operations_;
}

void LossyFileSystem::die_at(size_t operation) {
  MutexLock lock(mutex_);
  dies_at_ = operation;
}

bool LossyFileSystem::is_dead() const {
  MutexLock lock(mutex_);
  return dies_at_ != 0 && operations_ >= dies_at_;
}

void LossyFileSystem::fail_at(size_t operation, Error error) {
  MutexLock lock(mutex_);
  fails_at_ = operation;
  failure_ = std::move(error);
}

void LossyFileSystem::limit_space(std::optional<uint64_t> bytes) {
  MutexLock lock(mutex_);
  space_ = bytes;
}

std::optional<Error> LossyFileSystem::count_operation() {
  ++operations_;
  if (dies_at_ != 0 && operations_ >= dies_at_) return dead();
  if (operations_ == fails_at_) return failure_;
  return std::nullopt;
}

uint64_t LossyFileSystem::used() const {
  uint64_t bytes = 0;
  for (const auto &[path, node] : live_) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(path, missing);
    if (!missing) bytes += size;
  }
  return bytes;
}

void LossyFileSystem::keep_latest(const std::string &path) {
  if (const auto found = live_.find(path); found != live_.end()) found->second->latest = contents_of(path);
}

void LossyFileSystem::crash(Loss loss) {
  MutexLock lock(mutex_);
  for (const auto &[path, node] : live_) node->latest = contents_of(path);
  const bool keeps_names = loss == Loss::nothing || loss == Loss::contents;
  const bool keeps_contents = loss == Loss::nothing || loss == Loss::names;
  if (!keeps_names) live_ = durable_;
  if (!keeps_names) live_folders_ = durable_folders_;
  // A name is of use in a folder that has kept its own; parents come first in the set.
  for (auto folder = live_folders_.begin(); folder != live_folders_.end();) {
    const std::string parent = folder_of(*folder);
    const bool is_reachable = parent == root_ || live_folders_.contains(parent);
    folder = is_reachable ? std::next(folder) : live_folders_.erase(folder);
  }
  for (const auto &entry : std::filesystem::directory_iterator(root_)) std::filesystem::remove_all(entry);
  for (const std::string &folder : live_folders_) std::filesystem::create_directories(folder);
  std::erase_if(live_, [](const auto &entry) { return !std::filesystem::exists(folder_of(entry.first)); });
  for (auto &[path, node] : live_) {
    std::string contents = keeps_contents ? node->latest : node->synced;
    std::ofstream(path, std::ios::binary) << contents;
    node = std::make_shared<Node>(Node{std::move(contents), ""});
  }
  durable_ = live_;
  durable_folders_ = live_folders_;
  moved_folders_.clear();
  operations_ = dies_at_ = fails_at_ = 0;
  ++life_;
}

Result<std::unique_ptr<File>> LossyFileSystem::open(const std::string &path, Mode mode) {
  MutexLock lock(mutex_);
  if (auto error = count_operation()) return std::move(*error);
  auto file = real_.open(path, mode);
  if (!file) return file;
  auto &node = live_[path];
  if (!node) node = std::make_shared<Node>();
  return std::unique_ptr<File>(std::make_unique<LossyFile>(*this, std::move(file).value(), node, life_));
}

Result<void> LossyFileSystem::rename(const std::string &from, const std::string &to) {
  MutexLock lock(mutex_);
  if (auto error = count_operation()) return std::move(*error);
  keep_latest(to);
  if (auto renamed = real_.rename(from, to); !renamed) return renamed;
  if (live_folders_.erase(from) != 0) {
    live_folders_.insert(to);
    moved_folders_.emplace_back(from, to);
    move_names(live_, from, to);
  } else if (const auto found = live_.find(from); found != live_.end()) {
    live_[to] = found->second;
    live_.erase(from);
  }
  return {};
}

Result<void> LossyFileSystem::remove(const std::string &path) {
  MutexLock lock(mutex_);
  if (auto error = count_operation()) return std::move(*error);
  keep_latest(path);
  if (auto removed = real_.remove(path); !removed) return removed;
  live_.erase(path);
  live_folders_.erase(path);
  return {};
}

Result<void> LossyFileSystem::make_folder(const std::string &path) {
  MutexLock lock(mutex_);
  if (auto error = count_operation()) return std::move(*error);
  if (auto made = real_.make_folder(path); !made) return made;
  for (std::string folder = path; is_below(folder, root_); folder = folder_of(folder))
    live_folders_.insert(folder);
  return {};
}

Result<void> LossyFileSystem::sync_folder(const std::string &path) {
  MutexLock lock(mutex_);
  if (auto error = count_operation()) return std::move(*error);
  for (const auto &[from, to] : moved_folders_)
    if (folder_of(from) == path) move_names(durable_, from, to);
  std::erase_if(moved_folders_, [&](const auto &move) { return folder_of(move.first) == path; });
  const auto is_in = [&](const std::string &name) { return folder_of(name) == path; };
  std::erase_if(durable_, [&](const auto &entry) { return is_in(entry.first); });
  for (const auto &entry : live_)
    if (is_in(entry.first)) durable_.insert(entry);
  std::erase_if(durable_folders_, is_in);
  for (const std::string &folder : live_folders_)
    if (is_in(folder)) durable_folders_.insert(folder);
  return {};
}

Result<std::vector<std::string>> LossyFileSystem::list(const std::string &path) {
  MutexLock lock(mutex_);
  if (auto error = count_operation()) return std::move(*error);
  return real_.list(path);
}

Result<std::optional<FileInfo>> LossyFileSystem::info(const std::string &path) {
  MutexLock lock(mutex_);
  if (auto error = count_operation()) return std::move(*error);
  return real_.info(path);
}

std::optional<uint64_t> LossyFileSystem::free_space(const std::string &path) {
  MutexLock lock(mutex_);
  if (!space_) return real_.free_space(path);
  return *space_ - std::min(*space_, used());
}

Result<void> LossyFileSystem::touch(const std::string &path) {
  MutexLock lock(mutex_);
  if (auto error = count_operation()) return std::move(*error);
  return real_.touch(path);
}

}  // namespace genclip::test
