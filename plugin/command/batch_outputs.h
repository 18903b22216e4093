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
  // Adds the file of a row. `key`: of its clip; rows with the same clip may write the same file.
  // `lacks_extension`: it gets that of the clip, which nobody knows yet, so that it may become any file of
  // that name. Returns the line of a row with another clip for that file; then nothing is added.
  std::optional<unsigned> add(const std::string &path, bool lacks_extension, const std::string &key,
                              unsigned line);

 private:
  struct Output {
    std::string key;
    unsigned line = 0;
  };
  using Outputs = std::multimap<std::string, Output>;

  static std::optional<unsigned> other(const Outputs &outputs, const std::string &path,
                                       const std::string &key);

  // By destination_path().
  Outputs whole_;
  Outputs whole_by_stem_;  // Without their extensions.
  Outputs stems_;          // Of those that lack it.
};

}  // namespace genclip
