// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A counted reference to a GLib or GStreamer object, adopted or shared by name.
#pragma once

#include <gst/gst.h>
#include <json-glib/json-glib.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace genclip {

template <typename T>
concept MiniObject = requires(T *object) {
  object->mini_object;
};

// How a type counts its references; GObjects by default. An opaque type that is not a GObject needs a row
// below.
template <typename T>
struct Counting {
  static void ref(T *object) { g_object_ref(object); }
  static void unref(T *object) { g_object_unref(object); }
};

template <MiniObject T>
struct Counting<T> {
  static void ref(T *object) { gst_mini_object_ref(&object->mini_object); }
  static void unref(T *object) { gst_mini_object_unref(&object->mini_object); }
};

#define GENCLIP_COUNTED_BY(type, ref_function, unref_function)  \
  template <>                                                   \
  struct Counting<type> {                                       \
    static void ref(type *object) { ref_function(object); }     \
    static void unref(type *object) { unref_function(object); } \
  }

GENCLIP_COUNTED_BY(GBytes, g_bytes_ref, g_bytes_unref);
GENCLIP_COUNTED_BY(GUri, g_uri_ref, g_uri_unref);
GENCLIP_COUNTED_BY(GDateTime, g_date_time_ref, g_date_time_unref);
GENCLIP_COUNTED_BY(GMainContext, g_main_context_ref, g_main_context_unref);
GENCLIP_COUNTED_BY(GMainLoop, g_main_loop_ref, g_main_loop_unref);
GENCLIP_COUNTED_BY(GSource, g_source_ref, g_source_unref);
GENCLIP_COUNTED_BY(GstSample, gst_sample_ref, gst_sample_unref);
GENCLIP_COUNTED_BY(JsonNode, json_node_ref, json_node_unref);
GENCLIP_COUNTED_BY(JsonObject, json_object_ref, json_object_unref);
GENCLIP_COUNTED_BY(JsonArray, json_array_ref, json_array_unref);

#undef GENCLIP_COUNTED_BY

template <typename T>
class GRef {
 public:
  GRef() = default;
  GRef(std::nullptr_t) {}

  // Takes over the caller's reference (transfer full).
  static GRef adopt(T *object) { return GRef(object); }

  // Adds a reference of its own (transfer none).
  static GRef share(T *object) {
    if (object) Counting<T>::ref(object);
    return GRef(object);
  }

  GRef(const GRef &other) : object_(other.object_) {
    if (object_) Counting<T>::ref(object_);
  }
  GRef(GRef &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  GRef &operator=(GRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~GRef() {
    if (object_) Counting<T>::unref(object_);
  }

  T *get() const { return object_; }
  T *operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

  // Hands the reference to a callee that takes it (transfer full).
  [[nodiscard]] T *release() { return std::exchange(object_, nullptr); }

 private:
  explicit GRef(T *object) : object_(object) {}

  T *object_ = nullptr;
};

struct GFree {
  void operator()(void *memory) const { g_free(memory); }
};
struct GErrorFree {
  void operator()(GError *error) const { g_error_free(error); }
};
struct StructureFree {
  void operator()(GstStructure *structure) const { gst_structure_free(structure); }
};

using GStringPtr = std::unique_ptr<char, GFree>;
using GErrorPtr = std::unique_ptr<GError, GErrorFree>;
using StructurePtr = std::unique_ptr<GstStructure, StructureFree>;

// Receives a GError from a call: `call(..., take(error))`.
class ErrorSlot {
 public:
  explicit ErrorSlot(GErrorPtr &target) : target_(target) {}
  ~ErrorSlot() { target_.reset(raw_); }
  ErrorSlot(const ErrorSlot &) = delete;
  ErrorSlot &operator=(const ErrorSlot &) = delete;
  operator GError **() { return &raw_; }

 private:
  GErrorPtr &target_;
  GError *raw_ = nullptr;
};

inline ErrorSlot take(GErrorPtr &target) { return ErrorSlot(target); }

}  // namespace genclip
