// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Each act is a closure over its data.
#include "tests/faults/misdeed.h"

#include <algorithm>
#include <utility>

namespace genclip::test {
namespace {

std::string part_of(const std::string &text, int bytes) {
  const auto size = static_cast<int>(text.size());
  return text.substr(0, static_cast<size_t>(std::clamp(bytes < 0 ? size + bytes : bytes, 0, size)));
}

bool is_refusal(unsigned code) { return (code >= 400 && code < 500) || code == 503; }

}  // namespace

Act say(std::string bytes) {
  return [bytes = std::move(bytes)](ServedConnection &peer, const Occasion &) { return peer.send(bytes); };
}

Act say_and_close(std::string bytes) {
  return [bytes = std::move(bytes)](ServedConnection &peer, const Occasion &) {
    peer.send(bytes);
    return false;
  };
}

Act say_and_reset(std::string bytes) {
  return [bytes = std::move(bytes)](ServedConnection &peer, const Occasion &) {
    peer.send(bytes);
    peer.reset();
    return false;
  };
}

Act say_and_hang(std::string bytes) {
  return [bytes = std::move(bytes)](ServedConnection &peer, const Occasion &) {
    peer.send(bytes);
    peer.hang();
    return false;
  };
}

Act drip(std::string bytes, std::chrono::milliseconds pause) {
  return [bytes = std::move(bytes), pause](ServedConnection &peer, const Occasion &) {
    return peer.drip(bytes, pause);
  };
}

Act hang() { return say_and_hang(""); }
Act reset() { return say_and_reset(""); }
Act close() { return say_and_close(""); }

Act cut(int bytes) {
  return [bytes](ServedConnection &peer, const Occasion &occasion) {
    peer.send(part_of(occasion.proper, bytes));
    return false;
  };
}

Act cut_and_reset(int bytes) {
  return [bytes](ServedConnection &peer, const Occasion &occasion) {
    peer.send(part_of(occasion.proper, bytes));
    peer.reset();
    return false;
  };
}

Act cut_body(size_t bytes) {
  return [bytes](ServedConnection &peer, const Occasion &occasion) {
    peer.send(head_of(occasion.proper) + body_of(occasion.proper).substr(0, bytes));
    return false;
  };
}

Act edit(std::function<std::string(const Occasion &)> change) {
  return [change = std::move(change)](ServedConnection &peer, const Occasion &occasion) {
    return peer.send(change(occasion));
  };
}

Act body(std::string bytes, std::string headers) { return say(answer(200, bytes, headers)); }

Act with_header(std::string line) {
  return edit([line = std::move(line)](const Occasion &occasion) {
    std::string message = occasion.proper;
    return message.insert(message.find("\r\n") + 2, line + "\r\n");
  });
}

Misdeed at(Place place, Act act, unsigned times) { return {place, std::move(act), times, false}; }

Misdeed status(Place place, unsigned code, std::string text, std::string headers, unsigned times) {
  return {place, say(answer(code, text, headers)), times, is_refusal(code)};
}

Misdeed refusing(Misdeed misdeed) {
  misdeed.refuses = true;
  return misdeed;
}

std::string head_of(const std::string &message) { return message.substr(0, message.find("\r\n\r\n") + 4); }
std::string body_of(const std::string &message) { return message.substr(message.find("\r\n\r\n") + 4); }

}  // namespace genclip::test
