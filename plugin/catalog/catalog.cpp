// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/catalog.h"

#include <gio/gio.h>

#include <algorithm>
#include <cstdlib>

#include "plugin/base/durable_file.h"
#include "plugin/base/gref.h"
#include "plugin/base/log.h"
#include "plugin/base/mutex.h"
#include "plugin/catalog/catalog_reader.h"
#include "plugin/catalog/wording.h"

// From the generated catalog-resource.c, whose header does not know C++.
extern "C" GResource *genclip_catalog_get_resource(void);

namespace genclip {
namespace {

constexpr size_t kMostSuggestions = 3;
constexpr size_t kMostWithPart = 6;  // Of those that share a part with the wanted name.
constexpr size_t kMaxFileSize = 8 << 20;
constexpr const char *kVariable = "GENCLIP_MODELS";

CatalogFile built_in_file() {
  // It registers itself where it is linked, which the call sees to. Looked up among all resources, it can be
  // replaced by GLib's variable G_RESOURCE_OVERLAYS, as tests do.
  genclip_catalog_get_resource();
  GErrorPtr error;
  const auto bytes = GRef<GBytes>::adopt(
      g_resources_lookup_data("/genclip/catalog/models.json", G_RESOURCE_LOOKUP_FLAGS_NONE, take(error)));
  if (!bytes) g_error("The built-in catalog is not in this build: %s", error->message);
  gsize size = 0;
  const auto *data = static_cast<const char *>(g_bytes_get_data(bytes.get(), &size));
  return {"models.json", std::string(data, size)};
}

// Reads the files of a path list, and notes those that cannot be read.
void read_path_list(CatalogReader &reader, const std::string &list) {
  const std::unique_ptr<char *, void (*)(char **)> paths(
      g_strsplit(list.c_str(), G_SEARCHPATH_SEPARATOR_S, -1), g_strfreev);
  for (char **path = paths.get(); *path; ++path) {
    if (!**path) continue;
    // Follows links but reads only regular files: a pipe or a device would never end.
    const std::unique_ptr<char, void (*)(void *)> target(::realpath(*path, nullptr), std::free);
    auto text = read_whole(FileSystem::posix(), target ? target.get() : *path, kMaxFileSize);
    if (text)
      reader.read({*path, std::move(*text)});
    else
      reader.note({*path, 0, "", "The file cannot be read: " + text.error().text});
  }
}

GstDebugCategory *catalog_category() {
  static GstDebugCategory *const category = new_log_category("genclip-catalog", "Model files");
  return category;
}

// One catalog for each value that the variable has had. No other lock is taken while its lock is held.
class Catalogs {
 public:
  Catalog::Ptr of(const std::string &path_list) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    Catalog::Ptr &known = known_[path_list];
    if (known) return known;
    CatalogReader reader;
    reader.read(built_in_file());
    read_path_list(reader, path_list);
    Catalog::Ptr catalog = known = reader.finish();
    lock.unlock();
    for (const Mistake &mistake : catalog->mistakes())
      GST_CAT_WARNING(catalog_category(), "%s", mistake.to_text().c_str());
    return catalog;
  }

 private:
  Mutex mutex_;
  std::map<std::string, Catalog::Ptr> known_ GUARDED_BY(mutex_);
};

Catalogs &catalogs() {
  static auto &all = *new Catalogs;  // Never destroyed: threads may outlive main().
  return all;
}

constexpr const char *kWhereToLook = " genclip models lists the Model IDs.";

bool is_like_one(std::string_view wanted, const std::vector<Name> &names) {
  return !likely_name(wanted, names).empty() || !names_with(wanted, names).empty();
}

// Of a name that is only like those of `others`, which make something else; empty: it is not.
std::string unlike_text(std::string_view wanted, const std::vector<Name> &names,
                        const std::vector<Name> &others, const char *what) {
  if (is_like_one(wanted, names) || !is_like_one(wanted, others)) return {};
  const std::vector<Name> with_part = names_with(wanted, others);
  return "There is no model " + quoted(wanted) + "; the closest Model IDs make " + what + ": " +
         both(closest_names(wanted, with_part.empty() ? others : with_part, kMostSuggestions)) + "." +
         kWhereToLook;
}

std::string unknown_text(std::string_view wanted, const std::vector<Name> &names) {
  const bool is_near = !likely_name(wanted, names).empty();
  const std::vector<Name> with_part = is_near ? std::vector<Name>() : names_with(wanted, names);
  const auto closest = with_part.empty() ? closest_names(wanted, names, kMostSuggestions)
                                         : closest_names(wanted, with_part, kMostWithPart);
  return "There is no model " + quoted(wanted) +
         (is_near || !with_part.empty() ? "" : ", nor a similar one") +
         (closest.size() == 1 ? "; the closest Model ID is " : "; the closest Model IDs are ") +
         both(closest) + "." + kWhereToLook;
}

}  // namespace

std::string Mistake::to_text() const {
  return file + ":" + (line > 0 ? std::to_string(line) + ":" : "") + " " + text;
}

Catalog::Ptr Catalog::shared() {
  const char *path_list = g_getenv(kVariable);
  return catalogs().of(path_list ? path_list : "");
}

Catalog::Ptr Catalog::built_in() { return catalogs().of(""); }

Catalog::Ptr Catalog::with_files(const std::vector<CatalogFile> &files) {
  CatalogReader reader;
  reader.read(built_in_file());
  for (const CatalogFile &file : files) reader.read(file);
  return reader.finish();
}

Result<Catalog::Ptr> Catalog::from_text(std::string_view text) {
  Ptr catalog = with_files({{"text", std::string(text)}});
  if (!catalog->mistakes().empty()) return Error{ErrorKind::settings, catalog->mistakes()[0].to_text()};
  return catalog;
}

std::shared_ptr<const ModelSpec> Catalog::find(std::string_view id) const {
  const auto found =
      std::find_if(models_.begin(), models_.end(), [&](const auto &model) { return model->id == id; });
  return found == models_.end() ? nullptr : *found;
}

const TextModel *Catalog::find_text(std::string_view id) const {
  const auto found = std::find_if(text_models_.begin(), text_models_.end(),
                                  [&](const TextModel &model) { return model.id == id; });
  return found == text_models_.end() ? nullptr : &*found;
}

std::vector<Name> Catalog::names() const {
  std::vector<Name> names;
  for (const auto &model : models_) names.push_back({model->id, model->display_name});
  return names;
}

std::vector<Name> Catalog::text_names() const {
  std::vector<Name> names;
  for (const TextModel &model : text_models_) names.push_back({model.id});
  return names;
}

std::vector<std::string> Catalog::closest(std::string_view wanted) const {
  return closest_names(wanted, names(), kMostSuggestions);
}

bool Catalog::may_name_model(std::string_view wanted) const {
  return wanted.find(' ') == wanted.npos || !likely_name(wanted, names()).empty();
}

std::string Catalog::unknown_model_text(std::string_view wanted) const {
  if (wanted.empty()) {
    const auto video = std::ranges::find(models_, ResultKind::video, &ModelSpec::result);
    const auto shown = video == models_.end() ? models_.begin() : video;
    return "No model is given; set model to a Model ID, such as " + (*shown)->id + ".";
  }
  for (const Mistake &mistake : mistakes_)
    if (mistake.model == wanted)
      return "The model " + quoted(wanted) +
             " is ignored because of a mistake in its file: " + mistake.to_text();
  if (find_text(wanted))
    return "The model " + quoted(wanted) + " makes text, not clips; the element for it is gencaption.";
  if (!may_name_model(wanted)) return "There is no model " + quoted(wanted) + "." + kWhereToLook;
  const std::string of_texts = unlike_text(wanted, names(), text_names(), "text, not clips, for gencaption");
  return of_texts.empty() ? unknown_text(wanted, names()) : of_texts;
}

std::string Catalog::unknown_text_model_text(std::string_view wanted) const {
  if (find(wanted))
    return "The model " + quoted(wanted) + " makes clips, not text; the element for it is genclipsrc.";
  const std::string of_clips = unlike_text(wanted, text_names(), names(), "clips, not text, for genclipsrc");
  return of_clips.empty() ? unknown_text(wanted, text_names()) : of_clips;
}

std::string_view Catalog::canonical(const ModelSpec *model, std::string_view field) const {
  const auto found = aliases_.find(field);
  const bool is_alias = found != aliases_.end() && !(model && model->find(field));
  return is_alias ? std::string_view(found->second) : field;
}

}  // namespace genclip
