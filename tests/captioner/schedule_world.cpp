// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/captioner/schedule_world.h"

#include <algorithm>
#include <functional>
#include <sstream>
#include <utility>

namespace genclip {

// What decides what a schedule does next in these worlds.
struct ScheduleText {
  static std::string of(const CaptionSchedule &schedule, Instant now);
  static bool stands_still(const CaptionSchedule &schedule, Instant now) {
    return schedule.stands_still(now) || std::any_of(schedule.outlets_.begin(), schedule.outlets_.end(),
                                                     [](const auto &one) { return one.second.hole > 0; });
  }
  static bool has_failure(const CaptionSchedule &schedule) {
    return std::any_of(schedule.slots_.begin(), schedule.slots_.end(),
                       [](const auto &one) { return one.second.error.has_value(); });
  }
  static bool has_slot(const CaptionSchedule &schedule, SlotId id) { return schedule.slots_.contains(id); }
  static bool awaits_still(const CaptionSchedule &schedule, SlotId id) {
    const auto slot = schedule.slots_.find(id);
    return slot != schedule.slots_.end() && slot->second.progress == CaptionSlot::Progress::making_stills;
  }
  static bool has_spent_all(const CaptionSchedule &schedule) { return schedule.budget_warned_; }
  // A caption waits for the answer.
  static bool wants(const CaptionSchedule &schedule, uint64_t question) {
    CaptionSchedule copy = schedule;
    return !copy.still_asked(question).empty();
  }
};

}  // namespace genclip

namespace genclip::test {
namespace {

using std::chrono::milliseconds;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr auto kTick = milliseconds(500);
constexpr auto kLatency = milliseconds(1000);

unsigned window_of(SlotId id) { return static_cast<unsigned>(id - 1); }

uint64_t end_of_all(const WorldRules &rules) { return rules.windows * kSecond; }

TimeSpan span_of(const WorldRules &rules, unsigned window) {
  const unsigned place = rules.backwards ? rules.windows - 1 - window : window;
  return {place * kSecond, (place + 1) * kSecond};
}

// The position up to which all must have been sent.
CaptionSchedule::Due due_of(const ScheduleWorld &world) {
  const auto since = world.now.time_since_epoch() - kLatency;
  if (!world.rules.live || since.count() < 0) return std::nullopt;
  return static_cast<uint64_t>(std::chrono::nanoseconds(since).count());
}

void fail(ScheduleWorld &world, const std::string &why) {
  if (world.violation.empty()) world.violation = why;
}

CaptionSlot slot_of(const ScheduleWorld &world, unsigned window) {
  const WorldRules &rules = world.rules;
  CaptionSlot slot;
  slot.id = window + 1;
  slot.window = span_of(rules, window);
  slot.timestamp = slot.stream_time = slot.window.start;
  slot.request.model = "m";
  slot.request.prompt =
      rules.equal_windows || rules.material == Material::texts ? "p" : std::to_string(window);
  slot.parts = parts_in(rules.languages);
  if (rules.material == Material::texts) {
    slot.one_piece = true;
    const bool is_first = rules.equal_windows || (rules.repeats_first && (window == 2 || window == 3));
    slot.request.text = "t" + std::to_string(is_first ? 0 : window);
  }
  if (rules.material == Material::open_pictures) {
    slot.end_known = false;
    slot.sure_until = slot.window.start + kSecond / 2;
    slot.gathers = true;
  }
  return slot;
}

StreamEvent event_of(StreamEvent::Kind kind, const std::string &name) {
  StreamEvent event;
  event.kind = kind;
  event.is_sticky = true;
  event.name = name;
  return event;
}

void push_segment(ScheduleWorld &world) {
  StreamSegment segment{event_of(StreamEvent::Kind::segment, "segment"), 0, end_of_all(world.rules),
                        world.rules.backwards, false};
  if (world.rules.backwards)
    segment.start = UINT64_MAX;
  else if (world.first_wanted > 0)
    segment.start = span_of(world.rules, world.first_wanted).start;
  world.schedule.push_segment(segment, world.now);
}

// The window or text that was begun to push, once there is room.
void go_on_pushing(ScheduleWorld &world) {
  if (!world.pushed_slot) return;
  std::optional<CaptionSlot> slot = world.pushed_slot;
  StillJob job = *world.pushed;
  const auto pushed = world.rules.material == Material::texts
                          ? world.schedule.push_text(*slot, world.now)
                          : world.schedule.push_still(job, slot, world.now);
  if (std::holds_alternative<WaitUntil>(pushed)) {
    world.pushed = job;
    world.pushed_slot = slot;
    return;
  }
  world.pushed.reset();
  world.pushed_slot.reset();
}

void push_window(ScheduleWorld &world, unsigned window) {
  if (world.rules.material == Material::open_pictures && window > world.first_wanted)
    world.schedule.complete(window);  // the one before
  StillJob job;
  job.picture = std::shared_ptr<const Picture>(reinterpret_cast<const Picture *>(1), [](auto *) {});
  job.time = window * kSecond;
  world.pushed = job;
  world.pushed_slot = slot_of(world, window);
  go_on_pushing(world);
}

// A decoder hands it on although it holds the picture of the window, or there is no such picture.
void tell_silence(ScheduleWorld &world, bool is_hole) {
  const TimeSpan span = span_of(world.rules, world.next - 1);
  world.has_told_silence = true;
  world.schedule.push_silence({span, true}, world.now);
  if (is_hole) ++world.next;
}

void push_next(ScheduleWorld &world) {
  const unsigned step = world.next++;
  if (step == 0) {
    world.schedule.push_event(event_of(StreamEvent::Kind::stream_start, "stream-start"), world.now);
    push_segment(world);
  } else if (step <= world.rules.windows) {
    for (const auto &[id, sent] : world.sent)
      if ((world.has_stood_still || world.rules.live) && sent.until > span_of(world.rules, step - 1).start)
        world.silenced = step - 1;
    push_window(world, step - 1);
  } else {
    if (world.rules.material == Material::open_pictures) world.schedule.complete(world.rules.windows);
    world.schedule.push_event(event_of(StreamEvent::Kind::eos, "eos"), world.now);
  }
}

bool may_push(const ScheduleWorld &world) {
  if (world.pushed_slot || world.next > world.rules.windows + 1) return false;
  if (world.schedule.flow() != Flow::ok) return false;
  if (!world.rules.live || world.next == 0) return true;
  return world.now.time_since_epoch() >= std::chrono::nanoseconds((world.next - 1) * kSecond);
}

// A camera does not wait.
bool must_push(const ScheduleWorld &world) {
  if (!world.rules.live || world.next > world.rules.windows + 1) return false;
  if (world.next == 0) return true;
  return world.now.time_since_epoch() >= std::chrono::nanoseconds((world.next - 1) * kSecond) + kTick;
}

// "c2": the text of window 2; pieces of it are "a2." and "b2."
void note_caption(ScheduleWorld &world, Sent &sent, const Spoken &spoken) {
  const WorldRules &rules = world.rules;
  const bool forwards = !rules.backwards;
  if (forwards ? spoken.span.start < sent.until : spoken.span.end > sent.until)
    fail(world, "a caption overlaps what was sent");
  if (spoken.span.end > end_of_all(rules)) fail(world, "a caption ends behind the segment");
  sent.until = forwards ? spoken.span.end : spoken.span.start;
  std::istringstream words(spoken.text);
  for (std::string word; words >> word;) {
    const unsigned window = static_cast<unsigned>(std::strtoul(word.c_str() + 1, nullptr, 10));
    if (word[0] == 'b') {
      ++sent.rest[window];
      continue;
    }
    ++sent.spoken[window];
    if (window < world.first_wanted) fail(world, "a caption from before the flush");
    if (rules.equal_windows || rules.repeats_first) continue;
    TimeSpan own = span_of(rules, window);
    // A caption lasts while its picture does.
    for (unsigned later = window + 1; world.outcome[later] == "unchanged"; ++later)
      own.end = span_of(rules, later).end;
    const bool may_be_moved = rules.live && rules.settings.late_policy == LatePolicy::shift;
    if (spoken.span.start < own.start || (spoken.span.end > own.end && !may_be_moved))
      fail(world, "a caption is not in its window");
    // Parts of it leave while its end is unknown, and it is repeated while its picture lasts.
    const bool may_repeat =
        rules.material == Material::open_pictures || rules.settings.joins_repeats || rules.can_be_unchanged;
    if (sent.spoken[window] > 1 && !may_repeat) fail(world, "a caption leaves twice");
  }
  if (sent.has_ended) fail(world, "a caption behind the end");
}

void note_silence(ScheduleWorld &world, Sent &sent, TimeSpan span) {
  if (!sent.has_segment) fail(world, "silence without a segment");
  if (sent.has_ended) fail(world, "silence behind the end");
  if (span.end > end_of_all(world.rules) - 1) fail(world, "silence ends where the segment does");
  if (world.rules.backwards) return;
  // Where a caption has ended with the segment, nothing more comes either.
  const bool is_promise = span.start == span.end;
  if (span.start + is_promise < sent.until) fail(world, "silence overlaps what was sent");
  sent.until = std::max(sent.until, span.end);
}

template <typename Action>
void note_wait(ScheduleWorld &world, const Next<Action> &next) {
  const auto *wait = std::get_if<WaitUntil>(&next);
  if (!wait || !wait->time) return;
  if (*wait->time <= world.now) fail(world, "a thread waits for a time that is over");
  world.wakes_at = world.wakes_at ? std::min(*world.wakes_at, *wait->time) : *wait->time;
}

// False: its task waits.
bool send_one(ScheduleWorld &world, OutletId id) {
  Sent &sent = world.sent[id];
  const auto next = world.schedule.next_output(id, due_of(world), world.now);
  note_wait(world, next);
  const auto *output = std::get_if<0>(&next);
  if (!output || std::holds_alternative<Stopped>(*output)) return false;
  if (const auto *event = std::get_if<StreamEvent>(output)) {
    sent.all.push_back(event->name);
    if (sent.has_ended) fail(world, "an event behind the end");
    if (event->kind == StreamEvent::Kind::eos) sent.has_ended = true;
    if (event->kind == StreamEvent::Kind::segment) {
      sent.has_segment = true;
      sent.until = world.rules.backwards ? UINT64_MAX : span_of(world.rules, world.first_wanted).start;
    }
  } else if (const auto *silence = std::get_if<Silence>(output)) {
    note_silence(world, sent, silence->span);
  } else if (const auto *spoken = std::get_if<Spoken>(output)) {
    note_caption(world, sent, *spoken);
  } else if (const auto *notice = std::get_if<Notice>(output); notice && !notice->failed) {
    const auto &details = notice->error.details;
    world.budget_warnings += !details.empty() && details.front().name == "budget";
  } else if (notice && notice->failed) {
    ++sent.told[static_cast<unsigned>(std::strtoul(notice->error.text.c_str(), nullptr, 10))];
    if (!world.rules.settings.ends_on_error) return true;
    world.schedule.set_flow(Flow::error);
    world.requests_at_break = world.requests;
  }
  return true;
}

void go_on_draining(ScheduleWorld &world) {
  const auto drained = world.schedule.drain(world.now);
  note_wait(world, drained);
  world.drains = std::holds_alternative<WaitUntil>(drained);
}

void take_question(ScheduleWorld &world, std::optional<Worker> &worker) {
  if (worker) return;
  auto next = world.schedule.next_question(world.now);
  note_wait(world, next);
  if (auto *question = std::get_if<0>(&next); question && *question)
    worker = Worker{**std::move(question), {}, !world.rules.is_store_slow, false, false};
}

void take_off_request(ScheduleWorld &world) {
  --world.requests;
  for (auto *before : {&world.requests_at_break, &world.requests_at_failure, &world.requests_at_stop})
    if (*before) --**before;
}

// Whatever it waited for is there.
void send(ScheduleWorld &world, std::optional<Worker> &worker) {
  worker->is_sent = world.schedule.begins(*worker->request, world.now);
  if (worker->is_sent) {
    if (world.requests_at_stop || world.requests_at_break || (!world.rules.live && world.requests_at_failure))
      fail(world, "a request is sent although nothing more is to be sent");
    return;
  }
  world.schedule.did_not_ask(worker->question.id, std::nullopt);
  for (const AskedPart &part : worker->request->parts) std::erase(world.asked, part.slot);
  take_off_request(world);
  worker.reset();
}

void ask(ScheduleWorld &world, std::optional<Worker> &worker) {
  if (!worker || worker->request || !worker->has_looked) return;
  auto next = world.schedule.may_ask(worker->question.id, world.now);
  auto *request = std::get_if<0>(&next);
  if (!request) return;
  if (!*request) return worker.reset();
  worker->request = *std::move(*request);
  ++world.requests;
  for (const AskedPart &part : worker->request->parts) world.asked.push_back(part.slot);
  if (!world.rules.is_store_slow) send(world, worker);
}

// A picture that may repeat the caption before it is compared with that of the last window which was not
// itself such a repetition. If this one has no caption, it must not be.
void check_comparison(ScheduleWorld &world) {
  if (!world.rules.can_be_unchanged || world.job->slot == 0) return;
  for (unsigned window = window_of(world.job->slot); window-- > world.first_wanted;) {
    const std::string &outcome = world.outcome[window];
    if (outcome == "unchanged") continue;
    const bool has_left = !ScheduleText::has_slot(world.schedule, window + 1);
    const bool has_none = outcome == "failed" || (outcome.empty() && has_left);
    if (has_none && has_left && !world.job->counts_as_changed)
      fail(world, "a picture repeats the caption of window " + std::to_string(window) + ", which has none");
    if (!has_none && outcome != "late" && world.job->counts_as_changed)
      fail(world, "a picture that may repeat a caption counts as changed");
    return;
  }
}

void take_still(ScheduleWorld &world) {
  if (world.job) return;
  auto next = world.schedule.next_still(world.now);
  auto *job = std::get_if<0>(&next);
  if (!job || !*job) return;
  world.job = *std::move(*job);
  check_comparison(world);
}

// Threads that have nothing to wait for go on at once.
void settle(ScheduleWorld &world) {
  world.wakes_at.reset();
  go_on_pushing(world);
  if (world.drains) go_on_draining(world);
  for (auto &worker : world.workers) take_question(world, worker);
  // One worker's decision is what another one waits for.
  for (size_t round = 0; round < world.workers.size(); ++round)
    for (auto &worker : world.workers) ask(world, worker);
  take_still(world);
  go_on_pushing(world);
  if (!world.rules.is_downstream_slow)
    for (auto &[id, sent] : world.sent)
      while (send_one(world, id)) continue;
  for (const uint64_t question : world.schedule.take_cancelled())
    for (auto &worker : world.workers)
      if (worker && worker->question.id == question) worker->is_cancelled = true;
}

// Once nothing follows any more from what is known.
void settle_all(ScheduleWorld &world) {
  for (int round = 0; round < 20; ++round) {
    const bool had_changed = world.schedule.take_changed();
    settle(world);
    if (!had_changed && round > 0) return;
  }
  fail(world, "the threads wake each other without an end");
}

// Threads look again when something has changed, or their time has come. Otherwise there must be nothing that
// they would do.
void settle_after(ScheduleWorld &world) {
  const bool is_time = world.wakes_at && world.now >= *world.wakes_at;
  ScheduleWorld unwoken = world;
  const bool is_woken = world.schedule.take_changed() || is_time;
  settle_all(world);
  if (is_woken || world.rules.live) return;
  // Only what waits in it for a later time may differ.
  unwoken.wakes_at = world.wakes_at;
  if (unwoken.text() != world.text()) fail(world, "a thread is not woken");
}

void note_failure(ScheduleWorld &world) {
  if (world.rules.settings.ends_on_error && !world.requests_at_failure &&
      ScheduleText::has_failure(world.schedule))
    world.requests_at_failure = world.requests;
}

void make_still(ScheduleWorld &world, const std::string &how) {
  const StillJob job = *std::exchange(world.job, std::nullopt);
  if (!job.slot) return;
  if (how == "made") {
    world.schedule.still_made(job.slot, {});
  } else if (how == "unchanged") {
    // Live, its time may be over: then it is silent, and what was repeated is forgotten.
    if (ScheduleText::awaits_still(world.schedule, job.slot))
      world.outcome[window_of(job.slot)] = "unchanged";
    world.schedule.picture_unchanged(job.slot);
  } else {
    world.schedule.still_failed(job.slot,
                                {ErrorKind::failed, std::to_string(window_of(job.slot)) + ": no still"});
    world.outcome[window_of(job.slot)] = "failed";
  }
  note_failure(world);
}

std::string answer_for(const WorldRules &rules, SlotId slot) {
  const std::string window = std::to_string(window_of(slot));
  return rules.answers_in_pieces ? "a" + window + ". b" + window + "." : "c" + window;
}

void say_piece(ScheduleWorld &world, Worker &worker) {
  worker.has_said = true;
  const std::string window = std::to_string(window_of(worker.request->parts.front().slot));
  world.schedule.add_sentences(worker.question.id, {"a" + window + "."}, world.now);
}

void answer(ScheduleWorld &world, std::optional<Worker> &worker, const std::string &how) {
  const CaptionRequest request = *worker->request;
  const std::string first = std::to_string(window_of(request.parts.front().slot));
  Result<ContentAnswer> answer = Error{ErrorKind::read, first + ": no answer"};
  std::vector<Said> said;
  if (how == "answered") {
    answer = ContentAnswer();
    for (const AskedPart &part : request.parts) {
      ContentAnswer own;
      own.text = answer_for(world.rules, part.slot);
      own.finish_reason = "STOP";
      std::vector<std::string> rest{own.text};
      if (worker->has_said) rest = {"b" + std::to_string(window_of(part.slot)) + "."};
      said.push_back({part, own, rest});
    }
  }
  if (how == "withheld") answer = Error{ErrorKind::failed, "withheld"};
  // A text whose batch was withheld is asked about alone.
  const bool is_final = how == "answered" || how == "failed" || request.texts == 1;
  for (const AskedPart &part : request.parts) {
    const auto due = due_of(world);
    // Silence is sent a little ahead of its time.
    const bool in_time = !due || *due < span_of(world.rules, window_of(part.slot)).start;
    if (is_final)
      world.outcome[window_of(part.slot)] = how != "answered" ? "failed" : in_time ? "text" : "late";
  }
  world.schedule.answered(request, answer, said, world.now);
  note_failure(world);
  worker.reset();
}

// The gateway cannot be reached.
void lose_try(ScheduleWorld &world, Worker &worker) {
  worker.is_unsent = true;
  world.schedule.did_not_send();
  take_off_request(world);
}

void try_again(ScheduleWorld &world, std::optional<Worker> &worker) {
  worker->is_unsent = false;
  if (!world.schedule.may_retry()) return answer(world, worker, "failed");
  ++world.requests;
}

void find_part(ScheduleWorld &world, const AskedPart &part) {
  ContentAnswer found;
  found.text = answer_for(world.rules, part.slot);
  found.finish_reason = "STOP";
  world.outcome[window_of(part.slot)] = "text";
  world.schedule.found(part, found);
}

void find_in_store(ScheduleWorld &world, Worker &worker) {
  for (const AskedPart &part : worker.question.parts) find_part(world, part);
}

// Somebody else has asked the same since.
void find_answered(ScheduleWorld &world, Worker &worker) {
  CaptionRequest request = *std::exchange(worker.request, std::nullopt);
  take_off_request(world);
  const std::vector<AskedPart> parts = request.parts;
  for (const AskedPart &part : parts) std::erase(world.asked, part.slot);
  world.schedule.answered_elsewhere(std::move(request));
  for (const AskedPart &part : parts) find_part(world, part);
}

void flush(ScheduleWorld &world) {
  world.has_flushed = true;
  world.requests_at_failure.reset();
  world.requests_at_break.reset();
  world.drains = false;
  world.outcome.clear();
  world.schedule.flush();
  world.pushed.reset();
  world.pushed_slot.reset();
  for (auto &[id, sent] : world.sent) {
    sent.has_segment = sent.has_ended = false;
    sent.until = 0;
    sent.spoken.clear();
    sent.rest.clear();
    sent.told.clear();
    world.schedule.take_unsent(id);
  }
  world.schedule.resume();
  world.next = std::min(world.next, world.rules.windows);  // At least one window follows.
  world.next = std::max(world.next, 1u);
  world.first_wanted = world.next - 1;
  push_segment(world);
}

}  // namespace

ScheduleWorld world_with(const WorldRules &rules) {
  ScheduleWorld world;
  world.rules = rules;
  for (const std::string &language : rules.languages) world.sent[world.schedule.add_outlet(language)];
  CaptionScheduleSettings settings = rules.settings;
  settings.max_in_flight = rules.workers;
  world.workers.resize(rules.workers);
  settings.latency = kLatency;
  settings.by_sentence = rules.answers_in_pieces;
  world.schedule.start(settings);
  world.schedule.set_live(rules.live);
  for (const auto &[id, sent] : world.sent) world.schedule.start_outlet(id, world.now);
  settle_all(world);
  return world;
}

std::vector<ScheduleStep> steps_of(const ScheduleWorld &world) {
  std::vector<ScheduleStep> steps;
  const auto step = [&](const std::string &event, const std::function<void(ScheduleWorld &)> &apply) {
    ScheduleWorld next = world;
    apply(next);
    settle_after(next);
    steps.push_back({event, std::move(next)});
  };
  if (!world.violation.empty()) return steps;
  const WorldRules &rules = world.rules;
  if (may_push(world) && !world.drains) step("upstream: step " + std::to_string(world.next), push_next);
  if (rules.can_tell_silence && !world.has_told_silence && may_push(world) && !world.drains &&
      world.next > 0 && world.next <= rules.windows) {
    step("upstream: silence before a picture", [](auto &next) { tell_silence(next, false); });
    step("upstream: a hole", [](auto &next) { tell_silence(next, true); });
  }
  if (world.job) {
    step("still made", [](auto &next) {
      make_still(next, "made");
      take_still(next);
    });
    if (world.job->slot && rules.can_fail && rules.material != Material::open_pictures)
      step("still failed", [](auto &next) {
        make_still(next, "failed");
        take_still(next);
      });
    const bool may_be_unchanged = rules.settings.joins_repeats || rules.can_be_unchanged;
    if (world.job->slot && may_be_unchanged && !world.job->counts_as_changed)
      step("picture unchanged", [](auto &next) {
        make_still(next, "unchanged");
        take_still(next);
      });
  }
  for (size_t i = 0; i < world.workers.size(); ++i) {
    if (!world.workers[i]) continue;
    const Worker &worker = *world.workers[i];
    const std::string name =
        "worker " + std::to_string(i) + ", question " + std::to_string(worker.question.id);
    if (!worker.has_looked) {
      step(name + ": not in the store", [i](auto &next) {
        next.workers[i]->has_looked = true;
        ask(next, next.workers[i]);
      });
      if (worker.question.parts.size() > 1)
        step(name + ": the first in the store", [i](auto &next) {
          find_part(next, next.workers[i]->question.parts.front());
          next.workers[i]->has_looked = true;
          ask(next, next.workers[i]);
        });
      step(name + ": in the store", [i](auto &next) {
        find_in_store(next, *next.workers[i]);
        next.workers[i]->has_looked = true;
        ask(next, next.workers[i]);
      });
    }
    if (!worker.request) continue;
    if (worker.is_unsent) {
      step(name + ": tries again", [i](auto &next) { try_again(next, next.workers[i]); });
      continue;
    }
    if (!worker.is_sent)
      step(name + ": answered elsewhere", [i](auto &next) {
        find_answered(next, *next.workers[i]);
        ask(next, next.workers[i]);
      });
    if (!worker.is_sent) {
      step(name + ": has leave", [i](auto &next) { send(next, next.workers[i]); });
      continue;
    }
    step(name + ": answered", [i](auto &next) { answer(next, next.workers[i], "answered"); });
    if (rules.can_fail && !worker.has_said)
      step(name + ": failed", [i](auto &next) { answer(next, next.workers[i], "failed"); });
    if (rules.can_be_unsent && !worker.has_said)
      step(name + ": not sent", [i](auto &next) { lose_try(next, *next.workers[i]); });
    if (rules.can_fail && rules.material == Material::texts)
      step(name + ": withheld", [i](auto &next) { answer(next, next.workers[i], "withheld"); });
    if (rules.answers_in_pieces && !worker.has_said)
      step(name + ": a piece", [i](auto &next) { say_piece(next, *next.workers[i]); });
  }
  if (rules.is_downstream_slow)
    for (const auto &[id, sent] : world.sent) {
      ScheduleWorld next = world;
      if (!send_one(next, id)) continue;
      settle_all(next);
      steps.push_back({"pad " + std::to_string(id) + " sends", std::move(next)});
    }
  if (rules.can_flush && !world.has_flushed && world.next > 0 && !world.is_unlinked) step("flush", flush);
  if (rules.can_drain && !world.was_drained && !world.pushed_slot && world.next > 0 &&
      world.next <= rules.windows + 1)
    step("drain", [](auto &next) {
      next.was_drained = true;
      go_on_draining(next);
    });
  if (rules.can_lose_pad && !world.has_lost_pad && world.next > 0)
    step("pad released", [](auto &next) {
      const OutletId last = next.sent.rbegin()->first;
      next.has_lost_pad = true;
      next.sent.erase(last);
      next.schedule.remove_outlet(last);
      // Tasks, flushes and activations may still be about it.
      next.schedule.take_unsent(last);
      next.schedule.keep(last, event_of(StreamEvent::Kind::other, "tag"));
      next.schedule.start_outlet(last, next.now);
      next.schedule.stop_outlet(last);
      next.schedule.next_output(last, std::nullopt, next.now);
    });
  if (rules.can_be_unlinked && !world.was_unlinked && world.next > 0)
    step("unlinked", [](auto &next) {
      next.was_unlinked = next.is_unlinked = true;
      next.schedule.set_flow(Flow::not_linked);
    });
  if (rules.can_break && !world.requests_at_break)
    for (const auto &[name, flow] :
         {std::pair("fails", Flow::error), std::pair("ends", Flow::eos), std::pair("stops", Flow::flushing)})
      step(std::string("downstream ") + name, [flow = flow](auto &next) {
        next.schedule.set_flow(flow);
        next.requests_at_break = next.requests;
      });
  if (rules.can_stop_asking && !world.requests_at_stop)
    step("nothing more is asked", [](auto &next) {
      next.schedule.limit_requests(next.rules.settings.max_requests, false);
      next.requests_at_stop = next.requests;
    });
  if (world.is_unlinked)
    step("linked", [](auto &next) {
      next.is_unlinked = false;
      next.schedule.link_again(next.now);
    });
  const bool needs_time = rules.live ? !world.sent.begin()->second.has_ended
                                     : rules.material != Material::pictures || rules.settings.joins_repeats ||
                                           world.drains || world.has_told_silence;
  const bool has_time = !rules.live || world.now.time_since_epoch() < std::chrono::seconds(12);
  if (needs_time && !must_push(world) && has_time)
    step("time", [](auto &next) {
      next.now += kTick;
      next.has_stood_still = next.has_told_silence && ScheduleText::stands_still(next.schedule, next.now);
    });
  // It changes nothing any more.
  if (!steps.empty() && steps.back().event == "time" && steps.back().world.text() == world.text())
    steps.pop_back();
  return steps;
}

std::string broken_promise(const ScheduleWorld &world) {
  if (!world.violation.empty()) return world.violation;
  const WorldRules &rules = world.rules;
  if (rules.settings.max_requests > 0 && world.requests > rules.settings.max_requests)
    return "more requests than max-requests";
  const auto open = std::count_if(world.workers.begin(), world.workers.end(),
                                  [](const auto &worker) { return worker && worker->is_sent; });
  if (world.schedule.stats().in_flight != static_cast<uint64_t>(open))
    return "requests in flight are miscounted";
  if (world.schedule.stats().requests != world.requests) return "requests are miscounted";
  if (world.requests_at_break.value_or(world.requests) != world.requests)
    return "a caption is paid for that nobody takes";
  if (world.requests_at_break && CaptionSchedule(world.schedule).may_retry())
    return "a caption that nobody takes is paid for again";
  if (world.requests > world.requests_at_stop.value_or(world.requests))
    return "a caption is asked for although nothing more is to be asked";
  if (!rules.live && world.requests_at_failure) {
    if (*world.requests_at_failure != world.requests) return "a caption is paid for behind a failure";
    if (CaptionSchedule(world.schedule).may_retry()) return "a caption is paid for again behind a failure";
  }
  // The last requests are for the first windows that need one.
  if (rules.settings.max_requests > 0 && !rules.live && !rules.equal_windows && !rules.repeats_first &&
      !world.has_flushed && !std::is_sorted(world.asked.begin(), world.asked.end()) && !rules.can_fail)
    return "a later window has the request of an earlier one";
  for (const auto &[id, sent] : world.sent) {
    const auto due = due_of(world);
    if (rules.live && due && sent.has_segment && !sent.has_ended && !world.is_unlinked &&
        !world.requests_at_break && !rules.is_downstream_slow &&
        sent.until < std::min(*due, end_of_all(rules) - 1))
      return "time that is due was not sent";
    if (world.has_flushed || world.was_unlinked || !sent.has_ended) continue;
    if (!rules.live && !rules.backwards && sent.until < end_of_all(rules) - 1)
      return "time is missing before the end";
    // Captions that are moved may leave no time for the last ones.
    const bool may_be_moved = rules.live && rules.settings.late_policy == LatePolicy::shift;
    for (const auto &[window, how] : world.outcome)
      if (how == "text" && !may_be_moved && !rules.equal_windows && !rules.repeats_first &&
          world.silenced != window && sent.spoken.count(window) == 0)
        return "the answer about window " + std::to_string(window) + " was not sent";
    for (const auto &[window, how] : world.outcome) {
      if (how == "failed" && rules.material != Material::texts && !rules.equal_windows && !rules.live &&
          world.silenced != window && sent.told.count(window) == 0)
        return "the failure of window " + std::to_string(window) + " was not told";
      if (how == "text" && rules.answers_in_pieces && !rules.live && sent.rest.count(window) == 0)
        return "the rest of the answer about window " + std::to_string(window) + " was not sent";
    }
  }
  const bool have_all_ended =
      std::all_of(world.sent.begin(), world.sent.end(), [](const auto &one) { return one.second.has_ended; });
  if (world.budget_warnings > 1) return "it is told twice that the budget is used up";
  if (have_all_ended && ScheduleText::has_spent_all(world.schedule) && world.budget_warnings == 0)
    return "nobody learns that the budget is used up";
  for (const auto &worker : world.workers)
    if (worker && worker->request && world.has_flushed && !worker->is_cancelled)
      for (const AskedPart &part : worker->request->parts)
        if (window_of(part.slot) < world.first_wanted) return "a question from before the flush goes on";
  for (const auto &worker : world.workers)
    if (worker && worker->request && !worker->is_cancelled &&
        !ScheduleText::wants(world.schedule, worker->question.id))
      return "a question that nobody wants goes on";
  // Nothing can happen any more.
  if (!world.requests_at_break && !have_all_ended && steps_of(world).empty())
    return "it waits for what cannot come";
  return {};
}

std::string ScheduleWorld::text() const {
  std::ostringstream out;
  out << ScheduleText::of(schedule, now) << "|" << next << has_flushed << is_unlinked << was_unlinked
      << requests_at_break.value_or(1000) << requests_at_failure.value_or(1000)
      << requests_at_stop.value_or(1000) << budget_warnings << was_drained << drains << has_lost_pad
      << has_told_silence << has_stood_still << silenced.value_or(9) << (wakes_at && *wakes_at > now)
      << first_wanted << "|" << pushed_slot.has_value() << "|";
  if (rules.live) out << std::chrono::duration_cast<milliseconds>(now.time_since_epoch()).count();
  if (job)
    out << "|job " << job->slot << "," << job->opens << "," << job->is_completion() << job->counts_as_changed;
  for (const auto &worker : workers) {
    out << "|w";
    if (!worker) continue;
    out << worker->question.id << worker->request.has_value() << worker->has_looked << worker->has_said
        << worker->is_cancelled << worker->is_unsent << worker->is_sent;
    if (worker->request)
      for (const AskedPart &part : worker->request->parts) out << " " << part.slot << part.language;
  }
  for (const auto &[id, one] : sent) {
    out << "|" << id << ": " << one.until << one.has_segment << one.has_ended;
    for (const auto &[window, times] : one.spoken) out << " " << window << "x" << times;
    for (const auto &[window, times] : one.rest) out << " b" << window << "x" << times;
    for (const auto &[window, times] : one.told) out << " t" << window << "x" << times;
  }
  for (const auto &[window, how] : outcome) out << "|" << window << how;
  if (rules.settings.max_requests > 0)
    for (const SlotId slot : asked) out << " a" << slot;
  out << "|" << requests << violation;
  return out.str();
}

}  // namespace genclip::test

namespace genclip {

std::string ScheduleText::of(const CaptionSchedule &schedule, Instant now) {
  std::ostringstream out;
  // Time that matters ends after a second (kStarves, kNextText).
  const auto ago = [now](Instant then) {
    return std::clamp<int64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now - then).count(),
                               -1001, 1001);
  };
  const auto s = [&](const auto &value) { out << value << ","; };
  s(static_cast<int>(schedule.flow_)), s(schedule.live_), s(schedule.makes_still_), s(schedule.is_pushing_);
  s(schedule.open_), s(schedule.text_.id), s(schedule.text_.window.end), s(schedule.text_.came_at);
  s(schedule.text_.joins_until), s(schedule.texts_follow_), s(schedule.reserved_), s(schedule.has_starved_);
  s(ago(schedule.moved_at_)), s(schedule.grows_until_ ? ago(*schedule.grows_until_) : 0);
  s(schedule.drains_until_ ? ago(*schedule.drains_until_) : 1), s(schedule.paused_),
      s(schedule.history_epoch_);
  s(schedule.grows_until_.has_value()), s(ago(schedule.text_.came_in_at)), s(schedule.budget_warned_),
      s(schedule.has_failed_), s(schedule.failed_alone_);
  s(schedule.order_warned_), s(schedule.over_warned_), s(schedule.look_ahead_warned_),
      s(schedule.in_flight_.size()), s(schedule.pictured_), s(schedule.asks_anyway_),
      s(schedule.untold_.size());
  for (const std::string &one : schedule.history_) s(one);
  for (const StillJob &job : schedule.stills_) s(job.slot), s(job.opens), s(job.is_completion());
  for (const auto &[id, slot] : schedule.slots_) {
    out << "\n " << id << ":";
    s(static_cast<int>(slot.progress)), s(slot.window.start), s(slot.window.end), s(slot.end_known);
    s(slot.sure_until.value_or(1)), s(slot.gathers), s(slot.outlets), s(slot.repeats_last);
    s(slot.question), s(slot.undecided), s(slot.again), s(slot.alone), s(slot.error.has_value()),
        s(slot.texts);
    s(slot.error_told), s(slot.answered), s(slot.warning.has_value()), s(slot.joins_until), s(slot.epoch);
    for (const SlotPart &part : slot.parts) {
      s(part.cached), s(part.left_out), s(part.done), s(part.known.has_value()), s(part.begun),
          s(part.in_parts), s(part.asked), s(part.asked_alone);
      s(part.shown_until), s(part.is_one_cue), s(part.answer.text), s(part.warning.has_value());
      for (const std::string &sentence : part.sentences) s(sentence);
      for (const CueToSend &cue : part.cues) s(cue.span.start), s(cue.span.end), s(cue.text);
    }
  }
  for (const auto &[id, outlet] : schedule.outlets_) {
    out << "\n out " << id << ":";
    s(outlet.quiet_until), s(outlet.promised.value_or(1)), s(outlet.last_text), s(outlet.at_end);
    s(outlet.running), s(outlet.is_busy), s(outlet.is_move), s(outlet.hole), s(ago(outlet.stepped_at)),
        s(outlet.timeline.given()), s(outlet.unsent.size());
    for (const StreamItem &item : outlet.items) {
      s(item.index());
      if (const auto *slot = std::get_if<SlotId>(&item)) s(*slot);
      if (const auto *silence = std::get_if<Silence>(&item)) s(silence->span.end), s(silence->may_be_early);
    }
  }
  return out.str();
}

}  // namespace genclip
