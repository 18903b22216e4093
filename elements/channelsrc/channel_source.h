// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What genchannelsrc does, without GObject: settings, one run at a time, messages.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <optional>
#include <string>

#include "elements/channelsrc/channel_settings.h"
#include "elements/channelsrc/playout.h"
#include "elements/element_settings.h"
#include "elements/message_queue.h"
#include "plugin/base/background_work.h"
#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"
#include "plugin/channel/channel.h"

namespace genclip {

// settings, commands and structures: any thread. prepare, release: in changes of state.
class ChannelSource : private ChannelListener {
 public:
  // Borrows the bin that owns it, and its ghost pads.
  ChannelSource(GstBin *bin, GstPad *video, GstPad *audio) : bin_(bin), video_(video), audio_(audio) {}
  ~ChannelSource() override;

  ChannelSrcSettings settings() const { return told_.get(); }
  // Calls edit(ChannelSrcSettings &). False: refused, because a run is prepared.
  template <typename Edit>
  bool edit_settings(Access access, Edit edit) {
    return told_.edit(access, edit);
  }

  // READY to PAUSED, before the bin's own change: validates the settings, builds what plays, starts the
  // channel. Uses neither the network nor the disk.
  Result<void> prepare() EXCLUDES(mutex_);
  // PAUSED to READY, before the bin's own change: nothing is decided any more.
  void interrupt() EXCLUDES(mutex_);
  // After the bin's own change.
  void release() EXCLUDES(mutex_);

  // Nothing happens unless it runs.
  void skip();
  void hold(bool hold);
  void reload();
  void end(Automation::End end);
  void remove(const std::string &id);
  // An error: why nothing is inserted.
  Result<void> insert(const std::string &item_json, const std::string &after);

  StructurePtr stats() const;
  // Null: nothing, or unknown.
  StructurePtr now() const;
  StructurePtr next() const;
  // A GstValueArray of structures.
  void ahead(GValue *value) const;

 private:
  void on_item(const std::string &id, const ItemStatus &status) override;
  void on_air(const Piece &piece, Clock::WallTime wall) override;
  void on_next() override;
  void on_rundown(const RundownNotice &notice) override;
  void on_budget(const std::optional<BudgetNotice> &notice) override;
  void on_alarm(const std::string &kind, const std::string &text, bool is_active) override;
  void on_warning(const Error &warning) override;
  void on_error(const Error &error) override;

  std::shared_ptr<Channel> channel() const EXCLUDES(mutex_);
  std::shared_ptr<MessageQueue> messages() const EXCLUDES(mutex_);
  ChannelSnapshot status() const;
  void post(StructurePtr structure);
  void notify(const char *property);

  const BackgroundWorkUser background_;  // The first member: it waits for the work of all others.
  GstBin *const bin_;
  GstPad *const video_;
  GstPad *const audio_;
  ElementSettings<ChannelSrcSettings> told_;

  mutable Mutex mutex_;
  std::shared_ptr<MessageQueue> messages_ GUARDED_BY(mutex_);
  std::shared_ptr<Channel> channel_ GUARDED_BY(mutex_);
  std::unique_ptr<Playout> playout_;  // Made and destroyed while no channel runs.
  std::string problem_;               // The channel's thread: what the playout has told.
};

}  // namespace genclip
