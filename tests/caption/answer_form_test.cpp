// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Answers in several languages and about several cues, as models really write them.
#include "plugin/caption/answer_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace genclip {
namespace {

using testing::HasSubstr;

const Languages kBoth = {"de", "en"};

std::string of(const FormAnswers &answers) {
  std::string all;
  for (const auto &[language, texts] : answers)
    for (const std::string &text : texts) all += language + "=" + text + ";";
  return all;
}
std::string understood(std::string_view text, const Languages &languages = kBoth, size_t cues = 1) {
  return of(read_form(text, languages, cues));
}

TEST(AnswerForm, AsksForNothingSpecialWhereNothingIsWanted) { EXPECT_EQ(form_request({""}, 1), ""); }

TEST(AnswerForm, NamesTheLanguagesAndTheKeys) {
  EXPECT_EQ(form_request({"pt-BR"}, 1),
            "Answer in the language pt-BR (a BCP 47 tag), and in no other language.");
  const std::string form = form_request(kBoth, 1);
  EXPECT_THAT(form, HasSubstr("(BCP 47 tags): de, en. "));
  EXPECT_THAT(form, HasSubstr("exactly these keys: \"de\", \"en\"."));
  EXPECT_THAT(form_request(kBoth, 3), HasSubstr("3 cues, numbered from [1] to [3]."));
}

TEST(AnswerForm, IsAnObject) {
  EXPECT_EQ(understood(R"({"de":"Hund","en":"dog"})"), "de=Hund;en=dog;");
  EXPECT_EQ(understood(R"({"en":"dog","de":"Hund"})"), "de=Hund;en=dog;");
}

TEST(AnswerForm, MayBeWrappedIntoWordsAndMarkdown) {
  for (const char *text :
       {"```json\n{\"de\":\"Hund\",\"en\":\"dog\"}\n```", "```\n{\"de\":\"Hund\",\"en\":\"dog\"}\n```\n",
        "Sure! Here it is:\n{\"de\":\"Hund\",\"en\":\"dog\"}\nAnything else?",
        "I use {braces}: {\"de\": \"Hund\", \"en\": \"dog\"}", "[{\"de\":\"Hund\",\"en\":\"dog\"}]",
        "{\"answers\":{\"de\":\"Hund\",\"en\":\"dog\"}}",
        "{\"de\":\"?\"} No: {\"de\":\"Hund\",\"en\":\"dog\"}", "{\"DE\":\"Hund\",\"En\":\"dog\"}",
        "{\"de-DE\":\"Hund\",\"en_US\":\"dog\",\"fr\":\"chien\"}", "{\"deu\":\"Hund\",\"eng\":\"dog\"}",
        "{\"de\":\" Hund \",\"en\":\"```\\ndog\\n```\"}"})
    EXPECT_EQ(understood(text), "de=Hund;en=dog;") << text;
  EXPECT_EQ(understood(R"({"de":"Ein } \"Hund\" {","en":"a \\ dog"})"), "de=Ein } \"Hund\" {;en=a \\ dog;");
}

// As JavaScript, Python and people write objects. Each language that could not be read is paid for again.
TEST(AnswerForm, MayBeNearlyJson) {
  for (const char *text :
       {R"({'de': 'Hund', 'en': 'dog'})", R"({"de": "Hund", "en": "dog",})",
        "{\n 'de': 'Hund',\n 'en': 'dog',\n}",
        R"(Sure: {'captions': [{'de': 'Hund'}, {'de': 'Hund', 'en': 'dog',}],})",
        R"({'de': 'Hund', "en": "dog"})", R"(It's {this}: {'de': 'Hund', 'en': 'dog'}, isn't it?)"})
    EXPECT_EQ(understood(text), "de=Hund;en=dog;") << text;
  EXPECT_EQ(understood(R"({'de': 'Der "Hund", }', 'en': "it's a \"dog\""})"),
            R"(de=Der "Hund", };en=it's a "dog";)");
  EXPECT_EQ(understood(R"({'de': 'Geht\'s?', 'en': 'It\'s'})"), "de=Geht's?;en=It's;");
  EXPECT_EQ(understood("{\"de\": \"Ein\nHund\", \"en\": \"dog\"}"), "de=Ein\nHund;en=dog;");
  // The second string has no certain end.
  EXPECT_EQ(understood(R"({'de': 'Hund', 'en': 'it's a dog'})"), "de=;en=;");
}

TEST(AnswerForm, LacksWhatIsNotCertain) {
  EXPECT_EQ(understood(R"({"en":"dog"})"), "de=;en=dog;");
  for (const char *text : {"", "Hund, dog", "{", "{\"de\":\"Hund\",\"en\":\"do", "null", "{\"fr\":\"chien\"}",
                           "{\"de\":1,\"en\":null}", "{\"de\":{},\"en\":[]}"})
    EXPECT_EQ(understood(text), "de=;en=;") << text;
}

// Two keys of the same language say which one is which only by their whole tags.
TEST(AnswerForm, NeverTakesOneVariantForAnother) {
  const Languages portuguese = {"pt-BR", "pt-PT"};
  EXPECT_EQ(understood(R"({"pt":"cão","pt-PT":"cão!"})", portuguese), "pt-BR=;pt-PT=cão!;");
  EXPECT_EQ(understood(R"({"pt":"cão"})", portuguese), "pt-BR=;pt-PT=;");
  EXPECT_EQ(understood(R"({"pt":"cão"})", {"pt-BR", "en"}), "en=;pt-BR=cão;");
  EXPECT_EQ(understood(R"({"en-GB":"dog","en-US":"dawg","de":"Hund"})"), "de=Hund;en=;");
}

TEST(AnswerForm, OfOneLanguageIsItsText) {
  EXPECT_EQ(understood("Ein Hund.", {"de"}), "de=Ein Hund.;");
  EXPECT_EQ(understood("```\nEin Hund.\n```", {"de"}), "de=Ein Hund.;");
  EXPECT_EQ(understood(R"({"de":"Ein Hund."})", {"de"}), "de=Ein Hund.;");
  EXPECT_EQ(understood(R"(```json
{"de":"Ein Hund."}
```)",
                       {"de"}),
            "de=Ein Hund.;");
  for (const char *text : {"[{\"de\": \"Ein Hund.\"}]", "```json\n[\n {\"de\": \"Ein Hund.\"}\n]\n```",
                           "\uFEFF{\"de\":\"Ein Hund.\"}", "\u200B[{\"de\":\"Ein Hund.\"}]\u00A0"})
    EXPECT_EQ(understood(text, {"de"}), "de=Ein Hund.;") << text;
  for (const char *text : {"[Musik]", "[1]", "[{Musik}]", "[]"})
    EXPECT_EQ(understood(text, {"de"}), "de=" + std::string(text) + ";");
  for (const char *text : {"Here it is:\n{\"de\": \"Ein Hund.\"}", "{'de': 'Ein Hund.'}",
                           "Sure!\n```json\n{\"de\": \"Ein Hund.\",}\n```\nAnything else?"})
    EXPECT_EQ(understood(text, {"de"}), "de=Ein Hund.;") << text;
  for (const char *text : {R"({"en":"A dog."})", R"([{"en":"A dog."}])", "{'en': 'A dog.'}"})
    EXPECT_EQ(understood(text, {"de"}), "de=;") << text;
  EXPECT_EQ(understood("Da steht {\"en\":1}.", {"de"}), "de=Da steht {\"en\":1}.;");
  EXPECT_EQ(understood("{leise} Hallo", {"de"}), "de={leise} Hallo;");
}

TEST(AnswerForm, OfCuesHasTheirNumbers) {
  EXPECT_EQ(understood("[1] eins\n[2] zwei", {"de"}, 2), "de=eins;de=zwei;");
  EXPECT_EQ(understood(R"({"de":"[1] eins\n[2] zwei","en":"[2] two\n[1] one"})", kBoth, 2),
            "de=eins;de=zwei;en=one;en=two;");
  EXPECT_EQ(understood(R"({"de":{"2":"zwei","1":"eins"},"en":["one","2. two"]})", kBoth, 2),
            "de=eins;de=zwei;en=one;en=two;");
  EXPECT_EQ(understood(R"({"de":"[1] eins\n[3] zwei","en":["one"]})", kBoth, 2), "de=;de=;en=;en=;");
  EXPECT_EQ(understood(R"({"de":{"1":"- A\n\n- B","2":"- C\n\n- D"},"en":{"1":"a","2":"[3] b"}})", kBoth, 2),
            "de=- A\n\n- B;de=- C\n\n- D;en=a;en=[3] b;");
  EXPECT_EQ(understood(R"({"de":{"1":"eins","01":"zwei"},"en":{"1":"one","3":"two"}})", kBoth, 2),
            "de=;de=;en=;en=;");
}

TEST(AnswerForm, NumbersTheLinesOfTexts) {
  EXPECT_EQ(numbered_cues({"a", "b\nc", "d"}), "[1] a\n[2] b\nc\n[3] d");
}

// Time is linear whatever the model writes.
TEST(AnswerForm, OfManyBracesTakesNoTime) {
  const std::string text(1 << 20, '{');
  EXPECT_EQ(understood(text), "de=;en=;");
}

}  // namespace
}  // namespace genclip
