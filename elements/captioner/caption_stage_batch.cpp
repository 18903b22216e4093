// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The workers' questions about several texts at once.
#include <gst/gst.h>

#include <algorithm>
#include <utility>

#include "elements/captioner/caption_stage.h"
#include "elements/element_log.h"
#include "plugin/caption/answer_form.h"

namespace genclip {
namespace {

// Of all parts that lack an answer.
Languages languages_of(const std::vector<std::vector<SlotPart *>> &parts) {
  Languages languages;
  for (const auto &of_slot : parts)
    for (const SlotPart *part : of_slot)
      if (std::find(languages.begin(), languages.end(), part->language) == languages.end())
        languages.push_back(part->language);
  return languages;
}

ContentRequest request_about(const SlotBatch &batch, const Languages &languages) {
  ContentRequest request = batch.front()->request;
  std::vector<std::string> texts;
  for (const SlotPtr &slot : batch) texts.push_back(slot->request.text);
  request.text = numbered_cues(texts);
  request.form = form_request(languages, batch.size());
  return request;
}

}  // namespace

// What the store has is said at once; the rest is asked.
SlotBatch CaptionStage::without_known(const SlotBatch &batch) {
  SlotBatch unknown;
  for (const SlotPtr &slot : batch) {
    for (SlotPart *part : line_.unknown_parts(slot)) look_in_store(slot, *part);
    if (line_.unknown_parts(slot).empty()) {
      log_question(*slot, 0);
      line_.answered(slot, std::nullopt, known_parts(*slot));
    } else {
      unknown.push_back(slot);
    }
  }
  return unknown;
}

void CaptionStage::answer_together(const SlotBatch &batch) {
  std::vector<std::vector<SlotPart *>> parts;
  for (const SlotPtr &slot : batch) {
    parts.push_back(line_.unknown_parts(slot));
    line_.say(slot, known_parts(*slot));
  }
  const Languages languages = languages_of(parts);
  if (languages.empty() || !has_leave(batch)) return;
  GST_CAT_DEBUG_OBJECT(gencaption_category(), element_,
                       "%" GST_TIME_FORMAT ": asks about %" G_GSIZE_FORMAT " texts at once",
                       GST_TIME_ARGS(batch.front()->window.start), batch.size());
  SentenceSplitter unused;
  // The last of them is wanted for longest.
  const Result<ContentAnswer> answer = ask(request_about(batch, languages), batch.back(), unused);
  log_answer(*batch.front(), answer);
  std::vector<std::vector<Said>> said(batch.size());
  // A text whose number is there may have been cut.
  if (answer && !answer->cut_short && !answer->broken_off) {
    const FormAnswers texts = read_form(answer->text, languages, batch.size());
    ContentAnswer own = *answer;
    for (size_t i = 0; i < batch.size(); ++i)
      for (const SlotPart *part : parts[i]) {
        own.text = texts.at(part->language)[i];
        if (auto one = said_of(*batch[i], *part, own)) said[i].push_back(*std::move(one));
        // The tokens are those of the request, so only one part has them.
        if (!said[i].empty()) own.prompt_tokens = own.output_tokens = own.total_tokens = 0;
      }
  }
  line_.answered_together(batch, answer, std::move(said));
}

}  // namespace genclip
