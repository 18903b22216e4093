#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of a channel in a real browser: hostile titles, the control, and no request but to its own server.

`page_test.py --picture FILE` saves the picture that is in the documents."""

import pathlib
import shutil
import sys
import unittest

from headless_browser import HeadlessBrowser
from served_channel import ServedChannel

CHROMIUM = shutil.which("chromium")


def open_page(browser, channel):
    browser.ask("Page.navigate", url=channel.url)
    browser.wait_for("document.readyState === 'complete' && document.getElementById('contact')?.textContent.startsWith('As of')")


def click(browser, name):
    browser.js(f"document.getElementById('{name}').click()")


def give_token(browser, token):
    browser.wait_for("!document.getElementById('token-form').hidden")
    browser.js(f"document.getElementById('token').value = '{token}'; document.getElementById('token-form').requestSubmit()")


@unittest.skipUnless(CHROMIUM, "chromium is not installed")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = HeadlessBrowser(CHROMIUM)
        cls.addClassCleanup(cls.browser.stop)

    def setUp(self):
        # The page of the test before goes on asking a channel that has gone.
        self.browser.ask("Page.navigate", url="about:blank")
        self.browser.wait_for("location.href === 'about:blank'")
        self.browser.events.clear()

    def text(self, name):
        return self.browser.js(f"document.getElementById('{name}').textContent")

    def test_shows_what_is_known(self):
        with ServedChannel("plain") as channel:
            open_page(self.browser, channel)
            self.assertEqual(self.text("channel"), "Dunes")
            self.assertEqual(self.text("now-title"), "Red kite")
            self.assertEqual(self.text("now-kind"), "clip")
            self.assertEqual(self.text("next-title"), "News")
            self.assertIn("The output srt://:9000 does not run. Connection refused.", self.text("alarm-list"))
            self.assertFalse(self.browser.js("document.getElementById('alarms').hidden"))
            self.assertTrue(self.browser.js("document.getElementById('fallback').hidden"))
            self.assertIn("12.5 credits", self.text("counts"))
            self.assertIn("40 + 2.25 reserved of 100", self.text("counts"))
            self.assertIn("failed: The task failed.", self.text("ahead"))
            self.assertIn("123.5\u00a0MB", self.text("outputs"))
            self.assertEqual(self.browser.js("document.getElementById('ahead').rows.length"), 4)
            self.assertEqual(self.browser.complaints(), [])
            self.assertEqual({url.rpartition("/")[0] + "/" for url in self.browser.requests() if not url.startswith("data:")},
                             {channel.url})

    def test_refreshes_itself(self):
        with ServedChannel("plain") as channel:
            open_page(self.browser, channel)
            self.browser.js("document.getElementById('now-title').textContent = 'stale'")
            self.browser.wait_for("document.getElementById('now-title').textContent === 'Red kite'")
        self.browser.wait_for("document.getElementById('contact').className === 'lost'")

    def test_fits_a_phone(self):
        with ServedChannel("hostile") as channel:
            self.browser.ask("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=2, mobile=True)
            open_page(self.browser, channel)
            self.assertLessEqual(self.browser.js("document.documentElement.scrollWidth"), 360)
            self.assertGreaterEqual(self.browser.js("document.getElementById('skip').getBoundingClientRect().height"), 44)
            self.browser.ask("Emulation.clearDeviceMetricsOverride")

    def test_takes_hostile_titles_for_titles(self):
        with ServedChannel("hostile") as channel:
            open_page(self.browser, channel)
            for name in ("channel", "now-title", "next-title", "ahead", "outputs", "alarm-list", "rundown", "fallback", "counts"):
                self.assertIn("<script>hacked()</script><img src=x onerror=hacked()>", self.text(name), name)
            self.assertEqual(self.browser.js("document.scripts.length"), 1)
            self.assertEqual(self.browser.js("document.images.length"), 0)
            self.assertEqual(self.browser.complaints(), [])
            self.assertEqual([url for url in self.browser.requests() if not url.startswith((channel.url, "data:"))], [])

    def test_lets_no_other_script_run(self):
        with ServedChannel("plain") as channel, ServedChannel("plain") as other:
            open_page(self.browser, channel)
            self.browser.js("""{
              const script = document.createElement('script');
              script.textContent = 'window.hacked = true';
              document.body.append(script);
              const box = document.createElement('div');
              box.innerHTML = '<img src="data:,x" onerror="window.hacked = true">';
              document.body.append(box);
            }""")
            with self.assertRaises(RuntimeError):
                self.browser.js("eval('window.hacked = true')")
            self.assertFalse(self.browser.js("'hacked' in window"))
            self.assertEqual(self.browser.js(f"fetch('{other.url}status').then(() => 'sent', () => 'blocked')"), "blocked")

    def test_controls_with_the_token(self):
        with ServedChannel("plain") as channel:
            open_page(self.browser, channel)
            click(self.browser, "skip")
            give_token(self.browser, channel.token)
            self.assertEqual(channel.call(), "skip")
            self.browser.wait_for("document.getElementById('answer').textContent === 'Done: skip.'")
            click(self.browser, "reload")
            self.assertEqual(channel.call(), "reload")
            click(self.browser, "hold")
            self.assertEqual(channel.call(), "hold")
            self.browser.wait_for("document.getElementById('hold').textContent === 'End hold'")
            click(self.browser, "hold")
            self.assertEqual(channel.call(), "end hold")

    def test_keeps_the_token_in_memory_only(self):
        with ServedChannel("plain") as channel:
            open_page(self.browser, channel)
            click(self.browser, "skip")
            give_token(self.browser, channel.token)
            self.assertEqual(channel.call(), "skip")
            self.assertEqual(self.browser.js("[localStorage.length, sessionStorage.length, document.cookie]"), [0, 0, ""])
            self.assertNotIn(channel.token, self.browser.js("document.documentElement.outerHTML + location.href"))
            self.assertEqual(self.browser.js("document.getElementById('token').value"), "")
            open_page(self.browser, channel)
            click(self.browser, "skip")
            self.browser.wait_for("!document.getElementById('token-form').hidden")
            self.assertTrue(channel.calls.empty())

    def test_asks_again_for_a_wrong_token(self):
        with ServedChannel("plain") as channel:
            open_page(self.browser, channel)
            click(self.browser, "skip")
            give_token(self.browser, "0" * 32)
            self.browser.wait_for("document.getElementById('answer').textContent === 'The token is missing or wrong.'")
            click(self.browser, "skip")
            give_token(self.browser, channel.token)
            self.assertEqual(channel.call(), "skip")


def save_picture(path):
    with HeadlessBrowser(CHROMIUM) as browser, ServedChannel("plain") as channel:
        browser.ask("Emulation.setDeviceMetricsOverride", width=460, height=1100, deviceScaleFactor=1, mobile=True)
        open_page(browser, channel)
        height = browser.js("Math.ceil(document.body.getBoundingClientRect().height)")
        path.write_bytes(browser.picture(460, height))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--picture"]:
        save_picture(pathlib.Path(sys.argv[2]))
    else:
        unittest.main()
