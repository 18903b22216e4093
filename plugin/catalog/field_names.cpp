// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/field_names.h"

#include <glib.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <vector>

#include "plugin/base/name_letters.h"
#include "plugin/base/secret_words.h"
#include "plugin/base/trimmed.h"
#include "plugin/base/utf8.h"
#include "plugin/catalog/settings.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

// What may stand behind any word: "openaiapikey".
constexpr std::string_view kEndings[] = {"apikey", "accesstoken"};
// The file of a key. A longer name of one (GENCLIP_API_KEY_FILE) gets the text about that setting.
constexpr std::string_view kFile = "file";
// Shorter ones, and several words, are no keys of a service: "Am", "C minor".
constexpr size_t kShortestOfKey = 6;

// Properties of genclipsrc that are no settings of a run: the rest of the request, what it tells, and what
// every source has (automatic-eos from GStreamer 1.24 on).
constexpr const char *kOtherProperties[] = {
    "extra-params", "status",   "progress",  "amount",      "actual-duration", "clip-location", "eta",
    "estimate",     "typefind", "blocksize", "num-buffers", "do-timestamp",    "automatic-eos"};

// Options of the commands, and properties of the other two elements, that are no settings of a run. Some of
// them may be fields of a model that the catalog does not know, and are not here: "size", "language", "loop".
constexpr const char *kOtherNames[] = {"ahead",
                                       "ahead-time",
                                       "alarm-command",
                                       "alarm-url",
                                       "align",
                                       "asking",
                                       "asrun",
                                       "assumed-price",
                                       "async-handling",
                                       "audio-caps",
                                       "audio-encoder",
                                       "burn-captions",
                                       "cache",
                                       "caption-interval",
                                       "caption-latency",
                                       "caption-max-output-tokens",
                                       "caption-max-requests",
                                       "caption-max-tokens",
                                       "caption-model",
                                       "caption-prompt",
                                       "caption-scene-threshold",
                                       "csv",
                                       "cues-per-request",
                                       "end-within",
                                       "fallback",
                                       "force",
                                       "hls",
                                       "image-sampling",
                                       "keep-days",
                                       "late-policy",
                                       "latency",
                                       "legacy",
                                       "llm-base-url",
                                       "logo",
                                       "logo-position",
                                       "loudness",
                                       "max-cps",
                                       "max-frame-size",
                                       "max-in-flight",
                                       "max-line-length",
                                       "max-lines",
                                       "max-output-tokens",
                                       "max-requests",
                                       "max-tokens",
                                       "max-waiting",
                                       "merge-repeats",
                                       "message-forward",
                                       "min-interval",
                                       "on-error",
                                       "patience",
                                       "per-clip",
                                       "per-day",
                                       "per-month",
                                       "pinned",
                                       "record",
                                       "record-minutes",
                                       "requests-per-day",
                                       "result",
                                       "rtmp",
                                       "rundown",
                                       "rundown-text",
                                       "scene-threshold",
                                       "since",
                                       "slate",
                                       "srt",
                                       "standby",
                                       "state-file",
                                       "stats",
                                       "status-address",
                                       "status-port",
                                       "stills",
                                       "system-instruction",
                                       "taginject",
                                       "tasks-per-day",
                                       "token-file",
                                       "tokens-per-day",
                                       "top-p",
                                       "total",
                                       "translate",
                                       "true-peak",
                                       "udp",
                                       "until",
                                       "upcoming",
                                       "video-caps",
                                       "video-encoder",
                                       "workers",
                                       "xmp"};

constexpr std::string_view kRequestNames[] = {"model", "take", "api"};

// The letters and digits of a name, in lower case: "max-amount", "Max_Amount" and a pasted "\u2014max-amount"
// are one name. Empty for names with other letters.
std::string letters_of(std::string_view name) {
  std::string letters;
  if (!is_utf8(name)) return letters;
  const char *const end = name.data() + name.size();
  for (const char *at = name.data(); at < end; at = g_utf8_next_char(at)) {
    const gunichar letter = g_utf8_get_char(at);
    if (!g_unichar_isalnum(letter)) continue;
    if (letter >= 0x80) return {};
    letters += static_cast<char>(g_ascii_tolower(static_cast<char>(letter)));
  }
  return letters;
}

// Without an index or a path behind it: "max-amount[0]", "max_amount.x".
std::string_view without_path(std::string_view name) {
  constexpr std::string_view kParts = "-_ ";
  size_t begin = 0;
  while (begin < name.size() && g_ascii_ispunct(name[begin])) ++begin;
  const auto ends = [&](char c) { return g_ascii_ispunct(c) && kParts.find(c) == kParts.npos; };
  return name.substr(
      0, static_cast<size_t>(std::find_if(name.begin() + begin, name.end(), ends) - name.begin()));
}

// Only ASCII ones.
std::string ascii_letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (g_ascii_isalpha(c)) letters += g_ascii_tolower(c);
  return letters;
}

bool is_word_of(std::string_view word, SecretName least) {
  return std::ranges::any_of(kSecretWords, [&](const SecretWord &secret) {
    return secret.refused >= least &&
           (word == secret.word || (word.ends_with('s') && word.substr(0, word.size() - 1) == secret.word));
  });
}

// The name is that of a key, or of its file, and nothing else: "token", "api_key", "AccessKey", "key_file".
bool is_plain_credential(std::string_view name) {
  const std::string letters = ascii_letters_of(name);
  std::string_view key = letters;
  if (key.ends_with(kFile)) key.remove_suffix(kFile.size());
  return is_word_of(key, SecretName::alone) || letters == "bearer" ||
         std::ranges::any_of(kEndings, [&](std::string_view ending) { return letters.ends_with(ending); }) ||
         std::ranges::any_of(kPlainOwners, [&](std::string_view owner) {
           return key.starts_with(owner) && is_word_of(key.substr(owner.size()), SecretName::alone);
         });
}

// The name's words; numbers, as in "api_key_2", and other letters are none.
std::vector<std::string> letters_of_words(std::string_view name) {
  std::vector<std::string> words;
  for (const std::string &word : name_words(name))
    if (std::string letters = ascii_letters_of(word); !letters.empty()) words.push_back(std::move(letters));
  return words;
}

bool ends_as_credential(std::string_view name) {
  const std::vector<std::string> words = letters_of_words(name);
  return !words.empty() && is_word_of(words.back(), SecretName::last);
}

// "user_key", "userkey"; also with words around it: "aws_secret_access_key_id".
bool has_owner(std::string_view name, std::span<const std::string_view> owners) {
  const std::vector<std::string> words = letters_of_words(name);
  if (!words.empty() && words.back() == kFile) return false;
  for (size_t i = 0; i < words.size(); ++i)
    for (const std::string_view owner : owners) {
      const std::string_view word = words[i];
      if (word.starts_with(owner) && is_word_of(word.substr(owner.size()), SecretName::alone)) return true;
      if (word == owner && i + 1 < words.size() && is_word_of(words[i + 1], SecretName::alone)) return true;
    }
  return false;
}

// Music has keys, and lists of names and values do.
bool names_key_alone(std::string_view name) {
  const std::string letters = ascii_letters_of(name);
  return letters == "key" || letters == "keys";
}

// Whether any text in it fits.
bool has_text(const Json &value, const auto &fits) {
  if (const std::string *text = value.string()) return fits(*text);
  if (const Json::Array *list = value.array())
    return std::ranges::any_of(*list, [&](const Json &item) { return has_text(item, fits); });
  const Json::Object *members = value.object();
  return members && std::ranges::any_of(
                        *members, [&](const Json::Member &member) { return has_text(member.second, fits); });
}

bool holds_possible_key(const Json &value) {
  return has_text(value, [](const std::string &text) {
    return text.size() >= kShortestOfKey &&
           std::ranges::none_of(text, [](char c) { return g_ascii_isspace(c); });
  });
}

// Of a member, neither a number nor a word of LoRAs ("token": "sks") is a key.
bool holds_credential(const Json &value) {
  if (const Json::Array *list = value.array()) return std::ranges::any_of(*list, holds_credential);
  const Json::Object *members = value.object();
  return members && std::ranges::any_of(*members, [](const Json::Member &member) {
           const auto &[name, inside] = member;
           if (holds_credential(inside)) return true;
           if (!names_credential(name) || names_key_alone(name)) return false;
           const std::string letters = ascii_letters_of(name);
           const bool may_be_word =
               is_word_of(letters, SecretName::alone) && !is_word_of(letters, SecretName::last);
           return may_be_word ? holds_possible_key(inside)
                              : has_text(inside, [](const std::string &text) { return !text.empty(); });
         });
}

// In lower case, with "_" for "-": firstImage, which a model may have, is not first_image. What stands in it
// is judged as a reference in any case (untyped_media.h).
std::string as_media_field(std::string_view name) {
  std::string field;
  for (const char c : name) field += c == '-' ? '_' : g_ascii_tolower(c);
  return field.substr(std::min(field.find_first_not_of('_'), field.size()));
}

// Of the names that open models are sent: a blank at an end is seen by nobody, and makes another field.
bool has_hidden_letters(std::string_view name) {
  if (name.empty() || !is_utf8(name)) return false;
  const char *const end = name.data() + name.size();
  const auto is_seen = [](const char *at) { return g_unichar_isgraph(g_utf8_get_char(at)); };
  if (!is_seen(name.data()) || !is_seen(g_utf8_prev_char(end))) return true;
  for (const char *at = name.data(); at < end; at = g_utf8_next_char(at))
    if (g_unichar_iscntrl(g_utf8_get_char(at))) return true;
  return false;
}

// "models", which people set in the environment alone. Of other such settings the names are too particular.
bool may_be_field(const Setting &setting) {
  return setting.takers == kEnvironment && std::string_view(setting.name).find('-') == std::string_view::npos;
}

// What genclip calls so: a setting, which has a row, or else what stands in the text.
struct KnownName {
  const Setting *setting = nullptr;
  const char *what = "";
};

// By the letters of the names and variables. Made once: a hostile URI has many names.
const std::map<std::string, KnownName> &known_names() {
  static const auto &names = *new auto([] {
    std::map<std::string, KnownName> made;
    for (const char *name : kOtherNames)
      made[letters_of(name)] = {.what = "a property or an option of genclip"};
    for (const char *name : kOtherProperties) made[letters_of(name)] = {.what = "a property of genclipsrc"};
    for (const Setting &setting : settings()) {
      made[letters_of(setting.variable)] = {&setting};
      if (!may_be_field(setting)) made[letters_of(setting.name)] = {&setting};
    }
    made.erase("");
    return made;
  }());
  return names;
}

// What genclip calls by this name; nothing: a field may have it.
std::optional<KnownName> known_name(std::string_view name) {
  for (const std::string_view part : {name, without_path(name)})
    if (const auto known = known_names().find(letters_of(part)); known != known_names().end())
      return known->second;
  if (letters_of(name).starts_with("genclip")) return KnownName{.what = "a variable of the environment"};
  return std::nullopt;
}

std::string setting_text(std::string_view name, const Setting &setting, SettingPlace place) {
  const std::string setting_name = setting.name;
  const std::string opening = quoted(name) + " is a setting of genclip, and no field of a request: ";
  if (setting.takers == kEnvironment)
    return opening + "set the environment variable " + setting.variable + ".";
  const bool is_property = setting.takers & kElements;
  const std::string commands = commands_text(setting);
  if (is_property && (place == SettingPlace::property || commands.empty()))
    return opening + "set the property " + setting_name + (commands.empty() ? " of genclipsrc." : ".");
  return opening + "it is the option --" + setting_name + " of " + commands + ".";
}

// The field that `name` spells otherwise; empty: none.
std::string meant_field(const Catalog &catalog, const ModelSpec &model, std::string_view name) {
  const std::string_view written = without_path(trimmed(name));
  const std::string letters = letters_of(written);
  const auto is_like = [&](std::string_view field) {
    return !letters.empty() && letters_of(field) == letters;
  };
  const auto is_meant = [&](const FieldSpec &field, std::string_view called) {
    return media_kind(field.type) ? as_media_field(called) == as_media_field(written) : is_like(called);
  };
  const auto is_taken = [&](std::string_view field) { return model.open || model.find(field); };
  for (const std::string_view field : kRequestNames)
    if (is_like(field)) return std::string(field);
  for (const FieldSpec &field : model.fields)
    if (!field.refused && is_meant(field, field.name)) return field.name;
  for (const FieldSpec &field : catalog.common_fields())
    if (is_meant(field, field.name) && is_taken(field.name)) return field.name;
  if (is_like(kLegacyDuration) && name != kLegacyDuration && has_legacy_duration(&model)) return "duration";
  for (const auto &[alias, field] : catalog.aliases())
    if (is_meant(*catalog.common_field(field), alias) && is_taken(field)) return field;
  return {};
}

}  // namespace

bool names_credential(std::string_view field) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{field, without_path(field)},
                             [](std::string_view part) {
                               return is_plain_credential(part) || ends_as_credential(part) ||
                                      has_owner(part, kPlainOwners) || has_owner(part, kOtherOwners);
                             });
}

bool is_credential(std::string_view field, const Json &value) {
  return (names_credential(field) && (!names_key_alone(field) || holds_possible_key(value))) ||
         holds_credential(value);
}

bool is_request_name(std::string_view name) {
  return std::ranges::find(kRequestNames, name) != std::end(kRequestNames);
}

std::optional<std::string> misplaced_setting_text(const Catalog &catalog, const ModelSpec *model,
                                                  std::string_view name, SettingPlace place) {
  const std::string_view field = catalog.canonical(model, name);
  if ((model && model->find(field)) || catalog.common_field(field) || is_request_name(field))
    return std::nullopt;
  // Of a URI that was copied from XML.
  if (name.starts_with("amp;"))
    return quoted(name) + " is no field of a request: write & in place of &amp; between fields.";
  const auto known = known_name(name);
  if (!known) return std::nullopt;
  return known->setting ? setting_text(name, *known->setting, place)
                        : quoted(name) + " is " + known->what + ", and no field of a request.";
}

std::optional<std::string> misplaced_name_text(const Catalog &catalog, const ModelSpec &model,
                                               std::string_view name) {
  if (auto text = misplaced_setting_text(catalog, &model, name, SettingPlace::property)) return text;
  const std::string_view field = catalog.canonical(&model, name);
  if (model.find(field) || catalog.common_field(field) || is_request_name(field)) return std::nullopt;
  const std::string meant = meant_field(catalog, model, name);
  if (!meant.empty()) return quoted(name) + " is no field of a request; did you mean " + meant + "?";
  if (has_hidden_letters(name))
    return quoted(name) +
           " is no field of a request: its name has a control character, or a blank at an end.";
  return std::nullopt;
}

}  // namespace genclip
