// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Blocking sockets and the little of HTTP/1.1 that the tests need.
#include "tests/simulator/web.h"

#include <gio/gio.h>

#include <atomic>
#include <thread>

#include "plugin/base/gref.h"

namespace genclip::sim::test {
namespace {

constexpr unsigned kPatienceSeconds = 60;
std::atomic<unsigned> patience_seconds = kPatienceSeconds;
constexpr std::chrono::milliseconds kPollPause{10};
constexpr int kMostPolls = 3000;

struct Target {
  std::string authority, path;
};

Target target_of(const std::string &url) {
  const size_t start = url.find("://") + 3, slash = url.find('/', start);
  return {url.substr(start, slash - start), slash == url.npos ? "/" : url.substr(slash)};
}

void read_head(Answer &answer, const std::string &head) {
  answer.status = static_cast<unsigned>(std::atoi(head.c_str() + head.find(' ')));
  for (size_t at = head.find("\r\n"); at != head.npos && at + 2 < head.size();) {
    const size_t begin = at + 2, end = std::min(head.find("\r\n", begin), head.size());
    const size_t colon = head.find(": ", begin);
    if (colon < end) {
      GStringPtr name(g_ascii_strdown(head.c_str() + begin, static_cast<gssize>(colon - begin)));
      answer.headers[name.get()] = head.substr(colon + 2, end - colon - 2);
    }
    at = head.find("\r\n", begin);
  }
}

void trust_anybody(GSocketClient *, GSocketClientEvent event, GSocketConnectable *, GIOStream *stream,
                   gpointer) {
  if (event != G_SOCKET_CLIENT_TLS_HANDSHAKING) return;
  g_signal_connect(stream, "accept-certificate",
                   G_CALLBACK(+[](GTlsConnection *, GTlsCertificate *, GTlsCertificateFlags,
                                  gpointer) -> gboolean { return TRUE; }),
                   nullptr);
}

}  // namespace

Impatience::Impatience() { patience_seconds = 1; }
Impatience::~Impatience() { patience_seconds = kPatienceSeconds; }

Json Answer::json() const {
  const auto parsed = Json::parse(body);
  return parsed ? *parsed : Json();
}

Answer ask(const std::string &method, const std::string &url, const std::vector<std::string> &headers,
           const std::string &body) {
  const Target target = target_of(url);
  Answer answer;
  const auto client = GRef<GSocketClient>::adopt(g_socket_client_new());
  g_socket_client_set_timeout(client.get(), patience_seconds);
  g_socket_client_set_enable_proxy(client.get(), FALSE);
  if (url.starts_with("https:")) {
    g_socket_client_set_tls(client.get(), TRUE);
    // The client's identity does not matter to these tests.
    g_signal_connect(client.get(), "event", G_CALLBACK(trust_anybody), nullptr);
  }
  GErrorPtr error;
  const auto connection = GRef<GSocketConnection>::adopt(
      g_socket_client_connect_to_host(client.get(), target.authority.c_str(), 80, nullptr, take(error)));
  if (!connection) return answer;
  std::string request =
      method + " " + target.path + " HTTP/1.1\r\nHost: " + target.authority + "\r\nConnection: close\r\n";
  for (const std::string &header : headers) request += header + "\r\n";
  if (!body.empty() || method == "POST") request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  request += "\r\n" + body;
  auto *io = G_IO_STREAM(connection.get());
  g_output_stream_write_all(g_io_stream_get_output_stream(io), request.data(), request.size(), nullptr,
                            nullptr, nullptr);
  std::string received(65536, 0), all;
  for (;;) {
    const gssize size = g_input_stream_read(g_io_stream_get_input_stream(io), received.data(),
                                            received.size(), nullptr, take(error));
    if (size <= 0) break;
    all.append(received.data(), static_cast<size_t>(size));
  }
  answer.was_reset = error && g_error_matches(error.get(), G_IO_ERROR, G_IO_ERROR_CONNECTION_CLOSED);
  answer.timed_out = error && g_error_matches(error.get(), G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
  const size_t end = all.find("\r\n\r\n");
  if (end == all.npos) return answer;
  read_head(answer, all.substr(0, end));
  answer.body = all.substr(end + 4);
  return answer;
}

Answer ask_api(const std::string &method, const std::string &url, const std::string &body) {
  std::vector<std::string> headers = {"Authorization: Bearer sim-key"};
  if (method == "POST") headers.push_back("Content-Type: application/json");
  return ask(method, url, headers, body);
}

Json finished_task(const Simulator &simulator, const Json &request, const std::string &path) {
  const std::string url = simulator.base_url() + path;
  Json task = ask_api("POST", url, request.to_text()).json();
  const std::string id = text(task, "id");
  for (int i = 0; i < kMostPolls && !id.empty(); ++i) {
    task = ask_api("GET", url + "/" + id).json();
    const std::string status = text(task, "status");
    if (status == "completed" || status == "failed") break;
    std::this_thread::sleep_for(kPollPause);
  }
  return task;
}

std::string text(const Json &object, const char *key) {
  const Json *value = object.find(key);
  return value && value->string() ? *value->string() : "";
}

}  // namespace genclip::sim::test
