// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/check_request.h"

#include <algorithm>
#include <cassert>

#include "plugin/base/shown_text.h"
#include "plugin/base/trimmed.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/catalog/closest.h"
#include "plugin/catalog/cross_field_rules.h"
#include "plugin/catalog/field_check.h"
#include "plugin/catalog/field_names.h"
#include "plugin/catalog/inner_clip.h"
#include "plugin/catalog/prompt_rules.h"
#include "plugin/catalog/request_fields.h"
#include "plugin/catalog/untyped_media.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

// Replaces an unknown model, so that the rest of the request is validated too.
std::shared_ptr<const ModelSpec> any_model(const Catalog &catalog) {
  auto spec = std::make_shared<ModelSpec>();
  spec->id = "every model";  // in texts only
  spec->open = true;
  spec->assets = true;
  spec->apis = {Api::tasks, Api::legacy};
  spec->fields = catalog.common_fields();
  return spec;
}

// Nobody reads more problems. A hostile URI can hold enough mistakes to keep a computer busy for minutes.
constexpr unsigned kEnoughProblems = 100;
constexpr size_t kMostReferences = 1000;
// As long as what a journal has in place of a reference that genclip publishes.
constexpr size_t kReferenceBytes = 128;

bool is_sent_as_given(const MediaReference &medium) {
  return medium.source == MediaSource::url || medium.source == MediaSource::asset;
}

// What people call fields that genclip knows by another name.
struct OtherWord {
  const char *field, *word;
};
constexpr OtherWord kOtherWords[] = {
    {"duration", "seconds"}, {"duration", "length"}, {"prompt", "text"}, {"resolution", "quality"}};

// What a request and all clips inside it share.
struct ClipTree {
  unsigned clips = 0;
  unsigned problems = 0;
};

}  // namespace

class RequestCheck {
 public:
  // `level` is the number of requests that this one stands inside.
  RequestCheck(const Catalog &catalog, const ClipRequest &request, ReferencePolicy policy, ClipTree &tree,
               unsigned level)
      : catalog_(catalog), request_(request), policy_(policy), tree_(tree), level_(level) {}

  Result<CheckedRequest, std::vector<Problem>> run() {
    find_model();
    choose_api();
    gather(in_order(catalog_, request_.fields), given_, false);
    gather(request_.extra, extra_, true);
    for (const FieldSpec &spec : checked_.spec_->fields) check_field(spec);
    for (const Json *fields : {&given_, &extra_}) {
      check_unlisted(*fields);
      check_untyped(*fields);
    }
    write_body();
    check_body();
    check_size();
    if (!problems_.empty()) {
      std::ranges::move(checked_.unpublished_, std::back_inserter(problems_));
      return std::move(problems_);
    }
    return std::move(checked_);
  }

 private:
  const ModelSpec &spec() const { return *checked_.spec_; }

  void problem(std::string_view field, std::string text) {
    ++tree_.problems;
    problems_.push_back({std::string(field), std::move(text)});
  }

  bool has_enough_problems() const { return tree_.problems >= kEnoughProblems; }

  void find_model() {
    checked_.spec_ = catalog_.find(request_.model);
    checked_.take_ = request_.take;
    if (checked_.spec_) return;
    problem("model", catalog_.unknown_model_text(request_.model));
    checked_.spec_ = any_model(catalog_);
  }

  void choose_api() {
    const auto &apis = spec().apis;
    checked_.api_ = request_.api == Api::automatic ? apis.front() : request_.api;
    if (std::find(apis.begin(), apis.end(), checked_.api_) != apis.end()) return;
    problem("api", "The API " + quoted(to_word(checked_.api_)) + " does not have " + spec().id +
                       "; leave api at auto.");
  }

  // Copies members under their canonical names. A member that can never be sent is a problem, and is left
  // out.
  void gather(const Json &from, Json &into, bool extra) {
    into = Json::Object{};
    const auto *members = from.object();
    if (!members) return;
    for (const auto &[name, value] : *members) {
      const std::string field(catalog_.canonical(&spec(), name));
      if (auto wrong = encoding_problem(Json(field)))
        problem("", "The name of the field " + quoted(field) + " " + *wrong + ".");
      else if (is_credential("", value))
        problem(field, quoted(field) + " contains a key; set a key in the property api-key only.");
      else if (is_credential(field, value) && !spec().find(field))
        problem(field,
                quoted(field) + " is not a field of a request; set a key in the property api-key only.");
      else if (auto text = misplaced_name_text(catalog_, spec(), field))
        problem(field, std::move(*text));
      else if (extra && (catalog_.common_field(field) || is_request_name(field)))
        problem(field,
                "The extra parameters hold " + quoted(name) + ", which has a property; set " + field + ".");
      else if (field == kLegacyDuration && has_legacy_duration(&spec()))
        problem(field, quoted(field) +
                           " is the legacy API's name for duration, which has a property; set duration.");
      else if (is_request_name(field))
        problem(field, quoted(field) + " is not a field of a request.");
      else if (into.find(field) || given_.find(field))
        problem(field, field + " is given twice.");
      else if (auto wrong = encoding_problem(value))
        refuse(field, field + " " + *wrong + ".");
      else
        into.set(field, value);
    }
  }

  // Counts the field as given, so that it is not reported as missing too.
  void refuse(const std::string &field, std::string text) {
    refused_.push_back(field);
    problem(field, std::move(text));
  }

  const Json *value_of(std::string_view field) const {
    const Json *value = given_.find(field);
    if (!value) value = extra_.find(field);
    // An empty list of media says nothing.
    const FieldSpec *listed = spec().find(field);
    const bool media = listed && media_kind(listed->type);
    return media && value && value->array() && value->array()->empty() ? nullptr : value;
  }

  void check_field(const FieldSpec &field) {
    if (std::find(refused_.begin(), refused_.end(), field.name) != refused_.end()) return;
    const Json *value = value_of(field.name);
    if (!value) {
      if (field.required && field.default_value.is_null()) missing(field);
    } else if (field.refused) {
      problem(field.name, spec().id + " does not take " + field.name + "; leave it out.");
    } else {
      // Too many references and a wrong reference are two problems, so both are checked.
      if (auto wrong = value_problem(field, *value, spec().id)) problem(field.name, std::move(*wrong));
      if (value->string()) check_length(field, *value->string());
      if (const auto kind = media_kind(field.type); kind && value->array())
        check_media(field, *kind, *value->array());
    }
  }

  void missing(const FieldSpec &field) {
    const std::string allowed = allowed_text(field);
    problem(field.name, field.name + " is missing; " + spec().id + " needs it" +
                            (allowed.empty() ? "" : " (" + allowed + ")") + ".");
  }

  void check_length(const FieldSpec &field, const std::string &text) {
    TextVerdict verdict = check_text(field, text, spec().id);
    for (std::string &text : verdict.problems) problem(field.name, std::move(text));
    for (std::string &text : verdict.warnings) checked_.warnings_.push_back(std::move(text));
  }

  void check_media(const FieldSpec &field, MediaKind kind, const Json::Array &items) {
    for (size_t i = 0; i < items.size(); ++i) {
      const std::string item = items.size() == 1 ? field.name : field.name + "[" + std::to_string(i) + "]";
      if (const auto *text = items[i].string())
        check_reference({.field = field.name, .index = static_cast<unsigned>(i), .name = item}, kind, *text);
      else
        problem(field.name, item + " is " + shown(items[i]) + "; it must be a URL.");
    }
  }

  // `where` says where it stands.
  void check_reference(MediaReference where, const std::optional<MediaKind> &kind, const std::string &text) {
    if (has_enough_problems()) return;
    auto reference = read_reference(text, {kind, spec().assets, policy_});
    if (!reference) return problem(where.field, where.name + " " + reference.error() + ".");
    reference->field = std::move(where.field);
    reference->index = where.index;
    reference->steps = std::move(where.steps);
    reference->name = std::move(where.name);
    reference->is_from_uri =
        std::ranges::find(request_.uri_fields, reference->field) != request_.uri_fields.end();
    if (reference->source == MediaSource::clip)
      check_clip(reference->name, *reference);
    else if (checked_.media_.size() >= kMostReferences)
      return problem(reference->field,
                     reference->name + " is one of more than " + std::to_string(kMostReferences) +
                         " references in this request, which is the most that genclip allows.");
    checked_.media_.push_back(std::move(*reference));
  }

  // Validates the request inside a reference to a clip, and whether the field takes what that request makes.
  void check_clip(const std::string &item, MediaReference &reference) {
    const std::string &field = reference.field;
    if (has_enough_problems()) return;
    if (level_ == kMostClipLevels)
      return problem(field, item + " is a clip more than " + std::to_string(kMostClipLevels) +
                                " levels deep, which is the most that genclip allows.");
    if (++tree_.clips > kMostClips)
      return problem(field, item + " is one of more than " + std::to_string(kMostClips) +
                                " clips in this request, which is the most that genclip allows.");
    const auto read = read_clip_uri(catalog_, uri_of_clip(reference));
    if (!read) return problem(field, item + ": " + read.error().text);
    for (const Problem &wrong : read->problems) problem(field, item + ": " + wrong.text);
    ReferencePolicy inner_policy = policy_;
    if (auto wrong = unpublished_clip_problem(reference, policy_)) {
      checked_.unpublished_.push_back({field, item + " " + *wrong + "."});
      // Once is enough to say how to set publishing up.
      inner_policy.publishes = inner_policy.is_service_public = true;
    }
    auto inner = RequestCheck(catalog_, read->request, inner_policy, tree_, level_ + 1).run();
    if (const auto spec = catalog_.find(read->request.model))
      if (auto wrong = inner_clip_problem(*spec, reference)) problem(field, item + " " + *wrong + ".");
    if (!inner) {
      for (const Problem &wrong : inner.error()) problems_.push_back({field, item + ": " + wrong.text});
      return;
    }
    for (const std::string &warning : inner->warnings()) checked_.warnings_.push_back(item + ": " + warning);
    if (auto wrong = late_frame_problem(*inner, reference.part)) problem(field, item + " " + *wrong + ".");
    reference.clip = std::make_shared<const CheckedRequest>(std::move(*inner));
  }

  // Checks the fields that the model's table does not list.
  void check_unlisted(const Json &fields) {
    for (const auto &[name, value] : *fields.object())
      if (!spec().open && !spec().find(name)) problem(name, unknown_field_text(name));
  }

  // Finds references where no table says that there are any.
  void check_untyped(const Json &fields) {
    for (const auto &[name, value] : *fields.object()) {
      const FieldSpec *field = spec().find(name);
      if (!field ? !spec().open : field->refused || media_kind(field->type) || !field->values.empty())
        continue;
      UntypedPlace place{name, {}, name, name, field != nullptr};
      look_for_references(value, place);
    }
  }

  // Where a value stands in a field.
  struct UntypedPlace {
    const std::string &field;
    std::vector<std::string> steps;
    std::string path;  // As UntypedName has it.
    std::string text;  // For people.
    bool is_listed;
    bool is_in_text = false;  // In JSON that is the text of a field.
  };

  void look_for_references(const Json &value, const UntypedPlace &place) {
    if (has_enough_problems()) return;
    if (const Json::Object *members = value.object())
      for (const auto &[name, member] : *members) {
        UntypedPlace inside = place;
        inside.steps.push_back(name);
        inside.path += " " + name;
        inside.text += "." + name;
        look_for_references(member, inside);
      }
    const Json::Array *list = value.array();
    for (size_t i = 0; list && i < list->size() && !has_enough_problems(); ++i) {
      UntypedPlace inside = place;
      inside.steps.push_back(std::to_string(i));
      inside.text += "[" + std::to_string(i) + "]";
      look_for_references((*list)[i], inside);
    }
    const std::string *text = value.string();
    const std::string_view path = place.path;
    const UntypedName name{path.substr(path.rfind(' ') + 1), path, place.is_listed};
    if (!text) return;
    if (const auto json = place.is_in_text ? std::nullopt : json_in_text(name, *text)) {
      UntypedPlace inside = place;
      inside.is_in_text = true;
      return look_for_references(*json, inside);
    }
    if (!is_untyped_reference(name, *text)) {
      if (is_untyped_url(name, *text)) add_url(place, *text, kind_of(name, *text));
      return;
    }
    if (place.is_in_text)
      return problem(place.field, shown_line(place.text) +
                                      " is a reference inside a text of JSON, where genclip cannot make it "
                                      "public; give the reference alone in " +
                                      place.field + ".");
    const auto index = std::ranges::count(checked_.media_, place.field, &MediaReference::field);
    MediaReference reference{.field = place.field,
                             .index = static_cast<unsigned>(index),
                             .steps = place.steps,
                             .name = shown_line(place.text)};
    check_reference(std::move(reference), kind_of(name, *text), std::string(trimmed(*text)));
  }

  // The name is a guess, so the medium may be of any kind. `kind` is for texts only. A hostile request has no
  // end of them.
  void add_url(const UntypedPlace &place, const std::string &url, const std::optional<MediaKind> &kind) {
    const std::string shown = shown_line(place.text);
    // The field may be no reference at all, so its text is not rewritten as that of one is.
    const bool has_blank = url.find_first_of(" \t") != url.npos;
    if (auto wrong = has_blank ? http_problem(url, policy_.refuses_private_hosts) : std::nullopt)
      return problem(place.field, shown + " " + *wrong + ".");
    const auto reference = read_reference(url, {kind, spec().assets, policy_});
    if (!reference) return problem(place.field, shown + " " + reference.error() + ".");
    if (reference->source == MediaSource::url && !place.is_in_text &&
        checked_.untyped_urls_.size() < kMostReferences)
      checked_.untyped_urls_.push_back(
          {.field = place.field, .steps = place.steps, .name = shown, .url = url, .kind = std::nullopt});
  }

  // Of a clip in a field whose name does not tell: what it makes.
  std::optional<MediaKind> kind_of(const UntypedName &name, const std::string &text) const {
    const auto kind = untyped_kind(name, text);
    const std::string_view uri = trimmed(text);
    if (kind || scheme_of(uri) != kClipUriScheme) return kind;
    if (uri.find('#') != uri.npos) return MediaKind::image;
    const auto clip = parse_clip_uri(catalog_, uri);
    const auto maker = clip ? catalog_.find(clip->model) : nullptr;
    return maker && maker->result == ResultKind::image ? MediaKind::image : MediaKind::video;
  }

  std::string unknown_field_text(const std::string &name) const {
    std::vector<Name> names;
    for (const FieldSpec &field : spec().fields)
      if (!field.refused) names.push_back({field.name});
    std::vector<Name> calls = names;
    for (const auto &[field, word] : kOtherWords)
      if (const FieldSpec *known = spec().find(field); known && !known->refused)
        calls.push_back({field, word});
    const std::string meant = likely_name(name, calls);
    std::vector<std::string> all;
    if (!meant.empty()) all.push_back(meant);
    for (const Name &known : names)
      if (known.id != meant) all.push_back(known.id);
    return spec().id + " has no field " + quoted(name) +
           (meant.empty() ? "" : "; did you mean " + quoted(meant) + "?") + (meant.empty() ? "; it" : " It") +
           " has " + both(all) + ".";
  }

  void write_body() {
    checked_.body_ = Json::Object{{"model", spec().id}};
    put(spec().find("prompt"));
    for (const FieldSpec &field : spec().fields)
      if (field.name != "prompt") put(&field);
    for (const Json *rest : {&given_, &extra_})
      for (const auto &[name, value] : *rest->object())
        if (!checked_.body_.find(name)) put(name, value_of(name));
    for (const MediaReference &medium : checked_.media_)
      if (Json *place = place_of(medium, checked_.body_); place && medium.source == MediaSource::url)
        *place = medium.url;
  }

  void put(const FieldSpec *field) {
    if (!field) return;
    if (given_.find(field->name))
      put(field->name, value_of(field->name));
    else if (field->required && !extra_.find(field->name) && !field->default_value.is_null())
      put(field->name, &field->default_value);
  }

  void put(const std::string &name, const Json *value) {
    if (value) checked_.body_.set(name, *value);
  }

  // Checks what needs all fields together, defaults included.
  void check_body() {
    for (Problem &wrong : rule_problems(spec(), checked_.body_)) problems_.push_back(std::move(wrong));
    if (checked_.api_ != Api::legacy) return;
    for (const FieldSpec &field : catalog_.legacy_fields()) {
      const Json *value = checked_.body_.find(field.name);
      const FieldSpec *listed = spec().find(field.name);
      if (!value || (listed && value_problem(*listed, *value, spec().id))) continue;
      if (auto wrong = value_problem(field, *value, "the legacy API")) problem(field.name, std::move(*wrong));
    }
  }

  // Before the clips that it is made of are paid. The journal has the digests of files and of clips, not
  // their names.
  void check_size() {
    if (!problems_.empty()) return;
    std::vector<std::string> names;
    for (const MediaReference &medium : checked_.media_)
      names.push_back(is_sent_as_given(medium) ? medium.url : std::string(kReferenceBytes, 'x'));
    const size_t size = Json(Json::Object{{"request", checked_.body_with(names)}}).to_pretty_text().size() +
                        checked_.used_reference_bytes();
    if (size > kMostRequestBytes)
      problem("", "The request is too large for the journal (" + std::to_string(size) + " bytes; " +
                      std::to_string(kMostRequestBytes) + " are possible). Shorten it.");
  }

  const Catalog &catalog_;
  const ClipRequest &request_;
  const ReferencePolicy policy_;
  ClipTree &tree_;
  const unsigned level_;
  CheckedRequest checked_;
  Json given_ = Json::Object{};
  Json extra_ = Json::Object{};
  std::vector<std::string> refused_;
  std::vector<Problem> problems_;
};

size_t CheckedRequest::used_reference_bytes() const {
  size_t bytes = 0;
  for (const MediaReference &medium : media_)
    if (!is_sent_as_given(medium)) bytes += kUsedReferenceBytes + medium.field.size();
  return bytes;
}

Json CheckedRequest::body_with(const std::vector<std::string> &references) const {
  assert(references.size() == media_.size());
  Json body = body_;
  for (size_t i = 0; i < media_.size(); ++i) *place_of(media_[i], body) = references[i];
  return body;
}

CheckedRequest CheckedRequest::with_urls(const std::vector<std::string> &urls) const {
  CheckedRequest request = *this;
  request.body_ = body_with(urls);
  for (size_t i = 0; i < urls.size(); ++i) {
    const MediaReference &given = media_[i];
    request.media_[i] = {.field = given.field,
                         .index = given.index,
                         .steps = given.steps,
                         .name = given.name,
                         .url = urls[i],
                         .kind = given.kind};
    if (given.source == MediaSource::asset) request.media_[i].source = MediaSource::asset;
  }
  return request;
}

Result<CheckedRequest, std::vector<Problem>> check_request(const Catalog &catalog, const ClipRequest &request,
                                                           const ReferencePolicy &policy) {
  ClipTree tree;
  return RequestCheck(catalog, request, policy, tree, 0).run();
}

Result<CheckedRequest, std::vector<Problem>> check_read_request(const Catalog &catalog,
                                                                const ReadRequest &read,
                                                                const ReferencePolicy &policy) {
  auto checked = check_request(catalog, read.request, policy);
  if (read.problems.empty()) return checked;
  std::vector<Problem> all = read.problems;
  if (!checked) all.insert(all.end(), checked.error().begin(), checked.error().end());
  return all;
}

std::string problems_text(const std::vector<Problem> &problems) {
  if (problems.size() == 1) return problems[0].text;
  std::string text = std::to_string(problems.size()) + " problems with this request:";
  for (size_t i = 0; i < problems.size(); ++i) text += " (" + std::to_string(i + 1) + ") " + problems[i].text;
  return text;
}

}  // namespace genclip
