// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Composes the simulated model's answer, and encodes it in each shape.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "examples/simulator/gateway_question.h"

namespace genclip::sim {

// The framings of a streamed answer.
enum class GatewayShape { events, events_crlf, events_cr, events_tight, array, lines };

enum class GatewayFaultKind {
  none,
  status,           // refuses with `code`; sends `retry_delay` as RetryInfo
  error_on_200,     // the error of `code` as the whole of a good answer
  error_in_array,   // the same in an array of one
  error_midway,     // the same after half of the answer
  blocked,          // finishReason `text`, nothing said
  prompt_blocked,   // promptFeedback.blockReason `text`
  thinks_too_long,  // MAX_TOKENS without any text
  thinks_aloud,     // a thought ahead of the answer
  finish,           // the whole text, and finishReason `text`
  no_finish,        // the whole text, but no finishReason
  no_text,          // nothing said, for the reason `text` (STOP); `as` is what is there instead
  cut_behind,       // STOP with every piece, and the connection ends after `code` of them
  halves,           // an emoji behind the first word, its halves in two pieces
  cut,              // the connection ends after `code` bytes
  html,
  empty,
  hang,
  form,  // an answer that has a form is as `form` says; for `text` see there
};

struct GatewayFault {
  GatewayFaultKind kind = GatewayFaultKind::none;
  unsigned code = 0;
  std::string text = {};
  std::string retry_delay = {};  // "1.5s"
  FormFault form = FormFault::none;
  std::string as = {};
};

struct GatewayPace {
  size_t chunk = 0;                      // bytes sent at once; 0: a document at once
  std::chrono::milliseconds before{0};   // before the first byte
  std::chrono::milliseconds between{0};  // two chunks
};

// An answer as it is sent over one connection.
struct GatewayReply {
  unsigned status = 200;
  std::string content_type = "application/json; charset=UTF-8";
  std::vector<std::string> chunks;
  GatewayPace pace;
  bool hangs = false;  // says nothing at all
  bool cut = false;    // the connection breaks behind the last chunk
};

// For pictures: their number, sizes and mean colours. For a text: the text in capitals, line by line.
std::string gateway_caption(const GatewayQuestion &question);

// The same, in the form that the question asks for.
std::string gateway_text(const GatewayQuestion &question, const GatewayFault &fault);

GatewayReply gateway_answer(const GatewayQuestion &question, GatewayShape shape, const GatewayFault &fault,
                            const GatewayPace &pace);

// The error object of the service's family.
GatewayReply gateway_refusal(unsigned code, const std::string &message, const std::string &retry_delay = {});

}  // namespace genclip::sim
