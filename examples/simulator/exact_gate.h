// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Redirects from addresses that hold only as they are written. A host that signs the bytes of a request's
// target refuses one that a client has normalised (%7E as ~, %2f as %2F); libsoup's server normalises each
// target before anybody can see it, so that this reads the connection itself.
#pragma once

#include <map>
#include <string>

#include "examples/simulator/raw_replies.h"
#include "plugin/base/result.h"

namespace genclip::sim {

// Used only on the thread of the server's main context, which is its thread-default one.
class ExactGate {
 public:
  ExactGate();
  // Ends all connections, and runs the main context until they have ended.
  ~ExactGate();
  ExactGate(const ExactGate &) = delete;
  ExactGate &operator=(const ExactGate &) = delete;

  // On any free port, without TLS.
  Result<void> listen(const std::string &host);
  // An address with escapes. It redirects to another one, and that one to `url`. `target` is what it has
  // behind the authority; empty: a new one.
  std::string url_to(const std::string &url, const std::string &target);

 private:
  class Visit;
  // Escapes that a client may undo or spell otherwise, and letters that it may escape.
  static constexpr const char *kTarget = "/v/a%40b%2Fd%7Ee~f%2fg(1)!.mp4?host%3Bx&s=a%2Bb+c%20d%7b*'&n=";

  std::string new_target() { return kTarget + std::to_string(++targets_); }
  Reply answer(const std::string &request_line) const;

  const GRef<GSocketService> service_;
  const GRef<GCancellable> stopped_;
  std::string origin_;
  unsigned targets_ = 0;
  std::map<std::string, std::string> locations_;  // By target.
  unsigned visits_ = 0;                           // Those that are being read.
  RawReplies raw_replies_;
};

}  // namespace genclip::sim
