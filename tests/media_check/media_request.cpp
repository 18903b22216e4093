// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Through the catalog, as the elements do.
#include "tests/media_check/media_request.h"

#include "plugin/catalog/catalog.h"
#include "tests/support/give_up.h"

namespace genclip::test {

CheckedRequest media_request(const std::string &model, const MediaFields &fields, unsigned duration) {
  ClipRequest request;
  request.model = model;
  request.fields.set("prompt", "a red kite");
  if (duration != 0) request.fields.set("duration", duration);
  for (const auto &[name, urls] : fields) request.fields.set(name, Json::Array(urls.begin(), urls.end()));
  auto checked = check_request(*Catalog::built_in(), request, {.publishes = true, .is_service_public = true});
  if (!checked) give_up(problems_text(checked.error()));
  return std::move(*checked);
}

}  // namespace genclip::test
