// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/kept_answers.h"

#include <glib.h>

#include <memory>

#include "plugin/base/number.h"

namespace genclip {
namespace {

struct ChecksumFree {
  void operator()(GChecksum *checksum) const { g_checksum_free(checksum); }
};

// Adds each field with its length before it, so that no two lists of fields look the same.
class Digest {
 public:
  void add(std::string_view field) {
    put(std::to_string(field.size()) + ":");
    put(field);
  }
  std::string text() const { return g_checksum_get_string(checksum_.get()); }

 private:
  void put(std::string_view bytes) {
    g_checksum_update(checksum_.get(), reinterpret_cast<const guchar *>(bytes.data()),
                      static_cast<gssize>(bytes.size()));
  }

  const std::unique_ptr<GChecksum, ChecksumFree> checksum_{g_checksum_new(G_CHECKSUM_SHA256)};
};

size_t cost(const std::string &key, const ContentAnswer &answer) {
  return sizeof answer + 2 * key.size() + answer.text.size() + answer.finish_reason.size();
}

}  // namespace

std::string question_key(const ContentRequest &request, std::optional<uint64_t> stream_time,
                         std::string_view language) {
  Digest digest;
  // The next field is a time, so no question without a language has this key.
  if (!language.empty()) digest.add("in " + std::string(language));
  digest.add(stream_time ? std::to_string(*stream_time) : "at any time");
  digest.add(request.model);
  digest.add(request.prompt);
  digest.add(request.text);
  digest.add(request.system_instruction);
  digest.add(number_text(request.temperature));
  digest.add(number_text(request.top_p));
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
