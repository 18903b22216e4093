// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Serves a channel that does not exist, for browsers and other clients: prints its URL and its token, then
// each call of its control, until its standard input ends. The word "hostile" gives it hostile texts, "plain"
// a usual day.
#include <cstdio>
#include <string>
#include <string_view>

#include "plugin/monitor/control_server.h"
#include "plugin/monitor/control_token.h"
#include "tests/monitor/status_examples.h"

namespace genclip::test {
namespace {

class PrintingControl final : public ChannelControl {
 public:
  Result<void> skip() override { return print("skip"); }
  Result<void> reload() override { return print("reload"); }
  Result<void> insert(const Json &item, const std::string &after) override {
    return print("insert " + item.to_text() + " after " + after);
  }
  Result<void> hold(bool on) override {
    held_ = on;
    return print(on ? "hold" : "end hold");
  }
  bool held() const { return held_; }

 private:
  static Result<void> print(const std::string &call) {
    std::printf("%s\n", call.c_str());
    std::fflush(stdout);
    return {};
  }

  bool held_ = false;  // Used on the server's thread only.
};

ChannelStatus busy_status() {
  ChannelStatus status = example_status();
  status.alarms = {{"output", "srt://:9000", "The output srt://:9000 does not run. Connection refused.",
                    kNow - std::chrono::minutes(3)}};
  status.ahead[1].duration = std::chrono::seconds(6);
  status.ahead[2].title = "Lighthouse";
  status.ahead[3].duration = std::chrono::seconds(12);
  return status;
}

int serve(bool hostile) {
  PrintingControl control;
  const std::string token = new_control_token();
  const auto status = [&control, hostile] {
    ChannelStatus shown = hostile ? hostile_status() : busy_status();
    shown.hold = control.held();
    return shown;
  };
  const auto server = ControlServer::start({.token = token}, status, control);
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().text.c_str());
    return 1;
  }
  std::printf("%s\n%s\n", server->url().c_str(), token.c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}

}  // namespace
}  // namespace genclip::test

int main(int argc, char **argv) {
  return genclip::test::serve(argc > 1 && std::string_view(argv[1]) == "hostile");
}
