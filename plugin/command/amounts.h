// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Sizes and times as people read and write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace genclip {

// "1.2 GB"; units of 1000.
std::string size_text(uint64_t bytes);
// Reads "500M", "1.5 GB", "2GiB", "1000". K, M, G and T are units of 1000; Ki, Mi, Gi and Ti are units of
// 1024.
std::optional<uint64_t> bytes_of(std::string_view text);
// That text is a small number of bytes without a unit, which probably is a mistake. (0 is none.)
bool lacks_unit(std::string_view text, uint64_t bytes);
// "3 min", "2 h", "5 days"; empty when `since` is 0.
std::string age_text(int64_t since, int64_t now);
// "0:42", "12:05", "1:02:03".
std::string clock_text(int64_t seconds);
// In the user's time zone; empty when 0.
std::string date_text(int64_t time);
// "2026-11-22T06:13:05Z", for programs; empty when 0.
std::string utc_text(int64_t time);

}  // namespace genclip
