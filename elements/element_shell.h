// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The properties of an element, from GObject's side.
//
// All elements of genclip are built alike:
//
// - A C++ object does the work: ClipSource, CaptionStage. The GObject only holds it: it makes it in init and
//   deletes it in finalize. The object has settings() and edit_settings() over an ElementSettings;
//   prepare(), which validates the settings on the way to PAUSED and returns one error for all problems;
//   interrupt(), which ends every wait; and release(), on the way to READY.
// - Properties are rows (property_table.h); those that can only be read are rows as well (ReadOnly).
// - The functions that GStreamer calls translate and never decide. They are noexcept, because no exception
//   may pass through C.
// - An element logs in a category of its name (element_log.h) and posts through post_error.h.
#pragma once

#include <gst/gst.h>

#include <span>

#include "elements/property_table.h"
#include "plugin/base/log.h"

namespace genclip {

// A property that can only be read, at any time.
template <typename Object>
struct ReadOnly {
  GParamSpec *(*make_spec)(GParamFlags flags);
  void (*get)(const Object &object, GValue *value);
};

// The IDs of the properties are 1, 2, … in the order of the rows, those to be read behind the others.
template <typename Object, typename Settings>
class ElementProperties {
 public:
  ElementProperties(std::span<const Property<Settings>> rows, std::span<const ReadOnly<Object>> read_only)
      : rows_(rows), read_only_(read_only) {}

  void install(GObjectClass *klass) const {
    install_properties(klass, rows_);
    const auto flags = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
    guint id = static_cast<guint>(rows_.size());
    for (const auto &row : read_only_) install_property(klass, ++id, row.make_spec(flags));
  }

  // `element` is the GObject of `object`.
  void set(gpointer element, Object &object, GstDebugCategory *category, guint id,
           const GValue *value) const {
    const Property<Settings> &row = rows_[id - 1];
    const bool is_set =
        object.edit_settings(row.access, [&](Settings &settings) { set_field(settings, row, value); });
    if (!is_set)
      GST_CAT_WARNING_OBJECT(category, element, "The property %s can change in NULL and READY only.",
                             row.name);
  }

  void get(const Object &object, guint id, GValue *value) const {
    if (id <= rows_.size())
      get_field(object.settings(), rows_[id - 1], value);
    else
      read_only_[id - rows_.size() - 1].get(object, value);
  }

 private:
  const std::span<const Property<Settings>> rows_;
  const std::span<const ReadOnly<Object>> read_only_;
};

}  // namespace genclip
