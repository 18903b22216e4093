// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whatever a media server sends, and whenever the process dies, a stored clip is one version of it, byte for
// byte. GENCLIP_SPLICE_SCRIPTS says how many scripts are played, GENCLIP_SPLICE_SEED from which seed on.
#include <glib.h>
#include <gtest/gtest.h>

#include <cstring>

#include "plugin/generation/download.h"
#include "tests/generation/media_script.h"
#include "tests/support/fake_clock.h"

namespace genclip::test {
namespace {

// A file in memory, and how much of it a power cut leaves.
struct Content {
  std::string bytes;
  std::string synced;
};

// clip.part and the journal of a process that can die during any operation.
struct Disk {
  // The file never lacks bytes that the journal announces, because other processes read it.
  std::shared_ptr<Content> part = std::make_shared<Content>();
  std::shared_ptr<Content> removed;  // Its removal has not been synced.
  PartState journal;
  std::optional<unsigned> dies_at;
  unsigned operations = 0;
  unsigned boots = 1;

  bool is_dead() const { return dies_at && operations >= *dies_at; }
  // False: the process is dead.
  bool begin() {
    if (is_dead()) return false;
    ++operations;
    return !is_dead();
  }
  static Error dead() { return {ErrorKind::cancelled, "The process is dead."}; }

  void revive(bool power_cut, bool keeps_length) {
    dies_at.reset();
    operations = 0;
    if (power_cut) {
      ++boots;
      if (removed) part = removed;
      if (!part) part = std::make_shared<Content>();
      const size_t size = part->bytes.size();
      part->bytes = part->synced;
      if (keeps_length) part->bytes.resize(std::max(size, part->bytes.size()), '\0');
    }
    removed.reset();
    if (!part) part = std::make_shared<Content>();
  }
};

class MemoryFile final : public File {
 public:
  MemoryFile(Disk &disk, std::shared_ptr<Content> content) : disk_(disk), content_(std::move(content)) {}

  Result<size_t> read_at(uint64_t offset, std::span<std::byte> target) override {
    if (disk_.is_dead()) return Disk::dead();
    const std::string &bytes = content_->bytes;
    if (offset >= bytes.size()) return size_t{0};
    const size_t count = std::min(target.size(), bytes.size() - static_cast<size_t>(offset));
    std::memcpy(target.data(), bytes.data() + offset, count);
    return count;
  }
  Result<void> write_at(uint64_t offset, std::span<const std::byte> source) override {
    if (disk_.is_dead()) return Disk::dead();
    const bool lives = disk_.begin();
    const std::string added(reinterpret_cast<const char *>(source.data()), source.size() / (lives ? 1 : 2));
    std::string &bytes = content_->bytes;
    if (bytes.size() < offset + added.size()) bytes.resize(static_cast<size_t>(offset) + added.size());
    bytes.replace(static_cast<size_t>(offset), added.size(), added);
    return lives ? Result<void>() : Disk::dead();
  }
  Result<uint64_t> size() override { return uint64_t{content_->bytes.size()}; }
  Result<void> truncate(uint64_t size) override {
    if (!disk_.begin()) return Disk::dead();
    content_->bytes.resize(static_cast<size_t>(size));
    return {};
  }
  Result<void> sync() override {
    if (!disk_.begin()) return Disk::dead();
    content_->synced = content_->bytes;
    return {};
  }

 private:
  Disk &disk_;
  const std::shared_ptr<Content> content_;
};

class Player {
 public:
  explicit Player(const MediaScript &script) : script_(script), http_(clock_) {}

  // True: a clip was stored.
  bool play(const ScriptedRun &run, bool is_honest) {
    size_t next = 0;
    std::string was_read;
    GrowingClip clip;
    disk_.dies_at = run.killed_at;
    http_.otherwise([&](const HttpRequest &request) {
      ++requests_;
      if (run.reads) was_read = read_some(clip);
      if (is_honest) return script_.answer(script_.honest(), request);
      return next < run.steps.size() ? script_.answer(run.steps[next++], request) : not_sent();
    });
    Download::Hooks hooks;
    hooks.fresh_urls = [](std::optional<Clock::Time>) {
      return Result<std::vector<ResultUrl>>(
          std::vector<ResultUrl>{{"video_url", "https://media.example/fresh"}});
    };
    hooks.checkpoint = [this](const PartState &part) -> Result<void> { return note(part); };
    hooks.begin_file = [this](const PartState &part) { return replace_part(part); };
    const RetryPolicy retries(run.retries, [] { return 0.5; });
    Download download(http_, clock_, retries,
                      {std::chrono::seconds(30), 1 << 30, "", "boot-" + std::to_string(disk_.boots)},
                      std::move(hooks), std::make_shared<MemoryFile>(disk_, disk_.part), clip);
    const auto done = download.run({{"video_url", "https://media.example/clip"}}, disk_.journal, nullptr);
    const bool is_whole = done.has_value() && !disk_.is_dead();
    if (is_whole) {
      const std::string bytes = disk_.part->bytes;
      EXPECT_EQ(bytes.size(), download.size());
      EXPECT_TRUE(script_.is_a_version(bytes)) << "What is stored is no version of the clip.";
      EXPECT_TRUE(bytes.starts_with(was_read)) << "What was read is not what is stored.";
    }
    disk_.revive(run.power_cut, run.reads);
    return is_whole && !run.dies_before_commit;
  }

  unsigned requests() const { return requests_; }

 private:
  Result<void> note(const PartState &part) {
    if (!disk_.begin()) return Disk::dead();
    disk_.journal = part;
    disk_.removed.reset();  // One folder, one sync.
    return {};
  }

  Result<std::shared_ptr<File>> replace_part(const PartState &part) {
    if (!disk_.begin()) return Disk::dead();
    disk_.removed = std::move(disk_.part);
    disk_.part.reset();
    if (auto noted = note(part); !noted) return std::move(noted).error();
    if (!disk_.begin()) return Disk::dead();
    disk_.part = std::make_shared<Content>();
    return std::shared_ptr<File>(std::make_shared<MemoryFile>(disk_, disk_.part));
  }

  static std::string read_some(GrowingClip &clip) {
    if (!clip.size()) return "";
    const Interrupt never;
    const auto ready = clip.wait(0, *clip.size(), true, Interrupt::Watch(never));
    if (!ready) return "";
    std::string bytes(ready->available, '\0');
    const auto count = clip.read(0, std::as_writable_bytes(std::span(bytes)));
    bytes.resize(count ? *count : 0);
    return bytes;
  }

  const MediaScript &script_;
  FakeClock clock_;
  FakeHttpClient http_;
  Disk disk_;
  unsigned requests_ = 0;
};

unsigned number_of(const char *variable, unsigned usual) {
  const char *set = g_getenv(variable);
  return set ? static_cast<unsigned>(g_ascii_strtoull(set, nullptr, 10)) : usual;
}

TEST(Splice, WhateverTheServerDoesAStoredClipIsOneOfItsVersions) {
  const unsigned first = number_of("GENCLIP_SPLICE_SEED", 1);
  const unsigned count = number_of("GENCLIP_SPLICE_SCRIPTS", 1000);
  unsigned amid = 0, requests = 0;
  for (unsigned seed = first; seed < first + count; ++seed) {
    const MediaScript script(seed);
    SCOPED_TRACE(script.text());
    Player player(script);
    bool is_stored = false;
    for (const ScriptedRun &run : script.runs)
      if (is_stored = player.play(run, false); is_stored) break;
    amid += is_stored;
    // From here on the server is honest.
    ScriptedRun honest;
    honest.retries = 5;
    for (int runs = 0; runs < 3 && !is_stored; ++runs) is_stored = player.play(honest, true);
    EXPECT_TRUE(is_stored) << "An honest server's clip did not come.";
    requests += player.requests();
    EXPECT_LT(player.requests(), 300u) << "It hardly ends.";
    if (testing::Test::HasFailure()) break;
  }
  RecordProperty("scripts", static_cast<int>(count));
  // Otherwise the scripts were not useful.
  EXPECT_GT(amid, count / 20) << "few scripts end with a clip before the server is honest";
  EXPECT_GT(requests, count * 3);
}

}  // namespace
}  // namespace genclip::test
