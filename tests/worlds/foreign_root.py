# SPDX-License-Identifier: LGPL-2.1-or-later
"""The unit suite inside a Debian of another architecture whose programs this processor runs: a root of its own."""

import shutil
import sys

from unit_suite import TOP, Missing, UnitSuite

sys.path.insert(0, str(TOP / "tests/packaging"))
from fresh_root import FreshRoot, Unavailable  # noqa: E402 (after its folder is known)

# What the unit suite does without: other compilers, other shells, players, editors, servers.
NOT_NEEDED = ("clang", "fish", "zsh", "groff", "mandoc", "gir1.2", "ges1.0", "git", "python3-gi")
SOURCE, BUILD = "/genclip", "/build"


def packages():
    listed = [line for path in ("examples/packages", "tests/packages") for line in (TOP / path).read_text(encoding="utf-8").split("\n")]
    return sorted(line for line in listed if line and not line.startswith(("#", *NOT_NEEDED)))


def root_in(folder, arch):
    """With all packages; one that an earlier run has made is used again."""
    made = folder.with_suffix(".packages")
    wanted = "\n".join(packages())
    if made.exists() and made.read_text(encoding="utf-8") == wanted:
        return FreshRoot.that_stands(folder)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        root = FreshRoot(folder, arch)
    except Unavailable as why:
        raise Missing(str(why)) from why
    root.install("--no-install-recommends", *packages())
    made.write_text(wanted, encoding="utf-8")
    return root


def copy_source(to):
    """All but builds; times stay, so that only what changed is compiled again."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(TOP, to, symlinks=True, ignore=lambda folder, names:
                    [name for name in names if folder == str(TOP) and (name == ".git" or name.startswith("build"))])


def counts(world, folder, jobs):
    root = root_in(folder / "root", world.arch)
    copy_source(root.top / SOURCE[1:])

    def run(words):
        return root.run_to_end("env", "GST_REGISTRY_FORK=no", "PYTHONDONTWRITEBYTECODE=1", *words, timeout=14400)
    return UnitSuite(world, run, SOURCE, BUILD, jobs).counts()
