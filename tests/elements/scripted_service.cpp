// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Told apart by the request line: POST, the task's path, anything else is media.
#include "tests/elements/scripted_service.h"

namespace genclip::test {

std::string small_clip(size_t size) {
  std::string clip(
      "\0\0\0\x10"
      "ftypisom\0\0\2\0"
      "\0\0\0\x08moov",
      24);
  for (int shift = 24; shift >= 0; shift -= 8) clip += static_cast<char>((size - 24) >> shift & 0xff);
  clip += "mdat";
  clip.resize(size);
  return clip;
}

ScriptedService::ScriptedService(Script script)
    : script_(std::move(script)), server_([this](ServedConnection &connection) { serve(connection); }) {}

long ScriptedService::submits() const {
  const auto all = requests();
  return std::count_if(all.begin(), all.end(), [](const auto &one) { return one.starts_with("POST"); });
}

void ScriptedService::serve(ServedConnection &connection) {
  for (;;) {
    const std::string request = connection.read_request();
    if (request.empty()) return;
    if (request.starts_with("POST"))
      give(connection, next(script_.submit, submitted_));
    else if (request.starts_with("GET /v2/"))
      give(connection, next(script_.poll, polled_));
    else
      give(connection, next(script_.media, fetched_));
  }
}

const std::string &ScriptedService::next(const std::vector<std::string> &texts,
                                         std::atomic<size_t> &position) {
  return texts[std::min<size_t>(position++, texts.size() - 1)];
}

// The address is known only now, and changes the answer's length.
void ScriptedService::give(ServedConnection &connection, const std::string &text) const {
  if (text.empty()) return connection.hang();
  std::string body = text.substr(text.find("\r\n\r\n") + 4);
  const size_t placeholder = body.find("URL/");
  if (placeholder == std::string::npos) {
    connection.send(text);
    return;
  }
  body.replace(placeholder, 3, url());
  connection.send(answer(200, body));
}

void use(ClipPipeline &clip, const std::string &base_url, const std::string &store) {
  clip.set("model", "dance-2.5");
  clip.set("prompt", "x");
  clip.set("api-key", kKey);
  clip.set("store", store);
  clip.set("poll-interval", "10");
  clip.set("retries", "1");
  clip.set("base-url", base_url);
}

}  // namespace genclip::test
