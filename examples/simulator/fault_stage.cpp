// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/fault_stage.h"

#include "examples/simulator/error_body.h"
#include "examples/simulator/later.h"

namespace genclip::sim {
namespace {

using namespace std::string_view_literals;

constexpr auto kPage =
    "<!DOCTYPE html>\n<html><head><title>Sign in</title></head>"
    "<body><h1>Welcome to this network</h1></body></html>\n"sv;
constexpr auto kGarbage = "\x80\xff{\"id\": \0 }}\xc3\x28 no JSON and no clip"sv;

Reply status_reply(const Fault &fault) {
  const auto status = static_cast<unsigned>(fault.number);
  Reply reply = error_reply(status, std::string("Simulated: ") + soup_status_get_phrase(status), fault.shape);
  if (!fault.retry_after.empty())
    reply.headers.emplace_back("Retry-After", retry_after_value(fault.retry_after));
  return reply;
}

Reply redirect_reply(const std::string &target) {
  Reply reply = text_reply(302, "Elsewhere.\n");
  reply.headers.emplace_back("Location", target);
  return reply;
}

// The answer that replaces the act's, if there is one.
std::optional<Reply> instead(const std::vector<Fault> &faults, SoupServerMessage *message) {
  for (const Fault &fault : faults) {
    switch (fault.kind) {
      case FaultKind::hang: return Reply{.wire = Reply::Wire::silent};
      case FaultKind::reset: return Reply{.wire = Reply::Wire::reset};
      case FaultKind::status: return status_reply(fault);
      case FaultKind::redirect: return redirect_reply(fault.text);
      case FaultKind::redirect_loop:
        return redirect_reply(GStringPtr(g_uri_to_string(soup_server_message_get_uri(message))).get());
      case FaultKind::html: return Reply{.content_type = "text/html; charset=utf-8", .body = bytes_of(kPage)};
      case FaultKind::garbage_json:
        return Reply{.content_type = "application/json", .body = bytes_of(kGarbage)};
      default: break;
    }
  }
  return std::nullopt;
}

// Spaces after the value are still valid JSON.
GRef<GBytes> filled(const GRef<GBytes> &body, size_t size) {
  gsize has = 0;
  const auto *data = static_cast<const char *>(g_bytes_get_data(body.get(), &has));
  std::string text(data, has);
  if (text.size() < size) text.append(size - text.size(), ' ');
  return bytes_of(text);
}

void spoil(Reply &reply, const std::vector<Fault> &faults) {
  for (const Fault &fault : faults) {
    switch (fault.kind) {
      case FaultKind::lose_answer: reply.wire = Reply::Wire::reset; break;
      case FaultKind::hold_answer: reply.wire = Reply::Wire::silent; break;
      case FaultKind::cut: reply.cut_at = static_cast<uint64_t>(fault.number); break;
      case FaultKind::throttle: reply.bytes_per_second = static_cast<uint64_t>(fault.number); break;
      case FaultKind::wrong_length: reply.length_difference = fault.number; break;
      case FaultKind::wrong_type: reply.content_type = fault.text.empty() ? "text/plain" : fault.text; break;
      case FaultKind::empty:
        reply.body = {};
        // An answer without a body has no range.
        if (reply.status == 206) reply.status = 200;
        std::erase_if(reply.headers, [](const auto &header) { return header.first == "Content-Range"; });
        break;
      case FaultKind::oversized:
        if (reply.body) reply.body = filled(reply.body, static_cast<size_t>(fault.number));
        break;
      default: break;
    }
  }
}

bool needs_raw(const Reply &reply) {
  return reply.wire != Reply::Wire::proper || reply.cut_at || reply.length_difference != 0 ||
         (reply.bytes_per_second != 0 && !reply.head_only);
}

// Tells the ledger of each piece that the server wrote.
void wrote_piece(SoupServerMessage *, guint size, gpointer ledger) {
  static_cast<Ledger *>(ledger)->count([&](SimulatorStats &stats) { stats.bytes_sent += size; });
}

}  // namespace

std::string retry_after_value(const std::string &option) {
  if (!option.starts_with("date+")) return option;
  const auto now = GRef<GDateTime>::adopt(g_date_time_new_now_utc());
  const auto then = GRef<GDateTime>::adopt(
      g_date_time_add_seconds(now.get(), static_cast<gdouble>(std::stol(option.substr(5)))));
  return GStringPtr(soup_date_time_to_string(then.get(), SOUP_DATE_HTTP)).get();
}

void FaultStage::handle(SoupServerMessage *message, Call call, bool completed, Act act) {
  const auto faults = ledger_.take_faults(call, completed);
  const Fault *delay = find_fault(faults, FaultKind::delay);
  if (!delay) return proceed(message, call, faults, act);
  soup_server_message_pause(message);
  later(std::chrono::milliseconds(delay->number),
        [this, call, faults, act = std::move(act), kept = GRef<SoupServerMessage>::share(message)] {
          // A client that has left has no connection any more.
          if (!soup_server_message_get_socket(kept.get())) return;
          soup_server_message_unpause(kept.get());
          proceed(kept.get(), call, faults, act);
        });
}

void FaultStage::proceed(SoupServerMessage *message, Call call, const std::vector<Fault> &faults,
                         const Act &act) {
  auto other = instead(faults, message);
  Reply reply = other ? std::move(*other) : act(faults);
  spoil(reply, faults);
  if (std::string_view(soup_server_message_get_method(message)) == "HEAD") reply.head_only = true;
  const bool is_clip = call == Call::media && !other && (reply.status == 200 || reply.status == 206);
  answer(message, std::move(reply), is_clip);
}

void FaultStage::answer(SoupServerMessage *message, Reply reply, bool is_media) {
  if (needs_raw(reply)) {
    raw_replies_.send(message, std::move(reply), [this, is_media](size_t size) {
      if (is_media) ledger_.count([&](SimulatorStats &stats) { stats.bytes_sent += size; });
    });
    return;
  }
  soup_server_message_set_status(message, reply.status, nullptr);
  SoupMessageHeaders *headers = soup_server_message_get_response_headers(message);
  for (const auto &[name, value] : reply.headers)
    soup_message_headers_append(headers, name.c_str(), value.c_str());
  // libsoup 3.2 never lets go of a connection that it keeps alive and that the client closes: a long run
  // would end when no file descriptor is left.
  soup_message_headers_replace(headers, "Connection", "close");
  if (!reply.content_type.empty())
    soup_message_headers_replace(headers, "Content-Type", reply.content_type.c_str());
  // The range was applied already; libsoup would apply it a second time.
  soup_message_headers_remove(soup_server_message_get_request_headers(message), "Range");
  if (reply.head_only) {
    soup_message_headers_set_content_length(headers, static_cast<goffset>(reply.body_size()));
    return;
  }
  if (is_media) g_signal_connect(message, "wrote-body-data", G_CALLBACK(wrote_piece), &ledger_);
  if (reply.body_size() > 0)
    soup_message_body_append_bytes(soup_server_message_get_response_body(message), reply.body.get());
}

}  // namespace genclip::sim
