// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/http/exchange_log.h"

#include <gst/gst.h>

#include <set>

#include "plugin/base/mutex.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

GstDebugCategory *http_category() {
  static GstDebugCategory *category =
      _gst_debug_category_new("genclip-http", 0, "HTTP exchanges of the genclip elements");
  return category;
}

#define GST_CAT_DEFAULT http_category()

struct WarnedHosts {
  Mutex mutex;
  std::set<std::string> names GUARDED_BY(mutex);
};

}  // namespace

ExchangeLog::ExchangeLog(const HttpRequest &request)
    : method_(request.method),
      url_(request.bearer_key.empty() ? redact_path(request.url) : redact_url(request.url)),
      begin_(std::chrono::steady_clock::now()) {}

void ExchangeLog::finish(unsigned status) const {
  [[maybe_unused]] const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin_);
  GST_DEBUG("%s %s: status %u, %" G_GUINT64_FORMAT " bytes, %" G_GINT64_FORMAT " ms%s%s", to_word(method_),
            url_.c_str(), status, bytes_, static_cast<gint64>(took.count()), failure_ ? ", " : "",
            failure_ ? failure_->c_str() : "");
}

void warn_of_key_in_clear(const std::string &host) {
  static auto &warned = *new WarnedHosts;
  {
    MutexLock lock(warned.mutex);
    if (!warned.names.insert(host).second) return;
  }
  GST_WARNING("The API key goes to %s over plain http, where others can read it. Use https.", host.c_str());
}

}  // namespace genclip
