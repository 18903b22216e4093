// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The properties of gencaption as options of genclip caption.
#pragma once

#include <gst/gst.h>

#include <optional>
#include <string>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/command/channel_element.h"
#include "plugin/command/command_options.h"
#include "plugin/film/film_source.h"

namespace genclip {

// What a run of several films has used of the limits that hold for all of them.
struct UsedLimits {
  uint64_t requests = 0;
  uint64_t tokens = 0;
  uint64_t most_tokens = 0;  // Of one request.
};

class FilmCaptionOptions {
 public:
  FilmCaptionOptions();

  // Borrows this.
  void add_to(CommandOptions &options);

  // A sentence about an option that is wrong; empty: none is.
  std::string problem() const;

  // A gencaption for one film, in no bin. With `translates` it gets what suits a file of subtitles, where the
  // user says nothing else. The error (settings, or not_found for the element) is a sentence.
  Result<GRef<GstElement>> make(const UsedLimits &used, bool translates) const;
  // A sentence about the limit that leaves nothing for another film; empty: none.
  std::string spent_limit(const UsedLimits &used) const;

  unsigned jobs() const { return jobs_; }
  unsigned max_requests() const { return max_requests_; }  // 0: no limit.
  uint64_t interval_ns() const;
  std::string text_of(std::string_view property) const;
  // Earlier captions go with a request.
  bool sends_context() const;
  // For a film that is a genclip:// URI.
  SourceSettings source_settings() const;
  // In the store. With cache=read, an answer is used that is there, and none is added.
  bool keeps_answers() const;

 private:
  unsigned jobs_ = 4;
  std::optional<double> interval_, min_interval_;
  unsigned max_requests_ = 0;
  std::string max_tokens_;
  std::vector<ElementProperty> properties_;
};

}  // namespace genclip
