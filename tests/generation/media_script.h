// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A media server that follows a random script: which version of the clip it sends, how, and with which false
// headers. It has three versions of one clip. It may lie about everything by which a client could detect
// another version: tags and dates may be missing, weak, the same for all versions or new with each answer;
// If-Range may be ignored, a part may begin elsewhere than it says. It never does two things that no client
// could detect: mix two versions in one body, or claim with consistent headers that a clip ends too early.
// There are two kinds of scripts; each has one thing that a client can trust:
// - `distinct`: the versions differ everywhere, as two encodings of a video do. All headers may lie.
// - `tagged`: the versions differ in a few bytes anywhere, which no comparison of a seam shows. Each body
// comes with the
//   tag or the date of its version, and these differ; all else may lie.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/fake_http_client.h"

namespace genclip::test {

enum class Trust { distinct, tagged };
// How a tag or a date is sent.
enum class Mark { honest, weak, none, constant, random };
enum class Reply {
  clip,
  blind_part,
  whole,
  unsatisfied,
  failed_condition,
  refused,
  bad_request,
  busy,
  page,
  gone
};
// Of a part: what its Content-Range says.
enum class Label { right, one_late, one_early, shifted, longer_total, no_total, nonsense, none };
enum class Framing { length, chunks, connection };

struct Step {
  unsigned version = 0;
  Reply reply = Reply::clip;
  Mark tag = Mark::honest;
  Mark date = Mark::honest;
  Label label = Label::right;
  Framing framing = Framing::length;
  std::optional<size_t> cut;    // After so many bytes of the body, at most.
  std::optional<size_t> limit;  // Parts have at most so many bytes.
  size_t max_read = 65536;
  unsigned salt = 0;  // What random marks are made of.
};

// One process: it ends after the last step, when it is killed, or when the download fails.
struct ScriptedRun {
  std::vector<Step> steps;
  unsigned retries = 0;
  std::optional<unsigned> killed_at;  // The operation on the disk amid which the process dies.
  bool power_cut = false;             // Then, or at its end.
  bool dies_before_commit = false;    // Whole, but nobody gets to note it.
  bool reads = false;                 // Somebody reads what there is, between two answers.
};

struct MediaScript {
  explicit MediaScript(unsigned seed);

  FakeAnswer answer(const Step &step, const HttpRequest &request) const;
  // The last version with true headers, sent at the end.
  Step honest() const;
  bool is_a_version(const std::string &bytes) const;
  std::string text() const;

  unsigned seed;
  Trust trust = Trust::distinct;
  std::vector<std::string> versions;
  std::vector<ScriptedRun> runs;

 private:
  Step random_step(unsigned version);
  size_t below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  bool one_in(size_t count) { return below(count) == 0; }

  std::mt19937 random_;
};

}  // namespace genclip::test
