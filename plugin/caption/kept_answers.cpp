// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/kept_answers.h"

#include <glib.h>

#include <memory>
#include <string_view>

namespace genclip {
namespace {

struct ChecksumFree {
  void operator()(GChecksum *checksum) const { g_checksum_free(checksum); }
};

// Adds each field with its length before it, so that no two lists of fields look the same.
class Digest {
 public:
  void add(std::string_view field) {
    const uint64_t size = field.size();
    g_checksum_update(checksum_.get(), reinterpret_cast<const guchar *>(&size), sizeof size);
    g_checksum_update(checksum_.get(), reinterpret_cast<const guchar *>(field.data()),
                      static_cast<gssize>(field.size()));
  }
  std::string text() const { return g_checksum_get_string(checksum_.get()); }

 private:
  const std::unique_ptr<GChecksum, ChecksumFree> checksum_{g_checksum_new(G_CHECKSUM_SHA256)};
};

size_t cost(const std::string &key, const ContentAnswer &answer) {
  return sizeof answer + 2 * key.size() + answer.text.size() + answer.finish_reason.size();
}

}  // namespace

std::string question_key(const ContentRequest &request, uint64_t stream_time) {
  Digest digest;
  digest.add(std::to_string(stream_time));
  digest.add(request.model);
  digest.add(request.prompt);
  digest.add(request.text);
  digest.add(request.system_instruction);
  digest.add(std::to_string(request.temperature));
  digest.add(std::to_string(request.top_p));
  digest.add(std::to_string(request.max_output_tokens));
  digest.add(std::to_string(request.stills.size()));
  for (const Still &still : request.stills) digest.add(still.digest);
  for (const std::string &caption : request.earlier) digest.add(caption);
  return digest.text();
}

const ContentAnswer *KeptAnswers::find(const std::string &key) const {
  const auto found = answers_.find(key);
  return found == answers_.end() ? nullptr : &found->second;
}

void KeptAnswers::keep(const std::string &key, const ContentAnswer &answer) {
  const size_t size = cost(key, answer);
  if (size > most_bytes_ || !answers_.emplace(key, answer).second) return;
  oldest_first_.push_back(key);
  bytes_ += size;
  while (bytes_ > most_bytes_) {
    const auto oldest = answers_.find(oldest_first_.front());
    bytes_ -= cost(oldest->first, oldest->second);
    answers_.erase(oldest);
    oldest_first_.pop_front();
  }
}

void KeptAnswers::clear() {
  answers_.clear();
  oldest_first_.clear();
  bytes_ = 0;
}

}  // namespace genclip
