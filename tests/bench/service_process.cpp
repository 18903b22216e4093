// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A request is one line to the child, its answer one line back; closing the pipe ends the child.
#include "tests/bench/service_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/captioner/gateway_server.h"
#include "tests/simulator/web.h"

namespace genclip::bench {
namespace {

constexpr int kMostTries = 20;

[[noreturn]] void give_up(const char *what) {
  std::fprintf(stderr, "The simulated service: %s\n", what);
  std::exit(1);
}

// Empty at the end of the pipe.
std::string read_line(int descriptor) {
  std::string line;
  for (char byte = 0; ::read(descriptor, &byte, 1) == 1 && byte != '\n';) line += byte;
  return line;
}

void write_line(int descriptor, const std::string &text) {
  const std::string line = text + "\n";
  for (size_t done = 0; done < line.size();) {
    const ssize_t count = ::write(descriptor, line.data() + done, line.size() - done);
    if (count <= 0) return;
    done += static_cast<size_t>(count);
  }
}

Json figures(const sim::Simulator &simulator, sim::Gateway &gateway, size_t gateway_faults) {
  const sim::SimulatorStats stats = simulator.stats();
  unsigned most = 0;
  for (const auto &[request, count] : stats.submits_by_request) most = std::max(most, count);
  Json::Object faults;
  for (const auto &[fault, count] : stats.faults) faults.emplace_back(fault, count);
  return Json::Object{
      {"submits", stats.submits},
      {"distinct_requests", static_cast<int64_t>(stats.submits_by_request.size())},
      {"most_submits_of_one_request", most},
      {"queries", stats.queries},
      {"early_queries", stats.early_queries},
      {"intervals_ms", Json::Array(stats.query_intervals_ms.begin(), stats.query_intervals_ms.end())},
      {"downloads", stats.downloads},
      {"bytes_sent", static_cast<int64_t>(stats.bytes_sent)},
      {"media_with_authorization", stats.media_with_authorization},
      {"faults", std::move(faults)},
      {"gateway_calls", gateway.calls()},
      {"gateway_problems", static_cast<int64_t>(gateway.problems().size())},
      {"gateway_faults", static_cast<int64_t>(gateway_faults)},
  };
}

std::string finished_clip(const sim::Simulator &simulator) {
  std::string url;
  // Preparing a large clip takes longer than the timeout of one request.
  for (int tries = 0; url.empty() && tries < kMostTries; ++tries)
    url = sim::test::text(sim::test::finished_task(simulator, Json::Object{{"model", "dance-2.5"},
                                                                           {"prompt", "for another client"}}),
                          "video_url");
  return url;
}

[[noreturn]] void serve(const std::function<ServicePlan()> &make_plan, int questions, int answers) {
  const ServicePlan plan = make_plan();
  sim::Simulator simulator(plan.options);
  if (const auto started = simulator.start(); !started) give_up(started.error().text.c_str());
  test::GatewayServer gateway;
  size_t gateway_faults = 0;
  for (const sim::GatewayFault &fault : plan.gateway_faults) {
    gateway.gateway().add_fault(fault);
    gateway_faults += fault.kind != sim::GatewayFaultKind::none;
  }
  write_line(answers, simulator.base_url());
  write_line(answers, gateway.url());
  for (std::string question; !(question = read_line(questions)).empty();)
    write_line(answers, question == "stats" ? figures(simulator, gateway.gateway(), gateway_faults).to_text()
                                            : finished_clip(simulator));
  ::_exit(0);
}

}  // namespace

ServiceProcess::ServiceProcess(const std::function<ServicePlan()> &plan) {
  int questions[2], answers[2];
  if (::pipe2(questions, O_CLOEXEC) < 0 || ::pipe2(answers, O_CLOEXEC) < 0) give_up("no pipe");
  child_ = ::fork();
  if (child_ < 0) give_up("no process");
  if (child_ == 0) {
    ::close(questions[1]);
    ::close(answers[0]);
    serve(plan, questions[0], answers[1]);
  }
  ::close(questions[0]);
  ::close(answers[1]);
  to_child_ = questions[1];
  from_child_ = answers[0];
  base_url_ = read_line(from_child_);
  gateway_url_ = read_line(from_child_);
  if (gateway_url_.empty()) give_up("does not start");
}

ServiceProcess::~ServiceProcess() {
  ::close(to_child_);
  ::close(from_child_);
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

std::string ServiceProcess::ask(const std::string &what) {
  write_line(to_child_, what);
  std::string answer = read_line(from_child_);
  if (answer.empty()) give_up("does not answer");
  return answer;
}

Json ServiceProcess::stats() {
  auto stats = Json::parse(ask("stats"));
  if (!stats) give_up("answers no JSON");
  return *std::move(stats);
}

std::string ServiceProcess::clip_url() { return ask("clip"); }

}  // namespace genclip::bench
