// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/background_work.h"

#include <chrono>

#include "plugin/base/mutex.h"

namespace genclip {
namespace {

constexpr std::chrono::seconds kLongestEnd{1};  // Without anything that ends.

struct Counts {
  Mutex mutex;
  CondVar changed;
  size_t work GUARDED_BY(mutex) = 0;
  size_t users GUARDED_BY(mutex) = 0;
};

Counts &counts() {
  static auto &all = *new Counts;  // Never destroyed: threads may outlive main().
  return all;
}

}  // namespace

BackgroundWork::BackgroundWork() {
  MutexLock lock(counts().mutex);
  ++counts().work;
}

BackgroundWork::~BackgroundWork() {
  MutexLock lock(counts().mutex);
  --counts().work;
  counts().changed.notify_all();
}

GRef<GstElement> new_background_pipeline() {
  auto pipeline = GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr))));
  g_object_weak_ref(
      G_OBJECT(pipeline.get()), [](gpointer work, GObject *) { delete static_cast<BackgroundWork *>(work); },
      new BackgroundWork);
  return pipeline;
}

BackgroundWorkUser::BackgroundWorkUser() {
  MutexLock lock(counts().mutex);
  ++counts().users;
}

BackgroundWorkUser::~BackgroundWorkUser() {
  Counts &all = counts();
  MutexLock lock(all.mutex);
  if (--all.users > 0) return;
  while (all.work > 0)
    if (!all.changed.wait_until(lock, std::chrono::steady_clock::now() + kLongestEnd)) return;
}

}  // namespace genclip
