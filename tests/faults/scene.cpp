// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A run is a pipeline from NULL to its end and back.
#include "tests/faults/scene.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>

#include "tests/faults/broken_disk.h"
#include "tests/faults/log_watch.h"
#include "tests/support/file_content.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;

// It has requested its clip.
bool is_in(const ClipPipeline &clip) { return clip.get("status") != "idle"; }

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
    if (holds_secret(content(entry.path().string())) || holds_secret(entry.path().string()))
      leaking.push_back(entry.path().string());
  }
  return leaking;
}

Scene::Scene(std::unique_ptr<FaultService> service) : service_(std::move(service)) {}

Scene::~Scene() {
  for (std::thread &thread : threads_) thread.join();
  mend_disk(folder_.path());
  if (!disk_.empty()) ::umount2(disk_.c_str(), MNT_DETACH);
}

bool Scene::mount_disk(size_t bytes) {
  const std::string path = folder_.file("disk");
  fs::create_directory(path);
  if (::mount("none", path.c_str(), "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str()) != 0) {
    obstacle = "no disk can be mounted here";
    return false;
  }
  disk_ = path;
  move_store(path + "/store");
  return true;
}

void Scene::fill_disk(size_t left) {
  const std::string path = disk_ + "/ballast";
  std::ofstream ballast(path, std::ios::binary | std::ios::app);
  const std::string block(4096, 'x');
  while (ballast.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) continue;
  ballast.close();
  std::error_code none;
  const auto size = fs::file_size(path, none);
  fs::resize_file(path, size > left ? size - left : 0, none);
}

void Scene::make_room() { fs::remove(disk_ + "/ballast"); }

bool Scene::wait_for(const std::function<bool()> &what) const {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!what()) {
    if (std::chrono::steady_clock::now() > end) return false;
    g_usleep(2000);
  }
  return true;
}

std::string Scene::record() const { return content(clip_file("task.json")); }

size_t Scene::part_size() const {
  std::error_code none;
  const auto size = fs::file_size(clip_file("clip.part"), none);
  return none ? 0 : static_cast<size_t>(size);
}

Settings Scene::request() const {
  return {{"model", "dance-2.5"}, {"prompt", "a red kite"}, {"duration", "4"},
          {"store", store()},     {"poll-interval", "10"},  {"http-timeout", "20"},
          {"retries", "2"},       {"timeout", "30"},        {"base-url", service_->base_url()}};
}

void Scene::use(ClipPipeline &clip, const Settings &settings) const {
  for (const auto &[property, value] : request()) clip.set(property, value);
  clip.set("api-key", kSecretKey);
  for (const auto &[property, value] : settings) clip.set(property, value);
}

void Scene::invite() {
  auto guest = std::make_unique<Guest>(*this, Settings());
  EXPECT_TRUE(wait_for([&] { return is_in(guest->clip()); }));
  MutexLock lock(mutex_);
  guests_.push_back(std::move(guest));
}

void Scene::expect(unsigned runs) {
  MutexLock lock(mutex_);
  expected_ = runs;
}

bool Scene::gather() const {
  return wait_for([this] {
    MutexLock lock(mutex_);
    return guests_.size() + 1 == expected_ && running_ && is_in(*running_);
  });
}

Guest &Scene::guest(size_t which) {
  MutexLock lock(mutex_);
  return *guests_.at(which);
}

std::vector<FaultRun> Scene::see_guests_off() {
  std::vector<std::unique_ptr<Guest>> guests;
  {
    MutexLock lock(mutex_);
    guests.swap(guests_);
  }
  std::vector<FaultRun> runs;
  for (const auto &guest : guests)
    if (!guest->has_left()) runs.push_back(guest->finish());
  return runs;
}

Visitor &Scene::call_in(const Settings &settings) {
  Settings all = request();
  all.insert(all.end(), settings.begin(), settings.end());
  visitors_.push_back(
      std::make_unique<Visitor>(all, folder_.file("visitor-" + std::to_string(visitors_.size()))));
  return *visitors_.back();
}

FaultRun Scene::run(const Settings &settings) {
  ClipPipeline clip(kSeenSink);
  use(clip, settings);
  const auto begun = std::chrono::steady_clock::now();
  Witness witness(clip);
  {
    MutexLock lock(mutex_);
    running_ = &clip;
  }
  const auto error = clip.play();
  {
    MutexLock lock(mutex_);
    running_ = nullptr;
  }
  FaultRun run = witness.report();
  run.error = error;
  clip.go(GST_STATE_NULL);
  run.time = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
  return run;
}

void Scene::later(std::chrono::milliseconds time, std::function<void()> act) {
  threads_.emplace_back([time, act = std::move(act)] {
    std::this_thread::sleep_for(time);
    act();
  });
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

Guest::Guest(const Scene &scene, const Settings &settings) : clip_(kSeenSink), witness_(clip_) {
  scene.use(clip_, settings);
  clip_.go(GST_STATE_PLAYING);
}

void Guest::leave() {
  has_left_ = true;
  clip_.go(GST_STATE_NULL);
}

FaultRun Guest::finish() {
  const auto error = clip_.finish();
  FaultRun run = witness_.report();
  run.error = error;
  return run;
}

}  // namespace genclip::test
