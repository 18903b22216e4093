// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Splits the bytes of an answer into JSON documents, in any framing that this family of APIs uses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"

namespace genclip {

// Server-sent events, one JSON array, one document per line, or a single document; the first byte tells
// which. §4.4 does not document the shape of a streamed answer, so this reads all known ones. One thread at a
// time.
class StreamParser {
 public:
  // A document larger than this is refused.
  static constexpr size_t kMaxDocument = 8 << 20;

  // Appends each document that `bytes` completes. The bytes may end anywhere. Halves of surrogate pairs that
  // stand alone are marked (surrogate_halves.h). After an error all further calls fail too.
  Result<void> feed(std::string_view bytes, std::vector<Json> &documents);

  // Call it at the end of the bytes. Fails when they end inside a document.
  Result<void> finish(std::vector<Json> &documents);

  // The bytes themselves have shown their end, so that nothing is lost if the connection breaks there: the
  // array is closed, [DONE] has come, or the only document of an answer that has one is complete.
  bool has_ended(bool is_one_document) const {
    return has_ended_ || (is_one_document && framing_ == Framing::json && depth_ + arrays_ == 0);
  }

 private:
  enum class Framing { unknown, json, events, broken };

  bool sniff(char c);
  Result<void> feed_json(char c, std::vector<Json> &documents);
  Result<void> feed_event(char c, std::vector<Json> &documents);
  Result<void> end_line(std::vector<Json> &documents);
  Result<void> end_event(std::vector<Json> &documents);
  Error broken(std::string why);

  Framing framing_ = Framing::unknown;
  bool has_ended_ = false;
  std::string lead_;      // a byte order mark that has begun
  std::string document_;  // the object that has begun (json), or the data of the event (events)

  // json
  int depth_ = 0;          // of braces and brackets inside document_
  int arrays_ = 0;         // brackets around it
  size_t keep_alive_ = 0;  // bytes of a null that has begun
  bool in_string_ = false;
  bool escaped_ = false;

  // events
  std::string line_;
  bool has_data_ = false;
  bool after_cr_ = false;
};

}  // namespace genclip
