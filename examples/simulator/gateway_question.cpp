// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/gateway_question.h"

#include <glib.h>

#include <algorithm>
#include <array>

#include "plugin/base/gref.h"

namespace genclip::sim {
namespace {

// §2.5
constexpr std::array<std::string_view, 11> kModels = {
    "gem-2.5-flash-lite",      "gem-2.5-pro",
    "gem-2.5-pro-official",    "gem-2.5-pro-low",
    "gem-3-flash-preview",     "gem-3-flash-preview-official",
    "gem-3-flash-preview-low", "gem-3.1-flash-lite-preview",
    "gem-3.1-pro-preview",     "gem-3.1-pro-preview-official",
    "gem-3.1-pro-preview-low",
};

constexpr std::string_view kPath = "/llm/v1/models/";

using Problems = std::vector<std::string>;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// False, with a problem noted, when it is not an object or has other members than these.
bool is_object_of(const Json &value, const std::string &where, std::initializer_list<std::string_view> names,
                  Problems &problems) {
  if (!value.object()) {
    problems.push_back(where + " is not an object");
    return false;
  }
  for (const auto &[name, member] : *value.object())
    if (!is_one_of(name, names)) problems.push_back(where + "." + name + " is unknown");
  return true;
}

const Json::Array *filled_array(const Json *value, const std::string &where, Problems &problems) {
  if (value && value->array() && !value->array()->empty()) return value->array();
  problems.push_back(where + " is not a non-empty array");
  return nullptr;
}

bool decode_base64(const std::string &text, std::string &bytes) {
  gsize size = 0;
  const std::unique_ptr<guchar, GFree> data(g_base64_decode(text.c_str(), &size));
  bytes.assign(reinterpret_cast<const char *>(data.get()), size);
  // GLib skips invalid characters when it decodes base64, so only text that encodes back to itself is right.
  const GStringPtr again(g_base64_encode(data.get(), size));
  return size > 0 && text == again.get();
}

void read_picture(const Json &data, const std::string &where, GatewayQuestion &question, Problems &problems) {
  if (!is_object_of(data, where, {"mimeType", "data"}, problems)) return;
  const Json *type = data.find("mimeType");
  const Json *content = data.find("data");
  if (!type || !type->string() || *type->string() != "image/jpeg")
    problems.push_back(where + ".mimeType is not image/jpeg");
  std::string bytes;
  if (!content || !content->string() || !decode_base64(*content->string(), bytes)) {
    problems.push_back(where + ".data is not base64");
    return;
  }
  auto seen = look_at_jpeg(bytes);
  if (seen)
    question.pictures.push_back(*std::move(seen));
  else
    problems.push_back(where + ": " + seen.error().text);
}

void read_part(const Json &part, const std::string &where, GatewayQuestion &question, Problems &problems) {
  if (!is_object_of(part, where, {"text", "inlineData"}, problems)) return;
  if (part.object()->size() != 1) {
    problems.push_back(where + " must contain exactly one of text and inlineData");
  } else if (const Json *data = part.find("inlineData")) {
    read_picture(*data, where + ".inlineData", question, problems);
  } else if (const Json *text = part.find("text"); !text || !text->string() || text->string()->empty()) {
    problems.push_back(where + ".text is not a non-empty text");
  } else if (question.prompt.empty()) {
    question.prompt = *text->string();
  } else {
    question.texts.push_back(*text->string());
  }
}

void read_contents(const Json *contents, GatewayQuestion &question, Problems &problems) {
  const auto *messages = filled_array(contents, "contents", problems);
  if (!messages) return;
  for (size_t i = 0; i < messages->size(); ++i) {
    const std::string where = "contents[" + std::to_string(i) + "]";
    const Json &message = (*messages)[i];
    if (!is_object_of(message, where, {"role", "parts"}, problems)) continue;
    if (const Json *role = message.find("role"))
      if (!role->string() || !is_one_of(*role->string(), {"user", "model"}))
        problems.push_back(where + ".role is neither user nor model");
    const auto *parts = filled_array(message.find("parts"), where + ".parts", problems);
    for (size_t j = 0; parts && j < parts->size(); ++j)
      read_part((*parts)[j], where + ".parts[" + std::to_string(j) + "]", question, problems);
  }
}

void expect_number(const Json &config, const char *name, double most, Problems &problems) {
  const Json *value = config.find(name);
  if (!value) return;
  const auto number = value->number();
  if (!number || *number < 0 || *number > most)
    problems.push_back(std::string("generationConfig.") + name + " is not a number in its range");
}

void read_config(const Json &config, GatewayQuestion &question, Problems &problems) {
  if (!is_object_of(config, "generationConfig", {"temperature", "topP", "maxOutputTokens"}, problems)) return;
  expect_number(config, "temperature", 2, problems);
  expect_number(config, "topP", 1, problems);
  const Json *tokens = config.find("maxOutputTokens");
  if (!tokens) return;
  if (!tokens->integer() || *tokens->integer() < 1)
    problems.push_back("generationConfig.maxOutputTokens is not a positive integer");
  else
    question.max_output_tokens = *tokens->integer();
}

void read_system_instruction(const Json &instruction, GatewayQuestion &question, Problems &problems) {
  if (!is_object_of(instruction, "systemInstruction", {"parts"}, problems)) return;
  const auto *parts = filled_array(instruction.find("parts"), "systemInstruction.parts", problems);
  for (size_t i = 0; parts && i < parts->size(); ++i) {
    const std::string where = "systemInstruction.parts[" + std::to_string(i) + "]";
    if (!is_object_of((*parts)[i], where, {"text"}, problems)) continue;
    const Json *text = (*parts)[i].find("text");
    if (text && text->string())
      question.system_instruction += *text->string();
    else
      problems.push_back(where + ".text is not a text");
  }
}

}  // namespace

Result<GatewayQuestion> read_gateway_path(const std::string &path) {
  const auto unknown = [](std::string why) { return Error{ErrorKind::not_found, std::move(why)}; };
  const size_t colon = path.rfind(':');
  if (!path.starts_with(kPath) || colon == std::string::npos || colon < kPath.size())
    return unknown("The text gateway has no such path.");
  const std::string way = path.substr(colon + 1, path.find('?', colon) - colon - 1);
  GatewayQuestion question;
  question.model = path.substr(kPath.size(), colon - kPath.size());
  question.stream = way == "streamGenerateContent";
  if (!question.stream && way != "generateContent") return unknown("There is no " + way + ".");
  if (std::find(kModels.begin(), kModels.end(), question.model) == kModels.end())
    return unknown("There is no model " + question.model + ".");
  return question;
}

std::vector<std::string> read_gateway_body(const Json &body, GatewayQuestion &question) {
  Problems problems;
  if (!is_object_of(body, "the body", {"contents", "generationConfig", "systemInstruction"}, problems))
    return problems;
  read_contents(body.find("contents"), question, problems);
  if (const Json *config = body.find("generationConfig")) read_config(*config, question, problems);
  if (const Json *instruction = body.find("systemInstruction"))
    read_system_instruction(*instruction, question, problems);
  std::string text;
  for (const std::string &one : question.texts) text += (text.empty() ? "" : "\n") + one;
  for (std::string &problem : read_gateway_form(question.prompt, text, question.form))
    problems.push_back(std::move(problem));
  return problems;
}

}  // namespace genclip::sim
