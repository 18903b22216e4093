// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/output_spec.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

OutputSpec parsed(OutputKind kind, const std::string &target) {
  auto spec = parse_output(kind, target);
  EXPECT_TRUE(spec) << target << ": " << (spec ? "" : spec.error().text);
  return spec ? *spec : OutputSpec{};
}

std::string refusal(OutputKind kind, const std::string &target) {
  const auto spec = parse_output(kind, target);
  EXPECT_FALSE(spec) << target;
  return spec ? "" : spec.error().text;
}

TEST(OutputSpec, ReadsHostAndPortOfUdp) {
  const auto spec = parsed(OutputKind::udp, "239.1.1.1:5000");
  EXPECT_EQ(spec.host, "239.1.1.1");
  EXPECT_EQ(spec.port, 5000);
  EXPECT_EQ(parsed(OutputKind::udp, "[ff15::1]:65535").host, "ff15::1");
}

TEST(OutputSpec, RefusesUdpWithoutAUsablePlace) {
  for (const char *target :
       {"", "host", "host:", ":5000", "host:0", "host:65536", "host:5000x", "udp://host:5000", "::1:5000"})
    EXPECT_NE(refusal(OutputKind::udp, target).find("--udp needs"), std::string::npos) << target;
}

TEST(OutputSpec, TakesFoldersWithoutTheirLastSlash) {
  EXPECT_EQ(parsed(OutputKind::hls, "www//").target, "www");
  EXPECT_EQ(parsed(OutputKind::record, "/").target, "/");
  EXPECT_EQ(refusal(OutputKind::record, ""), "--record needs a folder.");
  EXPECT_EQ(refusal(OutputKind::hls, "http://host/"), "--hls takes a folder of this machine, not a URI.");
}

TEST(OutputSpec, TakesSrtCallersAndListeners) {
  for (const char *target :
       {"srt://:9000?mode=listener", "srt://host:9000", "srt://[::1]:9000?mode=rendezvous",
        "srt://host:9000?passphrase=0123456789&pbkeylen=32"})
    EXPECT_EQ(parsed(OutputKind::srt, target).target, target);
}

TEST(OutputSpec, RefusesSrtThatCannotConnect) {
  EXPECT_NE(refusal(OutputKind::srt, "srt://host").find("srt://HOST:PORT"), std::string::npos);
  EXPECT_NE(refusal(OutputKind::srt, "udp://host:1").find("srt://HOST:PORT"), std::string::npos);
  EXPECT_NE(refusal(OutputKind::srt, "srt://:9000").find("?mode=listener"), std::string::npos);
  EXPECT_NE(refusal(OutputKind::srt, "srt://host:9000?mode=push").find("push"), std::string::npos);
}

TEST(OutputSpec, TellsNoPassphraseThatItRefuses) {
  const auto text = refusal(OutputKind::srt, "srt://host:9000?passphrase=secret");
  EXPECT_EQ(text, "--srt needs a passphrase of 10 to 79 characters.");
}

TEST(OutputSpec, RefusesRtmpWithoutAKeyAndTellsNoPartOfOne) {
  EXPECT_EQ(refusal(OutputKind::rtmp, "rtmp://user:secret@host/live"),
            "--rtmp needs an application and a stream key after the host: rtmp://host/APP/KEY.");
  for (const char *target : {"http://host/live/key", "rtmp:///live/key", "rtmp://host:99999/live/key", "key"})
    EXPECT_EQ(refusal(OutputKind::rtmp, target), "--rtmp needs rtmp://HOST/APP/KEY or rtmps://HOST/APP/KEY.");
}

TEST(OutputSpec, RefusesLineBreaks) { EXPECT_EQ(refusal(OutputKind::hls, "a\nb"), "--hls takes one line."); }

TEST(OutputSpec, RefusesTwoOutputsToOnePlace) {
  const auto refused = [](std::vector<OutputSpec> specs) { return !check_outputs(specs); };
  EXPECT_TRUE(refused({parsed(OutputKind::hls, "www"), parsed(OutputKind::record, "./www")}));
  EXPECT_TRUE(refused({parsed(OutputKind::udp, "host:1"), parsed(OutputKind::udp, "host:1")}));
  EXPECT_FALSE(refused({parsed(OutputKind::udp, "host:1"), parsed(OutputKind::udp, "host:2")}));
  EXPECT_FALSE(refused({parsed(OutputKind::hls, "www"), parsed(OutputKind::record, "archive")}));
}

TEST(OutputSpec, ShowsNoSecret) {
  const auto shown = [](OutputKind kind, const char *target) { return shown_name(parsed(kind, target)); };
  EXPECT_EQ(shown(OutputKind::rtmp, "rtmp://me:pw@live.example:1935/app/KEY/more?auth=T"),
            "rtmp://live.example:1935/app/…");
  EXPECT_EQ(shown(OutputKind::rtmp, "rtmp://live.example/live?vhost=x&token=SECRET/stream"),
            "rtmp://live.example/live/…");
  EXPECT_EQ(shown(OutputKind::srt, "srt://me@host:9000?passphrase=0123456789&streamid=S"), "srt://host:9000");
  EXPECT_EQ(shown(OutputKind::srt, "srt://:9000?mode=listener"), "srt://:9000");
  EXPECT_EQ(shown(OutputKind::udp, "[::1]:5000"), "udp://[::1]:5000");
  EXPECT_EQ(shown(OutputKind::hls, "www"), "www");
  EXPECT_EQ(shown(OutputKind::window, ""), "window");
}

TEST(OutputSpec, HasANameOfItsOwn) {
  std::vector<OutputSpec> specs{
      parsed(OutputKind::rtmp, "rtmp://host/live/KEY1"), parsed(OutputKind::hls, "www"),
      parsed(OutputKind::rtmp, "rtmp://host/live/KEY2"), parsed(OutputKind::rtmp, "rtmp://host/live/KEY3")};
  number_copies(specs);
  std::vector<std::string> names;
  for (const OutputSpec &spec : specs) names.push_back(shown_name(spec));
  EXPECT_EQ(names, (std::vector<std::string>{"rtmp://host/live/…", "www", "rtmp://host/live/… (2)",
                                             "rtmp://host/live/… (3)"}));
}

TEST(OutputSpec, SplitsARtmpUrlWhereItsQueryCannotSplitIt) {
  const auto parts = [](const char *target) {
    const auto [application, stream] = rtmp_target(target);
    return application + " " + stream;
  };
  EXPECT_EQ(parts("rtmp://host/live/KEY"), "live KEY");
  EXPECT_EQ(parts("rtmp://host:1935/live/inst/KEY?a=b"), "live/inst KEY?a=b");
  EXPECT_EQ(parts("rtmp://host/live/KEY?u=a/b/c"), "live KEY?u=a/b/c");
  EXPECT_EQ(parts("rtmp://host/live?vhost=x&token=T/KEY"), "live?vhost=x&token=T KEY");
  EXPECT_EQ(parts("rtmp://host/live?vhost=x"), "live?vhost=x ");
  for (const char *target : {"rtmp://host/live/", "rtmp://host/live?vhost=x/", "rtmp://host/?vhost=x/KEY"})
    EXPECT_NE(refusal(OutputKind::rtmp, target).find("needs an application and a stream key"),
              std::string::npos)
        << target;
}

TEST(OutputSpec, TellsNoKeyOfAUrlBehindAnotherOption) {
  for (const char *target : {"rtmp://host/live/KEY", "rtmp://host/live/KEY:99", "host/KEY:99"})
    EXPECT_EQ(refusal(OutputKind::udp, target).find("KEY"), std::string::npos) << target;
}

TEST(OutputSpec, TakesEachSecretOutOfAText) {
  const auto rtmp = parsed(OutputKind::rtmp, "rtmp://me:p%20w@host/app/KEY?auth=TOKEN");
  EXPECT_EQ(without_secrets(rtmp, "rtmp://me:p%20w@host/app/KEY?auth=TOKEN, p w, KEY and TOKEN"),
            "rtmp://…@host/app/…, …, … and …");
  const auto vhost = parsed(OutputKind::rtmp, "rtmp://host/live?vhost=V1&token=TOKEN/KEY");
  EXPECT_EQ(without_secrets(
                vhost, "rtmp://host/live?vhost=V1&token=TOKEN/KEY: live?vhost=V1&token=TOKEN, TOKEN, KEY"),
            "rtmp://host/live…: live…, …, …");
  const auto slash = parsed(OutputKind::rtmp, "rtmp://host/live/KEY?token=TO/KEN");
  EXPECT_EQ(without_secrets(slash, "KEY?token=TO/KEN of live, KEY, TO/KEN"), "… of live, …, …");
  const auto srt =
      parsed(OutputKind::srt, "srt://host:9000?passphrase=01234%2056789&streamid=SID&mode=caller");
  EXPECT_EQ(without_secrets(srt, "01234 56789 or 01234%2056789 of SID, a caller"), "… or … of …, a caller");
}

}  // namespace
}  // namespace genclip
