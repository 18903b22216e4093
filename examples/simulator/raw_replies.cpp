// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Writes head and body in pieces, then closes or resets the connection, or waits.
#include "examples/simulator/raw_replies.h"

#include <sys/socket.h>

#include <algorithm>

#include "examples/simulator/later.h"

namespace genclip::sim {
namespace {

constexpr size_t kPiece = 64 << 10;
constexpr std::chrono::milliseconds kTick{20};

std::string head_text(const Reply &reply) {
  std::string head =
      "HTTP/1.1 " + std::to_string(reply.status) + " " + soup_status_get_phrase(reply.status) + "\r\n";
  for (const auto &[name, value] : reply.headers) head += name + ": " + value + "\r\n";
  if (!reply.content_type.empty()) head += "Content-Type: " + reply.content_type + "\r\n";
  const auto length = static_cast<int64_t>(reply.body_size()) + reply.length_difference;
  return head + "Content-Length: " + std::to_string(std::max<int64_t>(length, 0)) +
         "\r\nConnection: close\r\n\r\n";
}

}  // namespace

class RawReply : public std::enable_shared_from_this<RawReply> {
 public:
  RawReply(RawReplies &owner, GRef<GSocket> socket, GRef<GIOStream> stream, Reply reply,
           RawReplies::Sent sent)
      : owner_(owner),
        socket_(std::move(socket)),
        stream_(std::move(stream)),
        reply_(std::move(reply)),
        sent_(std::move(sent)),
        stopped_(owner.stopped_) {}

  void start() {
    if (reply_.wire == Reply::Wire::reset) return reset();
    if (reply_.wire == Reply::Wire::silent) return wait_for_end();
    head_ = head_text(reply_);
    body_end_ = reply_.head_only ? 0 : reply_.body_size();
    if (reply_.cut_at) body_end_ = static_cast<size_t>(std::min<uint64_t>(body_end_, *reply_.cut_at));
    if (body_end_ == 0) body_at_ = 0;
    write(head_.data(), head_.size());
  }

 private:
  // Keeps the connection alive until the callback.
  struct Call {
    std::shared_ptr<RawReply> self;
    size_t size;
  };

  void write(const void *data, size_t size) {
    g_output_stream_write_all_async(
        g_io_stream_get_output_stream(stream_.get()), data, size, G_PRIORITY_DEFAULT, stopped_.get(),
        [](GObject *stream, GAsyncResult *result, gpointer user_data) {
          const std::unique_ptr<Call> call(static_cast<Call *>(user_data));
          GErrorPtr error;
          gsize written = 0;
          const bool whole =
              g_output_stream_write_all_finish(G_OUTPUT_STREAM(stream), result, &written, take(error));
          call->self->wrote(written, whole);
        },
        new Call{shared_from_this(), size});
  }

  void wrote(size_t size, bool whole) {
    if (head_written_) {
      body_at_ += size;
      sent_(size);
    }
    head_written_ = true;
    if (!whole || body_at_ >= body_end_) return close();
    if (reply_.bytes_per_second == 0) return write_piece(kPiece);
    const auto piece =
        static_cast<size_t>(std::max<uint64_t>(1, reply_.bytes_per_second * kTick.count() / 1000));
    // Below one byte per tick, lengthens the tick.
    const auto pause = std::max<std::chrono::milliseconds>(
        kTick, std::chrono::milliseconds(1000 * piece / reply_.bytes_per_second));
    later(pause, [self = shared_from_this(), piece] { self->write_piece(piece); });
  }

  void write_piece(size_t most) {
    if (g_cancellable_is_cancelled(stopped_.get())) return close();
    const auto *data = static_cast<const char *>(g_bytes_get_data(reply_.body.get(), nullptr));
    write(data + body_at_, std::min(most, body_end_ - body_at_));
  }

  void wait_for_end() {
    g_input_stream_read_async(
        g_io_stream_get_input_stream(stream_.get()), &ignored_, 1, G_PRIORITY_DEFAULT, stopped_.get(),
        [](GObject *stream, GAsyncResult *result, gpointer user_data) {
          const std::unique_ptr<Call> call(static_cast<Call *>(user_data));
          GErrorPtr error;
          const gssize size = g_input_stream_read_finish(G_INPUT_STREAM(stream), result, take(error));
          if (size > 0) return call->self->wait_for_end();
          call->self->close();
        },
        new Call{shared_from_this(), 1});
  }

  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    setsockopt(g_socket_get_fd(socket_.get()), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    g_socket_close(socket_.get(), nullptr);
    close();
  }

  void close() {
    g_io_stream_close_async(stream_.get(), G_PRIORITY_DEFAULT, nullptr, nullptr, nullptr);
    owner_.open_.erase(shared_from_this());
  }

  RawReplies &owner_;
  const GRef<GSocket> socket_;
  const GRef<GIOStream> stream_;
  const Reply reply_;
  const RawReplies::Sent sent_;
  const GRef<GCancellable> stopped_;
  std::string head_;
  bool head_written_ = false;
  size_t body_at_ = 0, body_end_ = 0;
  char ignored_ = 0;
};

RawReplies::RawReplies() : stopped_(GRef<GCancellable>::adopt(g_cancellable_new())) {}

RawReplies::~RawReplies() {
  g_cancellable_cancel(stopped_.get());
  while (!open_.empty()) g_main_context_iteration(g_main_context_get_thread_default(), TRUE);
}

void RawReplies::send(SoupServerMessage *message, Reply reply, Sent sent) {
  auto socket = GRef<GSocket>::share(soup_server_message_get_socket(message));
  send(std::move(socket), GRef<GIOStream>::adopt(soup_server_message_steal_connection(message)),
       std::move(reply), std::move(sent));
}

void RawReplies::send(GRef<GSocket> socket, GRef<GIOStream> stream, Reply reply, Sent sent) {
  const auto raw = std::make_shared<RawReply>(*this, std::move(socket), std::move(stream), std::move(reply),
                                              std::move(sent));
  open_.insert(raw);
  raw->start();
}

}  // namespace genclip::sim
