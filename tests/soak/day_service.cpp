// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/soak/day_service.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace genclip::test {
namespace {

constexpr size_t kItems = 16, kRenewed = 4;

std::string bytes_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void serve(ServedConnection &connection, const std::string &bytes, std::chrono::milliseconds late) {
  const std::string request = connection.read_request();
  if (request.empty()) return;
  const bool is_from_begin = request.find("Range: bytes=0-") != request.npos;
  if (!is_from_begin && request.find("Range:") != request.npos) return;
  const auto says = [&](const char *word) { return request.find(word) < request.find('\n'); };
  if (says("late")) connection.pause(late);
  const size_t count = says("stall") || says("break") ? bytes.size() / 2 : bytes.size();
  connection.send("HTTP/1.1 200 OK\r\nContent-Type: video/x-matroska\r\nContent-Length: " +
                  std::to_string(bytes.size()) + "\r\n\r\n" + bytes.substr(0, count));
  if (says("stall")) connection.hang();
}

std::string file_item(const std::string &path) {
  const std::string name = std::filesystem::path(path).stem();
  return R"({"id": ")" + name + R"(", "source": ")" + path + R"("})";
}

}  // namespace

FailingServer::FailingServer(const std::string &file, std::chrono::milliseconds late)
    : bytes_(bytes_of(file)),
      late_(late),
      server_([this](ServedConnection &connection) { serve(connection, bytes_, late_); }) {}

std::string FailingServer::url(std::mt19937 &random) {
  const char *const kinds[] = {"stall", "break", "late", "well"};
  return server_.url(std::string("/c9-") + kinds[random() % std::size(kinds)] + std::to_string(++count_) +
                     ".mkv");
}

Result<VettedMedia> TrustingVetter::vet(const VettingRequest &request, GCancellable *cancellable) {
  if (!server_.serves(request.uri)) return vetter_->vet(request, cancellable);
  VettedMedia media;
  media.has_audio = true;
  media.length = std::chrono::seconds(10);
  return media;
}

DayRundown::DayRundown(std::string path, std::vector<std::string> files, FailingServer &server,
                       std::mt19937 &random)
    : path_(std::move(path)), files_(std::move(files)), server_(server), random_(random) {
  for (size_t i = 0; i < kItems; ++i) items_.push_back(new_item());
  write();
}

std::string DayRundown::new_item() {
  const std::string number = std::to_string(++number_);
  std::string source =
      "genclip://sd_2.0_fast_special?prompt=" + number +
      "%20sea&size=160x90&generate_audio=true&duration=" + std::to_string(6 + random_() % 10);
  std::string more;
  switch (random_() % 16) {
    case 0: source = server_.url(random_); break;
    case 1: source = server_.url(random_); break;
    case 2: more = R"(, "in": 1, "out": 5)"; break;
    case 3: source = "/nowhere/c" + number + ".mp4"; break;
    case 4: source = "genclip://sd_2.0_special?duration=4"; break;  // Refused: no prompt.
    default: break;
  }
  return R"({"id": "n)" + number + R"(", "source": ")" + source + "\"" + more + "}";
}

void DayRundown::renew() {
  items_.erase(items_.begin(), items_.begin() + kRenewed);
  for (size_t i = 0; i < kRenewed; ++i) items_.push_back(new_item());
  write();
}

void DayRundown::write() {
  std::string text = R"({"channel": "Day", "fallback": [")" + files_.front() + R"("], "program": [)";
  for (const std::string &file : files_) text += file_item(file) + ",\n";
  for (size_t i = 0; i < items_.size(); ++i) text += (i > 0 ? ",\n" : "") + items_[i];
  std::ofstream(path_ + ".part") << text << "]}\n";
  std::filesystem::rename(path_ + ".part", path_);
}

void DayRundown::spoil() { std::ofstream(path_) << "{\"program\": [1]}\n"; }

unsigned number_of(const std::string &source) {
  for (const char *before : {"prompt=", "/c"})
    if (const size_t at = source.rfind(before); at != source.npos)
      return static_cast<unsigned>(std::atoi(source.c_str() + at + std::string(before).size()));
  return 0;
}

}  // namespace genclip::test
