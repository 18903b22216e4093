// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tells ThreadSanitizer what GLib's locks, queues and pools order. Debian's GLib locks with futexes that it
// does not see, so without this every hand-over through GStreamer looks like a race. Preloaded into the tests
// of a TSan build; each function does what GLib's does, and says so.
#include <dlfcn.h>
#include <glib-object.h>
#include <gst/gst.h>
#include <sanitizer/tsan_interface.h>

#include <atomic>
#include <cstdlib>

// The function of this name that comes after this one.
#define REAL(name)                                                            \
  ([]() {                                                                     \
    static std::atomic<decltype(name) *> known{nullptr};                      \
    auto *function = known.load(std::memory_order_relaxed);                   \
    if (!function) {                                                          \
      function = reinterpret_cast<decltype(name) *>(dlsym(RTLD_NEXT, #name)); \
      known.store(function, std::memory_order_relaxed);                       \
    }                                                                         \
    return function;                                                          \
  }())

#define LOCKS(type, prefix, lock, unlock) \
  void prefix##_##lock(type *mutex) {     \
    REAL(prefix##_##lock)(mutex);         \
    __tsan_acquire(mutex);                \
  }                                       \
  void prefix##_##unlock(type *mutex) {   \
    __tsan_release(mutex);                \
    REAL(prefix##_##unlock)(mutex);       \
  }

#define TRIES(type, prefix, trylock)                      \
  gboolean prefix##_##trylock(type *mutex) {              \
    const gboolean got = REAL(prefix##_##trylock)(mutex); \
    if (got) __tsan_acquire(mutex);                       \
    return got;                                           \
  }

extern "C" {

// Not for the processes that this one starts: they are not built for it.
__attribute__((constructor)) static void keep_to_this_process() { unsetenv("LD_PRELOAD"); }

LOCKS(GMutex, g_mutex, lock, unlock)
TRIES(GMutex, g_mutex, trylock)
LOCKS(GRecMutex, g_rec_mutex, lock, unlock)
TRIES(GRecMutex, g_rec_mutex, trylock)
LOCKS(GRWLock, g_rw_lock, reader_lock, reader_unlock)
LOCKS(GRWLock, g_rw_lock, writer_lock, writer_unlock)

void g_cond_wait(GCond *condition, GMutex *mutex) {
  __tsan_release(mutex);
  REAL(g_cond_wait)(condition, mutex);
  __tsan_acquire(mutex);
}

gboolean g_cond_wait_until(GCond *condition, GMutex *mutex, gint64 end) {
  __tsan_release(mutex);
  const gboolean signalled = REAL(g_cond_wait_until)(condition, mutex, end);
  __tsan_acquire(mutex);
  return signalled;
}

// Functions that GLib calls on a thread of its own get what was there when they were asked for.
struct Handover {
  void *function;
  gpointer data;
  GDestroyNotify destroy;
};

static void call_element(GstElement *element, gpointer data) {
  __tsan_acquire(data);
  auto *handover = static_cast<Handover *>(data);
  reinterpret_cast<GstElementCallAsyncFunc>(handover->function)(element, handover->data);
}

static void destroy_handover(gpointer data) {
  auto *handover = static_cast<Handover *>(data);
  if (handover->destroy) handover->destroy(handover->data);
  delete handover;
}

void gst_element_call_async(GstElement *element, GstElementCallAsyncFunc function, gpointer data,
                            GDestroyNotify destroy) {
  auto *handover = new Handover{reinterpret_cast<void *>(function), data, destroy};
  __tsan_release(handover);
  REAL(gst_element_call_async)(element, call_element, handover, destroy_handover);
}

static gpointer run_thread(gpointer data) {
  __tsan_acquire(data);
  const Handover handover = *static_cast<Handover *>(data);
  delete static_cast<Handover *>(data);
  return reinterpret_cast<GThreadFunc>(handover.function)(handover.data);
}

GThread *g_thread_try_new(const char *name, GThreadFunc function, gpointer data, GError **error) {
  auto *handover = new Handover{reinterpret_cast<void *>(function), data, nullptr};
  __tsan_release(handover);
  return REAL(g_thread_try_new)(name, run_thread, handover, error);
}

GThread *g_thread_new(const char *name, GThreadFunc function, gpointer data) {
  return g_thread_try_new(name, function, data, nullptr);
}

static void run_pooled(gpointer item, gpointer data) {
  __tsan_acquire(item);
  const auto *handover = static_cast<Handover *>(data);
  reinterpret_cast<GFunc>(handover->function)(item, handover->data);
}

GThreadPool *g_thread_pool_new(GFunc function, gpointer data, gint max_threads, gboolean exclusive,
                               GError **error) {
  // Lives as long as the pool; pools live as long as the program.
  auto *handover = new Handover{reinterpret_cast<void *>(function), data, nullptr};
  return REAL(g_thread_pool_new)(run_pooled, handover, max_threads, exclusive, error);
}

gboolean g_thread_pool_push(GThreadPool *pool, gpointer item, GError **error) {
  __tsan_release(item);
  return REAL(g_thread_pool_push)(pool, item, error);
}

void g_async_queue_push(GAsyncQueue *queue, gpointer item) {
  __tsan_release(queue);
  REAL(g_async_queue_push)(queue, item);
}

gpointer g_async_queue_pop(GAsyncQueue *queue) {
  gpointer item = REAL(g_async_queue_pop)(queue);
  __tsan_acquire(queue);
  return item;
}

gpointer g_async_queue_try_pop(GAsyncQueue *queue) {
  gpointer item = REAL(g_async_queue_try_pop)(queue);
  if (item) __tsan_acquire(queue);
  return item;
}

gpointer g_async_queue_timeout_pop(GAsyncQueue *queue, guint64 timeout) {
  gpointer item = REAL(g_async_queue_timeout_pop)(queue, timeout);
  if (item) __tsan_acquire(queue);
  return item;
}

void g_main_context_wakeup(GMainContext *context) {
  __tsan_release(context);
  REAL(g_main_context_wakeup)(context);
}

// Whoever let go before is before the last, who frees it, or the pool, which gives it to the next.
void gst_mini_object_unref(GstMiniObject *object) {
  __tsan_release(object);
  __tsan_acquire(object);
  REAL(gst_mini_object_unref)(object);
}

GstFlowReturn gst_buffer_pool_acquire_buffer(GstBufferPool *pool, GstBuffer **buffer,
                                             GstBufferPoolAcquireParams *parameters) {
  const GstFlowReturn flow = REAL(gst_buffer_pool_acquire_buffer)(pool, buffer, parameters);
  if (flow == GST_FLOW_OK) __tsan_acquire(*buffer);
  return flow;
}

// Whoever let go before is before the last, whose disposing of a GstObject begins with the object's lock.
// (Asking before the count goes down would not do: another may let go in between.)
void g_object_unref(gpointer object) {
  if (GST_IS_OBJECT(object)) __tsan_release(GST_OBJECT_GET_LOCK(object));
  REAL(g_object_unref)(object);
}

}  // extern "C"
