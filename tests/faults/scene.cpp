// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A run is a pipeline from NULL to its end and back.
#include "tests/faults/scene.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "plugin/base/mutex.h"
#include "tests/faults/log_watch.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(GstMessage *message) {
  std::string text = GST_MESSAGE_TYPE_NAME(message);
  if (const GstStructure *structure = gst_message_get_structure(message))
    text += std::string(" ") + GStringPtr(gst_structure_to_string(structure)).get();
  if (GST_MESSAGE_TYPE(message) & (GST_MESSAGE_ERROR | GST_MESSAGE_WARNING)) {
    const BusError error = error_of(GRef<GstMessage>::share(message));
    text += " " + error.text + " " + error.debug;
  }
  return text;
}

}  // namespace

std::string Scene::clip_folder() const {
  std::string found;
  std::error_code none;
  for (const auto &entry : fs::directory_iterator(store(), none)) {
    if (!entry.is_directory() || entry.path().filename().string().size() != 64) continue;
    if (!found.empty()) return "";
    found = entry.path().string();
  }
  return found;
}

std::vector<std::string> Scene::leaking_files() const {
  std::vector<std::string> leaking;
  std::error_code none;
  for (const auto &entry : fs::recursive_directory_iterator(folder_.path(), none)) {
    if (!fs::is_regular_file(entry.symlink_status())) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (holds_secret(bytes) || holds_secret(entry.path().string())) leaking.push_back(entry.path().string());
  }
  return leaking;
}

void Scene::use(ClipPipeline &clip, const Settings &settings) const {
  const Settings usual = {{"model", "dance-2.5"}, {"prompt", "a red kite"},
                          {"duration", "4"},      {"api-key", kSecretKey},
                          {"store", store()},     {"poll-interval", "10"},
                          {"http-timeout", "20"}, {"retries", "2"},
                          {"timeout", "30"},      {"base-url", service_->base_url()}};
  for (const auto &[property, value] : usual) clip.set(property, value);
  for (const auto &[property, value] : settings) clip.set(property, value);
}

FaultRun Scene::run(const Settings &settings) {
  ClipPipeline clip(kSeenSink);
  use(clip, settings);
  const auto begun = std::chrono::steady_clock::now();
  Witness witness(clip);
  const auto error = clip.play();
  FaultRun run = witness.report();
  run.error = error;
  clip.go(GST_STATE_NULL);
  run.time = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
  return run;
}

struct Witness::Notes {
  mutable Mutex mutex;
  FaultRun run GUARDED_BY(mutex);
};

GstBusSyncReply Witness::on_message(GstBus *, GstMessage *message, gpointer data) {
  auto &notes = **static_cast<std::shared_ptr<Notes> *>(data);
  const std::string text = text_of(message);
  MutexLock lock(notes.mutex);
  if (holds_secret(text)) notes.run.leaks.push_back(text);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
    notes.run.warnings.push_back(error_of(GRef<GstMessage>::share(message)).text);
  return GST_BUS_PASS;
}

void Witness::on_buffer(GstElement *, GstBuffer *buffer, GstPad *, gpointer data) {
  auto &notes = *static_cast<Notes *>(data);
  std::string part(gst_buffer_get_size(buffer), '\0');
  gst_buffer_extract(buffer, 0, part.data(), part.size());
  MutexLock lock(notes.mutex);
  notes.run.bytes += part;
}

Witness::Witness(ClipPipeline &clip) : clip_(clip), notes_(std::make_shared<Notes>()) {
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(clip.pipeline()));
  gst_bus_set_sync_handler(bus.get(), on_message, new std::shared_ptr<Notes>(notes_),
                           [](gpointer notes) { delete static_cast<std::shared_ptr<Notes> *>(notes); });
  g_signal_connect(clip.element("sink").get(), "handoff", G_CALLBACK(on_buffer), notes_.get());
}

Witness::~Witness() {
  clip_.go(GST_STATE_NULL);
  g_signal_handlers_disconnect_by_data(clip_.element("sink").get(), notes_.get());
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(clip_.pipeline()));
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
}

FaultRun Witness::report() const {
  const GStringPtr graph(gst_debug_bin_to_dot_data(GST_BIN(clip_.pipeline()), GST_DEBUG_GRAPH_SHOW_ALL));
  const std::string status = clip_.get("status");
  MutexLock lock(notes_->mutex);
  FaultRun run = notes_->run;
  run.status = status;
  if (holds_secret(graph.get())) run.leaks.emplace_back(graph.get());
  return run;
}

}  // namespace genclip::test
