// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The commands of genclip as a table.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace genclip {

// Exit codes of the commands.
enum ExitCode {
  kOk = 0,
  kFailed = 1,    // The request is invalid, or the work failed.
  kUsage = 2,     // The command line is wrong.
  kPending = 75,  // EX_TEMPFAIL of sysexits.h: clips are pending, and another run can do the rest.
};

using Words = std::vector<std::string>;

struct Command {
  const char *name;     // "check"; in a group "store list"
  const char *summary;  // One line for the list of commands.
  // Gets the words after the name. Returns an ExitCode, or 128 plus a signal's number.
  int (*run)(const Words &words);
};

std::span<const Command> commands();
// The command that the words begin with, the longest name first; null when there is none.
const Command *find_command(const Words &words);
// There is no command "GROUP WORD": the one that is meant, else `otherwise`.
std::string no_command_text(const std::string &group, const std::string &word, const std::string &otherwise);
// The number of words in its name.
size_t name_length(const Command &command);

int run_batch(const Words &words);
int run_budget(const Words &words);
int run_budget_clear(const Words &words);
int run_budget_set(const Words &words);
int run_caption(const Words &words);
int run_channel(const Words &words);
int run_check(const Words &words);
int run_cost(const Words &words);
int run_cost_correct(const Words &words);
int run_frame(const Words &words);
int run_generate(const Words &words);
int run_models(const Words &words);
int run_prefetch(const Words &words);
int run_publish(const Words &words);
int run_publish_list(const Words &words);
int run_publish_prune(const Words &words);
int run_store_fetch(const Words &words);
int run_store_find(const Words &words);
int run_store_gallery(const Words &words);
int run_store_list(const Words &words);
int run_store_pin(const Words &words);
int run_store_prune(const Words &words);
int run_store_remove(const Words &words);
int run_store_show(const Words &words);
int run_store_unpin(const Words &words);
int run_store_verify(const Words &words);

// Prints what a shell can complete the last of `words` to, one per line: docs/command.md, "Completion".
int run_completion(const Words &words);

}  // namespace genclip
