// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The sizes and uses of all clips of a store, for a limit of its size, without opening each folder each time.
//
// What was seen of a folder is kept as a row of the store's summary (STORE/clips.summary,
// plugin/store/store_summary.h). Nobody need tell the summary of a change, because older versions would not:
//
// - A folder without a row is looked at; so new clips are noticed at once, whoever added them. A row without
//   a folder is ignored.
// - A row is true while its folder has the time that the row says: whatever changes the size of a clip's
//   files, its state or its pin also makes, renames or removes a name in the folder. So a row is only kept of
//   a folder in which no file grows, whose time is 5 s before the store's own (both are of one clock, and the
//   time of a later change cannot be the same), and not before the times of its files: that shows that the
//   file system keeps such times at all.
// - `genclip store prune` asks for the time of every folder. After a new clip, which must not wait, that is
//   asked of the folder of this clip, of all that hold no whole clip, and of 1000 others in turn. So what a
//   run without a limit, or an older version, replaced in a whole clip's folder is noticed some clips later:
//   at once in a store of 1000 clips, after 100 new ones in a store of 100 000.
// - A use changes no folder's time. The time of the last use in a row is therefore the least that it can be:
//   refresh() asks for the true one before a clip is removed, and a clip that was used since has its turn
//   later.
//
// Nothing is removed by a row alone: remove_clip() looks at the folder, under its locks. A missing or damaged
// summary costs time, because all folders are looked at, and a failure to write it is only logged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/file_system.h"
#include "plugin/store/store_summary.h"

namespace genclip {

// How much is done after each new clip. Tests have small stores.
struct CensusPace {
  // Whole clips whose folders are asked for their time: a millisecond, or a third of a second on a distant
  // file server.
  size_t asked = 1000;
  // Folders without a true row that are looked at each time, before the summary is written anew: some 20 ms.
  size_t most_news = 200;
};

class StoreCensus {
 public:
  struct Folder : FolderRow {
    bool is_settled = false;  // Fit for the summary.
    bool is_news = false;     // The summary does not say this.
  };

  // `names` are those in the store, sorted. `new_clip` is the digest of the one that was just stored; empty:
  // asks for the time of every folder. Borrows all but the latter.
  StoreCensus(FileSystem &files, const std::string &root, const std::vector<std::string> &names,
              std::string_view new_clip, CensusPace pace = {});
  StoreCensus(const StoreCensus &) = delete;
  StoreCensus &operator=(const StoreCensus &) = delete;

  // Those that hold a clip, or anything of one, in the order of their digests.
  std::vector<Folder> &folders() { return folders_; }
  // Those that hold none: what a run leaves that ended before its intent, or foreign files only.
  const std::vector<std::string_view> &without_clip() const { return without_clip_; }

  // Looks at it again. One that is gone, or holds no clip any more, has the size 0 and is not complete.
  void refresh(Folder &folder);

  // Writes the summary if it is untrue or enough has changed, else only how far the rows were checked.
  void save();

 private:
  // The folder's row, made by looking at it. Nothing: it holds no clip.
  std::optional<Folder> look(std::string_view digest, const FileInfo &info) const;
  void visit(std::string_view digest, const FolderRow *row, bool asks);
  // Notes that the row, of a clip that is not asked for each time, was untrue.
  void compare(const FolderRow &row, const std::optional<Folder> &now);
  void write();

  FileSystem &files_;
  const std::string &root_;
  const CensusPace pace_;
  int64_t store_changed_ = 0;  // The store's own time.
  std::string text_;           // Of the summary.
  StoreSummary summary_;       // Borrows text_.
  size_t turn_end_ = 0;        // The row of the summary that is checked next.
  size_t gone_ = 0;            // Rows of the summary that no folder has.
  bool is_untrue_ = false;     // The summary would mislead the next census.
  std::vector<Folder> folders_;
  std::vector<std::string_view> without_clip_;
};

}  // namespace genclip
