// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Answers whose JSON is odd, broken or hostile.
#include <gtest/gtest.h>

#include "tests/faults/play.h"

namespace genclip::test {
namespace {

using namespace std::string_literals;
using enum Place;

// Queries continue until then.
const Settings kTwoSeconds = {{"timeout", "2"}};

struct Body {
  const char *name;
  std::string text;
};

constexpr char kDoneWithoutId[] = R"({"status":"completed","video_url":"URL"})";

// "detail-list" is DetailList.
std::string camel(std::string_view words) {
  std::string name;
  bool begins = true;
  for (const char letter : words) {
    if (letter != '-') name += begins ? g_ascii_toupper(letter) : letter;
    begins = letter == '-';
  }
  return name;
}

// Answers in which no ID and no state can be found.
std::vector<Body> no_tasks() {
  return {
      {"Empty", ""},
      {"Blank", " \r\n\t "},
      {"EmptyObject", "{}"},
      {"EmptyList", "[]"},
      {"Null", "null"},
      {"Number", "42"},
      {"String", R"("t-1")"},
      {"Nul", "\0"s},
      {"Latin1Page", "<html>Seite nicht verf\xfcgbar</html>"},
      {"Page", "<!DOCTYPE html><html><body>Sign in</body></html>"},
      {"Xml", "<?xml version=\"1.0\"?><task id=\"t-1\"/>"},
      {"Truncated", R"({"status":"queued","id":"t-)"},
      {"TwoObjects", R"({"id":)"},
      {"BareWords", "{id: t-1}"},
      {"NestedDeeply", std::string(100'000, '[')},
      {"NestedDeeplyInObjects",
       [] {
         std::string text;
         for (int i = 0; i < 50'000; ++i) text += "{\"a\":";
         return text;
       }()},
      {"ListOfTasks", R"([{"id":"t-1"},{"id":"t-2"}])"},
      {"IdNull", R"({"id":null})"},
      {"IdEmpty", R"({"id":""})"},
      {"IdBlank", R"({"id":"  "})"},
      {"IdBoolean", R"({"id":true})"},
      {"IdObject", R"({"id":{"a":1}})"},
      {"IdList", R"({"id":["t-1","t-2"]})"},
      {"IdWithALineBreak", "{\"id\":\"t-1\\r\\nHost: evil\"}"},
      {"IdTooLong", R"({"id":")" + std::string(5000, 'x') + "\"}"},
      {"ErrorInside200", R"({"error":{"code":500,"message":"Try again"}})"},
      {"GarbageBytes", "\x80\xff{\"id\": \0 }}\xc3\x28"s},
      {"ByteOrderMarkOnly", "\xef\xbb\xbf"},
  };
}

// Unusual bodies of a completed task. URL stands for the clip's URL.
std::vector<Body> odd_completions() {
  return {
      {"UpperCase", R"({"status":"COMPLETED","video_url":"URL"})"},
      {"Succeeded", R"({"status":"succeeded","video_url":"URL"})"},
      {"Padded", R"({"status":" Done\n","video_url":"URL"})"},
      {"ResultUrlOnly", R"({"status":"completed","result_url":"URL"})"},
      {"VideoUrlNull", R"({"status":"completed","video_url":null,"result_url":"URL"})"},
      {"VideoUrlEmpty", R"({"status":"completed","video_url":"","result_url":"URL"})"},
      {"VideoUrlNumber", R"({"status":"completed","video_url":7,"result_url":"URL"})"},
      {"VideoUrlList", R"({"status":"completed","video_url":["URL"]})"},
      {"VideoUrlObject", R"({"status":"completed","video_url":{"url":"URL"}})"},
      {"UrlInTheOutput", R"({"status":"completed","output":["URL"]})"},
      {"UrlWithALonePercent", R"({"status":"completed","video_url":"URL&of=100%"})"},
      {"UrlWithoutAScheme", R"({"status":"completed","video_url":"RELATIVE"})"},
      {"UrlPadded", R"({"status":"completed","video_url":" URL\n"})"},
      {"ProgressText", R"({"status":"completed","progress":"50%","video_url":"URL"})"},
      {"ProgressObject", R"({"status":"completed","progress":{"a":[]},"video_url":"URL"})"},
      {"ProgressHuge", R"({"status":"completed","progress":1e300,"video_url":"URL"})"},
      {"AmountText", R"({"status":"completed","amount":"2.5 credits","video_url":"URL"})"},
      {"AmountNegative", R"({"status":"completed","amount":-1e308,"video_url":"URL"})"},
      {"ErrorEmptyObject", R"({"status":"completed","error":{},"video_url":"URL"})"},
      {"ErrorCodeZero", R"({"status":"completed","error":{"code":0},"video_url":"URL"})"},
      {"IdOtherBesideTheTasks", R"({"id":17,"task_id":"t-1","status":"completed","video_url":"URL"})"},
      {"InAList", R"([{"id":"t-1","status":"completed","video_url":"URL"}])"},
      {"InData", R"({"code":0,"data":{"id":"t-1","status":"completed","video_url":"URL"}})"},
      {"ByteOrderMark", "\xef\xbb\xbf{\"status\":\"completed\",\"video_url\":\"URL\"}"},
      {"InvalidUtf8Beside", "{\"model\":\"\xff\",\"status\":\"completed\",\"video_url\":\"URL\"}"},
      {"EscapedSlashes", R"({"status":"completed","video_url":"ESCAPED"})"},
      {"StatusTwice", R"({"status":"queued","status":"completed","video_url":"URL"})"},
      {"TaskStatus", R"({"task_status":"completed","video_url":"URL"})"},
  };
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const auto place = text.find(from);
  return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

// With the address that the clips have in this run.
Act completion(const std::string &text) {
  return edit([text](const Occasion &occasion) {
    const std::string url = occasion.media + "/clips/t-1.mp4?sig=s3cr3t";
    std::string escaped;
    for (const char letter : url) escaped += letter == '/' ? std::string("\\/") : std::string(1, letter);
    const std::string relative = url.substr(url.find("//"));
    return answer(200,
                  replaced(replaced(replaced(text, "URL", url), "ESCAPED", escaped), "RELATIVE", relative));
  });
}

// A completed task whose clip has no usable URL.
std::vector<Body> bad_addresses() {
  return {
      {"NoUrl", R"({"status":"completed"})"},
      {"UrlOfAFile", R"({"status":"completed","video_url":"file:///etc/passwd"})"},
      {"UrlOfData", R"({"status":"completed","video_url":"data:video/mp4;base64,AAAA"})"},
      {"UrlOfFtp", R"({"status":"completed","video_url":"ftp://127.0.0.1/c.mp4"})"},
      {"UrlIsAWord", R"({"status":"completed","video_url":"pending"})"},
      {"UrlWithSpaces", R"({"status":"completed","video_url":"a clip"})"},
  };
}

std::vector<FaultCase> json_cases() {
  std::vector<FaultCase> cases;
  for (const Body &odd : no_tasks()) {
    cases.push_back({.name = std::string("Submit") + odd.name,
                     .misdeeds = {at(submit, body(odd.text), 1)},
                     .ending = doubtful(GST_RESOURCE_ERROR_READ)});
    // Without an ID or a state, that is: an object of that kind keeps it polling.
    cases.push_back({.name = std::string("Query") + odd.name + "Once",
                     .misdeeds = {at(query, body(odd.text), 1)},
                     .ending = recovers()});
  }
  const Body kBroken[] = {
      {"Empty", ""}, {"Null", "null"}, {"APage", "<html>"}, {"Truncated", "{\"id\":"}, {"AList", "[1,2]"}};
  for (const Body &broken : kBroken)
    cases.push_back({.name = std::string("QueryForEver") + broken.name,
                     .misdeeds = {at(query, body(broken.text))},
                     .ending = kept(GST_RESOURCE_ERROR_READ, "not a task"),
                     .settings = kTwoSeconds});
  for (const Body &odd : odd_completions())
    cases.push_back({.name = std::string("Completed") + odd.name,
                     .misdeeds = {at(query, completion(odd.text))},
                     .ending = recovers()});
  for (const Body &odd : bad_addresses())
    cases.push_back({.name = std::string("Completed") + odd.name,
                     .misdeeds = {at(query, body(odd.text))},
                     .ending = kept(GST_RESOURCE_ERROR_NOT_FOUND, "The task is done, but")});
  const Body kOthers[] = {{"Number", R"({"id":17,"status":"completed","video_url":"URL"})"},
                          {"Text", R"({"id":"another","status":"completed","video_url":"URL"})"}};
  for (const Body &other : kOthers) {
    cases.push_back({.name = std::string("AnotherTasksAnswerWithIdOf") + other.name,
                     .misdeeds = {at(query, completion(other.text))},
                     .ending = kept(GST_RESOURCE_ERROR_READ, "different task")});
    cases.push_back({.name = std::string("AnotherTasksAnswerOnceWithIdOf") + other.name,
                     .misdeeds = {at(query, completion(other.text), 1)},
                     .ending = recovers()});
  }
  for (const char *shape : {"usual", "nested", "string", "object", "code-text", "detail", "detail-list",
                            "problem", "fail-reason", "escaped"})
    cases.push_back({.name = "TaskFailsAs" + camel(shape),
                     .simulator = {std::string("query:fail=moderated by rule seven;shape=") + shape},
                     .ending = failed("moderated by rule seven")});
  for (const char *shape : {"nested", "string", "object", "code-text", "detail", "detail-list", "problem",
                            "fail-reason", "escaped", "empty", "text"})
    cases.push_back({.name = "SubmitRefusedAs" + camel(shape),
                     .simulator = {std::string("submit#1:status=422;shape=") + shape},
                     .ending = refused(GST_RESOURCE_ERROR_SETTINGS,
                                       shape == "empty"s || shape == "text"s ? "" : "Simulated")});
  const FaultCase kMore[] = {
      // Any bytes in an answer are survived; an ID with such bytes is queried as it is.
      {.name = "NulInTheId",
       .misdeeds = {at(submit, body("{\"id\":\"t\0-1\"}"s), 1), at(query, completion(kDoneWithoutId))},
       .ending = recovers()},
      {.name = "InvalidUtf8InTheId",
       .misdeeds = {at(submit, body("{\"id\":\"\xff\xfe\"}"), 1), at(query, completion(kDoneWithoutId))},
       .ending = recovers()},
      {.name = "IdIsANumber", .simulator = {"submit:id-number"}, .ending = recovers()},
      {.name = "NoUrlAtFirst", .simulator = {"query#1-2:no-url"}, .ending = recovers()},
      {.name = "StateUnknownAtFirst", .simulator = {"query#1:state=pondering"}, .ending = warns("pondering")},
      {.name = "StateUnknownForEver",
       .simulator = {"query:state=pondering"},
       .ending = kept(GST_RESOURCE_ERROR_READ, "not done"),
       .settings = {{"timeout", "1"}}},
      {.name = "StateMissingForEver",
       .simulator = {"query:drop=status"},
       .ending = kept(GST_RESOURCE_ERROR_READ, "not done"),
       .settings = {{"timeout", "1"}}},
      {.name = "StateNull", .simulator = {"query#1:set=status:null"}, .ending = recovers()},
      {.name = "StateObject", .simulator = {"query#1:set=status:{\"a\":1}"}, .ending = recovers()},
      {.name = "QueuedForEver",
       .simulator = {"query:state=queued"},
       .ending = kept(GST_RESOURCE_ERROR_READ, "not done"),
       .settings = {{"timeout", "1"}}},
      {.name = "CompletedByProgressOnly",
       .misdeeds = {at(query, body(R"({"status":"processing","progress":100})"))},
       .ending = kept(GST_RESOURCE_ERROR_READ, "not done"),
       .settings = {{"timeout", "1"}}},
      {.name = "KeyInTheErrorMessage",
       .misdeeds = {refusing(at(submit, say(answer(401, R"({"error":"bad key secret-key-4711"})")), 1))},
       .ending = refused(GST_RESOURCE_ERROR_NOT_AUTHORIZED, "bad key")},
      {.name = "SignedUrlInTheErrorMessage",
       .misdeeds = {at(query, body(R"({"status":"failed","error":"see https://x.example/a?sig=s3cr3t"})"))},
       .ending = failed("x.example")},
      {.name = "KeyAsState",
       .misdeeds = {at(query, body(R"({"status":"secret-key-4711"})"), 1)},
       .ending = warns("unknown status")},
      {.name = "KeyAsTaskId",
       .misdeeds = {at(submit, body(R"({"id":"secret-key-4711"})"), 1)},
       .ending = doubtful(GST_RESOURCE_ERROR_READ)},
      {.name = "MarkupInTheErrorMessage",
       .misdeeds = {at(query, body(R"({"status":"failed","error":"<b>\u001b[31m%s%n\u0000</b>"})"))},
       .ending = failed("<b>")},
      {.name = "ErrorMessageOfAMegabyte",
       .misdeeds = {at(query, body(R"({"status":"failed","error":")" + std::string(1 << 20, 'x') + "\"}"))},
       .ending = failed("xxx")},
  };
  cases.insert(cases.end(), std::begin(kMore), std::end(kMore));
  return cases;
}

FAULT_TABLE(JsonFault, json_cases);

}  // namespace
}  // namespace genclip::test
