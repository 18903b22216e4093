// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/clip_order.h"

#include <glib.h>

#include <algorithm>
#include <cmath>

namespace genclip::sim {
namespace {

// Used where the service documents no default.
constexpr int kSeconds = 5;
constexpr int kShorterSide = 720;
constexpr int kImageSide = 1024;
constexpr int kMostSeconds = 60;
constexpr int kLeastSide = 64, kMostSide = 4096;

struct NamedSide {
  const char *name;
  int shorter_side;
};
constexpr NamedSide kSides[] = {{"1k", 1080}, {"2k", 1440}, {"4k", 2160}};

std::string text_setting(const Model &model, const Json &request, const char *name) {
  const Json *value = effective_value(model, request, name);
  return value && value->string() ? *value->string() : "";
}

int even(double side) {
  return std::clamp(2 * static_cast<int>(std::lround(side / 2)), kLeastSide, kMostSide);
}

int shorter_side(const std::string &resolution, int fallback) {
  for (const NamedSide &side : kSides)
    if (!g_ascii_strcasecmp(side.name, resolution.c_str())) return side.shorter_side;
  const int lines = std::atoi(resolution.c_str());
  return lines > 0 ? lines : fallback;
}

void set_picture(const Model &model, const Json &request, ClipOrder &order) {
  int width = 0, height = 0;
  // A ratio in the request has precedence over the default of `size`.
  const bool by_size = request.find("size") || !request.find("aspect_ratio");
  const std::string size = by_size ? text_setting(model, request, "size") : "";
  if (std::sscanf(size.c_str(), "%dx%d", &width, &height) == 2 && width > 0 && height > 0) {
    order.width = even(width);
    order.height = even(height);
    return;
  }
  const double side =
      shorter_side(text_setting(model, request, "resolution"), order.image ? kImageSide : kShorterSide);
  double across = 0, down = 0;
  if (std::sscanf(text_setting(model, request, "aspect_ratio").c_str(), "%lf:%lf", &across, &down) != 2 ||
      !(across > 0) || !(down > 0)) {
    across = order.image ? 1 : 16;
    down = order.image ? 1 : 9;
  }
  order.width = even(across > down ? side * across / down : side);
  order.height = even(across > down ? side : side * down / across);
}

}  // namespace

const Json *effective_value(const Model &model, const Json &request, const char *name) {
  if (const Json *value = request.find(name)) return value;
  const Json *spec = model.field(name);
  if (!spec) return nullptr;
  if (const Json *value = spec->find("default")) return value;
  const Json *values = spec->find("values");
  return values && values->array() && !values->array()->empty() ? &values->array()->front() : nullptr;
}

ClipOrder clip_order(const Model &model, const Json &request) {
  ClipOrder order;
  order.image = model.image;
  order.prompt = *request.find("prompt")->string();
  set_picture(model, request, order);
  if (const Json *seed = request.find("seed"); seed && seed->integer()) order.seed = *seed->integer();
  if (order.image) return order;
  const Json *seconds = effective_value(model, request, "duration");
  const Json *least = model.field("duration") ? model.field("duration")->find("min") : nullptr;
  const double unset = std::max<double>(kSeconds, least ? least->number().value_or(0) : 0);
  order.seconds = static_cast<int>(
      std::clamp<double>(seconds ? seconds->number().value_or(unset) : unset, 1, kMostSeconds));
  const Json *audio = effective_value(model, request, "generate_audio");
  order.audio = audio && audio->boolean() && *audio->boolean();
  return order;
}

}  // namespace genclip::sim
