#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/shell is like an installation, in every shell, wherever the user is."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ["GENCLIP_BUILD"]
PROGRAM = [str(TOP / "examples" / "shell"), "-C", BUILD]
SHELLS = ["bash", "zsh", "fish", "dash"]
# Each of these files of the user puts another genclip first.
OWN_FILES = {".bashrc": 'PATH=$HOME/bin:$PATH\n', ".zshrc": 'PATH=$HOME/bin:$PATH\nautoload -Uz compinit && compinit -D -i\n',
             ".config/fish/config.fish": 'set -gx PATH $HOME/bin $PATH\n'}


class Shell(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name).resolve() / "a home"
        self.here = self.home / "my films"
        for path in (self.here, self.home / "bin", self.home / ".config" / "fish"):
            path.mkdir(parents=True)
        (self.home / "bin" / "genclip").write_text("#!/bin/sh\necho another genclip\n", encoding="utf-8")
        (self.home / "bin" / "genclip").chmod(0o755)
        # A program of the user's that has its settings from this test would find the plugin by itself.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GENCLIP_", "GST_", "XDG_", "ZDOTDIR"))}
        self.env = {**kept, "HOME": str(self.home), "TERM": "xterm", "LC_ALL": "C.UTF-8"}

    def run_in(self, *words, typed="", code=0, **env):
        run = subprocess.run([*PROGRAM, *words], cwd=self.here, env={**self.env, **env}, input=typed, capture_output=True, text=True,
                             timeout=120, check=False)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run.stdout

    def test_a_command_runs_where_the_user_is_and_its_exit_code_comes_back(self):
        self.assertEqual(self.run_in("pwd"), f"{self.here}\n")
        self.assertRegex(self.run_in("genclip", "--version"), r"\Agenclip [0-9.]+\n\Z")
        self.assertRegex(self.run_in("genclip-sim", "--version"), r"\Agenclip-sim [0-9.]+\n\Z")
        self.run_in("sh", "-c", "exit 7", code=7)
        self.run_in("no-such-command", code=127)
        self.run_in("--no-such-option", code=2)
        self.assertEqual(list(self.here.iterdir()), [])

    def test_gstreamer_finds_the_elements_of_the_build_and_the_users_own(self):
        for name in ("GST_PLUGIN_PATH", "GST_PLUGIN_PATH_1_0"):
            with self.subTest(name=name):
                shown = self.run_in("sh", "-c", "gst-inspect-1.0 genclip; echo $GST_PLUGIN_PATH; echo ${GST_REGISTRY_1_0-none}",
                                    **{name: "/their/plugins"}, GST_REGISTRY_1_0=str(self.home / "registry"))
                self.assertIn("genchannelsrc", shown)
                self.assertTrue(shown.endswith(f"{BUILD}/elements:/their/plugins\nnone\n"), shown)
        self.assertEqual(list(self.home.rglob("registry*")), [])

    def test_manual_pages_and_completions_are_where_programs_look_for_them(self):
        paths = self.run_in("sh", "-c", 'echo "$MANPATH"; echo "$XDG_DATA_DIRS"').splitlines()
        pages, *others = paths[0].split(":")
        self.assertEqual(others, [""], "the pages of the system are lost")
        for page in ("genclip.1", "genclip-sim.1"):
            self.assertIn(".TH", (pathlib.Path(pages) / "man1" / page).read_text(encoding="utf-8"))
        share, *others = paths[1].split(":")
        self.assertEqual(others, ["/usr/local/share", "/usr/share"])
        for file in ("bash-completion/completions/genclip", "fish/vendor_completions.d/genclip.fish", "zsh/site-functions/_genclip"):
            self.assertIn("__complete", (pathlib.Path(share) / file).read_text(encoding="utf-8"))
        if shutil.which("man"):
            for page in ("genclip", "genclip-sim"):
                self.assertIn("/man1/" if "mandoc" in os.path.realpath(shutil.which("man")) else page, self.run_in("man", "-w", page))

    def test_each_shell_works_without_a_terminal(self):
        for shell in SHELLS:
            with self.subTest(shell=shell):
                shown = self.run_in(typed="pwd\ngenclip --version\nexit 3\n", code=3, SHELL=shutil.which(shell))
                self.assertRegex(shown, rf"\A{self.here}\ngenclip [0-9.]+\n\Z")

    def test_each_terminal_gets_the_same_settings_for_the_simulator_whatever_its_shell(self):
        # As of a user of the real service.
        own = {"GENCLIP_BASE_URL": "https://service.example/api", "GENCLIP_API_KEY_FILE": str(self.home / "key"),
               "GENCLIP_STORE": str(self.home / "paid"), "GENCLIP_PUBLISH_COMMAND": "upload"}
        told = {"GENCLIP_BASE_URL": "http://127.0.0.1:18080/api", "GENCLIP_LLM_BASE_URL": "http://127.0.0.1:18080/llm",
                "GENCLIP_API_KEY": "sim-key", "GENCLIP_API_KEY_FILE": "", "GENCLIP_STORE": f"{self.home}/simulated-clips",
                "GENCLIP_PUBLISH_COMMAND": "", "GENCLIP_PUBLISH_FOLDER": f"{self.home}/public",
                "GENCLIP_PUBLISH_URL": "http://127.0.0.1:18082"}
        for shell in SHELLS:
            with self.subTest(shell=shell):
                shown = self.run_in(typed=f". {TOP}/examples/simulated\nenv\n", SHELL=shutil.which(shell), **own)
                names = [line for line in shown.splitlines() if re.match("GENCLIP_(?!SHELL)", line)]
                self.assertEqual(dict(line.split("=", 1) for line in names), told)
        # It is the simulator that the pages start, and nothing but a picture needs the web server.
        for page in ("README.md", "docs/guide/first-clip.md", "docs/simulator.md"):
            text = (TOP / page).read_text(encoding="utf-8")
            self.assertIn("genclip-sim --port 18080 --media-port 18081 > /dev/null &", text, page)
            self.assertIn(". examples/simulated\n", text, page)
        self.assertIn("--directory ~/public 18082 ", (TOP / "README.md").read_text(encoding="utf-8"))
        shown = self.run_in("sh", "-c", f". {TOP}/examples/simulated; genclip check sd_2.0_special prompt=a; genclip budget")
        self.assertFalse((self.home / "public").exists(), shown)

    def test_each_shell_says_what_it_is_and_completes(self):
        for name, text in OWN_FILES.items():
            (self.home / name).write_text(text, encoding="utf-8")
        for shell in SHELLS:
            with self.subTest(shell=shell):
                with Terminal(PROGRAM, self.here, {**self.env, "SHELL": shutil.which(shell)}) as terminal:
                    terminal.wait_for('"man genclip"' if shutil.which("man") else '"genclip --help"')
                    terminal.wait_for("Leave it with")
                    terminal.wait_for(r"\(genclip\) ")
                    if shell != "dash":
                        terminal.type("genclip mod\t")
                        terminal.wait_for("genclip models ")
                        terminal.type("\x15")  # Ctrl-U removes the line.
                    terminal.type("genclip --version\r")
                    terminal.wait_for(r"genclip [0-9]+\.[0-9]+\.[0-9]+\s")
                    self.assertNotIn("another genclip", terminal.shown)
                    terminal.type("env\r")
                    terminal.wait_for("MANPATH=")
                    terminal.type("exit 4\r")
                    self.assertEqual(terminal.end(), 4, terminal.shown)
                    self.assertNotIn("GENCLIP_SHELL", terminal.shown, "what starts the shell stays in it")


class Terminal:
    """A program in a terminal. A context manager, which stops the program by its process."""

    def __init__(self, words, folder, env):
        self.process, self.leader = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execve(words[0], words, env)
        self.data, self.shown, self.at = b"", "", 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.leader)
        if self.process:
            os.kill(self.process, 9)
            os.waitpid(self.process, 0)

    def read(self):
        """What comes next, without what moves the cursor or colours the text; False at the end."""
        ready, _, _ = select.select([self.leader], [], [], 1)
        try:
            data = os.read(self.leader, 65536) if ready else b""
        except OSError:
            return False
        # All of it anew: a sequence may come in two pieces.
        self.data += data
        self.shown = re.sub(r"\x1b(\[[0-?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>])", "", self.data.decode(errors="replace"))
        return bool(data) or not ready

    def wait_for(self, pattern):
        """Until it is shown behind what was waited for before."""
        deadline = time.monotonic() + 60
        while not (found := re.search(pattern, self.shown[self.at:])):
            assert self.read() and time.monotonic() < deadline, f"no {pattern!r} in {self.shown!r}"
        self.at += found.end()

    def type(self, text):
        os.write(self.leader, text.encode())

    def end(self):
        """Its exit code."""
        while self.read():
            pass
        process, self.process = self.process, 0
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


if __name__ == "__main__":
    unittest.main()
