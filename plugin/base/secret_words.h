// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The words that name a secret: one list for what is masked in texts, and for what a request must not hold.
#pragma once

#include <string_view>

namespace genclip {

// How a field is named that is refused because of the word. Masking asks less: a name that ends so.
enum class SecretName {
  never,  // Fields may be named so.
  alone,  // By this word alone, or behind an owner: music has a key, and models count tokens.
  last,   // With this word at its end: user_password, headers.Authorization.
};

struct SecretWord {
  std::string_view word;  // In small letters.
  SecretName refused;
};

inline constexpr SecretWord kSecretWords[] = {
    {"sig", SecretName::never},          {"signature", SecretName::never},    {"token", SecretName::alone},
    {"key", SecretName::alone},          {"secret", SecretName::last},        {"password", SecretName::last},
    {"credential", SecretName::last},    {"credentials", SecretName::last},   {"pass", SecretName::alone},
    {"passwd", SecretName::last},        {"pwd", SecretName::last},           {"pw", SecretName::alone},
    {"passphrase", SecretName::last},    {"passcode", SecretName::last},      {"auth", SecretName::last},
    {"authorization", SecretName::last}, {"authorisation", SecretName::last}, {"jwt", SecretName::last},
    {"cookie", SecretName::never},
};

// Words before "key", "token" or "secret" that make it one of an account. Behind other words it is something
// else (color_key, trigger_token). The first list also counts within one word ("accesskey").
inline constexpr std::string_view kPlainOwners[] = {"access", "api",     "auth",  "bearer",
                                                    "client", "private", "secret"};
inline constexpr std::string_view kOtherOwners[] = {
    "account", "admin",  "app",      "application", "aws",     "encryption",   "genclip",
    "hf",      "id",     "jwt",      "llm",         "license", "licence",      "my",
    "oauth",   "openai", "provider", "refresh",     "sas",     "security",     "service",
    "session", "sig",    "signing",  "sk",          "ssh",     "subscription", "user"};

}  // namespace genclip
