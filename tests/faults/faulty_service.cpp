// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Hand-made correct answers, and the misdeeds that replace them.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <fstream>

#include "tests/faults/fault_service.h"
#include "tests/support/sample_clip.h"

namespace genclip::test {
namespace {

constexpr char kEtag[] = "ETag: \"clip-1\"\r\n";

std::string text_of(const std::string &path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

HttpServer::Options secured(const std::string &certificate) {
  return {.certificate = text_of(certificate_path(certificate + ".pem")),
          .private_key = text_of(certificate_path(certificate + ".key"))};
}

// The first byte that a Range of one part asks for; 0 without one.
size_t range_begin(const std::string &request) {
  const auto place = request.find("\r\nRange: bytes=");
  return place == std::string::npos ? 0 : std::stoul(request.substr(place + 15));
}

class FaultyService final : public FaultService {
 public:
  FaultyService(const std::vector<Misdeed> &misdeeds, const std::string &certificate)
      : misdeeds_(misdeeds.begin(), misdeeds.end()),
        clip_(sample_mp4(100'000, 4)),
        media_([this](ServedConnection &peer) { serve_media(peer); }),
        secure_media_(certificate.empty()
                          ? nullptr
                          : std::make_unique<HttpServer>(
                                [this](ServedConnection &peer) { serve_media(peer); }, secured(certificate))),
        api_([this](ServedConnection &peer) { serve_api(peer); }) {}

  std::string base_url() const override { return api_.url("/api"); }
  std::string clip() const override { return clip_; }
  unsigned charges() const override { return charges_; }
  size_t requests() const override { return requests_; }
  unsigned media_with_key() const override { return media_with_key_; }
  void heal() override {
    MutexLock lock(mutex_);
    misdeeds_.clear();
    healed_ = true;
  }

 private:
  // The misdeed for the next call; empty: a correct answer.
  std::optional<Misdeed> next(Place place) {
    MutexLock lock(mutex_);
    const auto found = std::find_if(misdeeds_.begin(), misdeeds_.end(),
                                    [place](const Misdeed &misdeed) { return misdeed.place == place; });
    if (found == misdeeds_.end()) return std::nullopt;
    Misdeed misdeed = *found;
    if (found->times == 1)
      misdeeds_.erase(found);
    else if (found->times > 1)
      --found->times;
    return misdeed;
  }

  std::string media_url() {
    MutexLock lock(mutex_);
    return secure_media_ && !healed_ ? secure_media_->url("") : media_.url("");
  }

  bool act(Place place, ServedConnection &peer, const std::string &request, const std::string &proper) {
    const auto misdeed = next(place);
    if (place == Place::submit && !(misdeed && misdeed->refuses)) ++charges_;
    if (!misdeed) return peer.send(proper);
    return misdeed->act(peer, {request, proper, media_.url("")});
  }

  bool greet(Place place, ServedConnection &peer) {
    const auto misdeed = next(place);
    return !misdeed || misdeed->act(peer, {});
  }

  void serve_api(ServedConnection &peer) {
    if (!greet(Place::api_connection, peer)) return;
    for (;;) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      ++requests_;
      if (request.find("\r\nAuthorization: Bearer " + std::string(kSecretKey) + "\r\n") ==
          std::string::npos) {
        peer.send(answer(401, "{}"));
        return;
      }
      const bool is_submit = request.starts_with("POST /api/v");
      const std::string proper = answer(200, is_submit ? submitted() : completed(request));
      if (!act(is_submit ? Place::submit : Place::query, peer, request, proper)) return;
    }
  }

  std::string submitted() {
    return R"({"id":"t-)" + std::to_string(++tasks_) +
           R"(","object":"video","created":1763700000,"model":"dance-2.5","status":"queued","error":null})";
  }

  std::string completed(const std::string &request) {
    const auto slash = request.rfind('/', request.find(" HTTP/"));
    const std::string id = request.substr(slash + 1, request.find(' ', slash) - slash - 1);
    const std::string url = media_url() + "/clips/" + id + ".mp4?sig=s3cr3t";
    return R"({"id":")" + id + R"(","object":"video","status":"completed","progress":100,"result_url":")" +
           url + R"(","video_url":")" + url + R"(","amount":2.5,"actualDuration":4,"error":null})";
  }

  void serve_media(ServedConnection &peer) {
    if (!greet(Place::media_connection, peer)) return;
    for (;;) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      ++requests_;
      if (request.find("Authorization:") != std::string::npos ||
          request.find(kSecretKey) != std::string::npos)
        ++media_with_key_;
      if (!act(Place::media, peer, request, media_answer(request))) return;
    }
  }

  std::string media_answer(const std::string &request) const {
    const size_t begin = range_begin(request);
    const std::string headers = std::string("Content-Type: video/mp4\r\nAccept-Ranges: bytes\r\n") + kEtag;
    if (begin == 0) return answer(200, clip_, headers);
    if (begin >= clip_.size())
      return answer(416, "", "Content-Range: bytes */" + std::to_string(clip_.size()) + "\r\n");
    return answer(206, clip_.substr(begin),
                  headers + "Content-Range: bytes " + std::to_string(begin) + "-" +
                      std::to_string(clip_.size() - 1) + "/" + std::to_string(clip_.size()) + "\r\n");
  }

  mutable Mutex mutex_;
  std::deque<Misdeed> misdeeds_ GUARDED_BY(mutex_);
  bool healed_ GUARDED_BY(mutex_) = false;
  std::atomic<unsigned> charges_ = 0, tasks_ = 0, media_with_key_ = 0;
  std::atomic<size_t> requests_ = 0;
  const std::string clip_;
  HttpServer media_;
  const std::unique_ptr<HttpServer> secure_media_;
  HttpServer api_;
};

}  // namespace

std::unique_ptr<FaultService> faulty_service(const std::vector<Misdeed> &misdeeds,
                                             const std::string &certificate) {
  return std::make_unique<FaultyService>(misdeeds, certificate);
}

std::string certificate_path(const std::string &file) {
  return std::string(GENCLIP_CERTIFICATES) + "/" + file;
}

}  // namespace genclip::test
