// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a request is made of: the clips that have to be there before it, its links, and what the store knows
// of them. All functions block for the disk, and write nothing.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/account/price_history.h"
#include "plugin/core/chain_run.h"
#include "plugin/core/clip_charges.h"
#include "plugin/generation/request_identity.h"
#include "plugin/task/clip_result.h"
#include "plugin/task/media_check.h"

namespace genclip {

// Borrows from the request and its identification.
struct PlannedLink {
  const CheckedRequest *request = nullptr;
  std::shared_ptr<const IdentifiedRequest> identified;
  std::string place;  // Where its request stands, for errors: "first_image: reference_videos[1]: ".
  // For each of the request's references, the link that it refers to; nothing: it has another source.
  std::vector<std::optional<size_t>> references;

  std::string key() const { return identified->identity.digest(); }
  std::vector<size_t> needs() const;  // As in ChainLink.
};

// All links of a request in the order in which they are made, each once, and the request itself as the last.
std::vector<PlannedLink> plan_chain(const CheckedRequest &request, const IdentifiedRequest &identified);

// The journal of that request. Nothing if it cannot be read.
std::optional<ClipRecord> record_of(const GenerationJob &job, const IdentifiedRequest &request,
                                    const GenerationServices &services);
// What that record says of a link, but whether its clip is held.
ChainLink link_of(const std::optional<ClipRecord> &record);
// What the ledger says of one that has no record.
ChainLink link_of(const OpenCharges &open);

// What a clip will cost. Nothing: that is unknown.
std::optional<Estimate> price_of(const GenerationJob &job, const PlannedLink &link,
                                 const PriceHistory &prices);

// Whether that clip of the job's store is there, or has a task: a run gets it without paying.
bool is_paid(const GenerationJob &job, const IdentifiedRequest &request, const GenerationServices &services);
// Whether it may be: an earlier submit got no answer, or the service does not know the task any more. Another
// submit may then pay twice.
bool may_be_paid(const GenerationJob &job, const IdentifiedRequest &request,
                 const GenerationServices &services);

// The requests that a run of this job pays for, itself the last of them, whatever the store has of it.
struct ToPay {
  std::vector<std::string> keys;                   // Of their folders.
  std::vector<std::optional<Estimate>> estimates;  // Nothing: the cost of one is unknown.
  std::vector<std::string> links;  // Keys of all that the run needs beside its own clip, stored ones as well.
};
ToPay to_pay(const GenerationJob &job, const IdentifiedRequest &request, const PriceHistory &prices,
             const GenerationServices &services);
// All together; 0, on the basis "paid", if the run gets the clip without paying. Nothing: the cost of one of
// them is unknown, or the ledger cannot be read. Of many requests (services_of_plan), each ledger is read
// once.
std::optional<Estimate> estimate_of(const GenerationJob &job, const IdentifiedRequest &request,
                                    const GenerationServices &services);

// That part of what a run judges before it pays which needs no network, of the request and of all links that
// have to be made. Nothing is judged if the clip is there, or has a task.
Result<void> check_chain(const GenerationJob &job, const IdentifiedRequest &request,
                         const GenerationServices &services, GCancellable *cancellable);

// A link that is here, whole.
struct LinkClip {
  std::string key;  // Of its folder.
  std::string path;
  std::string task_id;
  std::shared_ptr<const LocalFile> file;
  WantedResult wanted;  // Of that task.
};

// That something publishes each clip and frame that the request refers to and that the service cannot fetch.
Result<void> check_published(const PlannedLink &request);
// What a request's references are, as far as they are here: files, and the clips and frames of links.
// `clips`: by their places in the plan.
Result<LocalMedia> local_media(const PlannedLink &request, const std::map<size_t, LinkClip> &clips,
                               GCancellable *cancellable);
// Whether the request keeps all rules that are known. `media`: as local_media() gives it. The error says
// where the request stands.
Result<void> judge(const PlannedLink &request, const LocalMedia &media, HttpClient *http, Clock &clock,
                   const MediaCheckOptions &options, GCancellable *cancellable);

// A stored clip, and the clips that it was made of, back to the first: a warning for each that is of another
// task by now. A clip that has left the store was not replaced.
std::vector<std::string> replaced_links(FileSystem &files, const std::string &store,
                                        const ClipRecord &record);

}  // namespace genclip
