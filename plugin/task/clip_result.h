// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Finds the clip of a completed task in its answer (§2.1), in any of the places in which services write it.
//
// The document knows two fields; services write the URL into many more. So a URL under a usual name counts
// wherever it stands, and beyond these a URL that is the only one left, be it a preview or amid a text. What
// a picture of a video can be called never counts, and what the request sent itself only where nothing but
// video_url, result_url or output has a URL.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/catalog/model_spec.h"
#include "plugin/http/secrets.h"

namespace genclip {

struct ResultUrl {
  std::string field;  // Its place in the answer, such as "output[0].url"; safe to show.
  std::string url;    // http or https. May be signed: for requests, not for texts.
  // Another result of the task, not another address of the first one: a further item of a list.
  bool is_further = false;
  // Perhaps not the clip of the first one: another version, the input, or what nobody knows.
  bool may_differ = false;
};

// What is known of a result before the answer comes.
struct WantedResult {
  std::optional<ResultKind> kind;     // What the model makes; nothing: unknown.
  std::vector<std::string> own_urls;  // Those of the request, which answers repeat.
  // Likewise, the names of files: what stands behind the last slash of a URL's path. A service
  // may give such a name to a result, too, so a URL with one is taken only if there is no other.
  std::vector<std::string> own_files = {};
  std::string task_id = {};  // What has that of another task beside it is hardly the clip.
};

struct ClipResult {
  std::vector<ResultUrl> urls;  // The first is the clip's, unless its bytes are of another kind.
  bool is_last_resort = false;  // Nothing but that it is alone says that it is the clip.
  std::string why_none;         // Follows "the task is done, but"; empty if there are URLs.
};

// Resolves a relative address under a usual name against `base_url` (empty: ignores it). A text counts only
// if it is an http or https URL or looks like a path to a file. All texts are without the secrets.
ClipResult read_clip_result(const Json &task, std::string_view base_url, const WantedResult &wanted = {},
                            const Secrets &secrets = {});

// True if a file of that media type can be a result of that kind. A type that is neither a picture, a video
// nor sound can be anything.
bool may_be_result(std::string_view media_type, std::optional<ResultKind> kind);

// What the models of that ID make; nothing for a model that the catalog does not list.
std::optional<ResultKind> made_by(const std::string &model);

// "a picture came where a video was asked for"
std::string other_kind_text(std::string_view media_type, ResultKind wanted);

}  // namespace genclip
