// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Spawns visit, with the key where other processes do not see it.
#include "tests/faults/visitor.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>

#include "plugin/base/gref.h"
#include "tests/faults/fault_service.h"
#include "tests/support/file_content.h"

namespace genclip::test {

Visitor::Visitor(const std::vector<std::pair<const char *, std::string>> &properties, std::string file)
    : file_(std::move(file)) {
  std::vector<std::string> words = {g_getenv("GENCLIP_VISIT"), file_};
  for (const auto &[property, value] : properties) words.push_back(std::string(property) + "=" + value);
  std::vector<char *> arguments;
  for (std::string &word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  char **environment = g_get_environ();
  environment = g_environ_setenv(environment, "GENCLIP_API_KEY", kSecretKey, TRUE);
  // ThreadSanitizer sees GLib's locks only with the layer that this process has.
  environment = g_environ_setenv(environment, "TSAN_OPTIONS", "report_bugs=0", TRUE);
  GErrorPtr error;
  g_spawn_async(nullptr, arguments.data(), environment, G_SPAWN_DO_NOT_REAP_CHILD, nullptr, nullptr,
                &process_, take(error));
  g_strfreev(environment);
  EXPECT_FALSE(error) << error->message;
}

Visitor::~Visitor() {
  if (!ended_) kill();
}

void Visitor::signal(int number) { ::kill(process_, number); }

void Visitor::kill() {
  signal(SIGKILL);
  end();
}

int Visitor::end() {
  if (ended_) return *ended_;
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  ended_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  return *ended_;
}

std::string Visitor::bytes() const { return content(file_); }

}  // namespace genclip::test
