// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/control_server.h"

#include "examples/simulator/error_body.h"
#include "examples/simulator/strict_json.h"

namespace genclip::sim {
namespace {

Json counts(const std::map<std::string, unsigned> &from) {
  Json::Object out;
  for (const auto &[name, count] : from) out.emplace_back(name, count);
  return out;
}

Json stats_json(const SimulatorStats &stats) {
  Json::Array refusals(stats.refusals.begin(), stats.refusals.end());
  return Json::Object{{"submits", stats.submits},
                      {"submits_by_request", counts(stats.submits_by_request)},
                      {"most_at_once", stats.most_at_once},
                      {"queries", stats.queries},
                      {"early_queries", stats.early_queries},
                      {"downloads", stats.downloads},
                      {"media_requests", stats.media_requests},
                      {"bytes_sent", static_cast<int64_t>(stats.bytes_sent)},
                      {"media_with_authorization", stats.media_with_authorization},
                      {"texts", stats.texts},
                      {"refusals", std::move(refusals)},
                      {"faults", counts(stats.faults)}};
}

Json faults_json(const Ledger &ledger) {
  Json::Array out;
  for (const Fault &fault : ledger.faults()) out.push_back(fault_text(fault));
  return out;
}

// The faults in the body: one per line, or a JSON array of strings.
Result<std::vector<std::string>> fault_texts(std::string_view body) {
  std::vector<std::string> texts;
  if (body.starts_with('[')) {
    const auto json = parse_strictly(body);
    if (!json) return json.error();
    for (const Json &item : *json->array()) {
      if (!item.string()) return Error{ErrorKind::settings, "a fault is a string"};
      texts.push_back(*item.string());
    }
    return texts;
  }
  while (!body.empty()) {
    const size_t end = std::min(body.find('\n'), body.size());
    const std::string_view line = body.substr(0, end);
    if (!line.empty()) texts.emplace_back(line);
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return texts;
}

// Adds all of them or none.
Reply add_faults(Ledger &ledger, std::string_view body) {
  const auto texts = fault_texts(body);
  if (!texts) return error_reply(400, texts.error().text);
  std::vector<Fault> faults;
  for (const std::string &text : *texts) {
    const auto fault = parse_fault(text);
    if (!fault) return error_reply(400, fault.error().text);
    faults.push_back(*fault);
  }
  for (const Fault &fault : faults) ledger.add(fault);
  return json_reply(200, faults_json(ledger));
}

}  // namespace

Reply control_reply(Ledger &ledger, const TaskBook &tasks, SoupServerMessage *message,
                    const std::string &path) {
  const std::string_view method = soup_server_message_get_method(message);
  if (path == "/stats" && method == "GET") return json_reply(200, stats_json(ledger.stats()));
  if (path == "/account" && method == "GET") return json_reply(200, tasks.account());
  if (path == "/faults" && method == "GET") return json_reply(200, faults_json(ledger));
  if (path == "/faults" && method == "POST") {
    const auto bytes =
        GRef<GBytes>::adopt(soup_message_body_flatten(soup_server_message_get_request_body(message)));
    gsize size = 0;
    const auto *data = static_cast<const char *>(g_bytes_get_data(bytes.get(), &size));
    return add_faults(ledger, {data, size});
  }
  if (path == "/faults" && method == "DELETE") {
    ledger.clear();
    return json_reply(200, faults_json(ledger));
  }
  return error_reply(404, "GET /_sim/stats or /_sim/account, or GET, POST or DELETE /_sim/faults.");
}

}  // namespace genclip::sim
