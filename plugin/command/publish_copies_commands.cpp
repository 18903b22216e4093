// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip publish list and prune: the copies in the publish folder. No network, no key.
#include <glib.h>

#include "plugin/command/amounts.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/setting_options.h"
#include "plugin/command/text_table.h"
#include "plugin/publish/publish_settings.h"
#include "plugin/publish/published_copies.h"
#include "plugin/store/clip_path.h"

namespace genclip {
namespace {

constexpr const char *kFates =
    "A copy is needed while a task that uses it has not ended, and recent for 24\n"
    "hours after that and after it was published. Foreign: another store or program\n"
    "made it, so it stays. Due: it may be removed.\n\n";

const std::string kListDescription =
    std::string(kFates) + "Exit code: 0 success, 1 failure, 2 usage error.\n";

const CommandText kCopiesText{
    "publish list", "",
    "Lists the copies in the publish folder, the oldest first: their names, sizes and\n"
    "ages, whether they are needed, and by which clips of the store.",
    kListDescription.c_str()};
const CommandText kPruneText{
    "publish prune", "",
    "Removes the copies in the publish folder that are due, and parts of copies that\n"
    "a crash left there more than 24 hours ago. A removed file is published again\n"
    "when it is needed.",
    kListDescription.c_str()};

constexpr size_t kShortName = 12;
constexpr size_t kShortDigest = 8;

struct CopiesCommand {
  std::string folder;
  std::string store;
  bool json = false;
};

void add_options(CommandOptions &options, CopiesCommand &command) {
  add_setting(options, "publish-folder", command.folder);
  options.add("json", 'j', "Print JSON", command.json);
  add_setting(options, "store", command.store);
}

// Empty, or what is wrong.
std::string find_folder(CopiesCommand &command) {
  const PublishSettings settings = publish_settings(command.folder, "", PublishCheck::none);
  command.folder = settings.folder;
  if (!command.folder.empty()) return {};
  return settings.command.empty()
             ? "Name the folder: --publish-folder, or $GENCLIP_PUBLISH_FOLDER."
             : "GENCLIP_PUBLISH_COMMAND publishes, and genclip does not know where. Remove old copies there.";
}

int64_t now() { return g_get_real_time() / G_USEC_PER_SEC; }

std::string state_text(const CopyUse &use) { return use.state ? to_word(*use.state) : "damaged"; }

// "01234567 (complete)"
std::vector<std::string> uses_of(const PublishedCopy &copy) {
  std::vector<std::string> texts;
  for (const CopyUse &use : copy.uses)
    texts.push_back(use.digest.substr(0, kShortDigest) + " (" + state_text(use) + ")");
  return texts;
}

uint64_t size_of(const std::vector<PublishedCopy> &copies) {
  uint64_t size = 0;
  for (const PublishedCopy &copy : copies) size += copy.size;
  return size;
}

std::string counted_copies(const std::vector<PublishedCopy> &copies) {
  return std::to_string(copies.size()) + (copies.size() == 1 ? " copy, " : " copies, ") +
         size_text(size_of(copies));
}

Json copies_json(const std::vector<PublishedCopy> &copies) {
  Json::Array list;
  for (const PublishedCopy &copy : copies) {
    Json::Array uses;
    for (const CopyUse &use : copy.uses)
      uses.push_back(Json::Object{{"key", use.digest},
                                  {"state", state_text(use)},
                                  {"updated_at", use.updated_at > 0 ? Json(use.updated_at) : Json()}});
    list.push_back(Json::Object{{"name", copy.name},
                                {"size", static_cast<int64_t>(copy.size)},
                                {"published_at", copy.modified},
                                {"fate", to_word(copy.fate)},
                                {"used_by", std::move(uses)}});
  }
  return list;
}

// A program gets a line a copy, with plain numbers and whole names. New columns come behind these.
TextTable rows_of(const std::vector<PublishedCopy> &copies) {
  TextTable table({{"NAME"}, {"FATE"}, {"BYTES"}, {"PUBLISHED"}, {"USED BY"}});
  for (const PublishedCopy &copy : copies) {
    std::string uses;
    for (const std::string &use : uses_of(copy)) uses += (uses.empty() ? "" : ", ") + use;
    table.add({copy.name, to_word(copy.fate), std::to_string(copy.size), utc_text(copy.modified), uses});
  }
  return table;
}

// A person gets the beginning of each name, the clips below it, and the sums.
void show_copies(const std::vector<PublishedCopy> &copies) {
  using Align = TextTable::Align;
  const size_t columns = columns_of(stdout);
  TextTable table({{"NAME", Align::left, true},
                   {"FATE", Align::left, true},
                   {"SIZE", Align::right, true},
                   {"PUBLISHED", Align::right, true}});
  std::vector<PublishedCopy> due;
  for (const PublishedCopy &copy : copies) {
    if (copy.fate == CopyFate::due) due.push_back(copy);
    std::vector<std::string> uses = uses_of(copy);
    if (!uses.empty()) uses.front().insert(0, "used by ");
    table.add({copy.name.substr(0, kShortName) + "…" + copy.name.substr(copy.name.find('.')),
               to_word(copy.fate), size_text(copy.size), age_text(copy.modified, now()) + " ago"},
              listed(uses, columns - TextTable::kIndent));
  }
  if (!table.empty()) print(table.to_text(stdout) + "\n");
  print(counted_copies(copies) + (due.empty() ? "" : "; due: " + counted_copies(due)) + "\n");
}

}  // namespace

int run_publish_list(const Words &words) {
  CopiesCommand command;
  CommandOptions options(kCopiesText);
  add_options(options, command);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (!rest->empty()) return options.refuse("genclip publish list takes no arguments.");
  if (const std::string problem = find_folder(command); !problem.empty()) return options.refuse(problem);
  const auto copies =
      list_copies(FileSystem::posix(), Clock::system(), store_root(command.store), command.folder);
  if (!copies) return report_failure(copies.error(), command.json);
  if (command.json)
    print(Json(Json::Object{{"folder", command.folder}, {"copies", copies_json(*copies)}}).to_pretty_text() +
          "\n");
  else if (columns_of(stdout) == kNoLimit)
    print(rows_of(*copies).to_text(stdout));
  else
    show_copies(*copies);
  return kOk;
}

int run_publish_prune(const Words &words) {
  CopiesCommand command;
  bool dry_run = false;
  CommandOptions options(kPruneText);
  options.add("dry-run", 'n', "Remove nothing, only show what would be removed", dry_run);
  add_options(options, command);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (!rest->empty()) return options.refuse("genclip publish prune takes no arguments.");
  if (const std::string problem = find_folder(command); !problem.empty()) return options.refuse(problem);
  const auto report =
      prune_copies(FileSystem::posix(), Clock::system(), store_root(command.store), command.folder, dry_run);
  if (!report) return report_failure(report.error(), command.json);
  if (command.json) {
    print(Json(Json::Object{{"folder", command.folder},
                            {"dry_run", dry_run},
                            {"removed", copies_json(report->removed)},
                            {"kept", copies_json(report->kept)}})
              .to_pretty_text() +
          "\n");
    return kOk;
  }
  for (const PublishedCopy &copy : report->removed)
    print((dry_run ? "Would remove " : "Removed ") + copy.name + ", " + size_text(copy.size) + "\n");
  print(counted_copies(report->kept) + (dry_run ? " would be left\n" : " left\n"));
  return kOk;
}

}  // namespace genclip
