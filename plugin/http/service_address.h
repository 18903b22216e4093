// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The address of a service, as it was set or as a variable gives it, and whether it is valid.
#pragma once

#include <string>

namespace genclip {

// Where an address is given.
struct AddressSetting {
  const char *property;  // base-url
  const char *variable;  // GENCLIP_BASE_URL
  const char *purpose;   // A further sentence for whoever has set neither; may be empty.
};

// `value`, else the variable's; in one spelling (normal_base_url). Empty when neither is set.
std::string service_address(const std::string &value, const AddressSetting &setting);
// As digests had it before 2026-11-28 (older_base_url).
std::string older_service_address(const std::string &value, const AddressSetting &setting);

// What is wrong with it, in one sentence; empty when it is valid.
std::string address_problem(const std::string &address, const AddressSetting &setting);

}  // namespace genclip
