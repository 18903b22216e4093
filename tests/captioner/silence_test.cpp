// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The contract for silence as a matrix: whatever takes the captions, whatever is known of the end, however
// long the film is and whatever the gateway does, the file ends, can be read, and is as long as the film.
//
// GENCLIP_SILENCE_CELLS=all runs every cell, and GENCLIP_SILENCE_CELLS="mp4mux, stop known, 18 s" those with
// such a name; without it, one length stands for all.
#include <glib/gstdio.h>
#include <gmock/gmock.h>
#include <gst/base/gstbasesrc.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "tests/captioner/frame_count.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

constexpr unsigned kRate = 4;
constexpr unsigned kIntervalMs = 5000;
// 16 s to 23 s.
constexpr unsigned kFirstHalf = 32;
constexpr unsigned kLastHalf = 46;
// A cell takes a tenth of a second, or one second if a request times out.
constexpr std::chrono::seconds kStall{60};

struct Consumer {
  const char *name;
  const char *encoder;  // of the pictures
  const char *taker;    // OUT stands for the folder; `mux` takes `video` and `text`
  const char *video;
  const char *text;
  const char *reader;  // of the one file that it wrote, where it does
  bool knows_silence = true;
};

// As the documents have it: the queue in front of the muxer holds a window. After a caption, mp4mux takes no
// picture before the next caption or the end, and splitmuxsink counts no GAP at all and may stall for ever
// when it begins a part in silence (1.22): where captions may stay out, their queue holds what there is, and
// there is one part.
constexpr char kWindow[] = "queue max-size-time=6000000000 max-size-buffers=0 max-size-bytes=0";
constexpr char kTwoWindows[] = "queue max-size-time=11000000000 max-size-buffers=0 max-size-bytes=0";
constexpr char kAll[] = "queue max-size-time=0 max-size-buffers=0 max-size-bytes=0";
constexpr size_t kSplit = 4;

const Consumer kConsumers[] = {
    {"mp4mux", "x264enc tune=zerolatency speed-preset=ultrafast ! h264parse ! QUEUE ! ",
     "mp4mux name=mux ! filesink location=OUT/film", "mux.", "mux.subtitle_0",
     "filesrc location=OUT/film ! qtdemux name=d", false},
    {"fragmented", "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=4 ! h264parse ! QUEUE ! ",
     "mp4mux fragment-duration=1000 name=mux ! filesink location=OUT/film", "mux.", "mux.subtitle_0",
     "filesrc location=OUT/film ! qtdemux name=d", false},
    {"matroskamux", "jpegenc ! QUEUE ! ", "matroskamux name=mux ! filesink location=OUT/film", "mux.",
     "mux.subtitle_0", "filesrc location=OUT/film ! matroskademux name=d"},
    {"webmmux", "vp8enc deadline=1 ! QUEUE ! ", "webmmux name=mux ! filesink location=OUT/film", "mux.",
     "mux.subtitle_0", "filesrc location=OUT/film ! matroskademux name=d"},
    {"splitmuxsink", "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=4 ! h264parse ! QUEUE ! ",
     "splitmuxsink name=mux muxer=matroskamux location=OUT/part%02d.mkv max-size-time=PART", "mux.video",
     "mux.subtitle_0", nullptr, false},
    {"textoverlay", "", "textoverlay name=o ! fakesink name=sink sync=false", "", "o.text_sink", nullptr},
    // hlssink2 has no text pad: its WebVTT is written beside the playlist.
    {"hlssink2", "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=4 ! h264parse ! QUEUE ! ",
     "hlssink2 name=mux target-duration=5 playlist-length=0 max-files=0 location=OUT/segment%03d.ts "
     "playlist-location=OUT/film.m3u8",
     "mux.video", "webvttenc ! filesink location=OUT/film.vtt", nullptr},
};

enum class Known { stop, duration, nothing };
const char *const kKnown[] = {"stop known", "duration known", "nothing known"};

enum class Service { answers, hangs, refuses, budget };
const char *const kService[] = {"answers", "hangs", "refuses", "budget spent"};
const char *const kProperties[] = {"", "timeout=1 retries=0", "retries=0", "max-requests=1"};

// What a caption needs to have seen.
enum class Ahead { nothing, cuts, stills };
const char *const kAhead[] = {"", "align=cuts", "stills=within"};
const char *const kAheadProperties[] = {"", " align=cuts min-interval=5000000000", " stills=within"};

struct Cell {
  size_t consumer = 0;
  size_t known = 0;
  size_t service = 0;
  size_t ahead = 0;
  unsigned halves = kFirstHalf;  // of a second
};

std::string name_of(const Cell &cell) {
  std::ostringstream name;
  name << kConsumers[cell.consumer].name << ", " << kKnown[cell.known] << ", "
       << static_cast<double>(cell.halves) / 2 << " s, " << kService[cell.service] << ", "
       << kAhead[cell.ahead];
  return name.str();
}

std::string replaced(std::string text, std::string_view what, const std::string &by) {
  for (size_t at = text.find(what); at != text.npos; at = text.find(what)) text.replace(at, what.size(), by);
  return text;
}
std::string with_folder(const std::string &text, const std::string &folder) {
  return replaced(text, "OUT", folder);
}

std::string text_of_file(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string pipeline_of(const Cell &cell, const std::string &folder) {
  const Consumer &consumer = kConsumers[cell.consumer];
  const std::string source =
      "videotestsrc name=src num-buffers=" + std::to_string(cell.halves * kRate / 2) +
      " ! video/x-raw,format=RGB,width=64,height=48,framerate=" + std::to_string(kRate) + "/1 ! tee name=t  ";
  const std::string captions = std::string("t. ! queue ! gencaption name=cap interval=") +
                               std::to_string(kIntervalMs) + "000000 max-in-flight=8 on-error=skip " +
                               kProperties[cell.service] + kAheadProperties[cell.ahead] + " ! " +
                               consumer.text;
  const std::string encoder = *consumer.encoder ? std::string("videoconvert ! ") + consumer.encoder : "";
  const bool overlays = !*consumer.video && !*encoder.c_str();
  const std::string beside = overlays && cell.ahead ? std::string(kTwoWindows) + " ! " : "queue ! ";
  const std::string video =
      "  t. ! " + beside + encoder + (*consumer.video ? consumer.video : consumer.taker);
  const bool holds_all = !consumer.knows_silence && static_cast<Service>(cell.service) != Service::answers;
  std::string all = source + captions + video + "  " + (*consumer.video ? consumer.taker : "");
  all = replaced(all, "QUEUE", holds_all ? kAll : cell.ahead ? kTwoWindows : kWindow);
  all = replaced(all, "PART", holds_all ? "0" : "6000000000");
  return with_folder(all, folder);
}

// The end as known from a demuxer or a seek, or unknown as in a stream.
void tell_of_end(const CaptionRun &run, const Cell &cell) {
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("src").get(), "src"));
  const auto known = static_cast<Known>(cell.known);
  if (known == Known::nothing)
    gst_pad_add_probe(
        pad.get(), GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
        [](GstPad *, GstPadProbeInfo *info, gpointer) {
          return GST_QUERY_TYPE(GST_PAD_PROBE_INFO_QUERY(info)) == GST_QUERY_DURATION ? GST_PAD_PROBE_DROP
                                                                                      : GST_PAD_PROBE_OK;
        },
        nullptr, nullptr);
  if (known != Known::stop) return;
  gst_pad_add_probe(
      pad.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      [](GstPad *, GstPadProbeInfo *info, gpointer halves) {
        GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
        if (GST_EVENT_TYPE(event) != GST_EVENT_SEGMENT) return GST_PAD_PROBE_OK;
        GstSegment segment;
        gst_event_copy_segment(event, &segment);
        segment.stop = GPOINTER_TO_UINT(halves) * GST_SECOND / 2;
        GstEvent *own = gst_event_new_segment(&segment);
        gst_event_set_seqnum(own, gst_event_get_seqnum(event));
        gst_event_unref(event);
        info->data = own;
        return GST_PAD_PROBE_OK;
      },
      GUINT_TO_POINTER(cell.halves), nullptr);
}

// The caption of each window, up to the end of the stream if that is known.
Cues wanted(const Cell &cell) {
  Cues cues;
  const auto service = static_cast<Service>(cell.service);
  if (service == Service::hangs || service == Service::refuses) return cues;
  for (uint64_t start = 0; start < cell.halves * 500; start += kIntervalMs) {
    uint64_t end = start + kIntervalMs;
    if (static_cast<Known>(cell.known) != Known::nothing) end = std::min<uint64_t>(end, cell.halves * 500);
    // The middle of the window, if the film has it.
    const bool middle = static_cast<Ahead>(cell.ahead) == Ahead::stills && start + 2500 < cell.halves * 500;
    cues.push_back({start, end, caption_at((start + (middle ? 2500 : 0)) / 1000, "64x48")});
    if (service == Service::budget) break;
  }
  return cues;
}

struct Read {
  std::string end;
  unsigned pictures = 0;
  uint64_t ms = 0;
  Cues cues;
};

Read read(const GatewayServer &gateway, const std::string &reader, bool has_texts) {
  // A track without a text is no track in some containers.
  const std::string texts = has_texts ? "  d.subtitle_0 ! queue ! appsink name=out sync=false" : "";
  CaptionRun run(gateway, reader + "  d.video_0 ! queue ! fakesink name=sink sync=false" + texts);
  const FrameCount frames(run);
  Read found{run.play(kStall), frames.count(), 0, {}};
  gint64 duration = 0;
  gst_element_query_duration(run.pipeline(), GST_FORMAT_TIME, &duration);
  found.ms = static_cast<uint64_t>(duration) / GST_MSECOND;
  if (has_texts) found.cues = run.cues();
  return found;
}

std::string read_back(const GatewayServer &gateway, const Cell &cell, const std::string &folder) {
  const Cues said = wanted(cell);
  const Read found = read(gateway, with_folder(kConsumers[cell.consumer].reader, folder), !said.empty());
  if (!found.end.empty()) return "reading back: " + found.end;
  std::ostringstream problems;
  if (found.pictures != cell.halves * kRate / 2) problems << found.pictures << " pictures; ";
  // If the end is unknown, the last caption lasts until the end of its window, as does silence. matroskamux
  // counts both since 1.26.
  const uint64_t film = cell.halves * 500;
  const uint64_t windows = (film + kIntervalMs - 1) / kIntervalMs * kIntervalMs;
  const uint64_t longest = static_cast<Known>(cell.known) == Known::nothing ? windows : film;
  if (found.ms + 1 < film || found.ms > longest + 1) problems << found.ms << " ms long; ";
  if (found.cues != said) problems << "captions " << testing::PrintToString(found.cues);
  return problems.str();
}

// Each begins at no time in particular, and the pictures of all are those of the film.
std::string read_parts(const GatewayServer &gateway, const Cell &cell, const std::string &folder) {
  std::ostringstream problems;
  unsigned pictures = 0;
  for (unsigned part = 0;; ++part) {
    const std::string file = folder + "/part0" + std::to_string(part) + ".mkv";
    if (!g_file_test(file.c_str(), G_FILE_TEST_EXISTS)) break;
    const bool has_texts = part == 0 && !wanted(cell).empty();
    const Read found = read(gateway, "filesrc location=" + file + " ! matroskademux name=d", has_texts);
    pictures += found.pictures;
    if (!found.end.empty()) problems << "reading part " << part << ": " << found.end << "; ";
    if (has_texts && (found.cues.empty() || found.cues[0].text != wanted(cell)[0].text))
      problems << "captions " << testing::PrintToString(found.cues);
  }
  if (pictures != cell.halves * kRate / 2) problems << pictures << " pictures";
  return problems.str();
}

std::string read_playlist(const Cell &cell, const std::string &folder) {
  std::ostringstream problems;
  const std::string list = text_of_file(folder + "/film.m3u8");
  double seconds = 0;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("#EXTINF:")) seconds += g_ascii_strtod(line.c_str() + 8, nullptr);
  if (list.find("#EXT-X-ENDLIST") == list.npos) problems << "no end of the playlist; ";
  if (std::abs(seconds - static_cast<double>(cell.halves) / 2) > 0.3) problems << seconds << " s long; ";
  const std::string texts = text_of_file(folder + "/film.vtt");
  size_t arrows = 0;
  for (size_t at = texts.find(" --> "); at != texts.npos; at = texts.find(" --> ", at + 1)) ++arrows;
  if (arrows != wanted(cell).size()) problems << "WebVTT: " << texts;
  return problems.str();
}

// Empty after success.
std::string problems_of(const GatewayServer &gateway, const Cell &cell) {
  TemporaryFolder folder;
  {
    CaptionRun run(gateway, pipeline_of(cell, folder.path()));
    tell_of_end(run, cell);
    std::optional<FrameCount> frames;
    if (run.element("sink")) frames.emplace(run);
    if (const std::string end = run.play(kStall); !end.empty()) return end;
    if (frames && frames->count() != cell.halves * kRate / 2)
      return std::to_string(frames->count()) + " pictures";
    if (frames) return {};
  }
  if (kConsumers[cell.consumer].reader) return read_back(gateway, cell, folder.path());
  return cell.consumer == kSplit ? read_parts(gateway, cell, folder.path())
                                 : read_playlist(cell, folder.path());
}

std::vector<Cell> cells() {
  const char *which = g_getenv("GENCLIP_SILENCE_CELLS");
  const std::string part = which && std::string_view(which) != "all" ? which : "";
  std::vector<Cell> cells;
  unsigned turn = 0;
  for (size_t service = 0; service < std::size(kService); ++service)
    for (size_t consumer = 0; consumer < std::size(kConsumers); ++consumer)
      for (size_t known = 0; known < std::size(kKnown); ++known) {
        if (which)
          for (size_t ahead = 0; ahead < std::size(kAhead); ++ahead)
            for (unsigned halves = kFirstHalf; halves <= kLastHalf; ++halves)
              cells.push_back({consumer, known, service, ahead, halves});
        else {  // 4 and 15 have nothing in common: the lengths go round, as do the settings
          cells.push_back({consumer, known, service, (turn + turn / 3) % std::size(kAhead),
                           kFirstHalf + 4 * turn % (kLastHalf - kFirstHalf + 1)});
          ++turn;
        }
      }
  std::erase_if(cells, [&](const Cell &cell) { return name_of(cell).find(part) == std::string::npos; });
  return cells;
}

TEST(Silence, EndsWhateverTakesItHoweverLongTheFilmIsAndWhateverTheGatewayDoes) {
  GatewayServer gateways[std::size(kService)];
  gateways[static_cast<size_t>(Service::hangs)].fault(sim::GatewayFaultKind::hang, 0);
  gateways[static_cast<size_t>(Service::refuses)].fault(sim::GatewayFaultKind::status, 0, 400);
  const std::vector<Cell> all = cells();
  std::vector<std::string> problems(all.size());
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  // They mostly wait.
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&] {
      for (size_t at = next++; at < all.size(); at = next++)
        problems[at] = problems_of(gateways[all[at].service], all[at]);
    });
  for (std::thread &thread : threads) thread.join();
  size_t failed = 0;
  for (size_t at = 0; at < all.size(); ++at) {
    EXPECT_EQ(problems[at], "") << name_of(all[at]);
    failed += !problems[at].empty();
  }
  std::cout << all.size() << " cells, " << failed << " failures\n";
  RecordProperty("cells", static_cast<int>(all.size()));
}

}  // namespace
}  // namespace genclip::test
