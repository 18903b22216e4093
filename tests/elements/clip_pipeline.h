// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A genclipsrc in its own pipeline, and its messages on the bus.
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/catalog/clip_request.h"

namespace genclip::test {

// Longer than any step of the tests, even under a sanitizer on a busy machine.
constexpr auto kPatience = std::chrono::seconds(60);

struct BusError {
  GQuark domain = 0;
  int code = 0;
  std::string text;
  std::string debug;
  GRef<GstMessage> message;

  bool is(GstResourceError wanted) const {
    return domain == GST_RESOURCE_ERROR && code == static_cast<int>(wanted);
  }
  // A field of the details; empty when there is none.
  std::string detail(const char *field) const;
};

// A downstream part that uses random access: typefind pulls.
constexpr char kPull[] = "typefind ! fakesink name=sink sync=false";

// "genclipsrc name=src ! REST". Goes to NULL with the object.
class ClipPipeline {
 public:
  explicit ClipPipeline(const std::string &rest = "fakesink sync=false");
  ~ClipPipeline();
  ClipPipeline(const ClipPipeline &) = delete;
  ClipPipeline &operator=(const ClipPipeline &) = delete;

  GstElement *src() const { return src_.get(); }
  GstElement *pipeline() const { return pipeline_.get(); }
  GRef<GstElement> element(const char *name) const;
  // As gst-launch would: `set("duration", "5")`.
  void set(const char *property, const std::string &value);
  std::string get(const char *property) const;

  GstStateChangeReturn go(GstState state);
  // Duration of the state change for its caller.
  std::chrono::milliseconds time_to(GstState state);

  // The first of those messages, nothing after kPatience. Every message before it is kept in `seen`.
  GRef<GstMessage> wait(GstMessageType types);
  // Until the element message of that name, for which `fits`.
  GRef<GstMessage> wait_for_element(const char *name, const std::function<bool(const GstStructure *)> &fits);
  // The last element message of that name so far; null when there is none.
  const GstStructure *posted(const char *name) const;
  // Runs to the end; empty after success.
  std::optional<BusError> play();
  // Continues to the end from the current position.
  std::optional<BusError> finish();

  std::vector<GRef<GstMessage>> seen;

 private:
  GRef<GstElement> pipeline_;
  GRef<GstElement> src_;
  GRef<GstBus> bus_;
};

// Sets the request's fields as an application would, each with its property, or with extra-params.
void apply(const ClipRequest &request, GstElement *src);

BusError error_of(const GRef<GstMessage> &message);

}  // namespace genclip::test
