# SPDX-License-Identifier: LGPL-2.1-or-later
"""Completes a command line in a real zsh and in a real fish, as a user's Tab does."""

import os
import pathlib
import pty
import shutil
import subprocess
import tempfile

from command import SOURCE, environment

FOLDER = SOURCE / "plugin/command"
# Of all zsh that start: the first one writes there what completions the system has, which takes it long.
ZSH_FOLDER = tempfile.TemporaryDirectory()
# Inserts everything that zsh would list, quoted as zsh quotes it, then writes the line to a file.
ZSH = """
PS1=''
fpath=("$ZDOTDIR" $fpath)
autoload -Uz compinit && compinit -u -d "$ZDOTDIR/dump"
everything() { _main_complete; compstate[insert]=all; compstate[list]= }
zle -C everything complete-word everything
bindkey '^I' everything
written() { print -rn -- "$BUFFER" > "$ZDOTDIR/line.part"; mv "$ZDOTDIR/line.part" "$ZDOTDIR/line"; exit }
zle -N written
bindkey '^X' written
print ready
"""


def zsh(line, program, cwd=None):
    """The line after Tab, every completion inserted."""
    top = pathlib.Path(ZSH_FOLDER.name)
    (top / "line").unlink(missing_ok=True)
    shutil.copy(FOLDER / "genclip.zsh", top / "_genclip")
    (top / ".zshrc").write_text(ZSH, encoding="utf-8")
    master, slave = pty.openpty()
    # Not the machine's own settings, which may hold other completions.
    with subprocess.Popen(["zsh", "--no-globalrcs", "-i"], stdin=slave, stdout=slave, stderr=slave, cwd=cwd,
                          env=environment(ZDOTDIR=str(top), PATH=path_of(program), TERM="xterm"),
                          start_new_session=True) as run:
        os.close(slave)
        shown = b""
        while b"ready" not in shown:
            shown += os.read(master, 65536)
        os.write(master, line.encode() + b"\t\x18")
        try:
            while os.read(master, 65536):
                pass
        except OSError:  # How Linux says that the other side is gone.
            pass
        os.close(master)
        run.wait(60)
    return (top / "line").read_text(encoding="utf-8")


def fish(line, program, cwd=None):
    """What fish lists for the line: completions with their descriptions."""
    script = "source $argv[1]; complete -C $argv[2]"
    run = subprocess.run(["fish", "--no-config", "-c", script, FOLDER / "genclip.fish", line], cwd=cwd,
                         env=environment(PATH=path_of(program), HOME="/nonexistent"), capture_output=True, text=True,
                         timeout=60, check=True)
    assert run.stderr == "", run.stderr
    return dict((*text.split("\t", 1), "")[:2] for text in run.stdout.splitlines())


def path_of(program):
    return f"{pathlib.Path(program).parent}:/usr/bin:/bin"
