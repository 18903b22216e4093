// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Both searches go from the end to the start: the cost of a piece is the cost of the best way from it to the
// end.
#include "plugin/caption/cue_breaks.h"

#include <compare>
#include <limits>

namespace genclip {
namespace {

using Pieces = std::span<const TextPiece>;

struct Cost {
  size_t lines = 0;  // counts first
  double looks = 0;
  friend auto operator<=>(const Cost &, const Cost &) = default;
};
constexpr Cost kWorst{std::numeric_limits<size_t>::max(), 0};

double square(size_t columns) { return static_cast<double>(columns) * static_cast<double>(columns); }

double cost_of_break(const TextPiece &piece) {
  if (piece.ends_line) return 0;
  switch (piece.end) {
    case TextEnd::sentence: return 0;
    case TextEnd::phrase: return 1;
    case TextEnd::word: return 3;
    case TextEnd::none: return 4;
  }
  return 4;
}

// Columns of the line if that piece joins it.
size_t columns_with(size_t columns, Pieces pieces, size_t begin, size_t at) {
  return at == begin ? pieces[at].columns : columns + pieces[at - 1].blank_columns + pieces[at].columns;
}

bool is_too_long(size_t columns, size_t line_columns) { return line_columns > 0 && columns > line_columns; }

// How many pieces from `begin` fit into one cue.
size_t most_in_cue(Pieces pieces, size_t begin, const CueLimits &limits) {
  if (limits.lines == 0) return pieces.size();
  size_t lines = 1;
  size_t line_begin = begin;
  size_t columns = 0;
  for (size_t at = begin; at < pieces.size(); ++at) {
    columns = columns_with(columns, pieces, line_begin, at);
    const bool is_next = at > begin && (pieces[at - 1].ends_line ||
                                        (at > line_begin && is_too_long(columns, limits.line_columns)));
    if (!is_next) continue;
    if (++lines > limits.lines) return at;
    line_begin = at;
    columns = pieces[at].columns;
  }
  return pieces.size();
}

std::vector<size_t> way_of(const std::vector<size_t> &next) {
  std::vector<size_t> ends;
  for (size_t at = 0; at + 1 < next.size(); at = next[at]) ends.push_back(next[at]);
  return ends;
}

}  // namespace

std::vector<size_t> line_breaks(Pieces pieces, size_t line_columns) {
  const size_t count = pieces.size();
  if (line_columns == 0) {
    // Only the text itself has lines.
    std::vector<size_t> ends;
    for (size_t at = 0; at < count; ++at)
      if (pieces[at].ends_line || at + 1 == count) ends.push_back(at + 1);
    return ends;
  }
  // A break inside a phrase costs as much as lines of which one is a quarter longer than the other.
  const double break_weight = square(line_columns) / 16;
  std::vector<Cost> best(count + 1, kWorst);
  std::vector<size_t> next(count + 1);
  best[count] = {};
  for (size_t begin = count; begin-- > 0;) {
    size_t columns = 0;
    for (size_t end = begin + 1; end <= count; ++end) {
      columns = columns_with(columns, pieces, begin, end - 1);
      if (end > begin + 1 && is_too_long(columns, line_columns)) break;
      Cost cost{best[end].lines + 1, best[end].looks + square(columns)};
      if (end < count) cost.looks += break_weight * cost_of_break(pieces[end - 1]);
      if (cost < best[begin]) {
        best[begin] = cost;
        next[begin] = end;
      }
      if (pieces[end - 1].ends_line) break;
    }
  }
  return way_of(next);
}

std::vector<size_t> cue_breaks(Pieces pieces, const CueLimits &limits, CueWish wish) {
  const size_t count = pieces.size();
  if (limits.lines == 0) return {count};
  size_t all_columns = 0;
  for (const TextPiece &piece : pieces) all_columns += piece.columns + piece.blank_columns;
  const double whole =
      limits.line_columns > 0 ? square(limits.line_columns * limits.lines) : square(all_columns);
  std::vector<Cost> best(count + 1, kWorst);
  std::vector<size_t> next(count + 1);
  best[count] = {};
  for (size_t begin = count; begin-- > 0;) {
    const size_t most = most_in_cue(pieces, begin, limits);
    size_t columns = 0;
    for (size_t end = begin + 1; end <= most; ++end) {
      columns = columns_with(columns, pieces, begin, end - 1);
      // Without a limit, the lines of the text stay whole.
      if (limits.line_columns == 0 && end < count && !pieces[end - 1].ends_line) continue;
      // Another cue costs twice as much as a break after a phrase, and less than one inside a phrase.
      Cost cost{wish == CueWish::few ? best[end].lines + 1 : 0,
                best[end].looks + 2 + square(columns) / whole / 2};
      if (end < count) cost.looks += cost_of_break(pieces[end - 1]);
      if (cost < best[begin]) {
        best[begin] = cost;
        next[begin] = end;
      }
    }
  }
  return way_of(next);
}

}  // namespace genclip
