// SPDX-License-Identifier: LGPL-2.1-or-later
//
// URLs keep their bytes: a signed URL is valid only as it was signed.
#include "plugin/http/http_url.h"

#include "tests/http/client_fixture.h"

namespace genclip::test {
namespace {

// The target of a URL, and the same as a request line holds it.
struct Row {
  const char *given;
  const char *sent;
};

constexpr Row kRows[] = {
    {"/v/a%40b%2Fd%7Ee~f.mp4?X-Amz-SignedHeaders=host%3Bx&s=a%2Bb+c%20d",
     "/v/a%40b%2Fd%7Ee~f.mp4?X-Amz-SignedHeaders=host%3Bx&s=a%2Bb+c%20d"},
    {"/v/c%2fd.mp4?x=%7b%7D", "/v/c%2fd.mp4?x=%7b%7D"},
    {"/v/a.mp4?filename*=UTF-8''na%C3%AFve(1)!.mp4&sig=A*B'C",
     "/v/a.mp4?filename*=UTF-8''na%C3%AFve(1)!.mp4&sig=A*B'C"},
    {"/v/a b.mp4?Signature=xyz==", "/v/a%20b.mp4?Signature=xyz=="},
    {"/v/a.mp4?", "/v/a.mp4?"},
    {"/v/a.mp4?sig=secret#t=0,5", "/v/a.mp4?sig=secret"},
    {"/100%/a%zz.mp4?b=%", "/100%/a%zz.mp4?b=%"},
    {"/%2e%2E/a%2e.mp4?%61=%41", "/%2e%2E/a%2e.mp4?%61=%41"},
    {"/\"<>\\^`{|}?\"<>\\^`{|}[]", "/\"<>\\^`{|}?\"<>\\^`{|}[]"},
    {"/na\xc3\xafve.mp4?\x7f", "/na%C3%AFve.mp4?%7F"},
    {"/latin\xff.mp4", "/latin%FF.mp4"},
    {"/a\tb.mp4?c\x01"
     "d",
     "/a%09b.mp4?c%01d"},
    {"/a?b?c=/../d", "/a?b?c=/../d"},
    {"//a//b.mp4", "//a//b.mp4"},
    {"/?#", "/?"},
    {"/#?b", "/"},
};

std::string target_in(const std::string &request) {
  const auto begin = request.find(' ') + 1;
  return request.substr(begin, request.find(" HTTP/1.1\r\n") - begin);
}

std::string without_fragment(const std::string &url) { return url.substr(0, url.find('#')); }

TEST(HttpUrl, KeepsTheBytesOfPathAndQuery) {
  for (const Row &row : kRows) {
    const auto url = parse_http_url("https://h" + std::string(row.given));
    ASSERT_TRUE(url) << row.given;
    const char *query = g_uri_get_query(url->get());
    EXPECT_EQ(g_uri_get_path(url->get()) + (query ? "?" + std::string(query) : ""), row.sent);
    const std::string text = GStringPtr(g_uri_to_string(url->get())).get();
    EXPECT_EQ(without_fragment(text), "https://h" + std::string(row.sent));
    EXPECT_EQ(GStringPtr(g_uri_to_string(sent_url(url->get()).get())).get(),
              "https://h" + std::string(row.sent));
  }
}

TEST(HttpUrl, KeepsTheBytesOfARedirectAndOfAReference) {
  const auto from = parse_http_url("https://h/x/%7e?y");
  ASSERT_TRUE(from);
  for (const Row &row : kRows) {
    const std::string sent = "https://h" + std::string(row.sent);
    for (const std::string &location :
         {"https://h" + std::string(row.given), "//h" + std::string(row.given)}) {
      const auto target = redirect_target(from->get(), location);
      ASSERT_TRUE(target) << location;
      EXPECT_EQ(without_fragment(*target), sent);
      EXPECT_EQ(without_fragment(resolve_http_url(from->get(), location).value_or("")), sent);
    }
  }
}

TEST(HttpUrl, ResolvesReferencesAsRfc3986Does) {
  constexpr Row kReferences[] = {
      {"g", "http://a/b/%7ec/g"},
      {"./g", "http://a/b/%7ec/g"},
      {"g/", "http://a/b/%7ec/g/"},
      {"/g%2fh", "http://a/g%2fh"},
      {"//g", "http://g/"},
      {"?y=%7e", "http://a/b/%7ec/d;p?y=%7e"},
      {"g?y/../x#s/../x", "http://a/b/%7ec/g?y/../x#s/../x"},
      {"#s", "http://a/b/%7ec/d;p?q=%2f#s"},
      {"", "http://a/b/%7ec/d;p?q=%2f"},
      {".", "http://a/b/%7ec/"},
      {"..", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../../g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/%7ec/g."},
      {"..g", "http://a/b/%7ec/..g"},
      {"./g/.", "http://a/b/%7ec/g/"},
      {"g/../h", "http://a/b/%7ec/h"},
      {"%2e%2e/g", "http://a/b/%7ec/%2e%2e/g"},
      {"g;x=1/../y:z", "http://a/b/%7ec/y:z"},
      {" g\r\n", "http://a/b/%7ec/g"},
      {"HTTPS://B:443", "https://B/"},
      {"http://b/x/../y", "http://b/x/../y"},
      {"//b/x/../y", "http://b/x/../y"},
  };
  const auto base = parse_http_url("http://a/b/%7ec/d;p?q=%2f");
  ASSERT_TRUE(base);
  for (const Row &row : kReferences)
    EXPECT_EQ(resolve_http_url(base->get(), row.given), row.sent) << row.given;
  for (const std::string &no_url : {std::string("http:g"), std::string("mailto:g"), std::string("1:g"),
                                    std::string("g\0h", 3), std::string("///g"), std::string("http:///g")})
    EXPECT_EQ(resolve_http_url(base->get(), no_url), std::nullopt) << no_url;
}

TEST(HttpUrl, KeepsWhatNamesTheServer) {
  constexpr Row kPlaces[] = {
      {"http://h", "http://h/"},
      {"http://h?q", "http://h/?q"},
      {" HTTP://h:80/\r\n", "http://h/"},
      {"https://h:080/", "https://h:80/"},
      {"http://[::1]:8080/a", "http://[::1]:8080/a"},
      {"http://us%3aer:pa%40ss@h/", "http://us%3Aer:pa%40ss@h/"},
      {"http://user@h/@b", "http://user@h/@b"},
      {"http://user:@h/", "http://user:@h/"},
  };
  for (const Row &row : kPlaces) {
    const auto url = parse_http_url(row.given);
    ASSERT_TRUE(url) << row.given;
    EXPECT_EQ(GStringPtr(g_uri_to_string(url->get())).get(), std::string(row.sent)) << row.given;
  }
  for (const char *no_url : {"", "/a", "h/a", "http:/h", "http://", "http:///a", "ftp://h/", "http://a b/",
                             "/x://h", "x?http://h"})
    EXPECT_FALSE(parse_http_url(no_url)) << no_url;
}

TEST(HttpUrl, IsSentWithItsBytes) {
  HttpServer server(always(answer(200, "x")));
  for (const Row &row : kRows) {
    ASSERT_TRUE(client()->call(get(server.url(row.given)), nullptr)) << row.given;
    EXPECT_EQ(target_in(server.requests().back()), row.sent);
  }
}

TEST(HttpUrl, IsSentThroughAProxyWithItsBytesAndWithoutItsUser) {
  HttpServer proxy(always(answer(200, "x")));
  const auto one = client({.proxy = "127.0.0.1:" + std::to_string(proxy.port()), .tls_ca_file = ""});
  for (const Row &row : kRows) {
    ASSERT_TRUE(one->call(get("http://user:SECRET@h.example" + std::string(row.given)), nullptr))
        << row.given;
    EXPECT_EQ(target_in(proxy.requests().back()), "http://h.example" + std::string(row.sent));
    EXPECT_EQ(proxy.requests().back().find("SECRET"), std::string::npos);
  }
}

TEST(HttpUrl, IsSentWithItsBytesBehindARedirect) {
  for (const bool is_absolute : {false, true})
    for (const Row &row : kRows) {
      if (!is_absolute && std::string_view(row.given).starts_with("//")) continue;  // That names a host.
      // libsoup replaces bytes of a header that are not UTF-8 before genclip sees them.
      if (!g_utf8_validate(row.given, -1, nullptr)) continue;
      std::string location;
      HttpServer server([&](ServedConnection &peer) {
        const std::string request = peer.read_request();
        const bool is_first = target_in(request) == "/first";
        peer.send(is_first ? answer(302, "", "Location: " + location + "\r\n") : answer(200, "x"));
      });
      location = is_absolute ? server.url(row.given) : row.given;
      const auto reply = client()->call(follow(server.url("/first")), nullptr);
      ASSERT_TRUE(reply) << row.given;
      EXPECT_EQ(target_in(server.requests().back()), row.sent) << location;
    }
}

}  // namespace
}  // namespace genclip::test
