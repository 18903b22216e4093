// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A command's options and help, over GOption.
#pragma once

#include <glib.h>

#include <climits>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "plugin/base/utc_time.h"
#include "plugin/base/words.h"
#include "plugin/command/command.h"

namespace genclip {

// The width of a help text: 80 columns are pleasant to read, and fit where nobody knows the width.
inline constexpr size_t kHelpColumns = 80;
size_t help_columns();

struct CommandText {
  const char *name;         // "check", "store list"
  const char *arguments;    // "MODEL [FIELD=VALUE…]"
  const char *summary;      // What it does, in full sentences.
  const char *description;  // What follows the options in the help.
};

// What a shell needs to know of an option to complete it.
struct KnownOption {
  std::string name;        // "--store"
  std::string letter;      // "-s"; empty: none
  std::string value_name;  // "FOLDER"; empty: it takes no value
  std::string help;
  Words words;  // Values that it accepts; empty if it has no such list.
};
// Those of a command, in the order of its help.
std::vector<KnownOption> options_of(const Command &command);

// One use. Borrows the texts. A target keeps its value when its option is not given.
class CommandOptions {
 public:
  explicit CommandOptions(const CommandText &text) : text_(text) {}

  // `letter` 0: none.
  void add(const char *name, char letter, const char *help, bool &target);
  // `words`: what a shell completes it to.
  void add(const char *name, char letter, const char *value_name, const char *help, std::string &target,
           Words words = {});
  // An option that can be given several times.
  void add(const char *name, char letter, const char *value_name, const char *help,
           std::vector<std::string> &target);
  void add(const char *name, const char *value_name, const char *help, std::vector<std::string> &target) {
    add(name, 0, value_name, help, target);
  }
  // An integer from `least` to `most`.
  void add(const char *name, const char *value_name, const char *help, unsigned &target, unsigned least,
           unsigned most = UINT_MAX);
  // A number.
  void add(const char *name, const char *value_name, const char *help, std::optional<double> &target);
  // A date such as 2026-11-22: a day in UTC.
  void add(const char *name, const char *help, std::optional<UtcDay> &target);
  // A limit in bytes, 0 for no limit. A small number needs a unit, because without one it probably is a
  // mistake.
  void add(const char *name, const char *value_name, const char *help, uint64_t &target);
  // A number of credits, 0 or more.
  void add(const char *name, const char *value_name, const char *help, double &target);
  // One of the words of an enum.
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void add(const char *name, const char *value_name, const char *help, Enum &target) {
    const auto take = [&target](const char *text) {
      const auto value = from_word<Enum>(text);
      if (value) target = *value;
      return value.has_value();
    };
    add_entry(name, 0, value_name, help, {name, WordTarget{words_of<Enum>(), take}});
  }

  // Returns the words that are no options. Nothing when the command is over, because help was asked for or an
  // option is wrong; then exit_code() is its exit code.
  std::optional<Words> parse(const Words &words);
  int exit_code() const { return exit_code_; }
  // Prints what is wrong and where to find help. A command ends with `return options.refuse(…)`.
  int refuse(const std::string &what) const;

 private:
  struct WordTarget {
    std::vector<std::string> words;
    std::function<bool(const char *text)> take;  // Returns false if the text is not one of the words.
  };

  struct Option {
    const char *name;
    std::variant<bool *, std::string *, std::vector<std::string> *, unsigned *, uint64_t *, double *,
                 std::optional<double> *, std::optional<UtcDay> *, WordTarget>
        target;
    unsigned least = 0, most = UINT_MAX;
    Words words = {};
    gboolean is_set = FALSE;  // What GOption writes into.
    char *text = nullptr;
    char **texts = nullptr;
  };

  std::vector<KnownOption> known() const;
  std::vector<std::string> option_names() const;
  // Null: the command has no such option.
  const GOptionEntry *entry_of(char letter) const;
  // Behind the letter of a short option that is not known, or that takes a value, stands a value: "-kVALUE".
  size_t length_without_value(std::string_view option) const;
  // What is wrong with "--anew=false"; empty: no flag has a value.
  std::string flag_with_value(const Words &words) const;
  // The option that one with a typo stands for; empty: none.
  std::string likely_option(std::string_view given) const;
  // "genclip budget set --per-day" for --per-day behind "budget"; empty: its subcommands do not have it.
  std::string option_of_subcommand(std::string_view given) const;
  void add_entry(const char *name, char letter, const char *value_name, const char *help, Option option);
  // Stores the value in its target; returns what is wrong with it, or an empty text.
  static std::string store(const Option &option);

  const CommandText text_;
  std::deque<Option> options_;  // A deque, because GOption keeps the addresses.
  std::vector<GOptionEntry> entries_;
  int exit_code_ = kOk;
};

}  // namespace genclip
