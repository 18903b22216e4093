// SPDX-License-Identifier: LGPL-2.1-or-later
//
// An unattended channel: one pipeline that plays generated clips with captions, without end.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "plugin/base/gref.h"

namespace genclip::soak {

struct ChannelPlan {
  std::string base_url, gateway_url, store;
  int clips = 25;
  unsigned frames_per_clip = 0;
  // Number of clips that are prepared while one plays.
  int ahead = 3;
  // Number of retries for a failed clip.
  int most_attempts = 6;
  // Nothing happened for so long: a stall.
  std::chrono::seconds patience{90};
};

struct ChannelCounts {
  int played = 0;  // With every frame.
  int attempts = 0;
  int captions = 0;
  int announced_repeats = 0;            // Submits that a warning said may be charged more than once.
  std::map<std::string, int> errors;    // Of attempts, by their text.
  std::map<std::string, int> warnings;  // By their text.
  int requests = 0, skipped = 0;        // Of gencaption.
};

class Channel {
 public:
  explicit Channel(ChannelPlan plan);
  ~Channel();
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;

  // Plays all; `after_each` is called after each clip. Returns what went wrong; empty when all was played.
  std::string run(const std::function<void(const ChannelCounts &)> &after_each);
  const ChannelCounts &counts() const { return counts_; }

 private:
  // One attempt at a clip.
  struct Player {
    int number = 0;
    GRef<GstElement> bin;
    GRef<GstPad> out, slot;  // The bin's, and concat's that it is linked to.
    std::atomic<unsigned> frames = 0;
  };

  void add(int number);
  void remove(Player &player);
  GRef<GstPad> request_slot();
  void keep_open(GRef<GstPad> slot);
  Player *player_of(GstObject *object);
  std::string hear(GstMessage *message, const std::function<void(const ChannelCounts &)> &after_each);
  std::string ended(Player &player);
  std::string failed(Player &player, const std::string &why);

  const ChannelPlan plan_;
  ChannelCounts counts_;
  GRef<GstElement> pipeline_, concat_, caption_;
  GRef<GstBus> bus_;
  GRef<GstPad> open_;  // The slot behind those of all players.
  std::atomic<int> captions_ = 0;
  std::list<std::unique_ptr<Player>> players_;
  std::map<int, int> attempts_;
  int next_ = 0;
  int sinks_ended_ = 0;
};

}  // namespace genclip::soak
