// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a request that refers to files and clips is recognised by.
#include "plugin/generation/request_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "plugin/catalog/catalog.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/generation/charge_facts.h"
#include "tests/generation/work_fixture.h"
#include "tests/support/give_up.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;

class RequestIdentity : public WorkTest {
 protected:
  std::string write(const std::string &name, const std::string &content) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << content;
    return path;
  }

  GenerationJob job_of(const std::string &uri) {
    const auto request = parse_clip_uri(*Catalog::built_in(), uri);
    if (!request) give_up(request.error().text);
    auto checked = check_request(*Catalog::built_in(), *request, {.publishes = true});
    if (!checked) give_up(problems_text(checked.error()));
    GenerationJob made = job();
    made.request = std::move(*checked);
    made.model = made.request->model();
    made.identity.request = made.request->body();
    made.publish.roots = {folder_.path()};
    return made;
  }

  Result<IdentifiedRequest> identify(const GenerationJob &job) {
    return identify_request(job, services(), true, nullptr);
  }

  std::string digest_of(const std::string &uri) {
    const auto found = identify(job_of(uri));
    return found ? found->identity.digest() : found.error().text;
  }
};

std::string starting_from(const std::string &picture) {
  return "genclip://sd_2.0_special?prompt=a&duration=4&first_image=" + picture;
}

std::string escaped(const std::string &uri) {
  return GStringPtr(g_uri_escape_string(uri.c_str(), nullptr, FALSE)).get();
}

TEST_F(RequestIdentity, OfURLsAloneIsTheRequestAsItIs) {
  const GenerationJob job = job_of(starting_from("https://example.com/a.png"));
  const auto found = identify(job);
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->identity.digest(), job.identity.digest());
  EXPECT_TRUE(found->files.empty());
  EXPECT_TRUE(http_->requests().empty());
}

TEST_F(RequestIdentity, OfAFileIsItsContentWhateverItsName) {
  const std::string one = write("one.png", "picture"), same = write("same.png", "picture");
  const std::string other = write("other.png", "picturE");
  EXPECT_EQ(digest_of(starting_from(one)), digest_of(starting_from(same)));
  EXPECT_EQ(digest_of(starting_from(one)), digest_of(starting_from("file://" + one)));
  EXPECT_NE(digest_of(starting_from(one)), digest_of(starting_from(other)));
  const GStringPtr sha256(g_compute_checksum_for_string(G_CHECKSUM_SHA256, "picture", -1));
  EXPECT_EQ(digest_of(starting_from(one)), digest_of(starting_from(std::string("sha256:") + sha256.get())));
  const auto found = identify(job_of(starting_from(one)));
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->identity.request.find("first_image")->array()->front(),
            Json(std::string("sha256:") + sha256.get()));
  EXPECT_EQ(found->files.at(0).sha256, sha256.get());
}

// A field of which no table says that it takes media.
TEST_F(RequestIdentity, OfAFileInAnyFieldThatNamesMediaIsItsContent) {
  const std::string one = write("one.png", "picture"), same = write("same.png", "picture");
  const std::string request = "genclip://veo?prompt=a&photo=";
  EXPECT_EQ(digest_of(request + one), digest_of(request + same));
  const auto found = identify(job_of(request + one));
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(*found->identity.request.find("photo"), Json("sha256:" + found->files.at(0).sha256));
  EXPECT_TRUE(is_made_of_media(found->identity));
  EXPECT_FALSE(is_made_of_media(job_of("genclip://veo?prompt=a").identity));
}

// Text-only clips have other prices, and another source type in their provenance.
TEST_F(RequestIdentity, TellsHowManyMediaEachFieldHasWhetherATableTypesItOrNot) {
  const std::string file = write("one.png", "picture");
  const auto references = [&](const std::string &uri) {
    const auto found = identify(job_of(uri));
    if (!found) give_up(found.error().text);
    const auto facts =
        charge_facts(found->identity, *job_of(uri).request->body().find("model")->string(), "");
    EXPECT_EQ(is_made_of_media(found->identity), !facts.references.empty()) << uri;
    return facts.references;
  };
  using References = decltype(ChargeFacts::references);
  EXPECT_EQ(references("genclip://videos_stable_fast?prompt=a&start_image_url=http%3A%2F%2Fh%2Fx.png"),
            (References{{"start_image_url", 1}}));
  EXPECT_EQ(references("genclip://videos_stable_fast?prompt=a&video_reference=" + file +
                       "&audio_reference=http%3A%2F%2Fh%2Fsong"),
            (References{{"audio_reference", 1}, {"video_reference", 1}}));
  EXPECT_EQ(references("genclip://sd_2.0_discount?prompt=a&photo=" + file), (References{{"photo", 1}}));
  EXPECT_EQ(
      references("genclip://sd_2.0_discount?prompt=a&image=" + escaped(R"({"url":"http://h/a"})") +
                 "&content=" + escaped(R"([{"image_url":"http://h/a"},{"image_url":")" + file + R"("}])")),
      (References{{"content", 2}, {"image", 1}}));
  EXPECT_EQ(references("genclip://sd_2.0_discount?prompt=http%3A%2F%2Fh%2Fx.png&image_prompt=a&output_url=" +
                       escaped("http://h/x.mp4")),
            References());
  EXPECT_EQ(references(starting_from(file)), (References{{"first_image", 1}}));
}

TEST_F(RequestIdentity, ChangesWithTheFilesContent) {
  const std::string path = write("picture.png", "before");
  const std::string before = digest_of(starting_from(path));
  write("picture.png", "after");
  EXPECT_NE(digest_of(starting_from(path)), before);
}

TEST_F(RequestIdentity, OfAClipIsItsKeyAndTheFrame) {
  const std::string inner = "genclip://sd_2.0_special?prompt=before&duration=4";
  const std::string key = job_of(inner).identity.digest();
  const auto found = identify(job_of(starting_from(escaped(inner + "#last"))));
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->identity.request.find("first_image")->array()->front(), Json("genclip:" + key + "#last"));
  EXPECT_EQ(found->clips.at(0)->identity.digest(), key);
  EXPECT_NE(digest_of(starting_from(escaped(inner + "#last"))),
            digest_of(starting_from(escaped(inner + "#first"))));
  // As it is written does not count.
  const std::string same = "genclip://sd_2.0_special?duration=4&prompt=before";
  EXPECT_EQ(digest_of(starting_from(escaped(inner + "#last"))),
            digest_of(starting_from(escaped(same + "#last"))));
}

TEST_F(RequestIdentity, OfAClipHasTheFilesOfThatClipByTheirContent) {
  const std::string one = write("one.png", "picture"), same = write("same.png", "picture");
  const auto chain = [](const std::string &path) {
    return starting_from(escaped(starting_from(path) + "#last"));
  };
  EXPECT_EQ(digest_of(chain(one)), digest_of(chain(same)));
  write("one.png", "another picture");
  EXPECT_NE(digest_of(chain(one)), digest_of(chain(same)));
}

TEST_F(RequestIdentity, HasThatOfEachClipInside) {
  const std::string first = "genclip://sd_2.0_special?prompt=first&duration=4";
  const std::string second =
      "genclip://sd_2.0_special?prompt=second&duration=4&first_image=" + escaped(first + "#last") +
      "&last_image=" + escaped(first + "#first");
  const auto found = identify(job_of(starting_from(escaped(second + "#last"))));
  ASSERT_TRUE(found) << found.error().text;
  ASSERT_EQ(found->clips.size(), 1u);
  const IdentifiedRequest &before = *found->clips.at(0);
  EXPECT_EQ(before.identity.digest(), digest_of(second));
  ASSERT_EQ(before.clips.size(), 2u);
  EXPECT_EQ(before.clips.at(0)->identity.digest(), digest_of(first));
  EXPECT_EQ(before.clips.at(1)->identity.digest(), digest_of(first));
}

TEST_F(RequestIdentity, SaysWhichFileCannotBeRead) {
  const std::string missing = folder_.path() + "/missing.png";
  EXPECT_THAT(digest_of(starting_from(missing)), testing::StartsWith("first_image "));
  EXPECT_THAT(digest_of(starting_from(escaped(starting_from(missing) + "#last"))),
              testing::AllOf(testing::StartsWith("first_image is a clip whose first_image "),
                             HasSubstr("missing.png) cannot be opened")));
}

// As with check-media, one bad moment of the reference's host is not the end.
TEST_F(RequestIdentity, OfTheContentOfAUrlIsAskedForAgainWhileItsHostHasABadMoment) {
  GenerationJob job = job_of(starting_from("https://example.com/a.png"));
  job.reference_identity = ReferenceIdentity::content;
  http_->expect(answer(503, ""));
  http_->expect(not_sent(), job.media_check.retries - 1);
  http_->expect(answer(200, "picture"));
  const auto found = identify(job);
  ASSERT_TRUE(found) << found.error().text;
  const GStringPtr sha256(g_compute_checksum_for_string(G_CHECKSUM_SHA256, "picture", -1));
  EXPECT_EQ(found->names.at(0), std::string("sha256:") + sha256.get());
  http_->expect(answer(404, ""));
  const Error missing = failure_of(identify(job));
  EXPECT_THAT(missing.text, HasSubstr("404"));
  EXPECT_EQ(missing.details, (std::vector<ErrorDetail>{{"retry", false}}));
  http_->expect(answer(503, ""), job.media_check.retries + 1);
  EXPECT_EQ(failure_of(identify(job)).details, (std::vector<ErrorDetail>{{"retry", true}}));
  EXPECT_EQ(http_->left(), 0u);
}

// A server that sends a byte now and then would hold the run for days.
TEST_F(RequestIdentity, OfTheContentOfAUrlTakesNoLongerThanACheckOfMedia) {
  GenerationJob job = job_of(starting_from("https://example.com/a.png"));
  job.reference_identity = ReferenceIdentity::content;
  const std::chrono::milliseconds limit = job.media_check.time_limit;
  http_->before_answer([&](const HttpRequest &request) {
    EXPECT_GT(request.whole_timeout.count(), 0);
    clock_.advance(request.whole_timeout * 2 / 3);
  });
  http_->expect(answer(503, ""), 2);
  http_->expect(answer(200, "picture"));
  ASSERT_TRUE(identify(job));
  std::chrono::milliseconds last = limit;
  for (const auto &sent : http_->requests()) {
    EXPECT_LE(sent.request.whole_timeout, last);
    last = sent.request.whole_timeout / 3;
  }
  EXPECT_EQ(http_->requests().size(), 3u);
  http_->before_answer([&](const HttpRequest &) { clock_.advance(limit); });
  http_->expect(answer(503, ""));
  EXPECT_EQ(failure_of(identify(job)).details, (std::vector<ErrorDetail>{{"retry", true}}));
  EXPECT_EQ(http_->requests().size(), 4u);
}

TEST_F(RequestIdentity, OfAHugeFileIsRefusedAtOnce) {
  const std::string path = write("huge.png", "picture");
  ASSERT_EQ(truncate(path.c_str(), off_t{1} << 40), 0);
  EXPECT_THAT(digest_of(starting_from(path)), HasSubstr("huge.png) is larger than 256 MiB"));
}

TEST_F(RequestIdentity, OfAURIReadsNoFileOutsideTheRoots) {
  const std::string path = write("one.png", "picture");
  GenerationJob job = job_of(starting_from(path));
  job.publish.roots = {folder_.path() + "/roots"};
  EXPECT_THAT(failure_of(identify(job)).text, HasSubstr("GENCLIP_PUBLISH_ROOTS"));
}

TEST_F(RequestIdentity, OfAClipInsideComesWithWhatTheOuterRunMaySubmit) {
  const std::string inner = "genclip://dance-2.5?prompt=b&duration=4";
  GenerationJob outer = job_of(starting_from(escaped(inner + "#last")));
  for (const MaySubmit may_submit :
       {MaySubmit::even_in_doubt, MaySubmit::unless_in_doubt, MaySubmit::never}) {
    outer.may_submit = may_submit;
    const auto &reference = outer.request->media().front();
    ASSERT_TRUE(reference.clip);
    EXPECT_EQ(job_of_inner(outer, *reference.clip, nullptr).may_submit, may_submit);
  }
}

}  // namespace
}  // namespace genclip::test
