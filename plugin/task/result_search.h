// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Collects the URLs in a completed task's answer, with what their places say about them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/http/secrets.h"

namespace genclip {

struct FoundUrl {
  enum class Place {
    usual,    // All names on the way to it are those under which services put results.
    other,    // Some are not.
    variant,  // A name says that it is a watermarked, backup or intermediate version of a result.
    last,     // A video that is called a preview, a source, an upload, a stream, a page or perhaps a picture,
              // or that has the ID of another task beside it, or a URL amid a text.
  };

  std::string field;  // "output[0].url"; safe to show.
  std::string url;    // http or https.
  std::string file;   // What two URLs of one file have in common, as when it is signed twice.
  Place place = Place::usual;
  std::string media_type;  // By a type beside it, or by its extension; empty: unknown.
  // Its extension, or a type beside it in a list of several, is that of a text, an archive or a playlist.
  bool is_other_file = false;
  // Nothing but the extension tells the type: neither a type beside it nor a file's name such as "cover.jpg".
  bool is_by_extension = false;
  int list = 0;      // The list that it is in, from 1; 0: none.
  size_t items = 0;  // How many that list has.
  size_t item = 0;   // Its item of that list.
  // It is one of several qualities, sizes or formats of a result: by a name on the way to it, or perhaps by
  // this label beside it.
  bool is_version = false;
  std::string label;
  bool is_clean = false;     // A name says that it has no watermark.
  bool is_relative = false;  // It was resolved against the base URL.
  // It is in what §2.1 knows as a result: video_url, result_url or output of the task. Then it is one, even
  // if the request has it, too.
  bool is_documented = false;
};

struct FoundUrls {
  std::vector<FoundUrl> urls;  // The usual names first, in their order.
  std::string other_scheme;    // "ftp" of an address that genclip does not fetch; else empty.
};

// Leaves out what names call a cover, a last frame, an input or an address of the API, and addresses to which
// a query goes; of a list that has the task `asked` for, what has another ID. Resolves a relative
// address under usual names against `base_url` (empty: ignores it). Looks into JSON that is written as text,
// and into texts.
FoundUrls find_urls(const Json &task, std::string_view base_url, const Secrets &secrets,
                    std::string_view asked = {});

// True if a word of the name says that what it holds belongs to the request or to another task: "inputVideo",
// "ref_url", "parent_task". "resource" has no such word.
bool is_of_request_or_other_task(std::string_view member);

// The URLs amid a text, as Markdown, HTML, JSON and sentences have them.
std::vector<std::string> urls_amid(std::string_view text);

// The same without its fragment and what changes in its query when it is signed again ("X-Amz-Date", "sig").
std::string without_signature(std::string_view url);

// The URLs of a text that is nothing but several of them, separated by blanks, "," ";" or "|"; else empty. A
// query that has a URL may have a list of them, which only a blank ends. Of a sentence that begins with a
// URL, words may stand behind one.
std::vector<std::string_view> joined_urls(std::string_view text);

// The names in an answer without its values, for an error: "id, status, usage.total".
std::string shape_of(const Json &answer, const Secrets &secrets);

}  // namespace genclip
