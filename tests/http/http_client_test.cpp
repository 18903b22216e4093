// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Successful requests and answers; bytes as they are on the wire.
#include "plugin/http/http_client.h"

#include <future>

#include "plugin/http/http_session.h"
#include "tests/http/client_fixture.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

bool contains(const std::string &text, const std::string &part) { return text.find(part) != text.npos; }

TEST(HttpClient, SendsWhatTheServiceExpectsOfACall) {
  HttpServer server(always(answer(200, "{\"id\":1}", "X-One: a\r\n")));
  HttpRequest request = post(server.url("/v2/tasks?x=1"), "{\"model\":\"m\"}");
  request.bearer_key = "K-1";
  request.user_agent = "test/1";
  request.headers = {{"X-Extra", "yes"}};
  const auto reply = client()->call(request, nullptr);
  ASSERT_TRUE(reply) << reply.error().error.text;
  EXPECT_EQ(reply->status, 200u);
  EXPECT_EQ(reply->reason, "Status");
  EXPECT_EQ(reply->body, "{\"id\":1}");
  EXPECT_EQ(reply->header("x-one"), "a");
  EXPECT_EQ(reply->header("x-two"), std::nullopt);
  EXPECT_EQ(reply->final_url, request.url);
  ASSERT_EQ(server.requests().size(), 1u);
  const std::string sent = server.requests()[0];
  EXPECT_TRUE(sent.starts_with("POST /v2/tasks?x=1 HTTP/1.1\r\n")) << sent;
  for (const char *line : {"\r\nAuthorization: Bearer K-1\r\n", "\r\nContent-Type: application/json\r\n",
                           "\r\nContent-Length: 13\r\n", "\r\nUser-Agent: test/1\r\n", "\r\nX-Extra: yes\r\n",
                           "\r\nAccept-Encoding: identity\r\n", "\r\n\r\n{\"model\":\"m\"}"})
    EXPECT_TRUE(contains(sent, line)) << line << " in\n" << sent;
}

TEST(HttpClient, SendsNoKeyAndNoBodyUnlessTold) {
  HttpServer server(always(answer(200, "x")));
  ASSERT_TRUE(client()->call(get(server.url()), nullptr));
  const std::string sent = server.requests().at(0);
  EXPECT_FALSE(contains(sent, "Authorization")) << sent;
  EXPECT_FALSE(contains(sent, "Cookie")) << sent;
  EXPECT_FALSE(contains(sent, "Content-")) << sent;
  EXPECT_TRUE(contains(sent, "User-Agent: genclip/")) << sent;
}

TEST(HttpClient, SendsAPostWithoutBody) {
  HttpServer server(always(answer(200, "x")));
  ASSERT_TRUE(client()->call(post(server.url(), ""), nullptr));
  EXPECT_TRUE(contains(server.requests().at(0), "Content-Length: 0")) << server.requests().at(0);
}

TEST(HttpClient, AsksForAnAddressWithALonePercentAsItIs) {
  HttpServer server([](ServedConnection &peer) {
    const std::string request = peer.read_request();
    peer.send(request.find("/100%.mp4") == request.npos ? answer(302, "", "Location: /100%.mp4?x=%\r\n")
                                                        : answer(200, "x"));
  });
  HttpRequest request = get(server.url("/50%?sig=a%&b=%zz"));
  request.follow_redirects = true;
  const auto reply = client()->call(request, nullptr);
  ASSERT_TRUE(reply) << reply.error().error.text;
  EXPECT_EQ(reply->status, 200u);
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_TRUE(server.requests()[0].starts_with("GET /50%?sig=a%&b=%zz HTTP/1.1\r\n")) << server.requests()[0];
  EXPECT_TRUE(server.requests()[1].starts_with("GET /100%.mp4?x=% HTTP/1.1\r\n")) << server.requests()[1];
}

TEST(HttpClient, TakesAnyStatusForAReply) {
  for (const unsigned status : {200u, 204u, 206u, 301u, 304u, 400u, 401u, 402u, 403u, 404u,
                                407u, 410u, 416u, 421u, 429u, 500u, 502u, 503u, 504u, 599u}) {
    HttpServer server(always(answer(status, status == 204 || status == 304 ? "" : "why")));
    for (const HttpRequest &request : {get(server.url()), post(server.url())}) {
      const auto reply = client()->call(request, nullptr);
      ASSERT_TRUE(reply) << status << ": " << reply.error().error.text;
      EXPECT_EQ(reply->status, status);
      EXPECT_EQ(reply->body, status == 204 || status == 304 || status == 421 ? "" : "why") << status;
    }
    EXPECT_EQ(server.requests().size(), 2u) << status;
  }
}

TEST(HttpClient, DoesNotAnswerADemandForCredentialsByItself) {
  HttpServer server(always(answer(401, "no", "WWW-Authenticate: Basic realm=\"x\"\r\n")));
  for (const std::string &url :
       {server.url("/"), "http://u:p@127.0.0.1:" + std::to_string(server.port()) + "/"}) {
    const size_t before = server.requests().size();
    const auto reply = client()->call(get(url), nullptr);
    ASSERT_TRUE(reply) << url;
    EXPECT_EQ(reply->status, 401u);
    EXPECT_EQ(server.requests().size(), before + 1) << url;
  }
}

// As gzip or zlib writes it.
std::string packed(const std::string &text, GZlibCompressorFormat format) {
  const auto packer = GRef<GConverter>::adopt(G_CONVERTER(g_zlib_compressor_new(format, 9)));
  std::string bytes(text.size() + 100, '\0');
  gsize taken = 0;
  gsize written = 0;
  EXPECT_EQ(g_converter_convert(packer.get(), text.data(), text.size(), bytes.data(), bytes.size(),
                                G_CONVERTER_INPUT_AT_END, &taken, &written, nullptr),
            G_CONVERTER_FINISHED);
  bytes.resize(written);
  return bytes;
}

TEST(HttpClient, UnpacksTheAnswerToACall) {
  const std::string text = R"({"id":"t-1","status":"queued"})";
  const std::string gzip = packed(text, G_ZLIB_COMPRESSOR_FORMAT_GZIP);
  const std::string zlib = packed(text, G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  const std::pair<std::string, std::string> rows[] = {
      {"gzip", gzip}, {"GZIP", gzip}, {"x-gzip", gzip}, {"deflate", zlib}, {"identity", text}};
  for (const auto &[encoding, bytes] : rows) {
    HttpServer server(always(answer(500, bytes, "Content-Encoding: " + encoding + "\r\n")));
    for (const HttpRequest &request : {get(server.url()), post(server.url())}) {
      const auto reply = client()->call(request, nullptr);
      ASSERT_TRUE(reply) << encoding << ": " << reply.error().error.text;
      EXPECT_EQ(reply->body, text) << encoding;
    }
    EXPECT_TRUE(contains(server.requests()[0], "\r\nAccept-Encoding: identity\r\n")) << "nobody asked for it";
  }
}

TEST(HttpClient, UnpacksNoMoreThanABodyMayHave) {
  HttpServer server(always(answer(200, packed(std::string(50'000'000, ' '), G_ZLIB_COMPRESSOR_FORMAT_GZIP),
                                  "Content-Encoding: gzip\r\n")));
  const auto reply = client()->call(get(server.url()), nullptr);
  ASSERT_FALSE(reply);
  EXPECT_TRUE(contains(reply.error().error.text, "larger than")) << reply.error().error.text;
}

TEST(HttpClient, LeavesTheBytesOfAClipAsTheyAre) {
  const std::string gzip = packed("clip", G_ZLIB_COMPRESSOR_FORMAT_GZIP);
  HttpServer server(always(answer(200, gzip, "Content-Encoding: gzip\r\n")));
  auto body = client()->open(get(server.url()), nullptr);
  ASSERT_TRUE(body);
  const auto bytes = drain(**body);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, gzip) << "lengths and ranges are those of the bytes on the wire";
}

TEST(HttpClient, TakesChunksWhateverTheContentLengthSays) {
  for (const char *headers : {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
                              "Transfer-Encoding: chunked\r\nContent-Length: 300\r\n"}) {
    HttpServer server(always(std::string("HTTP/1.1 200 OK\r\n") + headers + "\r\n5\r\nhello\r\n0\r\n\r\n"));
    for (const HttpRequest &request : {get(server.url()), post(server.url())}) {
      const auto reply = client()->call(request, nullptr);
      ASSERT_TRUE(reply) << headers << reply.error().error.text;
      EXPECT_EQ(reply->body, "hello") << headers;
    }
    auto clip = client()->open(get(server.url()), nullptr);
    ASSERT_TRUE(clip) << headers;
    EXPECT_EQ((*clip)->reply().header("Content-Length"), std::nullopt)
        << headers << "which would be believed";
    const auto bytes = drain(**clip);
    ASSERT_TRUE(bytes) << headers;
    EXPECT_EQ(*bytes, "hello") << headers;
  }
}

TEST(HttpClient, ReadsChunkedBodies) {
  HttpServer server(
      always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n"));
  const auto reply = client()->call(get(server.url()), nullptr);
  ASSERT_TRUE(reply) << reply.error().error.text;
  EXPECT_EQ(reply->body, "hello!");
}

TEST(HttpClient, ReadsABodyThatEndsWithItsConnection) {
  HttpServer server([](ServedConnection &peer) {
    peer.read_request();
    peer.send("HTTP/1.0 200 OK\r\n\r\nto the end");
  });
  const auto reply = client()->call(get(server.url()), nullptr);
  ASSERT_TRUE(reply) << reply.error().error.text;
  EXPECT_EQ(reply->body, "to the end");
}

TEST(HttpClient, AsksForTheHeadOnly) {
  HttpServer server(always("HTTP/1.1 200 OK\r\nContent-Length: 123456\r\nContent-Type: image/png\r\n\r\n"));
  HttpRequest request = get(server.url());
  request.method = HttpRequest::Method::head;
  const auto reply = client()->call(request, nullptr);
  ASSERT_TRUE(reply) << reply.error().error.text;
  EXPECT_EQ(reply->header("Content-Length"), "123456");
  EXPECT_EQ(reply->body, "");
}

TEST(HttpClient, TakesAConnectionOfItsOwnForEachRequest) {
  HttpServer server(always(answer(200, "x")));
  const auto one = client();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(one->call(get(server.url()), nullptr));
  EXPECT_EQ(server.connections(), 3u);
}

TEST(HttpClient, LetsGoOfAConnectionThatTheServerKeepsOpen) {
  std::promise<bool> left;
  HttpServer server([&left](ServedConnection &peer) {
    peer.read_request();
    peer.send(answer(200, "x"));
    left.set_value(peer.read_request().empty());
  });
  ASSERT_TRUE(client()->call(get(server.url()), nullptr));
  auto told = left.get_future();
  ASSERT_EQ(told.wait_for(kHang), std::future_status::ready) << "still open";
  EXPECT_TRUE(told.get());
}

TEST(HttpClient, IsOneForAllWhoWantTheSame) {
  const auto one = client();
  EXPECT_EQ(one, client());
  EXPECT_NE(one, client({.proxy = "http://127.0.0.1:1", .tls_ca_file = ""}));
}

TEST(HttpClient, StreamsALargeBodyToItsLength) {
  std::string large(5'000'000, 'x');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 7);
  HttpServer server(always(answer(200, large)));
  auto body = client()->open(get(server.url()), nullptr);
  ASSERT_TRUE(body);
  EXPECT_EQ((*body)->reply().header("Content-Length"), "5000000");
  const auto all = drain(**body);
  ASSERT_TRUE(all);
  EXPECT_TRUE(*all == large);
  const auto after = (*body)->read();
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->empty());
}

TEST(HttpClient, ReachesIpv6AndOtherLoopbackHosts) {
  for (const char *address : {"::1", "127.0.0.2", "127.9.9.9"}) {
    HttpServer server(always(answer(200, address)), {.address = address});
    const auto reply = client()->call(get(server.url()), nullptr);
    ASSERT_TRUE(reply) << address << ": " << reply.error().error.text;
    EXPECT_EQ(reply->body, address);
  }
}

TEST(HttpClient, LooksUpLocalhost) {
  HttpServer server(always(answer(200, "x")));
  const auto reply = client()->call(get("http://localhost:" + std::to_string(server.port()) + "/"), nullptr);
  ASSERT_TRUE(reply) << reply.error().error.text;
}

TEST(HttpClient, AsksAProxyForAbsoluteUrlsWithItsCredentials) {
  HttpServer proxy(always(answer(200, "by proxy")));
  const std::string port = std::to_string(proxy.port());
  for (const std::string &address : {"http://u:p@127.0.0.1:" + port, "u:p@127.0.0.1:" + port}) {
    const auto reply =
        client({.proxy = address, .tls_ca_file = ""})->call(get("http://service.example/a"), nullptr);
    ASSERT_TRUE(reply) << reply.error().error.text;
    EXPECT_EQ(reply->body, "by proxy");
    const std::string sent = proxy.requests().back();
    EXPECT_TRUE(sent.starts_with("GET http://service.example/a HTTP/1.1\r\n")) << sent;
    EXPECT_TRUE(contains(sent, "\r\nProxy-Authorization: Basic dTpw\r\n")) << sent;
  }
}

// GIO sends them in the handshake; in a header they would reach the origin.
TEST(HttpSession, TellsNoOriginTheCredentialsOfASocksProxy) {
  HttpSession by_socks({.proxy = "socks5://u:p@127.0.0.1:1", .tls_ca_file = ""});
  ASSERT_TRUE(by_socks.soup());
  EXPECT_EQ(by_socks.proxy_authorization(), "");
  HttpSession by_http({.proxy = "http://u:p@127.0.0.1:1", .tls_ca_file = ""});
  ASSERT_TRUE(by_http.soup());
  EXPECT_EQ(by_http.proxy_authorization(), "Basic dTpw");
}

}  // namespace
}  // namespace genclip::test
