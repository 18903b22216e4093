// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The workers: each takes a caption, looks for its answers, and asks for those that nobody has.
#include <gst/gst.h>

#include <utility>

#include "elements/captioner/caption_stage.h"
#include "elements/element_log.h"
#include "elements/post_error.h"
#include "plugin/caption/answer_form.h"
#include "plugin/caption/answer_text.h"
#include "plugin/caption/sentence_splitter.h"

namespace genclip {
namespace {

// The sentences of an answer that has come at once.
std::vector<std::string> sentences_of(const std::string &text, bool by_sentence) {
  if (!by_sentence) return text.empty() ? std::vector<std::string>{} : std::vector{text};
  SentenceSplitter splitter;
  std::vector<std::string> sentences = splitter.push(text);
  for (std::string &rest : splitter.finish()) sentences.push_back(std::move(rest));
  return sentences;
}

Languages languages_of(const std::vector<SlotPart *> &parts) {
  Languages languages;
  for (const SlotPart *part : parts) languages.push_back(part->language);
  return languages;
}

}  // namespace

// Of a request and its answer the log has the sizes: the words are the user's.
void CaptionStage::log_question(const CaptionSlot &slot, size_t languages) const {
  GST_CAT_DEBUG_OBJECT(gencaption_category(), element_,
                       "%" GST_TIME_FORMAT ": %s: %" G_GSIZE_FORMAT " stills, %" G_GSIZE_FORMAT
                       " bytes of text, %" G_GSIZE_FORMAT " earlier captions, %" G_GSIZE_FORMAT " languages",
                       GST_TIME_ARGS(slot.window.start), languages == 0 ? "has the answer already" : "asks",
                       slot.request.stills.size(), slot.request.text.size(), slot.request.earlier.size(),
                       languages == 0 ? slot.parts.size() : languages);
}

void CaptionStage::log_answer(const CaptionSlot &slot, const Result<ContentAnswer> &answer) const {
  if (!answer) {
    GST_CAT_INFO_OBJECT(gencaption_category(), element_, "%" GST_TIME_FORMAT ": no caption: %s",
                        GST_TIME_ARGS(slot.window.start), log_text(answer.error()).c_str());
    return;
  }
  GST_CAT_DEBUG_OBJECT(gencaption_category(), element_,
                       "%" GST_TIME_FORMAT ": answered with %" G_GSIZE_FORMAT
                       " bytes (%s), %" G_GUINT64_FORMAT " tokens",
                       GST_TIME_ARGS(slot.window.start), answer->text.size(), answer->finish_reason.c_str(),
                       answer->total_tokens);
}

void CaptionStage::log_retry(const CaptionSlot &slot, const Error &failure,
                             std::chrono::milliseconds pause) const {
  GST_CAT_DEBUG_OBJECT(
      gencaption_category(), element_, "%" GST_TIME_FORMAT ": asks again in %" G_GINT64_FORMAT " ms: %s",
      GST_TIME_ARGS(slot.window.start), static_cast<gint64>(pause.count()), log_text(failure).c_str());
}

// A retry is a request as well.
bool CaptionStage::may_send_again(const CaptionSlot &slot) {
  if (!line_.may_retry()) return false;
  const auto leave = allowance_.ask(slot.cancellable.get());
  if (leave.warning) post_warning(element_, gencaption_category(), *leave.warning);
  if (!leave.may_send) line_.did_not_retry();
  return leave.may_send;
}

// False: the windows have no captions.
bool CaptionStage::has_leave(const SlotBatch &batch) {
  if (const auto reason = reason_to_ask_nothing(settings_)) {
    const Result<ContentAnswer> nothing = *reason;
    for (const SlotPtr &slot : batch) line_.answered(slot, nothing, {});
    return false;
  }
  if (!line_.may_ask(batch)) return false;
  auto leave = allowance_.ask(batch.back()->cancellable.get());
  if (!leave.may_send) {
    line_.did_not_ask(batch, std::move(leave.warning));
    return false;
  }
  if (leave.warning) post_warning(element_, gencaption_category(), *leave.warning);
  return true;
}

void CaptionStage::look_in_store(const SlotPtr &slot, SlotPart &part) {
  if (slot->cache == CaptionCache::off) return;
  const auto use =
      slot->cache == CaptionCache::read_write ? AnswerStore::Use::noted : AnswerStore::Use::unnoted;
  if (const auto answer = answers_.find(part.key, use, slot->cancellable.get()))
    line_.found(slot, part, *answer);
}

// The store first: what has left the element is not paid for again, whenever the process dies.
void CaptionStage::keep_answer(const CaptionSlot &slot, const SlotPart &part, const ContentAnswer &answer) {
  if (slot.cache == CaptionCache::read_write && is_worth_keeping(answer, client_->key())) {
    const auto warning = answers_.keep(part.key, slot.request.model, answer, slot.cancellable.get());
    if (warning) post_warning(element_, gencaption_category(), *warning);
  }
  // If an answer broke off, the connection was at fault, and asking again may bring all of it. If it has no
  // text, this run has asked as often as it may.
  if (!answer.broken_off) line_.keep_answer(part, answer);
}

// Only the whole of an answer in several languages says where each of them begins.
bool CaptionStage::goes_by_sentence(const CaptionSlot &slot) const {
  return settings_.stream && !slot.one_piece && slot.parts.size() == 1;
}

Result<ContentAnswer> CaptionStage::ask(const ContentRequest &request, const SlotPtr &slot,
                                        SentenceSplitter &splitter) {
  ContentListener listener;
  bool has_said = false;
  const auto say = [&](std::string_view text) {
    auto sentences = splitter.push(text);
    if (sentences.empty()) return false;
    line_.add_sentences(slot, std::move(sentences));
    return has_said = true;
  };
  if (goes_by_sentence(*slot)) listener.on_text = say;
  listener.on_try_ended = [&](const ContentTry &used) {
    allowance_.ended(used);
    if (!used.was_sent) line_.did_not_send();
  };
  listener.on_failure = [&](const Error &failure, std::chrono::milliseconds pause) {
    log_retry(*slot, failure, pause);
  };
  listener.on_retry = [&] {
    splitter = {};
    return may_send_again(*slot);
  };
  auto answer = client_->ask(request, listener, slot->cancellable.get());
  // This text may be that of an earlier try.
  if (answer && answer->broken_off && goes_by_sentence(*slot) && !has_said) {
    splitter = {};
    say(answer->text);
  }
  return answer;
}

std::vector<Said> CaptionStage::known_parts(const CaptionSlot &slot) const {
  std::vector<Said> said;
  for (const SlotPart &part : slot.parts) {
    if (!part.known) continue;
    ContentAnswer answer = *part.known;
    answer.text = answer_text(answer.text);
    auto sentences = sentences_of(answer.text, goes_by_sentence(slot));
    said.push_back({part.language, std::move(answer), std::move(sentences)});
  }
  return said;
}

// An answer that is the text of the only part, as it is.
Said CaptionStage::take_answer(const CaptionSlot &slot, ContentAnswer answer, SentenceSplitter &splitter) {
  const SlotPart &part = slot.parts.front();
  keep_answer(slot, part, answer);
  answer.text = answer_text(answer.text);
  auto sentences = goes_by_sentence(slot) ? splitter.finish() : sentences_of(answer.text, false);
  return {part.language, std::move(answer), std::move(sentences)};
}

// Keeps the answer of that part, unless it lacks.
std::optional<Said> CaptionStage::said_of(const CaptionSlot &slot, const SlotPart &part,
                                          const ContentAnswer &answer) {
  ContentAnswer own = answer;
  own.text = answer_text(answer.text);
  if (own.text.empty()) return std::nullopt;
  keep_answer(slot, part, answer);
  auto sentences = sentences_of(own.text, false);
  return Said{part.language, std::move(own), std::move(sentences)};
}

// The parts that an answer has.
std::vector<Said> CaptionStage::take_parts(const CaptionSlot &slot, const std::vector<SlotPart *> &parts,
                                           ContentAnswer answer) {
  std::vector<Said> said;
  const FormAnswers texts = read_form(answer.text, languages_of(parts), 1);
  for (const SlotPart *part : parts) {
    answer.text = texts.at(part->language).front();
    auto one = said_of(slot, *part, answer);
    if (!one) continue;
    said.push_back(*std::move(one));
    // The tokens are those of the request, so only one part has them.
    answer.prompt_tokens = answer.output_tokens = answer.total_tokens = 0;
  }
  return said;
}

// Nothing is said of a picture about which the model has nothing to say.
std::vector<Said> CaptionStage::take_nothing(const CaptionSlot &slot, const std::vector<SlotPart *> &parts,
                                             ContentAnswer answer) {
  std::vector<Said> said;
  for (const SlotPart *part : parts) {
    keep_answer(slot, *part, answer);
    answer.text.clear();
    said.push_back({part->language, answer, {}});
    answer.prompt_tokens = answer.output_tokens = answer.total_tokens = 0;
  }
  return said;
}

void CaptionStage::answer(const SlotPtr &slot) {
  for (SlotPart *part : line_.unknown_parts(slot)) look_in_store(slot, *part);
  const std::vector<SlotPart *> parts = line_.parts_to_ask(slot);
  std::vector<Said> known = known_parts(*slot);
  if (parts.empty()) {
    log_question(*slot, 0);
    return line_.answered(slot, std::nullopt, std::move(known));
  }
  // Their pads need not wait for the others.
  line_.say(slot, std::move(known));
  if (!has_leave({slot})) return;
  log_question(*slot, parts.size());
  slot->request.form = form_request(languages_of(parts), 1);
  SentenceSplitter splitter;
  Result<ContentAnswer> answer = ask(slot->request, slot, splitter);
  const bool is_empty = answer && !answer->cut_short && !has_text(*answer);
  // Unlike a picture, a text that comes in has an answer, so it must not get lost without an error.
  if (is_empty && !slot->request.text.empty()) answer = *shortcoming(*answer);
  log_answer(*slot, answer);
  const bool is_plain = slot->parts.size() == 1 && (parts[0]->language.empty() || goes_by_sentence(*slot));
  std::vector<Said> said;
  // A language that is asked for alone is told by its name.
  if (answer && is_empty && !slot->again)
    said = take_nothing(*slot, parts, *answer);
  else if (answer && is_plain)
    said.push_back(take_answer(*slot, *answer, splitter));
  else if (answer)
    said = take_parts(*slot, parts, *answer);
  if (answer && said.size() < parts.size())
    GST_CAT_INFO_OBJECT(gencaption_category(), element_,
                        "%" GST_TIME_FORMAT ": the answer lacks %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
                        " languages",
                        GST_TIME_ARGS(slot->window.start), parts.size() - said.size(), parts.size());
  line_.answered(slot, std::move(answer), std::move(said));
}

void CaptionStage::work() {
  for (;;) {
    SlotBatch batch = line_.next_question();
    if (batch.empty()) return;
    if (batch.size() > 1) batch = without_known(batch);
    if (batch.size() > 1)
      answer_together(batch);
    else if (!batch.empty())
      answer(batch.front());
  }
}

}  // namespace genclip
