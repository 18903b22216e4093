// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Shared code of the client's tests.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/http/http_client.h"
#include "tests/support/http_server.h"

namespace genclip::test {

using std::chrono::milliseconds;

inline std::shared_ptr<HttpClient> client(const HttpSettings &settings = {}) {
  return HttpClient::shared(settings);
}

inline HttpRequest get(const std::string &url) {
  HttpRequest request;
  request.url = url;
  request.timeout = milliseconds(30000);
  return request;
}

inline HttpRequest follow(const std::string &url) {
  HttpRequest request = get(url);
  request.follow_redirects = true;
  return request;
}

inline HttpRequest post(const std::string &url, const std::string &body = "{}") {
  HttpRequest request = get(url);
  request.method = HttpRequest::Method::post;
  request.body = body;
  request.content_type = "application/json";
  return request;
}

inline std::string path_of(const std::string &file) { return std::string(GENCLIP_CERTIFICATES) + "/" + file; }

inline std::string text_of(const std::string &file) {
  char *text = nullptr;
  gsize length = 0;
  EXPECT_TRUE(g_file_get_contents(path_of(file).c_str(), &text, &length, nullptr)) << file;
  return std::string(GStringPtr(text).get(), length);
}

inline HttpServer::Options with_certificate(const std::string &name) {
  return {.certificate = text_of(name + ".pem"), .private_key = text_of(name + ".key")};
}

// Sends these bytes to the first request, then nothing more.
inline HttpServer::Script hangs_after(std::string bytes) {
  return [bytes = std::move(bytes)](ServedConnection &peer) {
    peer.read_request();
    peer.send(bytes);
    peer.hang();
  };
}

// The error of a call that a short timeout is to end at a certain point; nothing if the call succeeds. A
// machine that stands still for as long ends it before that point: then it is made again, 20 times at most.
template <typename Fits>
std::optional<HttpError> failure_that(const Fits &fits, const HttpRequest &request) {
  for (int again = 20;; --again) {
    const auto reply = client()->call(request, nullptr);
    if (reply) return std::nullopt;
    if (again == 0 || fits(reply.error())) return reply.error();
  }
}

inline bool was_maybe_sent(const HttpError &error) { return error.maybe_sent; }

// The body to its end, or the error that ends it.
inline Result<std::string, HttpError> drain(HttpBody &body) {
  std::string all;
  for (;;) {
    auto bytes = body.read();
    if (!bytes) return std::move(bytes).error();
    if (bytes->empty()) return all;
    all.append(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  }
}

}  // namespace genclip::test
