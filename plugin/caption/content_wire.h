// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The text gateway's JSON (§2.5, §4.4): writes requests and reads answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"

namespace genclip {

// A picture as it is sent. The document does not say how, so this uses `inlineData`, which this family of
// APIs has.
struct Still {
  std::string mime_type = "image/jpeg";
  std::shared_ptr<const std::string> base64;  // of the encoded picture; of an 8K one 40 MB
  std::string digest = {};                    // SHA-256 of the encoded picture
};

// One question to a model.
struct ContentRequest {
  std::string model;
  std::string prompt;
  std::string text;                  // to be rewritten; empty when there is none
  std::vector<Still> stills;         // oldest first
  std::vector<std::string> earlier;  // captions given before, oldest first
  std::string form;                  // of the answer, as form_request() asks for it; no part of the question
  std::string system_instruction;    // empty: left out
  double temperature = -1;           // below 0: left out
  double top_p = -1;                 // below 0: left out
  unsigned max_output_tokens = 0;    // 0: left out
};

// {llm_base_url}/v1/models/{model}:generateContent, or its streaming sister.
std::string content_url(std::string_view llm_base_url, std::string_view model, bool stream);

// The body to POST.
std::string content_body(const ContentRequest &request);

// An `error` object, whatever its shape.
struct ServiceFault {
  int code = 0;  // as an HTTP status; 0 when it says none
  std::string status;
  std::string message;
  std::optional<std::chrono::milliseconds> retry_delay;
  bool daily_quota = false;  // the daily quota is used up
  std::string withheld;      // is_blocking(): the word that says that the content is what it refuses
};

// One document of an answer: the whole of it, or a part of a stream.
struct ContentPiece {
  std::string text;           // all text parts but thoughts, joined; halves of surrogate pairs are marked
  std::string finish_reason;  // empty while there is more to come
  std::string block_reason;   // why the question itself was refused
  std::optional<uint64_t> candidate;  // whose text and reason they are
  std::optional<uint64_t> prompt_tokens;
  std::optional<uint64_t> output_tokens;
  std::optional<uint64_t> total_tokens;
  std::optional<ServiceFault> fault;
};

// Never fails; ignores what it does not understand. `candidate`: the one that an earlier piece had a text of;
// the others are then ignored.
ContentPiece read_content_piece(const Json &document, std::optional<uint64_t> candidate = {});

// True if a finishReason, or the code of an error, in any case, says that the text was withheld for what it
// or the question contains.
bool is_blocking(std::string_view reason);

// True if it says that the model ended the text by itself: STOP, or what other services write for that.
bool is_natural_end(std::string_view finish_reason);

// True if it says that the text was cut at the limit of tokens.
bool is_output_limit(std::string_view finish_reason);

}  // namespace genclip
