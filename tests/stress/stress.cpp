// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A thread a deed, and one that reads the bus.
#include "tests/stress/stress.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "plugin/base/gref.h"
#include "tests/support/seed.h"

namespace genclip::test {
namespace {

using Clock = std::chrono::steady_clock;

unsigned long number_in(const char *variable, unsigned long otherwise) {
  const char *text = g_getenv(variable);
  return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

template <typename Items>
auto &any_of(Items &items, Dice &dice) {
  return items[dice() % items.size()];
}

std::string error_in(GstMessage *message) {
  GErrorPtr error;
  char *debug = nullptr;
  gst_message_parse_error(message, take(error), &debug);
  const GStringPtr freed(debug);
  return std::string(error->message) + " / " + (debug ? debug : "");
}

}  // namespace

Deed change_state(GstElement *pipeline) {
  return {
      "change of state", [pipeline](Dice &dice) {
        constexpr GstState kStates[] = {GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING};
        gst_element_set_state(pipeline, kStates[dice() % 4]);
        g_usleep(dice() % 8000);
      }};
}

Deed seek(GstElement *target, GstFormat format, gint64 end) {
  return {"seek", [=](Dice &dice) {
            // Without a flush it waits, in any pipeline, until a paused sink plays: for ever, with the states
            // locked.
            const auto flags =
                static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | (dice() % 4 ? 0 : GST_SEEK_FLAG_KEY_UNIT));
            const auto start = static_cast<gint64>(dice() % static_cast<guint64>(end));
            const bool stops = dice() % 3 == 0;
            gst_element_send_event(
                target, gst_event_new_seek(1, format, flags, GST_SEEK_TYPE_SET, start,
                                           stops ? GST_SEEK_TYPE_SET : GST_SEEK_TYPE_NONE, stops ? end : -1));
            g_usleep(dice() % 10000);
          }};
}

Deed query(GstElement *element, std::vector<GstQuery *(*)()> queries) {
  return {"query", [element, queries = std::move(queries)](Dice &dice) {
            GstQuery *query = any_of(queries, dice)();
            gst_element_query(element, query);
            gst_query_unref(query);
            g_usleep(dice() % 2000);
          }};
}

Deed get_properties(GstElement *element, std::vector<const char *> names) {
  return {"look at a property", [element, names = std::move(names)](Dice &dice) {
            GValue value = G_VALUE_INIT;
            g_object_get_property(G_OBJECT(element), any_of(names, dice), &value);
            g_value_unset(&value);
            g_usleep(dice() % 2000);
          }};
}

Deed set_property(GstElement *element, std::vector<std::pair<const char *, const char *>> values) {
  return {"change of a property", [element, values = std::move(values)](Dice &dice) {
            const auto &[name, value] = any_of(values, dice);
            gst_util_set_object_arg(G_OBJECT(element), name, value);
            g_usleep(dice() % 5000);
          }};
}

Toll stress(GstElement *pipeline, const std::vector<Deed> &deeds) {
  const auto seed = test_seed();
  std::printf("seed %u (GENCLIP_SEED)\n", seed);
  std::fflush(stdout);
  const auto end = Clock::now() + std::chrono::seconds(number_in("GENCLIP_STRESS_SECONDS", 3));
  Toll toll;
  toll.times.resize(deeds.size());
  std::vector<Clock::duration> slowest(deeds.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < deeds.size(); ++i)
    threads.emplace_back([&, i] {
      Dice dice(seed + static_cast<unsigned>(i));
      while (Clock::now() < end) {
        const auto begun = Clock::now();
        deeds[i].act(dice);
        slowest[i] = std::max(slowest[i], Clock::now() - begun);
        ++toll.times[i];
      }
    });
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline));
  while (Clock::now() < end)
    if (const auto message = GRef<GstMessage>::adopt(gst_bus_timed_pop(bus.get(), 10 * GST_MSECOND)))
      if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ERROR)
        toll.errors.push_back(error_in(message.get()));
  for (std::thread &thread : threads) thread.join();
  for (size_t i = 0; i < deeds.size(); ++i)
    std::printf("%s: %u times, %ld ms at most\n", deeds[i].name, toll.times[i],
                static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(slowest[i]).count()));
  toll.slowest = std::chrono::duration_cast<std::chrono::milliseconds>(
      *std::max_element(slowest.begin(), slowest.end()));
  return toll;
}

}  // namespace genclip::test
