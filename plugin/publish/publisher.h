// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Makes a local file available at a public URL, for the service to fetch.
#pragma once

#include <gio/gio.h>

#include <string>

#include "plugin/base/clock.h"
#include "plugin/base/file_system.h"
#include "plugin/base/local_file.h"
#include "plugin/base/lock_wait.h"
#include "plugin/base/result.h"
#include "plugin/http/http_client.h"
#include "plugin/publish/publish_settings.h"

namespace genclip {

struct PublishTools {
  HttpClient *http;
  Clock *clock;
  FileSystem *files;
  OnLockWait on_lock_wait = nullptr;  // As wait_for_lock() has it, for the store's lock.
};

struct Published {
  std::string url;   // May be signed: never log it.
  std::string copy;  // The copy's name in the publish folder; empty when a command published it.
};

// Publishes the file as the settings say, and then asks its URL (publish-check). `sha256` is of the content
// that was checked, and `media_type` is by its first bytes; a file with another content is not published.
// The same content has the same name each time, and a copy that exists is not written again. Errors are whole
// sentences that say what to do, and hold no query of a URL. Blocks; cancelling ends it at once, or within a
// second while a command ends.
Result<Published> publish(const PublishSettings &settings, const PublishTools &tools,
                          const std::string &store, const LocalFile &file, const std::string &sha256,
                          const std::string &media_type, GCancellable *cancellable);

// What can be known of publishing before there is anything to publish, such as a frame of a clip that has to
// be paid first. A command is looked for, and its file's folder is tried, but it is not run. Into a folder a
// small picture is published under a name of its own, asked for as publish() does, and removed. Both need
// room for a picture or two. Leaves nothing behind. The errors are those of publish(). Blocks for as long.
Result<void> try_publishing(const PublishSettings &settings, const PublishTools &tools,
                            const std::string &store, GCancellable *cancellable);

}  // namespace genclip
