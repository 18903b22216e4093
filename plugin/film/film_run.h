// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Runs one pipeline to its end in the default main context. Films in containers whose demuxer never ends are
// refused.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "plugin/base/error.h"
#include "plugin/base/gref.h"

namespace genclip {

// Of a film in NUT.
inline constexpr std::string_view kEndlessContainer = "application/x-gst-av-nut";
inline constexpr const char *kEndless =
    "GStreamer never comes to the end of a film in NUT; make a copy of it, and caption that: "
    "ffmpeg -i FILM -c copy COPY.mkv";

// For one thread, that of the default main context.
class FilmRun {
 public:
  explicit FilmRun(GRef<GstElement> pipeline);
  ~FilmRun() { stop(); }
  FilmRun(const FilmRun &) = delete;
  FilmRun &operator=(const FilmRun &) = delete;

  enum class End { eos, error, ended };
  // PLAYING until the end. `on_message` may end() the run; `on_wake` is called whenever the main context has
  // woken, which must happen at least each second.
  End run(const std::function<void(GstMessage *)> &on_message, const std::function<void()> &on_wake);
  // From within the two: run() returns `ended`.
  void end() { ended_ = true; }
  // Sets the pipeline to NULL, as the destructor does.
  void stop();

  GstBin *bin() const { return GST_BIN(pipeline_.get()); }
  // The first error, of End::error, with the budget that it names, if any. `element`: the name of its
  // element.
  const Error &error() const { return error_; }
  const std::string &error_element() const { return error_element_; }

 private:
  void take(GstMessage *message);

  const GRef<GstElement> pipeline_;
  const GRef<GstBus> bus_;
  const std::function<void(GstMessage *)> *on_message_ = nullptr;
  std::optional<End> end_;
  bool ended_ = false;
  Error error_;
  std::string error_element_;
  std::string missing_;  // What no installed plugin can do.
};

// The text of an error or a warning, without the element's path.
std::string text_of_message(GstMessage *message);
// A member of the details of an error or a warning; empty: it has none.
std::string detail_of_message(GstMessage *message, const char *name);
// The same of one that is true or false; false: it has none.
bool flag_of_message(GstMessage *message, const char *name);
// The status of HTTP among them; 0: none.
unsigned status_of_message(GstMessage *message);

}  // namespace genclip
