// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A pipeline with a gencaption, pictures whose colours encode their time, and its output.
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "tests/captioner/gateway_server.h"

namespace genclip::test {

// Longer than any step of the tests, even under a sanitizer on a busy machine.
constexpr auto kPatience = std::chrono::seconds(60);
// To NULL, by the contract. A busy machine delays some state changes, but not most of them.
constexpr std::chrono::milliseconds kAtOnce{100};
constexpr char kKey[] = "secret-key-4711";

// Times in milliseconds.
struct Cue {
  uint64_t start = 0;
  uint64_t end = 0;
  std::string text;
  friend bool operator==(const Cue &, const Cue &) = default;
  friend std::ostream &operator<<(std::ostream &out, const Cue &cue) {
    return out << cue.start << "-" << cue.end << " " << cue.text;
  }
};
using Cues = std::vector<Cue>;

// The colour of the picture at that second.
std::string colour_at(uint64_t second);

// The gateway's answer about one still of that second.
std::string caption_at(uint64_t second, const std::string &size = "64x36");
// A caption for each of the first seconds.
Cues each_second(unsigned seconds);

// Shows the gateway's answers as they are, but for the limits of cues that the description sets.
void show_whole_answers(GstElement *gencaption, const std::string &description);

// Each `gencaption` in the description gets the gateway's address and a key, and keeps no answers unless the
// description sets `cache`; each element named src… paints its pictures (RGB) in the colour of their second.
// Goes to NULL with the object.
class CaptionRun {
 public:
  CaptionRun(const GatewayServer &gateway, const std::string &description);
  ~CaptionRun();
  CaptionRun(const CaptionRun &) = delete;
  CaptionRun &operator=(const CaptionRun &) = delete;

  GstElement *pipeline() const { return pipeline_.get(); }
  GRef<GstElement> element(const char *name) const;
  void set(const char *element, const char *property, const std::string &value);

  GstStateChangeReturn go(GstState state);
  std::chrono::milliseconds time_to_null();
  // The same, again from PLAYING up to two times while it takes longer than that: what a busy machine adds
  // comes and goes, what gencaption waits for is there each time.
  std::chrono::milliseconds time_to_null_at_best(std::chrono::milliseconds enough);
  // Goes to PLAYING and waits for the end: empty when it ended well, else the error's text; "stalled" when
  // nothing happened for `patience`.
  std::string play(std::chrono::milliseconds patience = kPatience);
  std::string finish(std::chrono::milliseconds patience = kPatience);
  // The first of those messages, all before it being kept.
  GRef<GstMessage> wait(GstMessageType types, std::chrono::milliseconds patience = kPatience);
  bool wait_for_captions(size_t count);

  // What came out of the appsink of that name so far.
  Cues cues(const char *sink = "out");
  uint64_t stat(const char *name);
  // Texts of the warnings so far.
  std::vector<std::string> warnings();
  // The number of errors so far that the element of that name posted.
  size_t errors_of(const char *name);
  // Waits until the sink of that name has had so many buffers.
  bool wait_until_shown(const char *sink, uint64_t count) const;
  // Waits for EOS at the appsink of that name.
  bool has_ended(const char *sink) const;
  // The structures gencaption-caption so far.
  std::vector<GRef<GstMessage>> captions();

  std::vector<GRef<GstMessage>> seen;

 private:
  void drain_bus();

  GRef<GstElement> pipeline_;
  GRef<GstBus> bus_;
  std::map<std::string, Cues> cues_;  // by sink
};

std::string text_of(GstBuffer *buffer);

}  // namespace genclip::test
