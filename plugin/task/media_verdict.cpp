// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Compares facts with bounds. A missing fact that a bound needs is a problem too, unless the medium is a clip
// that is not generated yet.
#include "plugin/task/media_verdict.h"

#include <algorithm>
#include <cmath>

#include "plugin/base/number.h"
#include "plugin/base/trimmed.h"
#include "plugin/catalog/inner_clip.h"
#include "plugin/catalog/wording.h"
#include "plugin/task/media_format.h"

namespace genclip {
namespace {

const MediaLimits kNoLimits;

const MediaLimits &limits_of(const CheckedRequest &request, const MediaReference &reference) {
  const FieldSpec *field = request.spec().find(reference.field);
  return field ? field->media : kNoLimits;
}

// A whole clip was paid for by a verdict on the length that its request tells. It counts as so long now that
// it is here, too, unless it is another one.
std::optional<double> duration_of(const MediaFinding &finding) {
  const std::optional<double> real = finding.facts.duration;
  const MediaReference &reference = *finding.reference;
  if (!real || !reference.clip || reference.part.is_frame) return real;
  const auto told = longest_clip_duration(*reference.clip);
  return told && std::abs(*real - *told) <= kOffInLength ? told : real;
}

// Enough digits to see on which side of a bound the value is, and no more.
std::string measure_text(double value) { return rounded_text(value, 6); }

bool limits_length(const Rule &rule, const std::string &field) {
  return rule.kind == Rule::Kind::not_longer_than &&
         std::find(rule.others.begin(), rule.others.end(), field) != rule.others.end();
}

// True if a rule of the model compares the length of that field's media with what the request asks for.
bool is_compared_in_length(const CheckedRequest &request, const std::string &field) {
  const auto &rules = request.spec().rules;
  return std::any_of(rules.begin(), rules.end(),
                     [&](const Rule &rule) { return limits_length(rule, field); });
}

// Of a medium that is there, and of one that will be.
struct Verb {
  const char *now;
  const char *then;

  std::string of(bool is_expected) const { return is_expected ? then : now; }
};
constexpr Verb kIs{"is ", "will be "};
constexpr Verb kHas{"has ", "will have "};
constexpr Verb kHasRatio{"has a width / height of ", "will have a width / height of "};
constexpr Verb kLasts{"lasts ", "will last "};
constexpr Verb kLast{"last ", "will last "};

// Two numbers such as 2560x1440 or 16:9. Nothing for any other value, or for 0.
std::optional<std::pair<double, double>> two_numbers(const Json *value, char between) {
  const std::string *text = value ? value->string() : nullptr;
  const size_t place = text ? text->find(between) : std::string::npos;
  if (place == std::string::npos) return std::nullopt;
  const std::string_view view = *text;
  const auto first = parse_number<uint32_t>(view.substr(0, place));
  const auto second = parse_number<uint32_t>(view.substr(place + 1));
  if (!first || !second || *first == 0 || *second == 0) return std::nullopt;
  return std::pair<double, double>(*first, *second);
}

class Verdict {
 public:
  Verdict(const CheckedRequest &request, const std::vector<MediaFinding> &findings)
      : request_(request), findings_(findings) {}

  std::vector<Problem> run() {
    for (const MediaFinding &finding : findings_) judge(finding);
    judge_totals();
    for (const Rule &rule : request_.spec().rules) judge_rule(rule);
    return std::move(problems_);
  }

 private:
  const std::string &model() const { return request_.model(); }

  void problem(const MediaReference &reference, const std::string &text) {
    problems_.push_back({reference.field, reference.name + " " + std::string(without_full_stop(text)) + "."});
  }

  void judge(const MediaFinding &finding) {
    const MediaReference &reference = *finding.reference;
    const MediaFacts &facts = finding.facts;
    if (!finding.failure.empty()) return problem(reference, finding.failure);
    const MediaLimits &limits = limits_of(request_, reference);
    if (!finding.is_expected) judge_type(finding, limits);
    const auto bytes = facts.bytes ? std::optional<double>(static_cast<double>(*facts.bytes)) : std::nullopt;
    judge_bound(finding, limits.bytes, bytes, {kHas, "", " MB", "size", kBytesPerMegabyte});
    // A medium that is too large is not examined further.
    if (finding.depth != MediaCheck::full || (bytes && !limits.bytes.contains(*bytes))) return;
    if (!finding.is_expected && !may_be(facts.media_type, reference.kind)) return;
    judge_content(reference, facts);
    std::optional<double> ratio = facts.ratio;
    if (facts.width && facts.height && *facts.height > 0) ratio = *facts.width / *facts.height;
    judge_bound(finding, limits.width, facts.width, {kIs, "pixel", " wide", "width"});
    judge_bound(finding, limits.height, facts.height, {kIs, "pixel", " high", "height"});
    judge_bound(finding, limits.ratio, ratio, {kHasRatio, "", "", "frame size"});
    judge_bound(finding, limits.duration, duration_of(finding), {kLasts, "second", "", "duration"});
    judge_bound(finding, limits.frame_rate, facts.frame_rate, {kHas, "frame", " a second", "frame rate"});
  }

  void judge_type(const MediaFinding &finding, const MediaLimits &limits) {
    const MediaReference &reference = *finding.reference;
    const MediaFacts &facts = finding.facts;
    if (facts.media_type.empty()) {
      if (finding.depth == MediaCheck::full)
        problem(reference, "is not a known kind of media file");
      else if (!limits.formats.empty())
        problem(reference, "has an unknown type: its server sends " +
                               (facts.sent_type.empty() ? "none" : quoted(facts.sent_type)) +
                               "; check-media=full probes it");
      return;
    }
    if (!may_be(facts.media_type, reference.kind))
      return problem(reference, "is " + quoted(facts.media_type) + ", which is not " +
                                    (reference.kind ? to_word(*reference.kind) : "media") + " data");
    const auto &formats = limits.formats;
    const std::string_view format = format_name(facts.media_type);
    if (formats.empty() || limits.similar_formats ||
        std::find(formats.begin(), formats.end(), format) != formats.end())
      return;
    problem(reference, "is " + (format.empty() ? quoted(facts.media_type) : std::string(format)) + "; " +
                           model() + " takes " + either(formats));
  }

  void judge_content(const MediaReference &reference, const MediaFacts &facts) {
    const auto &held = reference.kind == MediaKind::audio ? facts.has_sound : facts.has_picture;
    if (!held.value_or(true))
      problem(reference,
              std::string("holds no ") + (reference.kind == MediaKind::audio ? "sound" : "picture"));
  }

  struct Measure {
    Verb verb;
    const char *noun;  // Of the unit: "pixel"; empty when it has none.
    const char *rest;  // Of the unit: " wide".
    const char *name;
    double scale = 1;
  };

  void judge_bound(const MediaFinding &finding, const Bounds &bounds, std::optional<double> value,
                   const Measure &measure) {
    if (bounds.empty() || (finding.is_expected && !value)) return;
    const MediaReference &reference = *finding.reference;
    const auto with_unit = [&measure](const std::string &number) {
      return (*measure.noun ? counted(number, measure.noun) : number) + measure.rest;
    };
    if (!value || !std::isfinite(*value))
      problem(reference, std::string("has a ") + measure.name + " that cannot be determined; " + model() +
                             " takes " + with_unit(bounds.text(measure.scale)));
    else if (!bounds.contains(*value))
      problem(reference, measure.verb.of(finding.is_expected) +
                             with_unit(measure_text(*value / measure.scale)) + "; " + model() + " takes " +
                             bounds.text(measure.scale));
  }

  struct Total {
    double seconds = 0;
    bool is_whole = false;     // False: others failed, or were not examined, such as an asset.
    bool is_expected = false;  // Some of them will last so long.
    bool is_most = false;      // Some of them will last so long at most.

    std::string text(const Verb &verb) const {
      return verb.of(is_expected) +
             (is_most    ? "at most "
              : is_whole ? ""
                         : "at least ") +
             counted(measure_text(seconds), "second");
    }
  };

  // Of those whose duration is known; with `longest`, also of those of which only their longest is.
  Total total_duration(const std::string &field, bool longest = false) const {
    Total total;
    auto unseen = std::count_if(request_.media().begin(), request_.media().end(),
                                [&](const MediaReference &reference) { return reference.field == field; });
    for (const MediaFinding &finding : findings_) {
      const MediaFacts &facts = finding.facts;
      const auto duration = duration_of(finding);
      const auto seconds = duration || !longest ? duration : facts.longest;
      if (finding.reference->field != field || !finding.failure.empty() || !seconds) continue;
      total.seconds += *seconds;
      total.is_most = total.is_most || !facts.duration;
      total.is_expected = total.is_expected || finding.is_expected;
      total.is_whole = --unseen == 0;
    }
    return total;
  }

  // Reports a missing duration, unless a bound of the medium itself has reported it.
  void require_duration(const MediaFinding &finding) {
    const MediaLimits &limits = limits_of(request_, *finding.reference);
    const bool is_judged = finding.depth == MediaCheck::full && finding.failure.empty() &&
                           !finding.is_expected && may_be(finding.facts.media_type, finding.reference->kind);
    if (is_judged && !finding.facts.duration && limits.duration.empty())
      problem(*finding.reference, "has a duration that cannot be determined");
  }

  void judge_totals() {
    for (const FieldSpec &field : request_.spec().fields) {
      const bool compared = is_compared_in_length(request_, field.name);
      const Bounds &bounds = field.media.total_duration;
      if (bounds.empty() && !compared) continue;
      for (const MediaFinding &finding : findings_)
        if (finding.reference->field == field.name) require_duration(finding);
      const Total total = total_duration(field.name);
      Bounds broken = bounds;
      if (!total.is_whole) broken.lower.reset();  // Some of them may be too long already, but not too short.
      if (!broken.contains(total.seconds))
        problems_.push_back({field.name, field.name + " together " + total.text(kLast) + "; " + model() +
                                             " takes " + bounds.text() + "."});
    }
  }

  void judge_rule(const Rule &rule) {
    if (rule.kind != Rule::Kind::not_longer_than) return;
    for (const std::string &field : rule.fields) {
      const Json *value = request_.body().find(field);
      const auto asked = value ? value->number() : std::nullopt;
      if (!asked) continue;
      for (const std::string &other : rule.others) {
        const Total total = total_duration(other, true);
        if (total.is_whole && *asked > total.seconds)
          problems_.push_back({field, field + " is " + measure_text(*asked) + ", but " + other + " " +
                                          total.text(kLasts) + "; " + model() +
                                          " makes nothing longer than its source video" +
                                          (rule.note.empty() ? "." : ": " + rule.note + ".")});
      }
    }
  }

  const CheckedRequest &request_;
  const std::vector<MediaFinding> &findings_;
  std::vector<Problem> problems_;
};

}  // namespace

bool needs_measures(const CheckedRequest &request, const MediaReference &reference) {
  const MediaLimits &limits = limits_of(request, reference);
  return !limits.width.empty() || !limits.height.empty() || !limits.ratio.empty() ||
         !limits.duration.empty() || !limits.total_duration.empty() || !limits.frame_rate.empty() ||
         is_compared_in_length(request, reference.field);
}

MediaFacts expected_facts(const CheckedRequest &inner, const ClipPart &part) {
  MediaFacts facts;
  if (!part.is_frame) facts.duration = clip_duration(inner);
  if (!part.is_frame && !facts.duration) facts.longest = longest_clip_duration(inner);
  const auto default_of = [&](std::string_view name) {
    const FieldSpec *field = inner.spec().find(name);
    return field && !field->default_value.is_null() ? &field->default_value : nullptr;
  };
  const std::pair<const Json *, const Json *> sources[] = {
      {inner.body().find("size"), inner.body().find("aspect_ratio")},
      {default_of("size"), default_of("aspect_ratio")}};
  for (const auto &[size, ratio] : sources) {
    if (const auto pixels = two_numbers(size, 'x')) {
      facts.width = pixels->first;
      facts.height = pixels->second;
    } else if (const auto sides = two_numbers(ratio, ':')) {
      facts.ratio = sides->first / sides->second;
    }
    // A request that says one of them, such as "adaptive", leaves no room for the default of the other.
    if (size || ratio) break;
  }
  return facts;
}

std::vector<Problem> media_problems(const CheckedRequest &request,
                                    const std::vector<MediaFinding> &findings) {
  return Verdict(request, findings).run();
}

}  // namespace genclip
