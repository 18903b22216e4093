// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What says of a clip that a machine made it: the file clip.xmp beside it, and the tags of its stream.
//
// A stored clip's own bytes are never altered, so all of this is beside it.
#pragma once

#include <cstdint>
#include <string>

#include "plugin/base/file_system.h"
#include "plugin/store/clip_record.h"

namespace genclip {

struct Provenance {
  std::string model;  // Any bytes; empty: unknown. So are the next two.
  std::string task_id;
  std::string prompt;  // Empty: it is not told.
  std::string media_type;
  unsigned take = 0;
  int64_t created_at = 0;   // Unix time in seconds; 0 unknown.
  bool from_media = false;  // Images, videos or sounds went into it.
};

// All but `prompt` and `from_media`.
Provenance provenance_of(const ClipRecord &record);

// The last part of the IPTC's term for how the clip was made: "trainedAlgorithmicMedia", or
// "compositeWithTrainedAlgorithmicMedia" where media went in (cv.iptc.org/newscodes/digitalsourcetype).
std::string digital_source_type(const Provenance &provenance);

// An XMP packet: IPTC's DigitalSourceType, AISystemUsed and, if there is a prompt, AIPromptInformation; the
// task and the take in a namespace of genclip's. Well-formed whatever the texts are.
std::string xmp_of(const Provenance &provenance);

// One line for a tag that every container keeps. Without a prompt it has no blank and no comma: matroskamux
// would write these with backslashes.
std::string comment_of(const Provenance &provenance);

// Writes clip.xmp into the clip's folder. For its writer.
Result<void> write_xmp(FileSystem &files, const ClipPath &path, const Provenance &provenance);

}  // namespace genclip
