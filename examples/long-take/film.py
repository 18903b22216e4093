# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joins videos, each of which begins with the last frame of the one before, into one without a seam."""

import contextlib
import secrets
import sys
import time

try:
    import gi
    for library in ("GES", "Gst", "GstApp", "GstPbutils"):
        gi.require_version(library, "1.0")
    # GstApp gives appsrc and appsink their methods.
    from gi.repository import GES, GLib, Gst, GstApp, GstPbutils  # noqa: F401  pylint: disable=unused-import
except (ImportError, ValueError) as missing:
    sys.exit(f"long-take: {missing}. On Debian: apt-get install python3-gi gir1.2-ges-1.0")

Gst.init(None)
GES.init()

RATE, SAMPLE_SIZE = 48000, 4
SOUND = Gst.Caps.from_string(f"audio/x-raw,format=S16LE,layout=interleaved,rate={RATE},channels=2")
LEAD = 1024 * SAMPLE_SIZE  # avenc_aac puts as many samples before the first one.
MOST_WAITING = 16  # pictures in front of the encoder
PATIENCE = 120  # seconds without a picture, after which something is stuck
TO_END = 1800  # seconds for the last pictures, and for writing a large file once more with its index first


def fail(text):
    sys.exit("long-take: " + text)


@contextlib.contextmanager
def part_of(path):
    """A new file beside the path, which gets its name at the end. If something fails, what had this name stays."""
    if path.is_dir():
        fail(f"{path} is a folder, but the name of a file is needed")
    # A rename would replace a device such as /dev/null.
    if path.exists() and not path.is_file():
        fail(f"{path} is not a file")
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        part.open("x").close()
    except OSError as error:
        fail(f"{path} cannot be written: {error.strerror}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def watch(pipeline, file, wanted=Gst.MessageType.UNKNOWN, timeout=0):
    """Shows the pipeline's warnings and ends the program by its error. Waits for the wanted kind of message; returns it, or None."""
    kinds = wanted | Gst.MessageType.WARNING | Gst.MessageType.ERROR
    while message := pipeline.get_bus().timed_pop_filtered(timeout, kinds):
        if message.type == Gst.MessageType.ERROR:
            pipeline.set_state(Gst.State.NULL)
            fail(f"{file}: {message.parse_error().gerror.message}")
        if message.type != Gst.MessageType.WARNING:
            return message
        print(f"long-take: {file}: Warning: {message.parse_warning().gerror.message}", file=sys.stderr)
    return None


def decoded(file, converters, caps):
    """The samples of one stream of a file."""
    pipeline = Gst.parse_launch(f"filesrc name=file ! decodebin ! {converters} ! appsink name=out sync=false max-buffers=4")
    pipeline.get_by_name("file").set_property("location", str(file))
    out = pipeline.get_by_name("out")
    out.set_property("caps", caps)
    pipeline.set_state(Gst.State.PLAYING)
    try:
        last = time.monotonic()
        while not out.is_eos():
            # An error does not end the wait for a sample.
            if sample := out.try_pull_sample(Gst.SECOND // 10):
                yield sample
                last = time.monotonic()
            watch(pipeline, file)
            if time.monotonic() - last > PATIENCE:
                fail(f"{file}: nothing came out of it for {PATIENCE} s")
        watch(pipeline, file)
    finally:
        pipeline.set_state(Gst.State.NULL)


def sound_of(file):
    """All of a file's sound; empty without one."""
    try:
        found = GstPbutils.Discoverer.new(60 * Gst.SECOND).discover_uri(file.as_uri())
    except GLib.Error as error:
        fail(f"{file}: {error.message}")
    if not found.get_video_streams():
        fail(f"{file}: it has no picture")
    if not found.get_audio_streams():
        return b""
    buffers = (sample.get_buffer() for sample in decoded(file, "audioconvert ! audioresample", SOUND))
    return b"".join(buffer.extract_dup(0, buffer.get_size()) for buffer in buffers)


class Film:
    """An mp4 file that gets one picture after another, each with its sound."""

    def __init__(self, path, caps, has_sound):
        self.path, self.caps, self.count, self.bytes, self.lead = path, caps, 0, 0, LEAD
        _, self.rate, self.per = caps.get_structure(0).get_fraction("framerate")
        self.pipeline = Gst.parse_launch(
            "appsrc name=pictures format=time max-bytes=0 ! x264enc speed-preset=veryfast pass=qual quantizer=18 ! "
            "h264parse ! mp4mux name=mux faststart=true ! filesink name=file" + (
                " appsrc name=sound format=time max-bytes=0 ! audioconvert ! avenc_aac ! aacparse ! mux." if has_sound else ""))
        self.pictures, self.sound = (self.pipeline.get_by_name(name) for name in ("pictures", "sound"))
        self.pictures.set_property("caps", caps)
        if has_sound:
            self.sound.set_property("caps", SOUND)
        self.pipeline.get_by_name("file").set_property("location", str(path))
        self.pipeline.set_state(Gst.State.PLAYING)

    def time(self, frame):
        return Gst.util_uint64_scale(frame * self.per, Gst.SECOND, self.rate)

    def samples(self, frame):
        """How many samples there are before this frame."""
        return round(frame * RATE * self.per / self.rate)

    def add(self, picture, sound):
        picture = picture.copy()
        picture.pts, picture.dts = self.time(self.count), Gst.CLOCK_TIME_NONE
        picture.duration = self.time(self.count + 1) - picture.pts
        self.pictures.push_buffer(picture)
        self.count += 1
        if self.sound:
            buffer = Gst.Buffer.new_wrapped(sound[self.lead:])
            self.lead -= min(self.lead, len(sound))
            buffer.pts = Gst.util_uint64_scale(self.bytes // SAMPLE_SIZE, Gst.SECOND, RATE)
            self.bytes += buffer.get_size()
            self.sound.push_buffer(buffer)
        began = time.monotonic()
        while self.pictures.get_property("current-level-buffers") > MOST_WAITING:
            watch(self.pipeline, self.path, timeout=5 * Gst.MSECOND)
            if time.monotonic() - began > PATIENCE:
                fail(f"{self.path}: no picture was written for {PATIENCE} s")

    def finish(self):
        for source in filter(None, (self.pictures, self.sound)):
            source.end_of_stream()
        if not watch(self.pipeline, self.path, Gst.MessageType.EOS, TO_END * Gst.SECOND):
            fail(f"{self.path}: it was not written within {TO_END} s")
        self.pipeline.set_state(Gst.State.NULL)


def join(files, path):
    """Writes the film. Returns it, and how many frames each link has in it."""
    sounds, film, lengths = [sound_of(file) for file in files], None, []
    for file, sound in zip(files, sounds):
        start = film.count if film else 0
        for number, sample in enumerate(decoded(file, "videoconvert", film.caps if film else
                                                Gst.Caps.from_string("video/x-raw,format=I420"))):
            film = film or Film(path, sample.get_caps(), any(sounds))
            # The first frame of a link is the last one of the link before, so it goes, and its sound with it.
            if number > 0 or not lengths:
                begin, end = (SAMPLE_SIZE * film.samples(frame) for frame in (number, number + 1))
                film.add(sample.get_buffer(), sound[begin:end].ljust(end - begin, b"\0"))
        lengths.append(film.count - start)
    film.finish()
    return film, lengths


def save_timeline(uris, film, lengths, path):
    """The same film for an editor: each clip is the URI of a link, whose first frame is cut off."""
    size = film.caps.get_structure(0)
    timeline, tracks = GES.Timeline.new(), [GES.VideoTrack.new()] + ([GES.AudioTrack.new()] if film.sound else [])
    tracks[0].set_restriction_caps(Gst.Caps.from_string(
        f"video/x-raw,width={size.get_value('width')},height={size.get_value('height')},framerate={film.rate}/{film.per}"))
    for track in tracks:
        timeline.add_track(track)
    layer, count = timeline.append_layer(), 0
    for uri, length in zip(uris, lengths):
        begin, end = film.time(count), film.time(count + length)
        layer.add_asset(GES.UriClipAsset.request_sync(uri), begin, film.time(1 if count else 0), end - begin,
                        GES.TrackType.UNKNOWN)
        count += length
    timeline.save_to_uri(path.as_uri(), None, True)
