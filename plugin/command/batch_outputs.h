// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The files that the rows of a batch write, so that none overwrites that of another row. Reads where the
// links of their folders lead.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace genclip {

class BatchOutputs {
 public:
  // Adds the file of a row. `lacks_extension`: it gets that of the clip, which nobody knows yet, so that it
  // may become any file of that name. Returns the line of another row with that file; then nothing is added.
  std::optional<unsigned> add(const std::string &path, bool lacks_extension, unsigned line);

 private:
  using Lines = std::map<std::string, unsigned>;

  // By destination_path().
  Lines whole_;
  Lines whole_by_stem_;  // Without their extensions; the first line of each.
  Lines stems_;          // Of those that lack it.
};

}  // namespace genclip
