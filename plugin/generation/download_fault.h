// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The errors of downloads, whose texts say what is known, what is there and what to do.
#pragma once

#include <cstdint>
#include <string>

#include "plugin/base/error.h"
#include "plugin/http/http_client.h"

namespace genclip {

// The clip's URL does not work, and fresh ones do not either. `worked`: a part of the clip arrived before.
Error url_refused(const HttpReply &reply, bool worked);
// Any other status.
Error download_refused(const HttpReply &reply);

Error no_url();
Error no_media();
Error page_instead(const HttpReply &reply);
Error compressed(const std::string &encoding);
Error other_part(const HttpReply &reply);
Error no_more_ranges(const HttpReply &reply);
Error clip_changed();
Error clip_changed_amid_reading();
Error clip_keeps_changing();
Error clip_is_empty();
Error ended_early();
Error more_than_its_length();
Error too_large(uint64_t size, uint64_t most);

// Adds to the text how much of the clip is there and how much is missing; `total` 0: unknown.
Error with_stock(Error error, uint64_t have, uint64_t total);

}  // namespace genclip
