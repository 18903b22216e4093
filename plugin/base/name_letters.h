// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Compares names that services spell as task_status, taskStatus or Task-Status.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace genclip {

// In lower case (ASCII), without "_", "-" and spaces.
std::string name_letters(std::string_view name);

// Its words in lower case: "source" and "video" of source_video_2, SourceVideo and SOURCE-VIDEO.
std::vector<std::string> name_words(std::string_view name);

}  // namespace genclip
