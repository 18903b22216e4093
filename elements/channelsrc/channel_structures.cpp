// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/channel_structures.h"

#include "plugin/base/utc_time.h"

namespace genclip {
namespace {

StructurePtr structure(const char *name, const char *first, auto... rest) {
  return StructurePtr(gst_structure_new(name, first, rest..., nullptr));
}

}  // namespace

StructurePtr item_structure(const std::string &id, const ItemStatus &status) {
  return structure("genchannel-item", "id", G_TYPE_STRING, id.c_str(), "state", G_TYPE_STRING,
                   to_word(status.state), "reason", G_TYPE_STRING, status.reason.c_str());
}

StructurePtr on_air_structure(const Piece &piece) {
  const std::string source = piece.media ? piece.media->source : "";
  const bool is_still = !piece.media || piece.media->is_still;
  const bool has_audio = piece.media && piece.media->has_audio;
  return structure("genchannel-on-air", "id", G_TYPE_STRING, piece.id.c_str(), "title", G_TYPE_STRING,
                   piece.title.c_str(), "kind", G_TYPE_STRING, to_word(piece.kind), "frame", G_TYPE_UINT64,
                   piece.start, "duration-frames", G_TYPE_UINT64, piece.frames, "source", G_TYPE_STRING,
                   source.c_str(), "still", G_TYPE_BOOLEAN, static_cast<gboolean>(is_still), "audio",
                   G_TYPE_BOOLEAN, static_cast<gboolean>(has_audio));
}

StructurePtr ahead_structure(const ChannelAhead &item) {
  return structure("genchannel-ahead", "id", G_TYPE_STRING, item.id.c_str(), "title", G_TYPE_STRING,
                   item.title.c_str(), "state", G_TYPE_STRING, to_word(item.state), "frame", G_TYPE_UINT64,
                   item.frame, "duration-frames", G_TYPE_UINT64, item.frames);
}

StructurePtr fallback_structure(const Piece &piece) {
  return structure("genchannel-fallback", "for", G_TYPE_STRING, piece.stands_for.c_str(), "reason",
                   G_TYPE_STRING, piece.reason.c_str(), "frame", G_TYPE_UINT64, piece.start);
}

StructurePtr rundown_structure(const RundownNotice &notice) {
  return structure("genchannel-rundown", "accepted", G_TYPE_BOOLEAN, static_cast<gboolean>(notice.accepted),
                   "items", G_TYPE_UINT, static_cast<guint>(notice.items), "line", G_TYPE_UINT, notice.line,
                   "text", G_TYPE_STRING, notice.text.c_str(), "edited", G_TYPE_BOOLEAN,
                   static_cast<gboolean>(notice.is_edited));
}

StructurePtr budget_structure(const std::optional<BudgetNotice> &notice) {
  const BudgetNotice told = notice.value_or(BudgetNotice{});
  const std::string resumes = told.resumes ? utc_text(*told.resumes) : "";
  return structure("genchannel-budget", "unit", G_TYPE_STRING, told.unit.c_str(), "limit", G_TYPE_DOUBLE,
                   told.limit, "spent", G_TYPE_DOUBLE, told.spent, "reserved", G_TYPE_DOUBLE, told.reserved,
                   "resumes-at", G_TYPE_STRING, resumes.c_str(), "text", G_TYPE_STRING, told.text.c_str(),
                   "paused", G_TYPE_BOOLEAN, static_cast<gboolean>(notice.has_value()));
}

StructurePtr alarm_structure(const std::string &kind, const std::string &text, bool is_active) {
  return structure("genchannel-alarm", "kind", G_TYPE_STRING, kind.c_str(), "text", G_TYPE_STRING,
                   text.c_str(), "active", G_TYPE_BOOLEAN, static_cast<gboolean>(is_active));
}

StructurePtr stats_structure(const ChannelSnapshot &status) {
  return structure("genchannel-stats", "frames", G_TYPE_UINT64, status.stage.frames, "audio-frames",
                   G_TYPE_UINT64, status.stage.audio_frames, "aired", G_TYPE_UINT64, status.counts.aired,
                   "fallbacks", G_TYPE_UINT64, status.counts.fallbacks, "slates", G_TYPE_UINT64,
                   status.counts.slates, "late", G_TYPE_UINT64, status.stage.late, "dropped", G_TYPE_UINT64,
                   status.stage.dropped, "spent", G_TYPE_DOUBLE, status.spent, "run", G_TYPE_STRING,
                   status.run.c_str(), "channel", G_TYPE_STRING, status.channel.c_str(), "hold",
                   G_TYPE_BOOLEAN, static_cast<gboolean>(status.hold), "asrun-waiting", G_TYPE_UINT64,
                   static_cast<guint64>(status.asrun_waiting));
}

}  // namespace genclip
