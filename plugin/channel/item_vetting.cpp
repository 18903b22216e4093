// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/item_vetting.h"

#include <glib.h>

#include <algorithm>
#include <functional>

#include "plugin/channel/shown_source.h"
#include "plugin/http/redaction.h"

namespace genclip {

VettingRequest vetting_request(const PlannedWish &wish, const std::string &uri,
                               std::optional<std::chrono::nanoseconds> expected,
                               const PreparerSettings &settings) {
  VettingRequest request;
  request.uri = uri;
  request.is_generated = wish.is_generated;
  request.in = wish.in;
  request.length = wish.length;
  request.still_length = wish.still_length;
  request.expected = expected;
  request.is_mono = settings.is_mono;
  request.target_lufs = settings.loudness;
  request.true_peak_limit_db = settings.true_peak;
  return request;
}

std::string media_fault(const PlannedWish &wish, const Result<VettedMedia> &vetted, const std::string &key) {
  if (!vetted) return redact_text(vetted.error().text, key);
  if (vetted->is_still && !wish.length && !wish.still_length) return kStillNeedsDuration;
  return vetted->length.count() > 0 ? "" : "It has no picture to show.";
}

// A clip of the store does not change, so only a busy machine can be the reason. Foreign media may be on
// their way, or their server may be down or be mended. A file that is unfit stays so until it changes.
bool media_may_pass(const PlannedWish &wish, const Result<VettedMedia> &vetted) {
  if (vetted) return false;
  const ErrorKind kind = vetted.error().kind;
  if (wish.is_generated || kind == ErrorKind::timed_out) return kind == ErrorKind::timed_out;
  const char *scheme = g_uri_peek_scheme(wish.source.c_str());
  const bool is_file = scheme && g_str_equal(scheme, "file");
  return !is_file || (kind != ErrorKind::wrong_type && kind != ErrorKind::settings);
}

void describe(ReadyMedia &media, const PlannedWish &wish, const VettedMedia &vetted) {
  media.source = shown_source(wish.source);
  media.source_hash = std::hash<std::string>()(wish.source);
  media.is_still = vetted.is_still;
  media.has_audio = vetted.has_audio;
  media.may_have_holes = vetted.may_have_holes;
  media.in = vetted.in;
  media.length = vetted.length;
  if (wish.length) media.length = vetted.is_still ? *wish.length : std::min(vetted.length, *wish.length);
  media.lufs = vetted.lufs;
  media.gain_db = vetted.gain_db;
  media.gain_note = vetted.gain_note;
}

}  // namespace genclip
