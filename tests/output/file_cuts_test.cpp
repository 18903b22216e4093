// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/file_cuts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

class ListedFiles final : public FileWriter {
 public:
  Result<void> begin() override { return {}; }
  std::string open(WallTime, const GstCaps *) override { return std::to_string(++opened_); }
  std::optional<std::chrono::nanoseconds> until_cut(WallTime) override { return std::nullopt; }
  Result<void> close(const Written &file) override {
    told.push_back("close " + file.path);
    return {};
  }
  Result<void> discard(const std::string &path) override {
    told.push_back("discard " + path);
    return {};
  }
  Result<void> finish(bool) override { return {}; }

  std::vector<std::string> told;

 private:
  int opened_ = 0;
};

// As splitmuxsink tells.
void tell(FileCuts &cuts, const char *what, GstClockTime running_time) {
  const auto splitter = GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_bin_new(nullptr))));
  GstMessage *message =
      gst_message_new_element(GST_OBJECT(splitter.get()),
                              gst_structure_new(what, "running-time", G_TYPE_UINT64, running_time, nullptr));
  EXPECT_TRUE(cuts.handle(message));
  gst_message_unref(message);
}

void write_file(FileCuts &cuts, GstClockTime from, GstClockTime to) {
  cuts.open(nullptr);
  tell(cuts, "splitmuxsink-fragment-opened", from);
  tell(cuts, "splitmuxsink-fragment-closed", to);
}

// A program that ends before its first frame would list a segment of 1970 at each start.
TEST(FileCuts, KeepsNoFileWithoutAFrame) {
  const auto files = std::make_shared<ListedFiles>();
  FileCuts cuts(files);
  write_file(cuts, 0, GST_SECOND);
  cuts.shown(0, 0, {});
  write_file(cuts, 0, 0);
  write_file(cuts, 0, GST_SECOND);
  write_file(cuts, GST_SECOND, GST_SECOND);
  EXPECT_EQ(files->told, (std::vector<std::string>{"discard 1", "discard 2", "close 3", "discard 4"}));
}

}  // namespace
}  // namespace genclip
