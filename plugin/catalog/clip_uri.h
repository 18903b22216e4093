// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip://MODEL/LABEL?field=value&…: a request as a URI. The label is for people who look at it.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/result.h"
#include "plugin/catalog/catalog.h"
#include "plugin/catalog/clip_request.h"

namespace genclip {

inline constexpr std::string_view kClipUriScheme = "genclip";

// Fields by the service's names and aliases, form encoding, arrays by repetition, plus `take` and `api`.
// Fields without a property go to `extra`. Values get the type that the catalog says. A value that does not
// fit its type stays a string, which check_request refuses. What cannot be part of a request is a problem,
// and the rest is read; an error (settings): the URI cannot be parsed. Neither holds a key that was put into
// the URI. `uri_fields` are all fields of the URI.
Result<ReadRequest> read_clip_uri(const Catalog &catalog, std::string_view uri);
// The same; any problem is an error, which names all of them.
Result<ClipRequest> parse_clip_uri(const Catalog &catalog, std::string_view uri);
// The error for a URI that contains a key.
Error key_in_uri();

// Parses back to an equal request.
std::string clip_uri(const Catalog &catalog, const ClipRequest &request);

// The same URI with a label that ends in ".EXTENSION", from which typefind guesses the media type. It parses
// back to the same request.
std::string clip_uri_with_extension(std::string_view uri, std::string_view extension);

// The same URI, escaped once more for ges-launch-1.0 1.22, which decodes it once and drops what follows a
// "?".
std::string escaped_for_ges_launch(std::string_view uri);

}  // namespace genclip
