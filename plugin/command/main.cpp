// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip COMMAND …: the elements' functions on the command line.
#include <algorithm>
#include <clocale>

#include "plugin/base/shell_word.h"
#include "plugin/base/version.h"
#include "plugin/catalog/closest.h"
#include "plugin/catalog/wording.h"
#include "plugin/command/command.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/shown_lines.h"
#include "plugin/http/api_key.h"

namespace genclip {
namespace {

constexpr const char *kCompletion = "__complete";  // For genclip.bash, genclip.zsh and genclip.fish.

std::string help_text() {
  std::string text =
      "Usage:\n  genclip COMMAND [OPTION…] [ARGUMENT…]\n\n"
      "Generates clips at a paid service, and stores them, so that each is paid for once.\n"
      "To begin: genclip models, then genclip check MODEL prompt=\"a red kite\"\n\nCommands:\n";
  size_t width = 0;
  for (const Command &command : commands()) width = std::max(width, std::string_view(command.name).size());
  for (const Command &command : commands()) {
    std::string name = command.name;
    name.resize(width + 2, ' ');
    text += "  " + name + command.summary + "\n";
  }
  return text +
         "\nOptions:\n"
         "  -h, --help     Show this help; genclip COMMAND --help shows that of a command\n"
         "  -V, --version  Show the version\n\n"
         "Environment: GENCLIP_BASE_URL is the service's address, and GENCLIP_API_KEY the\n"
         "key, or GENCLIP_API_KEY_FILE a file that holds it. Further:\n"
         "GENCLIP_LLM_BASE_URL, GENCLIP_STORE, GENCLIP_MODELS, GENCLIP_MAX_AMOUNT,\n"
         "GENCLIP_PROJECT, GENCLIP_MAX_TASKS, GENCLIP_PUBLISH_FOLDER,\n"
         "GENCLIP_PUBLISH_URL, GENCLIP_PUBLISH_COMMAND, GENCLIP_PUBLISH_ROOTS.\n"
         "See genclip(1).\n";
}

void print_help() { print(help_lines(help_text(), help_columns())); }

int refuse(const std::string &what, const std::string &help = "--help") {
  print_error(printable(what));
  print_note(printable("Try: genclip " + help));
  return kUsage;
}

// The commands that begin with that word; empty when it is not a group.
std::vector<Command> commands_of(const std::string &group) {
  std::vector<Command> found;
  for (const Command &command : commands())
    if (std::string_view(command.name).starts_with(group + " ")) found.push_back(command);
  return found;
}

// "genclip store", and what may stand behind it.
int refuse_group(const Words &words, const std::vector<Command> &group) {
  const std::string &name = words[0];
  std::string second = words.size() > 1 ? words[1] : "";
  if (second == "--help" || second == "-h") {
    std::string text = "Usage:\n  genclip " + name + " SUBCOMMAND [OPTION…]\n\nSubcommands:";
    for (const Command &command : group)
      text += "\n  genclip " + std::string(command.name) + ": " + command.summary;
    print(help_lines(text, help_columns()));
    return kOk;
  }
  if (second.starts_with("-")) second.clear();
  std::vector<std::string> subcommands;
  for (const Command &command : group) subcommands.emplace_back(command.name + name.size() + 1);
  const std::string help = name + " --help";
  if (second.empty())
    return refuse("genclip " + name + " needs a subcommand: " + either(subcommands) + ".", help);
  return refuse(no_command_text(name, second, "There are: " + both(subcommands) + "."), help);
}

// The only command that begins so, apart from its subcommands; empty: there is none, or there are several.
std::string begun_name(const std::string &word) {
  std::string found;
  for (const Command &command : commands()) {
    const std::string_view name = command.name;
    if (word.empty() || !name.starts_with(word)) continue;
    if (!found.empty() && !name.starts_with(found + " ")) return {};
    if (found.empty()) found = name;
  }
  return found;
}

int refuse_unknown(const Words &words) {
  const std::string &word = words[0];
  if (word.starts_with("-")) {
    // What stands behind it may be a key.
    const std::string option = word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
    const std::string meant = likely_name(option, {{"--help"}, {"--version"}});
    return refuse(
        "Unknown option " + option +
        (meant.empty() ? ". The options of a command come behind it." : "; did you mean " + meant + "?"));
  }
  if (const auto group = commands_of(word); !group.empty()) return refuse_group(words, group);
  if (word.find(' ') != word.npos)
    return refuse("There is no command \"" + word + "\". To generate a clip: genclip generate MODEL prompt=" +
                      shell_word(word) + " (genclip models lists the models).",
                  "generate --help");
  std::vector<Name> names;
  for (const Command &command : commands()) names.push_back({command.name});
  std::string meant = likely_name(word, names);
  if (meant.empty()) meant = begun_name(word);
  return refuse("There is no command \"" + word + "\"." +
                (meant.empty() ? "" : " Did you mean " + meant + "?"));
}

int run(Words words) {
  if (words.empty()) return refuse("A command is missing, such as models, check or generate.");
  if (words[0] == "--version" || words[0] == "-V") {
    print("genclip " GENCLIP_VERSION "\n");
    return kOk;
  }
  if (words[0] == kCompletion) return run_completion({words.begin() + 1, words.end()});
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    if (words.size() == 1) {
      print_help();
      return kOk;
    }
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  const Command *command = find_command(words);
  if (!command) return refuse_unknown(words);
  words.erase(words.begin(), words.begin() + static_cast<Words::difference_type>(name_length(*command)));
  // The elements of these look for the key once more, in another library, and a pipe can be read once.
  const std::string_view name = command->name;
  let_keys_come_from_pipes(name != "channel" && name != "caption");
  return command->run(words);
}

}  // namespace
}  // namespace genclip

int main(int argc, char **argv) {
  setlocale(LC_ALL, "");
  const int exit_code = genclip::run({argv + 1, argv + argc});
  // Output to a full disk or a closed pipe has failed.
  const bool is_lost = fflush(stdout) != 0 || ferror(stdout);
  if (!is_lost || exit_code != genclip::kOk) return exit_code;
  genclip::print_error("The output could not be written to standard output.");
  return genclip::kFailed;
}
