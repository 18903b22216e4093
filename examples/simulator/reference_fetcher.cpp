// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/reference_fetcher.h"

#include "examples/simulator/later.h"

namespace genclip::sim {
namespace {

struct Fetch {
  ReferenceFetcher::Arrived arrived;
  std::weak_ptr<bool> fetcher;
  std::chrono::milliseconds patience;
  GRef<SoupMessage> message;
};

Error failure(const std::string &why) { return {ErrorKind::failed, why + "."}; }

Result<GRef<GBytes>> answer_of(GObject *session, GAsyncResult *result, const Fetch &fetch) {
  GErrorPtr error;
  auto bytes =
      GRef<GBytes>::adopt(soup_session_send_and_read_finish(SOUP_SESSION(session), result, take(error)));
  if (error && g_error_matches(error.get(), G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return failure("it is not there after " + std::to_string(fetch.patience.count()) + " ms");
  if (error) return failure(error->message);
  if (soup_message_get_status(fetch.message.get()) != SOUP_STATUS_OK)
    return failure("its server answers HTTP " + std::to_string(soup_message_get_status(fetch.message.get())));
  return bytes;
}

void on_answer(GObject *session, GAsyncResult *result, gpointer data) {
  const std::unique_ptr<Fetch> fetch(static_cast<Fetch *>(data));
  auto answer = answer_of(session, result, *fetch);
  if (!fetch->fetcher.expired()) fetch->arrived(std::move(answer));
}

}  // namespace

ReferenceFetcher::ReferenceFetcher(std::chrono::milliseconds patience)
    : patience_(patience),
      session_(GRef<SoupSession>::adopt(
          soup_session_new_with_options("proxy-resolver", nullptr, "user-agent", "genclip-sim", nullptr))) {}

ReferenceFetcher::~ReferenceFetcher() { soup_session_abort(session_.get()); }

void ReferenceFetcher::fetch(const std::string &url, Arrived arrived) {
  const auto message = GRef<SoupMessage>::adopt(soup_message_new("GET", url.c_str()));
  if (!message)
    return later(std::chrono::milliseconds(0),
                 [arrived = std::move(arrived)] { arrived(failure("its URL is wrong")); });
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  later(patience_, [cancellable] { g_cancellable_cancel(cancellable.get()); });
  soup_session_send_and_read_async(session_.get(), message.get(), G_PRIORITY_DEFAULT, cancellable.get(),
                                   on_answer, new Fetch{std::move(arrived), alive_, patience_, message});
}

}  // namespace genclip::sim
