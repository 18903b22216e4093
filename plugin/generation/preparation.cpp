// SPDX-License-Identifier: LGPL-2.1-or-later
//
// In this order, so that nothing is paid for a request that must fail: what can be checked without a clip,
// the price of all clips together, the clips, their frames, publishing.
#include "plugin/generation/preparation.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "plugin/account/decision.h"
#include "plugin/account/ledger.h"
#include "plugin/base/shown_text.h"
#include "plugin/core/run_ending.h"
#include "plugin/frame/frame.h"
#include "plugin/generation/chain_estimate.h"
#include "plugin/generation/exit_guard.h"
#include "plugin/generation/generation.h"
#include "plugin/generation/generation_log.h"
#include "plugin/generation/inner_clip.h"
#include "plugin/http/public_address.h"
#include "plugin/publish/publisher.h"
#include "plugin/task/media_check.h"
#include "plugin/task/media_format.h"
#include "plugin/task/task_client.h"

namespace genclip {
namespace {

// One reference on its way to a URL.
struct Material {
  std::shared_ptr<const LocalFile> file;  // Null: there is a URL already.
  std::string sha256;                     // Empty: not computed yet.
  std::string url;
  bool is_published = false;
  UsedReference used;
};

LocalMedia local_media(const IdentifiedRequest &identified) {
  LocalMedia locals;
  for (const auto &[index, file] : identified.files) locals[index] = file.file;
  return locals;
}

using RequestCheck = std::function<Result<void>(const CheckedRequest &, const IdentifiedRequest &)>;

// Of the clips that have to be made before that one. The error says whose it is.
Result<void> check_links(const GenerationJob &job, const GenerationServices &services,
                         const CheckedRequest &request, const IdentifiedRequest &identified,
                         const RequestCheck &check) {
  for (const auto &[index, clip] : identified.clips) {
    if (is_paid(job, *clip, services)) continue;
    const MediaReference &reference = request.media()[index];
    auto checked = check(*reference.clip, *clip);
    if (checked) checked = check_links(job, services, *reference.clip, *clip, check);
    if (!checked) {
      checked.error().text.insert(0, reference_name(request, reference) + ": ");
      return checked;
    }
  }
  return {};
}

class Preparation {
 public:
  explicit Preparation(Generation &generation)
      : generation_(generation),
        job_(generation.job()),
        request_(*job_.request),
        begun_(to_utc(generation.services().clock->wall_now())),
        materials_(request_.media().size()) {}

  Result<PreparedRequest> run() {
    if (auto sources = take_sources(); !sources) return std::move(sources).error();
    if (auto checked = check(); !checked) return std::move(checked).error();
    if (auto checked = check_clips(); !checked) return std::move(checked).error();
    if (auto writable = check_folder(); !writable) return std::move(writable).error();
    if (auto affordable = ask_for_all(); !affordable) return std::move(affordable).error();
    // Files first: whether publishing works is known then before a clip is paid.
    if (auto published = publish_all(); !published) return std::move(published).error();
    if (auto made = make_clips(); !made) return std::move(made).error();
    if (auto published = publish_all(); !published) return std::move(published).error();
    if (auto affordable = ask_for_all(); !affordable) return std::move(affordable).error();
    PreparedRequest prepared{request_.with_urls(urls()), {}};
    for (Material &material : materials_)
      if (!material.used.field.empty()) prepared.references.push_back(std::move(material.used));
    return prepared;
  }

 private:
  const std::vector<MediaReference> &media() const { return request_.media(); }
  bool has_clips() const { return !generation_.identified().clips.empty(); }
  bool is_cancelled() const { return g_cancellable_is_cancelled(generation_.cancellable()); }

  Error about(const MediaReference &reference, Error error) const {
    error.text.insert(0, reference_name(request_, reference) + " ");
    return error;
  }

  static Result<void> check_source(const CheckedRequest &request, const MediaReference &reference) {
    if (reference.source != MediaSource::content) return {};
    return Error{ErrorKind::not_found,
                 reference_name(request, reference) + " is known by its content alone (" + reference.url +
                     "). That is enough to play a stored clip, but this one is not stored: to generate it, "
                     "give the file or its URL."};
  }

  // What can be checked of the clips that have to be made, all of them before the first is paid.
  Result<void> check_clips() const {
    const GenerationServices &services = generation_.services();
    const auto check = [&](const CheckedRequest &inner, const IdentifiedRequest &clip) -> Result<void> {
      // Its own run would end so, but only after the clips before it were paid.
      if (const auto submitted_at = unsettled_submit(job_, clip, services);
          submitted_at && job_.may_submit != MaySubmit::even_in_doubt)
        return with_ending(unknown_submit(*submitted_at), {Outcome::unknown, Charged::maybe, false});
      auto checked = check_media(services.http.get(), *services.clock, inner, local_media(clip),
                                 job_.media_check, generation_.cancellable());
      for (const MediaReference &reference : inner.media())
        if (checked) checked = check_source(inner, reference);
      return checked;
    };
    return check_links(job_, services, request_, generation_.identified(), check);
  }

  Result<void> check_folder() const {
    const std::string &folder = job_.publish.folder;
    if (!has_clips() || folder.empty() || g_access(folder.c_str(), W_OK | X_OK) == 0) return {};
    return Error{ErrorKind::settings, std::string(kNothingSent) + "the publish folder " + shown_line(folder) +
                                          " cannot be written to: " + g_strerror(errno) + "."};
  }

  Result<void> take_sources() {
    for (size_t i = 0; i < media().size(); ++i) {
      const MediaReference &reference = media()[i];
      Material &material = materials_[i];
      if (auto given = check_source(request_, reference); !given) return given;
      material.url = reference.url;
      if (reference.source != MediaSource::file && reference.source != MediaSource::clip) continue;
      material.used.field = reference.field;
      material.used.index = reference.index;
      if (reference.source != MediaSource::file) continue;
      const IdentifiedFile &file = generation_.identified().files.at(i);
      material.file = file.file;
      material.sha256 = file.sha256;
    }
    return {};
  }

  Result<void> check() const {
    LocalMedia locals;
    for (size_t i = 0; i < materials_.size(); ++i)
      if (materials_[i].file) locals[i] = materials_[i].file;
    const GenerationServices &services = generation_.services();
    return check_media(services.http.get(), *services.clock, request_, locals, job_.media_check,
                       generation_.cancellable());
  }

  // The run's limit stands for the whole chain, so it is asked before the first link is paid, and again when
  // the links have cost what they have. The budget's limit of one clip is asked of each of them beforehand.
  Result<void> ask_for_all() {
    if (!has_clips()) return {};
    const GenerationServices &services = generation_.services();
    Ledger ledger(*services.files, *services.clock, job_.store);
    const auto budget = ledger.budget();
    if (!budget) return budget.error();
    const auto reading = ledger.read_condensed();
    if (!reading) return reading.error();
    const auto links = link_estimates(job_, generation_.identified(), reading->account.prices(), services);
    if (const auto estimate = total_of(links))
      generation_.change([&](GenerationState &state) { state.estimate = estimate->likely; });
    const double spent = links_amount() + untold_amount(reading->account, budget->assumed_price);
    const auto refusal = limit_refusal(job_, links, Account(), budget->of_one_clip(), spent, services);
    return refusal ? Result<void>(refusal_error(*refusal)) : Result<void>();
  }

  // Credits that this run has paid for other clips, as far as they were told.
  double links_amount() const { return generation_.state().links_amount; }

  // What those count with whose cost was not told.
  double untold_amount(const Account &account, double assumed_price) const {
    std::set<std::string> links;
    add_links(generation_.identified(), links);
    double amount = 0;
    for (const Charge &charge : account.charges())
      if (charge.is_untold() && charge.at >= begun_ && links.contains(charge.key))
        amount += charge.reserved(assumed_price);
    return amount;
  }

  static void add_links(const IdentifiedRequest &request, std::set<std::string> &keys) {
    for (const auto &[index, clip] : request.clips)
      if (keys.insert(clip->identity.digest()).second) add_links(*clip, keys);
  }

  Result<void> make_clips() {
    unsigned links_before = 0;
    bool has_files = false;
    for (size_t i = 0; i < media().size(); ++i) {
      const MediaReference &reference = media()[i];
      if (reference.source != MediaSource::clip) continue;
      // The clips before it may have cost more than they were thought to.
      if (has_files)
        if (auto affordable = ask_for_all(); !affordable) return affordable;
      const auto &identified = generation_.identified().clips.at(i);
      auto clip = make_inner_clip(generation_, reference, identified, links_before);
      if (!clip) return std::move(clip).error();
      links_before += static_cast<unsigned>(count_links(*reference.clip));
      materials_[i].used.clip = clip->key;
      materials_[i].used.task_id = clip->task_id;
      auto taken = take_part(reference, *clip, materials_[i]);
      if (!taken) return about(reference, std::move(taken).error());
      has_files = true;
    }
    return has_files ? check() : Result<void>();
  }

  Result<void> take_part(const MediaReference &reference, const InnerClip &clip, Material &material) const {
    if (reference.part.is_frame) return take_frame(reference.part, clip, material);
    auto file = LocalFile::open(clip.path, nullptr);
    if (!file) return std::move(file).error();
    material.file = std::make_shared<const LocalFile>(std::move(*file));
    material.url.clear();
    return {};
  }

  Result<void> take_frame(const ClipPart &part, const InnerClip &clip, Material &material) const {
    auto frame = frame_at(clip.path, FramePosition{part.time}, {}, generation_.cancellable());
    if (is_cancelled()) return cancelled();
    if (!frame) {
      frame.error().text.insert(0, "cannot be taken: the clip " + clip.path + " ");
      return std::move(frame).error();
    }
    auto file = LocalFile::with_content(frame->png);
    if (!file) return std::move(file).error();
    material.file = std::make_shared<const LocalFile>(std::move(*file));
    material.url.clear();
    return {};
  }

  // A fresh URL of the result, if the service can fetch from itself; else empty. It is signed: never stored,
  // never logged.
  std::string result_url(const MediaReference &reference, const std::string &task_id) const {
    if (!is_public_address(job_.endpoint.base_url) || task_id.empty()) return "";
    const GenerationServices &services = generation_.services();
    TaskEndpoint endpoint = job_.endpoint;
    endpoint.api = reference.clip->api();
    TaskClient tasks(*services.http, *services.clock, endpoint, RetryPolicy(job_.retries));
    const auto task = tasks.query(task_id, false, generation_.cancellable(),
                                  services.clock->now() + job_.endpoint.http_timeout);
    return task && is_public_address(task->clip_url()) ? task->clip_url() : "";
  }

  Result<void> publish_all() {
    for (size_t i = 0; i < materials_.size(); ++i) {
      Material &material = materials_[i];
      if (!material.file || material.is_published) continue;
      if (media()[i].source == MediaSource::clip && !media()[i].part.is_frame)
        if (std::string url = result_url(media()[i], material.used.task_id); !url.empty()) {
          material.url = std::move(url);
          continue;
        }
      auto published = publish_one(material);
      if (!published) {
        published.error().text.insert(0, reference_name(request_, media()[i]) + ": ");
        return std::move(published).error();
      }
    }
    return {};
  }

  Result<void> publish_one(Material &material) {
    if (!job_.publish.is_set_up())
      return Error{ErrorKind::settings, "The service cannot fetch it: " + std::string(kHowToPublish) + "."};
    generation_.change([](GenerationState &state) {
      state.status = ClipStatus::preparing;
      state.link = state.links = 0;
      state.progress = -1;
      state.link_submits = false;
    });
    if (material.sha256.empty()) {
      auto sha256 = material.file->sha256(generation_.cancellable());
      if (!sha256) return std::move(sha256).error();
      material.sha256 = std::move(*sha256);
    }
    // A command that publishes has a moment to end, and its files are removed, when the process exits.
    const ExitGuard guard;
    const GenerationServices &services = generation_.services();
    const std::string type = sniff_media_type(material.file->read_at(0, kSniffedBytes));
    auto published = publish(job_.publish, {services.http.get(), services.clock, services.files}, job_.store,
                             *material.file, material.sha256, type, generation_.cancellable());
    if (is_cancelled()) return cancelled();
    if (!published) return std::move(published).error();
    material.is_published = true;
    material.url = std::move(published->url);
    material.used.copy = std::move(published->copy);
    material.used.sha256 = material.sha256;
    return {};
  }

  std::vector<std::string> urls() const {
    std::vector<std::string> urls;
    for (const Material &material : materials_) urls.push_back(material.url);
    return urls;
  }

  Generation &generation_;
  const GenerationJob &job_;
  const CheckedRequest &request_;
  const UtcTime begun_;
  std::vector<Material> materials_;  // One for each reference of the request.
};

}  // namespace

Result<void> check_files(const GenerationJob &job, const IdentifiedRequest &identified,
                         const GenerationServices &services, GCancellable *cancellable) {
  if (is_paid(job, identified, services)) return {};
  MediaCheckOptions options = job.media_check;
  options.depth = MediaCheck::none;
  const auto check = [&](const CheckedRequest &request, const IdentifiedRequest &content) {
    return check_media(nullptr, *services.clock, request, local_media(content), options, cancellable);
  };
  if (auto checked = check(*job.request, identified); !checked) return checked;
  return check_links(job, services, *job.request, identified, check);
}

Result<PreparedRequest> prepare_request(Generation &generation) { return Preparation(generation).run(); }

}  // namespace genclip
