// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Warnings that an element posts before it starts, although it can continue.
#pragma once

#include <string>
#include <vector>

namespace genclip {

// The mistakes in the files of $GENCLIP_MODELS, with file and line, in one sentence. Only the first element
// of a process gets them: a timeline of a hundred clips should not repeat them a hundred times.
std::vector<std::string> unreported_catalog_mistakes();

}  // namespace genclip
