// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/control_page.h"

#include <gio/gio.h>

#include "plugin/base/web_page.h"

// From the generated monitor-resource.c, whose header does not know C++.
extern "C" GResource *genclip_monitor_get_resource(void);

namespace genclip {
namespace {

// What the build has put into the program cannot be missing.
std::string page_part(const char *name) {
  genclip_monitor_get_resource();  // Sees to it that the resource is linked.
  return resource_text(std::string("/genclip/monitor/") + name);
}

}  // namespace

std::string page_html() {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
         "<title>genclip channel</title>\n<style>" +
         page_part("control_page.css") + "</style>\n</head>\n" + page_part("control_page.html") + "<script>" +
         page_part("control_page.js") + "</script>\n</html>\n";
}

ServedResponse page_response() {
  ServedResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.body = page_html();
  response.headers = {{"Content-Security-Policy",
                       "default-src 'none'; script-src " + policy_hash(page_part("control_page.js")) +
                           "; style-src " + policy_hash(page_part("control_page.css")) +
                           "; img-src data:; connect-src 'self'; base-uri 'none'; "
                           "form-action 'none'; frame-ancestors 'none'"},
                      {"X-Frame-Options", "DENY"},
                      {"Referrer-Policy", "no-referrer"}};
  return response;
}

}  // namespace genclip
