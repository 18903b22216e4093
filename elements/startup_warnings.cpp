// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Remembers for each catalog that its mistakes were reported.
#include "elements/startup_warnings.h"

#include <algorithm>
#include <set>

#include "plugin/base/mutex.h"
#include "plugin/catalog/catalog.h"

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
  std::string text = "Entries with mistakes in the files of GENCLIP_MODELS are ignored: ";
  const size_t shown = std::min(mistakes.size(), kMostMistakes);
  for (size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : " | ") + mistakes[i].to_text();
  if (shown < mistakes.size())
    text +=
        " | and " + std::to_string(mistakes.size() - shown) + " more; see the log category genclip-catalog.";
  return {text};
}

}  // namespace genclip
