// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is told of a clip's origin, and that no text of others breaks it.
#include "plugin/store/clip_provenance.h"

#include <glib.h>
#include <gtest/gtest.h>

namespace genclip::test {
namespace {

Provenance kite() {
  Provenance kite;
  kite.model = "dance-2.5";
  kite.task_id = "t-7";
  kite.media_type = "video/mp4";
  kite.take = 2;
  kite.created_at = 1763800000;
  return kite;
}

bool has(const std::string &text, const std::string &part) { return text.find(part) != text.npos; }

TEST(ClipProvenance, TellsThatAMachineMadeItAndWhichOne) {
  const std::string xmp = xmp_of(kite());
  EXPECT_TRUE(has(xmp, ">http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia<")) << xmp;
  EXPECT_TRUE(has(xmp, "<Iptc4xmpExt:AISystemUsed>dance-2.5<")) << xmp;
  EXPECT_TRUE(has(xmp, "<xmp:CreateDate>2025-11-22T08:26:40Z<")) << xmp;
  EXPECT_TRUE(has(xmp, "<genclip:TaskId>t-7<")) << xmp;
  EXPECT_TRUE(has(xmp, "<genclip:Take>2<")) << xmp;
  EXPECT_EQ(comment_of(kite()), "genclip:trainedAlgorithmicMedia/model:dance-2.5/task:t-7/take:2");
}

TEST(ClipProvenance, TellsThatMediaWentIn) {
  Provenance made_of_media = kite();
  made_of_media.from_media = true;
  EXPECT_TRUE(has(xmp_of(made_of_media), "/compositeWithTrainedAlgorithmicMedia<"));
  EXPECT_TRUE(has(comment_of(made_of_media), ":compositeWithTrainedAlgorithmicMedia/"));
}

TEST(ClipProvenance, TellsThePromptOnlyIfItIsGiven) {
  EXPECT_FALSE(has(xmp_of(kite()), "AIPromptInformation"));
  Provenance open = kite();
  open.prompt = "a red kite";
  EXPECT_TRUE(has(xmp_of(open), "<Iptc4xmpExt:AIPromptInformation>a red kite<"));
}

TEST(ClipProvenance, OfARecordHasNoPrompt) {
  ClipRecord record;
  record.identity.request = Json(Json::Object{{"prompt", "a secret"}});
  record.model = "dance-2.5";
  record.task_id = "t-7";
  record.updated_at = 5;
  EXPECT_EQ(provenance_of(record).prompt, "");
  EXPECT_EQ(provenance_of(record).created_at, 5);
  record.submitted_at = 4;
  EXPECT_EQ(provenance_of(record).created_at, 4);
}

TEST(ClipProvenance, IsWellFormedWhateverTheTextsAre) {
  for (const char *hostile : {"</rdf:RDF>", "<!-- ", "]]>", "&x;", "\"'", "\x01\x1b[31m", "\xff",
                              "<?xpacket end=\"w\"?>", "a\nb", "\xef\xbf\xbe"}) {
    Provenance provenance = kite();
    provenance.model = provenance.task_id = provenance.prompt = provenance.media_type = hostile;
    const std::string xmp = xmp_of(provenance);
    EXPECT_EQ(xmp.find("\xef\xbf\xbe"), xmp.npos) << "XML has no U+FFFE; GLib does not look";
    const GMarkupParser parser = {};
    GMarkupParseContext *context =
        g_markup_parse_context_new(&parser, static_cast<GMarkupParseFlags>(0), nullptr, nullptr);
    EXPECT_TRUE(g_markup_parse_context_parse(context, xmp.data(), static_cast<gssize>(xmp.size()), nullptr))
        << xmp;
    EXPECT_TRUE(g_markup_parse_context_end_parse(context, nullptr)) << xmp;
    g_markup_parse_context_free(context);
    EXPECT_FALSE(has(comment_of(provenance), "\n")) << hostile;
  }
}

}  // namespace
}  // namespace genclip::test
