// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Standard output gets only the result; everything else goes to standard error.
#include "plugin/command/clip_delivery.h"

#include <gst/gst.h>
#include <unistd.h>

#include "plugin/base/shell_word.h"
#include "plugin/command/clip_output.h"
#include "plugin/command/clip_run.h"
#include "plugin/command/console.h"
#include "plugin/command/done_text.h"
#include "plugin/command/ending_json.h"
#include "plugin/command/request_report.h"
#include "plugin/command/setting_options.h"
#include "plugin/command/stop_signals.h"
#include "plugin/store/clip_cost.h"

namespace genclip {
namespace {

int tell_stopped(const RunEnd &end, bool json) {
  if (json) print(state_json(end.state, "stopped").to_pretty_text() + "\n");
  const std::string task = printable(end.state.task_id);
  if (!task.empty())
    print_error(
        "Stopped. The task " + task +
        " continues at the service. To attach to it, run the same command again, or: genclip store fetch " +
        shell_operand(task));
  else if (end.amid_submit)
    print_error(
        "Stopped before the service answered the submit, so whether there is a task is unknown. If the "
        "service "
        "lists one, attach to it with --task-id. The same command submits again, and may be charged again.");
  else if (end.state.charged)
    print_error(
        "Stopped while the clips before it are made. What is made is stored, and a task that runs continues "
        "at the service. Run the same command again to go on.");
  else
    print_error("Stopped before the service named a task. Run the same command again to continue.");
  if (end.state.links_amount > 0)
    print_error("This run has paid " + cost_text(end.state.links_amount) + " for the clips before it.");
  return 128 + end.signal;
}

struct Written {
  Result<bool> result;  // Of write_output().
  int signal = 0;       // That ended it; 0: none.
};

// A signal leaves no part of the clip behind, except where a program reads it: that may keep a write waiting,
// and a signal must end it at once.
Written write_unless_stopped(GrowingClip &clip, const std::string &path) {
  if (path == kStandardOutput) return {write_output(clip, path)};
  const StopNote stop;
  auto result = write_output(clip, path, [&] { return stop.signal() != 0; });
  // It may have interrupted what waits for a program that reads.
  const int signal = result ? 0 : stop.signal();
  return {std::move(result), signal};
}

}  // namespace

void add_delivery_options(CommandOptions &options, Delivery &delivery) {
  add_setting(options, "output", delivery.output);
  add_setting(options, "json", delivery.json);
  add_setting(options, "quiet", delivery.quiet);
}

int report_failure(const Error &error, const Delivery &delivery) {
  if (delivery.json) print(failure_json(error, delivery.request).to_pretty_text() + "\n");
  print_error(printable(error.text));
  if (delivery.request) print_request(request_line(*delivery.request));
  return kFailed;
}

int report_failure(const Error &error, bool json) {
  Delivery delivery;
  delivery.json = json;
  return report_failure(error, delivery);
}

int deliver_clip(ClipPlan plan, const Delivery &delivery) {
  // The check of the clip's media type needs GStreamer.
  gst_init(nullptr, nullptr);
  ProgressLine progress(delivery.quiet);
  const RunEnd end = run_clip(std::move(plan), progress);
  if (end.error) return report_failure(*end.error, delivery);
  // Last, as it would look like an error in front of the end.
  const auto tell_request = [&] {
    if (end.warned && delivery.request) print_request(request_line(*delivery.request), "");
  };
  if (end.signal != 0) {
    const int exit_code = tell_stopped(end, delivery.json);
    tell_request();
    fflush(nullptr);
    // The user has waited, or does not want to wait; the intent is in the journal.
    if (end.amid_submit) _exit(exit_code);
    return exit_code;
  }
  std::string stays;
  if (!delivery.output.empty()) {
    auto [written, signal] = write_unless_stopped(end.generation->clip(), delivery.output);
    if (signal != 0) {
      if (delivery.json) print(state_json(end.state, "stopped").to_pretty_text() + "\n");
      print_error("Stopped before " + printable(delivery.output) + " was written. The clip is stored as " +
                  printable(end.state.clip_location) + ". Run the same command again to write it.");
      tell_request();
      return 128 + signal;
    }
    if (!written) return report_failure(not_written(std::move(written).error(), end.state), delivery);
    if (!*written) stays = " " + printable(delivery.output) + " is this clip already, and stays as it is.";
  }
  if (const std::string other = other_content(delivery.output, end.state.clip_location); !other.empty())
    print_error("Warning: " + other);
  const bool to_stream = delivery.output == kStandardOutput;
  if (!delivery.quiet) print_note(done_text(end.state) + stays);
  tell_request();
  if (delivery.json) {
    Json json = state_json(end.state, "completed");
    json.set("clip", end.state.clip_location);
    if (!delivery.output.empty()) json.set("output", delivery.output);
    print(json.to_pretty_text() + "\n");
  } else if (!to_stream) {
    print_path(delivery.output.empty() ? end.state.clip_location : delivery.output);
  }
  return kOk;
}

}  // namespace genclip
