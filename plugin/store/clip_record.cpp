// SPDX-License-Identifier: LGPL-2.1-or-later
//
// ClipRecord to and from JSON, version 1.
#include "plugin/store/clip_record.h"

#include <optional>

namespace genclip {
namespace {

constexpr int64_t kVersion = 1;

struct StateWord {
  ClipState state;
  std::string_view word;
};

constexpr StateWord kStateWords[] = {
    {ClipState::intent, "intent"},   {ClipState::ambiguous, "ambiguous"},
    {ClipState::refused, "refused"}, {ClipState::submitted, "submitted"},
    {ClipState::failed, "failed"},   {ClipState::complete, "complete"},
};

std::optional<ClipState> state_of(std::string_view word) {
  for (const StateWord &entry : kStateWords)
    if (entry.word == word) return entry.state;
  return std::nullopt;
}

std::string text_of(const Json &json, std::string_view key) {
  const Json *member = json.find(key);
  return member && member->string() ? *member->string() : std::string();
}

// Never negative.
int64_t count_of(const Json &json, std::string_view key) {
  const Json *member = json.find(key);
  return member && member->integer() && *member->integer() > 0 ? *member->integer() : 0;
}

double quantity_of(const Json &json, std::string_view key) {
  const Json *member = json.find(key);
  return member ? member->number().value_or(-1) : -1;
}

void set_text(Json &json, std::string_view key, const std::string &text) {
  if (!text.empty()) json.set(key, text);
}

void set_count(Json &json, std::string_view key, uint64_t count) {
  if (count != 0) json.set(key, static_cast<int64_t>(count));
}

Error damaged(const std::string &what) { return {ErrorKind::read, what}; }

}  // namespace

std::string_view to_word(ClipState state) {
  for (const StateWord &entry : kStateWords)
    if (entry.state == state) return entry.word;
  return "intent";
}

Json ClipRecord::to_json() const {
  Json json;
  json.set("version", kVersion);
  json.set("state", to_word(state));
  set_text(json, "model", model);
  set_text(json, "task_id", task_id);
  if (amount >= 0) json.set("amount", amount);
  if (actual_duration >= 0) json.set("actual_duration", actual_duration);
  set_count(json, "submitted_at", static_cast<uint64_t>(submitted_at));
  set_count(json, "updated_at", static_cast<uint64_t>(updated_at));
  set_text(json, "error", error);
  if (!clip_name.empty()) {
    Json clip;
    clip.set("file", clip_name);
    clip.set("size", static_cast<int64_t>(clip_size));
    set_text(clip, "media_type", media_type);
    json.set("clip", clip);
  } else if (!part.boot.empty()) {
    Json download;
    set_count(download, "total", part.total);
    set_count(download, "synced", part.synced);
    set_text(download, "etag", part.etag);
    set_text(download, "last_modified", part.last_modified);
    set_text(download, "boot", part.boot);
    json.set("download", download);
  }
  json.set("base_url", identity.base_url);
  json.set("api", identity.api);
  json.set("take", identity.take);
  json.set("request", identity.request);
  return json;
}

Result<ClipRecord> ClipRecord::from_json(const Json &json) {
  if (!json.object()) return damaged("it is no JSON object");
  const int64_t version = count_of(json, "version");
  if (version != kVersion)
    return damaged("its version is " + std::to_string(version) + ", this genclip reads " +
                   std::to_string(kVersion));
  const auto state = state_of(text_of(json, "state"));
  if (!state) return damaged("its state \"" + text_of(json, "state") + "\" is unknown");

  ClipRecord record;
  record.state = *state;
  record.model = text_of(json, "model");
  record.task_id = text_of(json, "task_id");
  record.amount = quantity_of(json, "amount");
  record.actual_duration = quantity_of(json, "actual_duration");
  record.submitted_at = count_of(json, "submitted_at");
  record.updated_at = count_of(json, "updated_at");
  record.error = text_of(json, "error");
  record.identity.base_url = text_of(json, "base_url");
  record.identity.api = text_of(json, "api");
  record.identity.take = static_cast<unsigned>(count_of(json, "take"));
  if (const Json *request = json.find("request")) record.identity.request = *request;
  if (const Json *download = json.find("download")) {
    record.part.total = static_cast<uint64_t>(count_of(*download, "total"));
    record.part.synced = static_cast<uint64_t>(count_of(*download, "synced"));
    record.part.etag = text_of(*download, "etag");
    record.part.last_modified = text_of(*download, "last_modified");
    record.part.boot = text_of(*download, "boot");
  }
  if (const Json *clip = json.find("clip")) {
    record.clip_name = text_of(*clip, "file");
    record.media_type = text_of(*clip, "media_type");
    record.clip_size = static_cast<uint64_t>(count_of(*clip, "size"));
  }

  if (record.state == ClipState::submitted && record.task_id.empty())
    return damaged("it is submitted but has no task_id");
  if (record.state == ClipState::complete &&
      (!ClipPath::is_clip_name(record.clip_name) || record.clip_size == 0))
    return damaged("it is complete but names no clip");
  return record;
}

}  // namespace genclip
