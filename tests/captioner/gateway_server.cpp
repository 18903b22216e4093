// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Parses headers by hand; sends answers in HTTP chunks, so that a truncated answer differs from a complete
// one.
#include "tests/captioner/gateway_server.h"

#include <glib.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace genclip::test {
namespace {

std::string header_of(const std::string &head, const std::string &name) {
  const std::string wanted = "\n" + name + ": ";
  for (size_t at = 0; at + wanted.size() < head.size(); ++at) {
    if (g_ascii_strncasecmp(head.c_str() + at, wanted.c_str(), wanted.size()) != 0) continue;
    const size_t begin = at + wanted.size();
    return head.substr(begin, head.find('\r', begin) - begin);
  }
  return {};
}

sim::GatewayCall call_of(const std::string &request) {
  const size_t end = request.find("\r\n\r\n");
  const std::string head = request.substr(0, end + 2);
  const size_t blank = head.find(' ');
  return {head.substr(0, blank), head.substr(blank + 1, head.find(' ', blank + 1) - blank - 1),
          header_of(head, "Authorization"), header_of(head, "Content-Type"), request.substr(end + 4)};
}

std::string chunk_of(const std::string &bytes) {
  char size[32];
  g_snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

// A store of this process, not the user's. It is removed at the end, after what writes to it then: exit
// handlers run in reverse order.
void use_own_store() {
  static const bool is_set = [] {
    if (g_getenv("GENCLIP_STORE")) return true;
    static const auto &folder = *new std::filesystem::path(
        std::filesystem::temp_directory_path() / ("genclip-test-" + std::to_string(g_random_int())));
    g_setenv("GENCLIP_STORE", folder.c_str(), TRUE);
    return std::atexit([] {
             std::error_code ignored;
             std::filesystem::remove_all(folder, ignored);
           }) == 0;
  }();
  static_cast<void>(is_set);
}

}  // namespace

GatewayServer::GatewayServer() : server_([this](ServedConnection &connection) { serve(connection); }) {
  use_own_store();
}

std::vector<Json> GatewayServer::bodies() const {
  std::vector<Json> bodies;
  for (const std::string &request : server_.requests()) {
    auto body = Json::parse(call_of(request).body);
    EXPECT_TRUE(body) << request;
    if (body) bodies.push_back(*std::move(body));
  }
  return bodies;
}

void GatewayServer::serve(ServedConnection &connection) {
  for (std::string request = connection.read_request(); !request.empty();
       request = connection.read_request()) {
    const sim::GatewayCall call = call_of(request);
    if (refuses_ && refuses_(call.authorization)) {
      if (!connection.send("HTTP/1.1 401 Refused\r\nContent-Length: 2\r\n\r\n{}")) return;
      continue;
    }
    const sim::GatewayReply reply = gateway_.answer(call);
    if (reply.hangs) return connection.hang();
    connection.pause(reply.pace.before);
    if (!connection.send("HTTP/1.1 " + std::to_string(reply.status) + " Said\r\nContent-Type: " +
                         reply.content_type + "\r\nTransfer-Encoding: chunked\r\n\r\n"))
      return;
    for (const std::string &chunk : reply.chunks) {
      if (!chunk.empty() && !connection.send(chunk_of(chunk))) return;
      connection.pause(reply.pace.between);
    }
    if (reply.cut) return;
    if (!connection.send("0\r\n\r\n")) return;
  }
}

}  // namespace genclip::test
