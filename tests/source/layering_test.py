#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The code includes only what lies below it, as docs/architecture.md draws it."""

import tempfile
import unittest

import layers
import source_tree

FORBIDDEN = {
    "plugin/base/a.h": '#include "plugin/http/http_client.h"',
    "plugin/catalog/a.cpp": '#include "plugin/http/http_client.h"',
    "plugin/http/a.cpp": '#include "plugin/catalog/catalog.h"',
    "plugin/task/a.cpp": '#include "plugin/store/clip_path.h"',
    "plugin/store/a.cpp": '#include "plugin/task/task.h"',
    "plugin/caption/a.cpp": '#include "plugin/task/task.h"',
    "plugin/generation/a.cpp": '#include "elements/post_error.h"',
    "plugin/generation/b.cpp": '#include "plugin/caption/content_wire.h"',
    "plugin/command/a.cpp": '#include "elements/clipsrc/clip_source.h"',
    "plugin/http/b.cpp": '#include "tests/support/http_server.h"',
    "elements/clipsrc/a.cpp": '#include "elements/captioner/caption_queue.h"',
    "elements/captioner/caption_schedule_a.cpp": "#include <gst/gst.h>",
    "elements/captioner/caption_slot.h": '#include "plugin/base/mutex.h"',
    "elements/captioner/a.cpp": '#  include "elements/clipsrc/clip_source.h"',
    "elements/post.cpp": '#include "elements/clipsrc/clip_source.h"',
    "elements/clipsrc/b.cpp": '#include "plugin/command/generate.h"',
    "examples/simulator/a.cpp": '#include "plugin/task/task_wire.h"',
    "examples/simulator/b.cpp": '#include "plugin/caption/content_wire.h"',
    "plugin/store/b.cpp": "#include <libsoup/soup.h>",
    "elements/clipsrc/c.cpp": "#include <json-glib/json-glib.h>",
    "plugin/base/b.cpp": '#include "json.h"',
    "plugin/base/c.cpp": '#include "../http/redaction.h"',
    "plugin/novel/a.cpp": '#include "plugin/base/result.h"',
}

ALLOWED = {
    "plugin/base/a.h": '#include "plugin/base/result.h"\n#include <json-glib/json-glib.h>\n#include <vector>',
    "plugin/http/a.cpp": '#include "plugin/base/result.h"\n#include <libsoup/soup.h>',
    "plugin/generation/a.cpp": '#include "plugin/store/clip_path.h"\n#include "plugin/catalog/catalog.h"',
    "plugin/command/a.cpp": '#include "plugin/generation/generations.h"\n#include "plugin/command/table.h"',
    "plugin/plugin.cpp": '#include "elements/clipsrc/clip_src.h"',
    "elements/clipsrc/a.cpp": '#include "elements/post_error.h"\n#include "plugin/generation/download.h"',
    "examples/simulator/a.cpp": '#include "plugin/base/json.h"\n#include "examples/simulator/task.h"',
    "tests/store/a_test.cpp": '#include "plugin/store/clip_path.h"\n#include "tests/support/http_server.h"',
}


class Layering(unittest.TestCase):
    def test_every_include_points_downwards(self):
        self.assertGreater(len(source_tree.cpp_files()), 100)
        self.assertEqual(layers.violations(), [])

    def test_each_planted_violation_is_found_where_it_is(self):
        for path, line in FORBIDDEN.items():
            with self.subTest(path=path, line=line), tempfile.TemporaryDirectory() as folder:
                top = source_tree.copy_with(folder, {path: f"// A comment.\n{line}\n", **allowed_without(path)})
                found = layers.violations(top)
                self.assertEqual([text.partition(": ")[0] for text in found], [f"{path}:2"], found)

    def test_what_the_directions_allow_passes(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(layers.violations(source_tree.copy_with(folder, ALLOWED)), [])


def allowed_without(path):
    return {other: text for other, text in ALLOWED.items() if other != path}


if __name__ == "__main__":
    unittest.main()
