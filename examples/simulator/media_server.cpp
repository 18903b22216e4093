// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/media_server.h"

#include <algorithm>
#include <cstring>

#include "examples/simulator/byte_range.h"
#include "examples/simulator/mp4_padding.h"
#include "examples/simulator/request_header.h"

namespace genclip::sim {
namespace {

constexpr const char *kHops = "&hops=";

// A flat blue picture of 64x36.
constexpr const char *kCover =
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAAAkCAMAAAAO0sygAAAAA1BMVEVvqNwNShnZAAAAGUlEQVR42u3BMQEAAADCoPVP"
    "7W8GoAAAeAMJJAABPaB5owAAAABJRU5ErkJggg==";

std::string random_secret() {
  GStringPtr uuid(g_uuid_string_random());
  return uuid.get();
}

// Another clip of the same length: some bytes of the pictures differ, the container stays whole.
RenderedClip changed(const RenderedClip &clip) {
  gsize size = 0;
  const auto *data = static_cast<const char *>(g_bytes_get_data(clip.bytes.get(), &size));
  std::string text(data, size);
  size_t from = 0, to = size;
  for (const Mp4Box &box : mp4_boxes({data, size})) {
    if (box.type != "mdat") continue;
    from = box.offset + 16;
    to = box.offset + box.size;
  }
  for (size_t at = from; at < to; at += 997) text[at] = static_cast<char>(text[at] ^ 1);
  RenderedClip other = clip;
  other.bytes = bytes_of(text);
  other.etag = "\"changed-" + clip.etag.substr(1);
  return other;
}

// RFC 9110 §13.1.5: an entity tag or a date, each to be matched exactly.
bool if_range_holds(const std::optional<std::string> &value, const RenderedClip &clip) {
  return !value || value == clip.etag || value == clip.last_modified;
}

unsigned hops_left(SoupServerMessage *message, std::span<const Fault> faults) {
  const char *query = g_uri_get_query(soup_server_message_get_uri(message));
  const std::string text = query ? query : "";
  if (const size_t at = text.find(kHops); at != text.npos)
    return static_cast<unsigned>(std::atoi(text.c_str() + at + std::strlen(kHops)));
  const Fault *fault = find_fault(faults, FaultKind::redirects);
  return fault ? static_cast<unsigned>(fault->number) : 0;
}

Reply next_hop(SoupServerMessage *message, unsigned left) {
  GUri *uri = soup_server_message_get_uri(message);
  std::string query = g_uri_get_query(uri) ? g_uri_get_query(uri) : "";
  query.resize(std::min(query.size(), query.find(kHops)));
  Reply reply = text_reply(302, "Elsewhere.\n");
  reply.headers.emplace_back(
      "Location", std::string(g_uri_get_path(uri)) + "?" + query + kHops + std::to_string(left - 1));
  return reply;
}

RenderedClip cover_picture(const std::string &last_modified) {
  gsize size = 0;
  guchar *data = g_base64_decode(kCover, &size);
  return {GRef<GBytes>::adopt(g_bytes_new_take(data, size)), "\"cover\"", last_modified, "image/png"};
}

}  // namespace

MediaServer::MediaServer(const SimulatorOptions &options, Ledger &ledger, FaultStage &stage,
                         ClipKitchen &kitchen)
    : options_(options), ledger_(ledger), stage_(stage), kitchen_(kitchen), signer_(random_secret()) {}

std::string MediaServer::sign(const std::string &path, bool expired) {
  const auto now = options_.clock->wall_now();
  return signer_.sign(path, expired ? now - std::chrono::seconds(1) : now + options_.url_lifetime);
}

std::string MediaServer::url(const SimTask &task, const UrlWish &wish) {
  std::string path = "/clips/" + task.id;
  if (wish.result > 0) path += "-" + std::to_string(wish.result);
  path += task.order.image ? ".png" : ".mp4";
  clips_.insert_or_assign(path, Entry{task.order});
  const std::string url = origin_ + sign(path, wish.expired);
  return wish.scheme.empty() ? url : wish.scheme + url.substr(url.find(':'));
}

std::string MediaServer::cover_url(const SimTask &task) {
  const std::string path = "/clips/" + task.id + "-cover.png";
  clips_.insert_or_assign(path, Entry{task.order, true});
  return origin_ + sign(path, false);
}

void MediaServer::handle(SoupServerMessage *message) {
  ledger_.count([&](SimulatorStats &stats) {
    stats.media_requests++;
    if (request_header(message, "Authorization")) stats.media_with_authorization++;
  });
  stage_.handle(message, Call::media, false,
                [this, message](std::span<const Fault> faults) { return serve(message, faults); });
}

std::optional<Reply> MediaServer::refuse(SoupServerMessage *message) {
  const std::string_view method = soup_server_message_get_method(message);
  GUri *uri = soup_server_message_get_uri(message);
  const std::string path = g_uri_get_path(uri);
  if (request_header(message, "Authorization"))
    return text_reply(400, "Only one way to authenticate is allowed.\n");
  if (!clips_.contains(path)) return text_reply(404, "No such clip.\n");
  if (!signer_.is_good(path, g_uri_get_query(uri), options_.clock->wall_now()))
    return text_reply(403, "The signature is wrong or has expired.\n");
  if (method != "GET" && method != "HEAD") return text_reply(405, "GET or HEAD, please.\n");
  return std::nullopt;
}

// Nothing when it was dropped for lack of room and is being rendered again.
std::optional<RenderedClip> MediaServer::look(const Entry &entry) {
  const auto clip = kitchen_.look(entry.order);
  if (!clip || !*clip) return std::nullopt;
  return entry.is_cover ? cover_picture((*clip)->last_modified) : **clip;
}

Reply MediaServer::serve(SoupServerMessage *message, std::span<const Fault> faults) {
  if (auto refusal = refuse(message)) return *refusal;
  if (const unsigned left = hops_left(message, faults)) return next_hop(message, left);
  const auto clip = look(clips_.at(g_uri_get_path(soup_server_message_get_uri(message))));
  if (!clip) {
    Reply reply = text_reply(503, "Being fetched from the archive.\n");
    reply.headers.emplace_back("Retry-After", "1");
    return reply;
  }
  const bool is_changed = find_fault(faults, FaultKind::changed_content);
  return clip_reply(message, is_changed ? changed(*clip) : *clip, faults);
}

Reply MediaServer::clip_reply(SoupServerMessage *message, const RenderedClip &clip,
                              std::span<const Fault> faults) const {
  const size_t size = g_bytes_get_size(clip.bytes.get());
  Reply reply;
  reply.content_type = clip.content_type;
  reply.bytes_per_second = options_.media_bytes_per_second;
  reply.body = clip.bytes;
  reply.headers = {{"ETag", clip.etag}, {"Last-Modified", clip.last_modified}, {"Cache-Control", "private"}};
  const bool is_get = std::string_view(soup_server_message_get_method(message)) == "GET";
  if (is_get) ledger_.count([](SimulatorStats &stats) { stats.downloads++; });
  if (find_fault(faults, FaultKind::no_range)) return reply;
  reply.headers.emplace_back("Accept-Ranges", "bytes");
  const auto asked = request_header(message, "Range");
  if (!is_get || !asked || !if_range_holds(request_header(message, "If-Range"), clip)) return reply;

  const ByteRange range = byte_range(*asked, size);
  if (range.kind == ByteRange::Kind::unsatisfiable) {
    Reply refusal = text_reply(416, "There is no such part.\n");
    refusal.headers.emplace_back("Content-Range", "bytes */" + std::to_string(size));
    return refusal;
  }
  if (range.kind == ByteRange::Kind::satisfiable) {
    reply.status = 206;
    reply.body = GRef<GBytes>::adopt(
        g_bytes_new_from_bytes(clip.bytes.get(), range.first, range.last - range.first + 1));
    reply.headers.emplace_back("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                                    std::to_string(range.last) + "/" + std::to_string(size));
  }
  return reply;
}

}  // namespace genclip::sim
