// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any text with a key and a signed URL: redaction removes both.
#include "plugin/http/redaction.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(redaction)(const uint8_t *data, size_t size) {
  using namespace genclip;
  const std::string_view text = as_text(data, size);
  const std::string key = "k3y-4711-secret";
  const size_t middle = size / 2;
  const std::string before(text.substr(0, middle)), after(text.substr(middle));
  hold(redact_text(before + key + after, key).find(key) == std::string::npos);
  // Where the fuzzer has found the word itself, it may stand outside of the query.
  const std::string word = "5igned";
  if (text.find(word) != text.npos) return 0;
  // A blank ends a URL, so that what the fuzzer put before it cannot become one with it.
  const std::string signed_url =
      before + " https://cdn.example/clip.mp4?sig=" + word + " x;sig=" + word + "&Expires=1 " + after;
  hold(redact_text(signed_url, key).find(word) == std::string::npos);
  hold(redact_url("https://cdn.example/clip.mp4?sig=" + word + std::string(text)).find(word) ==
       std::string::npos);
  return 0;
}
