// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Media for a day in which clips fail in all ways, and a rundown of them that changes.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "plugin/channel/vetter.h"
#include "tests/support/http_server.h"

namespace genclip::test {

// All its media are the same ten seconds, with the number 9. Their names say what goes wrong on the air.
class FailingServer {
 public:
  // `late`: how long what comes late is late.
  FailingServer(const std::string &file, std::chrono::milliseconds late);
  // Of a new one.
  std::string url(std::mt19937 &random);
  bool serves(const std::string &uri) const { return uri.starts_with(server_.url("/")); }

 private:
  const std::string bytes_;
  const std::chrono::milliseconds late_;
  unsigned count_ = 0;
  HttpServer server_;
};

// Vets all but the media of that server, which pass: they fail on the air.
class TrustingVetter : public Vetter {
 public:
  TrustingVetter(std::shared_ptr<Vetter> vetter, const FailingServer &server)
      : vetter_(std::move(vetter)), server_(server) {}
  Result<VettedMedia> vet(const VettingRequest &request, GCancellable *cancellable) override;

 private:
  const std::shared_ptr<Vetter> vetter_;
  const FailingServer &server_;
};

// A rundown in a file, whose items come and go.
class DayRundown {
 public:
  // `files`: of the items that always stay, and of the fallback, which is the first.
  DayRundown(std::string path, std::vector<std::string> files, FailingServer &server, std::mt19937 &random);

  void renew();
  void spoil();
  void write();
  // In the rundown's JSON.
  std::string new_item();

 private:
  const std::string path_;
  const std::vector<std::string> files_;
  FailingServer &server_;
  std::mt19937 &random_;
  unsigned number_ = 100;
  std::vector<std::string> items_;
};

// The number in the marks of what a source shows; 0: none.
unsigned number_of(const std::string &source);

}  // namespace genclip::test
