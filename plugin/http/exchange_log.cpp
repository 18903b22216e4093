// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/http/exchange_log.h"

#include <set>

#include "plugin/base/log.h"
#include "plugin/base/mutex.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

GstDebugCategory *http_category() {
  static GstDebugCategory *const category = new_log_category("genclip-http", "HTTP exchanges");
  return category;
}

struct WarnedHosts {
  Mutex mutex;
  std::set<std::string> names GUARDED_BY(mutex);
};

}  // namespace

ExchangeLog::ExchangeLog(const HttpRequest &request)
    : method_(request.method),
      url_(request.bearer_key.empty() ? redact_path(request.url) : redact_url(request.url)),
      begin_(std::chrono::steady_clock::now()) {
  GST_CAT_DEBUG(http_category(), "%s %s: begins, sends %" G_GSIZE_FORMAT " bytes", to_word(method_),
                url_.c_str(), request.body.text().size());
}

void ExchangeLog::finish(unsigned status) const {
  [[maybe_unused]] const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin_);
  GST_CAT_DEBUG(http_category(), "%s %s: status %u, %" G_GUINT64_FORMAT " bytes, %" G_GINT64_FORMAT " ms%s%s",
                to_word(method_), url_.c_str(), status, bytes_, static_cast<gint64>(took.count()),
                failure_ ? ", " : "", failure_ ? log_text(*failure_).c_str() : "");
}

void warn_of_key_in_clear(const std::string &host) {
  static auto &warned = *new WarnedHosts;
  {
    MutexLock lock(warned.mutex);
    if (!warned.names.insert(host).second) return;
  }
  GST_CAT_WARNING(http_category(),
                  "The API key goes to %s over plain http, where others can read it. Use https.",
                  host.c_str());
}

}  // namespace genclip
