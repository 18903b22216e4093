// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a service can do instead of a correct answer, byte for byte.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "tests/support/http_server.h"

namespace genclip::test {

// The affected call; or the connections of the APIs and of the clips, before a request is read.
enum class Place { submit, query, media, api_connection, media_connection };

struct Occasion {
  std::string request;  // Empty on a connection.
  std::string proper;   // The answer that would have been right; empty on a connection.
  std::string media;    // Address of the clips' server, without a slash at the end.
};

// True: the connection continues.
using Act = std::function<bool(ServedConnection &, const Occasion &)>;

struct Misdeed {
  Place place = Place::submit;
  Act act = {};
  unsigned times = 0;  // 0: until the service is healed.
  // A submit that ends in this way was certainly not accepted.
  bool refuses = false;
};

// ---- Acts.
Act say(std::string bytes);
Act say_and_close(std::string bytes);
Act say_and_reset(std::string bytes);
Act say_and_hang(std::string bytes);
Act drip(std::string bytes, std::chrono::milliseconds pause);
Act hang();
Act reset();
Act close();
// Of the proper answer: its first bytes only (negative: all but the last ones), then closed, or reset.
Act cut(int bytes);
Act cut_and_reset(int bytes);
// Only so much of its body.
Act cut_body(size_t bytes);
// The proper answer, changed.
Act edit(std::function<std::string(const Occasion &)> change);
// Another body for the proper head. `headers` are lines with their CR LF.
Act body(std::string bytes, std::string headers = {});
Act with_header(std::string line);

// ---- Misdeeds.
Misdeed at(Place place, Act act, unsigned times = 0);
// A proper answer with that status; a submit is refused by 4xx, 503 and the permanent redirects.
Misdeed status(Place place, unsigned code, std::string body = "{}", std::string headers = {},
               unsigned times = 0);
Misdeed refusing(Misdeed misdeed);

std::string body_of(const std::string &message);
std::string head_of(const std::string &message);

}  // namespace genclip::test
