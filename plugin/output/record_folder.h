// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The folder of recordings: a file an hour, and those too old removed.
#pragma once

#include <memory>
#include <string>

#include "plugin/output/file_writer.h"

namespace genclip {

// Removes only regular files with a name that record_name() makes.
std::unique_ptr<FileWriter> make_record_folder(std::string folder, unsigned record_minutes,
                                               unsigned keep_days);

}  // namespace genclip
