// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Answers as gateways really send them: cases/gateway.jsonl has a row for each, with what must come of it. A
// row whose answer is asked for again names the first answer of two.
#include <gtest/gtest.h>

#include <fstream>

#include "plugin/base/gref.h"
#include "plugin/caption/answer_text.h"
#include "plugin/caption/content_client.h"
#include "plugin/caption/sentence_splitter.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_http_client.h"

namespace genclip::test {
namespace {

constexpr char kWhole[] =
    R"({"candidates":[{"content":{"parts":[{"text":"Well."}]},"finishReason":"STOP"}]})";

// Halves of surrogate pairs are in rows whose documents are texts: no JSON value can hold them.
std::string text_of(const Json &document) {
  return document.string() ? *document.string() : document.to_text();
}

struct Framing {
  const char *begin, *before, *between, *after, *end;
};

std::string framed(const Framing &framing, const Json::Array &events) {
  std::string body = framing.begin;
  for (size_t i = 0; i < events.size(); ++i)
    body += (i > 0 ? framing.between : "") + std::string(framing.before) + text_of(events[i]) + framing.after;
  return body + framing.end;
}

// The bodies that the row's answer may have; in every framing when it is a stream.
std::vector<std::string> bodies_of(const Json &row) {
  if (const Json *plain = row.find("plain")) return {text_of(*plain)};
  const Json::Array &events = *row.find("events")->array();
  if (row.find("cut"))
    return {framed({"", "data: ", "", "\r\n\r\n", ""}, events), framed({"[", "", ",", "\n", ""}, events),
            framed({"", "", "", "\n", ""}, events)};
  return {framed({"", "data: ", "", "\r\n\r\n", ""}, events),
          framed({"", "data: ", "", "\n\n", "data: [DONE]\n\n"}, events),
          framed({"[", "", ",", "\n", "]"}, events), framed({"", "", "", "\n", ""}, events)};
}

struct Heard {
  Result<ContentAnswer> answer;
  size_t requests;
  std::string sentences;  // one a line
};

Heard ask(const Json &row, const std::string &body, size_t max_read) {
  FakeClock clock;
  const auto http = std::make_shared<FakeHttpClient>(clock);
  FakeAnswer first = answer(200, body);
  if (row.find("cut")) first = cut_after(answer(200, body + "more"), body.size());
  first.max_read = max_read;
  http->expect(first);
  http->otherwise([](const HttpRequest &) { return answer(200, kWhole); });
  ContentClientSettings settings{"https://api.example/llm", {"sk-key"}, "agent/1"};
  settings.stream = row.find("events");
  ContentClient client(http, settings, clock);
  SentenceSplitter splitter;
  std::string sentences;
  ContentListener listener;
  listener.on_text = [&](std::string_view text) {
    for (const std::string &one : splitter.push(text)) sentences += one + "\n";
    return !sentences.empty();
  };
  listener.on_retry = [&] {
    splitter = {};
    return true;
  };
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  auto got = client.ask({.model = "m", .prompt = "Say it."}, listener, cancellable.get());
  for (const std::string &one : splitter.finish()) sentences += one + "\n";
  return {std::move(got), http->requests().size(), sentences};
}

TEST(GatewayCases, BringTheTextThatWasMeantOrAreAskedForAgain) {
  std::ifstream file(GENCLIP_GATEWAY_CASES);
  size_t rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    const auto row = Json::parse(line);
    ASSERT_TRUE(row) << line;
    const std::string expected = *row->find("expect")->string();
    const bool is_again = expected == "again";
    for (const std::string &body : bodies_of(*row))
      for (const size_t max_read : {size_t{1}, size_t{65536}}) {
        SCOPED_TRACE(*row->find("name")->string() + ": " + body);
        const Heard heard = ask(*row, body, max_read);
        ASSERT_TRUE(heard.answer) << heard.answer.error().text;
        EXPECT_EQ(answer_text(heard.answer->text), is_again ? "Well." : expected);
        EXPECT_EQ(heard.requests, is_again ? 2u : 1u);
        EXPECT_FALSE(heard.answer->broken_off);
        const bool is_partial = expected.find("Enjoy!") != expected.npos;
        EXPECT_EQ(heard.sentences.find("```") != std::string::npos,
                  expected.find("```") != expected.npos && !is_partial);
      }
  }
  EXPECT_GE(rows, 37u);
}

}  // namespace
}  // namespace genclip::test
