// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Weights are chosen so that most scripts get far enough to have something to splice.
#include "tests/generation/media_script.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "tests/generation/fake_service.h"
#include "tests/support/sample_clip.h"

namespace genclip::test {
namespace {

constexpr size_t kHead = 56;  // Of a sample clip: what is before its noise.
constexpr const char *kReplies[] = {"clip",    "blind-part",  "whole", "416",  "412",
                                    "refused", "bad-request", "busy",  "page", "gone"};
constexpr const char *kMarks[] = {"honest", "weak", "none", "constant", "random"};
constexpr const char *kLabels[] = {"right",        "one-late", "one-early", "shifted",
                                   "longer-total", "no-total", "nonsense",  "none"};
constexpr const char *kFramings[] = {"length", "chunks", "connection"};

template <typename Enum, size_t kCount>
const char *word(const char *const (&words)[kCount], Enum value) {
  return words[static_cast<size_t>(value)];
}

std::string tag_of(const Step &step) {
  const std::string own = "version-" + std::to_string(step.version);
  switch (step.tag) {
    case Mark::honest: return "\"" + own + "\"";
    case Mark::weak: return "W/\"" + own + "\"";
    case Mark::none: return "";
    case Mark::constant: return "\"for-ever\"";
    case Mark::random: return "\"salt-" + std::to_string(step.salt) + "\"";
  }
  return "";
}

// A date has no weak form of its own.
std::string date_of(const Step &step) {
  const auto at = [](unsigned minute) {
    return "Sun, 22 Nov 2026 06:" + std::to_string(10 + minute % 50) + ":00 GMT";
  };
  switch (step.date) {
    case Mark::honest:
    case Mark::weak: return at(step.version);
    case Mark::none: return "";
    case Mark::constant: return at(9);
    case Mark::random: return at(10 + step.salt);
  }
  return "";
}

std::string content_range(const Step &step, size_t first, size_t count, size_t total) {
  const auto range = [](size_t from, size_t length, const std::string &whole) {
    return "bytes " + std::to_string(from) + "-" + std::to_string(from + length - 1) + "/" + whole;
  };
  switch (step.label) {
    case Label::one_late:  // These two are told as they are.
    case Label::one_early:
    case Label::right: return range(first, count, std::to_string(total));
    case Label::shifted: return range(first + 1 + step.salt % 100, count, std::to_string(total + 200));
    case Label::longer_total: return range(first, count, std::to_string(total + 1 + step.salt % 1000));
    case Label::no_total: return range(first, count, "*");
    case Label::nonsense: return "bytes of all kinds";
    case Label::none: return "";
  }
  return "";
}

}  // namespace

MediaScript::MediaScript(unsigned chosen) : seed(chosen), random_(chosen) {
  trust = one_in(3) ? Trust::tagged : Trust::distinct;
  const size_t size = one_in(6) ? 100 + below(6000) : 18'000 + below(60'000);
  versions.push_back(sample_mp4(size, seed * 3));
  for (unsigned i = 1; i < 3; ++i) {
    const size_t length = one_in(2) ? size : size - 40 + below(3000);
    if (trust == Trust::distinct) {
      versions.push_back(sample_mp4(length, seed * 3 + i));
      continue;
    }
    std::string patched = versions.front();
    for (size_t patches = 1 + below(3); patches > 0; --patches) {
      char &byte = patched[kHead + below(patched.size() - kHead)];
      byte = static_cast<char>(byte + static_cast<char>(i));
    }
    versions.push_back(std::move(patched));
  }
  unsigned version = 0;
  runs.resize(1 + below(5));
  for (ScriptedRun &run : runs) {
    for (size_t steps = 1 + below(5); steps > 0; --steps) {
      if (one_in(3)) version = static_cast<unsigned>(below(3));
      run.steps.push_back(random_step(version));
    }
    run.retries = static_cast<unsigned>(below(4));
    if (one_in(3)) run.killed_at = static_cast<unsigned>(1 + below(30));
    run.power_cut = one_in(4);
    run.dies_before_commit = one_in(4);
    run.reads = one_in(4);
  }
}

Step MediaScript::random_step(unsigned version) {
  const auto one_of = [this](auto... values) {
    const std::array choices{values...};
    return choices[below(choices.size())];
  };
  Step step;
  step.version = version;
  step.salt = static_cast<unsigned>(below(1000));
  step.reply = one_in(2) ? Reply::clip
                         : one_of(Reply::clip, Reply::blind_part, Reply::blind_part, Reply::blind_part,
                                  Reply::whole, Reply::unsatisfied, Reply::failed_condition, Reply::refused,
                                  Reply::bad_request, Reply::busy, Reply::page, Reply::gone);
  step.tag = one_of(Mark::honest, Mark::honest, Mark::weak, Mark::none, Mark::constant, Mark::random);
  step.date = one_of(Mark::honest, Mark::none, Mark::none, Mark::constant, Mark::random);
  if (trust == Trust::tagged) {  // One of the two is always there and true; which, the script decides.
    (seed % 2 == 0 ? step.tag : step.date) = seed % 4 == 0 ? Mark::weak : Mark::honest;
    if (seed % 2 != 0) step.tag = Mark::none;
  }
  if (one_in(3))
    step.label = one_of(Label::one_late, Label::one_early, Label::shifted, Label::longer_total,
                        Label::no_total, Label::nonsense, Label::none);
  step.framing = one_of(Framing::length, Framing::length, Framing::chunks, Framing::connection);
  if (!one_in(4)) step.cut = one_in(3) ? below(5000) : below(versions[version].size());
  if (one_in(5)) step.limit = 1 + below(20'000);
  step.max_read = one_of(size_t{100}, size_t{1000}, size_t{7000}, size_t{65536});
  return step;
}

Step MediaScript::honest() const {
  Step step;
  step.version = runs.back().steps.back().version;
  if (trust == Trust::tagged && seed % 2 != 0) step.tag = Mark::none;
  return step;
}

FakeAnswer MediaScript::answer(const Step &step, const HttpRequest &request) const {
  const std::string &clip = versions[step.version];
  HttpHeaders headers;
  const std::string tag = tag_of(step);
  const std::string date = date_of(step);
  if (!tag.empty()) headers.emplace_back("ETag", tag);
  if (!date.empty()) headers.emplace_back("Last-Modified", date);
  switch (step.reply) {
    case Reply::unsatisfied:
      headers.emplace_back("Content-Range",
                           "bytes */" + std::to_string(step.salt % 2 == 0 ? clip.size() : clip.size() / 2));
      return test::answer(416, "", std::move(headers));
    case Reply::failed_condition: return test::answer(412, "", std::move(headers));
    case Reply::refused: return test::answer(step.salt % 2 == 0 ? 403 : 404, "");
    case Reply::bad_request: return test::answer(400, "");
    case Reply::busy: return test::answer(503, "");
    case Reply::gone: return step.salt % 2 == 0 ? not_sent() : lost();
    case Reply::page: {
      const std::string page = "<html><body>" + std::string(step.salt, ' ') + "Sorry</body></html>";
      HttpHeaders page_headers = {{"Content-Length", std::to_string(page.size())}};
      if (step.salt % 2 == 0) page_headers.emplace_back("Content-Type", "text/html");
      return test::answer(200, page, std::move(page_headers));
    }
    case Reply::clip:
    case Reply::blind_part:
    case Reply::whole: break;
  }
  const std::string range = header_of(request, "Range");
  const std::string condition = header_of(request, "If-Range");
  const bool holds = condition.empty() || (!tag.starts_with("W/") && condition == tag) || condition == date;
  bool is_part = !range.empty() && step.reply != Reply::whole && (holds || step.reply == Reply::blind_part);
  size_t first = is_part ? std::stoull(range.substr(std::string("bytes=").size())) : 0;
  if (is_part && step.label == Label::one_late) ++first;
  if (is_part && step.label == Label::one_early && first > 0) --first;
  if (first >= clip.size()) {
    headers.emplace_back("Content-Range", "bytes */" + std::to_string(clip.size()));
    return test::answer(416, "", std::move(headers));
  }
  std::string body = clip.substr(first);
  if (is_part && step.limit) body.resize(std::min(body.size(), *step.limit));
  if (is_part)
    if (std::string label = content_range(step, first, body.size(), clip.size()); !label.empty())
      headers.emplace_back("Content-Range", std::move(label));
  if (step.framing == Framing::length) headers.emplace_back("Content-Length", std::to_string(body.size()));
  if (step.framing == Framing::chunks) headers.emplace_back("Transfer-Encoding", "chunked");
  const size_t size = body.size();
  FakeAnswer given = test::answer(is_part ? 206 : 200, std::move(body), std::move(headers));
  given.max_read = step.max_read;
  if (!step.cut || *step.cut >= size) return given;
  if (step.framing == Framing::connection) {  // A cut looks like the end.
    given.reply.body.resize(*step.cut);
    return given;
  }
  return cut_after(std::move(given), *step.cut);
}

bool MediaScript::is_a_version(const std::string &bytes) const {
  return std::find(versions.begin(), versions.end(), bytes) != versions.end();
}

std::string MediaScript::text() const {
  std::ostringstream text;
  text << "seed " << seed << ", " << (trust == Trust::tagged ? "tagged" : "distinct") << " versions of";
  for (const std::string &version : versions) text << " " << version.size();
  text << " bytes\n";
  for (const ScriptedRun &run : runs) {
    text << "run: retries " << run.retries;
    if (run.killed_at) text << ", killed at " << *run.killed_at;
    text << (run.power_cut ? ", power cut" : "") << (run.dies_before_commit ? ", dies before commit" : "")
         << (run.reads ? ", reads" : "") << "\n";
    for (const Step &step : run.steps) {
      text << "  version " << step.version << ", " << word(kReplies, step.reply) << ", tag "
           << word(kMarks, step.tag) << ", date " << word(kMarks, step.date) << ", label "
           << word(kLabels, step.label) << ", framing " << word(kFramings, step.framing) << ", reads of "
           << step.max_read << ", salt " << step.salt;
      if (step.cut) text << ", cut at " << *step.cut;
      if (step.limit) text << ", at most " << *step.limit;
      text << "\n";
    }
  }
  return std::move(text).str();
}

}  // namespace genclip::test
