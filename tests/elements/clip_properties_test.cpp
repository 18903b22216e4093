// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclipsrc as gst-inspect shows it: the contract's table, row by row.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include "elements/structure_json.h"
#include "tests/elements/clip_pipeline.h"

namespace genclip::test {
namespace {

enum class Kind { request, secret, status };

struct Row {
  const char *name;
  const char *type;           // GType name
  const char *default_value;  // as GStreamer writes it; nullptr is unset
  Kind kind = Kind::request;
};

// design.md, "genclipsrc".
constexpr Row kRows[] = {
    {"model", "gchararray", nullptr},
    {"prompt", "gchararray", nullptr},
    {"duration", "guint", "0"},
    {"aspect-ratio", "gchararray", nullptr},
    {"resolution", "gchararray", nullptr},
    {"size", "gchararray", nullptr},
    {"reference-mode", "gchararray", nullptr},
    {"seed", "gint64", "-1"},
    {"generate-audio", "GenclipSwitch", "default"},
    {"watermark", "GenclipSwitch", "default"},
    {"first-image", "gchararray", nullptr},
    {"last-image", "gchararray", nullptr},
    {"reference-images", "GstValueArray", "<  >"},
    {"reference-videos", "GstValueArray", "<  >"},
    {"reference-audios", "GstValueArray", "<  >"},
    {"extra-params", "GstStructure", nullptr},
    {"base-url", "gchararray", nullptr},
    {"api-key", "gchararray", nullptr, Kind::secret},
    {"api-key-file", "gchararray", nullptr},
    {"api", "GenclipApi", "auto"},
    {"poll-interval", "guint", "0"},
    {"timeout", "guint", "1800"},
    {"http-timeout", "guint", "30"},
    {"retries", "guint", "5"},
    {"take", "guint", "0"},
    {"reuse", "gboolean", "true"},
    {"on-unknown", "GenclipOnUnknownSubmit", "resubmit"},
    {"store", "gchararray", nullptr},
    {"task-id", "gchararray", nullptr},
    {"check-media", "GenclipMediaCheck", "none"},
    {"publish-folder", "gchararray", nullptr},
    {"publish-url", "gchararray", nullptr},
    {"publish-check", "GenclipPublishCheck", "headers"},
    {"reference-identity", "GenclipReferenceIdentity", "url"},
    {"random-access", "gboolean", "true"},
    {"buffering-messages", "gboolean", "true"},
    {"dry-run", "gboolean", "false"},
    {"max-download-size", "guint64", "4294967296"},
    {"tls-ca-file", "gchararray", nullptr},
    {"user-agent", "gchararray", nullptr},
    {"proxy", "gchararray", nullptr},
    {"status", "GenclipStatus", "idle", Kind::status},
    {"progress", "gint", "-1", Kind::status},
    {"amount", "gdouble", "-1", Kind::status},
    {"eta", "gdouble", "-1", Kind::status},
    {"actual-duration", "gdouble", "-1", Kind::status},
    {"clip-location", "gchararray", nullptr, Kind::status},
};

class ClipProperties : public testing::Test {
 protected:
  GRef<GstElement> src_ = GRef<GstElement>::adopt(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("genclipsrc", nullptr))));

  GParamSpec *spec(const char *name) const {
    return g_object_class_find_property(G_OBJECT_GET_CLASS(src_.get()), name);
  }
};

TEST_F(ClipProperties, AreThoseOfTheContract) {
  for (const Row &row : kRows) {
    SCOPED_TRACE(row.name);
    GParamSpec *found = spec(row.name);
    ASSERT_TRUE(found);
    EXPECT_STREQ(g_type_name(found->value_type), row.type);
    EXPECT_EQ((found->flags & G_PARAM_READABLE) != 0, row.kind != Kind::secret);
    EXPECT_EQ((found->flags & G_PARAM_WRITABLE) != 0, row.kind != Kind::status);
    EXPECT_EQ((found->flags & GST_PARAM_MUTABLE_READY) != 0, row.kind != Kind::status);
    const char *blurb = g_param_spec_get_blurb(found);
    EXPECT_GT(strlen(blurb), 10u);
    if (row.kind == Kind::secret) continue;

    GValue value = G_VALUE_INIT;
    g_object_get_property(G_OBJECT(src_.get()), row.name, &value);
    const bool unset = (G_VALUE_HOLDS_STRING(&value) && !g_value_get_string(&value)) ||
                       (G_VALUE_HOLDS(&value, GST_TYPE_STRUCTURE) && !g_value_get_boxed(&value));
    EXPECT_EQ(unset, row.default_value == nullptr);
    if (!unset) {
      const GStringPtr text(gst_value_serialize(&value));
      const GEnumValue *named =
          G_VALUE_HOLDS_ENUM(&value)
              ? g_enum_get_value(G_PARAM_SPEC_ENUM(found)->enum_class, g_value_get_enum(&value))
              : nullptr;
      EXPECT_STREQ(named ? named->value_nick : text.get(), row.default_value);
    }
    g_value_unset(&value);
  }
}

TEST_F(ClipProperties, HaveTheContractsRangesAndNicks) {
  const auto *interval = G_PARAM_SPEC_UINT(spec("poll-interval"));
  EXPECT_EQ(interval->minimum, 0u);  // From history. What is from 1 to 9 ms is refused by the run.
  EXPECT_EQ(interval->maximum, 600000u);
  const auto *progress = G_PARAM_SPEC_INT(spec("progress"));
  EXPECT_EQ(progress->minimum, -1);
  EXPECT_EQ(progress->maximum, 100);
  EXPECT_EQ(G_PARAM_SPEC_INT64(spec("seed"))->minimum, G_MININT64);
  const auto nicks = [&](const char *property) {
    std::string all;
    const GEnumClass *values = G_PARAM_SPEC_ENUM(spec(property))->enum_class;
    for (guint i = 0; i < values->n_values; ++i) all += std::string(values->values[i].value_nick) + " ";
    return all;
  };
  EXPECT_EQ(nicks("generate-audio"), "default on off ");
  EXPECT_EQ(nicks("watermark"), "default on off ");
  EXPECT_EQ(nicks("api"), "auto tasks legacy ");
  EXPECT_EQ(nicks("check-media"), "none headers full ");
  EXPECT_EQ(nicks("publish-check"), "none headers ");
  EXPECT_EQ(nicks("reference-identity"), "url content ");
  EXPECT_EQ(nicks("status"),
            "idle submitting queued processing downloading completed failed preparing waiting ");
}

TEST_F(ClipProperties, SayTheirUnits) {
  const std::pair<const char *, const char *> units[] = {
      {"duration", "seconds"},     {"poll-interval", "milliseconds"}, {"timeout", "seconds"},
      {"http-timeout", "seconds"}, {"max-download-size", "bytes"},    {"progress", "percent"},
      {"amount", "credits"},       {"actual-duration", "seconds"},    {"size", "pixels"},
  };
  for (const auto &[name, unit] : units)
    EXPECT_TRUE(strstr(g_param_spec_get_blurb(spec(name)), unit)) << name;
}

TEST_F(ClipProperties, HandleTheSchemeAsASourceOfPrimaryRank) {
  EXPECT_TRUE(gst_uri_protocol_is_supported(GST_URI_SRC, "genclip"));
  GstElementFactory *factory = gst_element_get_factory(src_.get());
  EXPECT_EQ(gst_plugin_feature_get_rank(GST_PLUGIN_FEATURE(factory)), guint{GST_RANK_PRIMARY});
  EXPECT_STREQ(gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS), "Source/Network");
  GErrorPtr error;
  auto made = GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(
      gst_element_make_from_uri(GST_URI_SRC, "genclip://dance-2.5?prompt=x", nullptr, take(error)))));
  ASSERT_TRUE(made) << error->message;
  EXPECT_STREQ(GST_OBJECT_NAME(gst_element_get_factory(made.get())), "genclipsrc");
}

TEST_F(ClipProperties, OfTheRequestStayInPaused) {
  g_object_set(src_.get(), "model", "dance-2.5", "prompt", "x", "dry-run", TRUE, nullptr);
  ASSERT_NE(gst_element_set_state(src_.get(), GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  g_object_set(src_.get(), "prompt", "y", nullptr);
  GErrorPtr error;
  EXPECT_FALSE(
      gst_uri_handler_set_uri(GST_URI_HANDLER(src_.get()), "genclip://dance-2.5?prompt=z", take(error)));
  ASSERT_TRUE(error);
  EXPECT_TRUE(g_error_matches(error.get(), GST_URI_ERROR, GST_URI_ERROR_BAD_STATE)) << error->message;
  char *prompt = nullptr;
  g_object_get(src_.get(), "prompt", &prompt, nullptr);
  EXPECT_STREQ(GStringPtr(prompt).get(), "x");
  gst_element_set_state(src_.get(), GST_STATE_NULL);
}

TEST_F(ClipProperties, UriReplacesWhatWasSetAndTheKeyStaysOut) {
  g_object_set(src_.get(), "model", "sd_2.0_special", "prompt", "old", "duration", 9, "api-key",
               "secret-4711", nullptr);
  const GStringPtr made(gst_uri_handler_get_uri(GST_URI_HANDLER(src_.get())));
  EXPECT_EQ(std::string(made.get()).find("4711"), std::string::npos);
  ASSERT_TRUE(
      gst_uri_handler_set_uri(GST_URI_HANDLER(src_.get()), "genclip://dance-2.5?prompt=new", nullptr));
  unsigned duration = 1;
  g_object_get(src_.get(), "duration", &duration, nullptr);
  EXPECT_EQ(duration, 0u);
  GErrorPtr error;
  EXPECT_FALSE(gst_uri_handler_set_uri(GST_URI_HANDLER(src_.get()),
                                       "genclip://dance-2.5?prompt=x&api_key=secret-4711", take(error)));
  ASSERT_TRUE(error);
  EXPECT_EQ(std::string(error->message).find("4711"), std::string::npos) << error->message;
}

TEST_F(ClipProperties, UriNeverShowsTheKeyWhereverItStands) {
  const std::string key = "sk-SECRET-0123456789abcdef";
  auto *handler = GST_URI_HANDLER(src_.get());
  const auto uri = [&] { return std::string(GStringPtr(gst_uri_handler_get_uri(handler)).get()); };
  // The key comes behind the request.
  ASSERT_TRUE(gst_uri_handler_set_uri(handler, ("genclip://veo?prompt=a%20" + key).c_str(), nullptr));
  g_object_set(src_.get(), "api-key", key.c_str(), nullptr);
  EXPECT_EQ(uri(), "genclip://veo?prompt=a%20***");
  g_object_set(src_.get(), "prompt", ("b " + key).c_str(), nullptr);
  EXPECT_EQ(uri(), "genclip://veo?prompt=b%20***");
  g_object_set(src_.get(), "prompt", "kept", nullptr);
  for (const std::string &given :
       {"genclip://veo?prompt=" + key, "genclip://veo?prompt=x&style=Bearer%20" + key, "genclip://" + key,
        "genclip://veo/" + key + ".mp4?prompt=x", "genclip://veo?prompt=x&take=" + key,
        "genclip://veo?prompt=x&duration=" + key,
        "genclip://veo?prompt=x&first_image=https://h/x%3Fk=" + key}) {
    GErrorPtr error;
    EXPECT_FALSE(gst_uri_handler_set_uri(handler, given.c_str(), take(error))) << given;
    ASSERT_TRUE(error) << given;
    EXPECT_NE(std::string(error->message).find("A URI must not contain a key"), std::string::npos)
        << error->message;
    EXPECT_EQ(std::string(error->message).find("0123456789"), std::string::npos) << error->message;
    EXPECT_EQ(uri(), "genclip://veo?prompt=kept");
  }
}

TEST_F(ClipProperties, UriIsRefusedRatherThanCut) {
  auto *handler = GST_URI_HANDLER(src_.get());
  ASSERT_TRUE(gst_uri_handler_set_uri(handler, "genclip://veo?prompt=kept", nullptr));
  for (const char *uri : {"genclip://veo?prompt=x&duration=-5", "genclip://veo?prompt=x&duration=5000000000",
                          "genclip://veo?prompt=x&first_image=https://a/1&first_image=https://a/2"}) {
    GErrorPtr error;
    EXPECT_FALSE(gst_uri_handler_set_uri(handler, uri, take(error))) << uri;
    ASSERT_TRUE(error) << uri;
    EXPECT_NE(std::string(error->message).find("cannot hold"), std::string::npos) << error->message;
    EXPECT_STREQ(GStringPtr(gst_uri_handler_get_uri(handler)).get(), "genclip://veo?prompt=kept");
  }
}

TEST_F(ClipProperties, UriIsRefusedWithAllThatIsWrongInIt) {
  GErrorPtr error;
  EXPECT_FALSE(gst_uri_handler_set_uri(GST_URI_HANDLER(src_.get()),
                                       "genclip://sd_2.0_special?prompt=&duration=99&take=x", take(error)));
  ASSERT_TRUE(error);
  for (const char *text : {"3 problems", "take is", "prompt is", "duration is 99"})
    EXPECT_NE(std::string(error->message).find(text), std::string::npos) << error->message;
}

TEST_F(ClipProperties, UriStaysAsGivenUntilTheRequestChanges) {
  auto *handler = GST_URI_HANDLER(src_.get());
  const char *given = "genclip://veo/?prompt=a+b&duration=5&";
  ASSERT_TRUE(gst_uri_handler_set_uri(handler, given, nullptr));
  g_object_set(src_.get(), "store", "/nowhere", "poll-interval", 10, "api-key", "k", nullptr);
  EXPECT_STREQ(GStringPtr(gst_uri_handler_get_uri(handler)).get(), given);
  g_object_set(src_.get(), "duration", 6, nullptr);
  EXPECT_STREQ(GStringPtr(gst_uri_handler_get_uri(handler)).get(), "genclip://veo?prompt=a%20b&duration=6");
}

TEST_F(ClipProperties, UriAndSeedHoldEveryInteger) {
  auto *handler = GST_URI_HANDLER(src_.get());
  for (const gint64 wanted : {gint64{G_MININT64}, gint64{-5}, gint64{0}, gint64{G_MAXINT64}}) {
    const std::string uri = "genclip://veo?prompt=x&seed=" + std::to_string(wanted);
    ASSERT_TRUE(gst_uri_handler_set_uri(handler, uri.c_str(), nullptr)) << uri;
    g_object_set(src_.get(), "seed", wanted, "take", 1, nullptr);
    EXPECT_EQ(std::string(GStringPtr(gst_uri_handler_get_uri(handler)).get()), uri + "&take=1");
  }
}

TEST_F(ClipProperties, ExtraParamsHoldEveryJsonThatAUriHas) {
  auto *handler = GST_URI_HANDLER(src_.get());
  for (const char *value :
       {"null", "[null]", R"({"a":null})", "[1,2.5]", R"([1,"x"])", R"([null,"x",1])", R"([[1],["x"]])",
        R"([{"a":1},"x"])", R"([{"a":[1,2.5,"x",null,true]}])", "[]", "[[]]", "{}", "[{}]", R"({"":1})"}) {
    const GStringPtr escaped(g_uri_escape_string(value, ":", FALSE));
    const std::string uri = std::string("genclip://veo?prompt=x&style=") + escaped.get();
    GErrorPtr error;
    ASSERT_TRUE(gst_uri_handler_set_uri(handler, uri.c_str(), take(error))) << value << error->message;
    GstStructure *params = nullptr;
    g_object_get(src_.get(), "extra-params", &params, nullptr);
    const StructurePtr owned(params);
    ASSERT_TRUE(params) << value;
    EXPECT_EQ(json_of(params).find("style")->to_text(), value);
    ASSERT_TRUE(gst_uri_handler_set_uri(handler, "genclip://veo?prompt=x", nullptr));
    g_object_set(src_.get(), "extra-params", params, nullptr);
    EXPECT_EQ(std::string(GStringPtr(gst_uri_handler_get_uri(handler)).get()), uri) << value;
  }
}

// Whatever its order was: the URI is told by the request alone.
TEST_F(ClipProperties, UriIsWrittenInOneOrder) {
  auto *handler = GST_URI_HANDLER(src_.get());
  ASSERT_TRUE(gst_uri_handler_set_uri(handler, "genclip://veo?seed=7&style=film&prompt=x", nullptr));
  g_object_set(src_.get(), "take", 1, nullptr);
  EXPECT_STREQ(GStringPtr(gst_uri_handler_get_uri(handler)).get(),
               "genclip://veo?prompt=x&seed=7&style=film&take=1");
}

TEST_F(ClipProperties, OfTheRequestReadBackWhatWasSetOnceAndAreUnsetAgain) {
  const struct {
    const char *name;
    std::string value;  // GStreamer writes into what it parses.
    std::string unset;
  } cases[] = {{"size", "2560x1440", ""},
               {"duration", "4294967295", "0"},
               {"seed", "-9223372036854775808", "-1"},
               {"watermark", "off", "default"},
               {"generate-audio", "on", "default"},
               {"last-image", "https://a/1", ""},
               {"reference-images", "< (string)https://a/1, (string)https://a/2 >", "<  >"},
               {"extra-params", "params, style=(string)film, n=(gint64)5;", "params;"}};
  const auto read = [&](const char *name) {
    GValue value = G_VALUE_INIT;
    g_object_get_property(G_OBJECT(src_.get()), name, &value);
    const bool is_null = GST_VALUE_HOLDS_STRUCTURE(&value) && !gst_value_get_structure(&value);
    const GStringPtr text(is_null ? nullptr : gst_value_serialize(&value));
    g_value_unset(&value);
    return std::string(text ? text.get() : "");
  };
  std::vector<std::string> before;
  for (const auto &[name, value, unset] : cases) {
    before.push_back(read(name));
    gst_util_set_object_arg(G_OBJECT(src_.get()), name, value.c_str());
  }
  for (const auto &[name, value, unset] : cases) {
    std::string text;
    for (const char c : read(name))
      if (c != '"' && c != '\\') text += c;
    EXPECT_EQ(text, value) << name;
    gst_util_set_object_arg(G_OBJECT(src_.get()), name, unset.c_str());
  }
  for (size_t i = 0; i < std::size(cases); ++i) EXPECT_EQ(read(cases[i].name), before[i]) << cases[i].name;
}

TEST(ClipDryRun, PostsTheRequestAndEndsWithoutKeyOrNetwork) {
  ClipPipeline clip;
  clip.set("model", "sd_2.0_special");
  clip.set("prompt", "a red kite");
  clip.set("dry-run", "true");
  clip.set("base-url", "https://service.example/api");
  const auto error = clip.play();
  ASSERT_FALSE(error) << error->text;
  const GstStructure *request = clip.posted("genclip-request");
  ASSERT_TRUE(request);
  EXPECT_STREQ(gst_structure_get_string(request, "url"), "https://service.example/api/v2/model-center/tasks");
  const auto body = Json::parse(gst_structure_get_string(request, "body"));
  ASSERT_TRUE(body);
  EXPECT_EQ(body->to_canonical_text(), R"({"duration":5,"model":"sd_2.0_special","prompt":"a red kite"})");
}

TEST(ClipDryRun, SendsTheNumbersOfExtraParamsAsTheyAre) {
  ClipPipeline clip;
  clip.set("model", "veo");
  clip.set("prompt", "x");
  clip.set("dry-run", "true");
  clip.set("base-url", "https://service.example/api");
  GstStructure *params = gst_structure_new("params", "a", G_TYPE_FLOAT, 0.1f, "b", G_TYPE_UINT64,
                                           guint64{G_MAXINT64}, "c", G_TYPE_LONG, -5L, "d", G_TYPE_ULONG, 5UL,
                                           "e", G_TYPE_DOUBLE, 0.1, "f", G_TYPE_FLOAT, 16777216.0f, nullptr);
  const StructurePtr owned(params);
  g_object_set(clip.src(), "extra-params", params, nullptr);
  const auto error = clip.play();
  ASSERT_FALSE(error) << error->text;
  const GstStructure *request = clip.posted("genclip-request");
  ASSERT_TRUE(request);
  EXPECT_STREQ(
      gst_structure_get_string(request, "body"),
      R"({"model":"veo","prompt":"x","a":0.1,"b":9223372036854775807,"c":-5,"d":5,"e":0.1,"f":16777216.0})");
}

TEST(ClipDryRun, RefusesAnIntegerThatItWouldRound) {
  for (const char *params :
       {"params, big=(guint64)9223372036854775808;", "params, big=<(guint64)18446744073709551615>;"}) {
    ClipPipeline clip;
    clip.set("model", "veo");
    clip.set("prompt", "x");
    clip.set("dry-run", "true");
    clip.set("base-url", "https://service.example/api");
    clip.set("extra-params", params);
    const auto error = clip.play();
    ASSERT_TRUE(error) << params;
    EXPECT_TRUE(error->is(GST_RESOURCE_ERROR_SETTINGS));
    EXPECT_NE(error->text.find("big is neither a finite number nor an integer up to "), std::string::npos)
        << error->text;
  }
}

TEST(ClipSettingsErrors, NameEverythingThatIsMissingOrWrongAtOnce) {
  g_unsetenv("GENCLIP_BASE_URL");
  g_unsetenv("GENCLIP_API_KEY");
  g_unsetenv("GENCLIP_API_KEY_FILE");
  ClipPipeline clip;
  clip.set("proxy", "gopher://proxy.example");
  clip.set("tls-ca-file", "/nowhere.pem");
  clip.set("duration", "99");
  clip.set("model", "dance 2.5");
  EXPECT_EQ(clip.go(GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  const auto error = error_of(clip.wait(GST_MESSAGE_ERROR));
  EXPECT_TRUE(error.is(GST_RESOURCE_ERROR_SETTINGS));
  for (const char *part : {"dance-2.5", "base-url", "API key", "gopher://proxy.example", "/nowhere.pem"})
    EXPECT_NE(error.text.find(part), std::string::npos) << part << " in: " << error.text;
}

// Frames of a clip need publishing only where the clip is not stored.
TEST_F(ClipProperties, PublishingLetsAUriNameFiles) {
  for (const char *variable : {"GENCLIP_PUBLISH_FOLDER", "GENCLIP_PUBLISH_URL", "GENCLIP_PUBLISH_COMMAND"})
    g_unsetenv(variable);
  auto *handler = GST_URI_HANDLER(src_.get());
  const char *const file = "genclip://sd_2.0_special?prompt=x&first_image=/a.png";
  const char *const frame =
      "genclip://sd_2.0_special?prompt=x&first_image=genclip://dance-2.5%3Fprompt%3Dy%23last";
  GErrorPtr error;
  EXPECT_FALSE(gst_uri_handler_set_uri(handler, file, take(error)));
  ASSERT_TRUE(error);
  EXPECT_TRUE(strstr(error->message, "set publish-folder and publish-url")) << error->message;
  EXPECT_TRUE(gst_uri_handler_set_uri(handler, frame, nullptr));
  g_object_set(src_.get(), "publish-folder", "/srv/www", "publish-url", "https://p.example", nullptr);
  for (const char *uri : {file, frame}) {
    EXPECT_TRUE(gst_uri_handler_set_uri(handler, uri, nullptr)) << uri;
    EXPECT_STREQ(GStringPtr(gst_uri_handler_get_uri(handler)).get(), uri);
  }
  gchar *reference = nullptr;
  g_object_get(src_.get(), "first-image", &reference, nullptr);
  EXPECT_STREQ(GStringPtr(reference).get(), "genclip://dance-2.5?prompt=y#last");
}

}  // namespace
}  // namespace genclip::test
