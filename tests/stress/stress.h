// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Everything that an application may do to a pipeline, at random, from many threads at once.
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace genclip::test {

using Dice = std::mt19937;

// One thing to do, again and again, on a thread of its own.
struct Deed {
  const char *name;
  std::function<void(Dice &)> act;
};

Deed change_state(GstElement *pipeline);
Deed seek(GstElement *target, GstFormat format, gint64 end);
Deed query(GstElement *element, std::vector<GstQuery *(*)()> queries);
Deed get_properties(GstElement *element, std::vector<const char *> names);
// As gst-launch would.
Deed set_property(GstElement *element, std::vector<std::pair<const char *, const char *>> values);

struct Toll {
  std::vector<unsigned> times;  // By deed.
  std::chrono::milliseconds slowest{0};
  std::vector<std::string> errors;  // That came over the bus.
};

// For $GENCLIP_STRESS_SECONDS, 3 without it, with $GENCLIP_SEED, or any seed, which it prints.
Toll stress(GstElement *pipeline, const std::vector<Deed> &deeds);

}  // namespace genclip::test
