// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/control_server.h"

#include <utility>

#include "plugin/monitor/control_page.h"
#include "plugin/monitor/control_token.h"

namespace genclip {
namespace {

using Method = HttpRequest::Method;
using Action = std::function<Result<void>(const ServedRequest &)>;

ServedResponse json_response(unsigned status, const Json &json) {
  ServedResponse response;
  response.status = status;
  response.content_type = "application/json; charset=utf-8";
  response.body = json.to_text() + "\n";
  return response;
}

Error bad_request(std::string text) { return {ErrorKind::settings, std::move(text)}; }

// A route that changes something. `act` fails with ErrorKind::settings if the body is wrong, and with any
// other kind if the channel refuses.
ServedRoute action_route(const std::string &name, const std::string &token, Action act) {
  return {Method::post, "/" + name, [name, token, act = std::move(act)](const ServedRequest &request) {
            if (!is_authorized(request.authorization, token)) {
              auto response = json_response(401, Json::Object{{"error", "The token is missing or wrong."}});
              response.headers = {{"WWW-Authenticate", "Bearer realm=\"genclip channel\""}};
              return response;
            }
            const auto done = act(request);
            if (done) return json_response(200, Json::Object{{"done", name}});
            return json_response(done.error().kind == ErrorKind::settings ? 400 : 409,
                                 Json::Object{{"error", done.error().text}});
          }};
}

}  // namespace

Result<InsertRequest> insert_request(std::string_view body) {
  const auto json = Json::parse(body);
  if (!json) return bad_request("The body is not JSON: " + json.error().text);
  InsertRequest request;
  const Json *item = json->find("item");
  if (!item || !item->object())
    return bad_request("The body must be an object with a member \"item\", an object as in a rundown.");
  request.item = *item;
  if (const Json *after = json->find("after"); after && !after->is_null()) {
    if (!after->string()) return bad_request("\"after\" must be the ID of an item.");
    request.after = *after->string();
  }
  return request;
}

Result<bool> hold_request(std::string_view body) {
  const auto json = Json::parse(body);
  const Json *on = json ? json->find("on") : nullptr;
  if (!on || !on->boolean()) return bad_request("The body must be {\"on\": true} or {\"on\": false}.");
  return *on->boolean();
}

std::vector<ServedRoute> control_routes(const StatusSource &status, ChannelControl &control,
                                        const std::string &token) {
  const auto served = [](const char *type, std::string body) {
    ServedResponse response;
    response.content_type = type;
    response.body = std::move(body);
    return response;
  };
  std::vector<ServedRoute> routes;
  routes.push_back({Method::get, "/", [](const ServedRequest &) { return page_response(); }});
  routes.push_back({Method::get, "/status",
                    [status](const ServedRequest &) { return json_response(200, status_json(status())); }});
  routes.push_back({Method::get, "/metrics", [status, served](const ServedRequest &) {
                      return served("text/plain; version=0.0.4; charset=utf-8", metrics_text(status()));
                    }});
  routes.push_back({Method::get, "/epg.xml", [status, served](const ServedRequest &) {
                      return served("application/xml; charset=utf-8", epg_xmltv(status()));
                    }});
  routes.push_back(action_route("skip", token, [&control](const ServedRequest &) { return control.skip(); }));
  routes.push_back(
      action_route("reload", token, [&control](const ServedRequest &) { return control.reload(); }));
  routes.push_back(action_route("insert", token, [&control](const ServedRequest &request) -> Result<void> {
    const auto asked = insert_request(request.body);
    if (!asked) return asked.error();
    return control.insert(asked->item, asked->after);
  }));
  routes.push_back(action_route("hold", token, [&control](const ServedRequest &request) -> Result<void> {
    const auto asked = hold_request(request.body);
    if (!asked) return asked.error();
    return control.hold(*asked);
  }));
  return routes;
}

Result<ControlServer> ControlServer::start(const ControlServerSettings &settings, const StatusSource &status,
                                           ChannelControl &control) {
  LocalServerSettings local;
  local.port = settings.port;
  local.address = settings.address;
  auto server = LocalServer::start(local, control_routes(status, control, settings.token));
  if (!server) return std::move(server).error();
  std::string address = settings.address.empty() ? "127.0.0.1" : settings.address;
  if (address.find(':') != address.npos) address = "[" + address + "]";
  return ControlServer(std::move(address), std::move(*server));
}

std::string ControlServer::url() const {
  return "http://" + address_ + ":" + std::to_string(server_->port()) + "/";
}

}  // namespace genclip
