// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Finds references to media where no table says that there are any: models with open fields take any name,
// and the service's document lists some fields without their meaning (§2.3). The service could not fetch a
// path or a URI of this machine, and the task would be paid nevertheless.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plugin/base/json.h"
#include "plugin/catalog/media_reference.h"

namespace genclip {

// The name of the member that holds a value.
struct UntypedName {
  std::string_view name;
  // Of all that it stands in, from the field on, and its own: "content image_url url".
  std::string_view path;
  bool is_listed = false;  // The model's table has the field.
};

// Whether the value, without blanks around it, is a reference that the service itself cannot fetch:
// - a file:, genclip:, blob: or data: URI, but for a text that the table lists, such as the prompt;
//   "data:a,b" only where the name speaks of media;
// - a path to a file with the extension of a media file, likewise, but for texts about media ("image_prompt")
//   and for what the service is to make ("output_url");
// - any other path, a bare name with such an extension or that of another media file (film.ts), sha256:HEX,
// an ftp: URL, or a file in base64, where
//   the name speaks of a picture, a video, a sound or a URL.
bool is_untyped_reference(const UntypedName &name, std::string_view value);

// Whether the value is a URL of a medium, which the service would have to fetch itself: the name speaks of a
// picture, a video or a sound, and not only of a URL; of an http or https URL also where it has the extension
// of such a file. Not in a text about media, nor for what the service is to make. Whether the service can
// fetch it is for read_reference().
bool is_untyped_url(const UntypedName &name, const std::string &value);

// The list or the object that a text consists of, in which a reference may stand; nothing in a text about
// media or for what the service is to make.
std::optional<Json> json_in_text(const UntypedName &name, std::string_view value);

// The kind that the reference has to be: by its name ("start_image_url"), else by the extension of a file.
// Nothing: neither of them tells.
std::optional<MediaKind> untyped_kind(const UntypedName &name, std::string_view value);

}  // namespace genclip
