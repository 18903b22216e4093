// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/caption/random_answers.h"

#include <glib.h>

#include <algorithm>

namespace genclip::test {
namespace {

template <typename Take>
void for_each_character(std::string_view text, Take take) {
  for (size_t at = 0; at < text.size();) {
    const gunichar c = g_utf8_get_char(text.data() + at);
    const auto size = static_cast<size_t>(g_utf8_next_char(text.data() + at) - (text.data() + at));
    take(c, text.substr(at, size));
    at += size;
  }
}

bool is_within(gunichar c, std::initializer_list<std::pair<gunichar, gunichar>> ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const auto &range) { return range.first <= c && c <= range.second; });
}

bool is_direction_control(gunichar c) {
  return is_within(c, {{0x200E, 0x200F}, {0x202A, 0x202E}, {0x2066, 0x2069}});
}

}  // namespace

const std::vector<Script> &scripts() {
  static const auto &all = *new std::vector<Script>{
      {"Latin",
       true,
       {"a",
        "man",
        "in",
        "the",
        "red",
        "coat",
        "walks",
        "well-known",
        "lighthouse",
        "cafe\u0301",
        "I'm",
        "na\u00EFve",
        "3.50",
        "Dr.",
        "e.g.",
        "e\u0301te\u0301",
        "👨‍👩‍👧",
        "👍🏽",
        "https://example.com/a/very/long/path/that/never/ends/at/all",
        "Donaudampfschifffahrtsgesellschaft",
        "Rindfleischetikettierungs\u00ADueberwachungsaufgabengesetz",
        "10\u00A0km",
        "\"quoted\"",
        "(so)"},
       {",", ";", ":", " –"},
       {".", "!", "?", "…"}},
      {"Cyrillic",
       true,
       {"и", "человек", "в", "красном", "пальто", "идёт", "по", "берегу", "моря", "достопримечательность",
        "й\u0301"},
       {",", ";", " —"},
       {".", "!", "?"}},
      {"Greek",
       true,
       {"ο", "άνδρας", "περπατά", "στην", "παραλία", "καὶ", "θάλασσα"},
       {",", "·"},
       {".", "!"}},
      {"Devanagari",
       true,
       {"लाल", "कोट", "पहने", "एक", "आदमी", "समुद्र", "तट", "पर", "चलता", "है", "क्षत्रिय", "हिन्दी"},
       {","},
       {"।", "?"}},
      {"Arabic",
       true,
       {"رجل", "يرتدي", "معطفًا", "أحمر", "يمشي", "على", "طول", "الشاطئ", "WhatsApp", "\u2067GStreamer",
        "1.22\u2069", "\u202Bدمشق", "حلب\u202C"},
       {"،", "؛"},
       {".", "؟"}},
      {"Hebrew",
       true,
       {"איש", "במעיל", "אדום", "הולך", "לאורך", "החוף", "שָׁלוֹם", "\u2066HTML", "5\u2069"},
       {","},
       {".", "!"}},
      {"Chinese",
       false,
       {"一", "个", "穿", "红", "色", "外", "套", "男", "人", "沿", "着", "海", "滩", "散", "步", "「", "」",
        "3", "GStreamer"},
       {"，", "；", "、"},
       {"。", "！", "？"}},
      {"Japanese",
       false,
       {"赤い", "コート", "を", "着た", "男性", "が", "ビーチ", "コンピューターグラフィックス", "歩いて",
        "いる", "ｶﾞ", "が\u3099"},
       {"、"},
       {"。", "！"}},
      {"Thai",
       false,
       {"ชาย", "คน", "หนึ่ง", "สวม", "เสื้อ", "คลุม", "สี", "แดง", "เดิน", "ไป", "ตาม", "ชายหาด", "สุนัข", "น้ำ", "ที่"},
       {" ", ","},
       {" ", "!"}},
  };
  return all;
}

RandomAnswer random_answer(const Script &script, std::mt19937 &random) {
  const auto pick = [&](size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); };
  RandomAnswer answer;
  const bool may_have_lines = pick(4) == 0;
  // Short answers are as frequent as long ones.
  const size_t count = 1 + pick(pick(20) == 0 ? 400 : 1 + pick(60));
  for (size_t i = 0; i < count; ++i) {
    std::string word = script.words[pick(script.words.size())];
    const size_t kind = pick(12);
    if (kind == 0) word += script.sentence_ends[pick(script.sentence_ends.size())];
    if (kind == 1 || kind == 2) word += script.phrase_ends[pick(script.phrase_ends.size())];
    answer.words.push_back(word);
    answer.text += word;
    if (i + 1 == count) break;
    if (may_have_lines && pick(8) == 0) {
      while (answer.text.ends_with(' ')) answer.text.pop_back();
      answer.text += '\n';
      answer.has_lines = true;
    } else if (script.has_spaces) {
      answer.text += ' ';
    }
  }
  while (answer.text.ends_with(' ')) answer.text.pop_back();
  return answer;
}

size_t width(std::string_view text) {
  size_t columns = 0;
  for_each_character(text, [&](gunichar c, std::string_view) {
    const GUnicodeType type = g_unichar_type(c);
    const bool has_none = (type == G_UNICODE_NON_SPACING_MARK || type == G_UNICODE_ENCLOSING_MARK ||
                           type == G_UNICODE_FORMAT) &&
                          c != 0xAD;
    const bool is_wide = is_within(c, {{0x1100, 0x115F},
                                       {0x2E80, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFF00, 0xFF60},
                                       {0x1F300, 0x1FAFF},
                                       {0x20000, 0x3FFFD}});
    columns += has_none ? 0 : is_wide ? 2 : 1;
  });
  return columns;
}

std::string letters(std::string_view text) {
  constexpr std::u32string_view kLeftOut = U"…,;:–—،؛、，；：·";
  std::string left;
  for_each_character(text, [&](gunichar c, std::string_view bytes) {
    const bool is_left_out =
        g_unichar_isspace(c) || is_direction_control(c) || kLeftOut.find(c) != kLeftOut.npos;
    if (!is_left_out) left += bytes;
  });
  return left;
}

bool begins_inside_a_cluster(std::string_view text) {
  gunichar first = 0;
  for_each_character(text, [&](gunichar c, std::string_view) {
    if (first == 0 && !is_direction_control(c)) first = c;
  });
  return g_unichar_ismark(first) || first == 0x200D ||
         is_within(first, {{0x1F3FB, 0x1F3FF}, {0xFE00, 0xFE0F}});
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace genclip::test
