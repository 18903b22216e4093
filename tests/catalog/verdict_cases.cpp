// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Expands the facts into cases: below, at and above each bound, each value, wrong case, missing, repeated,
// wrong scheme.
#include "tests/catalog/verdict_cases.h"

#include <glib.h>

#include <algorithm>

#include "tests/catalog/model_facts.h"

namespace genclip::test {
namespace {

constexpr const char *kImage = "https://media.example/a%20picture.png?sig=a&b=c";
constexpr const char *kVideo = "http://media.example/clip.mp4";
constexpr const char *kAudio = "https://media.example:8443/song.wav";

// The test has its own code, so that the plugin's code cannot hide its mistakes.
std::string encoded(const std::string &text) {
  std::string out;
  char buffer[4];
  for (const char c : text) {
    if (g_ascii_isalnum(c)) {
      out += c;
    } else {
      g_snprintf(buffer, sizeof buffer, "%%%02X", static_cast<unsigned char>(c));
      out += buffer;
    }
  }
  return out;
}

void add_to_uri(std::string &uri, const std::string &name, const Json &value) {
  if (const auto *items = value.array()) {
    for (const Json &item : *items) add_to_uri(uri, name, item);
    return;
  }
  uri += (uri.find('?') == uri.npos ? "?" : "&") + encoded(name) + "=" +
         encoded(value.string() ? *value.string() : value.to_text());
}

std::string uri_of(const ClipRequest &request) {
  std::string uri = "genclip://" + encoded(request.model);
  for (const auto *fields : {&request.fields, &request.extra})
    for (const auto &[name, value] : *fields->object()) add_to_uri(uri, name, value);
  if (request.api != Api::automatic) add_to_uri(uri, "api", request.api == Api::legacy ? "legacy" : "tasks");
  return uri;
}

Json items(int count, const std::string &url) {
  Json::Array all;
  for (int i = 0; i < count; ++i)
    all.push_back(
        url +
        (i == 0 ? "" : (url.find('?') == url.npos ? "?" : "&") + std::string("n=") + std::to_string(i)));
  return all;
}

std::string repeated(int count, const std::string &text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

const Json *member(const ClipRequest &request, const char *name) { return request.fields.find(name); }

// An empty property is an unset one.
bool sayable_as_properties(const ClipRequest &request) {
  for (const auto &[name, value] : *request.fields.object()) {
    const bool one_empty = value.array() && value.array()->size() == 1 && value.array()->front() == Json("");
    if (value == Json("") || ((name == "first_image" || name == "last_image") && one_empty)) return false;
  }
  const auto is_one = [&](const char *name) {
    const Json *value = member(request, name);
    return !value || (value->array() && value->array()->size() == 1);
  };
  const Json *duration = member(request, "duration");
  const Json *seed = member(request, "seed");
  return is_one("first_image") && is_one("last_image") &&
         (!duration || (duration->integer() && *duration->integer() > 0)) &&
         (!seed || (seed->integer() && *seed->integer() >= 0));
}

class Expansion {
 public:
  Expansion(const ModelFacts &facts, std::vector<VerdictCase> &out) : facts_(facts), out_(out) {
    base_.model = facts.model;
    base_.fields.set("prompt", "a red kite over dunes");
    for (const auto &[name, bounds, url] : media())
      if (bounds.least > 0) base_.fields.set(name, items(bounds.least, url));
  }

  void run() {
    add("Least", base_, true);
    prompts();
    duration();
    choice("aspect_ratio", facts_.ratios, "5:7", false);
    choice("resolution", facts_.resolutions, "8k", facts_.no_resolution);
    choice("size", facts_.sizes, "100x100", false);
    choice("reference_mode", facts_.modes, "video", false);
    conflict();
    seed();
    flag("generate_audio", facts_.audio_switch);
    flag("watermark", facts_.watermark);
    for (const auto &[name, bounds, url] : media()) references(name, bounds, url);
    scenarios();
    further_fields();
    apis();
  }

 private:
  struct Media {
    const char *name;
    Items bounds;
    const char *url;
  };

  std::vector<Media> media() const {
    return {{"reference_images", facts_.images, kImage},
            {"reference_videos", facts_.videos, kVideo},
            {"reference_audios", facts_.audios, kAudio},
            {"first_image", facts_.first, kImage},
            {"last_image", facts_.last, kImage}};
  }

  VerdictCase &add(const std::string &what, ClipRequest request, bool allowed, std::string field = {}) {
    std::string name = facts_.model + "_" + what;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !g_ascii_isalnum(c); }, '_');
    VerdictCase one{std::to_string(out_.size()) + "_" + name, std::move(request), "", allowed,
                    allowed ? "" : std::move(field)};
    one.uri = uri_of(one.request);
    one.as_properties = sayable_as_properties(one.request);
    return out_.emplace_back(std::move(one));
  }

  ClipRequest with(const std::string &name, Json value) const {
    ClipRequest request = base_;
    request.fields.set(name, std::move(value));
    return request;
  }

  ClipRequest without(const std::string &name) const {
    ClipRequest request = base_;
    std::erase_if(*request.fields.object(), [&](const auto &field) { return field.first == name; });
    return request;
  }

  VerdictCase &field(const std::string &name, const std::string &what, Json value, bool allowed) {
    return add(name + "_" + what, with(name, std::move(value)), allowed, name);
  }

  // A scalar that stands in the URI twice.
  void twice(const std::string &name, const Json &value) {
    VerdictCase &one = field(name, "Repeated", value, false);
    add_to_uri(one.uri, name, value);
    one.as_request = one.as_properties = false;
  }

  // Right where a text is expected, wrong where the service wants another type.
  void not_a_string(const std::string &name) {
    VerdictCase &one = field(name, "NoString", 5, false);
    one.as_properties = one.as_uri = false;
  }

  void prompts() {
    add("prompt_Missing", without("prompt"), false, "prompt");
    field("prompt", "Empty", "", false);
    field("prompt", "OneCharacter", "x", true);
    field("prompt", "Emoji", "\U0001F468\u200D\U0001F469\u200D\U0001F467 e\u0301 \U00030000", true);
    VerdictCase &nul = field("prompt", "Nul", std::string("a\0b", 3), false);
    nul.as_properties = false;
    VerdictCase &bytes = field("prompt", "NotUtf8", std::string("a\xff") + "b", false);
    bytes.as_properties = false;
    twice("prompt", "again");
    not_a_string("prompt");
    if (facts_.prompt_most > 0) {
      field("prompt", "Longest", repeated(facts_.prompt_most, "x"), true);
      field("prompt", "LongestOfHan", repeated(facts_.prompt_most, "\u6C34"), true);
      field("prompt", "TooLong", repeated(facts_.prompt_most + 1, "x"), false);
      field("prompt", "TooLongOfHan", repeated(facts_.prompt_most + 1, "\u6C34"), false);
    }
    if (facts_.prompt_counted) {
      field("prompt", "FiveHundredHan", repeated(500, "\u6C34"), true);
      field("prompt", "TooManyHan", repeated(501, "\u6C34"), false);
      field("prompt", "TooManyExtendedHan", repeated(501, "\U00020000"), false);
      field("prompt", "OneHanAmongTooMany", repeated(500, "x") + "\u6C34", false);
      field("prompt", "LongWithoutHan", repeated(501, "x"), true);
      field("prompt", "ThousandWords", repeated(1000, "word "), true);
      field("prompt", "TooManyWords", repeated(1001, "word "), false);
    }
    if (facts_.prompt_cut) {
      field("prompt", "Cut", repeated(5001, "x"), true);
      field("prompt", "CutHan", repeated(2501, "\u6C34"), true);
    }
    if (facts_.open || (!facts_.prompt_most && !facts_.prompt_counted))
      field("prompt", "Huge", repeated(100'000, "y"), true);
  }

  bool takes(bool listed) const { return listed || facts_.open; }

  void duration() {
    const auto seconds = [&](const std::string &what, int64_t value, bool allowed) {
      field("duration", what, value, allowed).as_uri = value != 0;
    };
    if (facts_.seconds) {
      seconds("Below", facts_.seconds->least - 1, false);
      seconds("Least", facts_.seconds->least, true);
      seconds("Between", facts_.seconds->least + 1, true);
      seconds("Most", facts_.seconds->most, true);
      seconds("Above", facts_.seconds->most + 1, false);
      seconds("Negative", -5, false);
    } else if (!facts_.exact_seconds.empty()) {
      for (const int64_t value : facts_.exact_seconds) {
        seconds("Exact" + std::to_string(value), value, true);
        seconds("Before" + std::to_string(value), value - 1, false);
        seconds("After" + std::to_string(value), value + 1, false);
      }
    } else {
      seconds("Any", 77, true);
    }
    field("duration", "NoInteger", 5.5, false).as_properties = false;
    VerdictCase &text = field("duration", "Text", "5", false);
    text.as_uri = text.as_properties = false;
    VerdictCase &word = field("duration", "Word", "long", false);
    word.as_properties = false;
    twice("duration", 10);
  }

  void choice(const std::string &name, const std::vector<std::string> &values, const std::string &other,
              bool refused) {
    for (const std::string &value : values) {
      field(name, "Value_" + value, value, true);
      std::string wrong_case = value;
      for (char &c : wrong_case) c = g_ascii_isupper(c) ? g_ascii_tolower(c) : g_ascii_toupper(c);
      if (wrong_case != value) field(name, "WrongCase_" + value, wrong_case, false);
    }
    const bool any = values.empty() && facts_.open && !refused;
    field(name, "Other", other, any);
    if (!any) field(name, "Empty", "", false);
    if (!any) field(name, "Blank", values.empty() ? " " : values[0] + " ", false);
    if (!values.empty() || any) twice(name, values.empty() ? other : values[0]);
    not_a_string(name);
  }

  void conflict() {
    if (!facts_.size_or_ratio) return;
    ClipRequest request = with("aspect_ratio", facts_.ratios[0]);
    request.fields.set("size", facts_.sizes[0]);
    add("SizeAndRatio", request, false, "size");
  }

  void seed() {
    const bool ranged = facts_.seed_range;
    const bool known = takes(facts_.seed);
    field("seed", "Zero", 0, known);
    field("seed", "Most", 2147483647, known);
    field("seed", "Above", int64_t{2147483648}, known && !ranged);
    field("seed", "Below", -2, known && !ranged);
    VerdictCase &unset = field("seed", "MinusOne", -1, known && !ranged);
    unset.as_uri = unset.as_properties = false;
    if (known) twice("seed", 7);
    VerdictCase &huge = field("seed", "Huge", "99999999999999999999", false);
    huge.as_properties = false;
  }

  void flag(const std::string &name, bool listed) {
    field(name, "On", true, takes(listed));
    field(name, "Off", false, takes(listed));
    VerdictCase &word = field(name, "Word", "maybe", false);
    word.as_properties = false;
    if (takes(listed)) twice(name, true);
  }

  // `value` for the field, beside what the field must have beside it.
  ClipRequest accompanied(const std::string &name, Json value) const {
    ClipRequest request = with(name, std::move(value));
    if (name == "reference_audios" && (facts_.scenarios || facts_.audio_needs_image))
      request.fields.set("reference_images", items(1, kImage));
    if (name == "last_image" && facts_.scenarios) request.fields.set("first_image", items(1, kImage));
    return request;
  }

  void references(const std::string &name, Items bounds, const std::string &url) {
    const auto put = [&](const std::string &what, Json value, bool allowed) -> VerdictCase & {
      return add(name + "_" + what, accompanied(name, std::move(value)), allowed, name);
    };
    const bool known = takes(bounds.exists());
    const int least = std::max(1, bounds.least);
    put("Least", items(least, url), known);
    if (bounds.exists()) {
      put("Most", items(bounds.most, url), true);
      put("Above", items(bounds.most + 1, url), false);
      if (bounds.least > 0) add(name + "_Missing", without(name), false, name);
    }
    put("Asset", items(least, "assetId://abc-123"), known && facts_.assets);
    const auto refused = [&](const std::string &what, const std::string &bad) {
      put(what, items(least, bad), false);
    };
    refused("AssetWithoutId", "assetId://");
    refused("AssetWrongCase", "assetid://abc-123");
    refused("File", "file:///home/someone/picture.png");
    refused("Path", "/home/someone/picture.png");
    refused("RelativePath", "picture.png");
    refused("Data", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==");
    refused(
        "Base64",
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==");
    refused("Ftp", "ftp://media.example/picture.png");
    refused("NoHost", "https:///picture.png");
    refused("Nothing", "");
    put("WrongCaseOfHttp", items(least, "HTTPS://media.example/x"), known);
    VerdictCase &number = put("Number", Json::Array{5}, false);
    number.as_properties = number.as_uri = false;
    VerdictCase &bare = put("NoList", url, false);
    bare.as_properties = bare.as_uri = false;
  }

  void scenarios() {
    if (facts_.audio_needs_image || facts_.scenarios)
      add("AudioAlone", with("reference_audios", items(1, kAudio)), false, "reference_audios");
    if (!facts_.scenarios) return;
    add("LastWithoutFirst", with("last_image", items(1, kImage)), false, "last_image");
    ClipRequest audio = with("reference_audios", items(1, kAudio));
    audio.fields.set("reference_videos", items(1, kVideo));
    add("AudioWithVideo", audio, true);
    for (const char *name : {"reference_images", "reference_videos"}) {
      ClipRequest mixed = with("first_image", items(1, kImage));
      mixed.fields.set(name, items(1, kVideo));
      add(std::string("FirstFrameWith_") + name, mixed, false, name);
    }
  }

  void further_fields() {
    for (const std::string &name : facts_.texts) {
      ClipRequest request = base_;
      request.extra.set(name, "x");
      add("extra_" + name, request, true);
      request.extra.set(name, 5);
      add("extra_NoString_" + name, request, false, name).as_uri = false;
    }
    ClipRequest unknown = base_;
    unknown.extra.set("camera_motion", "pan");
    add("extra_Unknown", unknown, facts_.open, "camera_motion");
    ClipRequest tools = base_;
    tools.extra.set("tools", Json::Array{"web_search"});
    VerdictCase &one = add("extra_Tools", tools, takes(facts_.tools), "tools");
    one.uri = uri_of(base_) + "&tools=" + encoded("[\"web_search\"]");
    ClipRequest shadow = base_;
    shadow.extra.set("duration", 5);
    add("extra_ShadowsProperty", shadow, false, "duration").as_uri = false;
  }

  void apis() {
    ClipRequest request = base_;
    request.api = Api::tasks;
    add("ByTasks", request, true);
    request.api = Api::legacy;
    add("ByLegacy", request, facts_.legacy || facts_.both, "api");
  }

  const ModelFacts &facts_;
  std::vector<VerdictCase> &out_;
  ClipRequest base_;
};

}  // namespace

std::vector<VerdictCase> verdict_cases() {
  std::vector<VerdictCase> cases;
  for (const ModelFacts &facts : model_facts()) Expansion(facts, cases).run();
  return cases;
}

VerdictCases verdict_cases_by_model() {
  VerdictCases all;
  for (VerdictCase &one : verdict_cases()) all[one.request.model].push_back(std::move(one));
  return all;
}

std::vector<std::string> models_with_verdicts() {
  std::vector<std::string> names;
  for (const auto &[model, cases] : verdict_cases_by_model()) names.push_back(model);
  return names;
}

std::string test_name(const std::string &model) {
  std::string name;
  for (const char c : model) name += g_ascii_isalnum(c) ? c : '_';
  return name;
}

}  // namespace genclip::test
