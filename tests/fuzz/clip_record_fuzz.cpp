// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as task.json: a record that is written and read again without a difference, or an error.
#include "plugin/store/clip_record.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(clip_record)(const uint8_t *data, size_t size) {
  using namespace genclip;
  const auto json = Json::parse(as_text(data, size));
  if (!json) return 0;
  const auto record = ClipRecord::from_json(*json);
  if (!record) {
    hold(!record.error().text.empty());
    return 0;
  }
  // A file name from the disk never leaves the folder.
  hold(record->clip_name.empty() || ClipPath::is_clip_name(record->clip_name));
  hold(record->clip_name.find('/') == std::string::npos);
  const auto again = ClipRecord::from_json(record->to_json());
  hold(again.has_value());
  hold(again->to_json() == record->to_json());
  hold(again->identity.digest() == record->identity.digest());
  return 0;
}
