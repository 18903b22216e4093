# SPDX-License-Identifier: LGPL-2.1-or-later
"""References that a stranger could put into a URI, so that a file which is not theirs becomes public.

A row is the text of a reference. In it {in} is the one folder that URIs may name files of, {out} a private picture
elsewhere, {top} the folder above both, and {hash} the SHA-256 of that picture. A row of bytes is no UTF-8.
"""

import os
import socket
import struct
import urllib.parse
import zlib

PATHS = [
    # Plainly elsewhere, and by names that begin as the allowed folder does.
    "{out}", "{top}/private.png", "{in}-evil/private.png", "{in}.png", "{in}/../private.png", "{in}/../outside/private.png", "/{out}", "//{out}",
    "///{out}", "{in}/./../outside/private.png", "{in}//..//outside//private.png", "{in}/sub/../../outside/private.png",
    "{in}/../roots-evil/private.png", "{in}/sub/../../roots-evil/private.png", "{in}/../roots/../outside/private.png",
    "{in}/missing/../../outside/private.png", "{in}/good.png/../../outside/private.png", "{in}/good.png/", "{out}/", "{out}/.",
    "private.png", "./private.png", "../outside/private.png", "~/private.png", "~root/private.png", "$HOME/private.png", "${HOME}/private.png",
    "$(echo {out})", "`echo {out}`", "{out}|cat", "|cat {out}", "{out}\n", "\n{out}", " {out}", "{out} ", "@{out}", "'{out}'", '"{out}"', "<{out}",
    "{out},{in}/good.png", "{out};{in}/good.png", "{out}?{in}/good.png", "{out}#{in}/good.png", "{in}\\..\\outside\\private.png",
    # Links, some of which lead out only after "..".
    "{in}/link.png", "{in}/relative-link.png", "{in}/link-to-link.png", "{in}/link-to-evil.png", "{in}/folder-link/private.png",
    "{in}/folder-link/../private.png", "{in}/top-link/outside/private.png", "{in}/loop", "{in}/loop/private.png", "{in}/dangling",
    "{in}/link-to-environ", "{in}/link-to-stdin", "{in}/link-to-fifo", "{in}/link-to-zero", "{in}/root-link{out}", "{in}/cwd-link/private.png",
    # Files of the kernel, of this process, and devices. Standard input is the private picture.
    "/proc/self/environ", "/proc/self/cmdline", "/proc/self/maps", "/proc/self/mem", "/proc/self/exe", "/proc/self/root{out}",
    "/proc/self/cwd/private.png", "/proc/self/fd/0", "/proc/thread-self/fd/0", "/proc/self/task/../fd/0", "/dev/fd/0", "/dev/fd/3", "/dev/fd/4",
    "/dev/stdin", "/proc/1/environ", "/proc/kcore", "/proc/kmsg", "/proc/sysrq-trigger", "/sys/kernel/notes", "/dev/zero", "/dev/null", "/dev/full",
    "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/mem", "/dev/console", "{in}/../../../../../../../../etc/passwd", "/etc/passwd",
    "/etc/shadow", "/etc/hostname",
    # In the allowed folder, but nothing that may be published.
    "{in}", "{in}/", "{in}/.", "{in}/sub", "{in}/fifo", "{in}/socket", "{in}/empty.png", "{in}/notes.png", "{in}/page.png", "{in}/drawing.png",
    "{in}/playlist.mp4", "{in}/missing.png",
    # Lengths.
    "{in}/" + "../" * 1200 + "{out}", "{in}/" + "./" * 3000 + "../outside/private.png", "{in}/" + "a" * 300, "{in}/" + "a/" * 3000 + "b.png",
    "/" * 5000 + "{out}", "{out}" + "\x01", "\x7f{out}", "{in}/\u202egnp.etavirp/../../outside/private.png",
    b"{in}/\xff\xfe/../../outside/private.png", b"{out}\xff", b"\xc0\xae\xc0\xae{out}", b"{in}/\xc0\xae\xc0\xae/outside/private.png",
]

URIS = [
    "file://{out}", "FILE://{out}", "File://{out}", "fIlE:{out}", "file:{out}", "file:/{out}", "file:///{out}", "file:////{out}",
    "file://localhost{out}", "file://LOCALHOST{out}", "file://127.0.0.1{out}", "file://[::1]{out}", "file://evil.example{out}",
    "file://user@localhost{out}", "file://localhost:80{out}", "file://.{out}", "file://..{out}", "file://%2f{out}", "file://~{out}",
    "file://{in}/../outside/private.png", "file://{in}/%2e%2e/outside/private.png", "file://{in}/%2E%2E/outside/private.png",
    "file://{in}/.%2e/outside/private.png", "file://{in}%2f..%2foutside%2fprivate.png", "file://{in}/..%2foutside/private.png",
    "file://{in}/%252e%252e/outside/private.png", "file://{in}/%25252e%25252e/outside/private.png", "file://{in}/%c0%ae%c0%ae/outside/private.png",
    "file://{in}/%u002e%u002e/outside/private.png", "file://{in}/..;/outside/private.png", "file://{in}/..\\outside\\private.png",
    "file://{in}/%00/../../outside/private.png", "file://{out}%00.png", "file://{in}/good.png%00{out}", "file://{out}%00", "file://{out}%0a",
    "file://{out}%20", "file://{out}%ff", "file://{out}%", "file://{out}%zz", "file://{out}?{in}/good.png", "file://{out}#{in}/good.png",
    "file://{out}?#", "file://{out};type=a", "file://{in}/link.png", "file://{in}/folder-link/private.png", "file://{in}/folder-link/../private.png",
    "file://{in}-evil/private.png", "file://{in}/%2e%2e/roots-evil/private.png", "file:private.png", "file:./private.png", "file:../outside/private.png",
    "file://private.png", "file:~/private.png", "file:", "file://", "file:///", "file:///proc/self/environ", "file:///proc/self/fd/0",
    "file:///dev/stdin", "file:///dev/fd/0", "file:///dev/zero", "file:///dev/urandom", "file://{in}/fifo", "file://{in}/socket",
    "file://{in}/link-to-environ", "file:///etc/passwd", "file://{in}/notes.png", " file://{out}", "\tfile://{out}", "\nfile://{out}",
    "file ://{out}", "fi%6ce://{out}", "file%3a//{out}", "file%3A%2F%2F{out}", "url:file://{out}", "uri:file://{out}", "view-source:file://{out}",
    "jar:file://{out}!/", "file+https://{out}", "file://{out}" + "?" * 4000, "file://" + "%2e%2e/" * 2000 + "{out}",
    "fd://0", "fdsrc://0", "pushfile://{out}", "filesrc://{out}", "resource://{out}", "resource:{out}", "unix://{out}", "http+unix://{out}",
    "admin:{out}", "admin://{out}", "trash://{out}", "recent://{out}", "smb://localhost{out}", "sftp://localhost{out}", "ftp://localhost{out}",
    "dav://localhost{out}", "gopher://localhost{out}", "gvfs://{out}", "data:image/png;base64,aGk=", "data:;file={out}", "javascript:{out}",
    "cdda://{out}", "dvd://{out}", "v4l2://{out}", "mem:{out}", "concat:{out}", "subfile,,start,0,end,99,,:{out}", "crypto:{out}",
    # The content of a file is no leave to publish the file.
    "sha256:{hash}", "SHA256:{hash}", "sha256:{hash}?{out}", "sha256:{hash}#{out}", "sha256:{out}", "sha256://{hash}{out}", "sha256:",
]


def png(width, height):
    """A picture that no other call has made."""
    line = b"\0" + os.urandom(3) * width

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(line * height)) + chunk(b"IEND", b""))


def lay_traps(top):
    """Makes what the rows name. Returns the allowed folder and the private picture."""
    allowed, outside = top / "roots", top / "outside"
    for folder in (allowed, allowed / "sub", outside, top / "roots-evil"):
        folder.mkdir()
    for path in (allowed / "good.png", outside / "private.png", top / "private.png", top / "roots.png", top / "roots-evil" / "private.png"):
        path.write_bytes(png(640, 360))
    for name, target in {
            "link.png": outside / "private.png", "relative-link.png": "../outside/private.png", "link-to-link.png": "link.png",
            "link-to-evil.png": top / "roots-evil" / "private.png", "folder-link": outside, "top-link": top, "loop": "loop",
            "dangling": outside / "missing.png", "link-to-environ": "/proc/self/environ", "link-to-stdin": "/proc/self/fd/0", "link-to-fifo": "fifo",
            "link-to-zero": "/dev/zero", "root-link": "/proc/self/root", "cwd-link": "/proc/self/cwd"}.items():
        (allowed / name).symlink_to(target)
    os.mkfifo(allowed / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(allowed / "socket"))
    (allowed / "empty.png").write_bytes(b"")
    (allowed / "notes.png").write_text("the password is swordfish\n", encoding="utf-8")
    (allowed / "page.png").write_text("<!DOCTYPE html><html><body>swordfish</body></html>", encoding="utf-8")
    (allowed / "drawing.png").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360"/>', encoding="utf-8")
    (allowed / "playlist.mp4").write_text(f"#EXTM3U\n#EXTINF:5,\nfile://{outside}/private.png\n", encoding="utf-8")
    return allowed, outside / "private.png"


def texts(names):
    """The rows as bytes, with the names of this run."""
    for row in (*PATHS, *URIS):
        text = row if isinstance(row, bytes) else row.encode()
        for name, value in names.items():
            text = text.replace(b"{%s}" % name.encode(), str(value).encode())
        yield text


def quoted(text):
    return urllib.parse.quote(text, safe="")


# In which places of a request a stranger can put a reference. The inner requests are of a picture, and of a video.
def plain(text):
    return [f"genclip://sd_2.0_special?prompt=x&first_image={quoted(text)}"]


def last_image(text):
    return [f"genclip://sd_2.0_special?prompt=x&first_image=https://m.example/1.png&last_image={quoted(text)}"]


def one_of_several(text):
    return [f"genclip://dance-2.5?prompt=x&images=https://m.example/1.png&image_urls={quoted(text)}"]


def in_a_picture(text):
    inner = f"genclip://dream-5.0?prompt=x&reference_images={quoted(text)}"
    return [f"genclip://sd_2.0_special?prompt=x&first_image={quoted(inner)}"]


def in_a_frame(text):
    inner = f"genclip://sd_2.0_special?prompt=y&first_image={quoted(text)}#last"
    return [f"genclip://sd_2.0_special?prompt=x&first_image={quoted(inner)}"]


def in_a_clip_in_a_clip(text):
    inner = f"genclip://dream-5.0?prompt=x&reference_images={quoted(text)}"
    middle = f"genclip://sd_2.0_special?prompt=y&first_image={quoted(inner)}"
    return [f"genclip://dance-2.5?prompt=x&reference_videos={quoted(middle)}"]


def in_a_uri_that_a_person_gave(text):
    """A person's own words may name any file. A URI among them may not."""
    inner = f"genclip://dream-5.0?prompt=x&reference_images={quoted(text)}"
    return ["sd_2.0_special", "prompt=x", "first_image=" + inner]


PLACES = [last_image, one_of_several, in_a_picture, in_a_frame, in_a_clip_in_a_clip, in_a_uri_that_a_person_gave]


def requests(names):
    """Words after "genclip generate": each row plainly, and in one of the other places in turn."""
    for index, text in enumerate(texts(names)):
        yield plain(text)
        yield PLACES[index % len(PLACES)](text)
