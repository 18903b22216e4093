// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A moving test picture under the prompt, with the time below and a tone beside. A clip that was given
// pictures begins or ends with them.
#include "examples/simulator/clip_renderer.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>

#include "examples/simulator/clip_marks.h"
#include "examples/simulator/clip_picture.h"
#include "examples/simulator/mp4_padding.h"
#include "examples/simulator/render_pipeline.h"

namespace genclip::sim {
namespace {

constexpr int kSampleRate = 48000;
// A longer prompt is cut.
constexpr glong kMostShown = 600;

struct Coder {
  const char *element;
  const char *fragment;
  unsigned delay = 0;  // Samples that an audio encoder puts before the sound.
};
constexpr Coder kVideoCoders[] = {
    {"x264enc", "x264enc speed-preset=ultrafast pass=qual quantizer=24 key-int-max=24 threads=2"},
    {"openh264enc", "openh264enc bitrate=4000000 gop-size=24"},
};
// Coders that keep a given picture nearly as it is.
constexpr Coder kFaithfulCoders[] = {
    {"x264enc", "x264enc speed-preset=ultrafast pass=quant quantizer=10 key-int-max=24 threads=2"},
    {"openh264enc", "openh264enc rate-control=off qp-min=10 qp-max=10 gop-size=24"},
};
constexpr Coder kAudioCoders[] = {
    {"avenc_aac", "avenc_aac bitrate=96000", 1024},
    {"fdkaacenc", "fdkaacenc bitrate=96000"},
    {"voaacenc", "voaacenc bitrate=96000"},
};
// These patterns move, by themselves or at the speed that the pipeline sets.
constexpr const char *kPatterns[] = {"smpte", "ball", "bar", "smpte75", "colors", "smpte100"};
// The part of the picture's width that a line may take, and a character's width relative to the font size.
constexpr double kLinePart = 0.88, kCellWidth = 0.66;

bool is_present(const std::string &element) {
  return static_cast<bool>(GRef<GstElementFactory>::adopt(gst_element_factory_find(element.c_str())));
}

template <size_t N>
const Coder *first_present(const Coder (&coders)[N]) {
  const Coder *found =
      std::find_if(coders, coders + N, [](const Coder &coder) { return is_present(coder.element); });
  return found == coders + N ? nullptr : found;
}

// Nothing where there is no coder, which check_rendering() tells.
template <size_t N>
std::string fragment_of(const Coder (&coders)[N]) {
  const Coder *found = first_present(coders);
  return found ? found->fragment : "";
}

// A private file that is removed with this object.
class ScratchFile {
 public:
  ScratchFile() {
    GErrorPtr error;
    gchar *name = nullptr;
    const int fd = g_file_open_tmp("genclip-sim-XXXXXX", &name, take(error));
    path_.reset(name);
    if (fd >= 0) close(fd);
  }
  ~ScratchFile() {
    if (path_) g_unlink(path_.get());
  }
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;

  const char *path() const { return path_.get(); }

  // Stays readable after the file is removed.
  GRef<GBytes> bytes() const {
    GErrorPtr error;
    GMappedFile *file = g_mapped_file_new(path(), FALSE, take(error));
    if (!file) return nullptr;
    GBytes *bytes = g_mapped_file_get_bytes(file);
    g_mapped_file_unref(file);
    return GRef<GBytes>::adopt(bytes);
  }

 private:
  GStringPtr path_;
};

unsigned hash_of(const ClipOrder &order) {
  return g_str_hash((order.prompt + "#" + std::to_string(order.seed)).c_str());
}

std::string shown(const std::string &prompt) {
  GStringPtr text(g_utf8_make_valid(prompt.c_str(), static_cast<gssize>(prompt.size())));
  if (g_utf8_strlen(text.get(), -1) <= kMostShown) return text.get();
  GStringPtr head(g_utf8_substring(text.get(), 0, kMostShown));
  return std::string(head.get()) + " …";
}

int cells_of(const char *character) { return g_unichar_iswide(g_utf8_get_char(character)) ? 2 : 1; }

// The largest font size at which the text surely fits into the middle of the picture.
int font_pixels(const std::string &text, int width, int height) {
  int64_t cells = 0;
  for (const char *at = text.c_str(); *at; at = g_utf8_next_char(at)) cells += cells_of(at);
  // A line is about 1.3 sizes high, and lines break early.
  const double area = 0.45 * width * height / (kCellWidth * 1.3 * static_cast<double>(cells + 4));
  const int largest = std::min(width, height) / 10;
  return std::clamp(static_cast<int>(std::sqrt(area)), 8, largest);
}

// Breaks lines between words and between wide characters; textoverlay itself only uses the whole width.
std::string wrapped(const std::string &text, int cells_per_line) {
  std::string out;
  int column = 0;
  for (const char *at = text.c_str(); *at;) {
    const char *end = g_utf8_next_char(at);
    int cells = cells_of(at);
    if (g_unichar_isspace(g_utf8_get_char(at))) {
      at = end;
      if (column > 0 && column < cells_per_line) {
        out += ' ';
        ++column;
      }
      continue;
    }
    for (; cells_of(at) == 1 && *end && !g_unichar_isspace(g_utf8_get_char(end)) && cells_of(end) == 1;
         end = g_utf8_next_char(end))
      ++cells;
    if (column > 0 && column + cells > cells_per_line) {
      out += '\n';
      column = 0;
    }
    out.append(at, end);
    column += cells;
    at = end;
  }
  return out;
}

bool has_picture(const ClipOrder &order) { return order.first_frame.bytes || order.last_frame.bytes; }

int frames_of(const ClipOrder &order, const ClipLayout &layout) {
  return order.image ? 1 : order.seconds * static_cast<int>(layout.frames_per_second);
}

double tone_volume(const ClipOrder &order, const ClipLayout &layout) {
  const double place = hash_of(order) % 1000 / 999.0;
  return std::pow(10, (layout.least_tone + place * (layout.most_tone - layout.least_tone)) / 20);
}

std::string description(const ClipOrder &order, const ClipLayout &layout) {
  const unsigned hash = hash_of(order);
  const auto size = "width=" + std::to_string(order.width) + ",height=" + std::to_string(order.height);
  const int frames = frames_of(order, layout);
  const auto rate = std::to_string(layout.frames_per_second);
  // Drawn in RGB and then made pale, because a frame must survive as a PNG: colours that RGB does not have,
  // and sharp edges between strong ones, become others when a picture turns from YUV into RGB and back.
  std::string text = std::string("videotestsrc pattern=") + kPatterns[hash % std::size(kPatterns)] +
                     " horizontal-speed=2" + " num-buffers=" + std::to_string(frames) +
                     " ! video/x-raw,format=BGRx,framerate=" + rate + "/1,pixel-aspect-ratio=1/1," + size +
                     " ! textoverlay name=prompt auto-resize=false wrap-mode=wordchar line-alignment=center "
                     "halignment=center valignment=center shaded-background=true shading-value=140 ! ";
  if (!order.image)
    text +=
        "timeoverlay name=time auto-resize=false halignment=left valignment=bottom shaded-background=true ! ";
  text += std::string("videoconvert ! video/x-raw,") + kFrameFormat + " ! videobalance saturation=0.5 ! ";
  if (has_picture(order) || layout.marks) text += "identity name=frames ! ";
  if (order.image) return text + "videoconvert ! pngenc snapshot=true ! filesink name=out";
  text += has_picture(order) ? fragment_of(kFaithfulCoders) : fragment_of(kVideoCoders);
  text += std::string(" ! h264parse ! video/x-h264,stream-format=avc ! queue ! mp4mux name=mux faststart=") +
          (layout.faststart ? "true" : "false") + " ! filesink name=out";
  if (order.audio) {
    std::array<char, G_ASCII_DTOSTR_BUF_SIZE> volume;
    g_ascii_dtostr(volume.data(), static_cast<int>(volume.size()), tone_volume(order, layout));
    text +=
        std::string(" audiotestsrc volume=") + volume.data() + " freq=" + std::to_string(220 + hash % 440) +
        " samplesperbuffer=" + std::to_string(kSampleRate / layout.frames_per_second) +
        " num-buffers=" + std::to_string(frames) +
        " ! audio/x-raw,format=F32LE,layout=interleaved,channels=2,rate=" + std::to_string(kSampleRate) +
        " ! identity name=sound ! audioconvert ! " + fragment_of(kAudioCoders) + " ! aacparse ! queue ! mux.";
  }
  return text;
}

// Of a pipeline's text, its words that are neither properties nor caps, pads or "!". Nothing is loaded for
// it.
void add_missing(std::set<std::string> &missing, const std::string &description) {
  std::istringstream words(description);
  for (std::string word; words >> word;)
    if (word.find_first_of("=/!.") == word.npos && !is_present(word)) missing.insert(word);
}

void set_text(const GRef<GstElement> &pipeline, const ClipOrder &order, const char *scratch) {
  const std::string text = shown(order.prompt);
  const auto element = [&](const char *name) { return element_of(pipeline, name); };
  const int pixels = font_pixels(text, order.width, order.height);
  const auto cells_per_line = static_cast<int>(kLinePart * order.width / (kCellWidth * pixels));
  const auto font = "DejaVu Sans Bold " + std::to_string(pixels) + "px";
  // The property is Pango markup.
  GStringPtr escaped(g_markup_escape_text(wrapped(text, cells_per_line).c_str(), -1));
  g_object_set(element("prompt").get(), "text", escaped.get(), "font-desc", font.c_str(), nullptr);
  if (const auto time = element("time")) {
    const auto small =
        "DejaVu Sans Mono " + std::to_string(std::max(10, std::min(order.width, order.height) / 24)) + "px";
    g_object_set(time.get(), "font-desc", small.c_str(), nullptr);
  }
  g_object_set(element("out").get(), "location", scratch, nullptr);
}

Error failed(const std::string &what) {
  return {ErrorKind::failed, "The clip could not be rendered: " + what};
}

// What is drawn over each frame.
struct FrameWork {
  PictureFade fade;
  std::optional<unsigned> mark;
  uint64_t number = 0;  // Of the next frame.
};

void draw_mark(FrameWork &work, GstBuffer *buffer, const GstVideoInfo &format) {
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &format, buffer, GST_MAP_READWRITE)) return;
  draw_frame_mark(frame, *work.mark, work.number++);
  gst_video_frame_unmap(&frame);
}

GstPadProbeReturn on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  auto &work = *static_cast<FrameWork *>(data);
  const auto caps = GRef<GstCaps>::adopt(gst_pad_get_current_caps(pad));
  GstVideoInfo format;
  if (!caps || !gst_video_info_from_caps(&format, caps.get())) return GST_PAD_PROBE_OK;
  GstBuffer *frame = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  work.fade.apply(frame, format);
  if (work.mark) draw_mark(work, frame, format);
  GST_PAD_PROBE_INFO_DATA(info) = frame;
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn on_sound(GstPad *, GstPadProbeInfo *info, gpointer data) {
  auto &position = *static_cast<uint64_t *>(data);
  GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GstMapInfo map;
  if (gst_buffer_map(buffer, &map, GST_MAP_READWRITE)) {
    constexpr unsigned kChannels = 2;
    const size_t frames = map.size / (kChannels * sizeof(float));
    add_ticks(reinterpret_cast<float *>(map.data), frames, kChannels, position, kSampleRate,
              first_present(kAudioCoders)->delay);
    position += frames;
    gst_buffer_unmap(buffer, &map);
  }
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  return GST_PAD_PROBE_OK;
}

// Calls `see` for each buffer before that element, if the pipeline has it.
void watch(const GRef<GstElement> &pipeline, const char *name, GstPadProbeCallback see, gpointer data) {
  const auto element = element_of(pipeline, name);
  if (!element) return;
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(element.get(), "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, see, data, nullptr);
}

Result<PictureFade> fade_of(const ClipOrder &order, const ClipLayout &layout, GCancellable *cancellable) {
  auto first = decoded(order.first_frame, order, cancellable);
  if (!first) return Error{first.error().kind, "The first picture " + first.error().text};
  auto last = decoded(order.last_frame, order, cancellable);
  if (!last) return Error{last.error().kind, "The last picture " + last.error().text};
  return PictureFade(*first, *last, frames_of(order, layout));
}

}  // namespace

Result<void> check_rendering() {
  std::set<std::string> missing;
  ClipOrder order;
  order.image = true;
  add_missing(missing, description(order, {}));
  order.image = false;
  order.audio = true;
  add_missing(missing, description(order, {}));
  if (!first_present(kVideoCoders)) missing.insert("an encoder for H.264");
  if (!first_present(kAudioCoders)) missing.insert("an encoder for AAC");
  if (missing.empty()) return {};
  std::string names;
  for (const std::string &name : missing) names += (names.empty() ? "" : ", ") + name;
  return Error{ErrorKind::failed, "No clip can be rendered, because GStreamer lacks " + names +
                                      " (Debian: gstreamer1.0-plugins-base, gstreamer1.0-plugins-good, "
                                      "gstreamer1.0-plugins-bad and gstreamer1.0-x)."};
}

Result<GRef<GBytes>> render_clip(const ClipOrder &order, const ClipLayout &layout,
                                 GCancellable *cancellable) {
  if (!order.image && (!first_present(kVideoCoders) || !first_present(kAudioCoders)))
    return failed("there is no H.264 or no AAC encoder.");
  const ScratchFile scratch;
  if (!scratch.path()) return failed("there is no place for a temporary file.");
  const auto fade = fade_of(order, layout, cancellable);
  if (!fade) return fade.error();
  const auto pipeline = new_pipeline(description(order, layout));
  if (!pipeline) return failed(pipeline.error().text);
  set_text(*pipeline, order, scratch.path());
  FrameWork frames{*fade, layout.marks ? std::optional(clip_mark(order.prompt)) : std::nullopt};
  watch(*pipeline, "frames", on_frame, &frames);
  uint64_t sound = 0;
  if (layout.marks) watch(*pipeline, "sound", on_sound, &sound);
  const auto done = run_to_end(*pipeline, cancellable);
  gst_element_set_state(pipeline->get(), GST_STATE_NULL);
  if (!done) return done.error().kind == ErrorKind::cancelled ? done.error() : failed(done.error().text);
  const auto bytes = scratch.bytes();
  if (!bytes) return failed("its file cannot be read.");
  return order.image ? bytes : padded_mp4(bytes, layout.least_bytes);
}

}  // namespace genclip::sim
