// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/json_path.h"

#include <algorithm>

namespace genclip::sim {
namespace {

constexpr std::string_view kMarks = ".[]";

// Takes "[0]" off the front of the path.
std::optional<size_t> take_index(std::string_view &path) {
  if (path.size() < 3 || path[0] != '[' || path[1] < '0' || path[1] > '9' || path[2] != ']')
    return std::nullopt;
  const auto index = static_cast<size_t>(path[1] - '0');
  path.remove_prefix(3);
  return index;
}

// Removes the first name from the path, with the dot before it, and returns it. Empty if the path begins
// with no name.
std::string_view take_name(std::string_view &path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  const std::string_view name = path.substr(0, path.find_first_of(kMarks));
  path.remove_prefix(name.size());
  return name;
}

}  // namespace

bool is_json_path(std::string_view path) {
  if (path.starts_with('.')) return false;
  do {
    if (take_name(path).empty()) return false;
    while (take_index(path)) {
    }
  } while (path.starts_with('.'));
  return path.empty();
}

void set_at(Json &root, std::string_view path, Json value) {
  Json *at = &root;
  while (!path.empty()) {
    if (const auto index = take_index(path)) {
      if (!at->array()) *at = Json::Array();
      at->array()->resize(std::max(at->array()->size(), *index + 1));
      at = &(*at->array())[*index];
      continue;
    }
    const std::string_view name = take_name(path);
    if (!at->object()) *at = Json::Object();
    if (!at->find(name)) at->set(name, nullptr);
    at = at->find(name);
  }
  *at = std::move(value);
}

}  // namespace genclip::sim
