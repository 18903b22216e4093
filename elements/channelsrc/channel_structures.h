// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What applications see of a channel: the structures of its messages and properties.
#pragma once

#include "plugin/base/gref.h"
#include "plugin/channel/channel.h"

namespace genclip {

// genchannel-item: `id`, `state`, `reason` (strings).
StructurePtr item_structure(const std::string &id, const ItemStatus &status);
// genchannel-on-air: `id`, `title`, `kind`, `source` (strings), `frame`, `duration-frames` (guint64),
// `still`, `audio` (booleans: whether its picture stands, and whether it has sound).
StructurePtr on_air_structure(const Piece &piece);
// The same of an item that is to come: without `kind` and `source`, with `state`.
StructurePtr ahead_structure(const ChannelAhead &item);
// genchannel-fallback: `for`, `reason` (strings), `frame` (guint64).
StructurePtr fallback_structure(const Piece &piece);
// genchannel-rundown: `accepted` (boolean), `items`, `line` (uint), `text` (string), `edited` (boolean).
StructurePtr rundown_structure(const RundownNotice &notice);
// genchannel-budget: `unit` (string: credits, tasks, or empty if the numbers are not known), `limit`,
// `spent`, `reserved` (doubles), `resumes-at` (string, RFC 3339, may be empty), `text` (string), `paused`
// (boolean; false: submits go on, and the rest is empty).
StructurePtr budget_structure(const std::optional<BudgetNotice> &notice);
// genchannel-alarm: `kind`, `text` (strings), `active` (boolean; false: it is over).
StructurePtr alarm_structure(const std::string &kind, const std::string &text, bool is_active);
// genchannel-stats: `frames`, `audio-frames`, `aired`, `fallbacks`, `slates`, `late`, `dropped` (guint64),
// `spent` (double), `run` (string), `hold` (boolean), `asrun-waiting` (guint64).
StructurePtr stats_structure(const ChannelSnapshot &status);

}  // namespace genclip
