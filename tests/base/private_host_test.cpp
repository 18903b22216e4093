// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which hosts are surely those of one machine or one network.
#include "plugin/base/private_host.h"

#include <gtest/gtest.h>

namespace genclip::test {
namespace {

TEST(PrivateHost, IsAnAddressOfThisMachineOrNetwork) {
  for (const char *host : {"127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::", "10.0.0.7", "172.16.0.1",
                           "192.168.1.5", "169.254.169.254", "100.64.0.1", "fe80::1", "fdab::1",
                           "::ffff:10.0.0.7", "localhost", "LOCALHOST", "localhost.", "media.localhost"})
    EXPECT_TRUE(is_private_host(host)) << host;
}

TEST(PrivateHost, IsNoPublicAddressAndNoNameThatMayBeKnownElsewhere) {
  for (const char *host :
       {"8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "media.example", "media",
        "printer.local", "notlocalhost", "localhost.example", "127.0.0.1.example", ""})
    EXPECT_FALSE(is_private_host(host)) << host;
}

}  // namespace
}  // namespace genclip::test
