#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The completions and the man page are installed where a shell and man look for them."""

import json
import os
import subprocess
import unittest

from command import SOURCE

PLACES = {
    os.environ["GENCLIP"]: "/bin/genclip",
    str(SOURCE / "plugin/command/genclip.1"): "/share/man/man1/genclip.1",
    str(SOURCE / "plugin/command/genclip.bash"): "/share/bash-completion/completions/genclip",
    str(SOURCE / "plugin/command/genclip.fish"): "/share/fish/vendor_completions.d/genclip.fish",
    str(SOURCE / "plugin/command/genclip.zsh"): "/share/zsh/site-functions/_genclip",
}


class Installed(unittest.TestCase):
    def test_program_manual_and_completions_have_their_places(self):
        run = subprocess.run(["/usr/bin/meson", "introspect", "--installed", os.environ["GENCLIP_BUILD"]],
                             capture_output=True, text=True, timeout=60, check=True)
        installed = json.loads(run.stdout)
        for source, place in PLACES.items():
            self.assertTrue(os.path.exists(source), source)
            self.assertTrue(installed.get(source, "").endswith(place), (source, installed.get(source)))


if __name__ == "__main__":
    unittest.main()
