// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How a request is run: what a user sets beside the request, with the only defaults there are. What users
// see of these settings is in settings.h.
#pragma once

#include <cstdint>
#include <string>

#include "plugin/base/words.h"

namespace genclip {

// What an http reference counts as in a clip's identity: its URL, or the content that is there.
enum class ReferenceIdentity { url, content };
template <>
inline constexpr Word<ReferenceIdentity> kWords<ReferenceIdentity>[] = {
    {ReferenceIdentity::url, "url"}, {ReferenceIdentity::content, "content"}};

// What a run does if it finds a submit of its request that may have been charged, and whose task is unknown.
enum class OnUnknownSubmit { resubmit, fail };
template <>
inline constexpr Word<OnUnknownSubmit> kWords<OnUnknownSubmit>[] = {{OnUnknownSubmit::resubmit, "resubmit"},
                                                                    {OnUnknownSubmit::fail, "fail"}};

// How closely reference media are checked before a request is submitted.
enum class MediaCheck { none, headers, full };
template <>
inline constexpr Word<MediaCheck> kWords<MediaCheck>[] = {
    {MediaCheck::none, "none"}, {MediaCheck::headers, "headers"}, {MediaCheck::full, "full"}};

// Whether a published URL is asked for its size before the request is submitted.
enum class PublishCheck { none, headers };
template <>
inline constexpr Word<PublishCheck> kWords<PublishCheck>[] = {{PublishCheck::none, "none"},
                                                              {PublishCheck::headers, "headers"}};

// As an application or a command line gives it, before anything checked it.
struct RunSettings {
  std::string task_id;   // Set: attach to that task, submit nothing.
  std::string base_url;  // Empty: $GENCLIP_BASE_URL.
  std::string api_key;   // See find_api_key.
  std::string api_key_file;
  std::string store;              // Empty: $GENCLIP_STORE, else in the user's cache folder.
  uint64_t store_max_size = 0;    // Bytes, 0: no limit.
  double max_amount = 0;          // Credits that the clip may cost, 0: $GENCLIP_MAX_AMOUNT, else no limit.
  bool with_prompt = false;       // clip.xmp, beside the clip, tells the prompt too.
  std::string project;            // Whose account it is. Empty: $GENCLIP_PROJECT.
  unsigned poll_interval_ms = 0;  // 0: the time of each query follows from what is known of the task's end.
  unsigned timeout_s = 1800;      // From submit, or from attaching to a task; 0: for ever.
  unsigned http_timeout_s = 30;
  unsigned retries = 5;
  bool reuse = true;
  OnUnknownSubmit on_unknown = OnUnknownSubmit::resubmit;
  MediaCheck check_media = MediaCheck::none;
  std::string publish_folder;  // Empty: $GENCLIP_PUBLISH_FOLDER.
  std::string working_folder;  // Of what is relative when a file is published. Empty: the current one.
  std::string publish_url;     // Empty: $GENCLIP_PUBLISH_URL.
  PublishCheck publish_check = PublishCheck::headers;
  ReferenceIdentity reference_identity = ReferenceIdentity::url;
  bool dry_run = false;
  uint64_t max_download_size = uint64_t{4} << 30;
  std::string tls_ca_file;
  std::string user_agent;
  std::string proxy;
  // Of the element alone.
  bool random_access = true;
  bool buffering_messages = true;
};

}  // namespace genclip
