// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/captioner/caption_question.h"

#include <utility>

#include "plugin/caption/answer_form.h"
#include "plugin/caption/answer_text.h"

namespace genclip {
namespace {

constexpr size_t kLongestText = 64 << 10;

Languages languages_of(const CaptionRequest &request) {
  Languages languages;
  for (const AskedPart &part : request.parts)
    if (std::find(languages.begin(), languages.end(), part.language) == languages.end())
      languages.push_back(part.language);
  return languages;
}

bool is_empty(const ContentAnswer &answer) { return !answer.cut_short && !has_text(answer); }

// The tokens are those of the request, so only one part has them.
void add(std::vector<Said> &said, const AskedPart &part, ContentAnswer answer,
         std::vector<std::string> sentences) {
  if (!said.empty()) answer.prompt_tokens = answer.output_tokens = answer.total_tokens = 0;
  said.push_back({part, std::move(answer), std::move(sentences)});
}

}  // namespace

std::vector<std::string> sentences_of(const std::string &text, bool by_sentence) {
  if (!by_sentence) return text.empty() ? std::vector<std::string>{} : std::vector{text};
  SentenceSplitter splitter;
  std::vector<std::string> sentences = splitter.push(text);
  for (std::string &rest : splitter.finish()) sentences.push_back(std::move(rest));
  return sentences;
}

void cut_long_text(std::string &text, size_t parts) {
  size_t end = kLongestText * parts;
  if (text.size() <= end) return;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  text.resize(end);
}

Result<ContentAnswer> checked_answer(const CaptionRequest &request, Result<ContentAnswer> answer) {
  if (answer) cut_long_text(answer->text, request.parts.size());
  const bool is_one_text = request.texts == 1 && !request.content.text.empty();
  if (answer && is_one_text && is_empty(*answer)) return *shortcoming(*answer);
  return answer;
}

std::vector<Said> said_in(const CaptionRequest &request, const ContentAnswer &answer,
                          SentenceSplitter &splitter) {
  std::vector<Said> said;
  // A language that is asked for alone is told by its name.
  if (request.may_be_empty && is_empty(answer)) {
    for (const AskedPart &part : request.parts) add(said, part, answer, {});
    return said;
  }
  if (request.is_plain) {
    auto sentences = request.by_sentence ? splitter.finish() : sentences_of(answer_text(answer.text), false);
    for (std::string &sentence : sentences) cut_long_text(sentence);
    add(said, request.parts.front(), answer, std::move(sentences));
    return said;
  }
  // A text whose number is there may have been cut.
  if (request.texts > 1 && (answer.cut_short || answer.broken_off)) return said;
  const FormAnswers texts = read_form(answer.text, languages_of(request), request.texts);
  for (size_t i = 0; i < request.parts.size(); ++i) {
    ContentAnswer own = answer;
    own.text = texts.at(request.parts[i].language)[request.numbers[i]];
    const std::string shown = answer_text(own.text);
    if (!shown.empty()) add(said, request.parts[i], std::move(own), {shown});
  }
  return said;
}

}  // namespace genclip
