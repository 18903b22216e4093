#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip frame of files with edit lists and fragments, against ffmpeg's frames and the edit list's definition.

ffmpeg decodes each file without its edit list. Which of these frames is displayed when follows from ISO/IEC 14496-12,
8.6.6. ffmpeg itself differs in one point, if the edit list begins within a frame: it leaves this frame out.
"""

import unittest

import reference_frames
from mp4_boxes import child, edits_of, video_track, with_edits
from reference_frames import H264, HEVC, ffmpeg, reference

SHORT = ["-c:v", "libx264", "-preset", "veryfast", "-bf", "0", "-g", "5", "-pix_fmt", "yuv420p"]
CLOSED = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error:bframes=2:keyint=7:open-gop=0",
          "-tag:v", "hvc1", "-pix_fmt", "yuv420p"]
SOUND = ["-f", "lavfi", "-i", "sine=d=2"]
UNEVEN = ["-vf", "setpts=(2*N-mod(N\\,2))/(25*TB)", "-vsync", "vfr"]
SHIFTS = (0.08, 0.33, 0.48, 0.61, 0.8, 1.03)


def displayed(edits, times):
    """(When, index of the frame) in order."""
    shown, clock = [], 0
    for duration, media in edits:
        if media is not None:
            end = media + duration if duration else float("inf")
            for index, begin in enumerate(times):
                following = times[index + 1] if index + 1 < len(times) else float("inf")
                if begin < end - 1e-5 and following > media + 1e-5:
                    shown.append((clock + max(0, begin - media), index))
        clock += duration
    return shown


class EditLists(reference_frames.FrameTest):
    def check(self, path):
        times, frames = reference(path, "-ignore_editlist", "1")
        shown = displayed(edits_of(path.read_bytes()), times)
        self.assertTrue(shown)
        middle = len(shown) // 2
        for place, words in ((0, ["--first"]), (-1, ["--last"]), (middle, ["--time", f"{shown[middle][0]:.6f}"])):
            with self.subTest(path=path.name, words=words):
                when, index = shown[place]
                self.assert_frame(self.taken(path, *words), index, [when if i == index else None for i in range(len(times))],
                                  frames)
        return shown, times, frames

    def check_cuts(self, *options, shifts=SHIFTS, name="whole.mp4"):
        whole = self.encode_or_skip(self.folder / name, *options)
        for shift in shifts:
            path = self.folder / f"cut_{shift}_{name}"
            ffmpeg("-ss", str(shift), "-i", str(whole), "-c", "copy", str(path))
            shown, times, frames = self.check(path)
            begin = edits_of(path.read_bytes())[-1][1]
            if abs(times[shown[0][1]] - begin) < 1e-5:
                _, by_ffmpeg = reference(path)
                self.assertEqual([index for _, index in shown], [frames.index(frame) for frame in by_ffmpeg],
                                 "The definition is not ffmpeg's.")

    def test_cuts_of_h264(self):
        self.check_cuts(*H264)

    def test_cuts_without_b_frames(self):
        self.check_cuts(*SHORT)

    def test_cuts_of_one_long_group(self):
        self.check_cuts(*H264[:H264.index("-g")], "-g", "100", "-pix_fmt", "yuv420p", shifts=SHIFTS[1::2])

    def test_cuts_with_sound(self):
        self.check_cuts(*SOUND, *H264, "-c:a", "aac", shifts=SHIFTS[1::2])

    def test_cuts_with_short_sound(self):
        self.check_cuts("-f", "lavfi", "-i", "sine=d=0.7", *SHORT, "-c:a", "aac", shifts=SHIFTS[::3])

    def test_cuts_of_hevc(self):
        self.check_cuts(*HEVC, shifts=SHIFTS[::2])

    def test_cuts_of_hevc_with_closed_groups(self):
        self.check_cuts(*CLOSED, shifts=SHIFTS[1::2], name="whole.mov")

    def test_cuts_of_uneven_frames(self):
        self.check_cuts(*H264, *UNEVEN, shifts=(0.37, 1.2, 2.1))

    def edited(self, *rows, version=0):
        whole = self.encode_or_skip(self.folder / "whole.mp4", *H264)
        path = self.folder / "edited.mp4"
        path.write_bytes(with_edits(whole.read_bytes(), [row if len(row) == 3 else (*row, 0x10000) for row in rows],
                                    version=version))
        return path

    def test_a_late_beginning(self):
        self.check(self.edited((300, None), (500, 200)))

    def test_an_open_end(self):
        self.check(self.edited((300, None), (0, 330)))

    def test_parts_in_another_order(self):
        path = self.edited((400, 600), (0, None), (240, 120))
        shown, times, frames = self.check(path)
        for when in (0.05, 0.38, 0.41, 0.59):
            begin, index = max(entry for entry in shown if entry[0] <= when)
            with self.subTest(when=when):
                self.assert_frame(self.taken(path, "--time", str(when)), index, [begin] * len(times), frames)

    def test_a_gap_shows_the_frame_before(self):
        path = self.edited((200, 600), (300, None), (240, 120))
        shown, times, frames = self.check(path)
        before = max(entry for entry in shown if entry[0] < 0.2)
        self.assert_frame(self.taken(path, "--time", "0.4"), before[1], [before[0]] * len(times), frames)

    def test_beyond_the_end(self):
        self.assertIn("long", self.refusal(self.edited((200, 600)), "--time", "1.5"))

    def test_beyond_the_edit_that_cuts_the_last_frame(self):
        path = self.edited((210, 600))
        data = bytearray(path.read_bytes())
        header, _ = child(data, (0, len(data)), b"moov", b"mvhd")
        data[header + 16:header + 20] = b"\0\0\0\0"  # The movie does not tell its duration.
        path.write_bytes(data)
        self.assertAlmostEqual(self.taken(path, "--time", "0.205")[0]["pts"], 0.2, delta=0.0011)
        self.assertIn("is only 0.210 s long", self.refusal(path, "--time", "0.23"))

    def test_long_numbers(self):
        path = self.edited((200, None), (400, 200), version=1)
        times, frames = reference(path, "-ignore_editlist", "1")
        shown = displayed([(0.2, None), (0.4, 0.2)], times)
        self.assert_frame(self.taken(path, "--last"), shown[-1][1], [shown[-1][0]] * len(times), frames)

    def test_another_speed_is_refused(self):
        for rate in (0x20000, 0x8000, 0, 0xFFFF0000):
            with self.subTest(rate=rate):
                self.assertIn("changes the speed", self.refusal(self.edited((400, 200, rate)), "--last"))

    def test_an_edit_list_that_shows_nothing_is_refused(self):
        self.assertIn("no frame that is displayed", self.refusal(self.edited((400, None)), "--first"))

    def test_rows_that_are_not_there_are_refused(self):
        path = self.edited((400, 200))
        data = bytearray(path.read_bytes())
        begin, _ = child(data, video_track(data)[0], b"edts", b"elst")
        data[begin + 4:begin + 8] = b"\0\0\0\2"
        path.write_bytes(data)
        self.assertIn("edit list", self.refusal(path, "--first"))

    def test_fragments(self):
        whole = self.encode_or_skip(self.folder / "whole.mp4", *H264)
        for flags in ("frag_keyframe+empty_moov", "frag_keyframe", "frag_keyframe+empty_moov+default_base_moof",
                      "frag_every_frame+empty_moov", "frag_keyframe+empty_moov+negative_cts_offsets",
                      "dash", "frag_keyframe+delay_moov", "negative_cts_offsets"):
            path = self.folder / f"{flags}.mp4"
            ffmpeg("-i", str(whole), "-c", "copy", "-movflags", flags, str(path))
            times, frames = reference(path)
            if "frag" in flags and "negative" in flags:  # ffmpeg adds the shift of one fragment to all.
                times = [time - times[0] for time in times]
            for place, words in ((0, ["--first"]), (-1, ["--last"]), (14, ["--time", f"{times[14]:.6f}"])):
                with self.subTest(path=path.name, words=words):
                    self.assert_frame(self.taken(path, *words), place, times, frames)

    def test_a_truncated_file_is_refused(self):
        whole = self.encode_or_skip(self.folder / "whole.mp4", *H264)
        for flags in ("faststart", "frag_keyframe+empty_moov"):
            path = self.folder / f"{flags}.mp4"
            ffmpeg("-i", str(whole), "-c", "copy", "-movflags", flags, str(path))
            data = path.read_bytes()
            for kept in (0.6, 0.9):
                cut = self.folder / "cut.mp4"
                cut.write_bytes(data[:int(len(data) * kept)])
                with self.subTest(flags=flags, kept=kept):
                    self.assertIn("truncated", self.refusal(cut, "--last"))


if __name__ == "__main__":
    unittest.main()
