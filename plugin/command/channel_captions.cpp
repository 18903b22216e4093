// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/channel_captions.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "plugin/base/replace_all.h"
#include "plugin/command/console.h"

namespace genclip {
namespace {

struct CaptionOption {
  const char *property, *option, *value_name, *help;
  // An ordinary word, with which a message means the property only if it says to set it.
  bool is_word = false;
};

// Of gencaption's properties those that decide what is asked, and what it may cost.
constexpr CaptionOption kCaptionOptions[] = {
    {"model", "caption-model", "TEXT-MODEL", "Text model that writes the captions", true},
    {"prompt", "caption-prompt", "TEXT", "What to ask it about each picture", true},
    {"latency", "caption-latency", "MS", "Drop captions that come later (4000)", true},
    {"scene-threshold", "caption-scene-threshold", "NUMBER", "Ask only if the picture changed so much (0)"},
    {"max-output-tokens", "caption-max-output-tokens", "N", "Longest answer in tokens"},
    {"max-requests", "caption-max-requests", "N", "Most requests of this run (no limit)"},
    {"max-tokens", "caption-max-tokens", "N", "Most tokens of this run (no limit)"},
    {"llm-base-url", "llm-base-url", "URL", "Base address of the text gateway"},
};

// One account for clips and captions.
constexpr std::array<std::string_view, 6> kShared = {"store",       "project",    "api-key-file",
                                                     "tls-ca-file", "user-agent", "proxy"};

constexpr char kInterval[] = "caption-interval";

// One caption, so one request, each so many seconds. Empty: it can.
std::string interval_problem(GstElement *gencaption, unsigned seconds) {
  const auto *range =
      G_PARAM_SPEC_UINT64(g_object_class_find_property(G_OBJECT_GET_CLASS(gencaption), "interval"));
  const uint64_t most = range->maximum / GST_SECOND;
  if (seconds <= most) return {};
  return std::string("--") + kInterval + " must be an integer from 1 to " + std::to_string(most) + ".";
}

}  // namespace

std::string with_caption_options(std::string text) {
  for (const CaptionOption &row : kCaptionOptions) {
    const std::string before = row.is_word ? "set " : "";
    text = replace_all(text, before + row.property, before + "--" + row.option);
  }
  return text;
}

CaptionOptions::CaptionOptions() {
  for (const CaptionOption &row : kCaptionOptions)
    properties_.push_back({row.property, row.option, row.help, {}});
}

void CaptionOptions::add_to(CommandOptions &options) {
  options.add("captions", 0, "Write captions of the picture beside each HLS", track_);
  options.add("burn-captions", 0, "Draw captions into the picture of all outputs", burnt_);
  options.add(kInterval, "SECONDS", "One caption, so one request, each (5)", interval_s_, 1);
  for (size_t i = 0; i < properties_.size(); ++i)
    options.add(kCaptionOptions[i].option, 0, kCaptionOptions[i].value_name, kCaptionOptions[i].help,
                properties_[i].text);
}

Result<CaptionOutput> CaptionOptions::make(const std::vector<ElementProperty> &channel) const {
  CaptionOutput output;
  if (!track_ && !burnt_) {
    if (interval_s_ > 0)
      return Error{ErrorKind::settings, std::string("--") + kInterval + " needs --captions."};
    for (const ElementProperty &property : properties_)
      if (!property.text.empty())
        return Error{ErrorKind::settings, std::string("--") + property.option + " needs --captions."};
    return output;
  }
  auto gencaption = make_own_element("gencaption");
  if (!gencaption) return std::move(gencaption).error();
  for (const ElementProperty &property : channel)
    if (!property.text.empty() &&
        std::ranges::find(kShared, std::string_view(property.name)) != kShared.end())
      g_object_set(gencaption->get(), property.name, property.text.c_str(), nullptr);
  if (auto set = set_properties(gencaption->get(), properties_); !set) return std::move(set).error();
  if (std::string problem = interval_problem(gencaption->get(), interval_s_); !problem.empty())
    return Error{ErrorKind::settings, std::move(problem)};
  if (interval_s_ > 0) g_object_set(gencaption->get(), "interval", interval_s_ * GST_SECOND, nullptr);
  output.gencaption = std::move(*gencaption);
  output.track = track_;
  output.burnt = burnt_;
  output.told = [](const std::string &trouble) {
    print_error(trouble.empty() ? "The captions come again."
                                : printable("Captions: " + with_caption_options(trouble)));
  };
  return output;
}

}  // namespace genclip
