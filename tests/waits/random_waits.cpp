// SPDX-License-Identifier: LGPL-2.1-or-later
//
// For LD_PRELOAD: threads begin late and wait at random, where they take or release a lock or wake another
// thread. What two threads do then comes in orders that an idle machine hardly ever shows, so a race fails
// that else waits for a busy one. GENCLIP_SEED (1) decides who waits how long; the machine still has its part
// in what comes of it.
//
// All waits are outside the lock that they stand at, so whatever keeps to its locks holds with them.
#include <dlfcn.h>
#include <glib.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "tests/support/seed.h"

// The function of this name that comes after this one.
#define REAL(name)                                                                        \
  ([]() {                                                                                 \
    static const auto real = reinterpret_cast<decltype(name) *>(dlsym(RTLD_NEXT, #name)); \
    return real;                                                                          \
  }())

#define WAITS_BEFORE(name, type) \
  void name(type *object) {      \
    maybe_wait();                \
    REAL(name)(object);          \
  }

#define WAITS_AFTER(name, type) \
  void name(type *object) {     \
    REAL(name)(object);         \
    maybe_wait();               \
  }

namespace {

using std::chrono::microseconds;

// One for each thread.
class Dice {
 public:
  Dice() {
    static std::atomic<uint64_t> threads{0};
    state_ = (genclip::test::test_seed() + 1) * 0x9E3779B97F4A7C15ULL ^ ++threads * 0xD1B54A32D192ED03ULL;
  }

  // Less than `end`. (xorshift64*)
  uint64_t roll(uint64_t end) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return (state_ * 0x2545F4914F6CDD1DULL >> 32) % end;
  }

 private:
  uint64_t state_;
};

struct Pace {
  Dice dice;
  // One thread of four is slow: it waits that long each twentieth time.
  const microseconds slowness{dice.roll(4) == 0 ? 50 * (1 + dice.roll(30)) : 0};
  unsigned calls = 0;
};

Pace &pace() {
  static thread_local Pace pace;
  return pace;
}

void maybe_wait() {
  Pace &own = pace();
  if (++own.calls % 20 == 0 && own.slowness.count() > 0)
    std::this_thread::sleep_for(own.slowness);
  else if (own.dice.roll(400) == 0)
    std::this_thread::sleep_for(microseconds(200 + own.dice.roll(3000)));
}

struct Start {
  Start(void *(*function)(void *), void *argument) : function(function), argument(argument) {}
  void *(*function)(void *);
  void *argument;
};

void *begin_late(void *data) {
  // Gone before the function, which may end the thread.
  const Start start = *std::unique_ptr<Start>(static_cast<Start *>(data));
  if (pace().dice.roll(3) == 0) std::this_thread::sleep_for(microseconds(pace().dice.roll(15000)));
  return start.function(start.argument);
}

}  // namespace

extern "C" {

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                   void *argument) {
  auto start = std::make_unique<Start>(function, argument);
  const int error = REAL(pthread_create)(thread, attributes, begin_late, start.get());
  if (error == 0) static_cast<void>(start.release());  // It is the thread's now.
  return error;
}

// genclip's own locks are std::mutex, those of GLib and GStreamer are GLib's.
int pthread_mutex_lock(pthread_mutex_t *mutex) {
  maybe_wait();
  return REAL(pthread_mutex_lock)(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  const int error = REAL(pthread_mutex_unlock)(mutex);
  maybe_wait();
  return error;
}

WAITS_BEFORE(g_mutex_lock, GMutex)
WAITS_AFTER(g_mutex_unlock, GMutex)
WAITS_BEFORE(g_rec_mutex_lock, GRecMutex)
WAITS_AFTER(g_rec_mutex_unlock, GRecMutex)
WAITS_BEFORE(g_cond_signal, GCond)
WAITS_BEFORE(g_cond_broadcast, GCond)

}  // extern "C"
