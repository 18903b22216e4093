// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/account/caption_average.h"

namespace genclip {

std::optional<double> average_tokens(const Account &account, const std::string &base_url,
                                     const std::string &model) {
  CaptionUse here, anywhere;
  for (const auto &[of, use] : account.captions_used()) {
    if (of.model != model) continue;
    anywhere.add(use);
    if (of.base_url == base_url) here.add(use);
  }
  const CaptionUse &use = here.requests > here.untold ? here : anywhere;
  if (use.requests <= use.untold) return std::nullopt;
  return static_cast<double>(use.total_tokens) / static_cast<double>(use.requests - use.untold);
}

}  // namespace genclip
