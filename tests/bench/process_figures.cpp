// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lines of /proc/self/status, links of /proc/self/fd, and the table of TCP.
#include "tests/bench/process_figures.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace genclip::bench {
namespace {

// As links of descriptors spell them.
std::set<std::string> tcp_sockets() {
  std::set<std::string> sockets;
  for (const char *path : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ifstream table(path);
    std::string line;
    std::getline(table, line);
    while (std::getline(table, line)) {
      constexpr int kColumnsBeforeInode = 9;
      std::istringstream columns(line);
      std::string column;
      for (int i = 0; i <= kColumnsBeforeInode; ++i) columns >> column;
      sockets.insert("socket:[" + column + "]");
    }
  }
  return sockets;
}

}  // namespace

ProcessFigures process_figures() {
  ProcessFigures figures;
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    if (name == "Threads:") status >> figures.threads;
    if (name == "RssAnon:") status >> figures.memory_kib;
  }
  const std::set<std::string> tcp = tcp_sockets();
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed_meanwhile;
    const std::string target = std::filesystem::read_symlink(entry.path(), closed_meanwhile).string();
    if (closed_meanwhile) continue;
    ++figures.descriptors;
    if (tcp.contains(target)) ++figures.connections;
  }
  return figures;
}

}  // namespace genclip::bench
