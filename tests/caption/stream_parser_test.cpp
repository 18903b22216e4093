// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Every framing of an answer, whole, cut at every byte, and a byte at a time.
#include "plugin/caption/stream_parser.h"

#include <gtest/gtest.h>

#include <ostream>

namespace genclip {
namespace {

// The documents as text, and the end of the stream.
struct Reading {
  std::vector<std::string> documents;
  std::string error;
  friend bool operator==(const Reading &, const Reading &) = default;
  friend std::ostream &operator<<(std::ostream &out, const Reading &reading) {
    for (const std::string &document : reading.documents) out << document << '\n';
    return out << "error: " << reading.error;
  }
};

Reading read(const std::vector<std::string_view> &pieces) {
  StreamParser parser;
  std::vector<Json> documents;
  Reading reading;
  Result<void> result;
  for (const std::string_view piece : pieces)
    if (result) result = parser.feed(piece, documents);
  if (result) result = parser.finish(documents);
  for (const Json &document : documents) reading.documents.push_back(document.to_text());
  if (!result) reading.error = result.error().text;
  return reading;
}

const std::string kTwo = R"({"a":"one"}|{"b":["]}",{"c":"\"é\\"}]})";

struct StreamShape {
  const char *name;
  std::string bytes;
  std::string documents;  // separated by bars
  std::string error = {};
};

std::vector<StreamShape> shapes() {
  const std::string a = R"({"a":"one"})";
  const std::string b = R"({"b":["]}",{"c":"\"é\\"}]})";
  const std::string pretty_b = "{\n  \"b\": [\n    \"]}\",\n    {\"c\": \"\\\"é\\\\\"}\n  ]\n}";
  return {
      {"events, LF", "data: " + a + "\n\ndata: " + b + "\n\n", kTwo},
      {"events, CRLF", "data: " + a + "\r\n\r\ndata: " + b + "\r\n\r\n", kTwo},
      {"events, CR", "data: " + a + "\r\rdata: " + b + "\r\r", kTwo},
      {"events without a space", "data:" + a + "\n\ndata:" + b + "\n\n", kTwo},
      {"events and [DONE]", "data: " + a + "\n\ndata: " + b + "\n\ndata: [DONE]\n\n", kTwo},
      {"[DONE] directly behind the last event", "data: " + a + "\n\ndata: " + b + "\ndata: [DONE]\n\n", kTwo},
      {"[DONE] directly behind data over several lines",
       "data: " + a + "\n\ndata: {\"b\":\ndata: [\"]}\",{\"c\":\"\\\"é\\\\\"}]}\ndata: [DONE]", kTwo},
      {"events without a blank line", "data: " + a + "\ndata: " + b + "\n", kTwo},
      {"events without a blank line, CRLF", "data: " + a + "\r\ndata: " + b + "\r\ndata: [DONE]\r\n\r\n",
       kTwo},
      {"events with names, without a blank line",
       "event: message\ndata: " + a + "\nevent: message\ndata: " + b + "\n\n", kTwo},
      {"last event without its blank line", "data: " + a + "\n\ndata: " + b, kTwo},
      {"last event with one line end", "data: " + a + "\n\ndata: " + b + "\r\n", kTwo},
      {"data over several lines", "data: {\"a\":\ndata: \"one\"}\n\ndata:" + b + "\n\n", kTwo},
      {"data over several lines, CRLF", "data: {\"a\":\r\ndata: \"one\"}\r\n\r\ndata:" + b + "\r\n\r\n",
       kTwo},
      {"comments and other fields",
       ": ping\n\nevent: message\nid: 7\nretry: 10\ndata: " + a + "\n\n:\n\nid\nevent\nretry\ndata: " + b +
           "\n\n",
       kTwo},
      {"a field that only begins like data", "database: {\ndata: " + a + "\n\ndata: " + b + "\n\n", kTwo},
      {"an empty data line", "data\n\ndata:\n\ndata: " + a + "\n\ndata: " + b + "\n\n", kTwo},
      {"byte order mark before events",
       "\xEF\xBB\xBF"
       "data: " +
           a + "\n\ndata: " + b + "\n\n",
       kTwo},
      {"an array in an event", "data: [" + a + "," + b + "]\n\n", kTwo},
      {"an error in the middle of events, bare", "data: " + a + "\n\n{\n  \"error\": {\"code\": 503}\n}\n",
       R"({"a":"one"}|{"error":{"code":503}})"},
      {"array", "[" + a + "," + b + "]", kTwo},
      {"pretty array", "[{\n  \"a\": \"one\"\n}\n,\n" + pretty_b + "\n]\n", kTwo},
      {"pretty array, CRLF, commas ahead", "[{\r\n\"a\":\"one\"}\r\n,\r\n" + b + "\r\n]", kTwo},
      {"byte order mark before an array", "\xEF\xBB\xBF \n[" + a + "," + b + "]", kTwo},
      {"a document a line", a + "\n" + b + "\n", kTwo},
      {"a document a line, CRLF, no last end", a + "\r\n" + b, kTwo},
      {"documents without anything between", a + b, kTwo},
      {"null between the documents of lines", a + "\nnull\n" + b + "\nnull\n", kTwo},
      {"null before the documents of lines", "null\n" + a + "\n" + b, kTwo},
      {"null in an array", "[null," + a + ",null\n," + b + "]", kTwo},
      {"one document", R"({"a":"one"})", R"({"a":"one"})"},
      {"an error document", "{\n \"error\": {\"code\": 400, \"message\": \"no\"}\n}\n",
       R"({"error":{"code":400,"message":"no"}})"},
      {"an error in an array", "[{\"error\":{\"code\":429}}\n]", R"({"error":{"code":429}})"},
      {"an empty array", "[]", ""},
      {"NUL escaped", R"({"a":"x\u0000y"})", "{\"a\":\"x\xEF\xBF\xBDy\"}"},
      {"not UTF-8", "{\"a\":\"\xFF\"}", "{\"a\":\"\xEF\xBF\xBD\"}"},
      {"nothing", "", "", "it is empty."},
      {"blanks", " \n", "", "it is empty."},
      {"a page", "<html></html>", "", "it is neither JSON nor a stream of events."},
      {"a sentence", "upstream is gone", "", "one of its lines is not an event."},
      {"an array that is not closed", "[" + a + ",", R"({"a":"one"})", "it ends in the middle."},
      {"a document that is cut", a + "\n{\"b\":[", R"({"a":"one"})", "it ends in the middle."},
      {"one bracket too many", "[" + a + "]]", R"({"a":"one"})", "a closing bracket has no opening one."},
      {"words between documents", "[" + a + " oops", R"({"a":"one"})",
       "there is text between its documents."},
      {"a word that begins like null", "[" + a + ",nul]", R"({"a":"one"})",
       "there is text between its documents."},
      {"null that is cut", a + "\nnu", R"({"a":"one"})", "it ends in the middle."},
      {"too many arrays", "[[[[[", "", "it nests too many arrays."},
  };
}

Reading expected(const StreamShape &shape) {
  Reading reading;
  for (size_t at = 0; at < shape.documents.size();) {
    const size_t bar = std::min(shape.documents.find("}|{", at), shape.documents.size() - 1) + 1;
    reading.documents.push_back(shape.documents.substr(at, bar - at));
    at = bar + 1;
  }
  if (!shape.error.empty()) reading.error = "The text gateway's answer cannot be read: " + shape.error;
  return reading;
}

TEST(StreamParser, ReadsEveryFramingTheSameWhole) {
  for (const StreamShape &shape : shapes()) EXPECT_EQ(read({shape.bytes}), expected(shape)) << shape.name;
}

TEST(StreamParser, ReadsTheSameWhereverTheBytesAreCut) {
  for (const StreamShape &shape : shapes()) {
    const std::string_view bytes = shape.bytes;
    const Reading whole = expected(shape);
    for (size_t cut = 0; cut <= bytes.size(); ++cut)
      ASSERT_EQ(read({bytes.substr(0, cut), bytes.substr(cut)}), whole) << shape.name << " cut at " << cut;
  }
}

TEST(StreamParser, ReadsTheSameAByteAtATime) {
  for (const StreamShape &shape : shapes()) {
    std::vector<std::string_view> pieces;
    for (size_t at = 0; at < shape.bytes.size(); ++at)
      pieces.push_back(std::string_view(shape.bytes).substr(at, 1));
    EXPECT_EQ(read(pieces), expected(shape)) << shape.name;
  }
}

TEST(StreamParser, GivesOutADocumentAsSoonAsItIsWhole) {
  const std::vector<std::pair<std::string, std::string>> kHeadsAndTails = {
      {"data: {\"a\":1}\n", "\n"}, {"[{\"a\":1", "}"}, {"{\"a\":1", "}"}};
  for (const auto &[head, tail] : kHeadsAndTails) {
    StreamParser parser;
    std::vector<Json> documents;
    ASSERT_TRUE(parser.feed(head, documents));
    EXPECT_TRUE(documents.empty()) << head;
    ASSERT_TRUE(parser.feed(tail, documents));
    EXPECT_EQ(documents.size(), 1u) << head;
  }
}

TEST(StreamParser, RefusesAnEventThatIsNoJson) {
  for (const char *bytes :
       {"data: {\"a\":\n\n", "data: oops\n\n", "data: {\"a\":\ndata: 1}}\n\n", "{\"a\" 1}"}) {
    const Reading reading = read({bytes});
    EXPECT_TRUE(reading.documents.empty()) << bytes;
    EXPECT_NE(reading.error.find("not JSON"), std::string::npos) << bytes << ": " << reading.error;
  }
}

TEST(StreamParser, RefusesADocumentAboveItsLimit) {
  for (const std::string head : {"data: {\"a\":\"", "{\"a\":\"", ": "}) {
    StreamParser parser;
    std::vector<Json> documents;
    ASSERT_TRUE(parser.feed(head + std::string(StreamParser::kMaxDocument - 20, 'x'), documents)) << head;
    const auto fed = parser.feed(std::string(40, 'x'), documents);
    ASSERT_FALSE(fed) << head;
    EXPECT_NE(fed.error().text.find("8 MiB"), std::string::npos) << fed.error().text;
  }
}

TEST(StreamParser, StaysBrokenOnceItIs) {
  StreamParser parser;
  std::vector<Json> documents;
  ASSERT_FALSE(parser.feed("<", documents));
  EXPECT_FALSE(parser.feed("{\"a\":1}", documents));
  EXPECT_FALSE(parser.finish(documents));
  EXPECT_TRUE(documents.empty());
}

}  // namespace
}  // namespace genclip
