// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The models as the service knows them, from the plugin's data file, which code of the simulator's own reads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plugin/base/json.h"

namespace genclip::sim {

struct Model {
  std::string id;
  bool image = false;
  bool open = false;
  bool assets = false;
  std::vector<std::string> apis;
  // Each field's object, completed by the members that all models share.
  Json::Object fields;
  Json::Array rules;

  const Json *field(std::string_view name) const;
};

class ModelBook {
 public:
  // The built-in data, then these files in their order.
  static Result<ModelBook> load(const std::vector<std::string> &files);

  const Model *find(const std::string &id) const;
  // The members of a field that all models share; null for an unknown field.
  const Json *common_field(std::string_view name) const { return common_.find(name); }
  // The legacy API's limits on a field; null when it has none.
  const Json *legacy_field(std::string_view name) const { return legacy_.find(name); }
  // The canonical name of a field.
  std::string canonical(const std::string &name) const;

 private:
  Result<void> add(const Json &document, const std::string &origin);

  Json common_ = Json::Object();
  Json legacy_ = Json::Object();
  Json aliases_ = Json::Object();
  std::map<std::string, Json> sources_;
  std::map<std::string, Model> models_;
};

}  // namespace genclip::sim
