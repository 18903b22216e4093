// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A word such as "pending" must not become an address below the base URL.
#include "plugin/task/result_search.h"

#include <glib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "plugin/base/gref.h"
#include "plugin/base/name_letters.h"
#include "plugin/base/replace_all.h"
#include "plugin/base/trimmed.h"
#include "plugin/catalog/media_extension.h"
#include "plugin/http/display_line.h"
#include "plugin/http/http_url.h"
#include "plugin/task/media_format.h"
#include "plugin/task/task_object.h"
#include "plugin/task/task_wire.h"

namespace genclip {
namespace {

constexpr int kMaxNesting = 12;
constexpr size_t kMaxUrls = 2000;
constexpr size_t kMaxItems = 200;  // Of one list.
constexpr size_t kMaxFieldLength = 60;
constexpr size_t kMaxShapeLength = 300;
constexpr size_t kMaxScheme = 20;
constexpr size_t kMaxNestedText = 256 * 1024;
constexpr size_t kMostCountDigits = 2;  // "video_2" is a second one, "video_720" a size.
constexpr const char *kDigits = "0123456789";
constexpr size_t kMostSizeDigits = 4;
// Any other number alone may be an ID.
constexpr int kBareSizes[] = {144, 240, 360, 480, 540, 720, 1080, 1440, 2160, 4320};
constexpr int kPixelsOfK = 540;  // 4k is 3840x2160.

// All names here are in lower case and without separators.
//
// Under these names services put results, the best first.
constexpr std::string_view kUsualNames[] = {
    "videourl", "resulturl",   "output",    "video",     "videos",     "content",   "url",
    "result",   "results",     "data",      "outputurl", "resulturls", "videourls", "downloadurl",
    "fileurl",  "taskresult",  "outputs",   "urls",      "imageurl",   "imageurls", "image",
    "images",   "generations", "creations", "artifacts", "assets",     "works",     "clips"};
// Those of them that the interface document knows.
constexpr std::string_view kDocumentedNames[] = {"videourl", "resulturl", "output"};
// A name with one of these words is of a picture of the video. The word may have a usual name or one of the
// others beside it: "coverurl", but not "recovered".
constexpr std::string_view kPictureWords[] = {"cover", "covers", "thumbnail", "thumbnails",
                                              "thumb", "thumbs", "poster",    "posters"};
constexpr std::string_view kBesidePicture[] = {"img", "imgs", "pic", "pics", "link", "links", "uri", "src"};
// So is one with one of these in it, or it is of what the request has.
constexpr std::string_view kOtherMedia[] = {"lastframe", "firstimage", "lastimage", "tailimage"};
// Perhaps it is, or of a hook, but "frame" is a part of "interpolatedframes".
constexpr std::string_view kDoubtfulParts[] = {"snapshot", "frame",    "reference", "sprite", "screenshot",
                                               "avatar",   "callback", "webhook",   "notify", "prompt"};
// Under a name that ends so there is a text, which may name other videos.
constexpr std::string_view kPrompts[] = {"prompt", "prompts"};
// Names of what belongs to the request or to the API.
constexpr std::string_view kNoResults[] = {
    "error", "input",     "inputs",      "request",   "params",   "parameters", "options", "arguments",
    "usage", "statusurl", "responseurl", "cancelurl", "queryurl", "get",        "cancel",  "self"};
// So are all names with one of these words, and those of what belongs to another task.
constexpr std::string_view kNoResultWords[] = {"input",   "inputs",  "reference", "references",
                                               "parent",  "parents", "previous",  "prev",
                                               "history", "invoice", "invoices"};
// Mostly so, but a result may be uploaded, referred to, made from a template or without a logo, and a player
// has sources.
constexpr std::string_view kDoubtfulWords[] = {"source", "sources", "upload", "uploads",  "uploaded", "ref",
                                               "refs",   "logo",    "logos",  "template", "templates"};
// Under these names stands what a URL beside it is for: "reference_video".
constexpr std::string_view kRoleNames[] = {"role", "purpose"};
// Names of what can be watched, and perhaps is not the clip.
constexpr std::string_view kPreview = "preview";
constexpr std::string_view kPages[] = {"web", "stream"};
// A name with one of these in it is of another version of a result.
constexpr std::string_view kVariants[] = {"watermark", "backup", "origin", "progress", "gif"};
// Before that word, these make it the name of the best version. So does the other one.
constexpr std::string_view kWithout[] = {"no", "without", "un", "non"};
constexpr std::string_view kWatermark[] = {"watermarked", "watermark"};
constexpr std::string_view kClean = "clean";
// Lists with one of these in their name have one clip several times.
constexpr std::string_view kVersions[] = {"resolution", "qualit",  "rendition", "formats", "mirror",
                                          "transcod",   "bitrate", "codec",     "720",     "1080"};
constexpr std::string_view kLabelNames[] = {"quality", "resolution", "definition",
                                            "format",  "height",     "bitrate"};
constexpr std::string_view kUnits[] = {"k", "x", "s", "sec", "fps", "hz", "bit"};
constexpr std::string_view kTypeNames[] = {"type", "contenttype", "mimetype", "mediatype", "kind"};
constexpr std::string_view kFormatName = "format";
// Extensions, and words for types, of files that stand beside a clip.
constexpr std::string_view kOtherFiles[] = {"m3u8", "mpd", "zip", "srt",  "vtt", "ass", "json", "txt",
                                            "log",  "csv", "md",  "html", "htm", "xml", "pdf",  "text"};
constexpr std::string_view kOtherTypes[] = {"application/", "text/"};

// What a URL's query has anew when it is signed again, beside what names_secret() knows: in lower case, and
// their beginnings and ends. But "key=a.mp4" names a file.
constexpr std::string_view kOfSignature[] = {
    "expires",   "expire", "expiry", "exp", "e",   "s",   "t",  "ts", "wstime",
    "timestamp", "nonce",  "policy", "st",  "se",  "sp",  "sv", "sr", "spr",
    "skoid",     "sktid",  "skt",    "ske", "sks", "skv", "sip"};
constexpr std::string_view kSignatureBegins[] = {"x-", "q-", "response-"};
constexpr std::string_view kSignatureEnds[] = {"accesskeyid", "accessid", "key-pair-id"};
constexpr std::string_view kFileKey = "key";

// Of addresses without a host. Any other word before a colon may be a text.
constexpr std::string_view kBareSchemes[] = {"data", "blob", "magnet", "ipfs", "ipns", "cid", "urn"};

bool is_one_of(const std::string &name, const auto &names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool has_one_of(const std::string &name, const auto &parts) {
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](std::string_view part) { return name.find(part) != name.npos; });
}

// "videourl" of "videourlwithoutwatermark", "url" of "cleanurl", "" of "unwatermarked": what is left of a
// name that says that there is no watermark. Beside the other word, that must be a usual name.
std::optional<std::string> name_of_clean(const std::string &letters) {
  const auto without = [&](const std::string &words) -> std::optional<std::string> {
    const size_t at = letters.find(words);
    return at == letters.npos ? std::nullopt : std::optional(std::string(letters).erase(at, words.size()));
  };
  for (const std::string_view watermark : kWatermark)
    for (const std::string_view word : kWithout)
      if (auto rest = without(std::string(word) + std::string(watermark))) return rest;
  auto rest = without(std::string(kClean));
  return rest && (rest->empty() || is_one_of(*rest, kUsualNames)) ? rest : std::nullopt;
}

// "no_watermark", "unwatermarked" and "clean_url", but not "watermark".
bool is_without_watermark(const std::string &letters) { return name_of_clean(letters).has_value(); }

// Whether two values can be one result each, or lists of the same results.
bool are_alike(const Json &one, const Json &other) {
  if (one.array() && other.array()) return one.array()->size() == other.array()->size();
  return (one.string() && other.string()) || (one.object() && other.object());
}

// What a name says that is nothing but the size or the format of a version.
struct VersionName {
  int size = 0;            // "1080p", "1080", "1920x1080" and "2k": the pixels of a side; 0: none.
  std::string media_type;  // "mp4"; empty: none.
};

std::optional<VersionName> version_name(const std::string &letters) {
  for (const MediaExtension &known : media_extensions())
    if (letters == known.text) return VersionName{0, std::string(known.media_type)};
  std::string_view rest = letters;
  const size_t digits = std::min(rest.find_first_not_of(kDigits), rest.size());
  if (digits == 0 || digits > kMostSizeDigits) return std::nullopt;
  const int size = std::atoi(letters.substr(0, digits).c_str());
  rest.remove_prefix(digits);
  if (rest == "k") return VersionName{size * kPixelsOfK, {}};
  if (digits <= kMostCountDigits) return std::nullopt;
  if (rest.starts_with('x')) {
    const std::string other(rest.substr(1));
    const bool is_number =
        !other.empty() && other.size() <= kMostSizeDigits && other.find_first_not_of(kDigits) == other.npos;
    return is_number ? std::optional(VersionName{std::min(size, std::atoi(other.c_str())), {}})
                     : std::nullopt;
  }
  const bool is_size =
      rest == "p" || (rest.empty() && std::ranges::find(kBareSizes, size) != std::end(kBareSizes));
  return is_size ? std::optional(VersionName{size, {}}) : std::nullopt;
}

// "input2" is an input.
bool has_word_of(std::string_view name, const auto &words) {
  return std::ranges::any_of(name_words(name), [&](const std::string &word) {
    return is_one_of(word.substr(0, word.find_last_not_of(kDigits) + 1), words);
  });
}

FoundUrl::Place place_by_name(const std::string &name) {
  if (is_one_of(name, kPages) || name.find(kPreview) != name.npos || has_one_of(name, kDoubtfulParts))
    return FoundUrl::Place::last;
  const bool is_variant = has_one_of(name, kVariants) && !is_without_watermark(name);
  return is_variant ? FoundUrl::Place::variant : FoundUrl::Place::other;
}

bool may_hold_results(const std::string &name) {
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  return !is_one_of(name, kNoResults) && !has_one_of(name, kOtherMedia) &&
         std::ranges::none_of(kPrompts, ends);
}

// "cover_2", "thumbnailUrls" and "videocover", but not "posterior".
bool is_of_picture(std::string_view name) {
  return std::ranges::any_of(name_words(name), [](std::string_view word) {
    return std::ranges::any_of(kPictureWords, [&](std::string_view picture) {
      std::string_view beside = word;
      if (beside.starts_with(picture))
        beside.remove_prefix(picture.size());
      else if (beside.ends_with(picture))
        beside.remove_suffix(picture.size());
      else
        return false;
      beside = beside.substr(0, beside.find_last_not_of(kDigits) + 1);
      const std::string rest(beside);
      return rest.empty() || is_one_of(rest, kUsualNames) || is_one_of(rest, kBesidePicture);
    });
  });
}

// "first_frame" is a role that the media of requests have.
bool is_role_of_no_result(const std::string &role) {
  const std::string letters = name_letters(role);
  return !may_hold_results(letters) || has_one_of(letters, kDoubtfulParts) || is_of_picture(role);
}

// What a member beside a URL says that it is for; empty: nothing.
std::string told_role(const Json::Object &object) {
  for (const auto &[name, value] : object)
    if (value.string() && is_one_of(name_letters(name), kRoleNames)) return *value.string();
  return {};
}

// A path from the root or a host, or the path of a media file.
bool is_reference(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), [](char c) { return g_ascii_iscntrl(c); })) return false;
  const std::string_view path = text.substr(0, text.find_first_of("?#"));
  const std::string_view first = path.substr(0, path.find('/'));
  if (first.find(':') != first.npos || path.find('\\') != path.npos) return false;
  const bool has_blank = text.find(' ') != text.npos;
  const bool is_media =
      !media_type_of_path(text).empty() && path.find_first_not_of("./") != path.rfind('.') + 1;
  if (!path.starts_with('/')) return is_media && !has_blank;
  return path.size() > 1 && (is_media || !has_blank);
}

// "media/task-1": a path without an extension. What stands for nothing is not one: "n/a", "not/available".
bool is_bare_path(std::string_view text) {
  const std::string_view path = text.substr(0, text.find_first_of("?#"));
  const size_t last = path.rfind('/');
  if (last == path.npos || path.starts_with('/') || path.find_first_of(" :\\") != path.npos) return false;
  const auto is_type = [path](const MediaExtension &known) {
    return known.media_type.size() == path.size() &&
           g_ascii_strncasecmp(known.media_type.data(), path.data(), path.size()) == 0;
  };
  const bool is_nothing = path.size() <= std::strlen("none/none") || path.starts_with("not/");
  const bool has_digit = std::ranges::any_of(path, [](char c) { return g_ascii_isdigit(c); });
  return std::ranges::any_of(path, [](char c) { return g_ascii_isalpha(c); }) && (has_digit || !is_nothing) &&
         std::ranges::none_of(media_extensions(), is_type);
}

bool is_of_signature(std::string_view name) {
  const GStringPtr lower(g_ascii_strdown(name.data(), static_cast<gssize>(name.size())));
  const std::string_view letters = lower.get();
  return letters != kFileKey &&
         (names_secret(letters) || is_one_of(std::string(letters), kOfSignature) ||
          std::ranges::any_of(kSignatureBegins, [&](auto begin) { return letters.starts_with(begin); }) ||
          std::ranges::any_of(kSignatureEnds, [&](auto end) { return letters.ends_with(end); }));
}

bool has_web_scheme(std::string_view address) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"http://", "https://"},
                             [&](auto scheme) {
                               return address.size() >= scheme.size() &&
                                      g_ascii_strncasecmp(address.data(), scheme.data(), scheme.size()) == 0;
                             });
}

}  // namespace

std::vector<std::string> urls_amid(std::string_view text) {
  std::vector<std::string> urls;
  for (size_t at = 0; (at = text.find("http", at)) != text.npos && urls.size() < kMaxItems;) {
    const std::string_view rest = text.substr(at);
    const bool is_url = rest.starts_with("http://") || rest.starts_with("https://");
    size_t end = is_url ? 0 : std::strlen("http");
    // A bracket belongs to the URL if it opens there.
    for (int open = 0; is_url && end < rest.size(); ++end) {
      const char c = rest[end];
      if (!g_ascii_isgraph(c) || std::strchr("\"'<>`|\\^", c)) break;
      open += std::strchr("([{", c) ? 1 : std::strchr(")]}", c) ? -1 : 0;
      if (open < 0) break;
    }
    std::string_view url = rest.substr(0, end);
    while (is_url && std::strchr(".,;:!?", url.back())) url.remove_suffix(1);
    // **bold** in Markdown.
    while (is_url && at > 0 && text[at - 1] == '*' && url.ends_with('*')) url.remove_suffix(1);
    if (is_url) urls.push_back(replace_all(url, "&amp;", "&"));
    at += end;
  }
  return urls;
}

std::string without_signature(std::string_view url) {
  const std::string_view address = url.substr(0, url.find('#'));
  const size_t begin = std::min(address.find('?'), address.size());
  std::string result(address.substr(0, begin));
  bool has_query = false;
  for (std::string_view query = address.substr(begin); !query.empty();) {
    query.remove_prefix(1);
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(pair.size());
    if (pair.empty() || (pair.find('=') != pair.npos && is_of_signature(pair.substr(0, pair.find('=')))))
      continue;
    result.append(1, std::exchange(has_query, true) ? '&' : '?').append(pair);
  }
  return result;
}

std::vector<std::string_view> joined_urls(std::string_view text) {
  std::vector<std::string_view> urls;
  if (!has_web_scheme(text) || text.find("://") == text.rfind("://")) return urls;
  size_t begin = 0;
  bool is_query = false, has_url_in_query = false;
  for (size_t at = 1; at <= text.size() && urls.size() < kMaxItems; ++at) {
    const bool is_blank = g_ascii_isspace(text[at - 1]);
    const bool is_behind = is_blank || std::strchr(",;|", text[at - 1]);
    if (at == text.size() ||
        (is_behind && has_web_scheme(text.substr(at)) && (is_blank || !has_url_in_query))) {
      const std::string_view url = text.substr(begin, at - begin);
      urls.push_back(url.substr(0, url.find_last_not_of(",;| \t\r\n") + 1));
      begin = at;
      is_query = has_url_in_query = false;
    } else {
      is_query = is_query || text[at] == '?';
      has_url_in_query = has_url_in_query || (is_query && text.substr(at).starts_with("://"));
    }
  }
  if (urls.size() == 1) urls.clear();
  return urls;
}

namespace {

// "https://a/x and", of a sentence. The name of a file may have blanks, too.
bool has_words(std::string_view url) {
  return url.find_first_of(" \t\r\n") != url.npos && media_type_of_path(url).empty();
}

// "ftp" of ftp://…, "blob" of blob:…; empty for a web address and for what is not an address.
std::string scheme_of(const std::string &address) {
  const auto colon = address.find(':');
  if (colon == address.npos || colon < 2 || colon > kMaxScheme || has_web_scheme(address)) return {};
  const std::string_view scheme = std::string_view(address).substr(0, colon);
  const bool is_scheme = std::all_of(scheme.begin(), scheme.end(), [](char c) {
    return g_ascii_isalnum(c) || c == '+' || c == '-' || c == '.';
  });
  const bool has_host = address.compare(colon, 3, "://") == 0;
  const bool is_known = is_one_of(std::string(scheme), kBareSchemes);
  return is_scheme && (has_host || is_known) ? std::string(scheme) : std::string();
}

// "image/*" where a member beside a URL says "image" or "image/png"; empty: nothing says so.
std::string told_type(const Json::Object &object) {
  for (const auto &[name, value] : object) {
    if (!value.string() || !is_one_of(name_letters(name), kTypeNames)) continue;
    for (const char *kind : {"image", "video", "audio"})
      if (g_ascii_strncasecmp(value.string()->c_str(), kind, std::strlen(kind)) == 0)
        return std::string(kind) + "/*";
  }
  return {};
}

// "video/*" and "video/mp4".
bool is_same_kind(std::string_view one, std::string_view other) {
  return one.substr(0, one.find('/')) == other.substr(0, other.find('/'));
}

// "v.jpg" of "https://a/b/v.jpg?c=d".
std::string_view file_name_of(std::string_view url) {
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  return path.substr(path.rfind('/') + 1);
}

// "thumb_1.webp" and "Last-Frame.png".
bool is_file_of_picture(std::string_view url) {
  const std::string letters = name_letters(file_name_of(url));
  return is_of_picture(file_name_of(url)) || has_one_of(letters, kOtherMedia) ||
         has_one_of(letters, kDoubtfulParts);
}

bool has_extension_of_other(std::string_view url) {
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  const auto dot = path.find_last_of("./");
  return dot != path.npos && path[dot] == '.' && is_one_of(name_letters(path.substr(dot + 1)), kOtherFiles);
}

// A member beside a URL says that it is neither a picture, a video nor sound.
bool is_told_other(const Json::Object &object) {
  return std::ranges::any_of(object, [](const Json::Member &member) {
    const std::string name = name_letters(member.first);
    if (!member.second.string() || (name != kFormatName && !is_one_of(name, kTypeNames))) return false;
    if (is_one_of(name_letters(*member.second.string()), kOtherFiles)) return true;
    const std::string type = telling_media_type(*member.second.string());
    const auto is_begin = [&](std::string_view begin) { return type.starts_with(begin); };
    return std::ranges::any_of(kOtherTypes, is_begin) && !may_be(type, std::nullopt);
  });
}

// "720p mp4" of an object with these; empty: nothing tells it from another version.
std::string told_label(const Json::Object &object) {
  std::string label;
  for (const auto &[name, value] : object)
    if ((value.string() || value.integer()) && is_one_of(name_letters(name), kLabelNames))
      label += (label.empty() ? "" : " ") + (value.string() ? *value.string() : value.to_text());
  return label;
}

// "mp4" and "mp3" are not numbers of one name.
bool has_extension_with_digit(const std::string &letters) {
  return std::ranges::any_of(media_extensions(), [&](const MediaExtension &known) {
    return known.text.find_first_of(kDigits) != known.text.npos && letters.find(known.text) != letters.npos;
  });
}

// What follows a number there makes it a size, a rate or a length: "4k", "60fpsurl".
bool begins_with_unit(std::string_view rest) {
  return std::ranges::any_of(kUnits, [&](std::string_view unit) {
    if (!rest.starts_with(unit)) return false;
    const std::string behind(rest.substr(unit.size()));
    return behind.empty() || is_one_of(behind, kUsualNames);
  });
}

// "videourl" of "videourl2" and of "video2url"; empty of "2".
std::string without_count(const std::string &letters) {
  const size_t begin = letters.find_first_of(kDigits);
  if (begin == letters.npos || has_extension_with_digit(letters)) return letters;
  const size_t end = std::min(letters.find_first_not_of(kDigits, begin), letters.size());
  const bool is_count = end - begin <= kMostCountDigits &&
                        letters.find_first_of(kDigits, end) == letters.npos &&
                        !begins_with_unit(std::string_view(letters).substr(end));
  return is_count ? letters.substr(0, begin) + letters.substr(end) : letters;
}

// Where a value stands, and all that this says of a URL there.
struct Step : FoundUrl {
  bool is_address = false;   // The name says so.
  bool is_wrapped = true;    // By nothing but objects under names of wrappers.
  bool is_doubtful = false;  // A name, a role or an ID says that it is not the task's, perhaps.
  int depth = 0;

  void doubt() {
    is_doubtful = true;
    place = Place::last;
  }

  Step inside(const std::string &name) const {
    Step step = *this;
    step.field += name;
    ++step.depth;
    return step;
  }

  // A list of several has one result in each item, unless that has a list of several results itself.
  Step as_item(int number, size_t count, size_t place_in_it) const {
    Step step = *this;
    if (items <= 1) {
      step.list = number;
      step.items = count;
      step.item = place_in_it;
    }
    return step;
  }
};

class Search {
 public:
  Search(std::string_view base_url, const Secrets &secrets, std::string_view asked)
      : base_url_(base_url), secrets_(secrets), asked_(asked) {
    while (base_url_.ends_with('/')) base_url_.remove_suffix(1);
  }

  void visit(const Json &json, const Step &step) {
    if (step.depth > kMaxNesting || found_.urls.size() >= kMaxUrls) return;
    if (const auto *text = json.string()) return visit_text(*text, step);
    if (const auto *list = json.array()) return visit_list(*list, step);
    const auto *object = json.object();
    if (!object) return;
    // Of the whole answer, it is about something else.
    const std::string role = step.depth > 0 ? told_role(*object) : std::string();
    if (is_role_of_no_result(role) || has_word_of(role, kNoResultWords)) return;
    Step inside = step;
    // A gateway may wrap the answer of a service, whose task has an ID there.
    if (has_word_of(role, kDoubtfulWords) || (!step.is_wrapped && has_other_task_id(json, asked_)))
      inside.doubt();
    visit_object(*object, inside);
  }

  FoundUrls take() && {
    if (found_.urls.empty() && last_resort_) found_.urls.push_back(std::move(*last_resort_));
    return std::move(found_);
  }

 private:
  void visit_text(const std::string &text, const Step &step) {
    const std::string_view bare = trimmed(text);
    const bool may_be_json = bare.starts_with('{') || bare.starts_with('[') || bare.starts_with('"');
    if (may_be_json && bare.size() <= kMaxNestedText)
      if (const auto nested = Json::parse(bare)) return visit(*nested, step.inside(""));
    Step here = step;
    here.is_relative = !has_web_scheme(bare);
    if (const auto urls = joined_urls(bare); !urls.empty() && std::ranges::none_of(urls, has_words))
      return visit_items(urls.size(), step, [&](size_t i, const Step &item) {
        visit_text(std::string(urls[i]), item.inside("[" + std::to_string(i) + "]"));
      });
    if (std::string url = read_address(bare, step); !url.empty()) return add(std::move(url), here);
    const std::string other = scheme_of(std::string(bare));
    if (other.empty() || bare.find(' ') != bare.npos) visit_urls_amid(bare, step);
    if (!last_resort_ && step.is_address && is_bare_path(bare))
      if (std::string guess = resolve(bare, step); !guess.empty())
        if (!is_of_a_task(guess)) last_resort_ = found_at(here, std::move(guess), step.media_type);
    if (step.depth > 0 && found_.other_scheme.empty()) found_.other_scheme = other;
  }

  void add(std::string url, const Step &step) {
    if (is_of_a_task(url)) return;
    const std::string by_path = media_type_of_path(url);
    FoundUrl found = found_at(step, std::move(url), by_path.empty() ? step.media_type : by_path);
    if (found.place != FoundUrl::Place::last || step.is_doubtful || found.media_type.starts_with("video/"))
      found_.urls.push_back(std::move(found));
  }

  // Any text may name pages, so such a URL needs the extension of media.
  void visit_urls_amid(std::string_view text, const Step &step) {
    if (text.size() > kMaxNestedText) return;
    for (std::string &url : urls_amid(text)) {
      const std::string type = media_type_of_path(url);
      if (type.empty() || !parse_http_url(url)) continue;
      FoundUrl found = found_at(step, std::move(url), type);
      found.place = FoundUrl::Place::last;
      found.is_documented = false;
      found_.urls.push_back(std::move(found));
    }
  }

  static FoundUrl found_at(const Step &step, std::string url, std::string media_type) {
    FoundUrl found = step;
    const bool is_named = !media_type_of_path(url).empty();
    // Without a file's name, a token may tell two results apart.
    found.file = !is_named ? url : without_signature(url);
    // One type for all that there is, such as that of the answer, tells no URL from another.
    const bool is_told = step.is_other_file && step.items > 1;
    found.is_other_file = has_extension_of_other(url) || (!is_named && is_told);
    found.is_by_extension =
        is_named && !is_same_kind(step.media_type, media_type) && !is_file_of_picture(url);
    found.url = std::move(url);
    found.media_type = std::move(media_type);
    return found;
  }

  void visit_list(const Json::Array &list, const Step &step) {
    const auto is_task = [&](const Json &item) { return has_id(item, asked_); };
    const auto is_around_task = [&](const Json &item) { return wraps_id(item, asked_); };
    const bool is_of_tasks = std::ranges::any_of(list, is_task);
    const bool is_of_wrapped_tasks = !is_of_tasks && std::ranges::any_of(list, is_around_task);
    visit_items(list.size(), step, [&](size_t i, const Step &item) {
      if (is_of_tasks && has_other_id(list[i], asked_)) return;
      if (is_of_wrapped_tasks && !is_around_task(list[i]) && wraps_other_id(list[i], asked_)) return;
      Step inside = item.inside("[" + std::to_string(i) + "]");
      inside.is_wrapped = false;
      visit(list[i], inside);
    });
  }

  void visit_items(size_t count, const Step &step, const auto &visit_item) {
    const int number = ++lists_;
    std::vector<size_t> begins;  // Of each item's URLs.
    for (size_t i = 0; i < std::min(count, kMaxItems); ++i) {
      begins.push_back(found_.urls.size());
      visit_item(i, step.as_item(number, count, i));
    }
    begins.push_back(found_.urls.size());
    if (step.items > 1 && has_several_results(begins)) number_items(begins, step);
  }

  // Two items of a kind are two results. Those that all differ in their label or type are one in versions.
  bool has_several_results(const std::vector<size_t> &begins) const {
    std::set<std::pair<std::string, std::string>> kinds;
    for (size_t i = 0; i + 1 < begins.size(); ++i) {
      if (begins[i] == begins[i + 1]) continue;
      const FoundUrl &url = found_.urls[begins[i]];
      if (!url.is_version && !kinds.insert({url.label, url.media_type}).second) return true;
    }
    return false;
  }

  // Makes items of the outer list of those of a list in one of its items.
  void number_items(const std::vector<size_t> &begins, const Step &step) {
    for (size_t i = 0; i + 1 < begins.size(); ++i) {
      const size_t item = kMaxItems + ++inner_items_;
      for (size_t at = begins[i]; at < begins[i + 1]; ++at)
        if (found_.urls[at].item == step.item) found_.urls[at].item = item;
    }
  }

  // The usual names come first, in their order. "video_url" and "video_url_2" are a list, and so are "clip_1"
  // and "clip_2", or "0" and "1".
  void visit_object(const Json::Object &object, const Step &step) {
    Step typed = step;
    const std::string type = told_type(object);
    if (!type.empty()) typed.media_type = type;
    if (const bool is_other = is_told_other(object); is_other || !type.empty())
      typed.is_other_file = is_other && type.empty();
    if (const std::string label = told_label(object); !label.empty()) typed.label = label;
    using Members = std::vector<const Json::Member *>;
    std::map<std::string_view, Members> usual;
    Members versions;
    std::vector<std::pair<std::string, Members>> others;  // By their names without a number.
    std::map<std::string, size_t> places;                 // In `others`.
    for (const Json::Member &member : object) {
      const std::string name = without_count(name_letters(member.first));
      if (const auto *known = std::ranges::find(kUsualNames, name); known != std::end(kUsualNames)) {
        usual[*known].push_back(&member);
      } else if (version_name(name_letters(member.first))) {
        versions.push_back(&member);
      } else if (may_hold_results(name) && !has_word_of(member.first, kNoResultWords) &&
                 !is_of_picture(member.first)) {
        const auto [place, is_new] = places.insert({name, others.size()});
        if (is_new) others.push_back({name, {}});
        others[place->second].second.push_back(&member);
      }
    }
    // Of one clip with and without a watermark, the one without it comes first.
    const auto is_clean_one = [&](const std::pair<std::string, Members> &other) {
      const auto name = name_of_clean(other.first);
      if (!name || (!name->empty() && !is_one_of(*name, kUsualNames))) return false;
      return std::ranges::any_of(usual, [&](const auto &one) {
        return std::ranges::any_of(one.second, [&](const Json::Member *member) {
          return are_alike(member->second, other.second.front()->second);
        });
      });
    };
    const auto rest = std::stable_partition(others.begin(), others.end(), is_clean_one);
    for (auto clean = others.begin(); clean != rest; ++clean)
      visit_alike(clean->second, typed, FoundUrl::Place::usual);
    for (const std::string_view name : kUsualNames)
      if (const auto members = usual.find(name); members != usual.end())
        visit_alike(members->second, typed, FoundUrl::Place::usual);
    visit_versions(std::move(versions), typed);
    for (auto other = rest; other != others.end(); ++other)
      visit_alike(other->second, typed,
                  other->first.empty() ? FoundUrl::Place::usual : place_by_name(other->first));
  }

  // One result in several sizes and formats: the largest first, and MP4 before others.
  void visit_versions(std::vector<const Json::Member *> members, const Step &step) {
    const auto name_of = [](const Json::Member *member) {
      return *version_name(name_letters(member->first));
    };
    std::ranges::stable_sort(members, {}, [&](const Json::Member *member) {
      const VersionName name = name_of(member);
      return std::pair(-name.size, name.media_type != "video/mp4");
    });
    visit_items(members.size(), step, [&](size_t i, const Step &item) {
      Step version = item;
      version.label = name_letters(members[i]->first);
      version.is_version = step.items <= 1;  // Of several results, the label tells their versions.
      if (const std::string type = name_of(members[i]).media_type; !type.empty()) version.media_type = type;
      const bool is_variant = has_one_of(name_letters(members[i]->first), kVariants);
      visit_member(*members[i], version, is_variant ? FoundUrl::Place::variant : FoundUrl::Place::usual);
    });
  }

  // Members with the same name but for a number, or spelled otherwise.
  void visit_alike(std::vector<const Json::Member *> members, const Step &step, FoundUrl::Place place) {
    const auto order = [](const Json::Member *member) {
      const std::string letters = name_letters(member->first);
      return std::pair(letters.size(), letters);
    };
    std::ranges::stable_sort(members, {}, order);
    if (order(members.front()) != order(members.back()))
      return visit_items(members.size(), step,
                         [&](size_t i, const Step &item) { visit_member(*members[i], item, place); });
    for (const Json::Member *member : members) visit_member(*member, step, place);
  }

  void visit_member(const Json::Member &member, const Step &step, FoundUrl::Place place) {
    const std::string shown = display_line(member.first, kMaxFieldLength, secrets_);
    Step inside = step.inside(step.field.empty() ? shown : "." + shown);
    inside.place = std::max(step.place, place);
    if (has_word_of(member.first, kDoubtfulWords)) inside.doubt();
    inside.is_wrapped = step.is_wrapped && is_wrapper_name(member.first);
    const std::string letters = name_letters(member.first);
    inside.is_documented = step.is_documented || (step.is_wrapped && is_one_of(letters, kDocumentedNames));
    inside.is_address = letters.ends_with("url") || letters.ends_with("urls");
    inside.is_clean = step.is_clean || is_without_watermark(letters);
    inside.is_version = step.is_version || (has_one_of(letters, kVersions) && !version_name(letters));
    visit(member.second, inside);
  }

  // Where a query goes, or a submit: its answer is not a clip. What stands below may be one.
  bool is_of_a_task(const std::string &url) const {
    if (!media_type_of_path(url).empty()) return false;
    const auto base = parse_http_url(std::string(base_url_));
    const auto parsed = parse_http_url(url);
    if (!base || !parsed || host_of(base->get()) != host_of(parsed->get())) return false;
    std::string_view path = g_uri_get_path(parsed->get());
    while (path.ends_with('/')) path.remove_suffix(1);
    const std::string_view around = path.substr(0, path.find_last_of('/') + 1);
    for (const Api api : {Api::tasks, Api::legacy}) {
      const std::string tasks = submit_url("", api);
      if (path.ends_with(tasks) || around.ends_with(tasks + "/")) return true;
    }
    return false;
  }

  std::string read_address(std::string_view text, const Step &step) const {
    const std::string address(text);
    if (has_web_scheme(address)) return parse_http_url(address) ? address : std::string();
    return is_reference(address) ? resolve(address, step) : std::string();
  }

  std::string resolve(std::string_view address, const Step &step) const {
    if (step.place != FoundUrl::Place::usual || base_url_.empty()) return {};
    const auto base = parse_http_url(std::string(base_url_) + "/");  // A relative path starts below it.
    const auto resolved = base ? resolve_http_url(base->get(), std::string(address)) : std::nullopt;
    return resolved.value_or("");
  }

  FoundUrls found_;
  std::string_view base_url_;
  const Secrets &secrets_;
  const std::string_view asked_;  // The task's ID; empty: unknown.
  int lists_ = 0;
  size_t inner_items_ = 0;
  std::optional<FoundUrl> last_resort_;  // Where there is nothing else.
};

void add_shape(const Json &json, const std::string &place, const Secrets &secrets, std::string &shape) {
  if (shape.size() > kMaxShapeLength) return;
  if (const auto *list = json.array(); list && !list->empty())
    return add_shape(list->front(), place + "[]", secrets, shape);
  if (const auto *object = json.object(); object && !object->empty()) {
    for (const auto &[name, value] : *object)
      add_shape(value, (place.empty() ? "" : place + ".") + display_line(name, kMaxFieldLength, secrets),
                secrets, shape);
    return;
  }
  if (!place.empty()) shape += (shape.empty() ? "" : ", ") + place;
}

}  // namespace

bool is_of_request_or_other_task(std::string_view member) {
  return has_word_of(member, kNoResultWords) || has_word_of(member, kDoubtfulWords);
}

FoundUrls find_urls(const Json &task, std::string_view base_url, const Secrets &secrets,
                    std::string_view asked) {
  Search search(base_url, secrets, asked);
  search.visit(task, {});
  return std::move(search).take();
}

std::string shape_of(const Json &answer, const Secrets &secrets) {
  std::string shape;
  add_shape(answer, "", secrets, shape);
  return display_line(shape, kMaxShapeLength, secrets);
}

}  // namespace genclip
