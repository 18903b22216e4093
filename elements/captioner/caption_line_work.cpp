// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the line that serves the workers: which caption is next, whether its answer is known, and
// whether a request may be sent for it.
#include <algorithm>
#include <utility>

#include "elements/captioner/caption_line.h"

namespace genclip {
namespace {

using Progress = CaptionSlot::Progress;

// An answer that is known takes no tokens.
ContentAnswer without_tokens(ContentAnswer answer) {
  answer.prompt_tokens = answer.output_tokens = answer.total_tokens = 0;
  return answer;
}

}  // namespace

// In stream order, so that a budget and a context have the same effect on every run. A question whose answers
// are on their way needs no worker, so it must not hold up those behind it.
SlotPtr CaptionLine::first_to_ask() {
  for (const SlotPtr &slot : slots_) {
    if (slot->progress == Progress::waiting) {
      if (is_growing(slot)) return nullptr;
      look_up(*slot);
      if (!is_being_asked(*slot)) return slot;
      if (settings_.context > 0 || !awaits_only_answers(*slot)) return nullptr;
      continue;
    }
    const bool must_wait = slot->progress == Progress::making_stills ||
                           (settings_.context > 0 && slot->progress == Progress::asking);
    if (must_wait && !live_) return nullptr;
  }
  return nullptr;
}

bool CaptionLine::reserve_request() {
  if (settings_.max_requests > 0 && reserved_ >= settings_.max_requests) return false;
  ++reserved_;
  ++stats_.requests;
  return true;
}

// Builds the keys of the questions, and finds their answers if this run already has them.
void CaptionLine::look_up(CaptionSlot &slot) {
  if (history_epoch_ != slot.epoch) {
    // The context contains the captions just before this one, so a new pass or position starts without any.
    history_.clear();
    history_epoch_ = slot.epoch;
  }
  if (!slot.again && !slot.alone) slot.request.earlier.assign(history_.begin(), history_.end());
  const CaptionCache before = std::exchange(slot.cache, cache_in_effect(settings_.cache, live_));
  const bool is_new = settings_.context > 0 || slot.cache != before;
  // The store does not know the time of a question.
  const bool any_time = slot.cache != CaptionCache::off;
  for (SlotPart &part : slot.parts) {
    if (part.done) continue;
    // Many slots may wait for one answer, and each worker looks at all of them whenever anything changes.
    if (is_new || part.key.empty())
      part.key = question_key(slot.request, any_time ? std::nullopt : std::optional(slot.stream_time),
                              part.language);
    part.known.reset();
    if (const ContentAnswer *kept = kept_.find(part.key)) part.known = without_tokens(*kept);
  }
}

// Another question that a worker has is about this part, too.
bool CaptionLine::is_being_asked(const SlotPart &part) const {
  return std::any_of(slots_.begin(), slots_.end(), [&part](const SlotPtr &other) {
    return other->progress == Progress::asking &&
           std::any_of(other->parts.begin(), other->parts.end(),
                       [&part](const SlotPart &asked) { return asked.key == part.key; });
  });
}

// Another request will bring an answer that this one needs.
bool CaptionLine::is_being_asked(const CaptionSlot &slot) const {
  for (const SlotPart &part : slot.parts)
    if (!part.done && !part.known && is_being_asked(part)) return true;
  return false;
}

// Other requests will bring all answers that this one needs.
bool CaptionLine::awaits_only_answers(const CaptionSlot &slot) const {
  for (const SlotPart &part : slot.parts)
    if (!part.done && !part.known && !is_being_asked(part)) return false;
  return true;
}

void CaptionLine::begin_question(CaptionSlot &slot) {
  slot.progress = Progress::asking;
  slot.undecided = slot.lacks_answer();
  slot.asked_at = Clock::system().now();
}

SlotBatch CaptionLine::next_question() {
  MutexLock lock(mutex_);
  while (!stopped_) {
    if (grows_until_ && Clock::system().now() >= *grows_until_) end_growing();
    const SlotPtr slot = first_to_ask();
    std::optional<Clock::Time> until = grows_until_;
    if (slot) {
      SlotBatch batch = batch_from(slot);
      until = awaits_more_until(batch);
      if (!until) {
        for (const SlotPtr &one : batch) begin_question(*one);
        return batch;
      }
    }
    if (until)
      changed_.wait_until(lock, *until);
    else
      changed_.wait(lock);
  }
  return {};
}

void CaptionLine::found(const SlotPtr &slot, SlotPart &part, const ContentAnswer &answer) {
  MutexLock lock(mutex_);
  kept_.keep(part.key, answer);
  part.known = without_tokens(answer);
  part.cached = true;
  slot->undecided = slot->lacks_answer();
  stats_.cached += slot->progress == Progress::asking && !slot->undecided;
  changed_.notify_all();
}

std::vector<SlotPart *> CaptionLine::unknown_parts(const SlotPtr &slot) {
  MutexLock lock(mutex_);
  std::vector<SlotPart *> parts;
  for (SlotPart &part : slot->parts)
    if (!part.done && !part.known) parts.push_back(&part);
  return parts;
}

std::vector<SlotPart *> CaptionLine::parts_to_ask(const SlotPtr &slot) {
  std::vector<SlotPart *> parts = unknown_parts(slot);
  MutexLock lock(mutex_);
  if ((slot->again || !languages_.holds()) && parts.size() > 1) parts.resize(1);
  if (parts.size() == 1) parts[0]->asked_alone = true;
  return parts;
}

bool CaptionLine::is_undecided_before(const CaptionSlot &slot) const {
  for (const SlotPtr &other : slots_) {
    if (other.get() == &slot) return false;
    if (other->progress == Progress::asking && other->undecided) return true;
  }
  return false;
}

// Its answer is on its way in a question that still waits for leave to be asked.
bool CaptionLine::awaits_undecided(const CaptionSlot &slot) const {
  for (const SlotPtr &other : slots_) {
    if (other->progress != Progress::asking || !other->undecided) continue;
    for (const SlotPart &part : slot.parts)
      if (std::any_of(other->parts.begin(), other->parts.end(),
                      [&part](const SlotPart &asked) { return asked.key == part.key; }))
        return true;
  }
  return false;
}

// The last requests of a budget are for the first windows that need one. An earlier window without a worker
// awaits an answer, and needs a request if that fails. Its answer must not be one that waits here itself.
// Live, the windows are not asked about in order anyway, and a worker that waits here could lack.
bool CaptionLine::is_left_to_earlier(const CaptionSlot &slot) const {
  if (live_ || settings_.max_requests == 0 || reserved_ >= settings_.max_requests) return false;
  uint64_t may_need = 0;
  for (const SlotPtr &earlier : slots_) {
    if (earlier.get() == &slot) break;
    may_need += earlier->progress == Progress::waiting && !awaits_undecided(*earlier);
  }
  return may_need >= settings_.max_requests - reserved_;
}

bool CaptionLine::may_ask(const SlotBatch &batch) {
  MutexLock lock(mutex_);
  const auto is_asking = [](const SlotPtr &slot) { return slot->progress == Progress::asking; };
  const auto is_wanted = [&] { return std::any_of(batch.begin(), batch.end(), is_asking); };
  while (is_wanted() && (is_undecided_before(*batch.front()) || is_left_to_earlier(*batch.front())))
    changed_.wait(lock);
  for (const SlotPtr &slot : batch) slot->undecided = false;
  changed_.notify_all();
  if (!is_wanted()) return false;  // dropped in the meantime
  if (reserve_request()) {
    batch.front()->in_flight = true;
    ++stats_.in_flight;
    for (const SlotPtr &slot : batch) slot->asked_at = Clock::system().now();
    return true;
  }
  const SlotPtr first = *std::find_if(batch.begin(), batch.end(), is_asking);
  for (const SlotPtr &slot : batch)
    if (is_asking(slot)) give_up(*slot);
  if (!std::exchange(budget_warned_, true)) {
    first->warning = Error{ErrorKind::settings,
                           "The budget of max-requests is used up; the stream continues without captions."};
    first->warning->details = {{"budget", "max-requests"},
                               {"limit", static_cast<double>(settings_.max_requests)}};
  }
  return false;
}

void CaptionLine::add_sentences(const SlotPtr &slot, std::vector<std::string> sentences) {
  MutexLock lock(mutex_);
  SlotPart &part = slot->parts.front();
  if (slot->progress != Progress::asking || part.done) return;
  if (!slot->took) slot->took = Clock::system().now() - slot->came_in_at;
  for (std::string &sentence : sentences) part.sentences.push_back(std::move(sentence));
  changed_.notify_all();
}

void CaptionLine::keep_answer(const SlotPart &part, const ContentAnswer &answer) {
  MutexLock lock(mutex_);
  kept_.keep(part.key, answer);
}

void CaptionLine::end_part(CaptionSlot &slot, Said said) {
  SlotPart *part = slot.part_in(said.language);
  if (!part || part->done) return;
  part->done = true;
  if (!slot.took) slot.took = Clock::system().now() - slot.came_in_at;
  part->answer = std::move(said.answer);
  for (std::string &sentence : said.sentences) part->sentences.push_back(std::move(sentence));
  part->warning = shortcoming(part->answer);
  if (part->answer.text.empty()) ++stats_.skipped;
}

void CaptionLine::note_tokens(const ContentAnswer &answer) {
  stats_.prompt_tokens += answer.prompt_tokens;
  stats_.output_tokens += answer.output_tokens;
  stats_.total_tokens += answer.total_tokens;
  ++stats_.answers;
}

void CaptionLine::say(const SlotPtr &slot, std::vector<Said> said) {
  MutexLock lock(mutex_);
  if (slot->progress != Progress::asking) return;  // dropped in the meantime
  for (Said &one : said) end_part(*slot, std::move(one));
  changed_.notify_all();
}

void CaptionLine::answered(const SlotPtr &slot, std::optional<Result<ContentAnswer>> answer,
                           std::vector<Said> said) {
  MutexLock lock(mutex_);
  leave_flight(*slot);
  if (answer && *answer) {
    note_tokens(**answer);
    slot->latency = Clock::system().now() - slot->asked_at;
    stats_.latency_sum += slot->latency;
  }
  changed_.notify_all();
  const bool is_wanted = slot->progress == Progress::asking;  // otherwise dropped in the meantime
  if (is_wanted) {
    std::optional<Error> distrust;
    if (answer && *answer && !slot->again && slot->lacking() > 1) distrust = languages_.note(!said.empty());
    for (Said &one : said) end_part(*slot, std::move(one));
    if (answer && !*answer && !slot->again) {
      slot->error = std::move(*answer).error();
    } else {
      // What is missing at the end of an answer in several languages may be a whole language.
      if (answer && *answer && slot->lacking() > 0)
        if (auto flaw = shortcoming(**answer)) slot->warning = std::move(flaw);
      if (distrust) slot->warning = std::move(distrust);
      if (ask_again(*slot, answer && !*answer ? &answer->error() : nullptr)) return;
    }
  }
  slot->request = {};
  if (!is_wanted) return;
  slot->progress = Progress::done;
  note_as_context(*slot);
}

// An answer may lack a language. Another caption must not take its place, so it is asked for alone, once.
// `failure`: why there was no answer at all this time.
bool CaptionLine::ask_again(CaptionSlot &slot, const Error *failure) {
  bool again = false;
  for (SlotPart &part : slot.parts) {
    if (part.done) continue;
    if (!part.asked_alone) {
      again = true;
      continue;
    }
    part.done = true;
    part.warning = Error{failure ? failure->kind : ErrorKind::failed,
                         "There is no answer in the language " + part.language +
                             ", although it was asked for alone; this caption is left out on its pad. " +
                             (failure ? failure->text : "Another prompt or model may help.")};
    if (failure) part.warning->details = failure->details;
    ++stats_.skipped;
  }
  if (!again) return false;
  slot.again = true;
  slot.progress = Progress::waiting;
  return true;
}

// One language is enough for the model to go on from.
void CaptionLine::note_as_context(const CaptionSlot &slot) {
  if (settings_.context == 0 || history_epoch_ != slot.epoch) return;
  const auto said = std::find_if(slot.parts.begin(), slot.parts.end(),
                                 [](const SlotPart &part) { return !part.answer.text.empty(); });
  if (said == slot.parts.end()) return;
  history_.push_back(said->answer.text);
  while (history_.size() > settings_.context) history_.pop_front();
}

void CaptionLine::did_not_ask(const SlotBatch &batch, std::optional<Error> warning) {
  MutexLock lock(mutex_);
  --reserved_;
  --stats_.requests;
  leave_flight(*batch.front());
  changed_.notify_all();
  for (const SlotPtr &slot : batch) {
    if (slot->progress != Progress::asking) continue;  // dropped in the meantime
    give_up(*slot);
    slot->warning = std::exchange(warning, std::nullopt);
  }
}

void CaptionLine::did_not_retry() {
  MutexLock lock(mutex_);
  --reserved_;
  --stats_.requests;
  --stats_.retries;
}

void CaptionLine::did_not_send() {
  MutexLock lock(mutex_);
  --reserved_;
  --stats_.requests;
  changed_.notify_all();
}

void CaptionLine::limit_requests(unsigned most) {
  MutexLock lock(mutex_);
  if (std::exchange(settings_.max_requests, most) != most) budget_warned_ = false;
  changed_.notify_all();
}

void CaptionLine::leave_flight(CaptionSlot &first) {
  stats_.in_flight -= std::exchange(first.in_flight, false);
}

bool CaptionLine::may_retry() {
  MutexLock lock(mutex_);
  if (!reserve_request()) return false;
  ++stats_.retries;
  return true;
}

}  // namespace genclip
