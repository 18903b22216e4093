// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Calls a function on this thread's main context after a time, or drops it with the context.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <functional>

#include "plugin/base/gref.h"

namespace genclip::sim {

inline void later(std::chrono::milliseconds time, std::function<void()> what) {
  const auto source = GRef<GSource>::adopt(g_timeout_source_new(static_cast<guint>(time.count())));
  g_source_set_callback(
      source.get(),
      [](gpointer function) -> gboolean {
        (*static_cast<std::function<void()> *>(function))();
        return G_SOURCE_REMOVE;
      },
      new std::function<void()>(std::move(what)),
      [](gpointer function) { delete static_cast<std::function<void()> *>(function); });
  g_source_attach(source.get(), g_main_context_get_thread_default());
}

}  // namespace genclip::sim
