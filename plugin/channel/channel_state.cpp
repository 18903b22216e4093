// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/channel_state.h"

#include "plugin/base/durable_file.h"
#include "plugin/base/utc_time.h"

namespace genclip {
namespace {

constexpr size_t kMaxStateSize = size_t{16} << 20;
constexpr size_t kMaxText = 1000;                // Bytes of a name.
constexpr int64_t kMaxCount = int64_t{1} << 53;  // Of frames and turns: other programs read doubles.
// The system's clock counts nanoseconds, and has no years beyond 2262.
constexpr UtcTime kLastTime = std::chrono::sys_days(std::chrono::year(2200) / 1 / 1);

Error damaged(const std::string &what) {
  return {ErrorKind::wrong_type, "The state file is damaged: " + what + "."};
}

// Members of one object, each of which may be missing. The first one that is wrong is told.
class StateReader {
 public:
  explicit StateReader(const Json &json) : json_(json) {}

  void read(const char *name, std::string &into) {
    const Json *value = json_.find(name);
    if (!value) return;
    if (const std::string *text = value->string(); text && text->size() <= kMaxText)
      into = *text;
    else
      wrong(name);
  }
  void read(const char *name, uint64_t &into) {
    const Json *value = json_.find(name);
    if (!value) return;
    if (const int64_t *number = value->integer(); number && *number >= 0 && *number <= kMaxCount)
      into = static_cast<uint64_t>(*number);
    else
      wrong(name);
  }
  void read(const char *name, bool &into) {
    const Json *value = json_.find(name);
    if (!value) return;
    if (const bool *flag = value->boolean())
      into = *flag;
    else
      wrong(name);
  }
  void read(const char *name, Clock::WallTime &into) {
    const Json *value = json_.find(name);
    const auto time = value && value->string() ? utc_time(*value->string()) : std::nullopt;
    if (time && *time < kLastTime)
      into = *time;
    else
      wrong(name);
  }
  void wrong(const char *name) {
    if (wrong_.empty()) wrong_ = name;
  }
  const std::string &first_wrong() const { return wrong_; }

 private:
  const Json &json_;
  std::string wrong_;
};

// A start time that cannot be read is left out: the rundown tells it again.
std::vector<TimedStart> read_starts(const Json *json) {
  std::vector<TimedStart> starts;
  if (!json || !json->array()) return starts;
  for (const Json &each : *json->array()) {
    StateReader reader(each);
    TimedStart start;
    reader.read("id", start.id);
    reader.read("at", start.next);
    reader.read("occurrence", start.occurrence);
    if (reader.first_wrong().empty() && !start.id.empty()) starts.push_back(std::move(start));
  }
  return starts;
}

std::vector<StartsOver> read_starts_over(const Json *json) {
  std::vector<StartsOver> starts;
  if (!json || !json->array()) return starts;
  for (const Json &each : *json->array()) {
    StateReader reader(each);
    StartsOver over;
    reader.read("id", over.id);
    reader.read("count", over.count);
    if (reader.first_wrong().empty() && !over.id.empty() && starts.size() < kMaxStartsOver)
      starts.push_back(std::move(over));
  }
  return starts;
}

}  // namespace

Json to_json(const ChannelState &state) {
  Json json;
  json.set("run", state.run);
  json.set("frame", static_cast<int64_t>(state.frame));
  json.set("on_air", state.on_air);
  json.set("last", state.place.last);
  json.set("next", state.place.next);
  json.set("turn", static_cast<int64_t>(state.place.turn));
  json.set("ended", state.place.ended);
  json.set("hold", state.place.hold);
  json.set("fallbacks", static_cast<int64_t>(state.place.fallbacks));
  Json::Array starts;
  for (const TimedStart &start : state.place.timed) {
    Json each;
    each.set("id", start.id);
    each.set("at", utc_text(to_utc(start.next)));
    each.set("occurrence", static_cast<int64_t>(start.occurrence));
    starts.push_back(std::move(each));
  }
  json.set("timed", std::move(starts));
  Json::Array over;
  for (const StartsOver &each : state.place.starts_over)
    over.push_back(Json::Object{{"id", each.id}, {"count", static_cast<int64_t>(each.count)}});
  if (!over.empty()) json.set("starts_over", std::move(over));
  if (state.shown.object()) json.set("shown", state.shown);
  return json;
}

Result<ChannelState> channel_state(const Json &json) {
  if (!json.object()) return damaged("it holds no object");
  ChannelState state;
  StateReader reader(json);
  reader.read("run", state.run);
  reader.read("frame", state.frame);
  reader.read("on_air", state.on_air);
  reader.read("last", state.place.last);
  reader.read("next", state.place.next);
  reader.read("turn", state.place.turn);
  reader.read("ended", state.place.ended);
  reader.read("hold", state.place.hold);
  reader.read("fallbacks", state.place.fallbacks);
  // Version 0.2.0 wrote no "last".
  if (!json.find("last")) state.place.last = state.on_air;
  state.place.timed = read_starts(json.find("timed"));
  state.place.starts_over = read_starts_over(json.find("starts_over"));
  if (const Json *shown = json.find("shown"); shown && shown->object()) state.shown = *shown;
  if (!json.find("next")) reader.wrong("next");
  if (!reader.first_wrong().empty()) return damaged("its \"" + reader.first_wrong() + "\" cannot be used");
  return state;
}

Result<void> write_channel_state(FileSystem &files, const std::string &path, const ChannelState &state) {
  return write_durably(files, resolved_path(path), to_json(state).to_text() + "\n");
}

void ChannelStateFile::set(ChannelState state, uint64_t number) {
  MutexLock lock(mutex_);
  if (number < newest_) return;
  newest_ = number;
  to_write_ = std::move(state);
}

std::optional<ChannelState> ChannelStateFile::take() {
  MutexLock lock(mutex_);
  return std::exchange(to_write_, std::nullopt);
}

Result<void> ChannelStateFile::write() {
  while (const auto state = take()) {
    if (is_lost_) break;
    if (is_ours_) {
      const auto there = read_channel_state(files_, path_);
      is_lost_ = there && *there && (*there)->run != state->run;
      if (is_lost_)
        return Error{ErrorKind::busy, "Another channel writes into the state file " + path_ +
                                          ". This one does not write into it any more. Stop one of them."};
    }
    last_ = write_channel_state(files_, path_, *state);
    if (last_) is_ours_ = true;
  }
  return last_;
}

Result<std::optional<ChannelState>> read_channel_state(FileSystem &files, const std::string &named) {
  const std::string path = resolved_path(named);
  const auto info = files.info(path);
  if (!info) return info.error();
  if (!*info) return std::optional<ChannelState>();
  const auto text = read_whole(files, path, kMaxStateSize);
  if (!text) return text.error();
  const auto json = Json::parse(*text);
  if (!json) return damaged("it is not JSON");
  auto state = channel_state(*json);
  if (!state) return std::move(state).error();
  return std::optional(std::move(*state));
}

}  // namespace genclip
