// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One generation after the other over a fake service, a clock that jumps and files that can be lost; no
// threads.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "plugin/catalog/catalog.h"
#include "plugin/catalog/check_request.h"
#include "plugin/catalog/run_settings.h"
#include "plugin/generation/clip_work.h"
#include "plugin/generation/generation.h"
#include "plugin/store/store_lock.h"
#include "tests/generation/fake_service.h"
#include "tests/support/acting_clock.h"
#include "tests/support/fake_clock.h"
#include "tests/support/give_up.h"
#include "tests/support/lossy_file_system.h"
#include "tests/support/sample_clip.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {

// Bytes that a resumed download requests again for comparison.
constexpr size_t kSeam = 4096;

class KeptWarnings final : public GenerationObserver {
 public:
  void on_change(const GenerationState &state) override { states.push_back(state); }
  void on_warning(const Error &warning) override { warnings.push_back(warning.text); }

  std::vector<GenerationState> states;
  std::vector<std::string> warnings;
};

struct Outcome {
  std::optional<Error> error;
  GenerationState state;
  std::vector<GenerationState> states;
  std::vector<std::string> warnings;
  std::string bytes;        // As a reader gets them; empty after an error.
  size_t operations = 0;    // Of the file system since its last crash.
  uint64_t bytes_read = 0;  // Of files, by the run itself.
  std::shared_ptr<Generation> generation;

  std::string text() const { return error ? error->text : ""; }
};

inline CheckedRequest sample_request(const std::string &prompt = "a storm") {
  ClipRequest request;
  request.model = "dance-2.5";
  request.fields.set("prompt", prompt);
  auto checked = check_request(*Catalog::built_in(), request);
  if (!checked) give_up(problems_text(checked.error()));
  return std::move(checked).value();
}

// Keeps failures short: they do not print both texts.
inline testing::AssertionResult are_same(const std::string &bytes, const std::string &clip) {
  if (bytes == clip) return testing::AssertionSuccess();
  const auto differ = std::mismatch(bytes.begin(), bytes.end(), clip.begin(), clip.end());
  return testing::AssertionFailure() << bytes.size() << " bytes instead of " << clip.size()
                                     << ", different from " << differ.first - bytes.begin() << " on";
}

inline std::string read_all(GrowingClip &clip) {
  const auto size = clip.size();
  std::string bytes(size.value_or(0), '\0');
  const auto count = clip.read(0, std::as_writable_bytes(std::span(bytes)));
  bytes.resize(count ? *count : 0);
  return bytes;
}

// One store and one service.
class World {
 public:
  World() : http_(std::make_shared<FakeHttpClient>(clock_)), files_(folder_.path()) { use(service_); }

  void use(FakeService &service) {
    http_->otherwise([&service](const HttpRequest &request) { return service(request); });
  }

  GenerationJob job() const {
    GenerationJob job;
    job.request = sample_request();
    job.model = job.request->model();
    job.endpoint.base_url = "https://api.example";
    job.endpoint.api_key = {"key"};
    job.identity = {job.endpoint.base_url, "tasks", job.request->body(), 0};
    job.store = folder_.path() + "/stores/store";
    const RunSettings usual;
    job.poll_interval = std::chrono::milliseconds(usual.poll_interval_ms);
    job.timeout = std::chrono::seconds(usual.timeout_s);
    job.retries = usual.retries;
    return job;
  }
  GenerationServices services() { return {http_, &clock_, &files_, "boot-" + std::to_string(boot_)}; }
  ClipPath path() const { return ClipPath(job().store, job().identity.digest()); }

  Outcome run(GenerationJob job) {
    Outcome run;
    const auto observer = std::make_shared<KeptWarnings>();
    run.generation = std::make_shared<Generation>(std::move(job), services());
    static_cast<void>(run.generation->join(observer));
    const uint64_t read_before = files_.bytes_read();
    const auto done = ClipWork(*run.generation).run();
    if (!done) run.error = done.error();
    run.state = run.generation->state();
    run.states = observer->states;
    run.warnings = observer->warnings;
    run.operations = files_.operations();
    run.bytes_read = files_.bytes_read() - read_before;
    if (done) run.bytes = read_all(run.generation->clip());
    return run;
  }
  Outcome run() { return run(job()); }

  // A generation gives up its lock on another thread.
  void wait_until_unused(const GenerationJob &job) const {
    const ClipPath path(job.store, job.identity.digest());
    for (;;) {
      const auto use = StoreLock::try_lock(path.use());
      if (!use || *use) return;
      std::this_thread::yield();
    }
  }
  // A power cut is another boot.
  void crash(Loss loss) {
    files_.crash(loss);
    if (loss != Loss::nothing) ++boot_;
  }

  std::optional<ClipRecord> record() {
    auto found = ClipFolder(FileSystem::posix(), path()).look();
    return found ? std::optional<ClipRecord>(std::move(found).value()) : std::nullopt;
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  std::shared_ptr<FakeHttpClient> http_;
  LossyFileSystem files_;
  int boot_ = 1;
  FakeService service_{sample_mp4(200'000)};
};

class WorkTest : public testing::Test, protected World {};

}  // namespace genclip::test
