#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/long-take joins links without a seam, builds their URIs, and says what is wrong. Nothing is generated."""

import os
import pathlib
import subprocess
import tempfile
import unittest
import urllib.parse

import long_take

PROGRAM = long_take.load()
FILM = PROGRAM.film
LINKS, FRAMES = 4, 40


class Uris(unittest.TestCase):
    def test_each_contains_the_one_before_percent_encoded_once_more(self):
        prompts = ["a red kite", "it lands & 50% rests", "风筝 #1?", "end"]
        uris = PROGRAM.link_uris("sd_2.0_special", [("duration", "5")], prompts)
        self.assertEqual(uris[0], "genclip://sd_2.0_special?prompt=a%20red%20kite&duration=5")
        self.assertTrue(uris[1].endswith(
            "&duration=5&first_image=genclip://sd_2.0_special%3Fprompt%3Da%2520red%2520kite%26duration%3D5%23last"), uris[1])
        for number, uri in enumerate(uris):
            self.assertNotIn("#", uri)
            model, query = uri.removeprefix("genclip://").split("?")
            values = [value.split("=", 1) for value in query.split("&")]
            expected = [("prompt", prompts[number]), ("duration", "5")]
            if number > 0:
                expected.append(("first_image", uris[number - 1] + "#last"))
            self.assertEqual([(name, urllib.parse.unquote(value)) for name, value in values], expected)
            self.assertEqual(model, "sd_2.0_special")

    def test_the_first_begins_with_the_given_picture(self):
        uris = PROGRAM.link_uris("m", [], ["a", "b"], "https://media.example/a.png?x=1&y=2")
        self.assertEqual(uris[0], "genclip://m?prompt=a&first_image=https://media.example/a.png%3Fx%3D1%26y%3D2")
        self.assertIn("first_image%3Dhttps://media.example", uris[1])

    def test_a_longer_film_has_the_links_of_the_shorter_one(self):
        short = PROGRAM.link_uris("m", [("seed", "7")], ["a", "b"])
        self.assertEqual(PROGRAM.link_uris("m", [("seed", "7")], ["a", "b", "c"])[:2], short)


class Costs(unittest.TestCase):
    def test_an_estimate_is_one_number_where_it_is_known(self):
        self.assertEqual(PROGRAM.cost_text({"low": 29.25, "high": 29.25}), "All of it costs 29.25 credits.")
        self.assertEqual(PROGRAM.cost_text({"low": 5, "high": 7.5}), "All of it costs 5 to 7.5 credits.")
        self.assertEqual(PROGRAM.cost_text(None), "What it costs is unknown.")


class Joining(unittest.TestCase):
    """A film is cut into links that share a frame. Joined, they must be this film."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def cut(self, rate, count=LINKS, silent=(), longer_sound=0.0, encoder=()):
        """Links of FRAMES frames; the sound beeps in the middle of each second of the film."""
        seconds = (FRAMES - 1) * eval(rate) ** -1  # pylint: disable=eval-used
        links = []
        for number in range(count):
            link = self.folder / f"{number}.mp4"
            begin = number * (FRAMES - 1)
            sound = f"aevalsrc=exprs='0.8*sin(2*PI*1000*t)*between(mod(t,1),0.5,0.55)':s=48000:d=60,atrim={number * seconds}," \
                    f"atrim=duration={seconds + eval(rate) ** -1 + longer_sound},asetpts=PTS-STARTPTS"  # pylint: disable=eval-used
            inputs = ["-f", "lavfi", "-i", f"testsrc2=s=160x120:r={rate}:d=60,trim=start_frame={begin}:end_frame={begin + FRAMES},"
                                           "setpts=PTS-STARTPTS"]
            if number not in silent:
                inputs += ["-f", "lavfi", "-i", sound]
            long_take.ffmpeg(*inputs, "-c:v", "libx264", "-crf", 8, "-pix_fmt", "yuv420p", "-c:a", "aac", *encoder, link)
            links.append(link)
        whole = long_take.ffmpeg("-f", "lavfi", "-i", f"testsrc2=s=160x120:r={rate}:d=60", "-frames:v", count * (FRAMES - 1) + 1,
                                 "-f", "rawvideo", "-pix_fmt", "yuv420p", "-")
        size = 160 * 120 * 3 // 2
        return links, [whole[at:at + size] for at in range(0, len(whole), size)]

    def join(self, links):
        film, lengths = FILM.join(links, self.folder / "film.mp4")
        self.assertEqual(lengths, [FRAMES] + [FRAMES - 1] * (len(links) - 1))
        self.assertFalse(list(self.folder.glob("*.part")))
        return film

    def check(self, rate, links, whole):
        film = self.join(links)
        shown = long_take.pictures(self.folder / "film.mp4")
        self.assertEqual((len(shown), film.count), (len(whole),) * 2)
        worst = min((long_take.psnr(*pair), number) for number, pair in enumerate(zip(shown, whole)))
        self.assertGreater(worst[0], 33, f"frame {worst[1]} is another one")
        self.assertLess(long_take.psnr(shown[1], shown[2]), 33, "frames are too similar to be told apart")
        period = eval(rate) ** -1  # pylint: disable=eval-used
        for number, time in enumerate(long_take.frame_times(self.folder / "film.mp4")):
            self.assertAlmostEqual(time, number * period, delta=0.001)
        return period

    def test_shows_each_frame_of_the_film_once_and_its_sound_at_its_time(self):
        for rate in ("24", "30000/1001"):
            with self.subTest(rate=rate):
                links, whole = self.cut(rate)
                period = self.check(rate, links, whole)
                heard = long_take.beeps(self.folder / "film.mp4")
                self.assertEqual(len(heard), round(len(whole) * period))
                for second, time in enumerate(heard):
                    self.assertAlmostEqual(time, second + 0.5, delta=0.005)

    def test_cuts_sound_that_is_longer_than_its_pictures(self):
        links, whole = self.cut("24", longer_sound=0.5)
        period = self.check("24", links, whole)
        heard = long_take.beeps(self.folder / "film.mp4")
        self.assertEqual(len(heard), round(len(whole) * period))
        self.assertAlmostEqual(heard[-1], len(heard) - 0.5, delta=0.005)
        self.assertAlmostEqual(len(long_take.loudness(self.folder / "film.mp4")) / 8000, len(whole) * period, delta=period)

    def test_is_silent_where_a_link_is(self):
        links, whole = self.cut("24", silent=(1,))
        self.check("24", links, whole)
        # The second link has the third beep.
        heard = long_take.beeps(self.folder / "film.mp4")
        self.assertEqual([int(time) for time in heard], [0, 1, 3, 4, 5, 6])

    def test_has_no_sound_where_no_link_has(self):
        links, whole = self.cut("24", count=2, silent=(0, 1))
        self.check("24", links, whole)
        self.assertIsNone(FILM.join(links, self.folder / "film.mp4")[0].sound)

    def test_one_link_is_a_film_too(self):
        links, whole = self.cut("24", count=1)
        self.check("24", links, whole)

    def test_the_timeline_has_the_same_length_and_plays(self):
        links, whole = self.cut("24")
        film = self.join(links)
        project = self.folder / "film.xges"
        FILM.save_timeline([link.as_uri() for link in links], film, [FRAMES] + [FRAMES - 1] * (LINKS - 1), project)
        text = project.read_text(encoding="utf-8")
        self.assertEqual(text.count("<clip "), LINKS)
        self.assertEqual(text.count("inpoint='41666666'"), LINKS - 1)
        self.assertIn(f"duration=(guint64){len(whole) * 1000000000 // 24}", text)
        played = subprocess.run(["ges-launch-1.0", "--load", str(project), "--videosink=fakesink", "--audiosink=fakesink"],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        self.assertEqual(played.returncode, 0, played.stdout)

    def test_says_which_link_cannot_be_read_and_leaves_the_old_film(self):
        links, _ = self.cut("24", count=2)
        links[1].write_bytes(b"nothing")
        film = self.folder / "film.mp4"
        film.write_text("old")
        run = subprocess.run(["/usr/bin/python3", "-c", "import pathlib, sys, film; film.join([pathlib.Path(word) for word in "
                              "sys.argv[2:]], pathlib.Path(sys.argv[1]))", film, *links], cwd=long_take.FOLDER,
                             capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("1.mp4", run.stderr.splitlines()[-1])
        self.assertEqual(film.read_text(), "old")


class Program(unittest.TestCase):
    def run_program(self, *words):
        return subprocess.run([long_take.PROGRAM, *words], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "PATH": os.environ["GENCLIP_PROGRAMS"] + ":/usr/bin:/bin"})

    def test_says_what_is_wrong(self):
        for words, code, said in (((), 2, "there is no prompt"), (("duration=5",), 2, "there is no prompt"),
                                  (("a", "--model", "no-such-model", "--dry-run"), 1, "no-such-model"),
                                  (("a", "duration=99", "--dry-run"), 1, "4 to 15"),
                                  (("a", "--prompts", "/nowhere"), 1, "/nowhere"), (("a", "--first", "/nowhere"), 1, "/nowhere")):
            run = self.run_program(*words)
            self.assertEqual(run.returncode, code, run.stderr)
            self.assertIn(said, run.stderr)
            self.assertNotIn("Traceback", run.stderr)

    def test_a_dry_run_prints_the_links_and_what_they_cost(self):
        run = self.run_program("a red kite", "duration=6", "--seed", "7", "--dry-run")
        self.assertEqual(run.stdout, "genclip://sd_2.0_special?prompt=a%20red%20kite&seed=7&duration=6\n"
                                     "What it costs is unknown.\n", run.stderr)


if __name__ == "__main__":
    unittest.main()
