// SPDX-License-Identifier: LGPL-2.1-or-later
//
// gst_parse_launch and a bus that is read by hand: no main loop is needed.
#include "tests/elements/clip_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "elements/structure_json.h"

namespace genclip::test {
namespace {

std::string property_name(std::string field) {
  std::replace(field.begin(), field.end(), '_', '-');
  return field;
}

void set_list(GstElement *src, const char *property, const Json::Array &items) {
  GValue list = G_VALUE_INIT;
  g_value_init(&list, GST_TYPE_ARRAY);
  for (const Json &item : items) {
    GValue text = G_VALUE_INIT;
    g_value_init(&text, G_TYPE_STRING);
    g_value_set_string(&text, item.string()->c_str());
    gst_value_array_append_and_take_value(&list, &text);
  }
  g_object_set_property(G_OBJECT(src), property, &list);
  g_value_unset(&list);
}

void set_field(GstElement *src, const std::string &property, const Json &value) {
  if (const auto *text = value.string()) {
    g_object_set(src, property.c_str(), text->c_str(), nullptr);
  } else if (const auto *truth = value.boolean()) {
    gst_util_set_object_arg(G_OBJECT(src), property.c_str(), *truth ? "on" : "off");
  } else if (const auto *integer = value.integer()) {
    gst_util_set_object_arg(G_OBJECT(src), property.c_str(), std::to_string(*integer).c_str());
  } else if (const auto *items = value.array()) {
    if (property == "first-image" || property == "last-image")
      g_object_set(src, property.c_str(), items->at(0).string()->c_str(), nullptr);
    else
      set_list(src, property.c_str(), *items);
  } else {
    FAIL() << "no property can say " << property << " = " << value.to_text();
  }
}

}  // namespace

std::string BusError::detail(const char *field) const {
  const GstStructure *details = nullptr;
  if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_WARNING)
    gst_message_parse_warning_details(message.get(), &details);
  else
    gst_message_parse_error_details(message.get(), &details);
  const GValue *value = details ? gst_structure_get_value(details, field) : nullptr;
  if (!value) return "";
  if (G_VALUE_HOLDS_STRING(value)) return g_value_get_string(value);
  return GStringPtr(gst_value_serialize(value)).get();
}

ClipPipeline::ClipPipeline(const std::string &rest) {
  GErrorPtr error;
  pipeline_ = GRef<GstElement>::adopt(GST_ELEMENT(
      gst_object_ref_sink(gst_parse_launch(("genclipsrc name=src ! " + rest).c_str(), take(error)))));
  EXPECT_FALSE(error) << error->message;
  if (!GST_IS_BIN(pipeline_.get())) return;
  src_ = element("src");
  bus_ = GRef<GstBus>::adopt(gst_element_get_bus(pipeline_.get()));
}

ClipPipeline::~ClipPipeline() { go(GST_STATE_NULL); }

GRef<GstElement> ClipPipeline::element(const char *name) const {
  return GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline_.get()), name));
}

void ClipPipeline::set(const char *property, const std::string &value) {
  gst_util_set_object_arg(G_OBJECT(src()), property, value.c_str());
}

std::string ClipPipeline::get(const char *property) const {
  GValue value = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(src()), property, &value);
  std::string result;
  if (G_VALUE_HOLDS_ENUM(&value)) {
    result = g_enum_get_value(static_cast<GEnumClass *>(g_type_class_peek(G_VALUE_TYPE(&value))),
                              g_value_get_enum(&value))
                 ->value_nick;
  } else if (G_VALUE_HOLDS_STRING(&value)) {
    result = g_value_get_string(&value) ? g_value_get_string(&value) : "";
  } else {
    result = GStringPtr(gst_value_serialize(&value)).get();
  }
  g_value_unset(&value);
  return result;
}

GstStateChangeReturn ClipPipeline::go(GstState state) { return gst_element_set_state(pipeline(), state); }

std::chrono::milliseconds ClipPipeline::time_to(GstState state) {
  const auto begun = std::chrono::steady_clock::now();
  go(state);
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
}

GRef<GstMessage> ClipPipeline::wait(GstMessageType types) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left.count() <= 0) return nullptr;
    auto message = GRef<GstMessage>::adopt(gst_bus_timed_pop(
        bus_.get(),
        static_cast<GstClockTime>(std::chrono::duration_cast<std::chrono::nanoseconds>(left).count())));
    if (!message) return nullptr;
    if (GST_MESSAGE_TYPE(message.get()) & types) return message;
    seen.push_back(std::move(message));
  }
}

GRef<GstMessage> ClipPipeline::wait_for_element(const char *name,
                                                const std::function<bool(const GstStructure *)> &fits) {
  for (;;) {
    auto message = wait(GST_MESSAGE_ELEMENT);
    if (!message) return nullptr;
    seen.push_back(message);
    const GstStructure *structure = gst_message_get_structure(message.get());
    if (gst_structure_has_name(structure, name) && fits(structure)) return message;
  }
}

const GstStructure *ClipPipeline::posted(const char *name) const {
  const auto found = std::find_if(seen.rbegin(), seen.rend(), [name](const auto &message) {
    return gst_message_has_name(message.get(), name);
  });
  return found == seen.rend() ? nullptr : gst_message_get_structure(found->get());
}

std::optional<BusError> ClipPipeline::play() {
  go(GST_STATE_PLAYING);
  return finish();
}

std::optional<BusError> ClipPipeline::finish() {
  auto message = wait(static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  if (!message) return BusError{0, 0, "nothing happened in time", "", nullptr};
  if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS) return std::nullopt;
  return error_of(message);
}

BusError error_of(const GRef<GstMessage> &message) {
  GErrorPtr error;
  char *debug = nullptr;
  if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_WARNING)
    gst_message_parse_warning(message.get(), take(error), &debug);
  else
    gst_message_parse_error(message.get(), take(error), &debug);
  const GStringPtr freed(debug);
  return {error->domain, error->code, error->message, debug ? debug : "", message};
}

void apply(const ClipRequest &request, GstElement *src) {
  g_object_set(src, "model", request.model.c_str(), nullptr);
  gst_util_set_object_arg(G_OBJECT(src), "api",
                          request.api == Api::automatic ? "auto"
                          : request.api == Api::legacy  ? "legacy"
                                                        : "tasks");
  g_object_set(src, "take", request.take, nullptr);
  Json::Object extra = *request.extra.object();
  for (const auto &[field, value] : *request.fields.object()) {
    const std::string property = property_name(field);
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(src), property.c_str()))
      set_field(src, property, value);
    else
      extra.emplace_back(field, value);
  }
  if (!extra.empty()) g_object_set(src, "extra-params", structure_of(extra).get(), nullptr);
}

}  // namespace genclip::test
