// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Answers of the task APIs, good, odd and broken, with what each means; the verdicts are written by hand.
#include <glib.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "plugin/task/status_word.h"
#include "plugin/task/task_wire.h"
#include "tests/support/time_limit.h"

namespace genclip {
namespace {

constexpr auto unknown = TaskStatus::unknown;
constexpr auto queued = TaskStatus::queued;
constexpr auto processing = TaskStatus::processing;
constexpr auto completed = TaskStatus::completed;
constexpr auto failed = TaskStatus::failed;

// What is not named is as it is when nothing is known.
struct Row {
  std::string what;
  std::string body;
  bool is_task = true;
  std::string id = {};
  TaskStatus status = unknown;
  int progress = -1;
  std::string url = {};
  double amount = -1;
  double duration = -1;
  std::string error = {};
  std::string odd_amount = {};
};

std::string repeated(const std::string &part, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += part;
  return all;
}

const std::vector<Row> kRows = {
    // As §2.1 has it.
    {.what = "a submit's answer",
     .body =
         R"({"id":"task-1","object":"video","created":1767225600,"model":"sd_2.0_special","status":"queued",
                 "progress":0,"error":null})",
     .id = "task-1",
     .status = queued,
     .progress = 0},
    {.what = "on its way",
     .body = R"({"id":"task-1","status":"processing","progress":42,"amount":12,"error":null})",
     .id = "task-1",
     .status = processing,
     .progress = 42,
     .amount = 12},
    {.what = "done",
     .body = R"({"id":"task-1","status":"completed","progress":100,"result_url":"https://a/r.mp4",
                 "video_url":"https://a/v.mp4?sig=1","amount":12.5,"actualDuration":5,"error":null})",
     .id = "task-1",
     .status = completed,
     .progress = 100,
     .url = "https://a/v.mp4?sig=1",
     .amount = 12.5,
     .duration = 5},
    {.what = "failed",
     .body = R"({"id":"task-1","status":"failed","progress":30,"error":"The prompt was refused."})",
     .id = "task-1",
     .status = failed,
     .progress = 30,
     .error = "The prompt was refused."},
    {.what = "an image: no typed URL",
     .body = R"({"id":"i","object":"image","status":"completed","result_url":"https://a/i.png"})",
     .id = "i",
     .status = completed,
     .url = "https://a/i.png"},

    // IDs.
    {.what = "an ID as a number",
     .body = R"({"id":12345,"status":"queued"})",
     .id = "12345",
     .status = queued},
    {.what = "an ID of 19 digits", .body = R"({"id":1234567890123456789})", .id = "1234567890123456789"},
    {.what = "an ID beyond 64 bits", .body = R"({"id":98765432109876543210})", .id = "98765432109876543210"},
    {.what = "an ID as a float", .body = R"({"id":12.0})", .id = "12"},
    {.what = "a negative ID", .body = R"({"id":-7})", .id = "-7"},
    {.what = "an empty ID", .body = R"({"id":""})"},
    {.what = "an ID of blanks", .body = R"({"id":"  "})"},
    {.what = "blanks around an ID", .body = R"({"id":" a1\n"})", .id = "a1"},
    {.what = "an ID that is null", .body = R"({"id":null})"},
    {.what = "an ID that is true", .body = R"({"id":true})"},
    {.what = "an ID that is an object", .body = R"({"id":{"a":1}})"},
    {.what = "an ID under its other name", .body = R"({"task_id":"t2"})", .id = "t2"},
    {.what = "an empty ID beside its other name", .body = R"({"id":"","task_id":"t2"})", .id = "t2"},
    {.what = "both names", .body = R"({"task_id":"t2","id":"t1"})", .id = "t1"},
    {.what = "an ID with a line break inside", .body = R"({"id":"a\nb"})"},
    {.what = "an ID of a megabyte", .body = R"({"id":")" + std::string(1 << 20, 'a') + R"("})"},
    {.what = "an ID that is not ASCII", .body = R"({"id":"\u4efb\u52a1/1?x"})", .id = "任务/1?x"},

    // Progress.
    {.what = "progress 0", .body = R"({"progress":0})", .progress = 0},
    {.what = "progress 1 of 100", .body = R"({"progress":1})", .progress = 1},
    {.what = "progress 100",
     .body = R"({"status":"processing","progress":100})",
     .status = processing,
     .progress = 100},
    {.what = "progress above 100", .body = R"({"progress":101})", .progress = 100},
    {.what = "progress far above 100", .body = R"({"progress":1e300})", .progress = 100},
    {.what = "progress below 0", .body = R"({"progress":-1})"},
    {.what = "progress 0.5 of 1", .body = R"({"progress":0.5})", .progress = 50},
    {.what = "progress 0.57 of 1", .body = R"({"progress":0.57})", .progress = 57},
    {.what = "progress 0.999 of 1", .body = R"({"progress":0.999})", .progress = 99},
    {.what = "progress 1.0 of 1", .body = R"({"progress":1.0})", .progress = 100},
    {.what = "progress 0.0", .body = R"({"progress":0.0})", .progress = 0},
    {.what = "progress 37.5 of 100", .body = R"({"progress":37.5})", .progress = 37},
    {.what = "progress as 50%", .body = R"({"progress":"50%"})", .progress = 50},
    {.what = "progress as 50 %", .body = R"({"progress":" 50 % "})", .progress = 50},
    {.what = "progress as 0.5%", .body = R"({"progress":"0.5%"})", .progress = 0},
    {.what = "progress as text", .body = R"({"progress":"37"})", .progress = 37},
    {.what = "progress as text of 1", .body = R"({"progress":"0.5"})", .progress = 50},
    {.what = "progress as the text NaN", .body = R"({"progress":"NaN"})"},
    {.what = "progress as the text inf", .body = R"({"progress":"inf"})"},
    {.what = "progress as a text beyond all numbers", .body = R"({"progress":"1e999"})"},
    {.what = "progress as words", .body = R"({"progress":"half"})"},
    {.what = "progress as an empty text", .body = R"({"progress":""})"},
    {.what = "progress as a ratio", .body = R"({"progress":"3/10"})"},
    {.what = "progress in hexadecimal", .body = R"({"progress":"0x10"})"},
    {.what = "progress null", .body = R"({"progress":null})"},
    {.what = "progress true", .body = R"({"progress":true})"},
    {.what = "progress in a list", .body = R"({"progress":[50]})"},

    // Quantities.
    {.what = "numbers as texts",
     .body = R"({"amount":"12.5","actualDuration":"5"})",
     .amount = 12.5,
     .duration = 5},
    {.what = "numbers with units",
     .body = R"({"amount":"3 credits","actualDuration":"5.04s"})",
     .amount = 3,
     .duration = 5.04},
    {.what = "numbers of nothing", .body = R"({"amount":0,"actualDuration":0})", .amount = 0, .duration = 0},
    {.what = "numbers below 0", .body = R"({"amount":-3,"actualDuration":-0.1})", .odd_amount = "-3"},
    {.what = "numbers with separators",
     .body = R"({"amount":"1,234.5","actualDuration":"0:05"})",
     .odd_amount = R"("1,234.5")"},
    {.what = "an amount with a decimal comma", .body = R"({"amount":"12,5"})", .odd_amount = R"("12,5")"},
    {.what = "an amount in a currency", .body = R"({"amount":"$5"})", .odd_amount = R"("$5")"},
    {.what = "an amount with a currency behind it",
     .body = R"({"amount":"5 USD"})",
     .odd_amount = R"("5 USD")"},
    {.what = "an amount of one credit", .body = R"({"amount":" 1 Credit "})", .amount = 1},
    {.what = "the largest amount", .body = R"({"amount":1e9})", .amount = 1e9},
    {.what = "an amount that is too large",
     .body = R"({"amount":1000000001,"actualDuration":1e300})",
     .odd_amount = "1000000001"},
    {.what = "an amount that is infinite", .body = R"({"amount":"inf"})", .odd_amount = R"("inf")"},
    {.what = "an amount that is a key",
     .body = R"({"amount":"Bearer sk-12345678"})",
     .odd_amount = R"("Bearer ***")"},
    {.what = "numbers that are null", .body = R"({"amount":null,"actualDuration":null})"},
    {.what = "numbers that are objects",
     .body = R"({"amount":{"value":1},"actualDuration":[5]})",
     .odd_amount = R"({"value":1})"},
    {.what = "names in capitals",
     .body = R"({"ID":"t","STATUS":"COMPLETED","PROGRESS":100,"VIDEO_URL":"https://a/v.mp4","AMOUNT":5,
                 "ACTUAL_DURATION":7})",
     .id = "t",
     .status = completed,
     .progress = 100,
     .url = "https://a/v.mp4",
     .amount = 5,
     .duration = 7},
    {.what = "names in capitals, of a bare ID", .body = R"({"Code":0,"Data":"task-1"})", .id = "task-1"},
    {.what = "names in capitals, of a refusal", .body = R"({"Code":7,"Data":"task-1"})"},
    {.what = "a duration in the other spelling", .body = R"({"actual_duration":7})", .duration = 7},

    // Statuses.
    {.what = "a status in capitals", .body = R"({"status":"QUEUED"})", .status = queued},
    {.what = "blanks around a status", .body = R"({"status":"  Processing\t\r\n"})", .status = processing},
    {.what = "a status with a hyphen", .body = R"({"status":"in-progress"})", .status = processing},
    {.what = "a status of two words", .body = R"({"status":"In Progress"})", .status = processing},
    {.what = "a status with a hump", .body = R"({"status":"inProgress"})", .status = processing},
    {.what = "no status", .body = R"({"id":"a"})", .id = "a"},
    {.what = "a status that is null", .body = R"({"status":null,"progress":5})", .progress = 5},
    {.what = "an empty status", .body = R"({"status":""})"},
    {.what = "a status that nobody knows", .body = R"({"status":"reticulating"})"},
    {.what = "a status that only begins like one", .body = R"({"status":"failed_over"})"},
    {.what = "a status that is a number", .body = R"({"status":2})"},
    {.what = "a status that is an object", .body = R"({"status":{"name":"completed"}})"},
    {.what = "all of 100 without a status: not done",
     .body = R"({"progress":100,"video_url":"https://a/v.mp4"})",
     .progress = 100},
    {.what = "a status under v1's possible names",
     .body = R"({"task_status":"SUCCEED"})",
     .status = completed},
    {.what = "a status as a state", .body = R"({"state":"running"})", .status = processing},

    // URLs.
    {.what = "done without a URL", .body = R"({"status":"completed"})", .status = completed},
    {.what = "done with empty URLs",
     .body = R"({"status":"completed","video_url":"","result_url":""})",
     .status = completed},
    {.what = "done with null URLs",
     .body = R"({"status":"completed","video_url":null,"result_url":null})",
     .status = completed},
    {.what = "an empty typed URL",
     .body = R"({"status":"completed","video_url":"","result_url":"https://a/r.mp4"})",
     .status = completed,
     .url = "https://a/r.mp4"},
    {.what = "a typed URL of a wrong scheme",
     .body = R"({"status":"completed","video_url":"file:///etc/passwd","result_url":"https://a/r.mp4"})",
     .status = completed,
     .url = "https://a/r.mp4"},
    {.what = "URLs of wrong schemes",
     .body =
         R"({"status":"completed","video_url":"ftp://a/v.mp4","result_url":"data:video/mp4;base64,AAAA"})",
     .status = completed},
    {.what = "relative URLs",
     .body = R"({"status":"completed","video_url":"/v.mp4","result_url":"//a/v.mp4"})",
     .status = completed},
    {.what = "a scheme and no more",
     .body = R"({"status":"completed","video_url":"https:"})",
     .status = completed},
    {.what = "a URL in capitals",
     .body = R"({"status":"completed","video_url":"HTTPS://A/v.mp4"})",
     .status = completed,
     .url = "HTTPS://A/v.mp4"},
    {.what = "blanks around a URL",
     .body = R"({"status":"completed","video_url":" https://a/v.mp4\n"})",
     .status = completed,
     .url = "https://a/v.mp4"},
    {.what = "escaped slashes",
     .body = R"({"status":"completed","video_url":"https:\/\/a\/v.mp4"})",
     .status = completed,
     .url = "https://a/v.mp4"},
    {.what = "a list of URLs",
     .body = R"({"status":"completed","result_url":[null,"","https://a/1.png","https://a/2.png"]})",
     .status = completed,
     .url = "https://a/1.png"},
    {.what = "an empty list of URLs",
     .body = R"({"status":"completed","video_url":[]})",
     .status = completed},
    {.what = "a URL in an object",
     .body = R"({"status":"completed","video_url":{"url":"https://a/v.mp4"}})",
     .status = completed,
     .url = "https://a/v.mp4"},
    {.what = "URLs that are no texts",
     .body = R"({"status":"completed","video_url":5,"result_url":true})",
     .status = completed},
    {.what = "a URL before it is done",
     .body = R"({"status":"processing","video_url":"https://a/v.mp4"})",
     .status = processing},
    {.what = "a URL of a failed task",
     .body = R"({"status":"failed","video_url":"https://a/v.mp4","error":"x"})",
     .status = failed,
     .error = "x"},

    // Errors.
    {.what = "an error object",
     .body = R"({"status":"failed","error":{"code":"moderated","message":"Image refused"}})",
     .status = failed,
     .error = "Image refused"},
    {.what = "an error that is empty", .body = R"({"status":"queued","error":{}})", .status = queued},
    {.what = "an error of code 0", .body = R"({"status":"queued","error":{"code":0}})", .status = queued},
    {.what = "an error of code 0, and good words",
     .body = R"({"status":"processing","error":{"code":0,"message":""}})",
     .status = processing},
    {.what = "an error that is an empty text",
     .body = R"({"status":"completed","error":""})",
     .status = completed},
    {.what = "an error that is false", .body = R"({"status":"queued","error":false})", .status = queued},
    {.what = "an error without a failure: keep polling",
     .body = R"({"status":"processing","error":"slow today"})",
     .status = processing,
     .error = "slow today"},
    {.what = "a code alone",
     .body = R"({"status":"failed","error":{"code":1003}})",
     .status = failed,
     .error = "code 1003"},
    {.what = "a number for an error",
     .body = R"({"status":"failed","error":1003})",
     .status = failed,
     .error = "code 1003"},
    {.what = "a failure without a message", .body = R"({"status":"failed","error":null})", .status = failed},
    {.what = "fail_reason",
     .body = R"({"status":"failed","error":null,"fail_reason":"timeout upstream"})",
     .status = failed,
     .error = "timeout upstream"},
    {.what = "a word as error, and its message beside it",
     .body = R"({"status":"failed","error":"moderated","message":"The first image shows a person"})",
     .status = failed,
     .error = "moderated: The first image shows a person"},
    {.what = "fail_reason beside an empty error",
     .body = R"({"status":"failed","error":{},"fail_reason":"timeout upstream"})",
     .status = failed,
     .error = "timeout upstream"},
    {.what = "a failure's message at the top",
     .body = R"({"status":"failed","message":"no capacity"})",
     .status = failed,
     .error = "no capacity"},
    {.what = "an error inside an error",
     .body = R"({"status":"failed","error":{"error":{"message":"deep","type":"x","param":null,"code":4}}})",
     .status = failed,
     .error = "deep"},
    {.what = "an error and its code",
     .body = R"({"status":"failed","error":{"error":"bad_input","message":"The image is too small."}})",
     .status = failed,
     .error = "The image is too small."},
    {.what = "a detail",
     .body = R"({"status":"failed","error":{"detail":"Not Found"}})",
     .status = failed,
     .error = "Not Found"},
    {.what = "a list of details",
     .body = R"({"status":"failed","error":{"detail":[{"loc":["body","prompt"],"msg":"field required"},
                                                      {"loc":["body","seed",0],"msg":"not a number"}]}})",
     .status = failed,
     .error = "body.prompt: field required; body.seed.0: not a number"},
    {.what = "RFC 7807",
     .body =
         R"({"status":"failed","error":{"type":"https://a/p","title":"Forbidden","detail":"No credits."}})",
     .status = failed,
     .error = "No credits."},
    {.what = "RFC 7807 without a detail",
     .body = R"({"status":"failed","error":{"type":"about:blank","title":"Forbidden","status":403}})",
     .status = failed,
     .error = "Forbidden"},
    {.what = "escaped once",
     .body = R"({"status":"failed","error":"{\"message\":\"inner\"}"})",
     .status = failed,
     .error = "inner"},
    {.what = "escaped twice",
     .body =
         R"({"status":"failed","error":{"message":"{\"error\":\"{\\\"message\\\":\\\"innermost\\\"}\"}"}})",
     .status = failed,
     .error = "innermost"},
    {.what = "escaped, and nothing in it", .body = R"({"status":"queued","error":"{}"})", .status = queued},
    {.what = "escaped, of code 0", .body = R"({"status":"queued","error":"{\"code\":0}"})", .status = queued},
    {.what = "the text null", .body = R"({"status":"queued","error":"null"})", .status = queued},
    {.what = "several lines",
     .body = R"({"status":"failed","error":"one\r\n\ttwo\u0000\u001b[31mthree"})",
     .status = failed,
     .error = "one two\xEF\xBF\xBD [31mthree"},
    {.what = "a signed URL in an error",
     .body = R"({"status":"failed","error":"Cannot fetch https://a/i.png?Signature=abc&Expires=1 now"})",
     .status = failed,
     .error = "Cannot fetch https://a/i.png?*** now"},

    // Wrappers.
    {.what = "wrapped",
     .body = R"({"code":0,"msg":"ok","data":{"id":"w","status":"queued"}})",
     .id = "w",
     .status = queued},
    {.what = "wrapped, with a status of the wrapper's own",
     .body = R"({"status":"success","data":{"id":"w","status":"queued"}})",
     .id = "w",
     .status = queued},
    {.what = "wrapped in a list", .body = R"({"code":200,"data":[{"task_id":9}]})", .id = "9"},
    {.what = "wrapped without an ID",
     .body = R"({"data":{"status":"failed","error":"x"}})",
     .status = failed,
     .error = "x"},
    {.what = "wrapped, the reason outside",
     .body = R"({"code":7,"msg":"no luck","data":{"id":"w","status":"failed"}})",
     .id = "w",
     .status = failed,
     .error = "no luck"},
    {.what = "a wrapper's status beside that of the object inside",
     .body = R"({"status":"success","data":{"status":"processing","progress":40}})",
     .status = processing,
     .progress = 40},
    {.what = "the same, with the task's ID outside",
     .body = R"({"id":"w","status":"success","data":{"status":"processing","progress":40}})",
     .id = "w",
     .status = processing,
     .progress = 40},
    {.what = "the same around a failed task",
     .body = R"({"status":"success","data":{"id":"w","status":"failed","error":"Image pixel is invalid"}})",
     .id = "w",
     .status = failed,
     .error = "Image pixel is invalid"},
    {.what = "a wrapper's failure beside a task that goes on",
     .body = R"({"status":"failed","data":{"status":"processing"}})",
     .status = processing},
    {.what = "a wrapper's success around a word that nobody knows",
     .body = R"({"status":"success","data":{"status":"reticulating"}})"},
    {.what = "a wrapper's success around a task without status or URL",
     .body = R"({"status":"success","data":{"id":"w"}})",
     .id = "w"},
    {.what = "a wrapper's success around a task without status",
     .body = R"({"status":"success","data":{"id":"w","video_url":"https://a/v.mp4"}})",
     .id = "w",
     .status = completed,
     .url = "https://a/v.mp4"},
    {.what = "two wrappers",
     .body = R"({"status":"success","result":{"code":0,"data":{"task_id":"w","task_status":"processing"}}})",
     .id = "w",
     .status = processing},
    {.what = "a file's ID beside the status of its task",
     .body = R"({"id":"w","status":"completed","result":{"id":"file-1","url":"https://a/v.mp4"}})",
     .id = "w",
     .status = completed,
     .url = "https://a/v.mp4"},
    {.what = "a reason inside, a success word outside",
     .body = R"({"code":0,"message":"SUCCEED",
                 "data":{"task_id":"w","task_status":"failed","task_status_msg":"Image pixel is invalid"}})",
     .id = "w",
     .status = failed,
     .error = "Image pixel is invalid"},
    {.what = "failure_reason",
     .body = R"({"id":"w","state":"failed","failure_reason":"no luck"})",
     .id = "w",
     .status = failed,
     .error = "no luck"},
    {.what = "base_resp.status_msg",
     .body = R"({"task_id":"w","status":"Fail","base_resp":{"status_code":1026,"status_msg":"no luck"}})",
     .id = "w",
     .status = failed,
     .error = "no luck"},
    {.what = "err_msg beside a code",
     .body = R"({"id":"w","status":"failed","err_code":"E1","err_msg":"no luck"})",
     .id = "w",
     .status = failed,
     .error = "no luck"},
    {.what = "statusMessage",
     .body = R"({"id":"w","status":"failed","statusMessage":"no luck"})",
     .id = "w",
     .status = failed,
     .error = "no luck"},
    {.what = "failure as an object",
     .body = R"({"id":"w","status":"failed","failure":{"code":"X","message":"no luck"}})",
     .id = "w",
     .status = failed,
     .error = "no luck"},
    {.what = "a reason that contains a good word",
     .body = R"({"id":"w","status":"failed","message":"Successive frames are too similar"})",
     .id = "w",
     .status = failed,
     .error = "Successive frames are too similar"},
    {.what = "sentences that mean success, in a wrapper",
     .body = R"({"message":"Request successful","msg":"请求成功","data":{"id":"w","status":"failed"}})",
     .id = "w",
     .status = failed},
    {.what = "a code, and its reason elsewhere",
     .body = R"({"id":"w","status":"failed","error":1001,"err_msg":"Image pixel is invalid"})",
     .id = "w",
     .status = failed,
     .error = "code 1001: Image pixel is invalid"},
    {.what = "no error, and the reason elsewhere",
     .body = R"({"id":"w","status":"failed","error":"N/A","failure_reason":"Image pixel is invalid"})",
     .id = "w",
     .status = failed,
     .error = "Image pixel is invalid"},
    {.what = "a phrase, and the reason elsewhere",
     .body =
         R"({"id":"w","status":"failed","message":"Task failed","failure_reason":"Image pixel is invalid"})",
     .id = "w",
     .status = failed,
     .error = "Image pixel is invalid"},
    {.what = "a reason in the output",
     .body = R"({"id":"w","status":"FAILED","output":{"code":"X","message":"Image pixel is invalid"}})",
     .id = "w",
     .status = failed,
     .error = "Image pixel is invalid"},
    {.what = "a word that nobody knows in a wrapper, beside a URL",
     .body = R"({"status":"success","data":{"status":"rendering","video_url":"https://a/preview.mp4"}})"},
    {.what = "the same in the result",
     .body =
         R"({"status":"success","result":{"status":"post_processing","video_url":"https://a/preview.mp4"}})"},
    {.what = "a job in a wrapper that succeeded",
     .body = R"({"status":"success","job":{"status":"processing","video_url":"https://a/preview.mp4"}})",
     .status = processing},
    {.what = "a file's status, of a task that is done",
     .body = R"({"id":"w","status":"completed","output":{"status":99,"video_url":"https://a/v.mp4"}})",
     .id = "w",
     .status = completed,
     .url = "https://a/v.mp4"},
    {.what = "an output's status, of a task that is not done",
     .body =
         R"({"id":"w","status":"processing","output":{"status":"completed","url":"https://a/preview.mp4"}})",
     .id = "w",
     .status = processing},
    {.what = "the call's status beside the task's state",
     .body = R"({"status":"success","state":"failed","id":"w","failure_reason":"no luck"})",
     .id = "w",
     .status = failed,
     .error = "no luck"},
    {.what = "a number beside the task's status",
     .body = R"({"status":200,"task_status":"completed","id":"w","url":"https://a/v.mp4"})",
     .id = "w",
     .status = completed,
     .url = "https://a/v.mp4"},
    {.what = "a status with a prefix",
     .body = R"({"task_status":"TASK_STATUS_SUCCEED","id":"w","url":"https://a/v.mp4"})",
     .id = "w",
     .status = completed,
     .url = "https://a/v.mp4"},
    {.what = "the request's ID around the task's",
     .body = R"({"id":"req-9","code":0,"data":{"task_id":"t-1"}})",
     .id = "t-1"},
    {.what = "an ID of 0", .body = R"({"id":0,"task_id":"t-1"})", .id = "t-1"},
    {.what = "an ID with a hump", .body = R"({"code":200,"data":{"taskId":"t-1"}})", .id = "t-1"},
    {.what = "the ID of a job",
     .body = R"({"job_id":"j-1","status":"queued"})",
     .id = "j-1",
     .status = queued},
    {.what = "an ID and nothing else", .body = R"({"code":0,"message":"ok","data":"t-1"})", .id = "t-1"},
    {.what = "the ID of a request that is queued",
     .body = R"({"status":"IN_QUEUE","request_id":"r-1","queue_position":0})",
     .id = "r-1",
     .status = queued},
    {.what = "a job in a response", .body = R"({"Response":{"JobId":"j-1","RequestId":"r-9"}})", .id = "j-1"},
    {.what = "error_details",
     .body =
         R"({"id":"w","status":"failed","error_code":7,"error_details":{"raw_message":"no luck at all"}})",
     .id = "w",
     .status = failed,
     .error = "no luck at all"},
    {.what = "last_error",
     .body = R"({"id":"w","status":"failed","last_error":"no luck at all"})",
     .id = "w",
     .status = failed,
     .error = "no luck at all"},
    {.what = "no ID but a word", .body = R"({"code":0,"data":"accepted"})"},
    {.what = "no ID but a code", .body = R"({"code":1001,"data":"E-1001"})"},
    {.what = "a failure whose only words mean success",
     .body = R"({"id":"w","status":"failed","message":"ok","msg":"Success","status_msg":"succeed"})",
     .id = "w",
     .status = failed},
    {.what = "a wrapper around nothing", .body = R"({"code":500,"msg":"x","data":null})"},
    {.what = "a task with data of its own",
     .body =
         R"({"id":"a","status":"completed","video_url":"https://a/v","data":{"id":"b","status":"failed"}})",
     .id = "a",
     .status = completed,
     .url = "https://a/v"},
    {.what = "one task in a list", .body = R"([{"id":"a","status":"queued"}])", .id = "a", .status = queued},

    // The legacy API (§4.3).
    {.what = "v1: an ID alone", .body = R"({"id":"video_68"})", .id = "video_68"},
    {.what = "v1: on its way",
     .body = R"({"id":"video_68","object":"video","model":"sky2Stable","status":"in_progress","progress":33,
                 "seconds":"10","error":null})",
     .id = "video_68",
     .status = processing,
     .progress = 33},
    {.what = "v1: done",
     .body = R"({"id":"video_68","status":"succeeded","video_url":"https://a/v.mp4","progress":"100%"})",
     .id = "video_68",
     .status = completed,
     .progress = 100,
     .url = "https://a/v.mp4"},
    {.what = "v1: failed",
     .body = R"({"id":"video_68","status":"FAILURE","error":{"code":"moderation","message":"Refused."}})",
     .id = "video_68",
     .status = failed,
     .error = "Refused."},

    // Odd bytes.
    {.what = "an empty object", .body = "{}"},
    {.what = "a byte order mark", .body = "\xEF\xBB\xBF{\"id\":\"a\"}", .id = "a"},
    {.what = "blanks around it all", .body = " \r\n\t{\"id\":\"a\"}\n\n", .id = "a"},
    {.what = "a key twice: the last one counts",
     .body = R"({"id":"a","id":"b","status":"queued"})",
     .id = "b",
     .status = queued},
    {.what = "invalid UTF-8 in an error",
     .body = "{\"status\":\"failed\",\"error\":\"a\xFF\xC3z\"}",
     .status = failed,
     .error = "a\xEF\xBF\xBD\xEF\xBF\xBDz"},
    {.what = "half a surrogate pair",
     .body = R"({"status":"failed","error":"a\ud83dz"})",
     .status = failed,
     .error = "a\xEF\xBF\xBDz"},
    {.what = "further members of any kind",
     .body = R"({"id":"a","":[],"x":{"id":"b","status":"failed"},"y":[[[]]],"z":1e400})",
     .id = "a"},
    {.what = "as deep as is allowed",
     .body = R"({"id":"a","x":)" + repeated("[", 99) + repeated("]", 99) + "}",
     .id = "a"},

    // As Python and gateways write it.
    {.what = "NaN for a number", .body = R"({"id":"a","progress":NaN,"amount":-Infinity})", .id = "a"},
    {.what = "an event before the object", .body = "{\"event\":\"started\"}\n{\"id\":\"a\"}", .id = "a"},
    {.what = "a line behind the object", .body = "{\"id\":\"a\"}\n{\"took\":1}\n", .id = "a"},
    {.what = "a stream of events", .body = "data: {\"id\":\"a\"}\n\n", .id = "a"},
    {.what = "news in a stream of events",
     .body = ": hello\r\nevent: task\r\nid: 1\r\ndata:{\"id\":\"a\",\r\ndata: \"status\":\"queued\"}\r\n\r\n"
             "data: {\"id\":\"a\",\"status\":\"completed\",\"url\":\"https://a/v.mp4\"}\r\n\r\n"
             "data: {\"id\":\"a\"}\r\n\r\ndata: [DONE]\r\n\r\n",
     .id = "a",
     .status = completed,
     .url = "https://a/v.mp4"},
    {.what = "news without an ID",
     .body = "event: x\ndata: {\"progress\":1}\n\ndata: {\"status\":\"queued\"}\n\n"
             "data: {\"status\":\"running\"}\n\ndata: {\"took\":3}\n",
     .status = processing},
    {.what = "a failure without an ID behind news",
     .body = "{\"status\":\"running\"}\n{\"status\":\"error\"}\n",
     .status = processing},
    {.what = "a failure without an ID", .body = "{\"event\":1}\n{\"status\":\"error\"}\n", .status = failed},
    {.what = "a stream of many events",
     .body = "data: {\"id\":\"a\"}\n\n" + repeated("data: {\"id\":\"a\",\"status\":\"queued\"}\n\n", 100) +
             "data: {\"id\":\"a\",\"status\":\"running\"}\n\n",
     .id = "a",
     .status = processing},
    {.what = "a stream of events that is cut",
     .body = "data: {\"id\":\"a\",\"status\":\"queued\"}\n\ndata: {\"id\":\"a\",\"sta",
     .id = "a",
     .status = queued},
    {.what = "one task in two lines",
     .body = "{\"id\":\"a\",\"status\":\"queued\"}\n{\"id\":\"a\",\"status\":\"running\"}",
     .id = "a",
     .status = processing},
    {.what = "JSON that no page can run", .body = ")]}',\n{\"id\":\"a\"}", .id = "a"},
    {.what = "the same, without a comma", .body = "\xEF\xBB\xBF)]}'\n[{\"id\":\"a\"}]", .id = "a"},
    {.what = "the same, by a loop", .body = "while(1);{\"id\":\"a\"}", .id = "a"},
    {.what = "JSON in a string",
     .body = R"("{\"id\":\"a\",\"status\":\"queued\"}")",
     .id = "a",
     .status = queued},
    {.what = "JSON in a member", .body = R"({"data":"{\"id\":\"a\"}"})", .id = "a"},
    {.what = "JSON in a string in a member", .body = R"({"data":"\"{\\\"id\\\":\\\"a\\\"}\""})", .id = "a"},
    {.what = "JSON in a string in a string", .body = R"("\"{\\\"id\\\":\\\"a\\\"}\"")", .id = "a"},
    {.what = "an ID in a string in a member", .body = R"({"code":0,"data":"\"task-1\""})", .id = "task-1"},
    {.what = "a message that is a text in quotes",
     .body = R"({"status":"failed","message":"\"no luck\""})",
     .status = failed,
     .error = "no luck"},
    {.what = "a message that is JSON of another shape",
     .body = R"({"status":"failed","message":"{\"cause\":7,\"kind\":\"x\"}"})",
     .status = failed,
     .error = R"({"cause":7,"kind":"x"})"},
    {.what = "a message with the ID of an error",
     .body = R"({"code":400,"message":"{\"id\":\"e-1\",\"error\":{\"message\":\"no luck\"}}"})"},
    {.what = "a message with the ID of an error and its code",
     .body = R"({"code":400,"message":"{\"id\":\"e-1\",\"code\":\"BadValue\",\"message\":\"no luck\"}"})"},
    {.what = "a message with the ID of an error and its message",
     .body = R"({"code":400,"message":"{\"id\":\"e-1\",\"message\":\"no luck\"}"})"},
    {.what = "a message with an ID and a good code",
     .body = R"({"code":0,"message":"{\"task_id\":\"t-1\",\"code\":0,\"message\":\"ok\"}"})",
     .id = "t-1"},
    {.what = "a message with an ID alone",
     .body = R"({"code":0,"message":"{\"task_id\":\"t-1\"}"})",
     .id = "t-1"},
    {.what = "JSON of the user's",
     .body = R"({"id":"a","status":"queued","prompt":"{\"id\":\"b\",\"status\":\"failed\"}"})",
     .id = "a",
     .status = queued},
    {.what = "JSON of the user's alone", .body = R"({"prompt":"{\"id\":\"b\"}"})"},
    {.what = "Id", .body = R"({"Id":"a"})", .id = "a"},
    {.what = "taskID", .body = R"({"taskID":"a"})", .id = "a"},
    {.what = "generationId", .body = R"({"generationId":"a"})", .id = "a"},
    {.what = "prompt_id", .body = R"({"prompt_id":"a"})", .id = "a"},
    {.what = "task_uuid", .body = R"({"task_uuid":"a"})", .id = "a"},
    {.what = "a list of one ID", .body = R"({"task_ids":["a"]})", .id = "a"},
    {.what = "a list of two IDs", .body = R"({"task_ids":["a","b"]})"},
    {.what = "a list of one ID inside", .body = R"({"data":{"task_id":["a"]}})", .id = "a"},
    {.what = "a list of one task",
     .body = R"({"tasks":[{"id":"a","status":"queued"}]})",
     .id = "a",
     .status = queued},
    {.what = "a list of two tasks", .body = R"({"tasks":[{"id":"a"},{"id":"b"}]})"},
    {.what = "a list in a wrapper", .body = R"({"code":0,"data":{"tasks":[{"task_id":"a"}]}})", .id = "a"},
    {.what = "only the ID of an account", .body = R"({"user":{"id":"a"}})"},

    // No task at all.
    {.what = "nothing", .body = "", .is_task = false},
    {.what = "blanks", .body = " \n", .is_task = false},
    {.what = "a NUL", .body = std::string(1, '\0'), .is_task = false},
    {.what = "null", .body = "null", .is_task = false},
    {.what = "a number", .body = "5", .is_task = false},
    {.what = "a text", .body = R"("task-1")", .is_task = false},
    {.what = "an empty list", .body = "[]", .is_task = false},
    {.what = "two tasks in a list", .body = R"([{"id":"a"},{"id":"b"}])", .is_task = false},
    {.what = "a page", .body = "<!DOCTYPE html><html><title>Sign in</title></html>", .is_task = false},
    {.what = "plain words", .body = "upstream connect error", .is_task = false},
    {.what = "cut amid a text", .body = R"({"id":"task-1","status":"que)", .is_task = false},
    {.what = "cut amid the object", .body = R"({"id":"task-1","status":"queued")", .is_task = false},
    {.what = "two objects", .body = R"({"id":"a"}{"id":"b"})", .is_task = false},
    {.what = "deeper than is allowed",
     .body = R"({"id":"a","x":)" + repeated("[", 100) + repeated("]", 100) + "}",
     .is_task = false},
    {.what = "a million brackets", .body = std::string(1000000, '['), .is_task = false},
    {.what = "a stream of events without data", .body = "event: ping\ndata: [DONE]\n\n", .is_task = false},
    {.what = "a line of data amid words", .body = "Sorry\ndata: {\"id\":\"a\"}\n\n", .is_task = false},
    {.what = "two tasks in a stream of events",
     .body = "data: {\"id\":\"a\"}\n\ndata: {\"id\":\"b\"}\n\n",
     .is_task = false},
};

TEST(TaskReader, ReadsEveryAnswerAsAPersonWould) {
  for (const Row &row : kRows) {
    SCOPED_TRACE(row.what + ": " + row.body.substr(0, 200));
    const auto task = read_task(row.body);
    ASSERT_EQ(task.has_value(), row.is_task);
    if (!task) {
      EXPECT_EQ(task.error().kind, ErrorKind::read);
      EXPECT_NE(task.error().text.find("Check base-url"), std::string::npos);
      continue;
    }
    EXPECT_EQ(task->id, row.id);
    EXPECT_EQ(task->status, row.status);
    EXPECT_EQ(task->progress, row.progress);
    EXPECT_EQ(task->clip_url(), row.url);
    EXPECT_DOUBLE_EQ(task->amount, row.amount);
    EXPECT_DOUBLE_EQ(task->actual_duration, row.duration);
    EXPECT_EQ(task->error_message, row.error);
    EXPECT_EQ(task->odd_amount, row.odd_amount);
  }
}

// Of gateways whose names for things nobody can list: what is inside counts.
// The answer to a submit that was paid for: without the ID, it would be paid again.
TEST(TaskReader, FindsTheTaskInJsonThatIsATextUnderTheNameOfAnyWrapper) {
  for (const std::string name :
       {"data",       "result",   "response",      "output",     "body",    "payload",    "task",
        "job",        "item",     "record",        "prediction", "video",   "generation", "operation",
        "detail",     "content",  "resp",          "respData",   "message", "msg",        "value",
        "info",       "taskInfo", "task_info",     "resultData", "d",       "res",        "reply",
        "resultJson", "respMsg",  "response_data", "DATA",       "outputs", "task_msg"}) {
    const auto task =
        read_task(R"({"code":0,")" + name + R"(":"{\"id\":\"t-1\",\"status\":\"queued\",\"error\":null}"})");
    ASSERT_TRUE(task) << name;
    EXPECT_EQ(task->id, "t-1") << name;
    EXPECT_EQ(task->status, queued) << name;
  }
  for (const std::string name : {"prompt", "input", "request", "metadata", "params", "echo"}) {
    const auto task =
        read_task(R"({"code":0,")" + name + R"(":"{\"id\":\"t-1\",\"status\":\"queued\",\"error\":null}"})");
    EXPECT_EQ(task->id, "") << name;
  }
}

TEST(TaskReader, FindsTheTaskThatWasAskedForWhereverItStands) {
  const struct {
    const char *body;
    TaskStatus status;
    const char *error = "";
  } kAnswers[] = {
      {R"({"status":"success","tasks":[{"id":"t-1","status":"processing"}]})", processing},
      {R"({"status":"success","tasks":[{"id":"t-0","status":"failed"},{"id":"t-1","status":"queued"}]})",
       queued},
      {R"({"status":"success","task_info":{"status":"processing"}})", processing},
      {R"({"status":"success","value":{"status":"processing"},"error":{"status":"failed"}})", processing},
      {R"({"status":"success","data":{"list":[{"id":"t-1","status":"processing"}]}})", processing},
      {R"({"status":"success","data":{"attributes":{"status":"processing"}}})", processing},
      {R"({"status":"success","data":"{\"id\":\"t-1\",\"status\":\"processing\"}"})", processing},
      {R"({"status":"success","items":[{"id":"t-1","status":"failed","error":"Because X."}]})", failed,
       "Because X."},
      {R"({"status":"OK","jobs":[{"id":"t-1","status":"completed","url":"https://h/a.mp4"}]})", completed},
      {R"([{"id":"t-0","status":"completed","url":"https://h/0.mp4"},
           {"task_id":"t-1","status":"completed","url":"https://h/a.mp4"}])",
       completed},
      {R"([{"id":"t-0","status":"failed","error":"Not this."},{"id":"t-1","status":"processing"}])",
       processing},
      {R"([{"data":{"id":"t-1","status":"completed","url":"https://h/a.mp4"}},
           {"data":{"id":"t-0","status":"failed","error":"Not this."}}])",
       completed},
      {R"([{"id":1,"info":{"task":{"id":"t-0","status":"failed"}}},{"id":2,"info":{"task":{"id":"t-1","status":"queued"}}}])",
       queued},
      {R"({"data":[{"task":{"id":"t-0","status":"failed"}},{"task":{"id":"t-1","status":"queued"}}]})",
       queued},
      {"{\"id\":\"t-1\",\"status\":\"queued\"}\n{\"id\":\"t-0\",\"status\":\"failed\"}", queued},
      {"data: {\"id\":\"t-0\",\"status\":\"failed\"}\n\ndata: {\"id\":\"t-1\"}\n", unknown},
      // What is not the task.
      {R"({"id":"t-1","status":"completed","video_url":"https://h/a.mp4","audio":{"status":"processing"}})",
       completed},
      {R"({"status":"processing","stages":{"status":"completed"}})", processing},
      {R"({"status":"success","a":{"status":"queued"},"b":{"status":"failed"}})", completed},
  };
  for (const auto &[body, status, error] : kAnswers) {
    const auto task = read_task(body, {}, {.task_id = "t-1"});
    ASSERT_TRUE(task) << body;
    EXPECT_EQ(task->status, status) << body;
    EXPECT_EQ(task->error_message, error) << body;
    const bool has_url = std::string(body).find("https") != std::string::npos;
    EXPECT_EQ(task->clip_url(), has_url ? "https://h/a.mp4" : "") << body;
  }
}

TEST(TaskReader, TellsWhyACompletedTaskHasNoClip) {
  const auto why = [](const std::string &members) {
    return read_task(R"({"id":"t-1","status":"completed",)" + members + "}", {}, {.task_id = "t-1"})
        ->error_message;
  };
  for (const char *members :
       {R"("error":"No luck")", R"("err_msg":"No luck","err_code":"E")", R"("failure_reason":"No luck")",
        R"("task_status_msg":"No luck")", R"("base_resp":{"status_code":1026,"status_msg":"No luck"})",
        R"("failure":{"code":"X","message":"No luck"})",
        R"("reason":"No luck","message":"Request successful")", R"("errors":["No luck"])",
        R"("output":{"failReason":"No luck"})", R"("data":{"err_msg":"No luck"})"})
    EXPECT_EQ(why(members), "No luck") << members;
  for (const char *members :
       {R"("message":"Your video is ready")", R"("message":"ok","msg":"Success")",
        R"("detail":"5 seconds of video")", R"("base_resp":{"status_code":0,"status_msg":"success"})",
        R"("task_status_msg":"Task completed")", R"("errors":[],"failure":null,"reason":"")",
        R"("finish_reason":"stop","title":"A kite")", R"("err_msg":"No luck","video_url":"https://h/a.mp4")"})
    EXPECT_EQ(why(members), "") << members;
  const auto around =
      read_task(R"({"err_msg":"Outside","data":{"id":"t-1","status":"completed","err_msg":"Inside"}})");
  EXPECT_EQ(around->error_message, "Inside");
  const auto running = read_task(R"({"id":"t-1","status":"processing","status_msg":"Rendering frames"})");
  EXPECT_EQ(running->error_message, "");
  const auto failure =
      read_task(R"({"id":"t-1","status":"failed","message":"Upload rejected, not completed"})");
  EXPECT_EQ(failure->error_message, "Upload rejected, not completed");
  // A word for success amid a text says nothing of the task.
  for (const std::string message :
       {"Complete failure", "Daily quota finished", "Complete identity verification", "Task done, pay first",
        "Credits finished"}) {
    const auto bad = read_task(R"({"id":"t-1","status":"failed","code":"E1","message":")" + message + "\"}");
    EXPECT_EQ(bad->error_message, message);
  }
  for (const std::string message : {"Task completed", "Video generation finished.", "JOB DONE", "Finished"}) {
    const auto bad = read_task(R"({"id":"t-1","status":"failed","code":"E1","message":")" + message + "\"}");
    EXPECT_EQ(bad->error_message, "E1") << message;
  }
}

// The names of wrappers are not known, nor is where the ID stands.
TEST(TaskReader, PrefersTheStatusInsideAnyWrapperToTheWrappersOwn) {
  constexpr const char *kNames[] = {"resp", "reply",       "res",     "info",  "obj",   "entity",
                                    "ret",  "returnValue", "value",   "DATA",  "d",     "taskInfo",
                                    "msg",  "task_info",   "message", "tasks", "video", "video_task",
                                    "list", "result_data", "output",  "rows",  "Data",  "status_info"};
  for (const std::string name : kNames)
    for (const std::string outside :
         {R"("status":"success")", R"("id":"t-1","status":"success")", R"("id":"t-1","status":"OK")",
          R"("id":"t-1","status":200)", R"("id":"t-1","code":0)"})
      for (const std::string field : {"status", "state"}) {
        const auto read = [&](const std::string &value, const char *before = "", const char *after = "") {
          const std::string inside = before + ("{\"" + field + "\":" + value + "}") + after;
          const auto task =
              read_task("{" + outside + ",\"" + name + "\":" + inside + "}", {}, {.task_id = "t-1"});
          return task ? *task : Task();
        };
        SCOPED_TRACE(outside + " " + name + "." + field);
        EXPECT_EQ(read(R"("processing")").status, processing);
        EXPECT_EQ(read(R"("processing")", "[", "]").status, processing);
        const Task done = read(R"("completed","video_url":"https://h/a.mp4")");
        EXPECT_EQ(done.status, completed);
        EXPECT_EQ(done.clip_url(), "https://h/a.mp4");
        const Task bad = read(R"("failed","failure_reason":"Because X.")");
        EXPECT_EQ(bad.status, failed);
        EXPECT_EQ(bad.error_message, "Because X.");
      }
}

TEST(TaskReader, TakesNoStatusOfAPartForTheTasks) {
  const struct {
    const char *body;
    TaskStatus status;
  } kAnswers[] = {
      // What the wrapper wraps has parts.
      {R"({"id":"t-1","status":"success","resp":{"status":"processing","steps":[{"status":"done"}]}})",
       processing},
      {R"({"id":"t-1","status":"success","resp":{"status":"processing"},"node":{"state":"ready"}})",
       processing},
      {R"({"id":"t-1","status":"success","resp":{"status":"ok","job":{"status":"processing"}}})", processing},
      {R"({"status":"success","data":{"id":"t-1","status":"success","resp":{"status":"queued"}}})", queued},
      {R"({"id":"t-1","status":"success","resp":{"status":"rendering"}})", unknown},
      {R"({"id":"t-1","status":"success","data":{"status":"processing","list":[{"id":"t-1","url":"https://h/a"}]}})",
       processing},
      // A running task.
      {R"({"id":"t-1","status":"processing","steps":[{"status":"completed"}]})", processing},
      {R"({"id":"t-1","status":"processing","audio":{"status":"failed"}})", processing},
      {R"({"id":"t-1","status":"rendering","audio":{"status":"completed"}})", unknown},
      {R"({"status":"rendering","audio":{"status":"completed"}})", unknown},
      // A task that is done.
      {R"({"id":"t-1","status":"completed","audio":{"status":"processing"}})", completed},
      {R"({"id":"t-1","status":"success","steps":[{"status":"processing"},{"status":"failed"}]})", completed},
      {R"({"id":"t-1","status":"success","usage":{"status":"processing"}})", completed},
      {R"({"id":"t-1","status":"success","check":{"status":"ok"}})", completed},
      {R"({"id":"t-1","status":"success","film":"https://h/a.mp4","audio":{"status":"processing"}})",
       completed},
      {R"({"id":"t-1","status":"success","film":"https://h/a.mp4","preview":{"status":"processing","url":"https://h/p.mp4"}})",
       completed},
      {R"({"id":"t-1","status":"success","preview":"https://h/p.mp4","resp":{"status":"processing"}})",
       processing},
      {R"({"status":"success","data":{"id":"t-1","preview":"https://h/p.mp4"}})", unknown},
      {R"({"id":"t-1","status":"success","asset":{"status":"processing","link":"https://h/a.mp4"}})",
       processing},
      // A task that failed.
      {R"({"id":"t-1","status":"failed","upload":{"status":"processing"}})", failed},
  };
  for (const auto &[body, status] : kAnswers) {
    const auto task = read_task(body, {}, {.task_id = "t-1"});
    ASSERT_TRUE(task) << body;
    EXPECT_EQ(task->status, status) << body;
  }
}

// Its clip is paid for. A part of it that failed, or an unknown word at its file, does not take it away.
TEST(TaskReader, BelievesThatATaskIsDoneWhateverIsSaidOfItsParts) {
  const struct {
    const char *members;  // Of a task that was a success, beside the ID.
    const char *url;
    TaskStatus status = completed;
  } kAnswers[] = {
      {R"("output":"/out.mp4","audio":{"status":"failed"})", "https://api.example/out.mp4"},
      {R"("output":"/out.mp4","resp":{"status":"processing"})", "https://api.example/out.mp4"},
      {R"("captions_job":{"status":"failed"})", ""},
      {R"("info":{"status":"failed"},"film":{"seconds":5})", ""},
      {R"("response":{"seconds":5},"info":{"status":"failed"})", ""},
      {R"("info":{"id":"f-1","status":"failed"})", ""},
      {R"("clip":{"link":"https://h/get?id=7"},"captions_job":{"status":"failed"})", "https://h/get?id=7"},
      {R"("clip":{"link":"https://h/get.mp4?id=7"},"captions_job":{"status":"processing"})",
       "https://h/get.mp4?id=7"},
      {R"("output":"https://h/get?id=7","captions_job":{"status":"failed"})", "https://h/get?id=7"},
      {R"("watermark_url":"https://h/w.mp4","info":{"status":"failed"})", "https://h/w.mp4"},
      {R"("assets":[{"url":"https://h/a.mp4","status":"uploaded"}])", "https://h/a.mp4"},
      {R"("clip":{"url":"https://h/a.mp4","status":"active"})", "https://h/a.mp4"},
      {R"("video_info":{"url":"https://h/a.mp4","status":"active"})", "https://h/a.mp4"},
      {R"("info":{"url":"/a.mp4","status":"active"})", ""},
      {R"("check":{"status":"flagged"})", ""},
      // These are about the task.
      {R"("captions_job":{"id":"t-1","status":"failed"})", "", failed},
      {R"("job_status_info":{"status":"failed"},"usage":{"a":1},"tags":["b"])", "", failed},
      {R"("result_data":{"attributes":[{"state":"failed"}]})", "", failed},
      {R"("captions_job":{"status":"processing"})", "", processing},
      {R"("links":{"docs":"https://h/docs"},"task_info":{"status":"failed"})", "", failed},
      {R"("url":"/tasks/1","task_info":{"status":"failed"})", "", failed},
  };
  for (const auto &[members, url, status] : kAnswers)
    for (const std::string word : {"success", "succeeded", "Task successful"}) {
      if (word == "Task successful" && status == completed) continue;  // No word for "completed" by itself.
      const auto task = read_task(R"({"id":"t-1","status":")" + word + R"(",)" + members + "}", {},
                                  {.base_url = "https://api.example", .task_id = "t-1"});
      ASSERT_TRUE(task) << members;
      EXPECT_EQ(task->status, status) << members;
      EXPECT_EQ(task->clip_url(), url) << members;
    }
}

// A run that gives up a paid task is followed by one that pays again.
TEST(TaskReader, TakesNoFailureOfAnotherTaskOrOfAStepForTheTasks) {
  const auto read = [](const std::string &body) {
    const auto task = read_task(body, {}, {.task_id = "t-1"});
    return task ? task->status : queued;
  };
  const std::string outside[] = {R"("status":200,)", R"("status":"ok",)", R"("code":0,"message":"ok",)", ""};
  const std::string others[] = {R"("upscale":{"status":"failed","retrying":true})",
                                R"("stages":{"audio":{"state":"failed"}})",
                                R"("video":{"status":"failed"},"audio":{"status":"processing"})",
                                R"("data":{"status":"ok","task":{"id":"t-0","status":"failed"}})"};
  for (const std::string &word : outside) {
    for (const std::string &other : others)
      EXPECT_EQ(read("{" + word + R"("id":"t-1","progress":60,)" + other + "}"), unknown) << word << other;
    for (const std::string name : {"parentTask", "previous", "source_task", "history"})
      for (const std::string end : {"failed", "completed"})
        EXPECT_EQ(read("{" + word + R"("id":"t-1",")" + name + R"(":{"status":")" + end + "\"}}"), unknown)
            << word << name;
    for (const std::string name : {"parent_task", "last_task", "job_before", "task", "task_info", "result"})
      for (const std::string id : {"id", "task_id", "uuid"})
        for (const std::string end : {"failed", "completed"}) {
          if (id == "uuid" && end == "completed") continue;  // Perhaps that of the clip's file.
          const std::string other = "\"" + name + R"(":{")" + id + R"(":"t-0","status":")" + end + "\"}";
          // A clip that is done may have an ID of its own.
          const bool is_all = id == "id" && end == "completed" && name.find("_task") == name.npos &&
                              name.find("before") == name.npos;
          EXPECT_EQ(read("{" + word + R"("id":"t-1",)" + other + "}"), is_all ? completed : unknown)
              << word << other;
          EXPECT_EQ(read("{" + word + R"("id":"t-1",)" + other + R"(,"info":{"state":"running"}})"),
                    processing)
              << word << other;
        }
  }
  EXPECT_EQ(read(R"({"id":"t-1","status":"success","data":{"id":"t-0","status":"failed"}})"), completed);
  EXPECT_EQ(read(R"({"id":"t-1","status":"success","data":{"id":"t-0","status":"running"}})"), processing);
  // These are about the task.
  for (const char *body :
       {R"({"id":"t-1","output":{"status":"failed","error":"nsfw"},"metrics":{"t":1},"times":[{"at":2}]})",
        R"({"code":0,"data":{"id":"t-1","status":"failed"}})",
        R"({"code":0,"task_info":{"status":"failed"}})",
        R"({"id":"t-1","code":0,"task_info":{"status":"failed"}})",
        R"({"id":"t-1","upscale":{"task_id":"t-1","status":"failed"},"audio":{}})",
        R"({"request_id":"r","output":{"task_id":"t-1","task_status":"FAILED"},"times":{"a":1}})"})
    EXPECT_EQ(read(body), failed) << body;
}

// Links to the documentation, to the task or to a version that is not whole say nothing of whether it is
// done.
TEST(TaskReader, TakesNoLinkBesideATaskForItsResult) {
  for (const std::string link :
       {R"("help":"https://docs.example/errors")", R"("links":{"docs":"https://docs.example"})",
        R"("url":"/view/1")", R"("progress_url":"https://h/p.mp4")", R"("url":"/v2/model-center/tasks/t-1")",
        R"("url":"https://api.example/v1/sky/videos/t-1/?a=b")", R"("url":"https://h/view/1")"}) {
    const auto read = [&](const std::string &inside) {
      const auto task =
          read_task(R"({"id":"t-1","status":"success",)" + link + ",\"task_info\":" + inside + "}", {},
                    {.base_url = "https://api.example/prefix", .task_id = "t-1"});
      return task ? *task : Task();
    };
    SCOPED_TRACE(link);
    EXPECT_EQ(read(R"({"status":"processing"})").status, processing);
    EXPECT_EQ(read(R"({"status":"queued"})").status, queued);
    const Task done = read(R"({"status":"completed","video_url":"https://h/out.mp4"})");
    EXPECT_EQ(done.status, completed);
    // A page may be the clip's only address.
    const bool is_page = link.find("https://h/view/1") != link.npos;
    EXPECT_EQ(done.clip_url(), is_page ? "https://h/view/1" : "https://h/out.mp4");
  }
}

TEST(TaskReader, IsAskedAboutManyDifferentAnswers) {
  std::set<std::string> bodies;
  for (const Row &row : kRows) EXPECT_TRUE(bodies.insert(row.body).second) << row.what << " is there twice";
  EXPECT_GE(bodies.size(), 130u);
}

TEST(TaskReader, KnowsEveryWordThatServicesUse) {
  const struct {
    TaskStatus status;
    std::vector<std::string> words;
  } kWords[] = {
      {queued,
       {"queued", "queueing", "in_queue", "pending", "submitted", "created", "preparing", "initializing",
        "wait", "waiting", "starting", "throttled", "not_start"}},
      {processing, {"processing", "running", "in_progress", "generating"}},
      {completed, {"completed", "complete", "succeeded", "succeed", "success", "finished", "done", "ready"}},
      {failed,
       {"failed", "fail", "failure", "error", "cancelled", "canceled", "aborted", "expired", "rejected",
        "moderated"}},
      {unknown,
       {"", " ", "_", "ok", "complet", "completed!", "un failed", "complété", "undone", "0", "null"}},
  };
  for (const auto &[status, words] : kWords) {
    for (const std::string &word : words) {
      std::string capitals;
      for (const char c : word) capitals += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      for (const std::string &spelled : {word, capitals, " " + word + "\n"})
        EXPECT_EQ(read_status(spelled), status) << '"' << spelled << '"';
    }
  }
}

TEST(TaskReader, ShowsAnUnknownStatusInAFormFitForPeople) {
  EXPECT_EQ(read_task(R"({"status":" Reticulating splines "})")->status_word, "Reticulating splines");
  EXPECT_EQ(read_task(R"({"status":7})")->status_word, "7");
  EXPECT_EQ(read_task(R"({"status":"a\u0007\u202eb\nc"})")->status_word, "a b c");
  const std::string umlauts = repeated("ä", 100);
  EXPECT_EQ(read_task(R"({"status":")" + umlauts + R"("})")->status_word, repeated("ä", 39) + "…");
  EXPECT_EQ(read_task(R"({"status":"by sk-secret"})", "sk-secret")->status_word, "by ***");
}

TEST(TaskReader, TakesABareNumberForAnIdUnlessItMayBeACode) {
  const auto id = [](const std::string &body) { return read_task(body)->id; };
  EXPECT_EQ(id(R"({"code":200,"data":77})"), "77");
  EXPECT_EQ(id(R"({"code":0,"message":"ok","data":77.0})"), "77");
  EXPECT_EQ(id(R"({"message":"Request successful","result":[1234567890123456789]})"), "1234567890123456789");
  EXPECT_EQ(id(R"({"task":1001,"error":false})"), "1001");
  EXPECT_EQ(id(R"({"task":98765432109876543210})"), "98765432109876543210");
  for (const char *none :
       {R"({"code":0,"data":0})", R"({"code":0,"data":1})", R"({"code":0,"data":-5})", R"({"data":200})",
        R"({"code":0,"data":1.5})", R"({"code":0,"data":1e300})", R"({"code":0,"data":true})",
        R"({"code":7,"data":77})", R"({"code":0,"data":[7,8]})", R"({"error":"no luck","data":77})",
        R"({"success":false,"data":4003})", R"({"ok":false,"code":0,"data":4003})",
        R"({"message":"You have 77 credits","data":77})", R"({"status":"failed","data":77})",
        R"({"count":77})"})
    EXPECT_EQ(id(none), "") << none;
}

TEST(TaskReader, TakesNoPlaceholderForAnId) {
  for (const std::string none : {"none", "None", "N/A", "undefined", "-", "NULL", "nil", "0"}) {
    for (const std::string rest :
         {R"("task_id":"t1")", R"("data":{"id":"t1"})", R"("job_id":"t1")", R"("list":[{"id":"t1"}])"})
      EXPECT_EQ(read_task(R"({"id":")" + none + "\"," + rest + "}")->id, "t1") << none << rest;
    EXPECT_EQ(read_task(R"({"code":0,"data":")" + none + "\"}")->id, "") << none;
    const auto asked = read_task(R"({"id":")" + none + R"(","status":"queued"})", {}, {.task_id = "t1"});
    EXPECT_EQ(asked->id, "") << none << ": another task";
  }
  EXPECT_EQ(read_task(R"({"id":"none-1","task_id":"t1"})")->id, "none-1");
}

TEST(TaskReader, TakesNoIdWithTheKeyInItUnlessThatMayBeChance) {
  for (const char *id : {"task-sk-secret-01234567-1", "SK-Secret-01234567", "sk%2Dsecret-01234567",
                         "c2stc2VjcmV0LTAxMjM0NTY3", "736b2d7365637265742d3031323334353637"})
    EXPECT_EQ(read_task(std::string(R"({"id":")") + id + R"("})", "sk-secret-01234567")->id, "") << id;
  EXPECT_EQ(read_task(R"({"id":"a-video-gen-1"})", "video-gen")->id, "");
  EXPECT_EQ(read_task(R"({"id":"VIDEO-GEN-ABC123"})", "video-gen")->id, "VIDEO-GEN-ABC123");
  EXPECT_EQ(read_task(R"({"id":"task-1"})", "task")->id, "task-1");
  EXPECT_EQ(read_task(R"({"id":"task-1"})", "k")->id, "task-1");
}

TEST(TaskReader, ShowsTheModelInAFormFitForPeople) {
  EXPECT_EQ(read_task(R"({"model":"horse-1.0-t2v"})")->model, "horse-1.0-t2v");
  for (const char *none :
       {"{}", R"({"model":null})", R"({"model":7})", R"({"model":["x"]})", R"({"model":" "})"})
    EXPECT_EQ(read_task(none)->model, "") << none;
  EXPECT_EQ(read_task(R"({"model":"a\u0007\u202eb sk-secret"})", "sk-secret")->model, "a b ***");
  EXPECT_EQ(read_task(R"({"model":")" + repeated("ä", 201) + R"("})")->model, repeated("ä", 199) + "…");
}

// Of many objects, none is compared with each of many members: a hostile answer would take an hour.
TEST(TaskReader, ReadsAnAnswerOfManyObjectsBesideManyMembers) {
  std::string members;
  for (int i = 0; i < 10'000; ++i) members += ",\"a" + std::to_string(i) + "\":{}";
  const auto read = [&](const std::string &others) {
    TaskStatus status = completed;
    test::expect_end([&] {
      const std::string body = R"({"id":"t-1","l":[)" + others + "]" + members + "}";
      if (const auto task = read_task(body, {}, {.task_id = "t-1"})) status = task->status;
    });
    return status;
  };
  const std::string others = repeated(R"({"id":"x","status":"completed"},)", 4'000);
  EXPECT_EQ(read(others + "0"), unknown);
  EXPECT_EQ(read(others + R"({"id":"t-1","status":"failed"})"), failed);
}

TEST(TaskReader, FindsATaskBehindManyOthers) {
  const std::string others = repeated(R"({"a":{"id":"x","status":"completed"}},)", 1'500);
  const auto task = read_task(R"({"rows":[)" + others + R"({"a":{"id":"t-1","status":"failed"}}]})", {},
                              {.task_id = "t-1"});
  ASSERT_TRUE(task);
  EXPECT_EQ(task->id, "t-1");
  EXPECT_EQ(task->status, failed);
  const auto submitted = read_task(R"({"rows":[{"a":{"id":"t-1"}},)" + repeated(R"({"b":{}},)", 1'500) +
                                   R"({"a":{"id":"t-2"}}]})");
  ASSERT_TRUE(submitted);
  EXPECT_EQ(submitted->id, "") << "it is not the only one";
}

TEST(TaskReader, SurvivesEveryCutOfAnAnswer) {
  const std::string whole =
      R"({"id":"t","status":"completed","progress":"50%","video_url":"https://a/v","error":{"message":"\u00e4\ud83d\ude00"}})";
  ASSERT_TRUE(read_task(whole));
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read_task(whole.substr(0, size))) << "cut at " << size;
}

TEST(TaskReader, SurvivesAnyByteAnywhere) {
  const std::string whole = R"({"id":"t","status":"queued","progress":0.5,"error":{"message":"x"}})";
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = whole;
      changed[at] = static_cast<char>(byte);
      const auto task = read_task(changed);
      if (!task) continue;
      EXPECT_TRUE(g_utf8_validate(task->id.data(), static_cast<gssize>(task->id.size()), nullptr));
      EXPECT_LE(task->progress, 100) << changed;
      EXPECT_GE(task->progress, -1) << changed;
    }
  }
}

}  // namespace
}  // namespace genclip
