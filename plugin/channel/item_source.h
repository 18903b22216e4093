// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a rundown calls a source, as a URI; and the name of an item that has none.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/result.h"

namespace genclip {

// A URI stays as it is, a path becomes a file: URI, from `folder` on if it is relative. The error does
// not quote the source, which may hold a key: that is one of the reasons.
Result<std::string> source_uri(std::string_view source, const std::string &folder);

// Of an http: or https: URI, as "https://media.example:8443"; empty: of another one.
std::string server_of(const std::string &uri);

// Of a slate or a logo that is a genclip:// URI. Only the items of a rundown are generated: by the channel's
// own settings, ahead of time, and once.
inline constexpr char kOnlyItemsAreGenerated[] =
    "A genclip:// URI is generated for an item of the rundown alone. Generate the clip first, with \"genclip "
    "generate\", and name its file.";

// A short name that is made of the source alone, such as "news-5f3a21bc".
std::string name_of_source(const std::string &uri);

}  // namespace genclip
