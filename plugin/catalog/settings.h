// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Everything that a user can set beside a request, one row each.
//
// The elements' properties, the command's options, their completion, the man page's and docs/settings.md's
// tables, and the names that are refused as fields of a request are all made of these rows.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "plugin/catalog/run_settings.h"

namespace genclip {

// Who takes a setting, as bits.
enum Taker : unsigned {
  kClipSource = 1 << 0,
  kChannelSource = 1 << 1,
  kGenerate = 1 << 2,
  kBatch = 1 << 3,
  kPrefetch = 1 << 4,
  kFetch = 1 << 5,  // store fetch
  kCheck = 1 << 6,
  kFrame = 1 << 7,
  kPublish = 1 << 8,
};
inline constexpr unsigned kEnvironment = 0;  // Nobody but whoever sets the environment of a run.
inline constexpr unsigned kElements = kClipSource | kChannelSource;
inline constexpr unsigned kSubmitters = kGenerate | kBatch | kPrefetch;

struct Setting {
  const char *name;  // "poll-interval", of the property and of the option.
  unsigned takers;   // Bits of Taker, or kEnvironment.
  // The property's description. Without its full stop, as GStreamer's are.
  const char *help;
  // Without one, it is an option of commands and not a part of a run.
  std::variant<std::monostate, std::string RunSettings::*, bool RunSettings::*, unsigned RunSettings::*,
               uint64_t RunSettings::*, double RunSettings::*, OnUnknownSubmit RunSettings::*,
               MediaCheck RunSettings::*, PublishCheck RunSettings::*, ReferenceIdentity RunSettings::*>
      member = {};
  // Both 0: all that the member's type can hold.
  double least = 0, most = 0;
  // Of an enum: the name of its GType, and the meaning of each word.
  const char *type_name = nullptr;
  std::vector<const char *> meanings = {};
  // What holds if it is not given, where that is not simply the default.
  const char *otherwise = "";
  const char *variable = "";  // Of the environment, read if it is not given.
  bool lowest_holds = false;  // The variable counts beside what is given.
  enum class Secret { no, password, all } secret = Secret::no;  // password: the part of a URL.
  struct Option {
    char letter = 0;                   // Of a text or a switch.
    const char *value_name = nullptr;  // Null: it takes none.
    const char *help = "";             // Shorter than the property's; empty: that one.
  } option = {};
  const char *more = "";  // Further sentences for the documents.
};

// Calls `use` with the row's member of RunSettings. Without one, returns what the result is by itself.
template <typename Use>
auto with_member(const Setting &setting, Use use) {
  return std::visit(
      [&](const auto &member) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, std::monostate>)
          return std::invoke_result_t<Use, bool RunSettings::*>();
        else
          return use(member);
      },
      setting.member);
}

// In the order in which they are shown.
std::span<const Setting> settings();
// Null: there is none of that name.
const Setting *find_setting(std::string_view name);

// The property's description with what holds if it is unset.
std::string property_help(const Setting &setting);
// The option's help with what holds without it, and the default.
std::string option_help(const Setting &setting);
// The default as people write it, "4Gi" or "headers"; empty: there is none.
std::string default_text(const Setting &setting);
// The words of an enum's setting; of another there are none.
std::vector<std::string> choices_of(const Setting &setting);
// "genclip generate, batch and prefetch"; empty: no command takes it.
std::string commands_text(const Setting &setting);

// What is wrong with a maximum amount, and with the one of the environment; empty: nothing.
std::string max_amount_problem(double credits);
std::string max_amount_variable_problem();

// The tables of docs/settings.md, and the man page's sections of options.
std::string settings_markdown();
std::string settings_manual();

}  // namespace genclip
