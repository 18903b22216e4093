// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/request_identity.h"

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"
#include "plugin/catalog/request_meaning.h"
#include "plugin/generation/store_account.h"
#include "plugin/http/retry_policy.h"
#include "plugin/store/clip_folder.h"
#include "plugin/store/clip_record.h"
#include "plugin/task/media_fetch.h"

namespace genclip {
namespace {

constexpr size_t kBlock = size_t{1} << 20;
constexpr std::chrono::milliseconds kShortestFetch{1};
constexpr char kContent[] = "sha256:";
constexpr char kClip[] = "genclip:";

struct FreeChecksum {
  void operator()(GChecksum *checksum) const { g_checksum_free(checksum); }
};

std::string sha256_of(const TemporaryFile &file) {
  const std::unique_ptr<GChecksum, FreeChecksum> checksum(g_checksum_new(G_CHECKSUM_SHA256));
  for (uint64_t offset = 0;;) {
    const std::string block = file.read_at(offset, kBlock);
    if (block.empty()) return g_checksum_get_string(checksum.get());
    g_checksum_update(checksum.get(), reinterpret_cast<const guchar *>(block.data()),
                      static_cast<gssize>(block.size()));
    offset += block.size();
  }
}

bool is_local(const CheckedRequest &request) {
  return std::any_of(request.media().begin(), request.media().end(), [](const MediaReference &reference) {
    return reference.source == MediaSource::file || reference.source == MediaSource::clip;
  });
}

class Identification {
 public:
  Identification(const GenerationJob &job, const GenerationServices &services, bool may_fetch,
                 GCancellable *cancellable)
      : job_(job),
        services_(services),
        fetches_(may_fetch && job.reference_identity == ReferenceIdentity::content),
        cancellable_(cancellable) {}

  Result<IdentifiedRequest> run(const CheckedRequest &request, const ClipIdentity &identity) const {
    IdentifiedRequest found;
    if (fetches_ || is_local(request))
      for (size_t i = 0; i < request.media().size(); ++i) {
        auto name = name_of(request, i, found);
        if (!name) return with_place(std::move(name).error(), request.media()[i].name);
        found.names.push_back(std::move(*name));
      }
    // A clip inside counts by what it means, whichever folder it has.
    const auto body = [&](const ClipIdentity &(*identity_of)(const IdentifiedRequest &)) {
      std::vector<std::string> names = found.names;
      for (const auto &[i, clip] : found.clips) names[i] = clip_name(request.media()[i], identity_of(*clip));
      return names.empty() ? request.body() : request.body_with(names);
    };
    found.meaning = identity;
    found.meaning.request = meaning_of(request.spec(), body(meaning_of_clip));
    find_older(found, body(older_of_clip), meaning_of(request.spec(), body(spelled_address_of_clip)));
    return found;
  }

  // What was submitted, or attached to, by a version that took each spelling for another request, and by
  // 0.3.0, which took each spelling of the address for another service.
  void find_older(IdentifiedRequest &found, Json spelled, Json meant) const {
    const auto name = [&](Json request) {
      ClipIdentity older = found.meaning;
      older.base_url = spelled_base_url(job_);
      older.request = std::move(request);
      // The usual case, without the time that digests take.
      const ClipIdentity &meaning = found.meaning;
      if (older.base_url == meaning.base_url && older.request == meaning.request)
        return std::optional<ClipIdentity>();
      return older.digest() != meaning.digest() ? std::optional(older) : std::nullopt;
    };
    found.older = name(std::move(spelled));
    found.spelled_address = name(std::move(meant));
    choose_folder(found, job_, services_);
  }

 private:
  static const ClipIdentity &meaning_of_clip(const IdentifiedRequest &clip) { return clip.meaning; }
  static const ClipIdentity &older_of_clip(const IdentifiedRequest &clip) {
    return clip.older ? *clip.older : clip.meaning;
  }
  static const ClipIdentity &spelled_address_of_clip(const IdentifiedRequest &clip) {
    return clip.spelled_address ? *clip.spelled_address : clip.meaning;
  }
  static std::string clip_name(const MediaReference &reference, const ClipIdentity &identity) {
    return kClip + identity.digest() + (reference.part.is_frame ? "#" + reference.part.fragment : "");
  }

  static Error with_place(Error error, const std::string &place) {
    error.text.insert(0, place + " ");
    return error;
  }

  Result<std::string> name_of(const CheckedRequest &request, size_t index, IdentifiedRequest &found) const {
    const MediaReference &reference = request.media()[index];
    switch (reference.source) {
      case MediaSource::asset:
      case MediaSource::content: break;
      case MediaSource::url:
        if (fetches_) return name_of_url(reference);
        break;
      case MediaSource::file: return name_of_file(request, reference, found.files[index]);
      case MediaSource::clip: return name_of_clip(reference, found.clips[index]);
    }
    return reference.url;
  }

  Result<std::string> name_of_url(const MediaReference &reference) const {
    auto fetched = fetch(reference);
    if (g_cancellable_is_cancelled(cancellable_)) return cancelled();
    if (!fetched) {
      MediaFailure &failure = fetched.error();
      Error error{failure.kind, std::move(failure.text)};
      error.details.push_back({"retry", failure.transient});
      return error;
    }
    if (!fetched->whole)
      return Error{ErrorKind::settings, "is larger than " + std::to_string(job_.media_check.max_bytes >> 20) +
                                            " MiB, which is too large for reference-identity=content"};
    return kContent + sha256_of(fetched->file);
  }

  // As often as check_media() does, and for each reference as long as that does for all.
  Result<FetchedMedia, MediaFailure> fetch(const MediaReference &reference) const {
    const RetryPolicy retries(job_.media_check.retries);
    Clock &clock = *services_.clock;
    const Clock::Time end = clock.now() + job_.media_check.time_limit;
    MediaFetchOptions options = job_.media_check.fetch;
    for (unsigned attempt = 1;; ++attempt) {
      // 0 is endless, and a sleep may last longer than it was to.
      options.whole_timeout =
          std::max(kShortestFetch, std::chrono::ceil<std::chrono::milliseconds>(end - clock.now()));
      auto fetched =
          fetch_media(*services_.http, reference.url, job_.media_check.max_bytes, options, cancellable_);
      const auto pause = !fetched && fetched.error().transient ? retries.delay_before(attempt) : std::nullopt;
      const bool is_tried_again = pause && clock.now() + *pause < end;
      if (!is_tried_again || !clock.sleep_until(clock.now() + *pause, cancellable_)) return fetched;
    }
  }

  uint64_t most_bytes(const CheckedRequest &request, const MediaReference &reference) const {
    const FieldSpec *field = request.spec().find(reference.field);
    const auto upper = field ? field->media.bytes.upper : std::nullopt;
    return std::max(job_.media_check.max_bytes, upper ? static_cast<uint64_t>(*upper) : 0);
  }

  Result<std::string> name_of_file(const CheckedRequest &request, const MediaReference &reference,
                                   IdentifiedFile &found) const {
    const auto named = [&](Error error) {
      error.text.insert(0, "(" + shown_line(reference.path) + ") ");
      return error;
    };
    auto file = LocalFile::open(absolute_path(reference.path, job_.publish.working_folder),
                                reference.is_from_uri ? &job_.publish.roots : nullptr);
    if (!file) return named(std::move(file).error());
    // A check of what its content is comes later, so a file without end would be read for hours.
    const auto size = file->size();
    if (!size) return named(size.error());
    if (const uint64_t most = most_bytes(request, reference); *size > most)
      return named({ErrorKind::settings, "is larger than " + std::to_string(most >> 20) + " MiB"});
    auto sha256 = file->sha256(cancellable_);
    if (!sha256) return named(std::move(sha256).error());
    found = {std::make_shared<const LocalFile>(std::move(*file)), *sha256};
    return kContent + *sha256;
  }

  Result<std::string> name_of_clip(const MediaReference &reference,
                                   std::shared_ptr<const IdentifiedRequest> &clip) const {
    auto found = run(*reference.clip, job_of_inner(job_, *reference.clip, nullptr).identity);
    if (!found) return with_place(std::move(found).error(), "is a clip whose");
    clip = std::make_shared<const IdentifiedRequest>(std::move(*found));
    return clip_name(reference, clip->identity);
  }

  const GenerationJob &job_;
  const GenerationServices &services_;
  const bool fetches_;
  GCancellable *const cancellable_;
};

// The claims of one request's folders.
class Claims {
 public:
  Claims(const GenerationJob &job, const GenerationServices &services)
      : job_(job),
        services_(services),
        own_(*services.files, *services.clock),
        charges_(services.charges ? *services.charges : own_) {}

  // Of its record. ErrorKind::not_found: it has none.
  Result<Claim> of_record(const ClipIdentity &identity) const {
    const auto record = ClipFolder(*services_.files, path_of(identity)).look();
    return record ? Result<Claim>(claim_of(*record, job_.reuse)) : record.error();
  }

  // Without a record, what the ledger knows.
  Result<Claim> or_of_ledger(Result<Claim> of_record, const ClipIdentity &identity) {
    if (of_record || of_record.error().kind != ErrorKind::not_found) return of_record;
    const ClipPath path = path_of(identity);
    const auto open =
        charges_.open(job_.store, path.digest(), ClipFolder(*services_.files, path).holds_clip());
    return open ? Result<Claim>(claim_of(*open)) : open.error();
  }

 private:
  ClipPath path_of(const ClipIdentity &identity) const { return {job_.store, identity.digest()}; }

  const GenerationJob &job_;
  const GenerationServices &services_;
  KnownCharges own_;
  KnownCharges &charges_;
};

// A record that cannot be read may name a task.
Claim or_unanswered(const Result<Claim> &claim) { return claim ? *claim : Claim::unanswered; }

// The older folder that is wanted. Null: none is.
const ClipIdentity *wanted_older(const IdentifiedRequest &request, const GenerationJob &job,
                                 const GenerationServices &services) {
  if (!request.older && !request.spelled_address) return nullptr;
  Claims claims(job, services);
  auto newer = claims.of_record(request.meaning);
  // Only a record claims as much as that, so the ledger, which may be long, need not be read.
  const bool is_whole = newer && *newer == Claim::clip;
  const ClipIdentity *wanted = nullptr;
  Result<Claim> older = Claim::none;
  for (const auto *name : {&request.older, &request.spelled_address}) {
    if (!*name) continue;
    auto claim = claims.of_record(**name);
    if (!is_whole) claim = claims.or_of_ledger(std::move(claim), **name);
    if (wanted && or_unanswered(claim) <= or_unanswered(older)) continue;
    wanted = &**name;
    older = std::move(claim);
  }
  if (!wanted || (older && *older == Claim::none)) return nullptr;
  newer = claims.or_of_ledger(std::move(newer), request.meaning);
  if (!older && !newer) return nullptr;  // It is the disk: the run reports it.
  return or_unanswered(older) >= or_unanswered(newer) ? wanted : nullptr;
}

}  // namespace

void choose_folder(IdentifiedRequest &request, const GenerationJob &job, const GenerationServices &services) {
  const ClipIdentity *older = wanted_older(request, job, services);
  request.has_older_folder = older != nullptr;
  request.identity = older ? *older : request.meaning;
}

IdentifiedRequest with_take(IdentifiedRequest request, unsigned take, const GenerationJob &job,
                            const GenerationServices &services) {
  request.meaning.take = take;
  if (request.older) request.older->take = take;
  if (request.spelled_address) request.spelled_address->take = take;
  choose_folder(request, job, services);
  return request;
}

GenerationServices services_of_plan(GenerationServices services) {
  services.charges = std::make_shared<KnownCharges>(*services.files, *services.clock);
  return services;
}

IdentifiedRequest identified_as(const ClipIdentity &identity) {
  IdentifiedRequest request;
  request.identity = request.meaning = identity;
  return request;
}

Result<IdentifiedRequest> identify_request(const GenerationJob &job, const GenerationServices &services,
                                           bool may_fetch, GCancellable *cancellable) {
  const Identification identification(job, services, may_fetch, cancellable);
  if (job.request) return identification.run(*job.request, job.identity);
  IdentifiedRequest task = identified_as(job.identity);
  identification.find_older(task, job.identity.request, job.identity.request);
  return task;
}

GenerationJob job_of_inner(const GenerationJob &outer, const CheckedRequest &inner,
                           std::shared_ptr<const IdentifiedRequest> identified) {
  GenerationJob job = outer;
  job.identified = std::move(identified);
  job.request = inner;
  job.model = inner.model();
  job.task_id.clear();
  job.reuse = true;
  job.endpoint.api = inner.api();
  job.identity.api = to_word(inner.api());
  job.identity.request = meaning_of(inner.spec(), inner.body());
  job.identity.take = inner.take();
  return job;
}

const std::string &spelled_base_url(const GenerationJob &job) {
  return job.older_base_url.empty() ? job.endpoint.base_url : job.older_base_url;
}

bool names_files(const CheckedRequest &request) {
  return std::any_of(request.media().begin(), request.media().end(), [](const MediaReference &reference) {
    return reference.source == MediaSource::file || (reference.clip && names_files(*reference.clip));
  });
}

}  // namespace genclip
