// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Every media rule of §2.3 and §2.4, below, at and above each bound; the table is written from the document.
#include "plugin/task/media_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/media_check/media_request.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t kMegabyte = 1000000;

MediaFacts good(MediaKind kind) {
  MediaFacts facts;
  facts.bytes = 1000;
  switch (kind) {
    case MediaKind::image:
      facts.media_type = "image/png";
      facts.width = 1024;
      facts.height = 1024;
      break;
    case MediaKind::video:
      facts.media_type = "video/mp4";
      facts.width = 1280;
      facts.height = 720;
      facts.duration = 5;
      facts.frame_rate = 30;
      break;
    case MediaKind::audio:
      facts.media_type = "audio/wav";
      facts.duration = 5;
      break;
  }
  facts.has_picture = kind != MediaKind::audio;
  facts.has_sound = kind != MediaKind::image;
  return facts;
}

// A request with the tested `field`, and the other fields that the model requires.
MediaFields fields_about(const std::string &model, const std::string &field) {
  MediaFields fields{{field, {"https://media.example/it"}}};
  const std::vector<std::string> other = {"https://media.example/other"};
  if (field == "reference_audios") fields["reference_images"] = other;
  if (field == "last_image") fields["first_image"] = other;
  if (model == "wave2.7-i2v") {
    fields.try_emplace("first_image", other);
    fields.try_emplace("last_image", other);
  }
  return fields;
}

std::vector<MediaFinding> findings_of(const CheckedRequest &request, const std::string &field,
                                      const std::function<void(MediaFacts &)> &change) {
  std::vector<MediaFinding> findings;
  for (const MediaReference &reference : request.media()) {
    MediaFinding finding{&reference, good(*reference.kind)};
    if (reference.field == field) change(finding.facts);
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<std::string> texts(const std::vector<Problem> &problems) {
  std::vector<std::string> texts;
  for (const Problem &problem : problems) texts.push_back(problem.text);
  return texts;
}

using Set = void (*)(MediaFacts &, double);

void type(MediaFacts &, double) {}
void bytes(MediaFacts &facts, double value) { facts.bytes = static_cast<uint64_t>(value); }
void width(MediaFacts &facts, double value) {
  facts.width = value;
  facts.height = value;
}
void height_alone(MediaFacts &facts, double value) { facts.height = value; }
void width_alone(MediaFacts &facts, double value) { facts.width = value; }
// Of a picture 1000 high.
void ratio(MediaFacts &facts, double value) {
  facts.width = value * 1000;
  facts.height = 1000;
}
void duration(MediaFacts &facts, double value) { facts.duration = value; }
void frame_rate(MediaFacts &facts, double value) { facts.frame_rate = value; }

struct Case {
  const char *model;
  const char *field;
  const char *media_type;  // "" leaves the good one
  Set set;
  double value;
  const char *problem;  // "" when all is well
};

constexpr double kMB = kMegabyte;

// clang-format off
const Case kCases[] = {
    // §2.4, images
    {"sd_2.0_special", "reference_images", "image/jpeg", type, 0, ""},
    {"sd_2.0_special", "reference_images", "image/png", type, 0, ""},
    {"sd_2.0_special", "reference_images", "image/webp", type, 0, ""},
    {"sd_2.0_special", "reference_images", "image/bmp", type, 0, ""},
    {"sd_2.0_special", "reference_images", "image/tiff", type, 0, ""},
    {"sd_2.0_special", "reference_images", "image/gif", type, 0, ""},
    {"sd_2.0_special", "reference_images", "image/heic", type, 0, ""},
    {"sd_2.0_special", "reference_images", "image/heif", type, 0, ""},
    {"sd_2.0_special", "reference_images", "image/avif", type, 0, "avif"},
    {"sd_2.0_special", "reference_images", "image/svg+xml", type, 0, "image/svg+xml"},
    {"sd_2.0_special", "reference_images", "text/html", type, 0, "text/html"},
    {"sd_2.0_special", "reference_images", "video/mp4", type, 0, "not image data"},
    {"sd_2.0_special", "reference_images", "", bytes, 30 * kMB - 1, ""},
    {"sd_2.0_special", "reference_images", "", bytes, 30 * kMB, "has 30 MB; sd_2.0_special takes below 30"},
    {"sd_2.0_special", "reference_images", "", bytes, 30 * kMB + 1, "30.000001 MB"},
    {"sd_2.0_special", "reference_images", "", width, 299, "299 pixels wide"},
    {"sd_2.0_special", "reference_images", "", width, 300, "300 pixels wide"},
    {"sd_2.0_special", "reference_images", "", width, 301, ""},
    {"sd_2.0_special", "reference_images", "", width, 5999, ""},
    {"sd_2.0_special", "reference_images", "", width, 6000, "6000 pixels wide"},
    {"sd_2.0_special", "reference_images", "", width, 6001, "6001 pixels high"},
    {"sd_2.0_special", "reference_images", "", ratio, 0.399, "0.399"},
    {"sd_2.0_special", "reference_images", "", ratio, 0.4, "width / height of 0.4;"},
    {"sd_2.0_special", "reference_images", "", ratio, 0.401, ""},
    {"sd_2.0_special", "reference_images", "", ratio, 2.499, ""},
    {"sd_2.0_special", "reference_images", "", ratio, 2.5, "width / height of 2.5;"},
    {"sd_2.0_special", "reference_images", "", ratio, 2.501, "2.501"},
    {"sd_2.0_special", "first_image", "", bytes, 30 * kMB, "first_image has 30 MB"},
    {"sd_2.0_special", "first_image", "image/avif", type, 0, "first_image is avif"},
    {"sd_2.0_special", "last_image", "", width, 300, "last_image is 300 pixels wide"},
    {"sd_2.0_fast_discount", "reference_images", "", bytes, 30 * kMB, "30 MB"},
    // §2.4, videos
    {"sd_2.0_special", "reference_videos", "video/mp4", type, 0, ""},
    {"sd_2.0_special", "reference_videos", "video/quicktime", type, 0, ""},
    {"sd_2.0_special", "reference_videos", "video/webm", type, 0, "is webm; sd_2.0_special takes mp4 or mov"},
    {"sd_2.0_special", "reference_videos", "audio/mpeg", type, 0, "not video data"},
    {"sd_2.0_special", "reference_videos", "image/gif", type, 0, "not video data"},
    {"sd_2.0_special", "reference_videos", "", bytes, 50 * kMB - 1, ""},
    {"sd_2.0_special", "reference_videos", "", bytes, 50 * kMB, "50 MB"},
    {"sd_2.0_special", "reference_videos", "", duration, 1.999, "lasts 1.999 seconds"},
    {"sd_2.0_special", "reference_videos", "", duration, 2, ""},
    {"sd_2.0_special", "reference_videos", "", duration, 15, ""},
    {"sd_2.0_special", "reference_videos", "", duration, 15.001, "lasts 15.001 seconds"},
    {"sd_2.0_special", "reference_videos", "", frame_rate, 23.976, "has 23.976 frames a second"},
    {"sd_2.0_special", "reference_videos", "", frame_rate, 24, ""},
    {"sd_2.0_special", "reference_videos", "", frame_rate, 60, ""},
    {"sd_2.0_special", "reference_videos", "", frame_rate, 60.01, "60.01 frames"},
    {"sd_2.0_fast_discount", "reference_videos", "", frame_rate, 61, "61 frames"},
    // §2.4, audio
    {"sd_2.0_special", "reference_audios", "audio/wav", type, 0, ""},
    {"sd_2.0_special", "reference_audios", "audio/mpeg", type, 0, ""},
    {"sd_2.0_special", "reference_audios", "audio/ogg", type, 0, "is ogg"},
    {"sd_2.0_special", "reference_audios", "audio/mp4", type, 0, "is m4a"},
    {"sd_2.0_special", "reference_audios", "", bytes, 15 * kMB - 1, ""},
    {"sd_2.0_special", "reference_audios", "", bytes, 15 * kMB, "15 MB"},
    {"sd_2.0_special", "reference_audios", "", duration, 1.99, "1.99 seconds"},
    {"sd_2.0_special", "reference_audios", "", duration, 2, ""},
    {"sd_2.0_special", "reference_audios", "", duration, 15, ""},
    {"sd_2.0_special", "reference_audios", "", duration, 15.01, "15.01 seconds"},
    // mini-h3
    {"mini-h3", "reference_audios", "audio/mpeg", type, 0, ""},
    {"mini-h3", "reference_audios", "audio/wav", type, 0, ""},
    {"mini-h3", "reference_audios", "audio/x-m4a", type, 0, ""},
    {"mini-h3", "reference_audios", "audio/aac", type, 0, ""},
    {"mini-h3", "reference_audios", "application/ogg", type, 0, ""},
    {"mini-h3", "reference_audios", "audio/webm", type, 0, ""},
    {"mini-h3", "reference_audios", "audio/flac", type, 0, ""},  // "and similar"
    {"mini-h3", "reference_audios", "image/png", type, 0, "not audio data"},
    {"mini-h3", "reference_audios", "", bytes, 15 * kMB, ""},
    {"mini-h3", "reference_audios", "", bytes, 15 * kMB + 1, "15.000001 MB"},
    {"mini-h3", "reference_audios", "", duration, 1.9, "1.9 seconds"},
    {"mini-h3", "reference_audios", "", duration, 2, ""},
    {"mini-h3", "reference_audios", "", duration, 15, ""},
    {"mini-h3", "reference_audios", "", duration, 15.1, "15.1 seconds"},
    {"mini-h3", "reference_images", "", width, 10, ""},  // no rule is shown
    // wave2.7-i2v and horse-1.0-i2v, first_image
    {"wave2.7-i2v", "first_image", "image/jpeg", type, 0, ""},
    {"wave2.7-i2v", "first_image", "image/png", type, 0, ""},
    {"wave2.7-i2v", "first_image", "image/webp", type, 0, ""},
    {"wave2.7-i2v", "first_image", "image/gif", type, 0, "is gif; wave2.7-i2v takes jpeg, png or webp"},
    {"wave2.7-i2v", "first_image", "", width, 299, "299 pixels wide"},
    {"wave2.7-i2v", "first_image", "", width, 300, ""},
    {"wave2.7-i2v", "first_image", "", width, 20000, ""},
    {"wave2.7-i2v", "first_image", "", height_alone, 299, "299 pixels high"},
    {"wave2.7-i2v", "first_image", "", width_alone, 299, "299 pixels wide"},
    {"wave2.7-i2v", "first_image", "", ratio, 0.399, "0.399"},
    {"wave2.7-i2v", "first_image", "", ratio, 0.4, ""},
    {"wave2.7-i2v", "first_image", "", ratio, 2.5, ""},
    {"wave2.7-i2v", "first_image", "", ratio, 2.501, "2.501"},
    {"wave2.7-i2v", "first_image", "", bytes, 20 * kMB, ""},
    {"wave2.7-i2v", "first_image", "", bytes, 20 * kMB + 1, "20.000001 MB"},
    {"wave2.7-i2v", "last_image", "image/gif", type, 0, ""},  // no rule is shown
    {"horse-1.0-i2v", "first_image", "image/gif", type, 0, "is gif"},
    {"horse-1.0-i2v", "first_image", "", width, 299, "299"},
    {"horse-1.0-i2v", "first_image", "", width, 300, ""},
    {"horse-1.0-i2v", "first_image", "", bytes, 20 * kMB + 1, "20.000001 MB"},
    {"horse-1.0-i2v", "first_image", "", ratio, 2.501, "2.501"},
    // wave2.7-videoedit
    {"wave2.7-videoedit", "reference_videos", "", duration, 2.999, "2.999 seconds"},
    {"wave2.7-videoedit", "reference_videos", "", duration, 3, ""},
    {"wave2.7-videoedit", "reference_videos", "video/webm", type, 0, ""},  // no formats are shown
    // dance-2.5
    {"dance-2.5", "reference_videos", "", duration, 30, ""},
    {"dance-2.5", "reference_videos", "", duration, 30.1, "together last 30.1 seconds"},
};
// clang-format on

class MediaVerdict : public testing::TestWithParam<Case> {};

TEST_P(MediaVerdict, IsThatOfTheDocument) {
  const Case &that = GetParam();
  const auto request = media_request(that.model, fields_about(that.model, that.field));
  const auto findings = findings_of(request, that.field, [&](MediaFacts &facts) {
    if (*that.media_type) facts.media_type = that.media_type;
    that.set(facts, that.value);
  });
  const auto problems = texts(media_problems(request, findings));
  SCOPED_TRACE(std::string(that.model) + " " + that.field + " " + that.media_type + " " +
               std::to_string(that.value));
  if (!*that.problem)
    EXPECT_THAT(problems, IsEmpty());
  else
    EXPECT_THAT(problems, testing::Contains(HasSubstr(that.problem)));
}

INSTANTIATE_TEST_SUITE_P(EachRule, MediaVerdict, testing::ValuesIn(kCases));

TEST(MediaVerdict, CountsTheSecondsOfAllReferencesTogether) {
  const auto request = media_request(
      "sd_2.0_special",
      {{"reference_videos", {"https://m.example/1", "https://m.example/2", "https://m.example/3"}},
       {"reference_audios", {"https://m.example/4", "https://m.example/5"}}});
  const auto all_of = [](double seconds) { return [=](MediaFacts &facts) { facts.duration = seconds; }; };
  EXPECT_THAT(media_problems(request, findings_of(request, "reference_videos", all_of(5))), IsEmpty());
  EXPECT_THAT(
      texts(media_problems(request, findings_of(request, "reference_videos", all_of(5.1)))),
      testing::ElementsAre("reference_videos together last 15.3 seconds; sd_2.0_special takes at most 15."));
  EXPECT_THAT(
      texts(media_problems(request, findings_of(request, "reference_audios", all_of(7.6)))),
      testing::ElementsAre("reference_audios together last 15.2 seconds; sd_2.0_special takes at most 15."));
}

TEST(MediaVerdict, RefusesAnEditLongerThanItsMaterial) {
  const MediaFields fields{{"reference_videos", {"https://m.example/1"}}};
  const auto longer = media_request("wave2.7-videoedit", fields, 6);
  EXPECT_THAT(texts(media_problems(longer, findings_of(longer, "", [](MediaFacts &) {}))),
              testing::ElementsAre(HasSubstr("duration is 6, but reference_videos lasts 5 seconds")));
  const auto as_long = media_request("wave2.7-videoedit", fields, 5);
  EXPECT_THAT(media_problems(as_long, findings_of(as_long, "", [](MediaFacts &) {})), IsEmpty());
  const auto unsaid = media_request("wave2.7-videoedit", fields);
  EXPECT_THAT(media_problems(unsaid, findings_of(unsaid, "", [](MediaFacts &) {})), IsEmpty());
}

TEST(MediaVerdict, CallsAMeasureThatARuleNeedsAndNobodyKnowsAProblem) {
  struct Unknown {
    const char *model, *field;
    void (*forget)(MediaFacts &);
    const char *text;
  };
  const Unknown unknown[] = {
      {"sd_2.0_special", "reference_images", [](MediaFacts &f) { f.width.reset(); },
       "has a width that cannot be determined"},
      {"sd_2.0_special", "reference_images", [](MediaFacts &f) { f.width.reset(); },
       "has a frame size that cannot"},
      {"sd_2.0_special", "reference_images", [](MediaFacts &f) { f.bytes.reset(); },
       "has a size that cannot be determined"},
      {"sd_2.0_special", "reference_videos", [](MediaFacts &f) { f.duration.reset(); },
       "has a duration that cannot"},
      {"sd_2.0_special", "reference_videos", [](MediaFacts &f) { f.frame_rate.reset(); },
       "has a frame rate that"},
      {"sd_2.0_special", "reference_videos", [](MediaFacts &f) { f.media_type.clear(); },
       "is not a known kind of media file"},
      {"dance-2.5", "reference_videos", [](MediaFacts &f) { f.duration.reset(); },
       "has a duration that cannot"},
      {"wave2.7-videoedit", "reference_videos", [](MediaFacts &f) { f.duration.reset(); },
       "has a duration that"},
  };
  for (const Unknown &that : unknown) {
    const auto request = media_request(that.model, fields_about(that.model, that.field));
    EXPECT_THAT(texts(media_problems(request, findings_of(request, that.field, that.forget))),
                testing::Contains(HasSubstr(that.text)))
        << that.model << " " << that.field;
  }
}

TEST(MediaVerdict, JudgesByHeadersWhatHeadersTell) {
  const auto request = media_request("sd_2.0_special", {{"reference_images", {"https://m.example/1"}}});
  const auto problems = [&](const std::function<void(MediaFacts &)> &change) {
    auto findings = findings_of(request, "reference_images", change);
    for (MediaFinding &finding : findings) {
      finding.facts.width.reset();
      finding.facts.height.reset();
      finding.facts.has_picture.reset();
      finding.facts.has_sound.reset();
      finding.depth = MediaCheck::headers;
    }
    return texts(media_problems(request, findings));
  };
  EXPECT_THAT(problems([](MediaFacts &) {}), IsEmpty());
  EXPECT_THAT(problems([](MediaFacts &facts) { facts.bytes = 30 * kMegabyte; }),
              testing::ElementsAre(HasSubstr("30 MB")));
  EXPECT_THAT(problems([](MediaFacts &facts) { facts.media_type.clear(); }),
              testing::ElementsAre(HasSubstr("check-media=full")));
}

TEST(MediaVerdict, AddsUpOnlyMediaThatWereAllExamined) {
  const auto request =
      media_request("sd_2.0_special", {{"reference_videos", {"https://m.example/1", "https://m.example/2"}}});
  auto findings = findings_of(request, "reference_videos", [](MediaFacts &facts) { facts.duration = 14; });
  const auto too_long = testing::Contains(HasSubstr("reference_videos together last 28 seconds"));
  EXPECT_THAT(texts(media_problems(request, findings)), too_long);

  auto mixed = findings;
  mixed[0].depth = MediaCheck::headers;
  mixed[0].facts.duration.reset();
  EXPECT_THAT(texts(media_problems(request, mixed)), IsEmpty()) << "one by its headers only";

  findings.pop_back();
  EXPECT_THAT(texts(media_problems(request, findings)), IsEmpty()) << "one was not checked at all";

  mixed[1].facts.duration = 16;
  EXPECT_THAT(texts(media_problems(request, mixed)),
              testing::Contains("reference_videos together last at least 16 seconds; sd_2.0_special takes at "
                                "most 15."))
      << "too long already";
}

// What the model takes of clips that are not generated yet.
struct Expectation {
  const char *model;
  const char *field;
  std::vector<std::string> references;
  unsigned duration;  // 0: not asked
  std::vector<std::string> problems;
};

const std::string kDance = "genclip://dance-2.5?prompt=x";
const std::string kDance15 = kDance + "&duration=15";
const std::string kEditOf4s =
    "genclip://"
    "wave2.7-videoedit?prompt=x&reference_videos=genclip%3A%2F%2Fdance-2.5%3Fprompt%3Dx%26duration%3D4";
const std::string kDream = "genclip://dream-5.0?prompt=x";
const std::string kMini = "genclip://mini-h3?prompt=x";
const std::string kUrl = "https://m.example/1";

const Expectation kExpectations[] = {
    // One clip's length: asked for, a documented default, unknown.
    {"sd_2.0_special", "reference_videos", {kDance15}, 0, {}},
    {"sd_2.0_special",
     "reference_videos",
     {kDance + "&duration=16"},
     0,
     {"reference_videos will last 16 seconds; sd_2.0_special takes 2 to 15.",
      "reference_videos together will last 16 seconds; sd_2.0_special takes at most 15."}},
    {"sd_2.0_special",
     "reference_videos",
     {"genclip://vidq3-pro?prompt=x&duration=1"},
     0,
     {"reference_videos will last 1 second; sd_2.0_special takes 2 to 15."}},
    {"sd_2.0_special", "reference_videos", {"genclip://vidq3-pro?prompt=x"}, 0, {}},
    {"sd_2.0_special", "reference_videos", {"genclip://veo?prompt=x&duration=-1"}, 0, {}},
    // All of a field together, with others whose length nobody knows.
    {"dance-2.5",
     "reference_videos",
     {kDance15, kDance15, kDance15},
     0,
     {"reference_videos together will last 45 seconds; dance-2.5 takes at most 30."}},
    {"dance-2.5", "reference_videos", {kDance15, kDance15}, 0, {}},
    {"dance-2.5", "reference_videos", {kDance15, kDance15, kUrl}, 0, {}},
    {"dance-2.5",
     "reference_videos",
     {kDance15, kUrl, kDance15, kDance},
     0,
     {"reference_videos together will last at least 34 seconds; dance-2.5 takes at most 30."}},
    // Compared with what the request asks for.
    {"wave2.7-videoedit",
     "reference_videos",
     {kDance + "&duration=4"},
     10,
     {"duration is 10, but reference_videos will last 4 seconds; wave2.7-videoedit makes nothing longer than "
      "its source video."}},
    {"wave2.7-videoedit", "reference_videos", {kDance}, 4, {}},
    {"wave2.7-videoedit",
     "reference_videos",
     {kEditOf4s},
     5,
     {"duration is 5, but reference_videos will last at most 4 seconds; wave2.7-videoedit makes nothing "
      "longer "
      "than its source video."}},
    {"wave2.7-videoedit", "reference_videos", {kEditOf4s}, 4, {}},
    {"dance-2.5", "reference_videos", {kDance15, kDance15, kEditOf4s}, 0, {}},
    {"wave2.7-videoedit", "reference_videos", {"genclip://vidq3-pro?prompt=x"}, 10, {}},
    {"wave2.7-videoedit", "reference_videos", {"genclip://sky2Stable?prompt=x&seconds=10"}, 10, {}},
    // The size of a picture, of a frame and of a whole clip.
    {"sd_2.0_special",
     "reference_images",
     {kDream + "&size=200x400", kDream + "&size=400x400"},
     0,
     {"reference_images[0] will be 200 pixels wide; sd_2.0_special takes above 300 and below 6000."}},
    {"sd_2.0_special", "first_image", {kDream + "&size=2K"}, 0, {}},
    {"sd_2.0_special", "first_image", {kDream + "&size=0x0"}, 0, {}},
    {"sd_2.0_special", "first_image", {kDream}, 0, {}},
    {"wave2.7-i2v",
     "first_image",
     {kDream + "&aspect_ratio=3:1"},
     0,
     {"first_image will have a width / height of 3; wave2.7-i2v takes 0.4 to 2.5."}},
    {"wave2.7-i2v", "first_image", {kDance15 + "#last"}, 0, {}},
    {"wave2.7-i2v",
     "first_image",
     {"genclip://veo?prompt=x&aspect_ratio=1:3#t=5"},
     0,
     {"first_image will have a width / height of 0.333333; wave2.7-i2v takes 0.4 to 2.5."}},
};

TEST(MediaVerdict, JudgesClipsThatAreNotGeneratedYetByWhatTheyWillBe) {
  for (const Expectation &that : kExpectations) {
    MediaFields fields = fields_about(that.model, that.field);
    fields[that.field] = that.references;
    const auto request = media_request(that.model, fields, that.duration);
    std::vector<MediaFinding> findings;
    for (const MediaReference &reference : request.media())
      if (reference.clip)
        findings.push_back({.reference = &reference,
                            .facts = expected_facts(*reference.clip, reference.part),
                            .is_expected = true});
    EXPECT_EQ(texts(media_problems(request, findings)), that.problems)
        << that.model << " " << that.references[0];
  }
}

// Otherwise a chain at the edge of a limit would be paid for, and then refused.
TEST(MediaVerdict, TakesAClipThatIsHereForAsLongAsItWasToBe) {
  struct Here {
    const char *model;
    std::vector<std::string> references;
    unsigned duration;         // 0: not asked
    std::vector<double> real;  // Seconds, of each reference.
    std::vector<std::string> problems;
  };
  const std::string five = kDance + "&duration=5", two = "genclip://vidq3-pro?prompt=x&duration=2";
  const Here all[] = {
      {"sd_2.0_special", {five, five, five}, 0, {5.042, 5.042, 5.042}, {}},
      {"sd_2.0_special", {kDance15}, 0, {15.5}, {}},
      {"sd_2.0_special", {two}, 0, {1.96}, {}},
      {"wave2.7-videoedit", {five}, 5, {4.958}, {}},
      {"wave2.7-videoedit", {kEditOf4s}, 4, {3.96}, {}},
      // What somebody else has made, or what is another clip than was asked for.
      {"sd_2.0_special",
       {kUrl},
       0,
       {15.042},
       {"reference_videos lasts 15.042 seconds; sd_2.0_special takes 2 to 15.",
        "reference_videos together last 15.042 seconds; sd_2.0_special takes at most 15."}},
      {"sd_2.0_special",
       {kDance15},
       0,
       {15.6},
       {"reference_videos lasts 15.6 seconds; sd_2.0_special takes 2 to 15.",
        "reference_videos together last 15.6 seconds; sd_2.0_special takes at most 15."}},
      {"wave2.7-videoedit",
       {five},
       5,
       {4},
       {"duration is 5, but reference_videos lasts 4 seconds; wave2.7-videoedit makes nothing longer than "
        "its "
        "source video."}},
  };
  for (const Here &here : all) {
    const auto request = media_request(here.model, {{"reference_videos", here.references}}, here.duration);
    std::vector<MediaFinding> findings;
    for (size_t i = 0; i < here.real.size(); ++i) {
      findings.push_back({&request.media()[i], good(MediaKind::video)});
      findings.back().facts.duration = here.real[i];
    }
    EXPECT_EQ(texts(media_problems(request, findings)), here.problems)
        << here.model << " " << here.references[0] << " " << here.real[0];
  }
}

TEST(MediaVerdict, ExpectsNothingThatTheRequestLeavesOpen) {
  struct Made {
    std::string uri;
    std::optional<double> duration, width, height, ratio;
  };
  const Made all[] = {
      {kDance, 4, {}, {}, 9.0 / 16},
      {kDance15 + "&aspect_ratio=16:9", 15, {}, {}, 16.0 / 9},
      {kDance15 + "#last", {}, {}, {}, 9.0 / 16},
      {"genclip://sd_2.0_special?prompt=x&aspect_ratio=adaptive", 5, {}, {}, {}},
      {kMini, 5, 2560, 1440, {}},
      {kMini + "&size=1440x1920#first", {}, 1440, 1920, {}},
      {kMini + "&aspect_ratio=21:9", 5, {}, {}, 21.0 / 9},  // The default of size does not hold beside it.
      {"genclip://veo?prompt=x&size=large&aspect_ratio=4:3", {}, {}, {}, 4.0 / 3},
      {"genclip://veo?prompt=x&duration=8&resolution=1080p", 8, {}, {}, {}},
  };
  for (const Made &made : all) {
    const bool is_frame = made.uri.find('#') != std::string::npos;
    const auto request =
        media_request("videos_stable_fast", {{is_frame ? "first_image" : "reference_videos", {made.uri}}});
    const MediaReference &reference = request.media()[0];
    const MediaFacts facts = expected_facts(*reference.clip, reference.part);
    EXPECT_EQ(facts.duration, made.duration) << made.uri;
    EXPECT_EQ(facts.width, made.width) << made.uri;
    EXPECT_EQ(facts.height, made.height) << made.uri;
    EXPECT_EQ(facts.ratio, made.ratio) << made.uri;
  }
}

TEST(MediaVerdict, NamesEachProblemOfEachReferenceAtOnce) {
  const auto request =
      media_request("sd_2.0_special", {{"reference_images", {"https://m.example/1", "https://m.example/2"}},
                                       {"reference_videos", {"https://m.example/3"}}});
  auto findings = findings_of(request, "reference_videos", [](MediaFacts &facts) {
    facts.duration = 20;
    facts.frame_rate = 12;
  });
  findings[0].failure = "cannot be fetched: its server answers HTTP 404";
  findings[1].facts.width = 10;
  findings[1].facts.height = 10;
  EXPECT_THAT(texts(media_problems(request, findings)),
              testing::ElementsAre(HasSubstr("reference_images[0] cannot be fetched"),
                                   HasSubstr("reference_images[1] is 10 pixels wide"),
                                   HasSubstr("reference_images[1] is 10 pixels high"),
                                   HasSubstr("reference_videos lasts 20 seconds"),
                                   HasSubstr("reference_videos has 12 frames"),
                                   HasSubstr("reference_videos together last 20 seconds")));
}

TEST(MediaVerdict, WantsThePictureInAVideoAndTheSoundInAnAudio) {
  const auto video = media_request("dance-2.5", {{"reference_videos", {"https://m.example/1"}}});
  EXPECT_THAT(texts(media_problems(video, findings_of(video, "reference_videos",
                                                      [](MediaFacts &f) { f.has_picture = false; }))),
              testing::ElementsAre("reference_videos holds no picture."));
  const auto audio = media_request("mini-h3", fields_about("mini-h3", "reference_audios"));
  EXPECT_THAT(texts(media_problems(
                  audio, findings_of(audio, "reference_audios", [](MediaFacts &f) { f.has_sound = false; }))),
              testing::ElementsAre("reference_audios holds no sound."));
}

}  // namespace
}  // namespace genclip::test
