// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/media_server.h"

#include <algorithm>
#include <cstring>

#include "examples/simulator/byte_range.h"
#include "examples/simulator/mp4_padding.h"
#include "examples/simulator/request_header.h"

namespace genclip::sim {
namespace {

constexpr const char *kHops = "&hops=", *kSession = "&session=";

// A flat blue picture of 64x36.
constexpr const char *kCover =
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAAAkCAMAAAAO0sygAAAAA1BMVEVvqNwNShnZAAAAGUlEQVR42u3BMQEAAADCoPVP"
    "7W8GoAAAeAMJJAABPaB5owAAAABJRU5ErkJggg==";

struct Absence {
  std::string_view form;
  unsigned status;
  const char *content_type;  // Null: the clip's.
  std::string_view body;
  const char *retry_after;
};

// How hosts tell that a clip is not there yet. The first is the usual one.
constexpr Absence kAbsences[] = {
    {"404", 404, "application/xml", "<Error><Code>NoSuchKey</Code></Error>\n", ""},
    {"403", 403, "application/xml", "<Error><Code>AccessDenied</Code></Error>\n", ""},
    {"503", 503, "text/plain", "Try again.\n", ""},
    {"202", 202, "text/plain", "The video is being processed.\n", "5"},
    {"page", 200, "text/html; charset=utf-8", "<!DOCTYPE html>\n<title>Please wait</title>\n", ""},
    {"empty", 200, nullptr, "", ""},
};

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

// Sends the client to the same address with the mark, where only the cookie opens it.
Reply cookie_reply(SoupServerMessage *message, unsigned session) {
  GUri *uri = soup_server_message_get_uri(message);
  const std::string number = std::to_string(session);
  Reply reply = text_reply(302, "Here, with this cookie.\n");
  reply.headers = {
      {"Set-Cookie", "session=" + number + "; Path=/; HttpOnly"},
      {"Location", std::string(g_uri_get_path(uri)) + "?" + g_uri_get_query(uri) + kSession + number}};
  return reply;
}

// The cookie that the address wants; nothing when it wants none.
std::optional<std::string> wanted_cookie(SoupServerMessage *message) {
  const std::string query = g_uri_get_query(soup_server_message_get_uri(message));
  const size_t at = query.find(kSession);
  if (at == query.npos) return std::nullopt;
  return query.substr(at + 1, query.find('&', at + 1) - at - 1);
}

bool has_cookie(SoupServerMessage *message, const std::string &cookie) {
  const std::string all = "; " + request_header(message, "Cookie").value_or("") + ";";
  return all.find("; " + cookie + ";") != all.npos;
}

Reply absence_reply(const Fault &lag, const char *clip_type) {
  const Absence *form = std::find_if(std::begin(kAbsences), std::end(kAbsences),
                                     [&](const Absence &one) { return one.form == lag.as; });
  if (form == std::end(kAbsences)) form = kAbsences;
  Reply reply{.status = form->status,
              .content_type = form->content_type ? form->content_type : clip_type,
              .body = bytes_of(form->body)};
  const std::string wait = lag.retry_after.empty() ? form->retry_after : retry_after_value(lag.retry_after);
  if (!wait.empty()) reply.headers.emplace_back("Retry-After", wait);
  return reply;
}

Reply want_key_reply() {
  Reply reply = json_reply(401, Json::Object{{"error", "missing bearer token"}});
  reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

std::string basic_credentials(const std::string &userinfo) {
  const GStringPtr plain(g_uri_unescape_string(userinfo.c_str(), nullptr));
  const std::string text = plain ? plain.get() : "";
  return "Basic " +
         std::string(
             GStringPtr(g_base64_encode(reinterpret_cast<const guchar *>(text.data()), text.size())).get());
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

MediaServer::Entry &MediaServer::tell(const std::string &path, const SimTask &task) {
  Entry &entry = clips_.try_emplace(path, Entry{.told = options_.clock->now()}).first->second;
  entry.order = task.order;
  return entry;
}

std::string MediaServer::url(const SimTask &task, const UrlWish &wish) {
  std::string path = "/clips/" + task.id;
  if (wish.result > 0) path += "-" + std::to_string(wish.result);
  if (!wish.userinfo.empty()) path += "-private";
  path += task.order.image ? ".png" : ".mp4";
  Entry &entry = tell(path, task);
  if (!wish.userinfo.empty()) entry.basic = basic_credentials(wish.userinfo);

  std::string url = (wish.at_api ? api_origin_ : origin_) + sign(path, wish.expired);
  if (wish.exact) url = gate_.url_to(url, wish.target);
  const size_t colon = url.find("://");
  const std::string scheme = wish.scheme.empty() ? url.substr(0, colon) : wish.scheme;
  return scheme + "://" + (wish.userinfo.empty() ? "" : wish.userinfo + "@") + url.substr(colon + 3);
}

std::string MediaServer::cover_url(const SimTask &task) {
  const std::string path = "/clips/" + task.id + "-cover.png";
  tell(path, task).is_cover = true;
  return origin_ + sign(path, false);
}

const MediaServer::Entry *MediaServer::entry_of(SoupServerMessage *message) const {
  const auto found = clips_.find(g_uri_get_path(soup_server_message_get_uri(message)));
  return found == clips_.end() ? nullptr : &found->second;
}

// A user and a password are no key where an address has them.
bool MediaServer::is_key(const std::string &authorization, const Entry *entry) const {
  return !entry || entry->basic.empty() || !authorization.starts_with("Basic ");
}

void MediaServer::handle(SoupServerMessage *message) {
  const auto authorization = request_header(message, "Authorization");
  ledger_.count([&](SimulatorStats &stats) {
    stats.media_requests++;
    if (authorization && is_key(*authorization, entry_of(message))) stats.media_with_authorization++;
  });
  stage_.handle(message, Call::media, false,
                [this, message](std::span<const Fault> faults) { return serve(message, faults); });
}

std::optional<Reply> MediaServer::refuse(SoupServerMessage *message) {
  const std::string_view method = soup_server_message_get_method(message);
  GUri *uri = soup_server_message_get_uri(message);
  const Entry *entry = entry_of(message);
  const auto authorization = request_header(message, "Authorization");
  if (authorization && is_key(*authorization, entry))
    return text_reply(400, "Only one way to authenticate is allowed.\n");
  if (!entry) return text_reply(404, "No such clip.\n");
  if (!signer_.is_good(g_uri_get_path(uri), g_uri_get_query(uri), options_.clock->wall_now()))
    return text_reply(403, "The signature is wrong or has expired.\n");
  if (method != "GET" && method != "HEAD") return text_reply(405, "GET or HEAD, please.\n");
  if (authorization.value_or("") != entry->basic) {
    Reply reply = text_reply(401, "User and password, please.\n");
    reply.headers.emplace_back("WWW-Authenticate", "Basic realm=\"clips\"");
    return reply;
  }
  if (const auto cookie = wanted_cookie(message); cookie && !has_cookie(message, *cookie))
    return text_reply(403, "The cookie is missing.\n");
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
  if (find_fault(faults, FaultKind::want_key)) return want_key_reply();
  if (const unsigned left = hops_left(message, faults)) return next_hop(message, left);
  if (find_fault(faults, FaultKind::cookie) && !wanted_cookie(message))
    return cookie_reply(message, ++sessions_);
  const auto clip = look(*entry_of(message));
  if (!clip) {
    Reply reply = text_reply(503, "Being fetched from the archive.\n");
    reply.headers.emplace_back("Retry-After", "1");
    return reply;
  }
  const Fault *lag = find_fault(faults, FaultKind::lag);
  if (lag && options_.clock->now() - entry_of(message)->told < std::chrono::milliseconds(lag->number))
    return absence_reply(*lag, clip->content_type);
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
  if (is_get && !asked && find_fault(faults, FaultKind::unasked_part)) reply.status = 206;
  if (!is_get || !asked || !if_range_holds(request_header(message, "If-Range"), clip)) return reply;

  const ByteRange range = byte_range(*asked, size);
  if (range.kind == ByteRange::Kind::unsatisfiable) {
    Reply refusal = text_reply(416, "There is no such part.\n");
    refusal.headers.emplace_back("Content-Range", "bytes */" + std::to_string(size));
    return refusal;
  }
  if (range.kind == ByteRange::Kind::satisfiable) {
    reply.status = 206;
    reply.body =
        GRef<GBytes>::adopt(g_bytes_new_from_bytes(clip.bytes.get(), static_cast<size_t>(range.first),
                                                   static_cast<size_t>(range.last - range.first + 1)));
    reply.headers.emplace_back("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                                    std::to_string(range.last) + "/" + std::to_string(size));
  }
  return reply;
}

}  // namespace genclip::sim
