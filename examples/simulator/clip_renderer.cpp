// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A moving test picture under the prompt, with the time below and a tone beside.
#include "examples/simulator/clip_renderer.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "examples/simulator/mp4_padding.h"

namespace genclip::sim {
namespace {

constexpr int kFramesPerSecond = 24;
constexpr int kSampleRate = 48000;
constexpr GstClockTime kGlance = 50 * GST_MSECOND;
// A longer prompt is cut.
constexpr glong kMostShown = 600;

struct Coder {
  const char *element;
  const char *fragment;
};
constexpr Coder kVideoCoders[] = {
    {"x264enc", "x264enc speed-preset=ultrafast pass=qual quantizer=24 key-int-max=24 threads=2"},
    {"openh264enc", "openh264enc bitrate=4000000 gop-size=24"},
};
constexpr Coder kAudioCoders[] = {
    {"avenc_aac", "avenc_aac bitrate=96000"},
    {"fdkaacenc", "fdkaacenc bitrate=96000"},
    {"voaacenc", "voaacenc bitrate=96000"},
};
// These patterns move, by themselves or at the speed that the pipeline sets.
constexpr const char *kPatterns[] = {"smpte", "ball", "pinwheel", "spokes", "colors", "smpte100"};
// The part of the picture's width that a line may take, and a character's width relative to the font size.
constexpr double kLinePart = 0.88, kCellWidth = 0.66;

template <size_t N>
const char *first_present(const Coder (&coders)[N]) {
  for (const Coder &coder : coders) {
    const auto factory = GRef<GstElementFactory>::adopt(gst_element_factory_find(coder.element));
    if (factory) return coder.fragment;
  }
  return nullptr;
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

std::string description(const ClipOrder &order, const ClipLayout &layout) {
  const unsigned hash = hash_of(order);
  const auto size = "width=" + std::to_string(order.width) + ",height=" + std::to_string(order.height);
  const int frames = order.image ? 1 : order.seconds * kFramesPerSecond;
  std::string text = std::string("videotestsrc pattern=") + kPatterns[hash % std::size(kPatterns)] +
                     " horizontal-speed=2" + " num-buffers=" + std::to_string(frames) +
                     " ! video/x-raw,format=I420,framerate=" + std::to_string(kFramesPerSecond) +
                     "/1,pixel-aspect-ratio=1/1," + size +
                     " ! textoverlay name=prompt auto-resize=false wrap-mode=wordchar line-alignment=center "
                     "halignment=center valignment=center shaded-background=true shading-value=140 ! ";
  if (order.image) return text + "videoconvert ! pngenc snapshot=true ! filesink name=out";
  text +=
      "timeoverlay name=time auto-resize=false halignment=left valignment=bottom shaded-background=true ! "
      "videoconvert ! ";
  text += first_present(kVideoCoders);
  text += std::string(" ! h264parse ! video/x-h264,stream-format=avc ! queue ! mp4mux name=mux faststart=") +
          (layout.faststart ? "true" : "false") + " ! filesink name=out";
  if (order.audio) {
    text += " audiotestsrc volume=0.1 freq=" + std::to_string(220 + hash % 440) +
            " samplesperbuffer=" + std::to_string(kSampleRate / kFramesPerSecond) +
            " num-buffers=" + std::to_string(frames) +
            " ! audio/x-raw,channels=2,rate=" + std::to_string(kSampleRate) + " ! audioconvert ! " +
            first_present(kAudioCoders) + " ! aacparse ! queue ! mux.";
  }
  return text;
}

void set_text(GstElement *pipeline, const ClipOrder &order, const char *scratch) {
  const std::string text = shown(order.prompt);
  const auto element = [&](const char *name) {
    return GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline), name));
  };
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

Result<void> run(GstElement *pipeline, GCancellable *cancellable) {
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline));
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  for (;;) {
    if (g_cancellable_is_cancelled(cancellable)) return cancelled();
    const auto message = GRef<GstMessage>::adopt(
        gst_bus_timed_pop_filtered(bus.get(), kGlance, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
    if (!message) continue;
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS) return {};
    GErrorPtr error;
    gst_message_parse_error(message.get(), take(error), nullptr);
    return failed(error->message);
  }
}

}  // namespace

Result<GRef<GBytes>> render_clip(const ClipOrder &order, const ClipLayout &layout,
                                 GCancellable *cancellable) {
  if (!order.image && (!first_present(kVideoCoders) || !first_present(kAudioCoders)))
    return failed("there is no H.264 or no AAC encoder.");
  const ScratchFile scratch;
  if (!scratch.path()) return failed("there is no place for a temporary file.");
  GErrorPtr error;
  GstElement *made = gst_parse_launch(description(order, layout).c_str(), take(error));
  if (!made || error) {
    if (made) gst_object_unref(made);
    return failed(error ? error->message : "no pipeline");
  }
  const auto pipeline = GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(made)));
  set_text(pipeline.get(), order, scratch.path());
  const auto done = run(pipeline.get(), cancellable);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  if (!done) return done.error();
  const auto bytes = scratch.bytes();
  if (!bytes) return failed("its file cannot be read.");
  return order.image ? bytes : padded_mp4(bytes, layout.least_bytes);
}

}  // namespace genclip::sim
