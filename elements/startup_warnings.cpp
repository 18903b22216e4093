// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Each a list of one or none, to append to others.
#include "elements/startup_warnings.h"

#include <algorithm>
#include <set>

#include "plugin/base/mutex.h"
#include "plugin/catalog/catalog.h"
#include "plugin/http/http_url.h"

namespace genclip {
namespace {

constexpr size_t kMostMistakes = 10;

struct Reported {
  Mutex mutex;
  std::set<Catalog::Ptr> catalogs GUARDED_BY(mutex);
};

}  // namespace

std::vector<std::string> unreported_catalog_mistakes() {
  static auto &reported = *new Reported;  // Never destroyed: threads may outlive main().
  const Catalog::Ptr catalog = Catalog::shared();
  const auto &mistakes = catalog->mistakes();
  if (mistakes.empty()) return {};
  {
    MutexLock lock(reported.mutex);
    if (!reported.catalogs.insert(catalog).second) return {};
  }
  std::string text = "What is wrong in the files of GENCLIP_MODELS is left out: ";
  const size_t shown = std::min(mistakes.size(), kMostMistakes);
  for (size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : " | ") + mistakes[i].to_text();
  if (shown < mistakes.size())
    text += " | and " + std::to_string(mistakes.size() - shown) + " more, see the log genclip-catalog.";
  return {text};
}

std::vector<std::string> key_in_clear(const std::string &base_url, const std::string &property) {
  const auto url = parse_http_url(base_url);
  if (!url || is_https(url->get()) || is_loopback(url->get())) return {};
  return {"The API key goes to " + host_of(url->get()) +
          " over plain http, where others can read it. Give https in " + property + "."};
}

}  // namespace genclip
