// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The readers of the formats. They leave IDs empty where the file has none.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/json.h"
#include "plugin/base/result.h"
#include "plugin/channel/rundown.h"

namespace genclip {

// The text is UTF-8 without a byte order mark.
Result<Rundown, RundownLine> read_json_rundown(std::string_view text, const std::string &folder);
Result<Rundown, RundownLine> read_json_item(std::string_view text, const std::string &folder);
// A URI or path a line; "#EXTINF:SECONDS,TITLE" tells of the next one, and any other "#" begins a comment.
Result<Rundown, RundownLine> read_line_rundown(std::string_view text, const std::string &folder);

}  // namespace genclip
