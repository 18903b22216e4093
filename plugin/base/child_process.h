// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Runs another program to its end, however it behaves.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "plugin/base/result.h"

namespace genclip {

// The words of a command line as a shell reads them. No shell runs, so no variable is replaced. The error's
// text is GLib's alone.
Result<std::vector<std::string>> command_words(const std::string &command);

// This process's environment as "NAME=VALUE", without these names.
std::vector<std::string> environment_without(std::span<const char *const> names);

struct ChildCall {
  std::vector<std::string> words;        // The program, found in $PATH, and its arguments. No shell.
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::chrono::milliseconds time_limit{60000};
  size_t max_output = 8192;  // bytes
  std::string input = {};    // What the program finds on its standard input.
  std::string folder = {};   // Where it runs; empty: in the current folder.
};

struct ChildEnd {
  enum class Cause {
    exited,
    time_limit,
    too_much_output,
  };

  Cause cause = Cause::exited;
  int status = 0;      // As waitpid() gives it.
  std::string output;  // Standard output.
  std::string errors;  // The last bytes of standard error.
};

// Succeeds if the disk has a program that run_child() can start: not an empty file, nor a script whose
// interpreter is missing. The error's text says no more than why.
Result<void> find_program(const ChildCall &call);

// Blocks until the program has ended, or the call is cancelled (ErrorKind::cancelled), or a limit is reached.
// In the last two cases the program and its children are gone: they get SIGTERM, and a second later SIGKILL.
// The program alone also ends with the calling thread, and so with this process. What a program that exits by
// itself has started in the background keeps running; the call does not wait for it. Any other error: it
// could not be started. Any thread; needs no main loop.
Result<ChildEnd> run_child(const ChildCall &call, GCancellable *cancellable);

}  // namespace genclip
