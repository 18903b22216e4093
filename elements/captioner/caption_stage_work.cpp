// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The workers: each takes a question, looks for its answers, and asks for those that nobody has.
#include <gst/gst.h>

#include <utility>

#include "elements/captioner/caption_stage.h"
#include "elements/element_log.h"
#include "elements/post_error.h"

namespace genclip {
namespace {

std::vector<std::string> keys_of(const CaptionRequest &request) {
  std::vector<std::string> keys;
  for (const AskedPart &part : request.parts) keys.push_back(part.key);
  return keys;
}

}  // namespace

// Of a request and its answer the log has the sizes: the words are the user's.
void CaptionStage::log_question(const CaptionRequest &request) const {
  const ContentRequest &content = request.content;
  GST_CAT_DEBUG_OBJECT(gencaption_category(), element_,
                       "%" GST_TIME_FORMAT ": asks: %" G_GSIZE_FORMAT " stills, %" G_GSIZE_FORMAT
                       " bytes of text, %" G_GSIZE_FORMAT " earlier captions, for %" G_GSIZE_FORMAT
                       " captions in all languages",
                       GST_TIME_ARGS(request.at), content.stills.size(), content.text.size(),
                       content.earlier.size(), request.parts.size());
}

void CaptionStage::log_answer(const CaptionRequest &request, const Result<ContentAnswer> &answer,
                              size_t said) const {
  if (!answer) {
    GST_CAT_INFO_OBJECT(gencaption_category(), element_, "%" GST_TIME_FORMAT ": no caption: %s",
                        GST_TIME_ARGS(request.at), log_text(answer.error()).c_str());
    return;
  }
  GST_CAT_DEBUG_OBJECT(
      gencaption_category(), element_,
      "%" GST_TIME_FORMAT ": answered with %" G_GSIZE_FORMAT " bytes (%s), %" G_GUINT64_FORMAT " tokens",
      GST_TIME_ARGS(request.at), answer->text.size(), answer->finish_reason.c_str(), answer->total_tokens);
  if (said < request.parts.size())
    GST_CAT_INFO_OBJECT(gencaption_category(), element_,
                        "%" GST_TIME_FORMAT ": the answer lacks %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
                        " parts",
                        GST_TIME_ARGS(request.at), request.parts.size() - said, request.parts.size());
}

void CaptionStage::log_retry(const CaptionRequest &request, const Error &failure,
                             std::chrono::milliseconds pause) const {
  GST_CAT_DEBUG_OBJECT(
      gencaption_category(), element_, "%" GST_TIME_FORMAT ": asks again in %" G_GINT64_FORMAT " ms: %s",
      GST_TIME_ARGS(request.at), static_cast<gint64>(pause.count()), log_text(failure).c_str());
}

CaptionStage::Answers CaptionStage::look_in_store(CaptionCache cache, const std::vector<AskedPart> &parts,
                                                  GCancellable *cancellable) {
  Answers found;
  if (cache == CaptionCache::off) return found;
  const auto use = cache == CaptionCache::read_write ? AnswerStore::Use::noted : AnswerStore::Use::unnoted;
  for (const AskedPart &part : parts)
    if (auto answer = answers_.find(part.key, use, cancellable)) {
      cut_long_text(answer->text);
      found.emplace_back(part, *std::move(answer));
    }
  return found;
}

void CaptionStage::tell_found(const Answers &found) {
  for (const auto &[part, answer] : found) queue_.tell(&CaptionSchedule::found, part, answer);
}

// Of the store's budget, and then of the schedule: whatever ends the asking may come while a worker waits.
CaptionAllowance::Answer CaptionStage::leave_for(const CaptionRequest &request, GCancellable *cancellable) {
  auto leave = allowance_.ask(cancellable);
  if (!leave.may_send || queue_.tell(&CaptionSchedule::begins, request)) return leave;
  allowance_.ended({.was_sent = false});
  leave.may_send = false;
  return leave;
}

bool CaptionStage::has_leave(const CaptionRequest &request, GCancellable *cancellable) {
  auto leave = leave_for(request, cancellable);
  if (!leave.may_send) {
    queue_.tell(&CaptionSchedule::did_not_ask, request.question, std::move(leave.warning));
    return false;
  }
  if (leave.warning && request.cache == CaptionCache::read_write)
    leave.warning = answers_.warning_of(*leave.warning, cancellable);
  if (leave.warning) post_warning(element_, gencaption_category(), *leave.warning);
  return true;
}

// Of cache=read-write, which pays for nothing twice, nor for what cannot be kept. Else a warning is enough.
bool CaptionStage::is_kept_or_refused(const CaptionRequest &request, GCancellable *cancellable) {
  const auto keys = keys_of(request);
  if (settings_.cache != CaptionCache::read_write) {
    if (const auto warning = answers_.unread(keys)) post_warning(element_, gencaption_category(), *warning);
    return true;
  }
  const auto problem = answers_.problem(keys, cancellable);
  if (!problem) return true;
  // The stream ends once its last window is given up.
  end_with(*problem);
  queue_.tell(&CaptionSchedule::did_not_ask, request.question, std::nullopt);
  return false;
}

void CaptionStage::end_with(const Error &error) {
  // Workers may find the same at once. The error comes before the end of the stream.
  auto before = Ending::none;
  if (ending_.compare_exchange_strong(before, Ending::telling)) {
    post_error(element_, gencaption_category(), error);
    ending_ = Ending::told;
  }
  // Also if it was told before a seek, which has begun the stream anew but not the run.
  if (ending_ != Ending::told) return;
  queue_.tell(&CaptionSchedule::set_flow, Flow::error);
}

// A retry is a request as well.
bool CaptionStage::may_send_again(const CaptionRequest &request, GCancellable *cancellable) {
  if (!queue_.tell(&CaptionSchedule::may_retry)) return false;
  const auto leave = leave_for(request, cancellable);
  if (leave.warning) post_warning(element_, gencaption_category(), *leave.warning);
  if (!leave.may_send) queue_.tell(&CaptionSchedule::did_not_retry);
  return leave.may_send;
}

Result<ContentAnswer> CaptionStage::ask(const CaptionRequest &request, SentenceSplitter &splitter,
                                        GCancellable *cancellable) {
  ContentListener listener;
  bool has_said = false;
  const auto say = [&](std::string_view text) {
    auto sentences = splitter.push(text);
    if (sentences.empty()) return false;
    for (std::string &sentence : sentences) cut_long_text(sentence);
    queue_.tell(&CaptionSchedule::add_sentences, request.question, std::move(sentences));
    return has_said = true;
  };
  if (request.by_sentence) listener.on_text = say;
  listener.on_try_ended = [&](const ContentTry &used) {
    queue_.tell(&CaptionSchedule::note_tokens, allowance_.ended(used));
    if (!used.was_sent) queue_.tell(&CaptionSchedule::did_not_send);
  };
  listener.on_failure = [&](const Error &failure, std::chrono::milliseconds pause) {
    log_retry(request, failure, pause);
  };
  listener.on_retry = [&] {
    splitter = {};
    return may_send_again(request, cancellable);
  };
  auto answer = client_->ask(request.content, listener, cancellable);
  // This text may be that of an earlier try.
  if (answer && answer->broken_off && request.by_sentence && !has_said) {
    splitter = {};
    say(answer->text);
  }
  return checked_answer(request, std::move(answer));
}

// What has left the element is not paid for again, whenever the process dies.
void CaptionStage::keep_answers(const CaptionRequest &request, const std::vector<Said> &said,
                                const std::shared_ptr<const QuestionLocks> &locks,
                                GCancellable *cancellable) {
  if (request.cache != CaptionCache::read_write) return;
  for (const Said &one : said) {
    if (!is_worth_keeping(one.answer, client_->key())) {
      if (const auto warning = answers_.not_worth_keeping(one.answer))
        post_warning(element_, gencaption_category(), *warning);
      continue;
    }
    const auto problem = answers_.keep(one.part.key, request.content.model, one.answer, locks, cancellable);
    if (!problem) continue;
    if (settings_.cache == CaptionCache::read_write)
      end_with(*problem);
    else
      post_warning(element_, gencaption_category(), *problem);
  }
}

std::shared_ptr<const QuestionLocks> CaptionStage::lock(const CaptionRequest &request,
                                                        GCancellable *cancellable) const {
  // What is not kept, nobody can wait for.
  if (request.cache != CaptionCache::read_write) return nullptr;
  return answers_.lock(keys_of(request), cancellable);
}

// The request that is left to send, with the locks of its questions.
std::optional<CaptionRequest> CaptionStage::request_of(const Work &work,
                                                       std::shared_ptr<const QuestionLocks> &locks) {
  GCancellable *cancellable = work.cancellable.get();
  const CaptionCache cache = work.question.cache;
  tell_found(look_in_store(cache, work.question.parts, cancellable));
  for (;;) {
    auto request = queue_.await(&CaptionSchedule::may_ask, work.question.id);
    if (!request) return std::nullopt;
    // Behind may_ask(): one that waits there for other windows must hold no lock that these may wait for.
    locks = lock(*request, cancellable);
    const Answers found = locks ? look_in_store(cache, request->parts, cancellable) : Answers();
    if (found.empty()) {
      if (!is_kept_or_refused(*request, cancellable)) return std::nullopt;
      return request;
    }
    answers_.let_go(std::exchange(locks, nullptr), cancellable);
    queue_.tell(&CaptionSchedule::answered_elsewhere, *std::move(request));
    tell_found(found);
  }
}

void CaptionStage::answer(const Work &work) {
  GCancellable *cancellable = work.cancellable.get();
  std::shared_ptr<const QuestionLocks> locks;
  auto request = request_of(work, locks);
  if (request && has_leave(*request, cancellable)) {
    log_question(*request);
    SentenceSplitter splitter;
    const auto answer = ask(*request, splitter, cancellable);
    auto said = answer ? said_in(*request, *answer, splitter) : std::vector<Said>();
    log_answer(*request, answer, said.size());
    keep_answers(*request, said, locks, cancellable);
    queue_.tell(&CaptionSchedule::answered, *std::move(request), answer, std::move(said));
  }
  answers_.let_go(std::move(locks), cancellable);
}

void CaptionStage::work() {
  while (const auto work = queue_.next_work()) {
    answer(*work);
    queue_.end_work(work->question.id);
  }
}

}  // namespace genclip
