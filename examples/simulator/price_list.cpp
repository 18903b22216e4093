// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/price_list.h"

#include <glib.h>

#include <algorithm>
#include <cmath>

#include "examples/simulator/strict_json.h"
#include "plugin/base/durable_file.h"
#include "plugin/base/file_system.h"

namespace genclip::sim {
namespace {

constexpr size_t kMostPriceBytes = 1 << 20;
constexpr double kMostCredits = 1e9;

bool same_word(const std::string &a, const std::string &b) {
  return g_ascii_strcasecmp(a.c_str(), b.c_str()) == 0;
}

Error mistake(const std::string &what) { return {ErrorKind::settings, what}; }

// The first member with another name, as a complaint; empty: there is none.
std::string unknown_member(const Json &object, std::initializer_list<const char *> names) {
  std::string all;
  for (const char *name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  for (const auto &[name, value] : *object.object())
    if (std::find(names.begin(), names.end(), name) == names.end())
      return "there is no member \"" + name + "\"; the members are " + all + ".";
  return "";
}

// What is wrong with that resolution of that model; empty: nothing.
std::string resolution_problem(const Model &model, const std::string &resolution) {
  std::string known;
  for (const char *name : {"resolution", "size"}) {
    const Json *spec = model.field(name);
    const Json *values = spec ? spec->find("values") : nullptr;
    if (!values || !values->array()) continue;
    for (const Json &value : *values->array()) {
      if (!value.string()) continue;
      if (same_word(*value.string(), resolution)) return "";
      known += (known.empty() ? "" : ", ") + *value.string();
    }
  }
  if (known.empty()) return "";
  return model.id + " has no resolution \"" + resolution + "\"; it has " + known + ".";
}

// Any prices will do if they depend on the request and are always the same.
double built_in_price(const ClipOrder &order) {
  const double megapixels = order.width * order.height / 1e6;
  const double credits = order.image ? 1 + megapixels : order.seconds * (1 + megapixels);
  return std::ceil(credits * 4) / 4;
}

}  // namespace

bool PriceList::Row::fits(const PricedTask &task) const {
  // An image has no seconds.
  if (task.order.image && (duration || is_per_second)) return false;
  return (!model || *model == task.model) && (!resolution || same_word(*resolution, task.resolution)) &&
         (!duration || *duration == task.order.seconds);
}

double PriceList::price(const PricedTask &task) const {
  const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row &one) { return one.fits(task); });
  if (row == rows_.end()) return built_in_price(task.order);
  return row->is_per_second ? row->credits * task.order.seconds : row->credits;
}

Result<PriceList::Row> PriceList::read_row(const Json &json, const ModelBook &models) {
  if (!json.object()) return mistake("an object is expected.");
  const auto unknown = unknown_member(json, {"model", "duration", "resolution", "amount", "per_second"});
  if (!unknown.empty()) return mistake(unknown);
  Row row;
  const Model *model = nullptr;
  if (const Json *id = json.find("model")) {
    model = id->string() ? models.find(*id->string()) : nullptr;
    if (!model) return mistake("model: there is no model " + id->to_text() + ".");
    row.model = model->id;
  }
  if (const Json *seconds = json.find("duration")) {
    row.duration = seconds->number();
    if (!row.duration || !(*row.duration > 0))
      return mistake("duration must be a number of seconds above 0.");
    if (model && model->image) return mistake("duration: " + model->id + " makes images.");
  }
  if (const Json *resolution = json.find("resolution")) {
    if (!resolution->string() || resolution->string()->empty())
      return mistake("resolution must be a text such as \"720p\".");
    row.resolution = *resolution->string();
    const auto problem = model ? resolution_problem(*model, *row.resolution) : "";
    if (!problem.empty()) return mistake("resolution: " + problem);
  }
  const Json *amount = json.find("amount"), *per_second = json.find("per_second");
  if (!amount == !per_second) return mistake("either amount or per_second is needed.");
  row.is_per_second = per_second;
  const auto credits = (amount ? amount : per_second)->number();
  if (!credits || !(*credits >= 0 && *credits <= kMostCredits))
    return mistake(std::string(amount ? "amount" : "per_second") + " must be a number from 0 to 1e9.");
  if (per_second && model && model->image) return mistake("per_second: " + model->id + " makes images.");
  row.credits = *credits;
  return row;
}

Result<PriceList> PriceList::load(const std::string &file, const ModelBook &models) {
  const auto wrong = [&](const std::string &what) { return mistake(file + ": " + what); };
  const auto text = read_whole(FileSystem::posix(), file, kMostPriceBytes);
  if (!text) return text.error();
  const auto json = parse_strictly(*text);
  if (!json) return wrong(json.error().text + ".");
  if (!json->object()) return wrong("an object is expected.");
  if (const auto unknown = unknown_member(*json, {"charge_failures", "prices"}); !unknown.empty())
    return wrong(unknown);

  PriceList list;
  if (const Json *failures = json->find("charge_failures")) {
    if (!failures->boolean()) return wrong("charge_failures must be true or false.");
    list.charges_failures_ = *failures->boolean();
  }
  const Json *prices = json->find("prices");
  if (!prices || !prices->array()) return wrong("prices must be an array.");
  for (const Json &price : *prices->array()) {
    auto row = read_row(price, models);
    if (!row) return wrong("price " + std::to_string(list.rows_.size() + 1) + ": " + row.error().text);
    list.rows_.push_back(std::move(*row));
  }
  return list;
}

}  // namespace genclip::sim
