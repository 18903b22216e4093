// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The service of a fault case: correct except for its faults, until it is healed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plugin/base/mutex.h"
#include "tests/faults/misdeed.h"

namespace genclip::test {

constexpr char kSecretKey[] = "secret-key-4711";

// Thread-safe.
class FaultService {
 public:
  virtual ~FaultService() = default;

  virtual std::string base_url() const = 0;
  // The content of all its clips.
  virtual std::string clip() const = 0;
  // Submits that it accepted, or may have accepted from the client's point of view.
  virtual unsigned charges() const = 0;
  // Of any kind.
  virtual size_t requests() const = 0;
  // Requests for clips that carried a key.
  virtual unsigned media_with_key() const = 0;
  virtual void heal() = 0;
};

std::unique_ptr<FaultService> simulated_service(const std::vector<std::string> &faults);

// Two servers of plain sockets. With `certificate` clips come over https until it is healed: good, expired or
// other-host, of tests/http/certificates.
std::unique_ptr<FaultService> faulty_service(const std::vector<Misdeed> &misdeeds,
                                             const std::string &certificate = {});

// Of tests/http/certificates.
std::string certificate_path(const std::string &file);

}  // namespace genclip::test
