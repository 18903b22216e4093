// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the head of an answer says of the clip whose bytes follow, and whether that can be the clip of which
// there are bytes already.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plugin/http/http_client.h"
#include "plugin/store/clip_record.h"

namespace genclip {

struct ClipAnswer {
  bool is_part = false;     // Its end is the end of a part, which proves nothing of the clip's.
  bool is_chunked = false;  // The end of its body is proven.
  uint64_t first = 0;       // Where in the clip its body begins.
  uint64_t total = 0;       // Bytes of the whole clip; 0 when it does not say.
  std::string etag;         // As sent, weak ones too.
  std::string last_modified;
};

// Of a 200 or a 206. Nothing when it contradicts itself, or does not say which part it is.
std::optional<ClipAnswer> read_clip_answer(const HttpReply &reply);

// True when something says so: another length, tag or date. What is missing on either side says nothing, so
// the bytes are compared all the same.
bool is_another_version(const PartState &known, uint64_t have, const ClipAnswer &answer);

// The value of If-Range; empty when nothing is known that may stand there.
std::string condition_for(const PartState &known);

// A page is what no clip is sent as.
bool is_page(const HttpReply &reply);

// The encoding that the server applied though it was asked for none ("gzip"); empty: none.
std::string unasked_encoding(const HttpReply &reply);

}  // namespace genclip
