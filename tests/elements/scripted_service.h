// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A service with scripted answers, for answers that the strict simulator would not give.
#pragma once

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "tests/elements/clip_pipeline.h"
#include "tests/support/http_server.h"

namespace genclip::test {

constexpr char kKey[] = "secret-key-4711";

// As whole an mp4 file as boxes can be; of 32 bytes at least.
std::string small_clip(size_t size = 1000);

// Each call is answered with the next of its texts; the last one repeats. "URL" stands for the server's own
// address, and an empty text for an answer that never comes.
struct Script {
  std::vector<std::string> submit = {answer(200, R"({"id":"t-7","status":"queued"})")};
  std::vector<std::string> poll = {
      answer(200, R"({"id":"t-7","status":"completed","video_url":"URL/clip.mp4?sig=s3cr3t"})")};
  std::vector<std::string> media = {answer(200, small_clip())};
};

class ScriptedService {
 public:
  explicit ScriptedService(Script script = {});

  std::string url() const { return server_.url(""); }
  std::vector<std::string> requests() const { return server_.requests(); }
  long submits() const;

 private:
  void serve(ServedConnection &connection);
  void give(ServedConnection &connection, const std::string &text) const;
  static const std::string &next(const std::vector<std::string> &texts, std::atomic<size_t> &position);

  const Script script_;
  std::atomic<size_t> submitted_ = 0, polled_ = 0, fetched_ = 0;
  HttpServer server_;
};

// A valid request to that service.
void use(ClipPipeline &clip, const std::string &base_url, const std::string &store);

}  // namespace genclip::test
