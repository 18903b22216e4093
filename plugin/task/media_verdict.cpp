// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Compares facts with bounds. A missing fact that a bound needs is a problem too.
#include "plugin/task/media_verdict.h"

#include <algorithm>
#include <cmath>

#include "plugin/base/number.h"
#include "plugin/base/trimmed.h"
#include "plugin/catalog/wording.h"
#include "plugin/task/media_format.h"

namespace genclip {
namespace {

const MediaLimits kNoLimits;

const MediaLimits &limits_of(const CheckedRequest &request, const MediaReference &reference) {
  const FieldSpec *field = request.spec().find(reference.field);
  return field ? field->media : kNoLimits;
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
    problems_.push_back({reference.field, reference_name(request_, reference) + " " +
                                              std::string(without_full_stop(text)) + "."});
  }

  void judge(const MediaFinding &finding) {
    const MediaReference &reference = *finding.reference;
    const MediaFacts &facts = finding.facts;
    if (!finding.failure.empty()) return problem(reference, finding.failure);
    const MediaLimits &limits = limits_of(request_, reference);
    judge_type(finding, limits);
    const auto bytes = facts.bytes ? std::optional<double>(static_cast<double>(*facts.bytes)) : std::nullopt;
    judge_bound(reference, limits.bytes, bytes, {"has ", "", " MB", "size", kBytesPerMegabyte});
    // A medium that is too large is not examined further.
    if (finding.depth != MediaCheck::full || (bytes && !limits.bytes.contains(*bytes))) return;
    if (!may_be(facts.media_type, reference.kind)) return;
    judge_content(reference, facts);
    std::optional<double> ratio;
    if (facts.width && facts.height && *facts.height > 0) ratio = *facts.width / *facts.height;
    judge_bound(reference, limits.width, facts.width, {"is ", "pixel", " wide", "width"});
    judge_bound(reference, limits.height, facts.height, {"is ", "pixel", " high", "height"});
    judge_bound(reference, limits.ratio, ratio, {"has a width / height of ", "", "", "frame size"});
    judge_bound(reference, limits.duration, facts.duration, {"lasts ", "second", "", "duration"});
    judge_bound(reference, limits.frame_rate, facts.frame_rate, {"has ", "frame", " a second", "frame rate"});
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
    const std::string kind = to_word(reference.kind);
    if (!may_be(facts.media_type, reference.kind))
      return problem(reference, "is " + quoted(facts.media_type) + ", which is not " + kind + " data");
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
    const char *verb;
    const char *noun;  // Of the unit: "pixel"; empty when it has none.
    const char *rest;  // Of the unit: " wide".
    const char *name;
    double scale = 1;
  };

  void judge_bound(const MediaReference &reference, const Bounds &bounds, std::optional<double> value,
                   const Measure &measure) {
    if (bounds.empty()) return;
    const auto with_unit = [&measure](const std::string &number) {
      return (*measure.noun ? counted(number, measure.noun) : number) + measure.rest;
    };
    if (!value || !std::isfinite(*value))
      problem(reference, std::string("has a ") + measure.name + " that cannot be determined; " + model() +
                             " takes " + with_unit(bounds.text(measure.scale)));
    else if (!bounds.contains(*value))
      problem(reference, measure.verb + with_unit(measure_text(*value / measure.scale)) + "; " + model() +
                             " takes " + bounds.text(measure.scale));
  }

  // Nothing when one of them failed, which is reported already, or was not examined, such as an asset.
  std::optional<double> total_duration(const std::string &field) const {
    double total = 0;
    auto unseen = std::count_if(request_.media().begin(), request_.media().end(),
                                [&](const MediaReference &reference) { return reference.field == field; });
    if (unseen == 0) return std::nullopt;
    for (const MediaFinding &finding : findings_) {
      if (finding.reference->field != field) continue;
      if (!finding.failure.empty() || !finding.facts.duration) return std::nullopt;
      total += *finding.facts.duration;
      --unseen;
    }
    return unseen == 0 ? std::optional(total) : std::nullopt;
  }

  // Reports a missing duration, unless a bound of the medium itself has reported it.
  void require_duration(const MediaFinding &finding) {
    const MediaLimits &limits = limits_of(request_, *finding.reference);
    const bool is_judged = finding.depth == MediaCheck::full && finding.failure.empty() &&
                           may_be(finding.facts.media_type, finding.reference->kind);
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
      const auto total = total_duration(field.name);
      if (!bounds.empty() && total && !bounds.contains(*total))
        problems_.push_back({field.name, field.name + " together last " +
                                             counted(measure_text(*total), "second") + "; " + model() +
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
        const auto total = total_duration(other);
        if (total && *asked > *total)
          problems_.push_back({field, field + " is " + measure_text(*asked) + ", but " + other + " lasts " +
                                          counted(measure_text(*total), "second") + "; " + model() +
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

std::string reference_name(const CheckedRequest &request, const MediaReference &reference) {
  const auto count =
      std::count_if(request.media().begin(), request.media().end(),
                    [&](const MediaReference &other) { return other.field == reference.field; });
  return count == 1 ? reference.field : reference.field + "[" + std::to_string(reference.index) + "]";
}

bool needs_measures(const CheckedRequest &request, const MediaReference &reference) {
  const MediaLimits &limits = limits_of(request, reference);
  return !limits.width.empty() || !limits.height.empty() || !limits.ratio.empty() ||
         !limits.duration.empty() || !limits.total_duration.empty() || !limits.frame_rate.empty() ||
         is_compared_in_length(request, reference.field);
}

std::vector<Problem> media_problems(const CheckedRequest &request,
                                    const std::vector<MediaFinding> &findings) {
  return Verdict(request, findings).run();
}

}  // namespace genclip
