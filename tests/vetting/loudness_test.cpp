// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Loudness and true peak are those of ITU-R BS.1770-4: of the signals of EBU Tech 3341, whose values are
// known, and of others as ffmpeg measures them.
#include "plugin/vetting/loudness.h"

#include <glib.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

#include "plugin/base/gref.h"
#include "tests/support/marks.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"
#include "tests/vetting/vetted.h"

namespace genclip {
namespace {

constexpr double kRate = LoudnessMeter::kRate;

using Sound = std::vector<float>;  // Interleaved stereo.

double amplitude(double db) { return std::pow(10, db / 20); }

void append_sine(Sound &sound, double seconds, double dbfs, double frequency = 1000, double phase = 0) {
  const auto count = static_cast<size_t>(std::lround(seconds * kRate));
  const size_t before = sound.size();
  sound.resize(before + 2 * count);
  float *to = sound.data() + before;
  const double peak = amplitude(dbfs), step = 2 * std::numbers::pi * frequency / kRate;
  for (size_t i = 0; i < count; ++i, to += 2)
    to[0] = to[1] = static_cast<float>(peak * std::sin(step * static_cast<double>(i) + phase));
}

Loudness measured(const Sound &sound, size_t piece = SIZE_MAX) {
  LoudnessMeter meter;
  for (size_t at = 0; at < sound.size(); at += std::min(piece, sound.size() - at))
    meter.add(std::span(sound).subspan(at, std::min(piece, sound.size() - at)));
  return meter.measure();
}

struct Step {
  double seconds, dbfs;
};

// EBU Tech 3341, table 1: sines of 1 kHz in both channels.
double lufs_of(std::initializer_list<Step> steps) {
  Sound sound;
  for (const Step &step : steps) append_sine(sound, step.seconds, step.dbfs);
  return measured(sound).lufs.value_or(0);
}

TEST(Loudness, IsThatOfEbuTech3341) {
  EXPECT_NEAR(lufs_of({{20, -23}}), -23, 0.1) << "case 1";
  EXPECT_NEAR(lufs_of({{20, -33}}), -33, 0.1) << "case 2";
  if (test::kIsSanitized) return;  // It takes a multiple of the time.
  EXPECT_NEAR(lufs_of({{10, -36}, {60, -23}, {10, -36}}), -23, 0.1) << "case 3: the relative gate";
  EXPECT_NEAR(lufs_of({{10, -72}, {10, -36}, {60, -23}, {10, -36}, {10, -72}}), -23, 0.1)
      << "case 4: both gates";
  EXPECT_NEAR(lufs_of({{20, -26}, {20.1, -20}, {20, -26}}), -23, 0.1) << "case 5";
}

TEST(Loudness, DoesNotDependOnThePiecesInWhichTheSoundComes) {
  Sound sound;
  append_sine(sound, 1.234, -20, 440);
  append_sine(sound, 1, -30, 3000);
  const Loudness whole = measured(sound);
  for (const size_t piece : {2, 254, 9602, 20000}) {
    const Loudness pieces = measured(sound, piece);
    EXPECT_EQ(pieces.lufs, whole.lufs) << piece;
    EXPECT_EQ(pieces.true_peak_db, whole.true_peak_db) << piece;
  }
}

TEST(Loudness, OfSilenceIsNone) {
  EXPECT_FALSE(measured({}).lufs);
  EXPECT_FALSE(measured(Sound(96000)).lufs);
  EXPECT_EQ(measured(Sound(96000)).true_peak_db, -std::numeric_limits<double>::infinity());
  Sound faint;
  append_sine(faint, 2, -75);
  EXPECT_FALSE(measured(faint).lufs) << "below the absolute gate";
}

TEST(Loudness, OfAShortSoundIsThatOfTheWhole) {
  Sound sound;
  append_sine(sound, 0.25, -23);
  EXPECT_NEAR(measured(sound).lufs.value_or(0), -23, 0.3);
  append_sine(sound, 0.149, -23);
  EXPECT_NEAR(measured(sound).lufs.value_or(0), -23, 0.3);
}

TEST(Loudness, OfAPartIsThatOfThePart) {
  Sound sound;
  append_sine(sound, 5, -40);
  append_sine(sound, 5, -20);
  LoudnessMeter meter;
  meter.add(sound);
  EXPECT_EQ(meter.size(), 480000u);
  EXPECT_NEAR(meter.measure(0, 240000).lufs.value_or(0), -40, 0.1);
  EXPECT_NEAR(meter.measure(0, 240000).true_peak_db, -40, 0.1);
  EXPECT_NEAR(meter.measure(240000).lufs.value_or(0), -20, 0.1);
  EXPECT_FALSE(meter.measure(480000).lufs);
  EXPECT_FALSE(meter.measure(300000, 200000).lufs);
}

// The gain is for all of the part, also for what lies between two of the measurement's steps.
TEST(TruePeak, OfAPartIsThatOfItsFirstAndLastSamplesToo) {
  Sound sound;
  append_sine(sound, 3, -40);
  const auto peak_with_click_at = [&](size_t pair) {
    Sound clicked = sound;
    clicked[2 * pair] = 0.5F;
    LoudnessMeter meter;
    meter.add(clicked);
    return meter.measure(50000, 100000).true_peak_db;
  };
  EXPECT_NEAR(peak_with_click_at(50100), -6, 0.2) << "the next step begins at 52800";
  EXPECT_NEAR(peak_with_click_at(99900), -6, 0.2) << "the last one ended at 96000";
  EXPECT_NEAR(peak_with_click_at(40000), -40, 0.2);
  EXPECT_NEAR(peak_with_click_at(110000), -40, 0.2);
}

TEST(Loudness, SurvivesAnySamples) {
  Sound sound;
  append_sine(sound, 2, -23);
  sound[1000] = std::nanf("");
  sound[2001] = std::numeric_limits<float>::infinity();
  EXPECT_NEAR(measured(sound).lufs.value_or(0), -23, 0.1);
}

TEST(TruePeak, IsFoundBetweenSamples) {
  // EBU Tech 3341, cases 15 to 19: sines whose peaks lie between samples. +0.2 / -0.4 dB are allowed.
  const struct { double part, phase; } cases[] = {{4, 0}, {4, 45}, {6, 60}, {8, 67.5}};
  for (const auto &[part, phase] : cases) {
    Sound sound;
    append_sine(sound, 1, -6, kRate / part, phase * std::numbers::pi / 180);
    // A step at the beginning would have a higher peak.
    for (size_t i = 0; i < 4800; ++i) sound[i] *= static_cast<float>(i) / 4800;
    for (size_t i = 0; i < 4800; ++i) sound[sound.size() - 1 - i] *= static_cast<float>(i) / 4800;
    const double peak = measured(sound).true_peak_db;
    EXPECT_LE(peak, -6 + 0.2) << "fs/" << part << ", " << phase << " degrees";
    EXPECT_GE(peak, -6 - 0.4) << "fs/" << part << ", " << phase << " degrees";
  }
}

TEST(TruePeak, IsFoundAtTheVeryEnd) {
  Sound sound(20000);
  sound[19998] = sound[19999] = 0.5F;
  EXPECT_NEAR(measured(sound).true_peak_db, -6.02, 0.1);
}

// What ffmpeg says.
struct Reference {
  double lufs = 0, true_peak = 0;
};
Reference reference(const std::string &input, const std::string &more = "") {
  const std::string line = "ffmpeg -nostdin -nostats -hide_banner " + input +
                           " -vn -af ebur128=peak=true:framelog=verbose" + more + " -f null -";
  char *said = nullptr;
  GErrorPtr error;
  EXPECT_TRUE(g_spawn_command_line_sync(line.c_str(), nullptr, &said, nullptr, take(error)));
  const GStringPtr text(said);
  Reference found;
  if (const char *at = std::strstr(said, "    I:")) found.lufs = g_ascii_strtod(at + 6, nullptr);
  if (const char *at = std::strstr(said, "    Peak:")) found.true_peak = g_ascii_strtod(at + 9, nullptr);
  EXPECT_NE(found.lufs, 0) << said;
  return found;
}

void expect_as_reference(const Sound &sound, const char *what) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("sound");
  test::write_bytes(path,
                    std::string(reinterpret_cast<const char *>(sound.data()), sound.size() * sizeof(float)));
  const Reference theirs = reference("-f f32le -ar 48000 -ac 2 -i " + path);
  const Loudness ours = measured(sound);
  ASSERT_TRUE(ours.lufs) << what;
  // ffmpeg prints one decimal.
  EXPECT_NEAR(*ours.lufs, theirs.lufs, 0.1) << what;
  EXPECT_NEAR(ours.true_peak_db, theirs.true_peak, 0.2) << what;
}

TEST(Loudness, AgreesWithFfmpeg) {
  const GStringPtr ffmpeg(g_find_program_in_path("ffmpeg"));
  if (!ffmpeg) GTEST_SKIP() << "ffmpeg is not installed.";
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0, 0.1F);

  Sound white;
  for (int i = 0; i < 480000; ++i) white.push_back(std::clamp(noise(random), -1.0F, 1.0F));
  expect_as_reference(white, "white noise, both channels of their own");

  Sound left;
  for (int i = 0; i < 240000; ++i) left.insert(left.end(), {noise(random), 0});
  expect_as_reference(left, "one channel");

  Sound low, high;
  append_sine(low, 4, -12, 60);
  expect_as_reference(low, "60 Hz");
  append_sine(high, 4, -12, 11987, 0.7);
  // Filters differ in how they follow a step.
  for (size_t i = 0; i < 9600; ++i)
    for (float *sample : {&high[i], &high[high.size() - 1 - i]}) *sample *= static_cast<float>(i) / 9600;
  expect_as_reference(high, "12 kHz");

  // Words and pauses, and 40 dB of dynamics.
  Sound speech;
  for (int word = 0; word < 60; ++word) {
    const double level = -50 + 40.0 * ((word * 7) % 11) / 10;
    for (int i = 0; i < 12000 + word * 97; ++i) {
      const auto sample = static_cast<float>(amplitude(level)) * noise(random) * 10;
      speech.insert(speech.end(), {std::clamp(sample, -1.0F, 1.0F), std::clamp(sample * 0.7F, -1.0F, 1.0F)});
    }
    append_sine(speech, 0.2, -80, 100);
  }
  expect_as_reference(speech, "words and pauses");

  Sound clipped;
  append_sine(clipped, 3, 6, 997);
  for (float &sample : clipped) sample = std::clamp(sample, -1.0F, 1.0F);
  expect_as_reference(clipped, "clipped");
}

TEST(Loudness, OfFilesAgreesWithFfmpeg) {
  const GStringPtr ffmpeg(g_find_program_in_path("ffmpeg"));
  if (!ffmpeg) GTEST_SKIP() << "ffmpeg is not installed.";
  const test::TemporaryFolder folder;
  const std::string path = folder.file("film.mkv");
  const struct {
    test::MarkedMedia media;
    const char *more;
  } films[] = {
      {{.muxer = "matroskamux", .tone = -40}, ""},
      {{.frames = 150, .muxer = "matroskamux", .tone = -12}, ""},
      // It will leave on two channels.
      {{.muxer = "matroskamux", .audio = "flacenc", .audio_delay = 0, .channels = 1}, ":dualmono=true"},
      {{.muxer = "matroskamux", .audio = "audioresample ! audio/x-raw,rate=44100 ! vorbisenc"}, ""},
  };
  for (const auto &[media, more] : films) {
    test::make_marked_media(path, media);
    const auto vetted = test::vet_clip(path);
    ASSERT_EQ(test::reason(vetted), "fit");
    const Reference theirs = reference("-i " + path, more);
    EXPECT_NEAR(vetted->lufs, theirs.lufs, 0.1) << media.audio << " " << media.tone;
    EXPECT_NEAR(vetted->true_peak_db, theirs.true_peak, 0.2) << media.audio << " " << media.tone;
  }
}

}  // namespace
}  // namespace genclip
