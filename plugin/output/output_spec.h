// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a person asks for with --hls, --srt, --udp, --rtmp, --record and --window: read, checked and shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/base/words.h"

namespace genclip {

enum class OutputKind { hls, srt, udp, rtmp, record, window };

template <>
inline constexpr Word<OutputKind> kWords<OutputKind>[] = {
    {OutputKind::hls, "hls"},   {OutputKind::srt, "srt"},       {OutputKind::udp, "udp"},
    {OutputKind::rtmp, "rtmp"}, {OutputKind::record, "record"}, {OutputKind::window, "window"},
};

struct OutputSpec {
  OutputKind kind = OutputKind::window;
  // A folder (hls, record), a URI (srt, rtmp) or HOST:PORT (udp). Empty for a window. May hold a stream key
  // or a passphrase: show shown_name() instead.
  std::string target = {};
  // Only for udp: the target's two parts; the host without the brackets of an IPv6 address.
  std::string host = {};
  int port = 0;
  // Counts the outputs whose shown name is otherwise the same, from 1 on.
  unsigned copy = 1;
};

// Pure: no look at the disk or the network. The error is a whole sentence without secrets,
// ErrorKind::settings.
Result<OutputSpec> parse_output(OutputKind kind, std::string_view target);

// An error where two outputs would write to the same place.
Result<void> check_outputs(const std::vector<OutputSpec> &outputs);

// Which application of the server gets which stream, as it is told to it. The stream stands behind the last
// "/" before the URL's first "?", as a query may have a "/" itself: "app", "key?token=a/b". Only where no "/"
// is there, the query is the application's: "app?token=a", "key".
struct RtmpTarget {
  std::string application, stream;
};
RtmpTarget rtmp_target(const std::string &target);

// Without stream key, passphrase, password, stream id and query: "rtmp://live.example/app/…", "srt://:9000".
// `copy` from 2 on: "srt://:9000 (2)".
std::string shown_name(const OutputSpec &output);
// Sets `copy`, so that each has a name of its own.
void number_copies(std::vector<OutputSpec> &outputs);

// `text` with each secret of the output replaced by "…".
std::string without_secrets(const OutputSpec &output, std::string text);

}  // namespace genclip
