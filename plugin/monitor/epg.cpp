// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Writes XMLTV: https://github.com/XMLTV/xmltv/blob/master/xmltv.dtd says what it may hold.
#include <glib.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"
#include "plugin/base/version.h"
#include "plugin/monitor/channel_status.h"

namespace genclip {
namespace {

constexpr double kLongest = 1e9;  // Seconds; a nonsensical length must not overflow.

// Text and attribute values: UTF-8 of characters that XML 1.0 has.
std::string xml(const std::string &any) {
  std::string allowed;
  const std::string line = shown_line(any);
  for (const char *at = line.c_str(); *at; at = g_utf8_next_char(at)) {
    const gunichar character = g_utf8_get_char(at);
    if (character != 0xFFFE && character != 0xFFFF)
      allowed.append(at, static_cast<size_t>(g_utf8_next_char(at) - at));
  }
  return GStringPtr(g_markup_escape_text(allowed.c_str(), static_cast<gssize>(allowed.size()))).get();
}

std::string xmltv_time(Clock::WallTime time) {
  const auto seconds = std::chrono::round<std::chrono::seconds>(time.time_since_epoch()).count();
  const auto date = GRef<GDateTime>::adopt(g_date_time_new_from_unix_utc(seconds));
  if (!date) return {};  // Beyond the year 9999.
  return GStringPtr(g_date_time_format(date.get(), "%Y%m%d%H%M%S +0000")).get();
}

// XMLTV asks for the form of a host name.
std::string channel_id(const std::string &channel) {
  std::string id;
  for (const char letter : channel)
    if (g_ascii_isalnum(letter))
      id += g_ascii_tolower(letter);
    else if (!id.empty() && id.back() != '-')
      id += '-';
  while (id.ends_with('-')) id.pop_back();
  return (id.empty() ? "channel" : id) + ".genclip";
}

class Guide {
 public:
  explicit Guide(const ChannelStatus &status) : id_(channel_id(status.channel)) {
    const std::string name = status.channel.empty() ? "genclip" : status.channel;
    text_ =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE tv SYSTEM \"xmltv.dtd\">\n<tv "
        "generator-info-name=\"genclip " +
        xml(GENCLIP_VERSION) + "\">\n  <channel id=\"" + id_ + "\">\n    <display-name>" + xml(name) +
        "</display-name>\n  </channel>\n";
  }

  void programme(Clock::WallTime start, Clock::WallTime stop, const std::string &title,
                 const std::string &id) {
    const std::string from = xmltv_time(start), to = xmltv_time(stop);
    if (from.empty() || to.empty() || from == to) return;
    const std::string shown = xml(title.empty() ? id : title);
    text_ += "  <programme start=\"" + from + "\" stop=\"" + to + "\" channel=\"" + id_ + "\">\n    <title>" +
             (shown.empty() ? "-" : shown) + "</title>\n  </programme>\n";
  }

  std::string take() { return std::move(text_) + "</tv>\n"; }

 private:
  const std::string id_;
  std::string text_;
};

}  // namespace

std::string epg_xmltv(const ChannelStatus &status) {
  Guide guide(status);
  if (status.now && status.now->kind == "clip" && status.frames_per_second > 0) {
    const double length = static_cast<double>(status.now->duration_frames) / status.frames_per_second;
    const std::chrono::milliseconds rounded(std::llround(std::min(length, kLongest) * 1000));
    guide.programme(status.now->since, status.now->since + rounded, status.now->title, status.now->id);
  }
  for (size_t at = 0; at < status.ahead.size(); ++at) {
    const AheadItem &item = status.ahead[at];
    if (item.duration.count() > 0)
      guide.programme(item.start, item.start + item.duration, item.title, item.id);
    else if (at + 1 < status.ahead.size())
      guide.programme(item.start, status.ahead[at + 1].start, item.title, item.id);
  }
  return guide.take();
}

}  // namespace genclip
