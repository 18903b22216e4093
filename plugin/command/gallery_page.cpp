// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/gallery_page.h"

#include <gio/gio.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"
#include "plugin/base/web_page.h"
#include "plugin/command/amounts.h"
#include "plugin/store/clip_cost.h"

// From the generated command-resource.c, whose header does not know C++.
extern "C" GResource *genclip_command_get_resource(void);

namespace genclip {
namespace {

constexpr size_t kShownKey = 8;

// What the build has put into the program cannot be missing.
std::string gallery_part(const char *name) {
  genclip_command_get_resource();  // Sees to it that the resource is linked.
  return resource_text(std::string("/genclip/command/") + name);
}

std::string base64(const std::string &bytes) {
  return GStringPtr(g_base64_encode(reinterpret_cast<const guchar *>(bytes.data()), bytes.size())).get();
}

// Safe as text and in an attribute with quotes.
std::string escaped(const std::string &text) {
  const std::string line = shown_line(text);
  return GStringPtr(g_markup_escape_text(line.data(), static_cast<gssize>(line.size()))).get();
}

std::string attribute(const char *name, const std::string &value) {
  return std::string(" ") + name + "=\"" + escaped(value) + "\"";
}

// An address of a file of this machine; the path alone decides it.
std::string link_to(const std::string &path) {
  const GStringPtr uri(path.empty() ? nullptr : g_filename_to_uri(path.c_str(), nullptr, nullptr));
  return uri ? attribute("href", uri.get()) : "";
}

std::string facts_of(const GalleryClip &clip) {
  std::vector<std::string> facts{clip.model};
  if (clip.take > 0) facts.push_back("take " + std::to_string(clip.take));
  if (clip.amount >= 0) facts.push_back(cost_text(clip.amount));
  if (clip.date > 0) facts.push_back(utc_text(clip.date).substr(0, 10));
  if (clip.state != "complete") facts.push_back(clip.state);
  std::string text;
  for (const std::string &fact : facts)
    if (!fact.empty()) text += (text.empty() ? "" : " · ") + escaped(fact);
  return text;
}

std::string article_of(const GalleryClip &clip) {
  std::string html = "<article" + attribute("data-model", clip.model);
  if (clip.date > 0) html += attribute("data-date", std::to_string(clip.date));
  if (clip.amount >= 0) html += attribute("data-cost", credits_text(clip.amount));
  html += ">\n<a class=\"picture\"" + link_to(clip.path) + ">";
  html += clip.thumbnail.empty() ? "no picture"
                                 : "<img alt=\"\" loading=\"lazy\" src=\"data:image/jpeg;base64," +
                                       base64(clip.thumbnail) + "\">";
  html += "</a>\n<p class=\"prompt\">" + escaped(clip.prompt) + "</p>\n<p class=\"facts\">" + facts_of(clip) +
          " · <span class=\"key\">" + escaped(clip.key.substr(0, kShownKey)) + "</span></p>\n</article>\n";
  return html;
}

}  // namespace

std::string gallery_page(const std::string &title, std::vector<GalleryClip> clips) {
  std::stable_sort(clips.begin(), clips.end(),
                   [](const GalleryClip &a, const GalleryClip &b) { return a.date > b.date; });
  const std::string style = gallery_part("store_gallery.css");
  const std::string script = gallery_part("store_gallery.js");
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src " +
      policy_hash(style) + "; script-src " + policy_hash(script) +
      "; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n<title>" +
      escaped(title) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<header>\n<h1>" +
      escaped(title) +
      "</h1>\n<input id=\"search\" type=\"search\" placeholder=\"Words of a prompt, a model, a date, a key\" "
      "aria-label=\"Search\">\n<select id=\"order\" aria-label=\"Order\">\n"
      "<option value=\"newest\">newest first</option>\n<option value=\"oldest\">oldest first</option>\n"
      "<option value=\"cost\">dearest first</option>\n<option value=\"model\">by model</option>\n"
      "<option value=\"prompt\">by prompt</option>\n</select>\n<span id=\"count\">" +
      std::to_string(clips.size()) + (clips.size() == 1 ? " clip" : " clips") +
      "</span>\n</header>\n<main>\n";
  for (const GalleryClip &clip : clips) html += article_of(clip);
  return html + "</main>\n<script>" + script + "</script>\n</body>\n</html>\n";
}

}  // namespace genclip
