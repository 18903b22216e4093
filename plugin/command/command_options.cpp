// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/command_options.h"

#include <algorithm>
#include <memory>
#include <set>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"
#include "plugin/catalog/closest.h"
#include "plugin/catalog/wording.h"
#include "plugin/command/amounts.h"
#include "plugin/command/console.h"
#include "plugin/command/option_words.h"
#include "plugin/command/request_words.h"
#include "plugin/command/shown_lines.h"

namespace genclip {
namespace {

// Where parse() puts a command's options instead of reading words, while options_of() asks for them.
std::vector<KnownOption> *asked = nullptr;

// "store", "max" and "size" of "--store-max-size".
std::set<std::string> parts_of(std::string_view option) {
  std::set<std::string> parts;
  while (!option.empty()) {
    const size_t end = std::min(option.find_first_of("-_"), option.size());
    if (end > 0) parts.emplace(option.substr(0, end));
    option.remove_prefix(std::min(end + 1, option.size()));
  }
  return parts;
}

}  // namespace

size_t help_columns() { return std::min(columns_of(stdout), kHelpColumns); }

std::vector<KnownOption> options_of(const Command &command) {
  std::vector<KnownOption> options;
  asked = &options;
  command.run({"--help"});
  asked = nullptr;
  return options;
}

std::vector<KnownOption> CommandOptions::known() const {
  std::vector<KnownOption> known;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const GOptionEntry &entry = entries_[i];
    KnownOption option;
    option.name = std::string("--") + entry.long_name;
    if (entry.short_name) option.letter = std::string("-") + entry.short_name;
    if (entry.arg != G_OPTION_ARG_NONE) option.value_name = entry.arg_description;
    option.help = entry.description;
    option.words = options_[i].words;
    if (const auto *word = std::get_if<WordTarget>(&options_[i].target)) option.words = word->words;
    known.push_back(std::move(option));
  }
  return known;
}

std::vector<std::string> CommandOptions::option_names() const {
  std::vector<std::string> names;
  for (const GOptionEntry &entry : entries_) names.emplace_back(entry.long_name);
  return names;
}

// What an option is called in other programs; empty: the same, as far as is known.
static std::string name_elsewhere(std::string_view option) {
  if (option == "per-day") return "--daily";
  if (option == "since") return "--today";
  return option == "output" ? "--format" : "";
}

std::string CommandOptions::likely_option(std::string_view given) const {
  if (!given.starts_with("--")) return {};
  std::vector<Name> names;
  for (std::string &name : option_names()) names.push_back({"--" + name, name_elsewhere(name)});
  const std::string likely = likely_name(given, names);
  const std::set<std::string> parts = parts_of(given);
  std::erase_if(names, [&](const Name &name) { return !std::ranges::includes(parts_of(name.id), parts); });
  // --store of --store-size is another option than the one that has both words.
  if (parts.size() > 1 && names.size() == 1) return names[0].id;
  // A word of several options, such as "file", tells none of them.
  const bool is_one_of_several = names.size() > 1 && std::ranges::count(names, likely, &Name::id) > 0;
  return is_one_of_several ? "" : likely;
}

std::string CommandOptions::option_of_subcommand(std::string_view given) const {
  std::vector<std::string> found;
  for (const Command &command : commands()) {
    if (!std::string_view(command.name).starts_with(std::string(text_.name) + " ")) continue;
    if (std::ranges::count(options_of(command), given, &KnownOption::name) > 0)
      found.push_back(std::string("genclip ") + command.name + " " + std::string(given));
  }
  return found.empty() ? "" : either(found);
}

void CommandOptions::add_entry(const char *name, char letter, const char *value_name, const char *help,
                               Option option) {
  Option &kept = options_.emplace_back(std::move(option));
  // G_OPTION_ARG_FILENAME takes the text as it is, in every locale.
  GOptionArg kind = G_OPTION_ARG_FILENAME;
  gpointer place = &kept.text;
  if (std::holds_alternative<bool *>(kept.target)) {
    kind = G_OPTION_ARG_NONE;
    place = &kept.is_set;
  } else if (std::holds_alternative<std::vector<std::string> *>(kept.target)) {
    kind = G_OPTION_ARG_FILENAME_ARRAY;
    place = &kept.texts;
  }
  entries_.push_back({name, letter, 0, kind, place, help, value_name});
}

void CommandOptions::add(const char *name, char letter, const char *help, bool &target) {
  add_entry(name, letter, nullptr, help, {name, &target});
}

void CommandOptions::add(const char *name, char letter, const char *value_name, const char *help,
                         std::string &target, Words words) {
  add_entry(name, letter, value_name, help, {.name = name, .target = &target, .words = std::move(words)});
}

void CommandOptions::add(const char *name, char letter, const char *value_name, const char *help,
                         std::vector<std::string> &target) {
  add_entry(name, letter, value_name, help, {name, &target});
}

void CommandOptions::add(const char *name, const char *value_name, const char *help, unsigned &target,
                         unsigned least, unsigned most) {
  add_entry(name, 0, value_name, help, {name, &target, least, most});
}

void CommandOptions::add(const char *name, const char *value_name, const char *help, uint64_t &target) {
  add_entry(name, 0, value_name, help, {name, &target});
}

void CommandOptions::add(const char *name, const char *value_name, const char *help, double &target) {
  add_entry(name, 0, value_name, help, {name, &target});
}

void CommandOptions::add(const char *name, const char *value_name, const char *help,
                         std::optional<double> &target) {
  add_entry(name, 0, value_name, help, {name, &target});
}

void CommandOptions::add(const char *name, const char *help, std::optional<UtcDay> &target) {
  add_entry(name, 0, "DATE", help, {name, &target});
}

const GOptionEntry *CommandOptions::entry_of(char letter) const {
  const auto entry = std::ranges::find(entries_, letter, &GOptionEntry::short_name);
  return entry == entries_.end() ? nullptr : &*entry;
}

size_t CommandOptions::length_without_value(std::string_view option) const {
  if (option.starts_with("--")) return option.size();
  size_t length = 1;
  const auto is_flag = [&](char letter) {
    const GOptionEntry *entry = entry_of(letter);
    return entry && entry->arg == G_OPTION_ARG_NONE;
  };
  while (length < option.size() && is_flag(option[length])) ++length;
  // One letter further, which may be several bytes.
  do ++length;
  while (length < option.size() && (option[length] & 0xC0) == 0x80);
  return std::min(length, option.size());
}

// GOption would set --anew by --anew=false.
std::string CommandOptions::flag_with_value(const Words &words) const {
  for (const std::string &word : words) {
    if (word == "--") break;
    if (!word.starts_with("--")) continue;
    const size_t sign = word.find('=');
    for (const GOptionEntry &entry : entries_)
      if (sign != word.npos && entry.arg == G_OPTION_ARG_NONE && word.substr(2, sign - 2) == entry.long_name)
        return word.substr(0, sign) + " takes no value; leave it out.";
  }
  return {};
}

std::string CommandOptions::store(const Option &option) {
  if (auto *const *flag = std::get_if<bool *>(&option.target)) {
    **flag = **flag || option.is_set;
  } else if (auto *const *list = std::get_if<std::vector<std::string> *>(&option.target)) {
    for (char **text = option.texts; text && *text; ++text) {
      if (!**text) return std::string("--") + option.name + " is empty.";
      (*list)->emplace_back(*text);
    }
  } else if (!option.text) {
    return {};
  } else if (auto *const *text = std::get_if<std::string *>(&option.target)) {
    if (!*option.text) return std::string("--") + option.name + " is empty.";
    **text = option.text;
  } else if (auto *const *number = std::get_if<unsigned *>(&option.target)) {
    const auto value = parse_number<unsigned>(option.text);
    if (!value || *value < option.least || *value > option.most)
      return std::string("--") + option.name + " must be an integer from " + std::to_string(option.least) +
             (option.most < UINT_MAX ? " to " + std::to_string(option.most) : "") + ".";
    **number = *value;
  } else if (auto *const *bytes = std::get_if<uint64_t *>(&option.target)) {
    const auto size = bytes_of(option.text);
    if (!size) return std::string("--") + option.name + " must be a size, such as 500M or 1.5G.";
    if (lacks_unit(option.text, *size))
      return std::string("--") + option.name + " must be a size with a unit, such as 500M or 1.5G; " +
             option.text + " alone is less than 1 MiB. For so few bytes write " + option.text + "B.";
    **bytes = *size;
  } else if (auto *const *credits = std::get_if<double *>(&option.target)) {
    const auto value = parse_number<double>(option.text);
    if (!value || *value < 0)
      return std::string("--") + option.name + " must be a number of credits, 0 or more.";
    **credits = *value;
  } else if (auto *const *amount = std::get_if<std::optional<double> *>(&option.target)) {
    **amount = parse_number<double>(option.text);
    if (!**amount) return std::string("--") + option.name + " must be a number, such as 20 or 7.5.";
  } else if (auto *const *day = std::get_if<std::optional<UtcDay> *>(&option.target)) {
    **day = utc_day(option.text);
    if (!**day)
      return std::string("--") + option.name +
             " must be a date such as 2026-11-22 (a day in UTC), without a time.";
  } else if (const auto *word = std::get_if<WordTarget>(&option.target)) {
    if (!word->take(option.text))
      return std::string("--") + option.name + " must be " + either(word->words) + ".";
  }
  return {};
}

std::optional<Words> CommandOptions::parse(const Words &words) {
  bool help = false;
  add("help", 'h', "Show this help", help);
  if (asked) {
    *asked = known();
    return std::nullopt;
  }
  name_options(option_names());
  if (const std::string problem = flag_with_value(words); !problem.empty()) {
    exit_code_ = refuse(problem);
    return std::nullopt;
  }
  std::vector<GOptionEntry> entries = entries_;
  entries.push_back({});

  const std::unique_ptr<GOptionContext, void (*)(GOptionContext *)> context(
      g_option_context_new(text_.arguments), g_option_context_free);
  // GOption's own help ends the process.
  g_option_context_set_help_enabled(context.get(), FALSE);
  g_option_context_set_summary(context.get(), text_.summary);
  g_option_context_set_description(context.get(), text_.description);
  g_option_context_add_main_entries(context.get(), entries.data(), nullptr);
  const std::string program = std::string("genclip ") + text_.name;
  g_set_prgname(program.c_str());

  char **arguments = g_new0(char *, words.size() + 2);
  arguments[0] = g_strdup(program.c_str());
  for (size_t i = 0; i < words.size(); ++i) arguments[i + 1] = g_strdup(words[i].c_str());
  GErrorPtr error;
  const bool parsed = g_option_context_parse_strv(context.get(), &arguments, take(error));
  Words rest;
  for (char **at = arguments + 1; parsed && *at; ++at)
    if (!g_str_equal(*at, "--")) rest.emplace_back(*at);
  g_strfreev(arguments);

  std::string problem = parsed ? "" : error->message;
  // The value of an unknown option may be a key, which must not appear on a terminal.
  if (g_error_matches(error.get(), G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)) {
    problem.resize(std::min(problem.find('='), problem.size()));
    const size_t at = std::min(problem.find(" -"), problem.size() - 1) + 1;
    problem.resize(at + length_without_value(problem.substr(at)));
    const std::string option = problem.substr(at);
    const bool takes_fields = std::string_view(text_.arguments).find("FIELD=VALUE") != std::string_view::npos;
    const std::string meant =
        takes_fields ? misplaced_field_text(*Catalog::built_in(), option, words) : std::string();
    const std::string of_subcommand = option_of_subcommand(option);
    const std::string near = of_subcommand.empty() ? likely_option(option) : of_subcommand;
    const GOptionEntry *joined =
        option.starts_with("--") || option.empty() ? nullptr : entry_of(option.back());
    if (joined)
      problem = std::string("The value of -") + joined->short_name + " is a word of its own: -" +
                joined->short_name + " " + joined->arg_description;
    else if (!meant.empty())
      problem = meant;
    else if (!near.empty())
      problem = "Unknown option " + option + "; did you mean " + near + "?";
  }
  for (const Option &option : options_) {
    if (problem.empty()) problem = store(option);
    g_free(option.text);
    g_strfreev(option.texts);
  }
  if (!problem.empty()) {
    exit_code_ = refuse(problem);
    return std::nullopt;
  }
  if (help) {
    const GStringPtr shown(g_option_context_get_help(context.get(), TRUE, nullptr));
    print(help_lines(shown.get(), help_columns()));
    return std::nullopt;
  }
  return rest;
}

int CommandOptions::refuse(const std::string &what) const {
  print_error(printable(what));
  print_note(std::string("Try: genclip ") + text_.name + " --help");
  return kUsage;
}

}  // namespace genclip
