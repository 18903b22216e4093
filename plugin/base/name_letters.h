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

// Its words in lower case: "source", "video" and "2" of source_video_2 and SOURCE-VIDEO-2. A number ends the
// word that it stands in: "ref2" and "video" of ref2video.
std::vector<std::string> name_words(std::string_view name);

}  // namespace genclip
