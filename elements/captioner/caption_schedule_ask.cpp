// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the schedule about questions: which is next, whether its answer is known, whether a request may
// be sent for it, and what follows from the answer.
//
// Several texts may share a request. It is worth the wait for more texts, but the wait has limits: the end of
// the stream, half a second without another text, because upstream may wait for an answer before it sends the
// next one, and in a live stream a part of the latency. A file has its texts at once, so that its requests
// are the same in every run.
#include <algorithm>
#include <utility>

#include "elements/captioner/caption_schedule.h"
#include "plugin/caption/answer_form.h"
#include "plugin/caption/answer_text.h"
#include "plugin/caption/question_fault.h"
#include "plugin/caption/stream_text.h"

namespace genclip {
namespace {

using Progress = CaptionSlot::Progress;
using Slots = std::vector<CaptionSlot *>;

constexpr auto kNextText = std::chrono::milliseconds(500);
// Live: the rest is for the answer.
constexpr int kPartOfLatency = 4;

// An answer that is known takes no tokens.
ContentAnswer without_tokens(ContentAnswer answer) {
  answer.prompt_tokens = answer.output_tokens = answer.total_tokens = 0;
  return answer;
}

bool may_share(const CaptionSlot &slot) { return slot.one_piece && !slot.again && !slot.alone; }

bool goes_with(const CaptionSlot &first, const CaptionSlot &slot) {
  const ContentRequest &a = first.request;
  const ContentRequest &b = slot.request;
  return may_share(slot) && slot.epoch == first.epoch && a.prompt == b.prompt &&
         a.system_instruction == b.system_instruction;
}

bool has_part(const CaptionSlot &slot, const std::string &key) {
  return std::any_of(slot.parts.begin(), slot.parts.end(),
                     [&key](const SlotPart &part) { return part.key == key; });
}

bool is_same_question(const CaptionSlot &a, const CaptionSlot &b) {
  return std::any_of(a.parts.begin(), a.parts.end(),
                     [&b](const SlotPart &part) { return has_part(b, part.key); });
}

// Another pad says the same.
bool has_asked(const std::vector<AskedPart> &asked, const CaptionSlot &slot, const SlotPart &part) {
  return std::any_of(asked.begin(), asked.end(), [&](const AskedPart &one) {
    return one.slot == slot.id && one.language == part.asked_in();
  });
}

// Another pad, which says the same, warns of it.
bool is_told(const CaptionSlot &slot, const SlotPart &part) {
  return std::any_of(slot.parts.begin(), slot.parts.end(), [&part](const SlotPart &other) {
    return &other != &part && other.done && other.asked_in() == part.asked_in();
  });
}

// Only the whole of an answer in several languages says where each of them begins.
bool goes_by_sentence(const CaptionSlot &slot, bool by_sentence) {
  return by_sentence && !slot.one_piece && slot.parts.size() == 1;
}

}  // namespace

// In stream order, so that a budget and a context have the same effect on every run. A question whose answers
// are all on their way holds up nobody.
CaptionSlot *CaptionSchedule::first_to_ask() {
  for (auto &[id, slot] : slots_) {
    if (slot.progress == Progress::waiting) {
      if (is_growing(slot)) return nullptr;
      look_up(slot);
      if (!awaits_answers(slot)) return &slot;
      if (settings_.context > 0 || !awaits_only_answers(slot)) return nullptr;
      continue;
    }
    const bool must_wait = slot.progress == Progress::making_stills ||
                           (settings_.context > 0 && slot.progress == Progress::asking);
    if (must_wait && !live_) return nullptr;
  }
  return nullptr;
}

// Builds the keys of the questions, and finds their answers if this run already has them.
void CaptionSchedule::look_up(CaptionSlot &slot) {
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
                              part.asked_in());
    part.known.reset();
    if (const ContentAnswer *kept = kept_.find(part.key)) part.known = without_tokens(*kept);
  }
}

// A question that a worker has is about this part, too; and it is not known yet whether it needs a request.
bool CaptionSchedule::is_asked(const SlotPart &part, bool undecided) const {
  return std::any_of(slots_.begin(), slots_.end(), [&](const auto &other) {
    const CaptionSlot &slot = other.second;
    return slot.progress == Progress::asking && (slot.undecided || !undecided) && has_part(slot, part.key);
  });
}

// Another request will bring an answer that this one needs.
bool CaptionSchedule::awaits_answers(const CaptionSlot &slot) const {
  return std::any_of(slot.parts.begin(), slot.parts.end(),
                     [this](const SlotPart &part) { return part.lacks_answer() && is_asked(part, false); });
}

// Other requests will bring all answers that this one needs.
bool CaptionSchedule::awaits_only_answers(const CaptionSlot &slot) const {
  return std::all_of(slot.parts.begin(), slot.parts.end(),
                     [this](const SlotPart &part) { return !part.lacks_answer() || is_asked(part, false); });
}

// The first one and those behind it that can share its request.
Slots CaptionSchedule::batch_from(CaptionSlot &first) {
  Slots batch{&first};
  if (texts_at_once() <= 1 || !may_share(first)) return batch;
  for (auto &[id, slot] : slots_) {
    if (batch.size() >= texts_at_once()) break;
    if (id == first.id || slot.progress != Progress::waiting) continue;
    if (is_growing(slot) || !goes_with(first, slot) || (first.share_until && id > *first.share_until)) break;
    look_up(slot);
    // Equal texts are one question, whose answer this one will have soon.
    const bool is_repeated = std::any_of(batch.begin(), batch.end(), [&one = slot](const CaptionSlot *other) {
      return is_same_question(*other, one);
    });
    if (!is_repeated && !awaits_answers(slot)) batch.push_back(&slot);
  }
  return batch;
}

// Empty: the request is sent now.
std::optional<Instant> CaptionSchedule::awaits_more_until(const Slots &batch, Instant now) const {
  const CaptionSlot &first = *batch.front();
  if (batch.size() >= texts_at_once() || !may_share(first) || !texts_follow_ || !text_.id)
    return std::nullopt;
  Instant until = text_.came_in_at + kNextText;
  if (live_) until = std::min(until, first.came_in_at + settings_.latency / kPartOfLatency);
  return now < until ? std::optional(until) : std::nullopt;
}

Question CaptionSchedule::begin_question(const Slots &batch, Instant now) {
  Question question{++last_question_, batch.front()->cache, {}};
  for (CaptionSlot *slot : batch) {
    slot->progress = Progress::asking;
    slot->question = question.id;
    slot->undecided = slot->lacks_answer();
    slot->asked_at = now;
    for (const SlotPart &part : slot->parts)
      if (part.lacks_answer() && !has_asked(question.parts, *slot, part))
        question.parts.push_back({slot->id, part.asked_in(), part.key});
  }
  changed_ = true;
  return question;
}

Next<std::optional<Question>> CaptionSchedule::next_question(Instant now) {
  if (stopped_) return std::nullopt;
  if (grows_until_ && now >= *grows_until_) end_growing();
  CaptionSlot *first = first_to_ask();
  if (!first) return WaitUntil{grows_until_};
  const Slots batch = batch_from(*first);
  if (const auto until = awaits_more_until(batch, now)) return WaitUntil{until};
  return begin_question(batch, now);
}

void CaptionSchedule::found(const AskedPart &asked, const ContentAnswer &answer) {
  kept_.keep(asked.key, answer);
  changed_ = true;
  CaptionSlot *slot = find(asked.slot);
  if (!slot) return;
  bool is_wanted = false;
  for (SlotPart &part : slot->parts) {
    if (part.asked_in() != asked.language) continue;
    part.known = without_tokens(answer);
    part.cached = is_wanted = true;
  }
  if (!is_wanted) return;
  slot->undecided = slot->lacks_answer();
  stats_.cached += slot->progress == Progress::asking && !slot->undecided;
}

bool CaptionSchedule::is_undecided_before(SlotId id) const {
  return std::any_of(slots_.begin(), slots_.lower_bound(id), [](const auto &other) {
    return other.second.progress == Progress::asking && other.second.undecided;
  });
}

// Its answer is on its way in a question that still waits for leave to be asked.
bool CaptionSchedule::awaits_undecided(const CaptionSlot &slot) const {
  return std::any_of(slot.parts.begin(), slot.parts.end(),
                     [this](const SlotPart &part) { return is_asked(part, true); });
}

// The last requests of a budget are for the first windows that need one. An earlier window without a worker
// awaits an answer, and needs a request if that fails. Its answer must not be known already, nor be one that
// waits here itself. Live, the windows are not asked about in order anyway, and a worker that waits here
// could lack.
bool CaptionSchedule::is_left_to_earlier(SlotId id) {
  if (live_ || settings_.max_requests == 0 || reserved_ >= settings_.max_requests) return false;
  uint64_t may_need = 0;
  for (auto at = slots_.begin(); at != slots_.lower_bound(id); ++at) {
    CaptionSlot &earlier = at->second;
    if (earlier.progress != Progress::waiting) continue;
    look_up(earlier);
    may_need += earlier.lacks_answer() && !awaits_undecided(earlier);
  }
  return may_need >= settings_.max_requests - reserved_;
}

// Those that were not dropped in the meantime.
Slots CaptionSchedule::still_asked(uint64_t question) {
  Slots batch;
  for (auto &[id, slot] : slots_)
    if (slot.progress == Progress::asking && slot.question == question) batch.push_back(&slot);
  return batch;
}

void CaptionSchedule::say_known(CaptionSlot &slot, Instant now) {
  for (SlotPart &part : slot.parts) {
    if (part.done || !part.known) continue;
    auto sentences =
        sentences_of(answer_text(part.known->text), goes_by_sentence(slot, settings_.by_sentence));
    end_part(slot, part, *part.known, std::move(sentences), now);
  }
}

CaptionRequest CaptionSchedule::request_about(uint64_t question, const Slots &batch) {
  CaptionSlot &first = *batch.front();
  CaptionRequest request;
  request.question = question;
  request.at = first.window.start;
  request.cache = first.cache;
  request.texts = batch.size();
  // Stills are large, so they are lent.
  request.content = batch.size() > 1 ? first.request : std::move(first.request);
  Languages languages;
  std::vector<std::string> texts;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch.size() > 1) texts.push_back(batch[i]->request.text);
    for (SlotPart &part : batch[i]->parts) {
      // All that lacks, but only one if it is asked about again.
      const bool is_enough =
          batch.size() == 1 && (first.again || !languages_.holds()) && !request.parts.empty();
      if (part.done || is_enough || has_asked(request.parts, *batch[i], part)) continue;
      request.parts.push_back({batch[i]->id, part.asked_in(), part.key});
      request.numbers.push_back(i);
      if (std::find(languages.begin(), languages.end(), part.asked_in()) == languages.end())
        languages.push_back(part.asked_in());
    }
  }
  if (batch.size() > 1) request.content.text = numbered_cues(texts);
  request.content.form = form_request(languages, batch.size());
  if (batch.size() > 1) return request;
  for (SlotPart &part : first.parts) {
    if (part.done || !has_asked(request.parts, first, part)) continue;
    ++part.asked;
    part.asked_alone = request.parts.size() == 1;
  }
  request.by_sentence = goes_by_sentence(first, settings_.by_sentence);
  request.is_plain = first.parts.size() == 1 && (languages[0].empty() || request.by_sentence);
  request.may_be_empty = !first.again;
  return request;
}

// Those behind the last answer that the store has: it may have them, too, as questions that came behind it.
// They stay among themselves, or the questions about all later texts would be others than in the run before.
void CaptionSchedule::put_back_tail(const Slots &all) {
  const auto is_found = [](const CaptionSlot *slot) { return slot->progress != Progress::asking; };
  const auto last_found = std::find_if(all.rbegin(), all.rend(), is_found);
  if (last_found == all.rend()) return;
  for (auto tail = all.rbegin(); tail != last_found; ++tail) {
    (*tail)->progress = Progress::waiting;
    (*tail)->undecided = false;
    (*tail)->share_until = all.back()->id;
    changed_ = true;
  }
}

// What is known is said at once: its pads need not wait for the others.
Next<std::optional<CaptionRequest>> CaptionSchedule::may_ask(uint64_t question, Instant now) {
  const Slots all = still_asked(question);
  for (CaptionSlot *slot : all) {
    say_known(*slot, now);
    if (slot->lacking() == 0) end_slot_answered(*slot);
  }
  if (settings_.context > 0) put_back_tail(all);
  const Slots batch = still_asked(question);
  if (batch.empty()) return std::nullopt;
  if (!may_send()) {
    for (CaptionSlot *slot : batch) give_up(*slot);
    return std::nullopt;
  }
  if (settings_.refusal) {
    end_request(question, *settings_.refusal, {}, now);
    return std::nullopt;
  }
  const SlotId first = batch.front()->id;
  if (is_undecided_before(first) || is_left_to_earlier(first)) return WaitUntil{};
  changed_ = true;
  for (CaptionSlot *slot : batch) slot->undecided = false;
  if (!reserve_request()) {
    refuse(batch);
    return std::nullopt;
  }
  for (CaptionSlot *slot : batch) slot->asked_at = now;
  return request_about(question, batch);
}

bool CaptionSchedule::reserve_request() {
  if (settings_.max_requests > 0 && reserved_ >= settings_.max_requests) return false;
  changed_ = true;
  ++reserved_;
  ++stats_.requests;
  return true;
}

void CaptionSchedule::refuse(const Slots &batch) {
  for (CaptionSlot *slot : batch) give_up(*slot);
  if (std::exchange(budget_warned_, true)) return;
  Error warning{ErrorKind::settings,
                "The budget of max-requests is used up." + std::string(kStreamContinues)};
  warning.details = {{"budget", "max-requests"}, {"limit", static_cast<double>(settings_.max_requests)}};
  batch.front()->warning = std::move(warning);
}

void CaptionSchedule::limit_requests(unsigned most, bool asks) {
  if (std::exchange(settings_.max_requests, most) != most) budget_warned_ = false;
  settings_.asks = asks;
  changed_ = true;
}

bool CaptionSchedule::may_retry() {
  if (!may_send() || !reserve_request()) return false;
  ++stats_.retries;
  return true;
}

// The wait for the ledger, for a limit of tokens or for somebody else's answer may have been long.
bool CaptionSchedule::begins(const CaptionRequest &request, Instant now) {
  if (!may_send()) return false;
  in_flight_.try_emplace(request.question, InFlight{request.texts, now});
  return true;
}

void CaptionSchedule::did_not_retry() {
  did_not_send();
  --stats_.retries;
}

void CaptionSchedule::did_not_send() {
  --reserved_;
  --stats_.requests;
  changed_ = true;
}

void CaptionSchedule::note_tokens(uint64_t tokens) {
  stats_.total_tokens += tokens;
  stats_.most_tokens = std::max(stats_.most_tokens, tokens);
}

void CaptionSchedule::did_not_ask(uint64_t question, std::optional<Error> warning) {
  did_not_send();
  for (CaptionSlot *slot : still_asked(question)) {
    give_up(*slot);
    slot->warning = std::exchange(warning, std::nullopt);
  }
  if (warning) untold_.push_back(*std::move(warning));
}

void CaptionSchedule::add_sentences(uint64_t question, std::vector<std::string> sentences, Instant now) {
  const Slots asked = still_asked(question);
  if (asked.empty() || asked.front()->parts.front().done) return;
  CaptionSlot &slot = *asked.front();
  if (!slot.took) slot.took = now - slot.came_in_at;
  for (std::string &sentence : sentences) slot.parts.front().sentences.push_back(std::move(sentence));
  changed_ = true;
}

void CaptionSchedule::end_part(CaptionSlot &slot, SlotPart &part, ContentAnswer answer,
                               std::vector<std::string> sentences, Instant now) {
  if (part.done) return;
  part.done = slot.answered = true;
  changed_ = true;
  if (!slot.took) slot.took = now - slot.came_in_at;
  part.answer = std::move(answer);
  part.answer.text = answer_text(part.answer.text);
  for (std::string &sentence : sentences) part.sentences.push_back(std::move(sentence));
  if (!is_told(slot, part)) part.warning = shortcoming(part.answer);
  if (part.answer.text.empty())
    ++stats_.skipped;
  else if (part.warning)
    part.warning->details.push_back({kCaptionShown, true});
}

// The tokens are those of one message.
void CaptionSchedule::end_parts(CaptionSlot &slot, const Said &said, Instant now) {
  ContentAnswer answer = said.answer;
  for (SlotPart &part : slot.parts) {
    if (part.done || part.asked_in() != said.part.language) continue;
    end_part(slot, part, std::exchange(answer, without_tokens(answer)), said.sentences, now);
  }
}

void CaptionSchedule::answered_elsewhere(CaptionRequest request) {
  did_not_send();
  const Slots asked = still_asked(request.question);
  if (request.texts != 1 || asked.empty()) return;
  for (SlotPart &part : asked[0]->parts)
    if (!part.done && has_asked(request.parts, *asked[0], part)) --part.asked;
  asked[0]->request = std::move(request.content);
}

void CaptionSchedule::answered(CaptionRequest request, const Result<ContentAnswer> &answer,
                               std::vector<Said> said, Instant now) {
  const Slots asked = still_asked(request.question);
  if (request.texts == 1 && !asked.empty()) asked[0]->request = std::move(request.content);
  end_request(request.question, answer, std::move(said), now);
}

void CaptionSchedule::end_request(uint64_t question, const Result<ContentAnswer> &answer,
                                  std::vector<Said> said, Instant now) {
  changed_ = true;
  const auto asked = in_flight_.find(question);
  const InFlight request = asked == in_flight_.end() ? InFlight{} : asked->second;
  in_flight_.erase(question);
  for (const Said &one : said)
    // If an answer broke off, the connection was at fault, and asking again may bring all of it.
    if (!one.answer.broken_off) kept_.keep(one.part.key, one.answer);
  if (answer) note_answer(*answer, now - request.asked_at);
  const Slots batch = still_asked(question);
  std::optional<Error> distrust;
  if (answer && request.texts > 1)
    distrust = numbers_.note(!said.empty());
  else if (answer && !batch.empty() && !batch[0]->again && batch[0]->lacking_languages() > 1)
    distrust = languages_.note(!said.empty());
  bool is_told = false;
  for (CaptionSlot *slot : batch) {
    if (answer) slot->latency = now - request.asked_at;
    for (const Said &one : said)
      if (one.part.slot == slot->id) end_parts(*slot, one, now);
    const bool ends = request.texts > 1 ? ends_one_of(*slot, answer, is_told) : ends_alone(*slot, answer);
    if (distrust) slot->warning = std::exchange(distrust, std::nullopt);
    if (ends) end_slot_answered(*slot);
  }
}

void CaptionSchedule::note_answer(const ContentAnswer &answer, std::chrono::nanoseconds latency) {
  stats_.prompt_tokens += answer.prompt_tokens;
  stats_.output_tokens += answer.output_tokens;
  stats_.answer_tokens += answer.total_tokens;
  stats_.latency_sum += latency;
  ++stats_.answers;
  failed_alone_ = 0;
}

// False: the caption is asked about again. A text whose parts are not all there is asked about by itself:
// another one may be the reason why the model withholds the answers about all of them, or why the gateway
// fails at them or takes too long. That is worth a further request only where a text may lack its answer, and
// not while the gateway fails at all that is asked alone.
bool CaptionSchedule::ends_one_of(CaptionSlot &slot, const Result<ContentAnswer> &answer, bool &is_told) {
  if (slot.lacking() == 0) return true;
  const bool may_fail = !settings_.ends_on_error && settings_.retries > 0 && failed_alone_ < kMostFailedAlone;
  if (answer || answer.error().kind == ErrorKind::failed ||
      (may_fail && may_be_of_question(answer.error()))) {
    slot.alone = true;
    slot.progress = Progress::waiting;
    return false;
  }
  fail(slot, answer.error());
  slot.error_told = std::exchange(is_told, true);
  return true;
}

bool CaptionSchedule::ends_alone(CaptionSlot &slot, const Result<ContentAnswer> &answer) {
  if (slot.alone && !answer && may_be_of_question(answer.error()))
    failed_alone_ = std::min(failed_alone_ + 1, kMostFailedAlone);
  if (!answer && !slot.again) {
    fail(slot, answer.error());
    return true;
  }
  // What is missing at the end of an answer in several languages may be a whole language.
  bool is_flawed = false;
  if (answer && slot.lacking() > 0)
    if (auto flaw = shortcoming(*answer)) slot.warning = std::move(flaw), is_flawed = true;
  return !ask_again(slot, answer ? nullptr : &answer.error(), is_flawed);
}

// The answers that are on their way are paid, and all others would be lost.
void CaptionSchedule::fail(CaptionSlot &slot, Error error) {
  slot.error = std::move(error);
  has_failed_ = changed_ = true;
}

void CaptionSchedule::end_slot_answered(CaptionSlot &slot) {
  slot.request = {};
  slot.progress = Progress::done;
  changed_ = true;
  note_as_context(slot);
}

// An answer may lack a language. Another caption must not take its place, so it is asked for alone, within
// the retries. `failure`: why there was no answer at all this time, for which the client has used them up, as
// it has for an answer without text.
bool CaptionSchedule::ask_again(CaptionSlot &slot, const Error *failure, bool is_flawed) {
  bool again = false;
  for (SlotPart &part : slot.parts) {
    if (part.done) continue;
    const bool is_final = part.asked_alone && (failure || is_flawed);
    if (!is_final && part.asked <= settings_.retries) {
      again = true;
      continue;
    }
    part.done = true;
    ++stats_.skipped;
    if (is_told(slot, part)) continue;
    part.warning = Error{failure ? failure->kind : ErrorKind::failed,
                         "There is no answer in the language " + part.asked_in() +
                             (part.asked_alone ? ", although it was asked for alone" : "") +
                             "; this caption is left out on its pad. " +
                             (failure ? failure->text : "Another prompt or model may help.")};
    if (failure) {
      part.warning->details = failure->details;
      part.warning->http_status = failure->http_status;
    }
  }
  if (!again) return false;
  slot.again = true;
  slot.progress = Progress::waiting;
  return true;
}

// One language is enough for the model to go on from.
void CaptionSchedule::note_as_context(const CaptionSlot &slot) {
  if (settings_.context == 0 || history_epoch_ != slot.epoch) return;
  const auto said = std::find_if(slot.parts.begin(), slot.parts.end(),
                                 [](const SlotPart &part) { return !part.answer.text.empty(); });
  if (said == slot.parts.end()) return;
  history_.push_back(said->answer.text);
  while (history_.size() > settings_.context) history_.pop_front();
}

// Nobody waits for it any more.
void CaptionSchedule::drop(CaptionSlot &slot) {
  const bool was_asked = slot.progress == Progress::asking;
  slot.progress = Progress::done;
  slot.request = {};
  changed_ = true;
  if (was_asked && still_asked(slot.question).empty()) cancelled_.push_back(slot.question);
}

}  // namespace genclip
