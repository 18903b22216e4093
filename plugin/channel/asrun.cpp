// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/asrun.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <vector>

#include "plugin/base/utc_time.h"

namespace genclip {
namespace {

constexpr char kNewline = '\n';
// Of the end of a log: some hundred lines. A channel that starts again asks for the last one.
constexpr uint64_t kTail = uint64_t{256} << 10;

void set_text(Json &json, const char *name, const std::string &text) {
  if (!text.empty()) json.set(name, text);
}

// Two decimals: what was measured is not more exact.
void set_level(Json &json, const char *name, double level) {
  if (level != 0 && std::isfinite(level)) json.set(name, std::round(level * 100) / 100);
}

void set_media(Json &json, const ReadyMedia &media) {
  set_text(json, "source", media.source);
  set_text(json, "task_id", media.task_id);
  if (!media.task_id.empty()) json.set("take", media.take);
}

}  // namespace

Json to_json(const AsRunEntry &entry) {
  const Piece &piece = entry.piece;
  Json json;
  json.set("run", entry.run);
  json.set("utc", utc_text(to_utc(entry.utc)));
  json.set("frame", static_cast<int64_t>(piece.start));
  set_text(json, "id", piece.id);
  if (piece.kind == PieceKind::clip) json.set("turn", static_cast<int64_t>(piece.turn));
  set_text(json, "title", piece.title);
  json.set("kind", to_word(piece.kind));
  set_text(json, "for", piece.stands_for);
  set_text(json, "reason", piece.reason);
  if (piece.media) set_media(json, *piece.media);
  if (piece.planned_at) json.set("planned_at", utc_text(to_utc(*piece.planned_at)));
  json.set("duration_frames", static_cast<int64_t>(piece.frames));
  if (entry.played_frames) json.set("played_frames", static_cast<int64_t>(*entry.played_frames));
  if (!piece.media) return json;
  set_level(json, "lufs", piece.media->lufs);
  json.set("gain_db", std::round(piece.media->gain_db * 100) / 100);
  set_text(json, "gain_note", piece.media->gain_note);
  if (entry.credits > 0) json.set("credits", entry.credits);
  return json;
}

Result<void> append_asrun(FileSystem &files, const std::string &path, const std::string &lines) {
  auto file = files.open(resolved_path(path), FileSystem::Mode::read_write);
  if (!file) return std::move(file).error();
  const auto size = (*file)->size();
  if (!size) return size.error();
  std::string text;
  if (*size > 0) {
    std::byte last{};
    const auto count = (*file)->read_at(*size - 1, std::span(&last, 1));
    if (!count) return count.error();
    if (last != std::byte{kNewline}) text = kNewline;
  }
  text += lines;
  if (auto written = (*file)->write_at(*size, std::as_bytes(std::span(text))); !written) {
    // What did not fit would tear the next line too.
    static_cast<void>((*file)->truncate(*size));
    return written;
  }
  auto synced = (*file)->sync();
  // They are written again, and must not be there twice.
  if (!synced) static_cast<void>((*file)->truncate(*size));
  return synced;
}

void AsRunLog::add(const Json &line) {
  MutexLock lock(mutex_);
  if (waiting_.size() >= kMostWaiting) waiting_.erase(waiting_.begin());
  waiting_.push_back(line.to_text() + kNewline);
}

void AsRunLog::add_first(const Json &line) {
  MutexLock lock(mutex_);
  put_first({line.to_text() + kNewline});
}

void AsRunLog::put_first(std::vector<std::string> lines) {
  lines.insert(lines.end(), std::make_move_iterator(waiting_.begin()),
               std::make_move_iterator(waiting_.end()));
  if (lines.size() > kMostWaiting)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kMostWaiting));
  waiting_ = std::move(lines);
}

Result<void> AsRunLog::write_waiting() {
  for (;;) {
    std::vector<std::string> lines;
    {
      MutexLock lock(mutex_);
      if (waiting_.empty()) return {};
      lines.swap(waiting_);
      writing_ = lines.size();
    }
    std::string text;
    for (const std::string &line : lines) text += line;
    auto written = append_asrun(files_, path_, text);
    MutexLock lock(mutex_);
    writing_ = 0;
    if (written) continue;
    put_first(std::move(lines));
    return written;
  }
}

size_t AsRunLog::waiting() const {
  MutexLock lock(mutex_);
  return waiting_.size() + writing_;
}

Json killed_line(Json shown) {
  const Json *known = shown.find("reason");
  const std::string *reason = known ? known->string() : nullptr;
  shown.set("reason", (reason ? *reason + " " : std::string()) + "The channel was killed.");
  return shown;
}

Result<bool> has_asrun_line(FileSystem &files, const std::string &named, const Json &line) {
  const std::string path = resolved_path(named);
  const auto info = files.info(path);
  if (!info) return info.error();
  if (!*info) return false;
  auto file = files.open(path, FileSystem::Mode::read);
  if (!file) return std::move(file).error();
  const auto size = (*file)->size();
  if (!size) return size.error();
  std::string tail(static_cast<size_t>(std::min(*size, kTail)), '\0');
  const auto count =
      (*file)->read_at(*size - tail.size(), std::as_writable_bytes(std::span(tail.data(), tail.size())));
  if (!count) return count.error();
  tail.resize(*count);
  std::istringstream lines(tail);
  for (std::string text; std::getline(lines, text);) {
    const auto json = Json::parse(text);
    if (!json || !json->object()) continue;  // Torn.
    const auto is_same = [&](const char *name) {
      const Json *there = json->find(name), *wanted = line.find(name);
      return there && wanted && *there == *wanted;
    };
    if (is_same("run") && is_same("frame")) return true;
  }
  return false;
}

}  // namespace genclip
