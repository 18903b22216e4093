// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/download_fault.h"

#include <glib.h>

#include "plugin/base/number.h"
#include "plugin/task/clip_result.h"

namespace genclip {
namespace {

Error with_status(ErrorKind kind, std::string text, const HttpReply &reply) {
  Error error{kind, std::move(text), "HTTP " + std::to_string(reply.status) + " for the clip"};
  error.http_status = reply.status;
  return error;
}

// Reduces what the server says to one word, as it goes into a sentence.
std::string word_of(const std::string &text) {
  std::string word;
  for (const char c : text)
    if (g_ascii_isalnum(c) || c == '-') word += c;
  return word.substr(0, 20);
}

}  // namespace

Error url_refused(const HttpReply &reply, bool worked) {
  const std::string status = "(HTTP " + std::to_string(reply.status) + ")";
  const bool is_missing = reply.status == 404 || reply.status == 410;
  std::string text;
  if (is_missing)
    text = worked ? "The media server no longer has the clip " + status +
                        ", of which a part was downloaded before"
                  : "The media server has nothing at the URL that the service gives for the clip " + status;
  else
    text = worked ? "The media server refuses the clip's URL " + status +
                        ", after a part of the clip was downloaded: it may have expired"
                  : "The media server refuses the URL that the service gives for the clip " + status +
                        (reply.status == 401
                             ? ": it wants credentials, and genclip sends the API key to the service alone"
                             : ": it may have expired");
  text +=
      ". Fresh URLs from the service did not work either. The clip is paid for: run again later, or ask the "
      "service for it by its task ID.";
  ErrorKind kind = is_missing ? ErrorKind::not_found : ErrorKind::not_authorized;
  if (reply.status == 400) kind = ErrorKind::open_read;
  return with_status(kind, std::move(text), reply);
}

Error key_wanted(const HttpReply &reply) {
  Error error = with_status(ErrorKind::not_authorized,
                            "The service's own host wants the API key for the clip's URL (HTTP " +
                                std::to_string(reply.status) +
                                "). genclip never sends the key with a download, because URLs can lead "
                                "anywhere. The clip is paid for: ask the service for a URL that needs no "
                                "key, or download the clip by its task ID with a program that sends it.",
                            reply);
  error.details.push_back({"retry", false});
  return error;
}

Error proxy_refused(const HttpReply &reply) {
  return with_status(ErrorKind::not_authorized,
                     "The proxy asks for credentials (HTTP 407). Check the property proxy. The clip is paid "
                     "for and waits at the service: run again to fetch it.",
                     reply);
}

bool is_not_yet(unsigned status) {
  return (status > 200 && status < 300) || status == 409 || status == 423 || status == 424;
}

Error download_refused(const HttpReply &reply) {
  const bool is_later = is_not_yet(reply.status);
  return with_status(ErrorKind::open_read,
                     std::string(is_later ? "The media server does not have the clip yet"
                                          : "The clip cannot be downloaded") +
                         " (HTTP " + std::to_string(reply.status) +
                         "). It is paid for and waits at the service: run again to fetch it.",
                     reply);
}

Error no_url() {
  return {ErrorKind::not_found,
          "The task is done, but the service gives no URL for its clip. Run again later, or ask the service "
          "for the clip by its task ID."};
}

Error no_media() {
  return {ErrorKind::wrong_type,
          "The service sent something other than a video or an image as the clip, perhaps an error page. The "
          "task is done and paid for: run again later to fetch it."};
}

Error page_instead(const HttpReply &reply) {
  Error error = no_media();
  return with_status(error.kind, std::move(error.text), reply);
}

Error other_kind(const std::string &media_type, ResultKind wanted) {
  return {ErrorKind::wrong_type,
          "The task is done, but " + other_kind_text(media_type, wanted) + " (" + media_type +
              "), and the service names no other URL. Nothing was stored. The task is paid for: run again "
              "later, or ask the service for the clip by its task ID."};
}

Error compressed(const std::string &encoding) {
  return {ErrorKind::wrong_type,
          "The media server sent the clip compressed (Content-Encoding: " + word_of(encoding) +
              "), although genclip asked for it uncompressed. The clip is paid for. Run again later, or "
              "download it by its task ID with a program that decompresses it."};
}

Error other_part(const HttpReply &reply) {
  return with_status(ErrorKind::read, "The server sent a different part of the clip than requested.", reply);
}

Error no_more_ranges(const HttpReply &reply) {
  return with_status(ErrorKind::read, "The server refuses to send the rest of the clip.", reply);
}

Error clip_changed() { return {ErrorKind::read, "The clip changed on the server while it was downloaded."}; }

Error clip_changed_amid_reading() {
  return {ErrorKind::read,
          "The clip changed on the server while it was being read. Run again to fetch the new one."};
}

Error clip_keeps_changing() {
  return {ErrorKind::read,
          "The clip kept changing on the server while it was downloaded. The task is done and paid for: run "
          "again later to fetch it."};
}

Error clip_is_empty() {
  return {ErrorKind::read,
          "The server sent an empty clip. It is paid for and waits at the service: run again to fetch it."};
}

Error ended_early() {
  return {ErrorKind::read, "The download ended early. Run again: it resumes where it stopped."};
}

Error not_whole_yet() {
  return {ErrorKind::read,
          "So far the media server has only a part of the clip: its file ends in the middle of its data. The "
          "clip is paid for: run again later to fetch all of it."};
}

Error more_than_its_length() {
  return {ErrorKind::read, "The server sent more than the clip's length. Run again to fetch it."};
}

Error too_large(uint64_t size, uint64_t most) {
  return {ErrorKind::read, "The clip has " + counted(std::to_string(size), "byte") +
                               ", more than max-download-size (" + std::to_string(most) +
                               "). Raise it and run again to fetch the clip."};
}

Error of_media(Error error) {
  if (error.kind != ErrorKind::cancelled) error.text.insert(0, "The clip cannot be downloaded: ");
  return error;
}

Error with_payment(Error error) {
  const auto says = [&error](const char *words) { return error.text.find(words) != error.text.npos; };
  if (error.kind == ErrorKind::cancelled || says("paid for")) return error;
  error.text += " The clip is paid for and waits at the service";
  error.text += says("un again") ? "." : ": run again to fetch it.";
  return error;
}

Error with_wish(Error error, std::optional<std::chrono::milliseconds> wish) {
  if (wish && wish->count() > 0)
    error.text += " The server asks to wait for " +
                  std::to_string(std::chrono::ceil<std::chrono::seconds>(*wish).count()) + " s.";
  return error;
}

Error with_stock(Error error, uint64_t have, uint64_t total) {
  error.text +=
      " " + counted(std::to_string(have), "byte") + " of the clip " + (have == 1 ? "is" : "are") + " stored";
  error.text += total > have ? ", " + std::to_string(total - have) + " are missing."
                             : "; how many are missing is unknown.";
  return error;
}

}  // namespace genclip
