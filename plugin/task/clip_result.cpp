// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/clip_result.h"

#include <glib.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "plugin/base/gref.h"
#include "plugin/catalog/catalog.h"
#include "plugin/task/result_search.h"

namespace genclip {
namespace {

using Place = FoundUrl::Place;
using Urls = std::vector<FoundUrl>;

// A URL as services may write it again: unescaped, and with another signature or fragment. The rest of its
// query may be all that tells a clip from a picture at the same host.
std::string address_of(std::string_view url) {
  const std::string bare = without_signature(url);
  const GStringPtr plain(g_uri_unescape_string(bare.c_str(), nullptr));
  return plain ? plain.get() : bare;
}

std::string file_of(std::string_view address) {
  const std::string_view path = address.substr(0, address.find('?'));
  return std::string(path.substr(path.rfind('/') + 1));  // npos + 1 is the beginning.
}

// The same file, perhaps signed twice.
bool is_same(const FoundUrl &one, const FoundUrl &other) { return one.file == other.file; }

// Under the name of a picture where a video is wanted, or the other way round.
bool is_named_otherwise(const FoundUrl &found, const WantedResult &wanted) {
  if (!wanted.kind) return false;
  const GStringPtr field(g_ascii_strdown(found.field.c_str(), -1));
  const std::string_view name = field.get();
  const bool is_picture = name.find("image") != name.npos;
  const bool is_video = name.find("video") != name.npos;
  return *wanted.kind == ResultKind::image ? is_video && !is_picture : is_picture && !is_video;
}

// Another quality, size or format of what the first one is.
bool is_version_of(const FoundUrl &url, const FoundUrl &first) {
  return url.is_version || (!url.label.empty() && !first.label.empty() && url.label != first.label);
}

// Surely another address of what the first one is. It may be stored as the clip while the first one is late,
// so a doubt is enough to say no.
bool is_address_of(const FoundUrl &url, const FoundUrl &first) {
  if (is_same(url, first)) return true;
  const bool is_other_item =
      (url.items > 1 || first.items > 1) && (url.list != first.list || url.item != first.item);
  return url.place == Place::usual && !is_other_item && !url.is_version && url.label == first.label &&
         url.is_clean == first.is_clean;
}

// Where the clip stands, only its extension says that it is a picture. CDNs and services get that wrong, and
// the bytes tell.
bool may_be_misnamed(const FoundUrl &url, const WantedResult &wanted) {
  return url.is_by_extension && url.place == Place::usual && url.media_type.starts_with("image/") &&
         !is_named_otherwise(url, wanted);
}

ResultUrl result_of(const FoundUrl &url, const FoundUrl &first, bool is_further) {
  return {url.field, url.url, is_further, !is_address_of(url, first)};
}

// Adds these, the first of which is the result. The other items of the list that it is in are further
// results; if it is in none, so are those of the first list, which may repeat it.
void add_results(const Urls &found, std::vector<ResultUrl> &results) {
  if (found.empty()) return;
  const FoundUrl &first = found.front();
  const auto in_list =
      std::find_if(found.begin(), found.end(), [](const FoundUrl &url) { return url.items > 1; });
  const int list = first.items > 1 ? first.list : in_list != found.end() ? in_list->list : 0;
  std::set<size_t> items;  // Of that list, and the file of one URL of each.
  std::set<std::string_view> files{first.file};
  if (first.list == list) items.insert(first.item);
  for (const FoundUrl &url : found) {
    const bool is_item =
        list != 0 && url.list == list && items.count(url.item) == 0 && files.insert(url.file).second;
    if (is_item) items.insert(url.item);
    results.push_back(result_of(url, first, is_item && !is_version_of(url, first)));
  }
}

// Adds what stands beside these results under other names: media in lists are further results, and `chosen`
// counts where the first one is no clip.
void add_others(const Urls &others, const Urls &chosen, const Urls &usual, std::vector<ResultUrl> &results) {
  std::set<std::pair<int, size_t>> items;
  const auto is_in = [](const Urls &urls, const FoundUrl &url) {
    return std::any_of(urls.begin(), urls.end(), [&](const FoundUrl &known) { return is_same(known, url); });
  };
  for (const FoundUrl &url : others) {
    const bool is_further = url.list != 0 && !url.media_type.empty() && !is_version_of(url, usual.front()) &&
                            !is_in(usual, url) && items.insert({url.list, url.item}).second;
    if (is_further || is_in(chosen, url)) results.push_back(result_of(url, usual.front(), is_further));
  }
}

// Of URLs under unknown names only one that is left alone counts: by its extension, because it is the only
// one, or as the items of one list. One that is told twice is one, with two addresses. Else `unclear` has
// them all.
Urls only_one_of(Urls found, Urls &unclear) {
  const auto promises = [](const FoundUrl &url) { return !url.media_type.empty(); };
  std::set<std::string> media;
  for (const FoundUrl &url : found)
    if (promises(url)) media.insert(url.file);
  if (media.size() == 1) std::erase_if(found, [&](const FoundUrl &url) { return !promises(url); });
  std::set<std::string_view> files;
  std::set<size_t> items;
  size_t listed = 0;
  for (const FoundUrl &url : found)
    if (files.insert(url.file).second)
      listed += url.list != 0 && url.list == found.front().list && items.insert(url.item).second;
  if (files.size() <= 1 || listed == files.size()) return found;
  if (unclear.empty()) unclear = std::move(found);
  return {};
}

// The order: usual names; the one URL under other names, or the one of them without a watermark; names of the
// other kind of media; the one variant; the one preview, or URL amid a text. The latter four matter when the
// bytes of the first are of another kind, or when there is no other. URLs that cannot be chosen from go into
// `unclear` and `wrong`.
ClipResult choose_among(const Urls &found, const WantedResult &wanted, Urls &unclear, Urls &wrong) {
  Urls usual, others, misnamed, variants, last;
  for (const FoundUrl &url : found) {
    const bool fits = may_be_result(url.media_type, wanted.kind);
    if (url.place == Place::last && !fits) continue;
    Urls &group = !fits                             ? wrong
                  : url.place == Place::last        ? last
                  : url.place == Place::variant     ? variants
                  : url.place == Place::other       ? others
                  : is_named_otherwise(url, wanted) ? misnamed
                                                    : usual;
    // A text may name a URL twice.
    const auto is_it = [&](const FoundUrl &known) { return is_same(known, url); };
    if (&group != &last || std::none_of(last.begin(), last.end(), is_it)) group.push_back(url);
  }
  ClipResult result;
  std::vector<ResultUrl> &all = result.urls;
  add_results(usual, all);
  Urls clean;
  std::ranges::copy_if(others, std::back_inserter(clean), &FoundUrl::is_clean);
  if (const Urls chosen = only_one_of(clean.empty() ? others : clean, unclear); usual.empty())
    add_results(chosen, all);
  else
    add_others(others, chosen, usual, all);
  for (const FoundUrl &url : misnamed) all.push_back({url.field, url.url, false, true});
  if (all.empty() && unclear.empty()) add_results(only_one_of(std::move(variants), unclear), all);
  result.is_last_resort = all.empty();
  if (all.empty() && unclear.empty()) add_results(only_one_of(std::move(last), unclear), all);
  return result;
}

std::string text_of_none(const Json &task, const FoundUrls &found, const Urls &unclear, const Urls &wrong,
                         const WantedResult &wanted, const Secrets &secrets) {
  if (!unclear.empty()) {
    std::string fields;
    for (const FoundUrl &url : unclear) fields += (fields.empty() ? "" : ", ") + url.field;
    return "its answer has several URLs, and genclip cannot tell which is the clip's: " + fields + ".";
  }
  if (!wrong.empty())
    return other_kind_text(wrong.front().media_type, wanted.kind.value_or(ResultKind::video)) + ".";
  if (!found.other_scheme.empty())
    return "the service gives the clip at an address of the scheme \"" + found.other_scheme +
           "\"; genclip fetches http and https only.";
  const std::string shape = shape_of(task, secrets);
  return "the service gives no URL for its clip." +
         (shape.empty() ? "" : " Its answer has the fields " + shape + ".");
}

}  // namespace

bool may_be_result(std::string_view media_type, std::optional<ResultKind> kind) {
  if (!kind || media_type.empty()) return true;
  const bool is_picture = media_type.starts_with("image/");
  if (media_type.starts_with("audio/")) return false;
  return *kind == ResultKind::image ? !media_type.starts_with("video/") : !is_picture;
}

std::optional<ResultKind> made_by(const std::string &model) {
  const auto spec = model.empty() ? nullptr : Catalog::shared()->find(model);
  return spec ? std::optional(spec->result) : std::nullopt;
}

std::string other_kind_text(std::string_view media_type, ResultKind wanted) {
  const char *came = media_type.starts_with("image/") ? "a picture" : "a video";
  if (media_type.starts_with("audio/")) came = "sound";
  return std::string(came) + " came where " + (wanted == ResultKind::image ? "a picture" : "a video") +
         " was asked for";
}

// A file that is surely no media is not the clip while there is anything else, but its extension may be
// wrong. So may that of a picture.
ClipResult read_clip_result(const Json &task, std::string_view base_url, const WantedResult &wanted,
                            const Secrets &secrets) {
  FoundUrls found = find_urls(task, base_url, secrets.keys(), wanted.task_id);  // Names decide, too.
  std::set<std::string> own;
  for (const std::string &url : wanted.own_urls) own.insert(address_of(url));
  // An echo may leave out the query.
  for (const std::string &address : std::set(own)) own.insert(address.substr(0, address.find('?')));
  const auto is_own = [&](const FoundUrl &url) { return own.count(address_of(url.url)) != 0; };
  // A service may name a result by the file that it was made of.
  const auto is_named_so = [&](const FoundUrl &url) {
    return std::ranges::count(wanted.own_files, file_of(address_of(url.url))) != 0;
  };
  std::erase_if(found.urls, [&](const FoundUrl &url) { return !url.is_documented && is_own(url); });
  for (FoundUrl &url : found.urls)
    if (is_own(url) || is_named_so(url)) url.place = Place::last;
  Urls clips, other_files, unclear, wrong;
  for (const FoundUrl &url : found.urls) (url.is_other_file ? other_files : clips).push_back(url);
  ClipResult result = choose_among(clips, wanted, unclear, wrong);
  if (result.urls.empty() && !other_files.empty()) {
    unclear.clear();
    wrong.clear();
    result = choose_among(found.urls, wanted, unclear, wrong);
  } else {
    for (const FoundUrl &url : other_files) result.urls.push_back({url.field, url.url, false, true});
  }
  if (result.urls.empty()) {
    Urls misnamed;
    std::ranges::copy_if(wrong, std::back_inserter(misnamed),
                         [&](const FoundUrl &url) { return may_be_misnamed(url, wanted); });
    add_results(misnamed, result.urls);  // The last resort, as all was before them.
  }
  std::set<std::string> known;
  std::erase_if(result.urls, [&](const ResultUrl &url) { return !known.insert(url.url).second; });
  if (result.urls.empty()) result.why_none = text_of_none(task, found, unclear, wrong, wanted, secrets);
  return result;
}

}  // namespace genclip
