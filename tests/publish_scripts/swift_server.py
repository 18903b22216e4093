# SPDX-License-Identifier: LGPL-2.1-or-later
"""OpenStack Swift with its S3 interface, whole in one process and in memory.

Started as: swift_server.py FOLDER ACCESS-KEY SECRET-KEY. Prints the port of 127.0.0.1 that it listens on.
"""

import eventlet

eventlet.monkey_patch()

import pathlib  # noqa: E402
import sys  # noqa: E402

import eventlet.wsgi  # noqa: E402
import swift.obj.mem_server  # noqa: E402,F401: registers nothing, but is missing first
from swift.common import utils  # noqa: E402
from swift.common.middleware.tempauth import TempAuth  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

STORAGE = {"account": "account", "container": "container", "object": "mem_object"}
STORAGE_CONF = """
[DEFAULT]
swift_dir = {folder}
devices = {folder}
mount_check = false
[pipeline:main]
pipeline = storage
[app:storage]
use = egg:swift#{program}
"""
PROXY_CONF = """
[DEFAULT]
swift_dir = {folder}
[pipeline:main]
pipeline = catch_errors gatekeeper s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = {secret} .admin
"""


class Memory:
    """What Swift keeps in memcached."""

    def __init__(self):
        self.values = {}

    def get(self, key, **_):
        return self.values.get(key)

    def set(self, key, value, **_):
        self.values[key] = value

    def delete(self, key, **_):
        self.values.pop(key, None)

    def incr(self, key, delta=1, **_):
        self.values[key] = max(0, int(self.values.get(key) or 0) + delta)
        return self.values[key]


def with_memory(app):
    memory = Memory()

    def call(env, start_response):
        env["swift.cache"] = memory
        return app(env, start_response)

    return call


def accept_key(access_key):
    """Swift's own access keys contain a colon, which curl takes for the end of the name."""
    construct = TempAuth.__init__

    def construct_with_key(self, app, conf):
        construct(self, app, conf)
        self.users[access_key] = self.users["test:tester"]

    TempAuth.__init__ = construct_with_key


def make_ring(folder, kind, port):
    builder = RingBuilder(1, 1, 0)  # two partitions, one replica
    builder.add_dev({"id": 0, "region": 1, "zone": 1, "weight": 1, "ip": "127.0.0.1", "port": port, "device": "disk", "meta": ""})
    builder.rebalance()
    builder.get_ring().save(str(folder / f"{kind}.ring.gz"))


def main(folder, access_key, secret):
    utils.SWIFT_CONF_FILE = str(folder / "swift.conf")
    utils.HASH_PATH_SUFFIX = b"for tests"
    accept_key(access_key)
    (folder / "disk").mkdir()
    listeners = {kind: eventlet.listen(("127.0.0.1", 0)) for kind in (*STORAGE, "proxy")}
    for kind, program in STORAGE.items():
        make_ring(folder, kind, listeners[kind].getsockname()[1])
        (folder / f"{kind}.conf").write_text(STORAGE_CONF.format(folder=folder, program=program), encoding="utf-8")
    (folder / "proxy.conf").write_text(PROXY_CONF.format(folder=folder, secret=secret), encoding="utf-8")
    apps = {kind: loadapp(str(folder / f"{kind}.conf")) for kind in listeners}
    apps["proxy"] = with_memory(apps["proxy"])
    threads = [eventlet.spawn(eventlet.wsgi.server, listeners[kind], app, log_output=False) for kind, app in apps.items()]
    print(listeners["proxy"].getsockname()[1], flush=True)
    threads[-1].wait()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), *sys.argv[2:])
