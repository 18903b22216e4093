// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/output_spec.h"

#include <gio/gio.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"
#include "plugin/base/replace_all.h"

namespace genclip {
namespace {

constexpr const char *kHidden = "…";
// What libsrt accepts.
constexpr size_t kShortestPassphrase = 10;
constexpr size_t kLongestPassphrase = 79;

Error unusable(OutputKind kind, const std::string &why) {
  return {ErrorKind::settings, std::string("--") + to_word(kind) + " " + why};
}

// A URI of SRT or RTMP in parts. Nothing of it is decoded.
struct StreamUri {
  std::string scheme, user_info, host, path;
  int port = -1;
  std::vector<std::pair<std::string, std::string>> query;

  const std::string *find(std::string_view name) const {
    const auto row = std::ranges::find_if(query, [&](const auto &pair) { return pair.first == name; });
    return row == query.end() ? nullptr : &row->second;
  }
};

std::vector<std::pair<std::string, std::string>> pairs_of(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    const auto pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const auto equals = std::min(pair.find('='), pair.size());
    pairs.emplace_back(pair.substr(0, equals), pair.substr(std::min(pair.size(), equals + 1)));
  }
  return pairs;
}

std::optional<StreamUri> read_uri(const std::string &text) {
  // A stream key may have any byte, so only what stands before the path must be a well-formed URI.
  StreamUri uri;
  const auto colon = text.find("://");
  if (colon == text.npos) return std::nullopt;
  uri.scheme = text.substr(0, colon);
  const auto rest = text.find_first_of("/?#", colon + 3);
  const std::string authority = text.substr(colon + 3, rest == text.npos ? text.npos : rest - colon - 3);
  const auto at = authority.rfind('@');
  if (at != authority.npos) uri.user_info = authority.substr(0, at);
  const std::string place = at == authority.npos ? authority : authority.substr(at + 1);
  const auto bracket = place.rfind(']');
  const auto port_at = place.find(':', bracket == place.npos ? 0 : bracket);
  uri.host = place.substr(0, port_at);
  if (port_at != place.npos) {
    const auto port = parse_number<int>(std::string_view(place).substr(port_at + 1));
    if (!port || *port < 1 || *port > 65535) return std::nullopt;
    uri.port = *port;
  }
  if (rest == text.npos) return uri;
  const auto question = text.find('?', rest);
  uri.path = text.substr(rest, question == text.npos ? text.npos : question - rest);
  if (question == text.npos) return uri;
  uri.query = pairs_of(std::string_view(text).substr(question + 1));
  return uri;
}

// What stands behind the host: "app/key?query".
std::string rtmp_path(const std::string &target) {
  const auto path = target.find('/', target.find("://") + 3);
  return path == target.npos ? "" : target.substr(path + 1);
}

// What may be shown of it: "app" of "app/instance/key", and of "app?token=T/key".
std::string shown_application(const std::string &path) { return path.substr(0, path.find_first_of("/?")); }

std::string decoded(const std::string &text) {
  const GStringPtr plain(g_uri_unescape_string(text.c_str(), nullptr));
  return plain ? plain.get() : text;
}

Result<OutputSpec> parse_folder(OutputSpec spec) {
  if (spec.target.empty()) return unusable(spec.kind, "needs a folder.");
  if (spec.target.find("://") != spec.target.npos)
    return unusable(spec.kind, "takes a folder of this machine, not a URI.");
  while (spec.target.size() > 1 && spec.target.back() == '/') spec.target.pop_back();
  return spec;
}

Result<OutputSpec> parse_udp(OutputSpec spec) {
  const auto colon = spec.target.rfind(':');
  const auto port = colon == spec.target.npos
                        ? std::nullopt
                        : parse_number<int>(std::string_view(spec.target).substr(colon + 1));
  if (!port || *port < 1 || *port > 65535)
    return unusable(spec.kind, "needs HOST:PORT, for example 239.1.1.1:5000.");
  spec.port = *port;
  spec.host = spec.target.substr(0, colon);
  if (spec.host.starts_with('[') && spec.host.ends_with(']'))
    spec.host = spec.host.substr(1, spec.host.size() - 2);
  else if (spec.host.find(':') != spec.host.npos)
    return unusable(spec.kind, "needs brackets around an IPv6 address: “[ff15::1]:5000”.");
  if (spec.host.empty() || spec.host.find('/') != spec.host.npos)
    return unusable(spec.kind, "needs HOST:PORT without a scheme or a path, for example 239.1.1.1:5000.");
  return spec;
}

Result<OutputSpec> parse_srt(OutputSpec spec) {
  const auto uri = read_uri(spec.target);
  if (!uri || uri->scheme != "srt" || uri->port < 0)
    return unusable(spec.kind, "needs srt://HOST:PORT, or srt://:PORT?mode=listener to wait for players.");
  const auto *mode = uri->find("mode");
  static const std::set<std::string> kModes = {"caller", "listener", "rendezvous"};
  if (mode && !kModes.contains(*mode))
    return unusable(spec.kind, "knows the modes caller, listener and rendezvous, not “" + *mode + "”.");
  if (uri->host.empty() && (!mode || *mode != "listener"))
    return unusable(spec.kind, "needs a host to call, or ?mode=listener to wait for players.");
  if (const auto *passphrase = uri->find("passphrase")) {
    const auto size = decoded(*passphrase).size();
    if (size < kShortestPassphrase || size > kLongestPassphrase)
      return unusable(spec.kind, "needs a passphrase of 10 to 79 characters.");
  }
  return spec;
}

Result<OutputSpec> parse_rtmp(OutputSpec spec) {
  const auto uri = read_uri(spec.target);
  if (!uri || (uri->scheme != "rtmp" && uri->scheme != "rtmps") || uri->host.empty())
    return unusable(spec.kind, "needs rtmp://HOST/APP/KEY or rtmps://HOST/APP/KEY.");
  if (shown_application(rtmp_path(spec.target)).empty() || rtmp_target(spec.target).stream.empty())
    return unusable(
        spec.kind, "needs an application and a stream key after the host: rtmp://" + uri->host + "/APP/KEY.");
  return spec;
}

std::string plain_name(const OutputSpec &output) {
  if (output.kind == OutputKind::window) return to_word(output.kind);
  if (output.kind == OutputKind::udp) return "udp://" + output.target;
  if (output.kind != OutputKind::srt && output.kind != OutputKind::rtmp) return output.target;
  const auto uri = read_uri(output.target);
  if (!uri) return kHidden;
  std::string name = uri->scheme + "://" + uri->host + (uri->port < 0 ? "" : ":" + std::to_string(uri->port));
  if (output.kind == OutputKind::rtmp)
    name += "/" + shown_application(rtmp_path(output.target)) + "/" + kHidden;
  return name;
}

std::vector<std::string> secrets_of(const OutputSpec &output) {
  std::vector<std::string> secrets;
  const auto add = [&secrets](const std::string &secret) {
    for (const auto &form : {secret, decoded(secret)})
      if (!form.empty()) secrets.push_back(form);
  };
  const bool has_secrets = output.kind == OutputKind::rtmp || output.kind == OutputKind::srt;
  const auto uri = has_secrets ? read_uri(output.target) : std::nullopt;
  if (!uri) return secrets;
  add(uri->user_info);
  if (const auto colon = uri->user_info.find(':'); colon != uri->user_info.npos)
    add(uri->user_info.substr(colon + 1));
  for (const auto &[name, value] : uri->query)
    if (name == "passphrase" || name == "streamid") add(value);
  if (output.kind == OutputKind::rtmp) {
    // Of the whole, and of the two parts that the server gets, and may say in its errors.
    const std::string path = rtmp_path(output.target);
    const auto [application, stream] = rtmp_target(output.target);
    const size_t shown = shown_application(path).size();
    for (std::string hidden : {path.substr(shown), application.substr(shown), stream}) {
      if (hidden.starts_with('/')) hidden.erase(0, 1);
      add(hidden);
      const size_t query = std::min(hidden.find('?'), hidden.size());
      add(hidden.substr(0, query));
      for (const auto &[name, value] : pairs_of(std::string_view(hidden).substr(query))) add(value);
    }
  }
  // A secret may be a part of another one.
  std::ranges::sort(secrets, [](const auto &a, const auto &b) { return a.size() > b.size(); });
  return secrets;
}

}  // namespace

Result<OutputSpec> parse_output(OutputKind kind, std::string_view target) {
  OutputSpec spec{kind, std::string(target)};
  if (target.find_first_of("\r\n") != target.npos) return unusable(kind, "takes one line.");
  switch (kind) {
    case OutputKind::hls:
    case OutputKind::record: return parse_folder(std::move(spec));
    case OutputKind::udp: return parse_udp(std::move(spec));
    case OutputKind::srt: return parse_srt(std::move(spec));
    case OutputKind::rtmp: return parse_rtmp(std::move(spec));
    case OutputKind::window: break;
  }
  return spec;
}

Result<void> check_outputs(const std::vector<OutputSpec> &outputs) {
  std::set<std::string> targets;
  for (const auto &output : outputs) {
    // HLS and recordings may share no folder either, so that each knows whose files are there.
    const bool folder = output.kind == OutputKind::hls || output.kind == OutputKind::record;
    std::string place = output.target;
    if (folder) place = GStringPtr(g_canonicalize_filename(place.c_str(), nullptr)).get();
    if (!targets.insert((folder ? "folder " : to_word(output.kind) + std::string(" ")) + place).second)
      return unusable(output.kind,
                      "was given “" + shown_name(output) + "”, where another output writes already.");
  }
  return {};
}

RtmpTarget rtmp_target(const std::string &target) {
  const std::string path = rtmp_path(target);
  auto slash = path.substr(0, path.find('?')).rfind('/');
  if (slash == path.npos) slash = path.rfind('/');
  if (slash == path.npos) return {path, ""};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

std::string shown_name(const OutputSpec &output) {
  return plain_name(output) + (output.copy > 1 ? " (" + std::to_string(output.copy) + ")" : "");
}

void number_copies(std::vector<OutputSpec> &outputs) {
  std::map<std::string, unsigned> seen;
  for (OutputSpec &output : outputs) output.copy = ++seen[plain_name(output)];
}

std::string without_secrets(const OutputSpec &output, std::string text) {
  for (const auto &secret : secrets_of(output)) text = replace_all(text, secret, kHidden);
  return text;
}

}  // namespace genclip
