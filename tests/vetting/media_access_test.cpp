// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Media at URLs are fetched by the proxy, with the trust and under the name that the settings say.
#include <gtest/gtest.h>

#include "tests/support/http_server.h"
#include "tests/support/marks.h"
#include "tests/support/temporary_folder.h"
#include "tests/vetting/vetted.h"

namespace genclip::test {
namespace {

std::string certificate(const std::string &file) {
  return bytes_of(std::string(GENCLIP_CERTIFICATES) + "/" + file);
}

std::string clip() {
  const TemporaryFolder folder;
  make_marked_media(folder.file("clip.mkv"),
                    {.frames = 25, .size = "width=160,height=90", .muxer = "matroskamux"});
  return answer(200, bytes_of(folder.file("clip.mkv")), "Accept-Ranges: none\r\n");
}

std::string vetted_by(const MediaAccess &access, const std::string &url) {
  return reason(make_vetter(access)->vet({.uri = url, .patience = kMuchPatience}, nullptr));
}

TEST(MediaAccess, IsByTheProxyWithItsCredentialsUnderTheNameOfTheSettings) {
  HttpServer proxy([bytes = clip()](ServedConnection &connection) {
    for (;;) {
      const std::string request = connection.read_request();
      if (request.empty()) return;
      const bool is_known = request.find("Proxy-Authorization: Basic dXNlcjp3b3Jk\r\n") != request.npos;
      connection.send(is_known ? bytes : answer(407, "", "Proxy-Authenticate: Basic realm=\"out\"\r\n"));
    }
  });
  const std::string port = std::to_string(proxy.port());
  EXPECT_EQ(vetted_by({{.proxy = "http://user:word@127.0.0.1:" + port, .tls_ca_file = ""}, "Channel/7"},
                      "http://media.example/news.mkv"),
            "fit");
  EXPECT_EQ(vetted_by({{.proxy = "user:word@127.0.0.1:" + port, .tls_ca_file = ""}, ""},
                      "http://media.example/news.mkv"),
            "fit");
  const auto requests = proxy.requests();
  ASSERT_FALSE(requests.empty());
  EXPECT_TRUE(requests.front().starts_with("GET http://media.example/news.mkv HTTP/1.1\r\n"))
      << requests.front();
  EXPECT_NE(requests.front().find("User-Agent: Channel/7\r\n"), std::string::npos) << requests.front();
  EXPECT_NE(requests.back().find("User-Agent: genclip/"), std::string::npos) << requests.back();
}

// GStreamer's source would tell the proxy no password, and the server would seem to be at fault.
TEST(MediaAccess, IsRefusedWhereTheProxyCannotBeLoggedInTo) {
  const std::string port = std::to_string(refused_port());
  const std::string of_https =
      vetted_by({{.proxy = "http://user:word@127.0.0.1:" + port, .tls_ca_file = ""}, ""},
                "https://media.example/a.mkv");
  EXPECT_TRUE(of_https.starts_with("GStreamer's HTTP source cannot log in to a proxy")) << of_https;
  const std::string of_socks = vetted_by(
      {{.proxy = "socks5://user@127.0.0.1:" + port, .tls_ca_file = ""}, ""}, "http://media.example/a.mkv");
  EXPECT_TRUE(of_socks.starts_with("GStreamer's HTTP source cannot log in to a SOCKS")) << of_socks;
}

TEST(MediaAccess, TrustsTheFileOfTheSettings) {
  const HttpServer server(always(clip()),
                          {.certificate = certificate("good.pem"), .private_key = certificate("good.key")});
  const std::string issuer = std::string(GENCLIP_CERTIFICATES) + "/issuer.pem";
  EXPECT_EQ(vetted_by({{.proxy = "", .tls_ca_file = issuer}, ""}, server.url("/clip.mkv")), "fit");
  EXPECT_NE(vetted_by({}, server.url("/clip.mkv")), "fit");
  const HttpServer other(always(clip()), {.certificate = certificate("other-host.pem"),
                                          .private_key = certificate("other-host.key")});
  EXPECT_NE(vetted_by({{.proxy = "", .tls_ca_file = issuer}, ""}, other.url("/clip.mkv")), "fit");
  EXPECT_TRUE(other.requests().empty());
}

TEST(MediaAccess, GoesAroundNothingThatCannotBeUsed) {
  const HttpServer server(always(clip()));
  const std::string no_proxy =
      vetted_by({{.proxy = "carrier-pigeon://coop", .tls_ca_file = ""}, ""}, "http://media.example/clip.mkv");
  EXPECT_TRUE(no_proxy.starts_with("The property proxy names an unknown kind of proxy")) << no_proxy;
  const std::string no_file =
      vetted_by({{.proxy = "", .tls_ca_file = "/nonexistent.pem"}, ""}, server.url("/clip.mkv"));
  EXPECT_TRUE(no_file.starts_with("The file in tls-ca-file cannot be used")) << no_file;
  EXPECT_EQ(server.connections(), 0U);
  // The source does not ask before the pipeline has ended, either.
  const auto pipeline = GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr))));
  GstElement *source = gst_element_factory_make("souphttpsrc", nullptr);
  gst_bin_add(GST_BIN(pipeline.get()), source);
  const std::string url = server.url("/clip.mkv");
  g_object_set(source, "location", url.c_str(), nullptr);
  EXPECT_FALSE(set_up_media_source(source, {{.proxy = "", .tls_ca_file = "/nonexistent.pem"}, ""}));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
  GstMessage *error = gst_bus_timed_pop_filtered(bus.get(), GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR);
  gst_message_unref(error);
  EXPECT_TRUE(server.requests().empty());
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

TEST(MediaAccess, OfThisMachineIsWithoutTheProxy) {
  const HttpServer server(always(clip()));
  const std::string nobody = "http://127.0.0.1:" + std::to_string(refused_port());
  EXPECT_EQ(vetted_by({{.proxy = nobody, .tls_ca_file = ""}, ""}, server.url("/clip.mkv")), "fit");
  EXPECT_EQ(vetted_by({{.proxy = nobody, .tls_ca_file = ""}, ""}, "http://media.example/clip.mkv"),
            "Its server cannot be reached.");
}

}  // namespace
}  // namespace genclip::test
