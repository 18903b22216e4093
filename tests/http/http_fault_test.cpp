// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Each failure of a network or a server, and the resulting error.
#include "plugin/http/http_fault.h"

#include <gio/gio.h>

#include "plugin/http/http_settings.h"
#include "tests/http/client_fixture.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

// The behaviour of a server on one connection, and the result of the GET.
struct Fault {
  const char *name;
  HttpServer::Script script;
  ErrorKind kind;
  bool transient;
  const char *text;
};

HttpServer::Script says(std::string bytes) {
  return [bytes = std::move(bytes)](ServedConnection &peer) {
    peer.read_request();
    peer.send(bytes);
  };
}

HttpServer::Script repeats(std::string head, std::string forever) {
  return [head = std::move(head), forever = std::move(forever)](ServedConnection &peer) {
    peer.read_request();
    peer.send(head);
    while (peer.send(forever)) {
    }
  };
}

HttpServer::Script resets_after(std::string bytes) {
  return [bytes = std::move(bytes)](ServedConnection &peer) {
    peer.read_request();
    peer.send(bytes);
    peer.pause(milliseconds(20));
    peer.reset();
  };
}

const std::string kLong(100000, 'x');
const std::string kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

const Fault kFaults[] = {
    {"ClosesAtOnce", [](ServedConnection &) {}, ErrorKind::read, true, "127.0.0.1"},
    {"ClosesWithoutAnswer", says(""), ErrorKind::read, true, "sent an invalid answer"},
    {"ResetsWithoutAnswer", resets_after(""), ErrorKind::read, true, "before an answer"},
    {"CutsTheBody", says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), ErrorKind::read, true,
     "ended before it was complete"},
    {"CutsAChunk", says(kChunkedHead + "a\r\nshort"), ErrorKind::read, true, "ended before it was complete"},
    {"ResetsAmidTheBody", resets_after("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"),
     ErrorKind::read, true, "broke in the middle"},
    {"IsNoHttp", says("220 mail.example ESMTP\r\n\r\n"), ErrorKind::open_read, true, "that is not HTTP"},
    {"SaysGarbage", says(std::string("\0\xff\r\n\r\n\r\n", 8)), ErrorKind::open_read, true,
     "that is not HTTP"},
    {"HasAnUnknownEncoding", says("HTTP/1.1 200 OK\r\nTransfer-Encoding: zip\r\n\r\nx"), ErrorKind::open_read,
     true, "encoding"},
    {"SendsOneEndlessHeader", repeats("HTTP/1.1 200 OK\r\nX: ", kLong), ErrorKind::read, true, "too large"},
    {"SendsEndlessHeaders", repeats("HTTP/1.1 200 OK\r\n", "X-Header: " + std::string(1000, 'x') + "\r\n"),
     ErrorKind::read, true, "too large"},
    {"SendsAnEndlessBody", repeats("HTTP/1.1 200 OK\r\n\r\n", kLong), ErrorKind::read, false, "larger than"},
    {"SendsEndlessChunks", repeats(kChunkedHead, "1000\r\n" + std::string(4096, 'x') + "\r\n"),
     ErrorKind::read, false, "larger than"},
    {"ClaimsALargeBody", hangs_after("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nx"),
     ErrorKind::timed_out, true, "nothing more for 1 s"},
    {"HangsWithoutAnswer", hangs_after(""), ErrorKind::timed_out, true, "did not answer within 0.3 s"},
    {"HangsInTheHead", hangs_after("HTTP/1.1 200 OK\r\nX-"), ErrorKind::timed_out, true, "did not answer"},
    {"HangsInTheBody", hangs_after("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"), ErrorKind::timed_out,
     true, "nothing more for 1 s"},
    {"ContinuesForEver", repeats("", "HTTP/1.1 102 Processing\r\n\r\n"), ErrorKind::read, true,
     "sent an invalid answer"},
    {"DripsItsHead",
     [](ServedConnection &peer) {
       peer.read_request();
       peer.drip("HTTP/1.1 200 OK\r\nX: " + kLong, milliseconds(20));
     },
     ErrorKind::timed_out, true, "did not answer"},
    {"DripsItsBody",
     [](ServedConnection &peer) {
       peer.read_request();
       peer.send("HTTP/1.1 200 OK\r\n\r\n");
       peer.drip(kLong, milliseconds(20));
     },
     ErrorKind::timed_out, true, "too slowly"},
};

class ServerFault : public testing::TestWithParam<Fault> {};

TEST_P(ServerFault, IsAnErrorThatSaysSo) {
  const Fault &fault = GetParam();
  HttpServer server(fault.script);
  HttpRequest request = get(server.url("/path?signature=SECRET"));
  // Short if the silence of the server ends the call; longer if its head has to come before.
  const bool sends_nothing = std::string_view(fault.text).starts_with("did not answer");
  request.timeout = milliseconds(fault.kind != ErrorKind::timed_out ? 20000 : sends_nothing ? 300 : 1000);
  request.max_body = 1 << 20;
  const auto fits = [&fault](const HttpError &error) {
    return fault.kind != ErrorKind::timed_out || error.error.text.find(fault.text) != std::string::npos;
  };
  const auto failure = failure_that(fits, request);
  ASSERT_TRUE(failure) << "it succeeds";
  const HttpError &error = *failure;
  EXPECT_EQ(error.error.kind, fault.kind) << error.error.text << " / " << error.error.debug;
  EXPECT_EQ(error.transient, fault.transient) << error.error.text;
  EXPECT_NE(error.error.text.find(fault.text), std::string::npos) << error.error.text;
  EXPECT_TRUE(error.maybe_sent);
  EXPECT_EQ((error.error.text + error.error.debug).find("SECRET"), std::string::npos) << error.error.text;
}

INSTANTIATE_TEST_SUITE_P(Http, ServerFault, testing::ValuesIn(kFaults),
                         [](const auto &row) { return row.param.name; });

TEST(HttpFault, ARefusedConnectionWasSurelyNotSent) {
  const auto reply =
      client()->call(post("http://127.0.0.1:" + std::to_string(refused_port()) + "/"), nullptr);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.kind, ErrorKind::open_read);
  EXPECT_NE(reply.error().error.text.find("refuses the connection"), std::string::npos)
      << reply.error().error.text;
  EXPECT_FALSE(reply.error().maybe_sent);
  EXPECT_TRUE(reply.error().transient);
}

TEST(HttpFault, AnUnknownHostWasSurelyNotSent) {
  // Names under .invalid never resolve; with no name server at all the failure counts as a passing one.
  HttpRequest request = post("http://nobody.invalid/x?SECRET");
  const auto reply = client()->call(request, nullptr);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.kind, ErrorKind::not_found) << reply.error().error.text;
  EXPECT_NE(reply.error().error.text.find("nobody.invalid"), std::string::npos);
  EXPECT_FALSE(reply.error().maybe_sent);
}

TEST(HttpFault, AnUnknownHostStaysUnknownAndADeafNameServerMayHearAgain) {
  for (const auto &[code, transient] :
       {std::pair(G_RESOLVER_ERROR_NOT_FOUND, false), std::pair(G_RESOLVER_ERROR_TEMPORARY_FAILURE, true)}) {
    const GErrorPtr cause(g_error_new_literal(G_RESOLVER_ERROR, code, "x"));
    const HttpError fault = http_fault(*cause, {.host = "h"});
    EXPECT_EQ(fault.error.kind, ErrorKind::not_found);
    EXPECT_EQ(fault.transient, transient) << code;
  }
}

TEST(HttpFault, AConnectionThatDoesNotComeAboutWasSurelyNotSent) {
  const FullBacklog hole;
  HttpRequest request = post(hole.url());
  request.timeout = milliseconds(200);
  const auto reply = client()->call(request, nullptr);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.kind, ErrorKind::timed_out);
  EXPECT_NE(reply.error().error.text.find("No connection"), std::string::npos) << reply.error().error.text;
  EXPECT_FALSE(reply.error().maybe_sent);
  EXPECT_TRUE(reply.error().transient);
}

TEST(HttpFault, ABadUrlIsASetting) {
  for (const char *url : {"", "nothing", "ftp://h/x", "file:///etc/passwd", "http://", "http:///x", "//h/x",
                          "http://[::1/x", "http://h:port/", "https://u:SECRET@[/x?SECRET"}) {
    const auto reply = client()->call(get(url), nullptr);
    ASSERT_FALSE(reply) << url;
    EXPECT_EQ(reply.error().error.kind, ErrorKind::settings) << url;
    EXPECT_FALSE(reply.error().maybe_sent);
    EXPECT_EQ((reply.error().error.text + reply.error().error.debug).find("SECRET"), std::string::npos)
        << reply.error().error.text;
  }
}

TEST(HttpFault, AHeaderThatMustNotBeIsASetting) {
  HttpServer server(always(answer(200, "x")));
  HttpRequest bad[6];
  for (HttpRequest &request : bad) request = get(server.url());
  bad[0].bearer_key = "K\r\nX: y";
  bad[1].user_agent = "a\nb";
  bad[2].headers = {{"X", std::string("a\0b", 3)}};
  bad[3].headers = {{"X: y", "z"}};
  bad[4].headers = {{"authorization", "Bearer K"}};
  bad[5].user_agent = "a\x7f";
  for (const HttpRequest &request : bad) {
    const auto reply = client()->call(request, nullptr);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().error.kind, ErrorKind::settings);
    EXPECT_EQ(reply.error().error.text.find("K\r"), std::string::npos);
  }
  EXPECT_TRUE(server.requests().empty());
}

TEST(HttpFault, ABadProxyIsASetting) {
  for (const char *proxy : {"http://[", "http://", "ftp://proxy.example", "http://h:port", "://h"}) {
    const auto reply = client({.proxy = proxy, .tls_ca_file = ""})->call(get("http://h.example/"), nullptr);
    ASSERT_FALSE(reply) << proxy;
    EXPECT_EQ(reply.error().error.kind, ErrorKind::settings) << reply.error().error.text;
    EXPECT_EQ(problems_of({.proxy = proxy, .tls_ca_file = ""}).size(), 1u) << proxy;
  }
  for (const char *proxy : {"h", "h:1", "http://u:p@h:1", "socks5://[::1]:1"})
    EXPECT_EQ(problems_of({.proxy = proxy, .tls_ca_file = ""}), std::vector<std::string>()) << proxy;
}

// The behaviour of a proxy, and the result of a call through it.
struct ProxyFault {
  const char *name;
  std::string address;
  ErrorKind kind;
  std::string text;
};

TEST(HttpFault, AProxyThatLeadsNowhereIsBlamedAndNotTheService) {
  const FullBacklog hole;
  HttpServer closing([](ServedConnection &) {});
  HttpServer silent([](ServedConnection &peer) {
    peer.read_request();
    peer.hang();
  });
  const std::string refused = "127.0.0.1:" + std::to_string(refused_port());
  const std::string deaf = hole.url().substr(7, hole.url().size() - 8);
  const ProxyFault rows[] = {
      {"refused", refused, ErrorKind::open_read, "The proxy " + refused + " refuses the connection."},
      {"unknown", "nobody.invalid:81", ErrorKind::not_found, "The proxy nobody.invalid:81 "},
      {"deaf", deaf, ErrorKind::timed_out, "The proxy " + deaf + " made no connection within 0.3 s."},
      {"closing", "127.0.0.1:" + std::to_string(closing.port()), ErrorKind::open_read,
       " broke the connection before"},
      {"silent", "127.0.0.1:" + std::to_string(silent.port()), ErrorKind::timed_out,
       " made no connection within"},
  };
  for (const ProxyFault &row : rows) {
    HttpRequest request = post("https://service.example/");
    if (row.kind == ErrorKind::timed_out) request.timeout = milliseconds(300);
    const auto reply =
        client({.proxy = "http://u:SECRET@" + row.address, .tls_ca_file = ""})->call(request, nullptr);
    ASSERT_FALSE(reply) << row.name;
    const Error &error = reply.error().error;
    EXPECT_EQ(error.kind, row.kind) << row.name << ": " << error.text;
    EXPECT_NE(error.text.find(row.text), std::string::npos) << row.name << ": " << error.text;
    EXPECT_NE(error.text.find("Check the property proxy"), std::string::npos)
        << row.name << ": " << error.text;
    EXPECT_EQ((error.text + error.debug).find("SECRET"), std::string::npos) << row.name << ": " << error.text;
    EXPECT_FALSE(reply.error().maybe_sent) << row.name;
  }
}

TEST(HttpFault, AProxyThatMakesNoTunnelIsNotTakenForTheService) {
  for (const unsigned status : {403u, 407u, 502u, 503u}) {
    HttpServer proxy(always(answer(status, "no")));
    HttpRequest request = post("https://service.example/");
    request.bearer_key = "K-1";
    const auto reply = client({.proxy = "127.0.0.1:" + std::to_string(proxy.port()), .tls_ca_file = ""})
                           ->call(request, nullptr);
    ASSERT_FALSE(reply) << status;
    EXPECT_EQ(reply.error().error.kind, status == 407 ? ErrorKind::not_authorized : ErrorKind::open_read);
    EXPECT_NE(reply.error().error.text.find("proxy"), std::string::npos) << reply.error().error.text;
    EXPECT_FALSE(reply.error().maybe_sent) << status;
    EXPECT_EQ(reply.error().transient, status >= 500) << status;
    EXPECT_EQ(proxy.requests().at(0).find("K-1"), std::string::npos) << proxy.requests().at(0);
  }
}

TEST(HttpFault, AProxyGetsItsCredentialsForATunnel) {
  HttpServer proxy([](ServedConnection &peer) {
    for (;;) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      const bool known = request.find("\r\nProxy-Authorization: Basic dTpw\r\n") != std::string::npos;
      peer.send(known ? answer(502, "") : answer(407, "", "Proxy-Authenticate: Basic realm=\"p\"\r\n"));
    }
  });
  const auto reply = client({.proxy = "u:p@127.0.0.1:" + std::to_string(proxy.port()), .tls_ca_file = ""})
                         ->call(post("https://service.example/"), nullptr);
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().error.debug.find("502"), std::string::npos) << reply.error().error.debug;
  EXPECT_FALSE(reply.error().maybe_sent);
}

TEST(HttpFault, NoLimitIsNoTimeout) {
  HttpServer server([](ServedConnection &peer) {
    peer.read_request();
    peer.pause(milliseconds(50));
    peer.send(answer(200, "x"));
  });
  HttpRequest request = get(server.url());
  for (const milliseconds timeout : {milliseconds(0), milliseconds::max()}) {
    request.timeout = timeout;
    const auto reply = client()->call(request, nullptr);
    ASSERT_TRUE(reply) << reply.error().error.text;
  }
}

TEST(HttpFault, TheLimitOfABodyIsExact) {
  HttpServer server(always(answer(200, std::string(1000, 'x'))));
  HttpRequest request = get(server.url());
  request.max_body = 1000;
  EXPECT_TRUE(client()->call(request, nullptr));
  request.max_body = 999;
  const auto reply = client()->call(request, nullptr);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.http_status, 200u);
  ASSERT_TRUE(reply.error().begun) << "it may begin with the ID of a paid task";
  EXPECT_EQ(reply.error().begun->body, std::string(999, 'x'));
  EXPECT_EQ(reply.error().begun->status, 200u);
  request.max_body = SIZE_MAX;
  EXPECT_TRUE(client()->call(request, nullptr));
}

TEST(HttpFault, ASlowReaderIsNotASlowServer) {
  HttpServer server(always(answer(200, std::string(3'000'000, 'x'))));
  auto body = client()->open(get(server.url()), nullptr);
  ASSERT_TRUE(body) << body.error().error.text;
  const auto first = (*body)->read();
  ASSERT_TRUE(first) << first.error().error.text;
  size_t size = first->size();
  (*body)->wait_at_most(milliseconds(2000));
  g_usleep(2200 * 1000);  // What is tested is time itself.
  // The first of these has come meanwhile.
  for (int i = 0; i < 2; ++i) {
    const auto more = (*body)->read();
    ASSERT_TRUE(more) << more.error().error.text;
    size += more->size();
  }
  (*body)->wait_at_most(kHang);  // The server may be busy with other things.
  const auto rest = drain(**body);
  ASSERT_TRUE(rest) << rest.error().error.text;
  EXPECT_EQ(rest->size(), 3'000'000u - size);
}

TEST(HttpFault, ASteadyDripIsProgress) {
  HttpServer server([](ServedConnection &peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n");
    peer.drip("12345678", milliseconds(200));
  });
  HttpRequest request = get(server.url());
  request.timeout = milliseconds(1500);
  // A busy machine may delay a byte for as long, but not each time.
  const auto arrives = [&request] {
    const auto reply = client()->call(request, nullptr);
    return reply && reply->body == "12345678";
  };
  bool has_arrived = false;
  for (int i = 0; i < 20 && !has_arrived; ++i) has_arrived = arrives();
  EXPECT_TRUE(has_arrived);
}

TEST(HttpFault, TheTimeForAllOfAnExchangeEndsWhateverComes) {
  const auto slow = [](ServedConnection &peer, milliseconds pause) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    peer.drip(std::string(10, 'x'), pause);
    peer.hang();
  };
  // Slow, then silent: neither takes longer, and silence does not restart the timeout.
  for (const milliseconds pause : {milliseconds(300), milliseconds(140)}) {
    HttpServer server([&](ServedConnection &peer) { slow(peer, pause); });
    HttpRequest request = get(server.url());
    request.timeout = request.whole_timeout = milliseconds(1500);
    const auto begin = std::chrono::steady_clock::now();
    auto body = client()->open(request, nullptr);
    ASSERT_TRUE(body);
    const auto all = drain(**body);
    const auto took = std::chrono::steady_clock::now() - begin;
    ASSERT_FALSE(all);
    EXPECT_EQ(all.error().error.kind, ErrorKind::timed_out);
    EXPECT_TRUE(all.error().transient);
    EXPECT_NE(all.error().error.text.find("did not complete its answer within 1.5 s"), std::string::npos)
        << all.error().error.text;
    EXPECT_GE(took, milliseconds(1500));
    EXPECT_LT(took, time_limit(milliseconds(2800))) << "drops every " << pause.count() << " ms";
  }
}

// With and without TLS. What closes behind the last chunk may have announced it or not (RFC 9112 §9.6).
TEST(HttpFault, OnlyAStreamWithoutItsLastChunkIsCut) {
  const std::string kClosing = "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string kPiece = "1000\r\n" + std::string(4096, 'x') + "\r\n";
  const auto trusting = client({.proxy = "", .tls_ca_file = path_of("issuer.pem")});
  for (const bool has_tls : {false, true}) {
    const auto options = has_tls ? with_certificate("good") : HttpServer::Options{};
    for (const std::string &head : {kChunkedHead, kClosing}) {
      for (const auto method : {HttpRequest::Method::get, HttpRequest::Method::post}) {
        for (const char *end : {"", "0\r\n", "5"}) {
          SCOPED_TRACE(testing::Message() << has_tls << head << end);
          HttpServer cut(says(head + kPiece + end), options);
          HttpRequest request = get(cut.url());
          request.method = method;
          auto body = trusting->open(request, nullptr);
          ASSERT_TRUE(body) << body.error().error.text;
          const auto part = drain(**body);
          ASSERT_FALSE(part) << part->size();
          EXPECT_EQ(part.error().error.kind, ErrorKind::read);
          EXPECT_TRUE(part.error().transient);
        }
        SCOPED_TRACE(testing::Message() << has_tls << head);
        HttpServer whole(says(head + kPiece + "0\r\n\r\n"), options);
        HttpServer open(hangs_after(head + kPiece + "0\r\n\r\n"), options);
        HttpServer more(says(head + kPiece + "0\r\n\r\nHTTP/1.1 200 OK\r\n"), options);
        for (HttpServer *server : {&whole, &open, &more}) {
          HttpRequest request = get(server->url());
          request.method = method;
          auto body = trusting->open(request, nullptr);
          ASSERT_TRUE(body) << body.error().error.text;
          const auto all = drain(**body);
          ASSERT_TRUE(all) << all.error().error.text;
          EXPECT_EQ(*all, std::string(4096, 'x'));
        }
      }
    }
  }
}

TEST(HttpFault, AFailedBodyStaysFailed) {
  HttpServer server(hangs_after("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"));
  auto body = client()->open(get(server.url()), nullptr);
  ASSERT_TRUE(body);
  (*body)->wait_at_most(milliseconds(100));
  EXPECT_FALSE(drain(**body));
  const auto again = (*body)->read();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().error.kind, ErrorKind::timed_out);
}

}  // namespace
}  // namespace genclip::test
