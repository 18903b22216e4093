// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads rundowns: ffplayout's JSON with more members, M3U, or one URI a line.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/result.h"
#include "plugin/channel/rundown.h"

namespace genclip {

inline constexpr size_t kMaxRundownSize = size_t{16} << 20;  // Bytes.
inline constexpr size_t kMaxRundownItems = 100000;
inline constexpr double kMaxItemSeconds = 1e6;  // Of `in`, `out` and `duration`.
inline constexpr size_t kMaxTitle = 200;        // Characters; a longer one is cut.

// `folder`: what relative paths are relative to. The content tells the format. Judges the form alone: whether
// the catalog allows a request is for judge_rundown(). The error names the first line that is wrong; a
// rundown without any item is an error too.
Result<Rundown, RundownLine> read_rundown(std::string_view text, const std::string &folder);

// Whether the text ends where somebody who is still writing it may have come to: within a bracket or a text
// of JSON, or within a line.
bool may_be_unfinished(std::string_view text);

// One item in the JSON form that a rundown has, for genchannelsrc's `insert`: a rundown of its own, with what
// is odd about it. Its ID may be one that the channel's rundown has already, or empty.
Result<Rundown, RundownLine> read_rundown_item(std::string_view json, const std::string &folder);
// An ID for an item that has none.
std::string unused_id(const Rundown &rundown, const RundownItem &item);

}  // namespace genclip
