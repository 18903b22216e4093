// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Writes answers that no proper server would give, to connections that it takes from the server.
#pragma once

#include <libsoup/soup.h>

#include <functional>
#include <memory>
#include <set>

#include "examples/simulator/reply.h"

namespace genclip::sim {

class RawReply;

// Used only on the thread of the server's main context, which is its thread-default one.
class RawReplies {
 public:
  using Sent = std::function<void(size_t bytes)>;

  RawReplies();
  // Ends all connections, and runs the main context until they have ended.
  ~RawReplies();
  RawReplies(const RawReplies &) = delete;
  RawReplies &operator=(const RawReplies &) = delete;

  // Takes over the message's connection. Reports the bytes of the body that were sent to `sent`.
  void send(SoupServerMessage *message, Reply reply, Sent sent);
  void send(GRef<GSocket> socket, GRef<GIOStream> stream, Reply reply, Sent sent);

 private:
  friend class RawReply;

  const GRef<GCancellable> stopped_;
  std::set<std::shared_ptr<RawReply>> open_;
};

}  // namespace genclip::sim
