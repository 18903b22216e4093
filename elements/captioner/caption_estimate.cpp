// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/captioner/caption_estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "plugin/account/caption_average.h"
#include "plugin/account/ledger.h"
#include "plugin/base/clock.h"
#include "plugin/base/disk_thread.h"

namespace genclip {
namespace {

struct Average {
  double tokens = 0;
  const char *basis = "none";
};

Average average_of_run(const CaptionStats &so_far) {
  if (so_far.answers == 0) return {};
  return {static_cast<double>(so_far.answer_tokens) / static_cast<double>(so_far.answers), "run"};
}

// A ledger that cannot be read is one that knows nothing: the estimate is only a help.
Average average_of_ledger(FileSystem &files, const EstimateSettings &settings) {
  Ledger ledger(files, Clock::system(), settings.store);
  const auto reading = ledger.read_condensed();
  if (!reading) return {};
  const auto tokens = average_tokens(reading->account, settings.base_url, settings.model);
  return tokens ? Average{*tokens, "ledger"} : Average{};
}

}  // namespace

void CaptionEstimate::begin(const EstimateSettings &settings) {
  end();
  settings_ = settings;
  messages_ = std::make_shared<MessageQueue>(element_);
  told_ = false;
}

void CaptionEstimate::tell(const EstimatedWindows &of, const CaptionStats &so_far) {
  told_ = true;
  const uint64_t requests =
      settings_.max_requests > 0 ? std::min<uint64_t>(of.most, settings_.max_requests) : of.most;
  on_disk_thread([&files = files_, settings = settings_, messages = messages_, of, requests, so_far] {
    const Average of_run = average_of_run(so_far);
    const Average average = so_far.answers > 0 ? of_run : average_of_ledger(files, settings);
    const auto tokens = static_cast<guint64>(std::llround(average.tokens * static_cast<double>(requests)));
    messages->add([=](GstElement *element) {
      gst_element_post_message(
          element,
          gst_message_new_element(
              GST_OBJECT(element),
              gst_structure_new("gencaption-estimate", "windows", G_TYPE_UINT64, of.windows, "requests",
                                G_TYPE_UINT64, requests, "tokens", G_TYPE_UINT64, tokens, "basis",
                                G_TYPE_STRING, average.basis, "length", G_TYPE_UINT64, of.length, nullptr)));
    });
  });
}

void CaptionEstimate::end() {
  if (messages_) messages_->close();
  messages_.reset();
}

}  // namespace genclip
