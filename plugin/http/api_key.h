// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Finds the API key (§5), finds its successor once it has expired, and warns when it would be sent
// unencrypted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/result.h"

namespace genclip {

// The key, and the file that holds it. A program that genclip starts gets neither.
inline constexpr const char *kApiKeyVariable = "GENCLIP_API_KEY";
inline constexpr const char *kApiKeyFileVariable = "GENCLIP_API_KEY_FILE";
inline constexpr const char *kApiKeyVariables[] = {kApiKeyVariable, kApiKeyFileVariable};

struct ApiKey {
  std::string value;
  std::string file = {};  // It was read there (an absolute path); empty: it came from elsewhere.
  // One sentence if other users can read or change that file; otherwise empty.
  std::string warning = {};

  bool operator==(const ApiKey &) const = default;
};

// The first of these that is set: the property, the file, $GENCLIP_API_KEY, the file that
// $GENCLIP_API_KEY_FILE names. Follows links. Refuses anything but a regular file, unless it is a pipe and
// let_keys_come_from_pipes() allows it. The error (ErrorKind::settings) says what to set and never holds the
// key.
Result<ApiKey> find_api_key(const std::string &key, const std::string &file);

// The same without reading a file: the property, or the variable if no file is named. Empty: there is none.
std::string key_at_hand(const std::string &key, const std::string &file);

// Whether a text shows the key, escaped or not. A key that may be a word ("rehearsal") has to look like a
// key.
bool shows_key(std::string_view text, std::string_view key);

// Whether the file of a key may be a pipe, which is read once, for 5 s at most. For programs whose threads
// may wait that long; an element is called on an application's.
void let_keys_come_from_pipes(bool may);

// Reads the file of a key that the service has refused with 401 once more, because a key of some minutes is
// renewed there. True: the file holds another usable key, which `key` is from now on; the call is to be
// repeated. Otherwise `refusal`, whatever it is, stands, with the reason in its debug text where there is a
// file, and in its text if that cannot be read. Blocks on the disk.
bool renew(ApiKey &key, Error &refusal);

// Whether find_api_key() has anywhere to look.
bool names_api_key(const std::string &key, const std::string &file);

// One sentence if the key would go over plain http to another machine, and one if others can read its file.
// `setting` names the setting that holds the address.
std::vector<std::string> warnings_of(const ApiKey &key, const std::string &base_url,
                                     const std::string &setting);

}  // namespace genclip
