// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as a genclip URI: what is read is written as a URI that reads the same, and so are the URIs
// inside.
#include "plugin/catalog/check_request.h"
#include "plugin/catalog/clip_uri.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(clip_uri)(const uint8_t *data, size_t size) {
  using namespace genclip;
  const Catalog &catalog = *Catalog::built_in();
  const auto request = parse_clip_uri(catalog, as_text(data, size));
  if (!request) {
    hold(!request.error().text.empty());
    return 0;
  }
  const std::string written = clip_uri(catalog, *request);
  const auto again = parse_clip_uri(catalog, written);
  hold(again.has_value());
  hold(*again == *request);
  hold(clip_uri(catalog, *again) == written);
  const auto first = check_request(catalog, *request, {.publishes = true, .is_service_public = true});
  const auto second = check_request(catalog, *again, {.publishes = true, .is_service_public = true});
  hold(first.has_value() == second.has_value());
  if (!first) {
    hold(first.error() == second.error());
    return 0;
  }
  hold(first->body() == second->body());
  for (const MediaReference &reference : first->media()) {
    hold(reference.is_from_uri);
    hold((reference.source == MediaSource::clip) == (reference.clip != nullptr));
    hold((reference.source == MediaSource::file) == !reference.path.empty());
  }
  return 0;
}
