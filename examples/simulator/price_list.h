// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What each task costs: by a file (docs/simulator.md, Prices), and without one by seconds and size.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "examples/simulator/clip_order.h"
#include "examples/simulator/model_book.h"

namespace genclip::sim {

// What a price depends on.
struct PricedTask {
  std::string model;
  std::string resolution;  // Or the size, as in the request or the model's default; empty: neither.
  ClipOrder order;
};

class PriceList {
 public:
  // The list without a file.
  PriceList() = default;
  // An error names the file, the price and what is wrong with it.
  static Result<PriceList> load(const std::string &file, const ModelBook &models);

  // Credits, if the task completes.
  double price(const PricedTask &task) const;
  // Whether a task that failed costs its price too; otherwise it costs nothing.
  bool charges_failures() const { return charges_failures_; }

 private:
  // What is unset fits every task.
  struct Row {
    std::optional<std::string> model;
    std::optional<std::string> resolution;
    std::optional<double> duration;  // s
    double credits = 0;
    bool is_per_second = false;

    bool fits(const PricedTask &task) const;
  };

  static Result<Row> read_row(const Json &json, const ModelBook &models);

  bool charges_failures_ = false;
  std::vector<Row> rows_;
};

}  // namespace genclip::sim
