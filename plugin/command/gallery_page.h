// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The page that shows all clips of a store. It is one file without any other resource, so that it opens from
// a disk, from a mail and years later.
//
// Prompts and models are texts of anybody. They are written as escaped text alone, never as HTML, as a URL or
// into the script, and the page's policy runs no script but its own, by its hash.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace genclip {

struct GalleryClip {
  std::string key;     // Of the store.
  std::string prompt;  // Any bytes, and so are the next two.
  std::string model;
  std::string state;
  unsigned take = 0;
  double amount = -1;     // Credits; -1 unknown.
  int64_t date = 0;       // Of the submit, Unix time in seconds; 0 unknown.
  std::string path;       // Of the clip; empty: there is none.
  std::string thumbnail;  // A JPEG; empty: there is none.
};

// UTF-8. The newest first. `title`: any bytes.
std::string gallery_page(const std::string &title, std::vector<GalleryClip> clips);

}  // namespace genclip
