// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/cross_field_rules.h"

#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

std::vector<std::string> set_ones(const std::vector<std::string> &fields, const Json &body) {
  std::vector<std::string> set;
  for (const std::string &field : fields)
    if (body.find(field)) set.push_back(field);
  return set;
}

std::string reason(const Rule &rule) { return rule.note.empty() ? "." : ": " + rule.note + "."; }

}  // namespace

std::vector<Problem> rule_problems(const ModelSpec &spec, const Json &body) {
  std::vector<Problem> problems;
  for (const Rule &rule : spec.rules) {
    const auto fields = set_ones(rule.fields, body);
    const auto others = set_ones(rule.others, body);
    switch (rule.kind) {
      case Rule::Kind::conflict:
        if (fields.size() > 1)
          problems.push_back({fields[1], both(fields) + " conflict on " + spec.id +
                                             "; give only one of them" + reason(rule)});
        break;
      case Rule::Kind::needs:
        if (!fields.empty() && others.empty())
          problems.push_back({fields[0], both(fields) + (fields.size() == 1 ? " needs " : " need ") +
                                             either(rule.others) + " beside it on " + spec.id +
                                             reason(rule)});
        break;
      case Rule::Kind::exclusive:
        if (!fields.empty() && !others.empty())
          problems.push_back({others[0], both(fields) + " cannot be mixed with " + both(others) + " on " +
                                             spec.id + reason(rule)});
        break;
      case Rule::Kind::not_longer_than: break;
    }
  }
  return problems;
}

std::string rule_text(const Rule &rule) {
  switch (rule.kind) {
    case Rule::Kind::conflict: return both(rule.fields) + " conflict" + reason(rule);
    case Rule::Kind::needs: return either(rule.fields) + " needs " + either(rule.others) + reason(rule);
    case Rule::Kind::exclusive:
      return either(rule.fields) + " cannot be mixed with " + either(rule.others) + reason(rule);
    case Rule::Kind::not_longer_than:
      return both(rule.fields) + " must not be longer than " + both(rule.others) + reason(rule);
  }
  return "";
}

}  // namespace genclip
