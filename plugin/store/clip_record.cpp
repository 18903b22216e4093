// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/store/clip_record.h"

#include <algorithm>
#include <climits>

#include "plugin/base/credits.h"
#include "plugin/base/number.h"
#include "plugin/base/shown_text.h"

namespace genclip {
namespace {

constexpr size_t kMaxEarlierTasks = 100;

constexpr int64_t kVersion = 1;
constexpr size_t kMaxErrorSize = 4096;

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

// A later version, or a tool in between, may spell its number in any way; what is taken for damaged is paid
// again.
bool is_of_newer(const Json &version) {
  const auto number = version.number();
  return !number || *number > kVersion;
}

std::string version_text(const Json &version) {
  const auto number = version.number();
  return number ? number_text(*number) : shown_line(version.to_text(), 40);
}

void set_text(Json &json, std::string_view key, const std::string &text) {
  if (!text.empty()) json.set(key, text);
}

// Bounds the journal's size, whatever the service says.
std::string shortened(const std::string &text) {
  if (text.size() <= kMaxErrorSize) return text;
  size_t end = kMaxErrorSize;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

void set_count(Json &json, std::string_view key, uint64_t count) {
  if (count != 0) json.set(key, static_cast<int64_t>(count));
}

void set_tasks(Json &json, std::string_view key, const std::vector<std::string> &tasks) {
  if (!tasks.empty()) json.set(key, Json::Array(tasks.begin(), tasks.end()));
}

std::vector<std::string> tasks_of(const Json &json, std::string_view key) {
  std::vector<std::string> tasks;
  if (const Json *member = json.find(key); member && member->array())
    for (const Json &task : *member->array())
      if (task.string() && is_all_shown(*task.string())) tasks.push_back(*task.string());
  return tasks;
}

Json download_json(const PartState &part) {
  Json download;
  set_count(download, "total", part.total);
  set_count(download, "synced", part.synced);
  set_text(download, "etag", part.etag);
  set_text(download, "last_modified", part.last_modified);
  set_text(download, "boot", part.boot);
  set_count(download, "restarts", part.restarts);
  set_text(download, "field", part.field);
  return download;
}

PartState read_download(const Json &download) {
  PartState part;
  part.total = static_cast<uint64_t>(count_of(download, "total"));
  part.synced = static_cast<uint64_t>(count_of(download, "synced"));
  part.etag = usable_validator(text_of(download, "etag"));
  part.last_modified = usable_validator(text_of(download, "last_modified"));
  part.boot = text_of(download, "boot");
  part.restarts = static_cast<uint64_t>(count_of(download, "restarts"));
  part.field = text_of(download, "field");
  return part;
}

Json references_json(const std::vector<UsedReference> &references) {
  Json::Array array;
  for (const UsedReference &reference : references) {
    Json json;
    set_text(json, "field", reference.field);
    json.set("index", reference.index);
    set_text(json, "sha256", reference.sha256);
    set_text(json, "copy", reference.copy);
    set_text(json, "clip", reference.clip);
    set_text(json, "task_id", reference.task_id);
    array.push_back(std::move(json));
  }
  return array;
}

std::vector<UsedReference> read_references(const Json &json) {
  std::vector<UsedReference> references;
  if (!json.array()) return references;
  for (const Json &item : *json.array()) {
    UsedReference reference;
    reference.field = text_of(item, "field");
    reference.index = static_cast<unsigned>(count_of(item, "index"));
    reference.sha256 = text_of(item, "sha256");
    reference.copy = text_of(item, "copy");
    reference.clip = text_of(item, "clip");
    reference.task_id = text_of(item, "task_id");
    references.push_back(std::move(reference));
  }
  return references;
}

Json further_json(const std::vector<FurtherResult> &results) {
  Json::Array array;
  for (const FurtherResult &result : results) {
    Json json;
    set_text(json, "field", result.field);
    set_text(json, "url", result.url);
    array.push_back(std::move(json));
  }
  return array;
}

std::vector<FurtherResult> read_further(const Json &json) {
  std::vector<FurtherResult> results;
  if (json.array())
    for (const Json &item : *json.array()) results.push_back({text_of(item, "field"), text_of(item, "url")});
  return results;
}

Error damaged(const std::string &what) { return {ErrorKind::read, what}; }

}  // namespace

std::string usable_validator(std::string sent) {
  return is_all_shown(sent) ? std::move(sent) : std::string();
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
  set_text(json, "reserved_at", reserved_at);
  set_text(json, "status", status);
  if (progress >= 0) json.set("progress", progress);
  set_text(json, "error", shortened(error));
  set_count(json, "http_status", http_status);
  if (!clip_name.empty()) {
    Json clip;
    clip.set("file", clip_name);
    clip.set("size", static_cast<int64_t>(clip_size));
    set_text(clip, "media_type", media_type);
    json.set("clip", clip);
  }
  if (const Json download = download_json(part); !download.is_null()) json.set("download", download);
  set_count(json, "unanswered_submits", unanswered_submits);
  set_count(json, "warned_submits", warned_submits);
  set_tasks(json, "earlier_tasks", earlier_tasks);
  set_tasks(json, "unfetched_tasks", unfetched_tasks);
  set_tasks(json, "completed_tasks", completed_tasks);
  if (!references.empty()) json.set("references", references_json(references));
  if (!further_results.empty()) json.set("further_results", further_json(further_results));
  if (replaced) json.set("replaces", replaced->to_json());
  json.set("base_url", identity.base_url);
  json.set("api", identity.api);
  json.set("take", identity.take);
  json.set("request", identity.request);
  return json;
}

Result<ClipRecord> ClipRecord::from_json(const Json &json) {
  if (!json.object()) return damaged("it is not a JSON object");
  const Json *version = json.find("version");
  if (!version) return damaged("it has no version");
  if (is_of_newer(*version))
    return Error{ErrorKind::open_read, "a newer genclip wrote it (version " + version_text(*version) +
                                           ", this one reads " + std::to_string(kVersion) + ")"};
  if (*version->number() != kVersion)
    return damaged("its version is " + version_text(*version) + ", this genclip reads " +
                   std::to_string(kVersion));
  const auto state = from_word<ClipState>(text_of(json, "state"));
  if (!state) return damaged("its state \"" + shown_line(text_of(json, "state")) + "\" is unknown");

  ClipRecord record;
  record.state = *state;
  record.model = shown_line(text_of(json, "model"));
  if (std::string id = text_of(json, "task_id"); is_all_shown(id)) record.task_id = std::move(id);
  if (const double amount = quantity_of(json, "amount"); is_amount(amount)) record.amount = amount;
  record.actual_duration = quantity_of(json, "actual_duration");
  record.submitted_at = count_of(json, "submitted_at");
  record.updated_at = count_of(json, "updated_at");
  record.reserved_at = text_of(json, "reserved_at");
  record.status = text_of(json, "status");
  if (const Json *progress = json.find("progress"); progress && progress->integer())
    record.progress = static_cast<int>(std::clamp<int64_t>(*progress->integer(), -1, 100));
  record.error = text_of(json, "error");
  record.http_status = static_cast<unsigned>(count_of(json, "http_status"));
  record.identity.base_url = text_of(json, "base_url");
  record.identity.api = text_of(json, "api");
  record.identity.take = static_cast<unsigned>(count_of(json, "take"));
  if (const Json *request = json.find("request")) record.identity.request = *request;
  if (const Json *download = json.find("download")) record.part = read_download(*download);
  if (const Json *clip = json.find("clip")) {
    record.clip_name = text_of(*clip, "file");
    record.media_type = text_of(*clip, "media_type");
    record.clip_size = static_cast<uint64_t>(count_of(*clip, "size"));
  }

  record.unanswered_submits = static_cast<uint64_t>(count_of(json, "unanswered_submits"));
  record.warned_submits =
      std::min(static_cast<uint64_t>(count_of(json, "warned_submits")), record.unanswered_submits);
  record.earlier_tasks = tasks_of(json, "earlier_tasks");
  record.unfetched_tasks = tasks_of(json, "unfetched_tasks");
  record.completed_tasks = tasks_of(json, "completed_tasks");
  if (const Json *references = json.find("references")) record.references = read_references(*references);
  if (const Json *further = json.find("further_results")) record.further_results = read_further(*further);
  // Damage in it loses the replaced clip, not this record.
  if (const Json *replaced = json.find("replaces"))
    if (auto old = from_json(*replaced); old && old->state == ClipState::complete)
      record.replaced = std::make_shared<const ClipRecord>(std::move(old).value());

  if ((record.state == ClipState::submitted || record.state == ClipState::lost) && record.task_id.empty())
    return damaged(std::string("it is ") + to_word(record.state) + " but has no task_id");
  if (!record.clip_name.empty() && !ClipPath::is_clip_name(record.clip_name))
    return damaged("it names a clip that genclip would not write");
  if (record.state == ClipState::complete && (record.clip_name.empty() || record.clip_size == 0))
    return damaged("it is complete but names no clip");
  return record;
}

void add_task(std::vector<std::string> &tasks, const std::string &id) {
  if (id.empty()) return;
  std::erase(tasks, id);
  tasks.push_back(id);
  if (tasks.size() > kMaxEarlierTasks) tasks.erase(tasks.begin());
}

std::shared_ptr<const ClipRecord> whole_clip_of(const ClipRecord &record) {
  return record.state == ClipState::complete ? std::make_shared<const ClipRecord>(record) : record.replaced;
}

std::vector<std::string> unfetched_tasks_of(const ClipRecord &record) {
  std::vector<std::string> tasks = record.unfetched_tasks;
  if (record.state == ClipState::submitted || record.state == ClipState::lost)
    add_task(tasks, record.task_id);
  return tasks;
}

bool was_completed(const ClipRecord &record, const std::string &task_id) {
  const auto &tasks = record.completed_tasks;
  return std::find(tasks.begin(), tasks.end(), task_id) != tasks.end();
}

bool is_earlier_task(const ClipRecord &record, const std::string &task_id) {
  return (record.replaced && record.replaced->task_id == task_id) ||
         std::ranges::count(record.earlier_tasks, task_id) > 0 ||
         std::ranges::count(record.unfetched_tasks, task_id) > 0;
}

uint64_t unanswered_submits_of(const ClipRecord &record) {
  // The run that paid for a whole clip has given its warnings already.
  if (record.state == ClipState::complete) return record.unanswered_submits - record.warned_submits;
  const bool is_open = record.state == ClipState::intent || record.state == ClipState::ambiguous;
  return record.unanswered_submits + (is_open ? 1 : 0);
}

bool may_bring_more(const ClipRecord &record) {
  return !unfetched_tasks_of(record).empty() || unanswered_submits_of(record) > 0;
}

bool is_attached(const ClipRecord &record) {
  const Json::Object *request = record.identity.request.object();
  return request && !record.identity.request.find("model") && record.identity.request.find("task_id");
}

unsigned result_of(const ClipRecord &record) {
  if (!is_attached(record)) return 1;
  return static_cast<unsigned>(std::clamp<int64_t>(count_of(record.identity.request, "result"), 1, UINT_MAX));
}

Claim claim_of(const ClipRecord &record, bool reuse) {
  const bool is_whole = whole_clip_of(record) != nullptr;
  if (record.state == ClipState::submitted || (is_whole && reuse)) return Claim::clip;
  if (!unfetched_tasks_of(record).empty()) return Claim::unfetched;
  if (unanswered_submits_of(record) > 0) return Claim::unanswered;
  return is_whole ? Claim::replaced : Claim::none;
}

ClipRecord completed(ClipRecord record) {
  record.state = ClipState::complete;
  record.status.clear();
  record.error.clear();
  record.http_status = 0;
  record.replaced.reset();
  std::erase(record.unfetched_tasks, record.task_id);
  std::erase(record.completed_tasks, record.task_id);
  const uint64_t restarts = record.part.restarts;  // Readers in other processes compare it with the last one.
  record.part = PartState{};
  record.part.restarts = restarts;
  return record;
}

}  // namespace genclip
