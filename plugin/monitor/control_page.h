// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The page for people at `/`.
//
// It is the same for every channel and never changes: its script fetches /status and writes what it finds as
// text, never as HTML, so a hostile title stays a title. The Content-Security-Policy lets that script and
// that style run, by their hashes, and nothing else: no other script, no picture, no request to another
// origin.
#pragma once

#include <string>

#include "plugin/http/local_server.h"

namespace genclip {

std::string page_html();
// With its policy.
ServedResponse page_response();

}  // namespace genclip
