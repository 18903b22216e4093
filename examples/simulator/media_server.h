// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Serves the clips at signed addresses, with ranges and validators, and without a key.
#pragma once

#include "examples/simulator/exact_gate.h"
#include "examples/simulator/fault_stage.h"
#include "examples/simulator/signed_url.h"
#include "examples/simulator/task_book.h"

namespace genclip::sim {

// What an address is to be, beside the usual.
struct UrlWish {
  bool expired = false, at_api = false, exact = false;
  std::string target = {};    // Of an exact address; empty: a new one.
  std::string scheme = {};    // Empty: the right one.
  std::string userinfo = {};  // Empty: none is in it, and none is wanted.
  unsigned result = 0;        // The number of the task's result.
};

// On the servers' thread only. Borrows all it is given.
class MediaServer {
 public:
  MediaServer(const SimulatorOptions &options, Ledger &ledger, FaultStage &stage, ClipKitchen &kitchen);

  // The addresses at which handle() is called, without a slash at the end.
  void set_origins(const std::string &own, const std::string &api) {
    origin_ = own;
    api_origin_ = api;
  }
  // Begins to listen for exact addresses too.
  Result<void> listen_exactly(const std::string &host) { return gate_.listen(host); }
  // A new address for the task's clip.
  std::string url(const SimTask &task, const UrlWish &wish);
  // A new address for a picture that goes with it.
  std::string cover_url(const SimTask &task);
  void handle(SoupServerMessage *message);

 private:
  struct Entry {
    ClipOrder order;
    bool is_cover = false;
    std::string basic = {};  // The credentials it wants; empty: none.
    Clock::Time told;        // The time of its first address.
  };

  std::string sign(const std::string &path, bool expired);
  Entry &tell(const std::string &path, const SimTask &task);
  const Entry *entry_of(SoupServerMessage *message) const;
  bool is_key(const std::string &authorization, const Entry *entry) const;
  std::optional<RenderedClip> look(const Entry &entry);
  Reply serve(SoupServerMessage *message, std::span<const Fault> faults);
  std::optional<Reply> refuse(SoupServerMessage *message);
  Reply clip_reply(SoupServerMessage *message, const RenderedClip &clip, std::span<const Fault> faults) const;

  const SimulatorOptions &options_;
  Ledger &ledger_;
  FaultStage &stage_;
  ClipKitchen &kitchen_;
  UrlSigner signer_;
  ExactGate gate_;
  std::string origin_, api_origin_;
  std::map<std::string, Entry> clips_;  // by path
  unsigned sessions_ = 0;
};

}  // namespace genclip::sim
