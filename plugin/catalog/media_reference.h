// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One image, video or audio that a request refers to, and the rules for how it may be written (§1.5, §2.2).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/base/result.h"
#include "plugin/base/words.h"
#include "plugin/catalog/clip_part.h"

namespace genclip {

class CheckedRequest;

enum class MediaKind { image, video, audio };
template <>
inline constexpr Word<MediaKind> kWords<MediaKind>[] = {
    {MediaKind::image, "image"}, {MediaKind::video, "video"}, {MediaKind::audio, "audio"}};

// Where a medium comes from. The service itself takes only a `url` and an `asset`; genclip makes a URL of all
// others before it submits.
enum class MediaSource {
  url,      // http(s)://…
  asset,    // assetId://ID
  file,     // a path or a file: URI
  content,  // sha256:HEX: the file with this content
  clip,     // genclip://MODEL?…: the result of another request, or a frame of it
};

// What a reference may be in this run.
struct ReferencePolicy {
  bool publishes = false;          // Publishing is set up: files and frames may be given.
  bool is_service_public = false;  // Whole results go out as their URL, without publishing.
  // The service's address is known to be public, so it reaches no host of a private network.
  bool refuses_private_hosts = false;
};

inline constexpr std::string_view kHowToPublish =
    "set publish-folder and publish-url, or the environment variable GENCLIP_PUBLISH_COMMAND, so that "
    "genclip "
    "can publish it";

struct MediaReference {
  std::string field;   // canonical name, such as reference_images
  unsigned index = 0;  // which of that field's, from 0; of a media field: its place in the array
  // Where no table types the field: from its value to the reference, names of members and places in arrays.
  std::vector<std::string> steps;
  std::string name;  // for texts: "first_image", "reference_images[1]", "content[0].image_url"
  std::string url;   // as given, blanks in a URL escaped; a URL may be signed: never log it
  std::optional<MediaKind> kind = MediaKind::image;  // nothing: it may be any
  MediaSource source = MediaSource::url;
  std::string path;          // of a file, of any bytes but NUL; may be relative
  bool is_from_uri = false;  // a URI named the file, so it may be published only if a root contains it
  std::string sha256;        // of content: 64 hexadecimal digits in lower case
  std::shared_ptr<const CheckedRequest> clip;  // of a clip: the request that makes it
  ClipPart part;                               // of a clip

  friend bool operator==(const MediaReference &, const MediaReference &) = default;
};

// Where the reference stands among these fields; null: nowhere.
Json *place_of(const MediaReference &reference, Json &fields);

// In lower case; empty when there is none. A single letter is a drive, not a scheme.
std::string scheme_of(std::string_view url);

// Whether a text may be a file in base64, and not the path of one.
bool looks_like_base64(std::string_view text);

// What may stand in one media field of one model.
struct ReferenceRules {
  std::optional<MediaKind> kind = MediaKind::image;
  bool assets = false;  // assetId:// references work
  ReferencePolicy policy;
};

// Reads one item of a media field: its source, and what belongs to that source. Of a clip it reads the
// fragment alone: `clip` stays empty, and the policy is not asked. The error says why the item cannot be
// used, and what to do instead. It begins with a verb, such as "is a file on this machine", and holds neither
// the query nor the credentials of a URL.
Result<MediaReference, std::string> read_reference(const std::string &text, const ReferenceRules &rules);

// The URL as it is sent: no request line can hold a blank, and a service that fetches the URL needs one. A
// blank in the host or at the end is a mistake, and stays for http_problem().
std::string with_escaped_blanks(std::string_view url);

// What is wrong with an http or https URL that a request is to name; begins with a verb. Nothing: it may go
// out.
std::optional<std::string> http_problem(std::string_view url, bool refuses_private_hosts);

// The genclip URI of a reference to a clip, without its fragment.
std::string_view uri_of_clip(const MediaReference &reference);

}  // namespace genclip
