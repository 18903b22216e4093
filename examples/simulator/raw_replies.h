// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Answers that no proper server would give, written to connections that were taken from the server.
#pragma once

#include <libsoup/soup.h>

#include <functional>
#include <memory>
#include <set>

#include "examples/simulator/reply.h"

namespace genclip::sim {

class RawReply;

// All of it on the thread of the server's main context, which is its thread-default one.
class RawReplies {
 public:
  using Sent = std::function<void(size_t bytes)>;

  RawReplies();
  // Ends all of them; runs the main context until they have ended.
  ~RawReplies();
  RawReplies(const RawReplies &) = delete;
  RawReplies &operator=(const RawReplies &) = delete;

  // Takes the message's connection. `sent` hears of the body's bytes.
  void send(SoupServerMessage *message, Reply reply, Sent sent);

 private:
  friend class RawReply;

  const GRef<GCancellable> stopped_;
  std::set<std::shared_ptr<RawReply>> open_;
};

}  // namespace genclip::sim
