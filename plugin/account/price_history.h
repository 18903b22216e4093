// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What completed tasks have cost, by all that prices hang on. Estimates rest on it.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "plugin/account/ledger_entry.h"

namespace genclip {

// Requests that cost the same, as far as anybody can tell before they are paid.
struct PriceClass {
  std::string base_url;
  std::string model;
  std::optional<double> duration;  // s
  std::string resolution;
  std::string size;
  std::optional<bool> audio;
  std::string reference_kinds;  // The fields that have any, in the order of their names, separated by blanks.

  auto operator<=>(const PriceClass &) const = default;
};
// What the request leaves out has the default of the service's document, which is the same request.
PriceClass price_class_of(const ChargeFacts &facts);

// Keeps the latest kKept of each class. A plain value.
class PriceHistory {
 public:
  static constexpr size_t kKept = 20;
  struct Sample {
    uint64_t number;  // Which charge's; grows from one charge to the next.
    double amount;    // Credits.
  };
  using Classes = std::map<PriceClass, std::deque<Sample>>;

  // Adds a sample, or changes the one with that number. An amount of 0 takes it away: a clip that was free,
  // by a promotion or a mistake of the service, says nothing about what the next one costs, and an estimate
  // of 0 would fit into any budget.
  void put(const PriceClass &price_class, uint64_t number, double amount);

  const Classes &classes() const { return classes_; }

 private:
  Classes classes_;
};

}  // namespace genclip
