// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/portable_request.h"

#include "plugin/catalog/clip_uri.h"

namespace genclip {
namespace {

std::string portable_reference(const Catalog &catalog, const MediaReference &reference,
                               const IdentifiedRequest &identified, size_t index) {
  if (reference.source == MediaSource::file) return identified.names[index];
  if (!reference.clip || !names_files(*reference.clip)) return reference.url;
  const auto inner = parse_clip_uri(catalog, uri_of_clip(reference));
  if (!inner) return reference.url;
  const std::string uri =
      clip_uri(catalog, portable_request(catalog, *inner, *reference.clip, *identified.clips.at(index)));
  return uri + (reference.part.is_frame ? "#" + reference.part.fragment : "");
}

}  // namespace

ClipRequest portable_request(const Catalog &catalog, const ClipRequest &request,
                             const CheckedRequest &checked, const IdentifiedRequest &identified) {
  ClipRequest portable = request;
  if (!names_files(checked)) return portable;
  for (size_t i = 0; i < checked.media().size(); ++i) {
    const MediaReference &reference = checked.media()[i];
    Json *place = place_of(reference, portable.fields);
    if (!place) place = place_of(reference, portable.extra);
    if (place) *place = portable_reference(catalog, reference, identified, i);
  }
  return portable;
}

}  // namespace genclip
