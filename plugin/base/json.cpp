// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/json.h"

#include <json-glib/json-glib.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "plugin/base/gref.h"
#include "plugin/base/json_tidy.h"
#include "plugin/base/json_writer.h"
#include "plugin/base/shown_text.h"

namespace genclip {
namespace {

// Where json-glib stood when it finished a node: the line that the node ends on.
using NodeLines = std::unordered_map<const JsonNode *, int>;

void note_member(JsonParser *parser, JsonObject *object, const char *name, gpointer lines) {
  (*static_cast<NodeLines *>(lines))[json_object_get_member(object, name)] =
      static_cast<int>(json_parser_get_current_line(parser));
}

// json-glib keeps the last member of a name.
struct Keys {
  std::set<std::pair<const JsonObject *, std::string>> seen;
  std::optional<std::string> twice;
  int line = 0;  // Of that.
};

void note_key(JsonParser *parser, JsonObject *object, const char *name, gpointer data) {
  auto &keys = *static_cast<Keys *>(data);
  if (keys.seen.emplace(object, name).second || keys.twice) return;
  keys.twice = name;
  keys.line = static_cast<int>(json_parser_get_current_line(parser));
}

void note_element(JsonParser *parser, JsonArray *array, int index, gpointer lines) {
  (*static_cast<NodeLines *>(lines))[json_array_get_element(array, static_cast<guint>(index))] =
      static_cast<int>(json_parser_get_current_line(parser));
}

}  // namespace

// Converts json-glib's tree; depth is bounded by the tidier before any recursion.
class JsonTree {
 public:
  static Json from(JsonNode *node, const NodeLines &lines) {
    Json json;
    if (const auto line = lines.find(node); line != lines.end()) json.line_ = line->second;
    switch (json_node_get_node_type(node)) {
      case JSON_NODE_NULL: break;
      case JSON_NODE_VALUE: json.value_ = scalar(node).value_; break;
      case JSON_NODE_ARRAY: {
        JsonArray *array = json_node_get_array(node);
        Json::Array elements;
        for (guint i = 0; i < json_array_get_length(array); ++i)
          elements.push_back(from(json_array_get_element(array, i), lines));
        json.value_ = std::move(elements);
        break;
      }
      case JSON_NODE_OBJECT: {
        JsonObjectIter iter;
        const char *name;
        JsonNode *member;
        Json::Object members;
        json_object_iter_init_ordered(&iter, json_node_get_object(node));
        while (json_object_iter_next_ordered(&iter, &name, &member))
          members.emplace_back(name, from(member, lines));
        json.value_ = std::move(members);
        break;
      }
    }
    return json;
  }

 private:
  static Json scalar(JsonNode *node) {
    switch (json_node_get_value_type(node)) {
      case G_TYPE_BOOLEAN: return Json(json_node_get_boolean(node) != FALSE);
      case G_TYPE_INT64: return Json(int64_t{json_node_get_int(node)});
      case G_TYPE_DOUBLE: {
        const double value = json_node_get_double(node);
        return std::isfinite(value) ? Json(value) : Json();
      }
      case G_TYPE_STRING: return Json(json_node_get_string(node));
      default: return Json();
    }
  }
};

namespace {

Error not_json(const std::string &why) { return {ErrorKind::failed, "This is not JSON: " + why}; }

Error another_value(const std::string &why) {
  return {ErrorKind::settings, "Programs read this JSON differently: " + why};
}

}  // namespace

Result<Json> Json::parse(std::string_view text, Lines lines, Reading reading) {
  const auto tidied = tidy_json(
      text, kMaxDepth, {reading != Reading::tolerant, reading == Reading::exact, lines == Lines::noted});
  if (!tidied) return not_json(tidied.error().text);

  auto parser = GRef<JsonParser>::adopt(json_parser_new());
  NodeLines node_lines;
  if (lines == Lines::noted) {
    g_signal_connect(parser.get(), "object-member", G_CALLBACK(note_member), &node_lines);
    g_signal_connect(parser.get(), "array-element", G_CALLBACK(note_element), &node_lines);
  }
  Keys keys;
  if (reading != Reading::tolerant)
    g_signal_connect(parser.get(), "object-member", G_CALLBACK(note_key), &keys);
  GErrorPtr error;
  if (!json_parser_load_from_data(parser.get(), tidied->text.data(), static_cast<gssize>(tidied->text.size()),
                                  take(error))) {
    // json-glib opens its texts with "<data>:LINE:COLUMN: ".
    std::string_view why = error->message;
    if (why.starts_with("<data>:")) why.remove_prefix(7);
    return not_json("line " + std::string(why));
  }
  JsonNode *root = json_parser_get_root(parser.get());
  const auto line = [&](int number) {
    return lines == Lines::noted ? "line " + std::to_string(number) + ": " : std::string();
  };
  if (!root) return not_json(line(1) + "it is empty.");
  if (!tidied->other.empty()) return another_value(tidied->other);
  if (keys.twice)
    return another_value(line(keys.line) + "it has the key \"" + shown_line(*keys.twice) + "\" twice.");
  return JsonTree::from(root, node_lines);
}

std::optional<double> Json::number() const {
  if (const auto *value = integer()) return static_cast<double>(*value);
  if (const auto *value = real()) return *value;
  return std::nullopt;
}

const Json *Json::find(std::string_view key) const {
  const Object *members = object();
  if (!members) return nullptr;
  const auto found = std::find_if(members->begin(), members->end(),
                                  [&](const Member &member) { return member.first == key; });
  return found == members->end() ? nullptr : &found->second;
}

Json *Json::find(std::string_view key) { return const_cast<Json *>(std::as_const(*this).find(key)); }

void Json::set(std::string_view key, Json value) {
  if (is_null()) value_ = Object{};
  if (Json *member = find(key))
    *member = std::move(value);
  else
    object()->emplace_back(key, std::move(value));
}

std::string Json::to_text() const { return write_json(*this, JsonLayout::line, JsonOrder::kept); }
std::string Json::to_pretty_text() const { return write_json(*this, JsonLayout::pretty, JsonOrder::kept); }
std::string Json::to_canonical_text() const { return write_json(*this, JsonLayout::line, JsonOrder::sorted); }

}  // namespace genclip
