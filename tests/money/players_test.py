#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Players and editors that open a URI under a spent budget: they say why, nothing is sent, and stored clips still play."""

import os
import sys
import unittest

sys.path.append(os.environ["EDITING_TESTS"])
from tools_test import tools, uri_of  # noqa: E402

from shop import Shop  # noqa: E402


class Players(unittest.TestCase):
    def start_all(self, shop, prompt_of):
        return {name: shop.service.start(*tools(uri_of(prompt_of(name)))[name], GST_REGISTRY_FORK="no", LC_ALL="C.UTF-8")
                for name in tools("")}

    def end_all(self, started):
        return {name: (process.communicate(timeout=120)[0], process.returncode) for name, process in started.items()}

    def test_each_says_why_and_sends_nothing(self):
        with Shop() as shop:
            shop.set_budget(total=1, assumed_price=2)
            for name, (text, _) in self.end_all(self.start_all(shop, str)).items():
                self.assertIn("the store's budget allows 1 credit in total", text, name)
            self.assertEqual(shop.service.stats()["submits"], 0)
            self.assertEqual(shop.ledger().charges, [])

    def test_a_stored_clip_plays_without_budget_and_without_network(self):
        with Shop() as shop:
            run, code = shop.run("generate", "--poll-interval", "10", "dance-2.5", "prompt=kept", "duration=4")
            self.assertEqual(code, 0, run.text)
            shop.set_budget(total=1, assumed_price=2)
            shop.service.process.terminate()
            shop.service.process.wait()
            for name, (text, code) in self.end_all(self.start_all(shop, lambda _: "kept")).items():
                self.assertEqual(code, 0, f"{name}: {text}")


if __name__ == "__main__":
    unittest.main()
