// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads from the head of an answer which bytes of which clip follow, and whether they can belong to the bytes
// that are there already.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plugin/http/http_client.h"
#include "plugin/store/clip_record.h"

namespace genclip {

struct ClipAnswer {
  bool is_part = false;     // A part (206), whose end does not prove the end of the clip.
  bool is_chunked = false;  // The last chunk proves the end of the body.
  uint64_t first = 0;       // The offset in the clip at which its body begins.
  uint64_t total = 0;       // Bytes of the whole clip; 0 when unknown.
  std::string etag;         // As sent, a weak one too; empty when none can be sent back.
  std::string last_modified;
};

// Reads a 200, a 201, a 203 or a 206. Nothing when it contradicts itself, or does not say which part it
// holds. Without a range in the request (`asked_for_part` false), a 206 that states no part is a whole clip.
std::optional<ClipAnswer> read_clip_answer(const HttpReply &reply, bool asked_for_part);

// True when the length, the tag or the date differs. What is missing on either side decides nothing; the
// bytes are compared in any case.
bool is_another_version(const PartState &known, uint64_t have, const ClipAnswer &answer);

// The value for If-Range; empty when there is no suitable validator.
std::string condition_for(const PartState &known);

// True for a type that no clip has, such as an HTML page.
bool is_page(const HttpReply &reply);

// True for a page that is meant for people.
bool is_html(const HttpReply &reply);

// True for a page, and for any other text. A careless host calls a clip so, too.
bool is_text(const HttpReply &reply);

// The encoding that the server applied although none was asked for ("gzip"); empty: none.
std::string unasked_encoding(const HttpReply &reply);

}  // namespace genclip
