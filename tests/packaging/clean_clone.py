# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tarball that `meson dist` makes of the last commit."""

from meson_runs import MESON, SOURCE, run


def read(*words, **options):
    result = run(*words, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def tarball_of(top):
    """Leaves the clone in top/clone."""
    # The checkout may belong to another user than the one who runs the tests, for example in a container.
    (top / "gitconfig").write_text("[safe]\n\tdirectory = *\n", encoding="utf-8")
    read("git", "clone", "-q", "--no-local", SOURCE, top / "clone", GIT_CONFIG_GLOBAL=str(top / "gitconfig"))
    read(MESON, "setup", top / "configured", top / "clone", "-Dtests=disabled")
    read(MESON, "dist", "-C", top / "configured", "--no-tests", "--formats", "gztar")
    (tarball,) = (top / "configured" / "meson-dist").glob("*.tar.gz")
    return tarball
