#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What examples/publish publishes is what a real server delivers, at a URL that cannot be guessed."""

import hashlib
import hmac
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import unittest

from servers import TOP, Nginx, Rclone, StatusServer, Swift, fetch

SCRIPTS = TOP / "examples/publish"
PNG = b"\x89PNG\r\n\x1a\n" + os.urandom(3000)
MP4 = b"\0\0\0\x18ftypmp42" + os.urandom(700_000)
FILES = {"image/png": (PNG, "png"), "video/mp4": (MP4, "mp4")}
HOSTILE_NAMES = ["a b  c.png", "it's.png", 'say "hi".png', "-rf", "--help.png", "two\nlines.png", "$(touch ran).png", "`touch ran`", "*.png",
                 "{a,b}.png", "[1-9].png", "remote:path", ":local:x", "back\\slash.png", ";touch ran", "@file", "%2e%2e", ".", "é.png"]


def table(source, name):
    """The first two columns of a table of genclip."""
    text = (TOP / source).read_text(encoding="utf-8")
    return dict(re.findall(r'\{"([^"]+)",\s*"([^"]+)"', text.split(f"{name}[] = {{")[1].split("};")[0]))


# genclip publishes what the service's tables name, and nothing else; it knows more extensions, of what it downloads.
FORMATS = table("plugin/task/media_format.cpp", "kFormats")
EXTENSIONS = {extension: media_type for extension, media_type in table("plugin/catalog/media_extension.cpp", "kExtensions").items()
              if media_type in FORMATS}


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def command_lines_of_session(session):
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.getsid(int(process.name)) == session:
                yield (process / "cmdline").read_bytes()
        except OSError:  # It has ended.
            pass


class Published(unittest.TestCase):
    """What holds of a file at its URL, however it came there."""

    def check(self, url, content, media_type):
        status, headers, body = fetch(url)
        self.assertEqual((status, headers["Content-Type"]), (200, media_type), url)
        self.assertEqual(sha256(body), sha256(content))
        status, headers, body = fetch(url, "HEAD")
        self.assertEqual((status, headers["Content-Length"], headers["Content-Type"], body), (200, str(len(content)), media_type, b""))
        status, headers, body = fetch(url, headers={"Range": "bytes=100-299"})
        self.assertEqual((status, headers["Content-Range"]), (206, f"bytes 100-299/{len(content)}"))
        self.assertEqual(body, content[100:300])
        status, _, body = fetch(url, headers={"Range": f"bytes={len(content) - 10}-", "Accept-Encoding": "gzip"})
        self.assertEqual((status, body), (206, content[-10:]))

    def check_missing(self, url):
        status, _, body = fetch(url)
        self.assertIn(status, (401, 403, 404, 405), f"{url}: {body[:200]}")


class Scripts:
    """Each test holds for each script: a class below names the script and its server."""

    def setUp(self):
        self.addCleanup(lambda folder: folder.cleanup(), folder := tempfile.TemporaryDirectory())
        self.folder = pathlib.Path(folder.name)
        self.settings = {"HOME": str(self.folder), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        self.serve()

    def file(self, content, name="picture"):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def run_script(self, path, content, media_type, **settings):
        """As genclip runs it: without a shell, with three words."""
        return subprocess.run([SCRIPTS / self.SCRIPT, path, sha256(content), media_type], env={**self.settings, **settings},
                              cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)

    def publish(self, path, content, media_type, **settings):
        """The URL: one line, and nothing else."""
        ended = self.run_script(path, content, media_type, **settings)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertRegex(ended.stdout, r"\A\S+\n\Z")
        url = ended.stdout.strip()
        self.assertTrue(url.startswith(self.settings["PUBLISH_URL"] + "/"), url)
        return url

    def assert_fails(self, ended, reason=""):
        self.assertNotEqual(ended.returncode, 0)
        self.assertEqual(ended.stdout, "")
        self.assertRegex(ended.stderr, reason or ".")

    def test_publish_a_picture_and_a_video(self):
        for media_type, (content, extension) in FILES.items():
            with self.subTest(media_type=media_type):
                url = self.publish(self.file(content), content, media_type)
                self.assertTrue(url.endswith("." + extension), url)
                self.check(url, content, media_type)

    def test_give_the_same_file_its_address_again(self):
        path = self.file(PNG)
        first = self.publish(path, PNG, "image/png")
        second = self.publish(path, PNG, "image/png")
        self.assertEqual(second, first)
        self.check(second, PNG, "image/png")
        self.assertNotEqual(self.publish(self.file(PNG + b"."), PNG + b".", "image/png"), first)

    def test_give_no_address_that_can_be_guessed_from_the_content(self):
        path = self.file(PNG)
        name = self.publish(path, PNG, "image/png").rsplit("/", 1)[1].split(".")[0]
        guesses = [hashlib.new(kind, text).hexdigest() for kind in ("md5", "sha1", "sha256", "sha512")
                   for text in (PNG, sha256(PNG).encode(), bytes.fromhex(sha256(PNG)))]
        guesses += [hmac.new(key, text, "sha256").hexdigest() for key in (b"", PNG, b"genclip")
                    for text in (PNG, sha256(PNG).encode())]
        self.assertRegex(name, "^[0-9a-f]{64}$")
        self.assertNotIn(name, guesses)
        # Another user's script has another secret.
        other = self.publish(path, PNG, "image/png", PUBLISH_SECRET_FILE=str(self.folder / "other"))
        self.assertNotIn(name, other)

    def test_take_files_of_any_name(self):
        for name in HOSTILE_NAMES:
            with self.subTest(name=name):
                folder = self.folder / "names"
                folder.mkdir(exist_ok=True)
                # By its full path, or where that would hide the first character, by the name alone.
                path = folder / (name if name != "." else "...")
                path.write_bytes(PNG + name.encode())
                content = path.read_bytes()
                for shown in (path, os.path.relpath(path, self.folder)):
                    self.check(self.publish(shown, content, "image/png"), content, "image/png")
        bare = self.file(MP4, "-o")
        self.check(self.publish(bare.name, MP4, "video/mp4"), MP4, "video/mp4")
        self.assertEqual(list(self.folder.rglob("ran")), [])

    def test_take_a_file_that_has_only_a_descriptor(self):
        with open(self.file(MP4), "rb") as file:
            url = self.publish(f"/proc/{os.getpid()}/fd/{file.fileno()}", MP4, "video/mp4")
        self.check(url, MP4, "video/mp4")

    def test_print_no_address_if_the_server_fails(self):
        self.assert_fails(self.run_script(self.file(PNG), PNG, "image/png", **self.at(self.closed_address())))
        with StatusServer(507) as full:
            self.assert_fails(self.run_script(self.file(PNG), PNG, "image/png", **self.at(full.url)), "507")

    def test_print_no_address_if_the_server_refuses_the_key(self):
        self.assert_fails(self.run_script(self.file(PNG), PNG, "image/png", **self.wrong_key()), "40[13]")

    def test_print_no_address_without_file_or_settings(self):
        self.assert_fails(self.run_script(self.folder / "missing", PNG, "image/png"), "missing")
        path = self.file(PNG)
        for name in self.WANTED:
            with self.subTest(setting=name):
                self.assert_fails(self.run_script(path, PNG, "image/png", **{name: ""}), name)
        self.assert_fails(self.run_script(path, PNG, "text/html"), "media type")
        self.assert_fails(subprocess.run([SCRIPTS / self.SCRIPT, path], env=self.settings, capture_output=True, text=True, check=False),
                          "Usage")

    def test_show_no_secret_in_the_list_of_processes(self):
        """The server keeps the client waiting, and meanwhile the script's own processes are looked at."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            settings = {**self.settings, **self.at(f"http://127.0.0.1:{listener.getsockname()[1]}")}
            script = subprocess.Popen([SCRIPTS / self.SCRIPT, self.file(PNG), sha256(PNG), "image/png"], env=settings, cwd=self.folder,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            try:
                listener.settimeout(60)
                connection, _ = listener.accept()
                with connection:
                    lines = b"\n".join(command_lines_of_session(script.pid))
            finally:
                os.killpg(script.pid, signal.SIGTERM)
                script.wait()
        self.assertIn(self.SCRIPT.encode(), lines)
        for secret in self.secrets():
            self.assertNotIn(secret.encode(), lines)
        self.assertIn(self.CLIENT.encode(), lines)

    def closed_address(self):
        """An address where nothing listens."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            return f"http://127.0.0.1:{listener.getsockname()[1]}"


class HiddenName(unittest.TestCase):
    SHA256 = "ab" * 32

    def setUp(self):
        self.addCleanup(lambda folder: folder.cleanup(), folder := tempfile.TemporaryDirectory())
        self.secret = pathlib.Path(folder.name) / "deep" / "secret"

    def start(self, *words):
        return subprocess.Popen([SCRIPTS / "hidden-name", *words], env={"PATH": os.environ["PATH"], "PUBLISH_SECRET_FILE": str(self.secret)},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, process):
        out, error = process.communicate(timeout=60)
        return process.returncode, out, error

    def test_has_the_extension_by_which_genclip_and_servers_know_the_type(self):
        self.assertGreater(len(FORMATS), 40)
        for media_type, media_format in FORMATS.items():
            with self.subTest(media_type=media_type):
                code, out, error = self.end(self.start(self.SHA256, media_type))
                self.assertEqual((code, error), (0, ""))
                known = EXTENSIONS.get(out.strip().rsplit(".", 1)[1])
                self.assertEqual(FORMATS.get(known), media_format, out)

    def test_is_not_made_for_what_genclip_does_not_publish(self):
        for media_type in ("video/x-flv", "video/x-ms-wmv", "image/svg+xml", "text/html", ""):
            with self.subTest(media_type=media_type):
                code, out, error = self.end(self.start(self.SHA256, media_type))
                self.assertEqual((code, out), (1, ""))
                self.assertIn("no extension is known", error)

    def test_is_one_for_all_that_run_first_at_once(self):
        started = [self.start(self.SHA256, "image/png") for _ in range(12)]
        ended = [self.end(process) for process in started]
        self.assertEqual({(code, error) for code, _, error in ended}, {(0, "")})
        self.assertEqual(len({out for _, out, _ in ended}), 1)
        self.assertEqual([path.name for path in self.secret.parent.iterdir()], ["secret"])
        self.assertEqual(self.secret.stat().st_mode & 0o077, 0)

    def test_is_not_made_of_what_is_no_hash_or_of_an_empty_secret(self):
        for word in ("", "../../x", "ab" * 31, "AB" * 32, "ab" * 32 + "\n", "$(id)"):
            code, out, error = self.end(self.start(word, "image/png"))
            self.assertEqual((code, out), (2, ""), word)
            self.assertIn("64 hexadecimal digits", error)
        self.secret.parent.mkdir()
        self.secret.write_bytes(b"")
        code, out, error = self.end(self.start(self.SHA256, "image/png"))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("is empty", error)


@unittest.skipIf(Swift.missing(), Swift.missing())
class ToS3(Scripts, Published):
    SCRIPT, CLIENT = "to-s3", "curl"
    WANTED = ("PUBLISH_BUCKET_URL", "PUBLISH_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")

    @classmethod
    def setUpClass(cls):
        cls.server = Swift()
        cls.addClassCleanup(cls.server.close)

    def serve(self):
        self.settings.update(PUBLISH_BUCKET_URL=self.server.endpoint + "/references/shots", PUBLISH_URL=self.server.url + "/shots",
                             AWS_ACCESS_KEY_ID=Swift.ACCESS_KEY, AWS_SECRET_ACCESS_KEY=Swift.SECRET_KEY)

    def at(self, address):
        return {"PUBLISH_BUCKET_URL": address + "/references"}

    def wrong_key(self):
        return {"AWS_SECRET_ACCESS_KEY": "wrong"}

    def secrets(self):
        return [Swift.SECRET_KEY]

    def test_refuse_content_that_changed_on_its_way(self):
        self.assert_fails(self.run_script(self.file(PNG + b"more"), PNG, "image/png"), "400")

    def test_sign_for_the_region_and_with_the_sessions_token(self):
        """A server that refuses everything shows what it was sent."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            settings = {**self.settings, **self.at(f"http://127.0.0.1:{listener.getsockname()[1]}"), "AWS_REGION": "eu-test-7",
                        "AWS_SESSION_TOKEN": "to\"k\\en"}
            script = subprocess.Popen([SCRIPTS / self.SCRIPT, self.file(PNG), sha256(PNG), "image/png"], env=settings,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            listener.settimeout(60)
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as stream:
                head = b"".join(iter(stream.readline, b"\r\n")).decode()
                connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            self.assertNotEqual(script.wait(timeout=60), 0)
        self.assertIn("/eu-test-7/s3/aws4_request", head)
        self.assertIn('x-amz-security-token: to"k\\en\r\n', head)
        self.assertRegex(head, r"SignedHeaders=\S*x-amz-security-token")

    def test_put_it_where_nobody_can_list_it(self):
        self.publish(self.file(PNG), PNG, "image/png")
        self.check_missing(self.server.url)
        self.check_missing(self.server.url + "/shots/")


@unittest.skipIf(Rclone.missing(), Rclone.missing())
class ToRclone(Scripts, Published):
    SCRIPT, CLIENT = "to-rclone", "rclone"
    WANTED = ("PUBLISH_REMOTE", "PUBLISH_URL")

    @classmethod
    def setUpClass(cls):
        cls.writer = Rclone()
        cls.addClassCleanup(cls.writer.close)
        cls.reader = Rclone(cls.writer.published)
        cls.addClassCleanup(cls.reader.close)

    def serve(self):
        self.settings.update(self.writer.settings(), PUBLISH_REMOTE="server:shots", PUBLISH_URL=self.reader.url + "/shots")

    def at(self, address):
        return {"RCLONE_CONFIG_SERVER_URL": address, "RCLONE_LOW_LEVEL_RETRIES": "1"}

    def wrong_key(self):
        return {"RCLONE_CONFIG_SERVER_USER": "nobody"}

    def secrets(self):
        return [Rclone.PASSWORD, self.settings["RCLONE_CONFIG_SERVER_PASS"]]

    def test_write_to_a_folder_too(self):
        """A remote of rclone may be a mounted disk."""
        shown = self.publish(self.file(MP4), MP4, "video/mp4", PUBLISH_REMOTE=f":local:{self.writer.published}/shots/")
        self.check(shown, MP4, "video/mp4")


@unittest.skipIf(Nginx.missing(), Nginx.missing())
class Folder(Published):
    """The folder of examples/publish/nginx.conf."""

    NAME = "0" * 64

    @classmethod
    def setUpClass(cls):
        cls.server = Nginx()
        cls.addClassCleanup(cls.server.close)

    def put(self, name, content):
        path = self.server.published / name
        path.write_bytes(content)
        path.chmod(0o644)
        return f"{self.server.url}/{name}"

    def test_delivers_a_picture_and_a_video(self):
        for media_type, (content, extension) in FILES.items():
            with self.subTest(media_type=media_type):
                self.check(self.put(f"{self.NAME}.{extension}", content), content, media_type)

    def test_tells_the_type_of_every_extension_that_genclip_uses(self):
        self.assertEqual(EXTENSIONS["png"], "image/png")
        self.assertEqual({FORMATS[media_type] for media_type in EXTENSIONS.values()}, set(FORMATS.values()))
        for extension, media_type in EXTENSIONS.items():
            with self.subTest(extension=extension):
                _, headers, _ = fetch(self.put(f"{self.NAME}.{extension}", PNG), "HEAD")
                self.assertEqual(headers["Content-Type"], media_type)

    def test_is_not_listed(self):
        self.put(f"{self.NAME}.png", PNG)
        for path in ("", "/", "/.", "/./", "//"):
            self.check_missing(self.server.url + path)

    def test_shows_nothing_outside_of_it(self):
        secret = self.server.folder / "secret.png"
        secret.write_bytes(PNG)
        secret.chmod(0o644)
        evil = self.server.folder / "references-evil"
        evil.mkdir(exist_ok=True)
        (evil / "secret.png").write_bytes(PNG)
        (self.server.published / "file-link.png").symlink_to(secret)
        (self.server.published / "folder-link").symlink_to(self.server.folder)
        for path in ("/file-link.png", "/folder-link/secret.png", "/../secret.png", "/%2e%2e/secret.png", "/..%2fsecret.png", "../secret.png",
                     "..%2fsecret.png", "-evil/secret.png", "/../references-evil/secret.png", "/folder-link/", "/..;/secret.png"):
            with self.subTest(path=path):
                self.check_missing(self.server.url + path)

    def test_shows_no_file_that_is_being_written(self):
        self.check_missing(self.put(f".{self.NAME}.png", PNG))

    def test_cannot_be_written(self):
        url = self.put(f"{self.NAME}.png", PNG)
        for method in ("PUT", "POST", "DELETE", "PATCH", "MKCOL"):
            status, _, _ = fetch(url, method)
            self.assertIn(status, (403, 405), method)
        self.check(url, PNG, "image/png")


if __name__ == "__main__":
    unittest.main()
