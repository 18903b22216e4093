// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/content_answer.h"

#include "plugin/caption/answer_text.h"

namespace genclip {

bool has_text(const ContentAnswer &answer) { return !answer_text(answer.text).empty(); }

std::optional<Error> shortcoming(const ContentAnswer &answer) {
  if (answer.cut_short)
    return Error{ErrorKind::settings,
                 "The model stopped at its output limit; raise max-output-tokens to let it finish."};
  if (!has_text(answer))
    return Error{ErrorKind::failed, "The model answered with no text (" +
                                        (answer.finish_reason.empty() ? "no reason" : answer.finish_reason) +
                                        "), so this caption is missing. Another prompt or model may help."};
  if (answer.broken_off)
    return Error{
        ErrorKind::read,
        "The connection to the text gateway broke off in each try before the answer had ended; the "
        "end of this caption may be missing. It is not kept in the store, so another run asks again."};
  return std::nullopt;
}

}  // namespace genclip
