// SPDX-License-Identifier: LGPL-2.1-or-later
//
// gst_parse_launch, a painting probe, and a bus that is read by hand.
#include "tests/captioner/caption_run.h"

#include <gst/app/app.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace genclip::test {
namespace {

struct Paint {
  const char *name;
  std::array<guint8, 3> rgb;
};
constexpr std::array<Paint, 8> kPaints = {{
    {"red", {255, 0, 0}},
    {"green", {0, 255, 0}},
    {"blue", {0, 0, 255}},
    {"yellow", {255, 255, 0}},
    {"white", {255, 255, 255}},
    {"black", {0, 0, 0}},
    {"cyan", {0, 255, 255}},
    {"magenta", {255, 0, 255}},
}};

const Paint &paint_at(uint64_t second) { return kPaints[second % kPaints.size()]; }

GstPadProbeReturn paint(GstPad *, GstPadProbeInfo *info, gpointer) {
  GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  info->data = buffer;
  const auto &rgb = paint_at(GST_BUFFER_PTS(buffer) / GST_SECOND).rgb;
  GstMapInfo map;
  gst_buffer_map(buffer, &map, GST_MAP_WRITE);
  for (gsize at = 0; at + 2 < map.size; at += 3) std::copy(rgb.begin(), rgb.end(), map.data + at);
  gst_buffer_unmap(buffer, &map);
  return GST_PAD_PROBE_OK;
}

void for_each_element(GstBin *bin, const auto &action) {
  GstIterator *elements = gst_bin_iterate_recurse(bin);
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
    action(GST_ELEMENT(g_value_get_object(&item)));
    g_value_reset(&item);
  }
  g_value_unset(&item);
  gst_iterator_free(elements);
}

std::string text_of_message(GstMessage *message) {
  GErrorPtr error;
  GStringPtr debug;
  char *raw_debug = nullptr;
  GError *raw = nullptr;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning(message, &raw, &raw_debug);
  else
    gst_message_parse_error(message, &raw, &raw_debug);
  error.reset(raw);
  debug.reset(raw_debug);
  return error->message;
}

std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }

bool comes_true(const auto &condition) {
  const auto end = now() + kPatience;
  while (!condition()) {
    if (now() > end) return false;
    g_usleep(1000);
  }
  return true;
}

}  // namespace

std::string colour_at(uint64_t second) { return paint_at(second).name; }

std::string caption_at(uint64_t second, const std::string &size) {
  return "1 still of " + size + ". It is " + colour_at(second) + ".";
}

Cues each_second(unsigned seconds) {
  Cues cues;
  for (unsigned s = 0; s < seconds; ++s) cues.push_back({1000 * s, 1000 * s + 1000, caption_at(s)});
  return cues;
}

std::string text_of(GstBuffer *buffer) {
  std::string text(gst_buffer_get_size(buffer), '\0');
  gst_buffer_extract(buffer, 0, text.data(), text.size());
  return text;
}

void show_whole_answers(GstElement *gencaption, const std::string &description) {
  for (const char *limit : {"max-line-length", "max-lines", "max-cps"})
    if (description.find(limit) == description.npos) g_object_set(gencaption, limit, 0u, nullptr);
}

CaptionRun::CaptionRun(const GatewayServer &gateway, const std::string &description) {
  GErrorPtr error;
  pipeline_ = GRef<GstElement>::adopt(
      static_cast<GstElement *>(gst_object_ref_sink(gst_parse_launch(description.c_str(), take(error)))));
  if (error) ADD_FAILURE() << description << ": " << error->message;
  bus_ = GRef<GstBus>::adopt(gst_element_get_bus(pipeline_.get()));
  for_each_element(GST_BIN(pipeline_.get()), [&](GstElement *element) {
    GstElementFactory *factory = gst_element_get_factory(element);
    const std::string name = GST_OBJECT_NAME(factory);
    if (name == "gencaption") {
      g_object_set(element, "llm-base-url", gateway.url().c_str(), "api-key", kKey, nullptr);
      show_whole_answers(element, description);
      if (description.find("cache=") == std::string::npos)
        gst_util_set_object_arg(G_OBJECT(element), "cache", "off");
    }
    if (name == "appsink") g_object_set(element, "wait-on-eos", FALSE, nullptr);
    const GStringPtr own(gst_element_get_name(element));
    if (std::string_view(own.get()).starts_with("src")) {
      const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(element, "src"));
      gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, paint, nullptr, nullptr);
    }
  });
}

CaptionRun::~CaptionRun() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

GRef<GstElement> CaptionRun::element(const char *name) const {
  return GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline_.get()), name));
}

void CaptionRun::set(const char *name, const char *property, const std::string &value) {
  gst_util_set_object_arg(G_OBJECT(element(name).get()), property, value.c_str());
}

GstStateChangeReturn CaptionRun::go(GstState state) { return gst_element_set_state(pipeline_.get(), state); }

std::chrono::milliseconds CaptionRun::time_to_null() {
  const auto begin = now();
  go(GST_STATE_NULL);
  return std::chrono::duration_cast<std::chrono::milliseconds>(now() - begin);
}

std::chrono::milliseconds CaptionRun::time_to_null_at_best(std::chrono::milliseconds enough) {
  std::chrono::milliseconds best = time_to_null();
  for (int i = 0; i < 2 && best > enough; ++i) {
    go(GST_STATE_PLAYING);
    g_usleep(100000);
    best = std::min(best, time_to_null());
  }
  return best;
}

GRef<GstMessage> CaptionRun::wait(GstMessageType types, std::chrono::milliseconds patience) {
  const auto end = now() + patience;
  while (now() < end) {
    auto message = GRef<GstMessage>::adopt(gst_bus_timed_pop(bus_.get(), 100 * GST_MSECOND));
    if (!message) continue;
    seen.push_back(message);
    if (GST_MESSAGE_TYPE(message.get()) & types) return message;
  }
  return nullptr;
}

std::string CaptionRun::finish(std::chrono::milliseconds patience) {
  const auto message = wait(static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR), patience);
  if (!message) return "stalled";
  return GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS ? "" : text_of_message(message.get());
}

std::string CaptionRun::play(std::chrono::milliseconds patience) {
  go(GST_STATE_PLAYING);
  return finish(patience);
}

void CaptionRun::drain_bus() {
  while (auto message = GRef<GstMessage>::adopt(gst_bus_pop(bus_.get()))) seen.push_back(message);
}

std::vector<GRef<GstMessage>> CaptionRun::captions() {
  drain_bus();
  std::vector<GRef<GstMessage>> captions;
  for (const auto &message : seen)
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ELEMENT &&
        gst_message_has_name(message.get(), "gencaption-caption"))
      captions.push_back(message);
  return captions;
}

bool CaptionRun::wait_for_captions(size_t count) {
  const auto end = now() + kPatience;
  while (captions().size() < count)
    if (now() > end || !wait(GST_MESSAGE_ANY, std::chrono::seconds(60))) return false;
  return true;
}

std::vector<std::string> CaptionRun::warnings() {
  drain_bus();
  std::vector<std::string> texts;
  for (const auto &message : seen)
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_WARNING)
      texts.push_back(text_of_message(message.get()));
  return texts;
}

size_t CaptionRun::errors_of(const char *name) {
  drain_bus();
  const auto source = element(name);
  return static_cast<size_t>(std::count_if(seen.begin(), seen.end(), [&](const auto &message) {
    return GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ERROR &&
           GST_MESSAGE_SRC(message.get()) == GST_OBJECT(source.get());
  }));
}

bool CaptionRun::wait_until_shown(const char *name, uint64_t count) const {
  const auto sink = element(name);
  return comes_true([&] {
    GstStructure *stats = nullptr;
    g_object_get(sink.get(), "stats", &stats, nullptr);
    guint64 rendered = 0;
    gst_structure_get_uint64(StructurePtr(stats).get(), "rendered", &rendered);
    return rendered >= count;
  });
}

bool CaptionRun::has_ended(const char *name) const {
  const auto sink = element(name);
  return comes_true([&] { return gst_app_sink_is_eos(GST_APP_SINK(sink.get())); });
}

Cues CaptionRun::cues(const char *name) {
  const auto sink = element(name);
  while (const auto sample =
             GRef<GstSample>::adopt(gst_app_sink_try_pull_sample(GST_APP_SINK(sink.get()), 0))) {
    GstBuffer *buffer = gst_sample_get_buffer(sample.get());
    EXPECT_TRUE(GST_BUFFER_PTS_IS_VALID(buffer));
    EXPECT_TRUE(GST_BUFFER_DURATION_IS_VALID(buffer));
    const std::string text = text_of(buffer);
    EXPECT_TRUE(g_utf8_validate_len(text.data(), text.size(), nullptr)) << text;
    const uint64_t start = GST_BUFFER_PTS(buffer) / GST_MSECOND;
    cues_[name].push_back(
        {start, (GST_BUFFER_PTS(buffer) + GST_BUFFER_DURATION(buffer)) / GST_MSECOND, text});
  }
  return cues_[name];
}

uint64_t CaptionRun::stat(const char *name) {
  GstStructure *raw = nullptr;
  g_object_get(element("cap").get(), "stats", &raw, nullptr);
  const StructurePtr stats(raw);
  guint64 value = 0;
  EXPECT_TRUE(gst_structure_get_uint64(stats.get(), name, &value)) << name;
  return value;
}

}  // namespace genclip::test
