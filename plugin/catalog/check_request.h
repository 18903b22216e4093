// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Validates a request against the catalog, before it costs anything.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/base/result.h"
#include "plugin/catalog/catalog.h"
#include "plugin/catalog/clip_request.h"
#include "plugin/catalog/media_reference.h"
#include "plugin/catalog/model_spec.h"

namespace genclip {

// A request that the catalog allows; only check_request makes one, and only it can be submitted. A plain
// value.
class CheckedRequest {
 public:
  const std::string &model() const { return spec_->id; }
  // tasks or legacy, never automatic.
  Api api() const { return api_; }
  unsigned take() const { return take_; }
  // The body to send: an object with v2 field names (§2.3), `model` first, then `prompt`, then the other
  // fields in the catalog's order, then the extra ones. An unset required field has its default; an unset
  // optional one is absent.
  const Json &body() const { return body_; }
  const std::vector<MediaReference> &media() const { return media_; }
  // URLs of media in fields that no table types. They go out as they are written, and may be of any kind.
  const std::vector<MediaReference> &untyped_urls() const { return untyped_urls_; }
  const ModelSpec &spec() const { return *spec_; }
  // What the service will do that the user may not expect, one sentence each.
  const std::vector<std::string> &warnings() const { return warnings_; }
  // Clips and frames of its references that the service could not fetch in this run, because nothing
  // publishes them. It cannot be generated with these settings; what is stored of it needs nothing.
  const std::vector<Problem> &unpublished() const { return unpublished_; }
  // Bytes of a journal for what is noted of its references with the submit.
  size_t used_reference_bytes() const;

  // The body with these texts in place of the references, one for each of media() and in its order.
  Json body_with(const std::vector<std::string> &references) const;
  // The same request with these URLs as its references. Each one's source is then a URL; an asset stays one.
  CheckedRequest with_urls(const std::vector<std::string> &urls) const;

 private:
  friend class RequestCheck;
  CheckedRequest() = default;

  std::shared_ptr<const ModelSpec> spec_;
  Api api_ = Api::tasks;
  unsigned take_ = 0;
  Json body_;
  std::vector<MediaReference> media_;
  std::vector<MediaReference> untyped_urls_;
  std::vector<std::string> warnings_;
  std::vector<Problem> unpublished_;
};

// How many clips may stand one inside the other, and how many all in all.
inline constexpr unsigned kMostClipLevels = 32;
inline constexpr unsigned kMostClips = 1000;

// Bytes of a request in a journal, which has room for what becomes of it beside that.
inline constexpr size_t kMostRequestBytes = (4 << 20) - (64 << 10);
// As many as the journal has, at most, about each reference that genclip publishes: what it was when the task
// was submitted.
inline constexpr size_t kUsedReferenceBytes = 2048;

// All problems at once, in the order of the model's fields, then of the catalog's. A clip that stands as a
// reference is a request too: it is validated with the outer one, and the text of each of its problems begins
// with the place of the clip, such as "first_image: prompt is missing".
Result<CheckedRequest, std::vector<Problem>> check_request(const Catalog &catalog, const ClipRequest &request,
                                                           const ReferencePolicy &policy = {});

// The same, behind the problems with which it was read.
Result<CheckedRequest, std::vector<Problem>> check_read_request(const Catalog &catalog,
                                                                const ReadRequest &read,
                                                                const ReferencePolicy &policy = {});

// One text for a person, which names every problem.
std::string problems_text(const std::vector<Problem> &problems);

}  // namespace genclip
