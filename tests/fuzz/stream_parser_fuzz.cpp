// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as an answer of the text gateway: the same documents and the same end however they are cut, and
// every document read and its text split without harm. The first byte says where the cuts are.
#include <algorithm>
#include <string>
#include <vector>

#include "plugin/caption/caption_text.h"
#include "plugin/caption/content_wire.h"
#include "plugin/caption/sentence_splitter.h"
#include "plugin/caption/stream_parser.h"
#include "tests/fuzz/hold.h"

namespace {

using namespace genclip;

struct Reading {
  std::vector<Json> documents;
  std::string error;
};

Reading read(std::string_view bytes, size_t step) {
  StreamParser parser;
  Reading reading;
  Result<void> result;
  for (size_t at = 0; result && at < bytes.size(); at += step)
    result = parser.feed(bytes.substr(at, step), reading.documents);
  if (result) result = parser.finish(reading.documents);
  if (!result) reading.error = result.error().text;
  return reading;
}

std::vector<std::string> split(const std::vector<std::string> &texts, size_t step) {
  SentenceSplitter splitter;
  std::vector<std::string> sentences;
  const auto add = [&](std::vector<std::string> more) {
    sentences.insert(sentences.end(), more.begin(), more.end());
  };
  for (const std::string &text : texts)
    for (size_t at = 0; at < text.size(); at += step)
      add(splitter.push(std::string_view(text).substr(at, step)));
  add(splitter.finish());
  return sentences;
}

}  // namespace

FUZZ_TARGET(stream_parser)(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const size_t step = std::max<size_t>(data[0] % 16, 1);
  const std::string_view bytes = as_text(data + 1, size - 1);
  const Reading whole = read(bytes, std::max<size_t>(bytes.size(), 1));
  const Reading cut = read(bytes, step);
  hold(whole.documents == cut.documents);
  hold(whole.error == cut.error);

  std::vector<std::string> texts;
  for (const Json &document : whole.documents) {
    const ContentPiece piece = read_content_piece(document);
    (void)is_blocking(piece.finish_reason);
    texts.push_back(piece.text);
  }
  const auto sentences = split(texts, step);
  hold(sentences == split(texts, 1000000));
  for (const std::string &sentence : sentences) hold(!sentence.empty() && caption_text(sentence) == sentence);
  return 0;
}
