// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/batch_request.h"

#include <glib.h>

#include <algorithm>
#include <set>

#include "plugin/catalog/check_request.h"
#include "plugin/catalog/request_builder.h"
#include "plugin/catalog/wording.h"
#include "plugin/command/output_pattern.h"
#include "plugin/command/request_words.h"

namespace genclip {
namespace {

constexpr RequestPlace kRowPlace{
    "The row",
    "A key does not belong in a batch; set it with the option --api-key-file or in the environment variable "
    "GENCLIP_API_KEY_FILE or GENCLIP_API_KEY."};

constexpr size_t kLineDigits = 3;

struct OwnColumn {
  std::string_view name;
  std::string BatchClip::*value;
};
// What does not belong to the request.
constexpr OwnColumn kOwnColumns[] = {
    {"name", &BatchClip::name}, {"output", &BatchClip::output}, {"project", &BatchClip::project}};

// A spreadsheet begins names with a capital letter.
bool is_same_column(std::string_view name, std::string_view given) {
  return std::ranges::equal(name, given, {}, {}, g_ascii_tolower);
}

const OwnColumn *own_column(const std::string &name) {
  const auto *found =
      std::find_if(std::begin(kOwnColumns), std::end(kOwnColumns),
                   [&](const OwnColumn &column) { return is_same_column(column.name, name); });
  return found == std::end(kOwnColumns) ? nullptr : found;
}

Error row_error(std::string text) { return {ErrorKind::settings, std::move(text)}; }

std::string text_of(const Json &value) { return value.string() ? *value.string() : value.to_text(); }

const BatchCell *cell_named(const std::vector<BatchCell> &cells, std::string_view name) {
  const auto found = std::find_if(cells.begin(), cells.end(),
                                  [&](const BatchCell &cell) { return is_same_column(name, cell.name); });
  return found == cells.end() ? nullptr : &*found;
}

std::string numbered_name(unsigned line) {
  std::string name = std::to_string(line);
  return std::string(kLineDigits - std::min(kLineDigits, name.size()), '0') + name;
}

// One row on its way.
class RowReader {
 public:
  RowReader(const Catalog &catalog, std::string model)
      : catalog_(catalog), spec_(catalog.find(model)), builder_(catalog, std::move(model), kRowPlace) {}

  // Adds all but those that `except` names.
  void add(const std::vector<BatchCell> &cells, const std::set<std::string> &except) {
    for (const BatchCell &cell : cells) {
      if (is_same_column("model", cell.name)) continue;
      const OwnColumn *own = own_column(cell.name);
      const std::string field = own ? std::string(own->name) : field_name(catalog_, spec_.get(), cell.name);
      if (except.contains(field)) continue;
      const bool is_again = !given_.insert(field).second;
      if (own) {
        if (is_again) builder_.add_problem(field, "The row gives " + field + " twice.");
        clip_.*own->value = text_of(cell.value);
      } else if (is_to_be_typed(cell, field)) {
        builder_.add(field, *cell.value.string());
      } else {
        builder_.add_typed(field, cell.value);
      }
    }
  }

  const std::set<std::string> &given() const { return given_; }

  Result<BatchClip> finish(unsigned line) && {
    ReadRequest read = std::move(builder_).finish();
    if (!read.problems.empty()) {
      // Whether references can be published is for the batch, once its rows can be read.
      const auto refused = check_read_request(catalog_, read, {.publishes = true, .is_service_public = true});
      return row_error(problems_text(refused.error()));
    }
    clip_.line = line;
    if (clip_.name.empty()) clip_.name = numbered_name(line);
    clip_.request = std::move(read.request);
    return std::move(clip_);
  }

 private:
  // A string of JSON is one, where the field does not tell otherwise: "duration": "5" is the number.
  bool is_to_be_typed(const BatchCell &cell, const std::string &field) const {
    if (!cell.value.string()) return false;
    const FieldType type = type_of_field(catalog_, spec_.get(), field);
    return !cell.is_typed || (type != FieldType::any && type != FieldType::array);
  }

  const Catalog &catalog_;
  const std::shared_ptr<const ModelSpec> spec_;
  RequestBuilder builder_;
  std::set<std::string> given_;
  BatchClip clip_;
};

}  // namespace

Result<std::vector<BatchCell>, std::string> read_batch_defaults(const Words &words) {
  std::vector<BatchCell> cells;
  for (const std::string &word : words) {
    const size_t sign = word.find('=');
    const std::string name = sign == word.npos ? "model" : word.substr(0, sign);
    if (sign == word.npos && &word != &words.front())
      return "The word " + quoted(word) + " is not of the form FIELD=VALUE; quote values that hold blanks.";
    if (name.empty()) return "The word " + quoted(word) + " names no field.";
    const std::string value = word.substr(sign == word.npos ? 0 : sign + 1);
    if (name == "name" || (name == "output" && !is_output_pattern(value)))
      return name +
             " differs from row to row, so it is a column of the file. For a folder of files there is "
             "the option --output-dir, and a pattern such as output={name}-{take}.mp4 names them.";
    if (name == "model" && cell_named(cells, name)) return std::string("The model is given twice.");
    cells.push_back({name, value});
  }
  return cells;
}

Result<BatchClip> batch_clip_of(const Catalog &catalog, const BatchRow &row,
                                const std::vector<BatchCell> &defaults) {
  const BatchCell *model = cell_named(row.cells, "model");
  if (!model) model = cell_named(defaults, "model");
  if (!model)
    return row_error(
        "A Model ID is missing. Add a column \"model\", or name the model for all rows behind the file.");
  RowReader reader(catalog, text_of(model->value));
  reader.add(row.cells, {});
  const std::set<std::string> given = reader.given();
  reader.add(defaults, given);
  return std::move(reader).finish(row.line);
}

}  // namespace genclip
