// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is read is never trusted; what is written is durable before the next step builds on it.
#include "plugin/store/clip_folder.h"

#include "plugin/base/durable_file.h"

namespace genclip {
namespace {
constexpr size_t kMaxRecordSize = 4 << 20;
}

Result<ClipFolder> ClipFolder::open(FileSystem &files, ClipPath path) {
  if (auto made = files.make_folder(path.folder()); !made) return std::move(made).error();
  return ClipFolder(files, std::move(path));
}

Result<void> ClipFolder::set_aside(const std::string &name, const std::string &why,
                                   const OnDamage &on_damage) {
  for (int number = 1;; ++number) {
    const std::string aside = path_.file(name) + ".damaged-" + std::to_string(number);
    const auto taken = files_.info(aside);
    if (!taken) return taken.error();
    if (*taken) continue;
    if (auto renamed = rename_durably(files_, path_.file(name), aside); !renamed) return renamed;
    on_damage(path_.file(name) + " is damaged (" + why + "). It was set aside as " + aside + ".");
    return {};
  }
}

Result<std::optional<ClipRecord>> ClipFolder::read_record(const OnDamage &on_damage) {
  const auto info = files_.info(path_.record());
  if (!info) return info.error();
  if (!*info) return std::optional<ClipRecord>();

  const auto read = [&]() -> Result<ClipRecord> {
    const auto text = read_whole(files_, path_.record(), kMaxRecordSize);
    if (!text) return text.error();
    const auto json = Json::parse(*text);
    if (!json) return json.error();
    return ClipRecord::from_json(*json);
  };
  auto record = read();
  if (record) return std::optional<ClipRecord>(std::move(record).value());
  if (auto aside = set_aside("task.json", record.error().text, on_damage); !aside) return aside.error();
  return std::optional<ClipRecord>();
}

Result<void> ClipFolder::write_record(const ClipRecord &record) {
  return write_durably(files_, path_.record(), record.to_json().to_pretty_text() + "\n");
}

Result<std::shared_ptr<File>> ClipFolder::open_clip(const ClipRecord &record, const OnDamage &on_damage) {
  const auto info = files_.info(path_.file(record.clip_name));
  if (!info) return info.error();
  if (!*info) {
    on_damage(path_.file(record.clip_name) + " is missing.");
    return std::shared_ptr<File>();
  }
  if (!(*info)->is_regular || (*info)->size != record.clip_size) {
    const std::string why =
        "it has " + std::to_string((*info)->size) + " bytes instead of " + std::to_string(record.clip_size);
    if (auto aside = set_aside(record.clip_name, why, on_damage); !aside) return aside.error();
    return std::shared_ptr<File>();
  }
  auto file = files_.open(path_.file(record.clip_name), FileSystem::Mode::read);
  if (!file) return std::move(file).error();
  return std::shared_ptr<File>(std::move(file).value());
}

Result<std::shared_ptr<File>> ClipFolder::open_part() {
  auto file = files_.open(path_.part(), FileSystem::Mode::read_write);
  if (!file) return std::move(file).error();
  return std::shared_ptr<File>(std::move(file).value());
}

Result<void> ClipFolder::commit(File &part, ClipRecord &record) {
  if (auto synced = part.sync(); !synced) return synced;
  // From here on a crash leaves what finish_commit needs to end it.
  record.state = ClipState::submitted;
  if (auto announced = write_record(record); !announced) return announced;
  if (auto renamed = rename_durably(files_, path_.part(), path_.file(record.clip_name)); !renamed)
    return renamed;
  record.state = ClipState::complete;
  return write_record(record);
}

Result<void> ClipFolder::finish_commit(ClipRecord &record) {
  if (record.state != ClipState::submitted || record.clip_name.empty()) return {};
  const auto has_its_size = [&](const std::string &path) -> Result<bool> {
    const auto info = files_.info(path);
    if (!info) return info.error();
    return *info && (*info)->is_regular && (*info)->size == record.clip_size;
  };
  auto renamed = has_its_size(path_.file(record.clip_name));
  if (!renamed) return std::move(renamed).error();
  if (!*renamed) {
    auto synced = has_its_size(path_.part());
    if (!synced) return std::move(synced).error();
    if (!*synced) return {};
    if (auto moved = rename_durably(files_, path_.part(), path_.file(record.clip_name)); !moved) return moved;
  }
  record.state = ClipState::complete;
  return write_record(record);
}

Result<void> ClipFolder::discard_part() { return files_.remove(path_.part()); }

}  // namespace genclip
