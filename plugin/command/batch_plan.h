// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All rows of a batch, validated and priced before the first of them is paid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugin/account/estimate.h"
#include "plugin/catalog/catalog.h"
#include "plugin/catalog/run_settings.h"
#include "plugin/command/batch_request.h"
#include "plugin/generation/clip_plan.h"

namespace genclip {

struct PlannedClip {
  BatchClip clip;
  ClipPlan plan;
  std::string key;           // That of the clip's folder.
  bool is_paid = false;      // Its clip is stored, or its task exists.
  bool may_be_paid = false;  // An earlier submit got no answer, or the service lost its task.
  bool is_left_out = false;  // Because of that, and of on-unknown=fail.
  std::optional<Estimate> estimate;
  std::vector<std::string> links;  // Keys of the clips that it needs: stored, or made and paid before it.
  // The row before with the same request, which is paid once.
  std::optional<size_t> same_as;
  // Where the clip goes; empty: only into the store.
  std::string output;
  bool lacks_extension = false;  // `output` gets that of the clip.
};

struct BatchPlan {
  std::vector<PlannedClip> clips;
  std::vector<BatchProblem> problems;  // By line. With any, nothing may be paid.

  // Of what is yet to pay: clips, those that others begin with among them. One that several rows need counts
  // once.
  std::optional<Estimate> total;  // Of those whose price is known; none: there are none.
  size_t to_pay = 0;
  size_t unknown = 0;       // Of these: whose price is unknown.
  bool leaves_out = false;  // What may be paid: on-unknown is fail.
};

// Files and folders of a batch; each may be empty.
struct BatchPlaces {
  std::string input;       // The file of the rows, which no row may overwrite.
  std::string output_dir;  // Where a row's clip goes that names no other place.
};

// Reads the store and its ledger, and the files that requests refer to. `run.dry_run`: needs neither key nor
// address. Blocks for the disk.
BatchPlan plan_batch(const Catalog &catalog, const BatchRows &rows, const std::vector<BatchCell> &defaults,
                     const RunSettings &run, const BatchPlaces &places);
// The same for requests that stand in no table. Their clips go into the store only. `problems`: those of
// requests that are none.
BatchPlan plan_clips(const Catalog &catalog, std::vector<BatchClip> clips, std::vector<BatchProblem> problems,
                     const RunSettings &run);

}  // namespace genclip
