// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/clip_search.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"
#include "plugin/command/store_json.h"

namespace genclip {
namespace {

std::string folded(const std::string &text) {
  return GStringPtr(g_utf8_casefold(shown_line(text).c_str(), -1)).get();
}

}  // namespace

bool has_words(const StoredClip &clip, const Words &words) {
  const ClipRecord record = clip.record.value_or(ClipRecord{});
  const std::string text = folded(clip.prompt() + "\n" + record.model + "\n" + clip.digest + "\n" +
                                  record.task_id + "\n" + state_word(clip));
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string &word) { return text.find(folded(word)) != text.npos; });
}

}  // namespace genclip
