// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Certificates: only good ones, for this host, today, from an issuer that the system or tls-ca-file trusts.
#include "tests/http/client_fixture.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

HttpSettings trusting() { return {.proxy = "", .tls_ca_file = path_of("issuer.pem")}; }

struct Refusal {
  const char *certificate;
  bool trusted;
  const char *text;
  bool names_remedy;
};

TEST(Tls, TrustsTheFileOfTheSettings) {
  HttpServer server(always(answer(200, "safe")), with_certificate("good"));
  for (const HttpRequest &request : {get(server.url()), post(server.url())}) {
    const auto reply = client(trusting())->call(request, nullptr);
    ASSERT_TRUE(reply) << reply.error().error.text << reply.error().error.debug;
    EXPECT_EQ(reply->body, "safe");
  }
}

// M15
TEST(Tls, TrustsTheFileOfTheFolderThatWasCurrentThen) {
  HttpServer server(always(answer(200, "safe")), with_certificate("good"));
  std::shared_ptr<HttpClient> there;
  {
    const CurrentFolder current(GENCLIP_CERTIFICATES);
    there = HttpClient::shared({.proxy = "", .tls_ca_file = "issuer.pem"});
  }
  EXPECT_TRUE(there->call(get(server.url()), nullptr));
  EXPECT_NE(HttpClient::shared({.proxy = "", .tls_ca_file = "issuer.pem"}), there)
      << "it is another file here";
}

TEST(Tls, RefusesAllOtherCertificatesBeforeAnythingIsSent) {
  const Refusal kRefusals[] = {
      {"good", false, "unknown issuer", true},
      {"expired", true, "has expired", false},
      {"expired", false, "has expired", false},
      {"other-host", true, "belongs to another host", false},
      {"other-host", false, "belongs to another host", false},
  };
  for (const Refusal &row : kRefusals) {
    HttpServer server(always(answer(200, "x")), with_certificate(row.certificate));
    HttpRequest request = post(server.url());
    request.bearer_key = "K-1";
    const auto reply = client(row.trusted ? trusting() : HttpSettings{})->call(request, nullptr);
    ASSERT_FALSE(reply) << row.certificate;
    const HttpError &error = reply.error();
    EXPECT_EQ(error.error.kind, ErrorKind::open_read);
    EXPECT_NE(error.error.text.find(row.text), std::string::npos)
        << row.certificate << ": " << error.error.text;
    EXPECT_EQ(error.error.text.find("tls-ca-file") != std::string::npos, row.names_remedy)
        << error.error.text;
    EXPECT_FALSE(error.maybe_sent);
    EXPECT_FALSE(error.transient);
    EXPECT_TRUE(server.requests().empty());
  }
}

// A server whose TLS sessions can be resumed, until it is destroyed.
class ResumingServer {
 public:
  ResumingServer()
      : process_(GRef<GSubprocess>::adopt(g_subprocess_new(
            static_cast<GSubprocessFlags>(G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE),
            nullptr, "/usr/bin/python3", GENCLIP_RESUMING_SERVER, path_of("good").c_str(), nullptr))) {
    if (!process_) return;
    const auto lines =
        GRef<GDataInputStream>::adopt(g_data_input_stream_new(g_subprocess_get_stdout_pipe(process_.get())));
    const GStringPtr line(g_data_input_stream_read_line(lines.get(), nullptr, nullptr, nullptr));
    if (line) url_ = std::string("https://127.0.0.1:") + line.get() + "/";
  }
  ~ResumingServer() {
    if (process_) g_subprocess_force_exit(process_.get());
  }
  ResumingServer(const ResumingServer &) = delete;
  ResumingServer &operator=(const ResumingServer &) = delete;

  const std::string &url() const { return url_; }

 private:
  const GRef<GSubprocess> process_;
  std::string url_;
};

// Otherwise one run's tls-ca-file would hold for all later runs of the process.
TEST(Tls, AResumedSessionIsTrustedByTheFileOfItsOwnSettingsOnly) {
  const ResumingServer server;
  ASSERT_NE(server.url(), "");
  // GIO uses a session once, so the second call resumes that of the first, and the third that of the second.
  for (const char *session : {"new", "resumed"}) {
    const auto reply = client(trusting())->call(get(server.url()), nullptr);
    ASSERT_TRUE(reply) << reply.error().error.text;
    EXPECT_EQ(reply->body, session);
  }
  HttpRequest request = post(server.url());
  request.bearer_key = "K-1";
  const auto refused = client()->call(request, nullptr);
  ASSERT_FALSE(refused);
  const HttpError &error = refused.error();
  EXPECT_NE(error.error.text.find("unknown issuer"), std::string::npos) << error.error.text;
  EXPECT_EQ(error.error.kind, ErrorKind::open_read);
  EXPECT_FALSE(error.maybe_sent);
  EXPECT_FALSE(error.transient);
}

TEST(Tls, SaysWhenTheFileCannotBeUsed) {
  for (const std::string &file : {std::string("/nowhere.pem"), path_of("make")}) {
    const auto reply = client({.proxy = "", .tls_ca_file = file})->call(get("https://127.0.0.1:1/"), nullptr);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().error.kind, ErrorKind::settings) << file << ": " << reply.error().error.text;
    EXPECT_NE(reply.error().error.text.find("tls-ca-file"), std::string::npos);
  }
}

TEST(Tls, ThroughAProxyTheOriginGetsTheKeyAndTheProxyItsCredentials) {
  HttpServer origin(always(answer(200, "safe")), with_certificate("good"));
  HttpServer proxy([&](ServedConnection &peer) {
    while (!peer.read_request().empty()) {
      if (!peer.send("HTTP/1.1 200 Connected\r\n\r\n")) return;
      peer.relay(origin.port());
    }
  });
  HttpRequest request = post(origin.url());
  request.bearer_key = "K-1";
  const auto reply =
      client({.proxy = "u:p@127.0.0.1:" + std::to_string(proxy.port()), .tls_ca_file = path_of("issuer.pem")})
          ->call(request, nullptr);
  ASSERT_TRUE(reply) << reply.error().error.text << reply.error().error.debug;
  EXPECT_EQ(reply->body, "safe");
  ASSERT_EQ(origin.requests().size(), 1u);
  const std::string asked = origin.requests()[0];
  EXPECT_NE(asked.find("\r\nAuthorization: Bearer K-1\r\n"), std::string::npos) << asked;
  EXPECT_EQ(asked.find("Proxy-"), std::string::npos) << asked;
  ASSERT_FALSE(proxy.requests().empty());
  for (const std::string &tunnel : proxy.requests()) {
    EXPECT_TRUE(tunnel.starts_with("CONNECT ")) << tunnel;
    EXPECT_EQ(tunnel.find("K-1"), std::string::npos) << tunnel;
  }
}

TEST(Tls, SaysWhenTheServerSpeaksPlainHttp) {
  HttpServer server(always("HTTP/1.1 400 Bad Request\r\n\r\n"));
  HttpServer talker([](ServedConnection &peer) {
    peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    peer.hang();
  });
  HttpRequest request = get("https://127.0.0.1:" + std::to_string(talker.port()) + "/");
  const auto reply = client()->call(request, nullptr);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.kind, ErrorKind::open_read) << reply.error().error.text;
  EXPECT_FALSE(reply.error().maybe_sent);
}

TEST(Tls, TimesOutInTheHandshake) {
  HttpServer server([](ServedConnection &peer) { peer.hang(); });
  HttpRequest request = post("https://127.0.0.1:" + std::to_string(server.port()) + "/");
  request.timeout = milliseconds(100);
  const auto reply = client()->call(request, nullptr);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.kind, ErrorKind::timed_out);
  EXPECT_FALSE(reply.error().maybe_sent);
}

TEST(Tls, RedirectsToHttpAreRefused) {
  HttpServer plain(always(answer(200, "x")));
  HttpServer server(always(answer(302, "", "Location: " + plain.url() + "\r\n")), with_certificate("good"));
  HttpRequest request = get(server.url());
  request.follow_redirects = true;
  const auto reply = client(trusting())->call(request, nullptr);
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().error.text.find("https to http"), std::string::npos) << reply.error().error.text;
  EXPECT_TRUE(plain.requests().empty());
}

TEST(Tls, ABodyIsCutWhereItIsCut) {
  HttpServer server(
      [](ServedConnection &peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
        peer.reset();
      },
      with_certificate("good"));
  const auto reply = client(trusting())->call(get(server.url()), nullptr);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.kind, ErrorKind::read);
  EXPECT_TRUE(reply.error().transient);
}

TEST(Tls, AnUploadThatNobodyTakesDoesNotHoldUpOthers) {
  HttpServer server([](ServedConnection &peer) { peer.freeze(); }, with_certificate("good"));
  HttpServer other(always(answer(200, "x")), with_certificate("good"));
  const auto one = client(trusting());
  HttpRequest request = post(server.url(), std::string(16 << 20, 'x'));
  request.timeout = milliseconds(300);
  const auto stuck = one->call(request, nullptr);
  ASSERT_FALSE(stuck);
  EXPECT_EQ(stuck.error().error.kind, ErrorKind::timed_out);
  const auto reply = one->call(get(other.url()), nullptr);
  EXPECT_TRUE(reply) << reply.error().error.text;
}

}  // namespace
}  // namespace genclip::test
