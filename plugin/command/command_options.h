// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A command's options and help, over GOption.
#pragma once

#include <glib.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plugin/command/command.h"

namespace genclip {

struct CommandText {
  const char *name;         // "check", "store list"
  const char *arguments;    // "MODEL [FIELD=VALUE…]"
  const char *summary;      // What it does, in full sentences.
  const char *description;  // What follows the options in the help.
};

// One use. Texts are borrowed, targets keep what they have when their option is not given.
class CommandOptions {
 public:
  explicit CommandOptions(const CommandText &text) : text_(text) {}

  // `letter` 0: none.
  void add(const char *name, char letter, const char *help, bool &target);
  void add(const char *name, char letter, const char *value_name, const char *help, std::string &target);
  // An integer from `least` on.
  void add(const char *name, const char *value_name, const char *help, unsigned &target, unsigned least);
  // A size in bytes that something is limited to, 0 for no limit. A small one needs a unit: who forgets it
  // means another.
  void add(const char *name, const char *value_name, const char *help, uint64_t &target);

  // The words that are no options. Nothing when the command is over: help was asked for, or an option is
  // wrong; then exit_code() is its outcome.
  std::optional<Words> parse(const Words &words);
  int exit_code() const { return exit_code_; }
  // Says what is wrong and where help is. For commands to `return options.refuse(…)`.
  int refuse(const std::string &what) const;

 private:
  struct Option {
    const char *name;
    std::variant<bool *, std::string *, unsigned *, uint64_t *> target;
    unsigned least = 0;
    gboolean is_set = FALSE;  // What GOption writes into.
    char *text = nullptr;
  };

  void add_entry(const char *name, char letter, const char *value_name, const char *help, Option option);
  // Into the target; says what is wrong with the value.
  static std::string store(const Option &option);

  const CommandText text_;
  std::deque<Option> options_;  // GOption has their addresses.
  std::vector<GOptionEntry> entries_;
  int exit_code_ = kOk;
};

}  // namespace genclip
