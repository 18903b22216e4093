// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Different spellings of the same address.
#include "plugin/base/base_url.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace genclip {
namespace {

TEST(BaseUrl, HasOneSpelling) {
  const std::pair<const char *, const char *> rows[] = {
      {"HTTP://api.example/prefix", "http://api.example/prefix"},
      {"HttpS://API.Example", "https://api.example"},
      {"https://api.example/prefix///", "https://api.example/prefix"},
      {"https://api.example:443/prefix/", "https://api.example/prefix"},
      {"https://api.example:00443", "https://api.example"},
      {"https://api.example:", "https://api.example"},
      {"http://api.example:000/", "http://api.example:0"},
      {"http://api.example:80/", "http://api.example"},
      {"http://api.example:08080/", "http://api.example:8080"},
      {"https://[::1]:443", "https://[::1]"},
      {"https://[FE80::1]:8443/A", "https://[fe80::1]:8443/A"},
      // As files and shells leave them.
      {"https://api.example/prefix\n", "https://api.example/prefix"},
      {" \thttps://api.example/prefix/ \r\n", "https://api.example/prefix"},
      {"https://api.example/prefix / /", "https://api.example/prefix"},
      {" \n", ""},
      {" api.example/ ", "api.example"},
  };
  for (const auto &[spelling, normal] : rows) EXPECT_EQ(normal_base_url(spelling), normal) << spelling;
}

TEST(BaseUrl, HadBlanksAtItsEnds) {
  EXPECT_EQ(older_base_url("HTTPS://Api.example:443/a//"), "https://api.example/a");
  for (const char *url : {"https://api.example/a\n", "https://api.example/a/ ", "https://api.example\r\n"})
    EXPECT_EQ(older_base_url(url), url);
}

TEST(BaseUrl, KeepsWhatMakesADifference) {
  for (const char *url :
       {"https://api.example", "http://api.example:443", "https://api.example:80",
        "https://api.example:8443/A/b", "https://api.example/Prefix", "https://api.example/a//b",
        "https://api.example/%7Ea", "http://127.0.0.1:1", "https://[::1]", "https://api.example/a:443",
        "https://api.example?A=B", "", "api.example/prefix",
        "https://b\xC3\xBC"
        "cher.example",
        "nonsense://a:443"})
    EXPECT_EQ(normal_base_url(url), url);
}

TEST(BaseUrl, IsNormalOnce) {
  for (const char *url : {"HTTPS://A:443/b/", "https:///", "HTTPS://U:P@A:443", "://", "https://a:b"})
    EXPECT_EQ(normal_base_url(normal_base_url(url)), normal_base_url(url)) << url;
  EXPECT_EQ(normal_base_url("https://Us:Pw@A/"), "https://Us:Pw@a");
}

TEST(BaseUrl, MeansOneServiceHoweverItIsSpelled) {
  for (const char *url :
       {"http://localhost:8000/api", "http://localhost:8000//api", "http://localhost:8000/./api",
        "http://localhost:8000/%61pi/", "http://localhost:8000/a%70%69", "http://localhost.:8000/api",
        "HTTP://LocalHost:8000/x/../api", "http://localhost:8000/%2E/api/.", "http://localhost:8000/../api",
        "http://localhost:8000/x/%2e%2e/api"})
    EXPECT_EQ(meaning_of_base_url(url), "http://localhost:8000/api") << url;
  for (const char *url : {"https://api.example./", "https://api.example\n", "https://api.example/%20",
                          "https://api.example/%20%0a/%09"})
    EXPECT_EQ(meaning_of_base_url(url), "https://api.example") << url;
  for (const char *url :
       {"https://api.example/a%20", "https://api.example/a%20%0d%0a/ \n", "https://api.example/a/%20/"})
    EXPECT_EQ(meaning_of_base_url(url), "https://api.example/a") << url;
  EXPECT_EQ(meaning_of_base_url("https://%61pi.example:444/"), "https://api.example:444");
  EXPECT_EQ(meaning_of_base_url("https://bücher.example/"), "https://xn--bcher-kva.example");
  EXPECT_EQ(meaning_of_base_url("https://u:p@[0:0::1]:8/a"), "https://u:p@[::1]:8/a");
  for (const char *url :
       {"http://[0:0:0:0:0:0:0:1]/", "http://[::0001]", "http://[::0.0.0.1]", "http://[::1]:80"})
    EXPECT_EQ(meaning_of_base_url(url), "http://[::1]") << url;
  EXPECT_EQ(meaning_of_base_url("https://api.example/a%2fb"), "https://api.example/a%2Fb");
}

TEST(BaseUrl, MeansAnotherServiceWhereThePathOrTheHostIsAnother) {
  for (const char *url :
       {"https://api.example", "http://api.example:443", "https://api.example:8443/A/b",
        "https://api.example/a%2Fb", "https://api.example/%2561pi", "https://api.example/a..b",
        "https://api.example/.a", "https://api.example/%20a", "https://[::1]", "https://[fe80::1]:8443/A",
        "https://api.example?A=B", "http://127.0.0.1:1/%", "", "api.example//x", "nonsense://a.//b"})
    EXPECT_EQ(meaning_of_base_url(url), url);
}

}  // namespace
}  // namespace genclip
