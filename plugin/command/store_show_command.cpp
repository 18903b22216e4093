// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip store show: prints everything that is known about one clip.
#include <gst/gst.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/shell_word.h"
#include "plugin/base/shown_text.h"
#include "plugin/catalog/catalog.h"
#include "plugin/catalog/request_builder.h"
#include "plugin/catalog/uri_values.h"
#include "plugin/command/amounts.h"
#include "plugin/command/chosen_clips.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/store_json.h"
#include "plugin/command/text_table.h"
#include "plugin/frame/c2pa_mark.h"
#include "plugin/generation/charge_facts.h"
#include "plugin/store/clip_cost.h"
#include "plugin/store/clip_provenance.h"
#include "plugin/store/store_listing.h"

namespace genclip {
namespace {

constexpr CommandText kShowText{
    "store show", "KEY", "Shows everything known about one clip.",
    "With --xmp, prints what clip.xmp beside the clip tells of its origin; with\n"
    "--taginject, the piece of a pipeline that puts it into a render, before its\n"
    "muxer. Neither tells the prompt without --with-prompt.\n\n"
    "KEY is a key from the first column of genclip store list, the first 8 or more\n"
    "digits of one, a task ID, the clip's genclip:// URI, or the path of the stored\n"
    "clip or of its folder. A URI needs GENCLIP_BASE_URL or --base-url.\n\n"
    "Exit code: 0 success, 1 there is no such clip, 2 usage error.\n"};

// The lines of a text of others, for a person to read.
std::string printable_lines(std::string_view text) {
  std::string shown;
  for (;;) {
    const size_t end = std::min(text.find('\n'), text.size());
    shown += printable(text.substr(0, end));
    if (end == text.size()) return shown;
    shown += '\n';
    text.remove_prefix(end + 1);
  }
}

// The fields that have no entry of their own, as words of a command line.
std::string other_fields(const ClipRecord &record) {
  std::string words;
  const Json::Object *fields = record.identity.request.object();  // Null in a journal of somebody else.
  if (!fields) return words;
  const auto catalog = Catalog::shared();
  const auto model = catalog->find(record.model);
  for (const auto &[name, value] : *fields) {
    if (name == "model" || name == "prompt" || name == "seed") continue;
    for (const std::string &text : texts_of_value(type_of_field(*catalog, model.get(), name), value))
      words += (words.empty() ? "" : " ") + shell_word(name + "=" + text);
  }
  return words;
}

using Entries = std::vector<std::pair<std::string, std::string>>;

Entries entries_of(const StoredClip &clip) {
  Entries entries;
  const auto add = [&](const char *name, const std::string &value) {
    if (!value.empty()) entries.emplace_back(name, printable(value));
  };
  const auto add_number = [&](const char *name, uint64_t value) {
    if (value > 0) add(name, std::to_string(value));
  };
  add("Key", clip.digest);
  add("State", state_word(clip));
  add("Pinned", clip.pinned ? "yes" : "no");
  add("Problem", clip.problem);
  if (const auto &record = clip.record) {
    add("Error", record->error);
    add("Model", record->model);
    if (const std::string prompt = clip.prompt(); !prompt.empty())
      entries.emplace_back("Prompt", printable_lines(prompt));
    add("Request", other_fields(*record));
    add_number("Take", record->identity.take);
    add("Seed", seed_text(clip));
    add("Task", record->task_id);
    add_number("Unanswered submits", record->unanswered_submits);
    for (const std::string &task : record->earlier_tasks) add("Earlier task", task);
    add("Credits", credits_text(told_cost(clip)));
    add("Seconds used", credits_text(record->actual_duration));
    add("Submitted", date_text(record->submitted_at));
    add("Changed", date_text(record->updated_at));
    add("Service", record->identity.base_url + " (" + record->identity.api + ")");
    add("Media type", record->media_type);
  }
  add("Last used", date_text(clip.last_used));
  add("Size", size_text(clip.size));
  add("Clip", clip.clip_path);
  add("Folder", clip.folder);
  return entries;
}

Provenance origin_of(const StoredClip &clip, bool with_prompt) {
  if (!clip.record) return {};
  Provenance provenance = provenance_of(*clip.record);
  provenance.from_media = is_made_of_media(clip.record->identity);
  if (with_prompt) provenance.prompt = clip.prompt();
  return provenance;
}

// Serialized twice: for the list of tags, and for gst_parse_launch. A shell takes it between apostrophes.
std::string taginject_text(const Provenance &provenance) {
  GstTagList *tags = gst_tag_list_new(GST_TAG_APPLICATION_NAME, "genclip", GST_TAG_COMMENT,
                                      comment_of(provenance).c_str(), nullptr);
  const auto add = [&](const char *name, const std::string &value) {
    if (!value.empty())
      gst_tag_list_add(tags, GST_TAG_MERGE_APPEND, GST_TAG_EXTENDED_COMMENT,
                       shown_line(std::string(name) + "=" + value).c_str(), nullptr);
  };
  add("genclip-model", provenance.model);
  add("genclip-task-id", provenance.task_id);
  add("genclip-take", std::to_string(provenance.take));
  add("digital-source-type", digital_source_type(provenance));
  const GStringPtr text(gst_tag_list_to_string(tags));
  gst_tag_list_unref(tags);
  std::string list = text.get();
  // "taglist, a=…;" is what taginject takes without its name and its end.
  list = list.substr(list.find(',') + 1);
  if (list.ends_with(';')) list.pop_back();
  return "taginject tags=" + shell_word(list.substr(list.find_first_not_of(' ')));
}

// "c2pa" if the clip contains content credentials, which nothing here verifies; else null.
Json marks_of(const StoredClip &clip) {
  const auto file = FileSystem::posix().open(clip.clip_path, FileSystem::Mode::read);
  return file && has_c2pa_mark(**file) ? Json("c2pa") : Json();
}

void show_details(const StoredClip &clip) {
  const Entries entries = entries_of(clip);
  size_t width = 0;
  for (const auto &[name, value] : entries) width = std::max(width, width_of(name));
  for (const auto &[name, value] : entries) print(entry_text(name, width, value, columns_of(stdout)));
}

Json details_json(const StoredClip &clip) {
  Json json = stored_details_json(clip);
  json.set("provenance", clip.clip_path.empty() ? Json() : marks_of(clip));
  return json;
}

}  // namespace

int run_store_show(const Words &words) {
  RunSettings run;
  bool json = false, xmp = false, taginject = false, with_prompt = false;
  CommandOptions options(kShowText);
  options.add("json", 'j', "Print JSON", json);
  options.add("xmp", 0, "Print the clip's origin as XMP", xmp);
  options.add("taginject", 0, "Print the piece of a pipeline that tags a render", taginject);
  options.add("with-prompt", 0, "The prompt too, for --xmp and --taginject", with_prompt);
  add_choice_options(options, run);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->size() != 1) return options.refuse("Name one clip: by key, task ID, URI or path.");
  if (json + xmp + taginject > 1) return options.refuse("Give one of --json, --xmp and --taginject.");
  if (with_prompt && !xmp && !taginject)
    return options.refuse("--with-prompt goes with --xmp or --taginject.");
  if (taginject) gst_init(nullptr, nullptr);
  const auto clip = chosen_clip(rest->front(), run);
  if (!clip) return report_failure(clip.error(), json);
  if (taginject)
    print(taginject_text(origin_of(*clip, with_prompt)) + "\n");
  else if (xmp)
    print(xmp_of(origin_of(*clip, with_prompt)));
  else if (json)
    print(details_json(*clip).to_pretty_text() + "\n");
  else
    show_details(*clip);
  return kOk;
}

}  // namespace genclip
