// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Unknown values are null, so that every clip in a list has the same members.
#include "plugin/command/store_json.h"

#include "plugin/base/shell_word.h"
#include "plugin/store/clip_cost.h"

namespace genclip {
namespace {

constexpr size_t kShortKey = 8;  // The shortest that find_stored takes.

Json text_or_null(const std::string &text) { return text.empty() ? Json() : Json(text); }
Json amount_or_null(double amount) { return amount < 0 ? Json() : Json(amount); }
Json time_or_null(int64_t time) { return time <= 0 ? Json() : Json(time); }

}  // namespace

std::string state_word(const StoredClip &clip) {
  if (clip.record) return to_word(clip.record->state);
  return clip.is_damaged ? "damaged" : "unreadable";
}

std::string short_key(const StoredClip &clip) { return clip.digest.substr(0, kShortKey); }

std::string fetch_hint(const StoredClip &clip) {
  const ClipRecord *record = clip.whole();
  if (!record && clip.record) record = &*clip.record;
  if (!record || record->task_id.empty()) return {};
  const unsigned result = result_of(*record);
  return " To get it again: genclip store fetch " +
         (result > 1 ? "--result " + std::to_string(result) + " " : "") + shell_operand(record->task_id);
}

std::string seed_text(const StoredClip &clip) {
  const Json *seed = clip.record ? clip.record->identity.request.find("seed") : nullptr;
  return seed && seed->number() ? seed->to_text() : "";
}

Json stored_json(const StoredClip &clip) {
  const ClipRecord record = clip.record.value_or(ClipRecord{});
  const Json *seed = record.identity.request.find("seed");
  return Json::Object{{"key", clip.digest},
                      {"state", state_word(clip)},
                      {"model", text_or_null(record.model)},
                      {"prompt", text_or_null(clip.prompt())},
                      {"take", record.identity.take},
                      {"seed", seed ? *seed : Json()},
                      {"task_id", text_or_null(record.task_id)},
                      {"amount", amount_or_null(told_cost(clip))},
                      {"actual_duration", amount_or_null(record.actual_duration)},
                      {"size", static_cast<int64_t>(clip.size)},
                      {"submitted_at", time_or_null(record.submitted_at)},
                      {"last_used", time_or_null(clip.last_used)},
                      {"clip", text_or_null(clip.clip_path)},
                      {"pinned", clip.pinned},
                      {"updated_at", time_or_null(record.updated_at)},
                      {"problem", text_or_null(clip.record ? record.error : clip.problem)}};
}

Json stored_details_json(const StoredClip &clip) {
  Json json = stored_json(clip);
  json.set("folder", clip.folder);
  if (!clip.record) return json;
  const ClipRecord &record = *clip.record;
  json.set("base_url", record.identity.base_url);
  json.set("api", record.identity.api);
  json.set("request", record.identity.request);
  json.set("media_type", text_or_null(record.media_type));
  json.set("error", text_or_null(record.error));
  json.set("unanswered_submits", static_cast<int64_t>(record.unanswered_submits));
  json.set("earlier_tasks", Json::Array(record.earlier_tasks.begin(), record.earlier_tasks.end()));
  return json;
}

}  // namespace genclip
