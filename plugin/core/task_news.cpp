// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/core/task_news.h"

namespace genclip {
namespace {

// False: nothing is new in it.
bool take_quantity(double &known, double told) {
  if (told < 0 || told == known) return false;
  known = told;
  return true;
}

}  // namespace

bool take_quantities(ClipRecord &record, const TaskNews &news) {
  const bool has_new_amount = take_quantity(record.amount, news.amount);
  return take_quantity(record.actual_duration, news.actual_duration) || has_new_amount;
}

bool take_news(ClipRecord &record, const TaskNews &news) {
  bool is_new = take_quantities(record, news);
  ClipStatus status = from_word<ClipStatus>(record.status).value_or(ClipStatus::queued);
  if (news.status == ClipStatus::queued || news.status == ClipStatus::processing) status = news.status;
  // A task that is done has been processed, though nobody may have seen it.
  if (news.status == ClipStatus::completed && status == ClipStatus::queued) status = ClipStatus::processing;
  if (record.status != to_word(status)) {
    record.status = to_word(status);
    is_new = true;
  }
  if (news.progress >= 0 && news.progress != record.progress) {
    record.progress = news.progress;
    is_new = true;
  }
  return is_new;
}

}  // namespace genclip
