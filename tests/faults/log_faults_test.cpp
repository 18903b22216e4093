// SPDX-License-Identifier: LGPL-2.1-or-later
//
// From GST_DEBUG=gen*:6 alone a person can tell what happened: the cause, the task, the status or errno, and
// what was done next.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "tests/faults/broken_disk.h"
#include "tests/faults/log_watch.h"
#include "tests/faults/play.h"
#include "tests/support/file_content.h"

namespace genclip::test {
namespace {

using enum Place;

// What GST_DEBUG=gen*:6 and GST_DEBUG_FILE write while it lives.
class LogFile {
 public:
  explicit LogFile(const std::string &path) : path_(path), file_(std::fopen(path.c_str(), "w")) {
    gst_debug_set_color_mode(GST_DEBUG_COLOR_MODE_OFF);
    // In parentheses: the macros of these names compare what C++ does not let them.
    (gst_debug_remove_log_function)(gst_debug_log_default);
    (gst_debug_add_log_function)(gst_debug_log_default, file_, nullptr);
    gst_debug_set_threshold_from_string("gen*:6", TRUE);
  }
  ~LogFile() {
    gst_debug_set_threshold_from_string("*:0", TRUE);
    (gst_debug_remove_log_function)(gst_debug_log_default);
    std::fclose(file_);
  }
  LogFile(const LogFile &) = delete;
  LogFile &operator=(const LogFile &) = delete;

  std::string text() const {
    std::fflush(file_);
    return content(path_);
  }

 private:
  const std::string path_;
  std::FILE *const file_;
};

struct LoggedFault {
  FaultCase fault;
  // In this order, each behind the one before.
  std::vector<std::string> says;
};

void PrintTo(const LoggedFault &row, std::ostream *out) { *out << row.fault.name; }

std::vector<LoggedFault> rows() {
  const std::string task = R"({"id":"t-1","status":)";
  return {
      {{.name = "SubmitRefused", .misdeeds = {status(submit, 402)}, .settings = kOnce},
       {"-> submitting", "POST http://", "status 402", "the submit was refused (HTTP 402)", "next: end",
        "failed: ", "ERROR", "<src>", "HTTP 402"}},
      {{.name = "SubmitOfUnknownOutcome", .misdeeds = {status(submit, 500)}, .settings = kOnce},
       {"whether the submit was accepted is unknown (HTTP 500)", "next: end", "ambiguous", "ERROR"}},
      {{.name = "SubmitHangs",
        .misdeeds = {at(submit, hang())},
        .settings = {{"retries", "0"}, {"http-timeout", "1"}}},
       {"POST http://", ": begins", "status 0", "whether the submit was accepted is unknown", "next: end"}},
      {{.name = "SubmitBusyOnce", .misdeeds = {refusing(status(submit, 503, "{}", "Retry-After: 0\r\n", 1))}},
       {"submit: not accepted, again in", "HTTP 503", "the request is about to be sent",
        "the submit was accepted, task t-2; next: follow", "queued -> completed", "stored as", "task t-2"}},
      {{.name = "ApiRefusesTheConnection",
        .settings = {{"base-url", "http://127.0.0.1:1"}, {"retries", "0"}},
        .stays = true},
       {"http://127.0.0.1:1", "status 0", "refuses the connection", "the submit was refused", "next: end"}},
      {{.name = "KeyRefusedWhilePolling", .misdeeds = {status(query, 401)}, .settings = kOnce},
       {"task t-1; next: follow", "status 401", "failed: ", "[task t-1; HTTP 401", "ERROR"}},
      {{.name = "OutageWhilePolling", .misdeeds = {status(query, 503)}, .settings = kBriefly},
       {"task t-1: no answer, again in", "HTTP 503", "failed: ", "stays at the service",
        "[task t-1; HTTP 503", "ERROR"}},
      {{.name = "TaskFails", .misdeeds = {status(query, 200, task + R"("failed","error":"out of paint"})")}},
       {"queued -> failed: out of paint", "the task failed: out of paint; next: end", "[task t-1", "ERROR"}},
      {{.name = "UrlsExpire", .misdeeds = {status(media, 403)}, .settings = kBriefly},
       {"asks for its bytes from 0", "status 403", "asks the task for a fresh URL", "HTTP 403",
        "failed: ", "[task t-1; HTTP 403", "ERROR"}},
      {{.name = "ClipCutOnce", .misdeeds = {at(media, cut(50'000), 1)}},
       {"downloads; has 0 bytes", "bytes, again in", "asks for its bytes from",
        "the clip is on the disk, whole", "stored as"}},
      {{.name = "ClipIsAPage", .misdeeds = {at(media, body("<html>Sign in</html>"))}, .settings = kBriefly},
       {"begins anew", "asks the task for a fresh URL", "failed: ", "[task t-1"}},
      {{.name = "StoreBelowAFile", .settings = {{"store", "/dev/null/store"}}},
       {"store /dev/null/store", "failed: ", "Not a directory", "ERROR"}},
      {{.name = "DiskFullAtTheClip",
        .break_it =
            [](Scene &scene) {
              break_disk(scene.store(), {.call = FileCall::write, .name = "clip.part", .code = ENOSPC});
            },
        .mend = [](Scene &scene) { mend_disk(scene.store()); }},
       {"downloads; has 0 bytes", "failed: ", "No space left on device", "[task t-1", "ERROR"}},
      {{.name = "JournalDamaged",
        .break_it =
            [](Scene &scene) {
              std::ofstream(scene.clip_file("task.json"), std::ios::trunc) << "<html></html>";
            },
        .stored_before = true},
       {"stored as", "task.json is damaged", "was set aside as", "next: follow the task", "task t-1"}},
  };
}

class FaultInTheLog : public testing::TestWithParam<LoggedFault> {};

TEST_P(FaultInTheLog, HasItsCauseItsTaskAndWhatWasDoneNext) {
  const TemporaryFolder folder;
  const LogFile log(folder.file("log"));
  FaultCase fault = GetParam().fault;
  fault.stays = true;  // The log is that of the run with the fault.
  const Play play = play_fault_case(fault);
  const std::string text = log.text();
  size_t from = 0;
  for (const std::string &part : GetParam().says) {
    const auto at = text.find(part, from);
    ASSERT_NE(at, text.npos) << '"' << part << "\" is missing " << (from > 0 ? "behind the one before" : "")
                             << " in:\n"
                             << text;
    from = at;
  }
  EXPECT_FALSE(holds_secret(text)) << text;
  EXPECT_EQ(text.find("a red kite"), text.npos) << "the prompt is nobody's business:\n" << text;
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultInTheLog, testing::ValuesIn(rows()),
                         [](const auto &row) { return row.param.fault.name; });

}  // namespace
}  // namespace genclip::test
