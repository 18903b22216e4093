// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Clips over https: certificates, cuts, downgrades.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/faults/play.h"

namespace genclip::test {
namespace {

using enum Place;

std::vector<FaultCase> tls_cases() {
  const std::string issuer = certificate_path("issuer.pem");
  return {
      {.name = "MediaCertificateExpired",
       .ending = kept(kOpenRead, "has expired"),
       .media_certificate = "expired",
       .settings = {{"tls-ca-file", issuer}}},
      {.name = "MediaCertificateOfAnotherHost",
       .ending = kept(kOpenRead, "belongs to another host"),
       .media_certificate = "other-host",
       .settings = {{"tls-ca-file", issuer}}},
      {.name = "MediaIssuerUnknown",
       .ending = kept(kOpenRead, "unknown issuer"),
       .media_certificate = "good"},
      {.name = "MediaSecured",
       .ending = recovers(),
       .media_certificate = "good",
       .settings = {{"tls-ca-file", issuer}}},
      {.name = "MediaSecuredAndCut",
       .misdeeds = {at(media, cut(30'000), 1)},
       .ending = recovers(),
       .media_certificate = "good",
       .settings = {{"tls-ca-file", issuer}}},
      {.name = "MediaSecuredAndReset",
       .misdeeds = {at(media, cut_and_reset(30'000), 1)},
       .ending = recovers(),
       .media_certificate = "good",
       .settings = {{"tls-ca-file", issuer}}},
      {.name = "MediaRedirectsToPlainHttp",
       .misdeeds = {at(media, edit([](const Occasion &occasion) {
                         return answer(302, "", "Location: " + occasion.media + "/c.mp4?sig=s3cr3t\r\n");
                       }))},
       .ending = kept(kOpenRead, "https"),
       .media_certificate = "good",
       .settings = {{"tls-ca-file", issuer}}},
      {.name = "CaFileMissing",
       .ending = not_begun("tls-ca-file"),
       .settings = {{"tls-ca-file", "/nowhere.pem"}}},
      {.name = "CaFileOfNoCertificates",
       .ending = not_begun("tls-ca-file"),
       .settings = {{"tls-ca-file", certificate_path("make")}}},
      {.name = "CaFileIsAFolder", .ending = not_begun("tls-ca-file"), .settings = {{"tls-ca-file", "/"}}},
      {.name = "CaFileIsADevice",
       .ending = not_begun("tls-ca-file"),
       .settings = {{"tls-ca-file", "/dev/zero"}}},
      {.name = "CaFileIsRelative",
       .ending = recovers(),
       .media_certificate = "good",
       .settings = {{"tls-ca-file", std::filesystem::relative(issuer)}}},
  };
}

FAULT_TABLE(TlsFault, tls_cases);

}  // namespace
}  // namespace genclip::test
