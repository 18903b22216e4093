// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The C library's calls for files, with a word to say before each of them.
#pragma once

#include <string>

namespace genclip::test {

// `make`: an open() that is about to make the file; its `open` came before. Only reads that may wait count.
enum class FileCall {
  open,
  make,
  close,
  read,
  write,
  sync,
  truncate,
  info,
  touch,
  lock,
  rename,
  replace,
  remove,
  make_folder,
  list
};

// Asked on the calling thread before each call of the process for a file, by its path: returns the errno with
// which the call fails, or 0, and may take its time. It may have the call use another path, unless the call
// has a descriptor. A rename is asked about by its source, and then as `replace` by its target. `flags`:
// those of an open() or a statx(), else 0.
using DiskHook = int (*)(FileCall call, std::string &path, int flags);
// nullptr: none, and the calls cost nothing.
void set_disk_hook(DiskHook hook);

}  // namespace genclip::test
