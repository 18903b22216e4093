// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The parts of a page that the program has in itself (a GResource), and what its Content-Security-Policy
// allows.
#pragma once

#include <string>

namespace genclip {

// The text at a path such as "/genclip/command/store_gallery.css". The resource must be linked into the
// program; empty: there is no such text.
std::string resource_text(const std::string &path);

// The source expression that allows an inline script or style with this text: 'sha256-…'.
std::string policy_hash(const std::string &text);

}  // namespace genclip
