# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decoded frames as (time, checksum), from a timeline or a player, to be compared one by one."""

import hashlib
import pathlib

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GES", "1.0")
from gi.repository import GES, Gst  # noqa: E402  pylint: disable=wrong-import-position

Gst.init(None)
GES.init()

PATIENCE = 90 * Gst.SECOND


def checksum(buffer):
    found, info = buffer.map(Gst.MapFlags.READ)
    assert found
    try:
        return hashlib.sha256(info.data).hexdigest()
    finally:
        buffer.unmap(info)


def frame_sink():
    """A bin that accepts any video and records its frames, and the list of these."""
    frames = []
    sink = Gst.parse_bin_from_description(
        "videoconvert ! video/x-raw,format=I420 ! fakesink name=frames signal-handoffs=true sync=false", True)
    sink.get_by_name("frames").connect(
        "handoff", lambda _sink, buffer, _pad: frames.append((buffer.pts, checksum(buffer))))
    return sink, frames


def wait_for(pipeline, wanted):
    """The message of that type; an error on the bus raises an error here."""
    message = pipeline.get_bus().timed_pop_filtered(PATIENCE, wanted | Gst.MessageType.ERROR)
    assert message, f"no {wanted} in time"
    if message.type == Gst.MessageType.ERROR:
        error, debug = message.parse_error()
        raise AssertionError(f"{error.message} ({debug})")
    return message


def of_timeline(cuts, width=480, height=854, rate=24):
    """The frames of a timeline of (uri, inpoint, duration in seconds), one clip after another."""
    timeline = GES.Timeline.new()
    track = GES.VideoTrack.new()
    track.set_restriction_caps(Gst.Caps.from_string(
        f"video/x-raw,width={width},height={height},framerate={rate}/1"))
    assert timeline.add_track(track)
    layer = timeline.append_layer()
    start = 0
    for uri, inpoint, duration in cuts:
        asset = GES.UriClipAsset.request_sync(uri)
        length = int(duration * Gst.SECOND)
        clip = layer.add_asset(asset, start, int(inpoint * Gst.SECOND), length, GES.TrackType.VIDEO)
        assert clip, uri
        start += length
    pipeline = GES.Pipeline()
    assert pipeline.set_timeline(timeline)
    sink, frames = frame_sink()
    pipeline.preview_set_video_sink(sink)
    assert pipeline.set_mode(GES.PipelineFlags.VIDEO_PREVIEW)
    try:
        pipeline.set_state(Gst.State.PLAYING)
        wait_for(pipeline, Gst.MessageType.EOS)
    finally:
        pipeline.set_state(Gst.State.NULL)
    return frames


class Player:
    """Any URI, decoded. A context manager; prerolled on entry.

    Not by uridecodebin3: that of GStreamer 1.22 fails to preroll about once in a thousand times, files too.
    """

    def __init__(self, uri):
        self.pipeline = Gst.Pipeline()
        decoder = Gst.ElementFactory.make("uridecodebin")
        decoder.set_property("uri", uri)
        sink, self.frames = frame_sink()
        self.pipeline.add(decoder)
        self.pipeline.add(sink)
        decoder.connect("pad-added", self.link, sink)

    @staticmethod
    def link(_decoder, pad, sink):
        caps = pad.get_current_caps() or pad.query_caps()
        target = sink.get_static_pad("sink")
        if caps.get_structure(0).get_name().startswith("video/") and not target.is_linked():
            assert pad.link(target) == Gst.PadLinkReturn.OK

    def __enter__(self):
        self.pipeline.set_state(Gst.State.PAUSED)
        wait_for(self.pipeline, Gst.MessageType.ASYNC_DONE)
        return self

    def __exit__(self, *_):
        self.pipeline.set_state(Gst.State.NULL)

    def frame_at(self, seconds):
        """The frame after an accurate seek."""
        self.frames.clear()
        assert self.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE,
                                         int(seconds * Gst.SECOND))
        wait_for(self.pipeline, Gst.MessageType.ASYNC_DONE)
        return self.shown()

    def shown(self):
        sink = self.pipeline.get_by_name("frames")
        sample = sink.get_property("last-sample")
        return sample.get_buffer().pts, checksum(sample.get_buffer())

    def play(self, rate=1.0):
        """Every frame from one end to the other."""
        found, duration = self.pipeline.query_duration(Gst.Format.TIME)
        assert found
        self.pipeline.set_state(Gst.State.PAUSED)  # Else frames come before anybody looks at them.
        self.frames.clear()
        assert self.pipeline.seek(rate, Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE,
                                  Gst.SeekType.SET, 0, Gst.SeekType.SET, duration)
        wait_for(self.pipeline, Gst.MessageType.ASYNC_DONE)
        self.frames.clear()
        self.pipeline.set_state(Gst.State.PLAYING)
        wait_for(self.pipeline, Gst.MessageType.EOS)
        return list(self.frames)


def file_uri(path):
    return pathlib.Path(path).as_uri()
