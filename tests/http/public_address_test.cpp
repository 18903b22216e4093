// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which services the public network can reach.
#include "plugin/http/public_address.h"

#include <gtest/gtest.h>

namespace genclip::test {
namespace {

TEST(PublicAddress, IsThatOfAPublicNameOrAddress) {
  for (const char *url :
       {"https://api.example.com/v1", "https://api.example.com.", "http://API.Example:8443", "http://8.8.8.8",
        "https://[2606:4700::1111]/", "http://172.32.0.1", "http://100.128.0.1", "http://192.169.0.1",
        "http://[::ffff:8.8.8.8]", "https://mylocal.example", "https://notlocalhost.example",
        "https://localhost.example", "https://api.mylocal", "https://cdn.example/%E4.mp4?s=%00"})
    EXPECT_TRUE(is_public_address(url)) << url;
}

TEST(PublicAddress, IsNoneOfThisMachineOrThisNetwork) {
  for (const char *url : {"http://127.0.0.1:8080",
                          "http://127.9.9.9",
                          "http://[::1]:8080/x",
                          "http://0.0.0.0",
                          "http://0.1.2.3",
                          "http://[::]",
                          "http://10.0.0.7",
                          "http://172.16.0.1",
                          "http://172.31.255.255",
                          "http://192.168.1.1",
                          "http://169.254.169.254",
                          "http://100.64.0.1",
                          "http://224.0.0.1",
                          "http://255.255.255.255",
                          "http://[fe80::1]",
                          "http://[fe80::1%25eth0]",
                          "http://[fec0::1]",
                          "http://[fc00::1]",
                          "http://[fdab::1]",
                          "http://[::ffff:10.0.0.7]",
                          "http://[::ffff:127.0.0.1]",
                          "http://127.1",
                          "http://0x7f.1",
                          "http://2130706433",
                          "http://localhost:1234",
                          "http://LOCALHOST.",
                          "http://api.localhost",
                          "http://printer.local",
                          "http://vault.internal",
                          "http://router.home.arpa",
                          "http://build-server/path",
                          "{base_url}",
                          "https:///path",
                          "not a URL",
                          ""})
    EXPECT_FALSE(is_public_address(url)) << url;
}

}  // namespace
}  // namespace genclip::test
