// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The errors of downloads, whose texts say what is known, what is there and what to do.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "plugin/base/error.h"
#include "plugin/catalog/model_spec.h"
#include "plugin/http/http_client.h"

namespace genclip {

// The clip's URL does not work, and fresh ones do not either. `worked`: a part of the clip arrived before.
Error url_refused(const HttpReply &reply, bool worked);
// The API's own host refuses the URL: it wants the key, which downloads never carry.
Error key_wanted(const HttpReply &reply);
Error proxy_refused(const HttpReply &reply);
// The server says that it will have the clip later: 202 and the other 2xx, 409, 423, 424.
bool is_not_yet(unsigned status);
// Any other status.
Error download_refused(const HttpReply &reply);

Error no_url();
Error no_media();
Error page_instead(const HttpReply &reply);
// `media_type` came.
Error other_kind(const std::string &media_type, ResultKind wanted);
Error compressed(const std::string &encoding);
Error other_part(const HttpReply &reply);
Error no_more_ranges(const HttpReply &reply);
Error clip_changed();
Error clip_changed_amid_reading();
Error clip_keeps_changing();
Error clip_is_empty();
Error ended_early();
// All that the server announces came, and it is a part of a clip.
Error not_whole_yet();
Error more_than_its_length();
Error too_large(uint64_t size, uint64_t most);

// Of a connection to the media server.
Error of_media(Error error);
// Adds to the text that the clip is paid for, and what to do, unless it says so.
Error with_payment(Error error);
// Adds for how long the server asks to wait.
Error with_wish(Error error, std::optional<std::chrono::milliseconds> wish);
// Adds to the text how much of the clip is there and how much is missing; `total` 0: unknown.
Error with_stock(Error error, uint64_t have, uint64_t total);

}  // namespace genclip
