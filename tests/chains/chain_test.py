#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Clips that are made of clips: each link is paid once, whoever needs it, whatever is killed."""

import hashlib
import json
import os
import pathlib
import re
import resource
import signal
import time
import unittest

from film import Film, chain, link, uri_of, words
from shop import LINK_MODEL, MODEL, PRICES

PRICE = PRICES[4]


class Chains(unittest.TestCase):
    def setUp(self):
        self.film = Film()
        self.addCleanup(self.film.__exit__)

    def generate(self, uri, *options, **env):
        run, code = self.film.generate(uri, *options, **env)
        self.assertEqual(code, 0, run.text)
        return run

    def refuse(self, uri, *options, **env):
        run, code = self.film.generate(uri, *options, **env)
        self.assertEqual(code, 1, run.text)
        return run

    def tasks(self):
        return self.film.service.account()["tasks"]

    def requests(self):
        return [json.loads(text) for text in self.film.service.stats()["submits_by_request"]]

    def request_of(self, prompt):
        (request,) = [request for request in self.requests() if request["prompt"] == prompt]
        return request

    def test_each_link_is_made_in_order_from_the_last_frame_of_the_one_before(self):
        first, second, third = (chain("abc"[:count]) for count in (1, 2, 3))
        self.generate(third)
        records = {record["request"]["prompt"]: record for record in self.film.records().values()}
        self.assertEqual(set(records), set("abc"))
        keys = {record["request"]["prompt"]: key for key, record in self.film.records().items()}
        self.assertEqual(records["b"]["request"]["first_image"], [f"genclip:{keys['a']}#last"])
        self.assertEqual(records["c"]["request"]["first_image"], [f"genclip:{keys['b']}#last"])
        for prompt, before in (("b", first), ("c", second)):
            (url,) = self.request_of(prompt)["first_image"]
            self.assertTrue(url.startswith(self.film.public.url), url)
            picture = pathlib.Path(self.film.service.folder.name) / "frame.png"
            run, code = self.film.run("frame", "--last", "-o", str(picture), before)
            self.assertEqual(code, 0, run.text)
            published = self.film.public.path / url.rpartition("/")[2]
            self.assertEqual(published.read_bytes(), picture.read_bytes())
            (used,) = records[prompt]["references"]
            self.assertEqual(used["sha256"], hashlib.sha256(picture.read_bytes()).hexdigest())
            self.assertEqual(used["copy"], published.name)
            picture.unlink()
        self.assertEqual(self.film.ledger().differences(self.film.service.account()), [])

    def test_a_chain_that_is_stored_is_played_and_nothing_is_published(self):
        self.generate(chain("ab"))
        for copy in self.film.public.path.iterdir():
            copy.unlink()
        run = self.generate(chain("ab"))
        self.assertEqual(len(self.tasks()), 2)
        self.assertEqual(list(self.film.public.path.iterdir()), [])
        self.assertNotIn("Warning", run.text)

    def test_a_chain_that_is_stored_needs_no_publishing(self):
        nothing = {"GENCLIP_PUBLISH_FOLDER": "", "GENCLIP_PUBLISH_URL": ""}
        run = self.refuse(chain("ab"), **nothing)
        self.assertIn("publish-folder", run.text)
        self.assertEqual(self.tasks(), [], "refused before anything is paid")
        self.generate(chain("ab"))
        self.generate(chain("ab"), **nothing)
        picture = str(self.film.public.path / "frame.png")
        for words_ in (("frame", "--last", "-o", picture, chain("ab")), ("check", chain("ab")), ("store", "pin", chain("ab")),
                       ("store", "show", chain("ab"))):
            run, code = self.film.run(*words_, **nothing)
            self.assertEqual(code, 0, run.text)
        self.assertIn("publish-folder", self.refuse(link("c", chain("ab")), **nothing).text)
        self.assertEqual(len(self.tasks()), 2)

    def test_chains_with_the_same_beginning_share_it(self):
        self.generate(chain("abc"))
        self.generate(chain("abd"))
        self.generate(chain("ab"))
        self.assertEqual(len(self.tasks()), 4)

    def extend(self, links):
        """`links` makes the URI of a chain of so many."""
        self.generate(links(32))
        self.assertEqual(len(self.tasks()), 32)
        self.generate(links(33))
        self.assertEqual(len(self.tasks()), 33)
        self.assertEqual(self.film.ledger().differences(self.film.service.account()), [])

    def test_a_chain_of_32_pictures_extended_by_one_pays_for_the_new_link_alone(self):
        def pictures(count):
            last = uri_of("dream-5.0", prompt="take 0")
            for number in range(1, count):
                last = uri_of("dream-5.0", prompt=f"take {number}", reference_images=last)
            return last
        self.extend(pictures)

    @unittest.skipUnless(os.environ.get("GENCLIP_LONG_CHAINS"), "Of clips in the slow suite only.")
    def test_a_chain_of_32_clips_extended_by_one_pays_for_the_new_link_alone(self):
        self.extend(lambda count: chain([f"take {number}" for number in range(count)]))

    def test_a_chain_that_is_too_long_is_refused_before_anything_is_paid(self):
        run = self.refuse(chain([f"take {number}" for number in range(34)]))
        self.assertIn("32", run.text)
        self.assertEqual(self.tasks(), [])

    def test_an_invalid_link_is_refused_before_anything_is_paid(self):
        bad = link("c", link("b", link("a"), resolution="9p"))
        run = self.refuse(bad)
        self.assertIn("resolution", run.text)
        self.assertIn("first_image", run.text)
        self.assertEqual(self.tasks(), [])

    def test_two_processes_pay_for_one_chain(self):
        runs = [self.film.start(*words(chain("abc"))) for _ in range(3)]
        for run in runs:
            self.assertEqual(run.end(), 0, run.text)
        self.assertEqual(len(self.tasks()), 3)

    def test_a_picture_and_whole_clips_are_references_too(self):
        picture = uri_of("dream-5.0", prompt="a kite")
        begun = uri_of(prompt="it flies", duration=4, first_image=picture)
        self.generate(begun)
        self.assertEqual(len(self.tasks()), 2)
        (url,) = self.request_of("it flies")["first_image"]
        published = self.film.public.path / url.rpartition("/")[2]
        self.assertEqual(published.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(published.suffix, ".png")

    # ---- Money

    def told(self, run):
        """The JSON of a run."""
        return json.JSONDecoder().raw_decode(run.text[run.text.index("{"):])[0]

    def money_of(self, run):
        """What the JSON of a run that failed says of its money. A run that has paid says so in words, and never the contrary."""
        told = self.told(run)
        paid = told.get("amount", 0)
        self.assertEqual("Nothing was sent" in run.text, "budget" in told and told["charged"] == "no", run.text)
        self.assertEqual("for the clips before it." in told["error"], paid > 0, run.text)
        return told["outcome"], told["charged"], paid

    def test_a_run_tells_the_sum_that_it_has_paid_however_it_ends(self):
        self.assertEqual(self.told(self.generate(chain("ab"), "--json"))["amount"], 2 * PRICE)
        self.assertEqual(self.told(self.generate(chain("abc"), "--json"))["amount"], PRICE, "two of three were stored")
        self.assertEqual(self.told(self.generate(chain("abc"), "--json"))["amount"], PRICE, "of the clip alone, which is stored")
        self.each_fails((("submit#2:status=400", ("refused", "yes", PRICE)), ("submit#2:status=401", ("refused", "yes", PRICE))))

    def test_a_run_that_has_paid_for_a_link_is_charged_whatever_is_unknown(self):
        self.each_fails((("submit#2:fail=No.", ("failed", "yes", PRICE)), ("submit#2:lose-answer", ("unknown", "yes", PRICE))))

    def each_fails(self, faults):
        """The second clip fails: it is the one that was asked for, or comes before that."""
        for number, (fault, money) in enumerate(faults):
            for prompts in ("xy", "xyz"):
                with self.subTest(fault, clips=len(prompts)):
                    self.film.service.set_faults([fault])
                    run = self.refuse(chain([prompt + str(number) for prompt in prompts], seed=len(prompts)), "--json", "--retries", "0")
                    self.assertEqual(self.money_of(run), money)
        self.film.service.set_faults(())

    def test_a_run_that_is_stopped_while_a_link_is_made_leaves_its_task_running(self):
        self.film.service.set_faults(["query:status=503"])
        run = self.film.start(*words(chain("pq"), "--json"))
        while self.film.service.stats()["submits"] == 0:
            time.sleep(0.05)
        run.process.send_signal(signal.SIGTERM)
        self.assertEqual(run.end(), 143, run.text)
        told = self.told(run)
        self.assertEqual((told["status"], told["outcome"], told["charged"], told["retry"]), ("stopped", "running", "yes", True))
        self.film.service.set_faults(())

    def test_a_link_that_fails_and_costs_nothing_charges_nobody(self):
        self.film.service.set_faults(["submit#1:fail=No.", "query:set=amount:0"])
        self.assertEqual(self.money_of(self.refuse(chain("ab"), "--json")), ("failed", "no", 0))

    def test_a_clip_of_which_two_parts_are_used_is_counted_once(self):
        first = link("first")
        self.assertEqual(self.told(self.generate(self.made_of(first + "#first", first + "#last"), "--json"))["amount"], 2 * PRICE)

    def test_a_limit_of_one_clip_is_asked_of_all_links_before_any_is_paid(self):
        dear = uri_of(prompt="dear", duration=6, first_image=link("cheap") + "#last")
        self.film.set_budget(per_clip=PRICE)
        self.assertEqual(self.money_of(self.refuse(dear, "--json")), ("not-submitted", "no", 0), "no price is known")
        self.assertEqual(self.tasks(), [])
        self.film.set_budget()
        self.generate(uri_of(prompt="prices", duration=4))
        self.generate(uri_of(prompt="prices", duration=6))
        self.film.set_budget(per_clip=PRICE)
        run = self.refuse(dear, "--json")
        self.assertEqual((self.money_of(run), self.told(run)["budget"]), (("not-submitted", "no", 0), "per-clip"))
        self.assertEqual(len(self.tasks()), 2)

    def test_a_link_whose_cost_is_not_told_counts_for_max_amount(self):
        self.generate(uri_of(prompt="prices", duration=4))
        self.film.service.set_faults(["submit#1:no-amount"])
        run = self.generate(chain("ab"), "--max-amount", str(2 * PRICE), "--json")
        self.assertIn("has not told what the task", run.text)
        self.film.service.set_faults(["submit#1:no-amount", "submit#2:amount=3"])
        run = self.refuse(chain("cde"), "--max-amount", str(3 * PRICE), "--json")
        self.assertEqual(self.money_of(run), ("not-submitted", "yes", 3), "the third one would exceed it")

    def test_max_amount_is_asked_of_the_whole_chain(self):
        self.generate(uri_of(prompt="prices", duration=4))
        run = self.refuse(chain("abc"), "--max-amount", str(2.5 * PRICE))
        self.assertIn("max-amount", run.text)
        self.assertEqual(len(self.tasks()), 1)
        self.generate(chain("abc"), "--max-amount", str(3 * PRICE))
        # Two of three are paid already.
        self.generate(chain("abcd"), "--max-amount", str(1.5 * PRICE))

    def test_the_budget_is_asked_of_the_whole_chain_and_a_raised_one_goes_on(self):
        for limits in ({"total": 2.5 * PRICE}, {"per_day": 2.5 * PRICE}, {"per_month": 2.5 * PRICE}, {"tasks_per_day": 2}):
            with self.subTest(limits):
                self.film.set_budget(assumed_price=PRICE, **limits)
                run = self.refuse(chain("abc"), "--json")
                self.assertIn("the store's budget allows", run.text)
                self.assertEqual(self.money_of(run), ("not-submitted", "no", 0))
                self.assertTrue(self.told(run)["retry"])
                self.assertEqual(self.tasks(), [])
        self.film.set_budget(total=3 * PRICE, assumed_price=PRICE)
        self.generate(chain("abc"))
        self.assertEqual(len(self.tasks()), 3)
        self.film.set_budget(total=4 * PRICE, assumed_price=PRICE)
        self.generate(chain("abcd"))
        self.assertEqual(len(self.tasks()), 4, "what is stored costs nothing")

    def test_the_budget_is_asked_again_when_a_link_was_dearer_than_estimated(self):
        self.film.set_budget(total=3 * PRICE, assumed_price=PRICE)
        self.film.service.set_faults(["submit#1:amount=3"])
        run = self.refuse(chain("abc"), "--json")
        self.assertEqual(self.money_of(run), ("not-submitted", "yes", 3))
        self.assertTrue(self.told(run)["retry"])
        self.assertEqual(len(self.tasks()), 1)
        self.film.set_budget(total=3 * 3, assumed_price=PRICE)
        self.generate(chain("abc"))
        self.assertEqual(len(self.tasks()), 3)

    def test_the_estimate_is_of_all_links_that_are_not_stored(self):
        self.generate(uri_of(prompt="prices", duration=4))
        self.generate(link("a"))
        run, code = self.film.run("check", "--json", chain("abc"))
        self.assertEqual(code, 0, run.text)
        self.assertEqual(json.loads(run.text)["estimate"]["likely"], 2 * PRICE)

    def made_of(self, *references):
        return uri_of(MODEL, prompt="of two", duration=4, reference_images=references)

    def test_nothing_is_paid_when_a_link_of_any_branch_must_fail(self):
        text = self.film.public.path / "text.png"
        text.write_text("no picture", encoding="utf-8")
        for bad in ("sha256:" + 64 * "0", str(text)):
            second = uri_of(MODEL, prompt="second", duration=4, reference_images=bad)
            run = self.refuse(self.made_of(link("first") + "#last", second + "#last"),
                              GENCLIP_PUBLISH_ROOTS=str(self.film.public.path))
            self.assertIn("reference_images[1]: reference_images", run.text)
        self.assertEqual(self.tasks(), [])

    def test_nothing_is_paid_when_the_publish_folder_is_not_there(self):
        self.refuse(chain("ab"), GENCLIP_PUBLISH_FOLDER="/nowhere")
        self.assertEqual(self.tasks(), [])

    def test_a_run_that_paid_for_a_link_says_so_whatever_becomes_of_the_next(self):
        self.film.service.set_faults(["submit#2:status=400"])
        run = self.refuse(self.made_of(link("first") + "#last", link("second") + "#last"), "--json")
        told, _ = json.JSONDecoder().raw_decode(run.text[run.text.index("{"):])
        self.assertEqual((len(self.tasks()), told["charged"], told["outcome"]), (1, "yes", "refused"))

    def test_a_task_of_a_link_is_never_told_as_that_of_the_clip(self):
        self.film.service.set_faults(["query#1-:status=404"])
        run = self.refuse(chain("ab"), "--json", "--timeout", "1")
        told, _ = json.JSONDecoder().raw_decode(run.text[run.text.index("{"):])
        self.assertIsNone(told["task_id"])
        self.assertEqual(told["link_task_id"], self.tasks()[0]["id"])
        self.assertIn("which comes before the one that was asked for", told["error"])

    def test_max_amount_is_asked_again_when_a_link_was_dearer_than_estimated(self):
        self.generate(uri_of(prompt="prices", duration=4))
        self.film.service.set_faults(["submit#1:amount=5.5"])
        run = self.refuse(chain("abc"), "--max-amount", str(3 * PRICE))
        self.assertEqual(len(self.tasks()), 2, run.text)
        self.assertIn("that this run has paid for", run.text)

    def test_what_is_before_a_stored_link_costs_nothing(self):
        self.generate(chain("ab"))
        (first,) = [key for key, record in self.film.records().items() if record["request"]["prompt"] == "a"]
        self.assertEqual(self.film.run("store", "remove", first)[1], 0)
        self.generate(chain("abc"), "--max-amount", str(1.5 * PRICE))
        self.assertEqual(len(self.tasks()), 3)

    def test_the_assumed_price_counts_for_each_link(self):
        self.film.set_budget(assumed_price=PRICE)
        self.refuse(chain("ab"), "--max-amount", str(1.5 * PRICE))
        self.assertEqual(self.tasks(), [])
        self.generate(chain("ab"), "--max-amount", str(2 * PRICE))

    # ---- What is known beforehand

    def test_a_small_store_keeps_each_link_until_the_request_is_submitted(self):
        first, second = link("first"), link("second")
        run = self.generate(self.made_of(first + "#first", second + "#first", first + "#last"), "--store-max-size", "1B")
        self.assertEqual(len(self.tasks()), 3, run.text)
        self.assertEqual(len(self.film.records()), 1, "the limit holds in the end")

    def script(self, text):
        file = pathlib.Path(self.film.service.folder.name) / f"upload{len(text)}"
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)
        return file

    def test_nothing_is_paid_when_publishing_cannot_work(self):
        command = {"GENCLIP_PUBLISH_FOLDER": "", "GENCLIP_PUBLISH_URL": ""}
        for broken in ({"GENCLIP_PUBLISH_URL": self.film.public.url + "/elsewhere"},
                       {"GENCLIP_PUBLISH_COMMAND": "   ", **command},
                       {"GENCLIP_PUBLISH_COMMAND": "upload 'it", **command},
                       {"GENCLIP_PUBLISH_COMMAND": "/nowhere/upload", **command},
                       {"GENCLIP_PUBLISH_COMMAND": str(self.script("#!/nowhere/sh\n")), **command},
                       {"GENCLIP_PUBLISH_COMMAND": str(self.script("")), **command},
                       {"GENCLIP_PUBLISH_COMMAND": "true", "TMPDIR": "/nowhere", **command}):
            with self.subTest(broken):
                run = self.refuse(chain("ab"), **broken)
                self.assertIn("ublish", run.text)
                self.assertEqual(self.tasks(), [], run.text)
                self.assertEqual(list(self.film.public.path.iterdir()), [])

    def test_nothing_is_paid_for_a_clip_that_will_be_too_short_or_too_long(self):
        source = link("the source")
        edit = uri_of("wave2.7-videoedit", prompt="edited", duration=10, reference_videos=source)
        long = [uri_of(MODEL, prompt=f"long {number}", duration=15) for number in range(3)]
        self.refuse(edit)
        shown = uri_of("wave2.7-videoedit", prompt="shown", reference_videos=source)
        self.refuse(uri_of("wave2.7-videoedit", prompt="edited twice", duration=5, reference_videos=shown))
        self.refuse(uri_of(prompt="late", duration=4, first_image=shown + "#t=5"))
        self.refuse(uri_of("dance-2.5", prompt="of three", reference_videos=long))
        self.refuse(uri_of(prompt="late", duration=4, first_image=uri_of("dance-2.5", prompt="short") + "#t=31"))
        self.refuse(self.made_of(link("first") + "#last", edit + "#last"))
        self.assertEqual(self.tasks(), [])

    # ---- In a pipeline

    def test_a_pipeline_reports_the_links_before_its_own_task(self):
        run = self.film.service.run(
            "gst-launch-1.0", "-m", "genclipsrc", "model=sd_2.0_special", "prompt=c", "duration=4", "poll-interval=10",
            f"first-image={chain('ab')}#last", "!", "fakesink", "sync=false", **self.film.env)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertEqual(len(self.tasks()), 3)
        codes = re.findall(r"GstMessageProgress, type=\(GstProgressType\)(\w+), code=\(string\)(\w+)", run.stdout)
        ended = [code for kind, code in codes if kind == "complete"]
        self.assertEqual(ended, ["prepare", "submit", "generate"], run.stdout)
        self.assertIn("clip 1 of 3", run.stdout)
        self.assertIn("clip 2 of 3", run.stdout)
        self.assertIn("status=(string)preparing", run.stdout)

    def test_a_pipeline_that_paid_for_a_link_never_says_that_nothing_was_sent(self):
        self.film.set_budget(total=2 * PRICE, assumed_price=PRICE)
        self.film.service.set_faults(["submit#1:amount=3"])
        run = self.film.service.run(
            "gst-launch-1.0", "genclipsrc", "model=sd_2.0_special", "prompt=b", "duration=4", "poll-interval=10",
            f"first-image={chain('a')}#last", "!", "fakesink", "sync=false", **self.film.env)
        self.assertNotEqual(run.returncode, 0, run.stdout)
        self.assertEqual(len(self.tasks()), 1)
        self.assertIn("The clip was not submitted: the store's budget allows 4 credits in total", run.stdout)
        self.assertIn("This run has paid 3 credits for the clips before it.", run.stdout)
        self.assertNotIn("Nothing was sent", run.stdout)

    # ---- Predecessors

    def test_a_failed_link_fails_the_chain_and_says_which_one(self):
        self.film.service.set_faults(["submit#2:fail=The picture was refused."])
        run = self.refuse(chain("abc"))
        self.assertIn("The picture was refused.", run.text)
        self.assertIn("first_image", run.text)
        self.assertEqual(len(self.tasks()), 2)
        self.film.service.set_faults(())
        self.generate(chain("abc"))
        self.assertEqual(len(self.tasks()), 4)

    def test_a_replaced_predecessor_is_a_warning_and_nothing_is_paid_for_it(self):
        self.generate(chain("ab"))
        self.generate(chain("a"), "--anew")
        run = self.generate(chain("ab"))
        self.assertIn("generated anew", run.text)
        self.assertEqual(len(self.tasks()), 3)
        self.generate(chain("abc"))
        self.generate(chain("a"), "--anew")
        self.assertIn("generated anew", self.generate(chain("abc")).text, "two links before")
        self.assertEqual(len(self.tasks()), 5)
        self.generate(chain("ab"), "--anew")
        self.assertEqual(len(self.tasks()), 6)
        self.assertNotIn("generated anew", self.generate(chain("ab")).text)

    def test_a_chain_cannot_be_published_without_a_place(self):
        run = self.refuse(chain("ab"), GENCLIP_PUBLISH_FOLDER="", GENCLIP_PUBLISH_URL="")
        self.assertIn("publish-folder", run.text)
        self.assertEqual(self.tasks(), [])

    def test_a_batch_counts_a_clip_that_several_rows_begin_with_once(self):
        self.generate(chain("xy"))
        rows = pathlib.Path(self.film.service.folder.name) / "rows.jsonl"
        before = {"first_image": link("a") + "#last"}
        # The clip that they begin with is a row, too, or is not.
        for name, table, clips in (("alone", [{"prompt": "b", **before}, {"prompt": "c", **before}], 3),
                                   ("row", [{"prompt": "d"}, {"prompt": "e", "first_image": link("d") + "#last"},
                                            {"prompt": "f", "first_image": link("e", link("d")) + "#last"}], 3)):
            with self.subTest(name):
                rows.write_text("".join(json.dumps({"duration": 4, **row}) + "\n" for row in table))
                words_of_run = ["batch", "--poll-interval", "10", "--http-timeout", "30", str(rows), LINK_MODEL]
                run, code = self.film.run(*words_of_run, "--dry-run")
                self.assertEqual(code, 0, run.text)
                (total,) = [json.loads(line) for line in run.text.splitlines() if '"total"' in line]
                self.assertEqual((total["to_pay"], total["estimate"]["likely"]), (clips, clips * PRICE))
                tasks = len(self.tasks())
                run, code = self.film.run(*words_of_run)
                self.assertEqual(code, 0, run.text)
                self.assertEqual(len(self.tasks()), tasks + clips)
                self.assertIn(f"Paid by this run: {clips * PRICE} credits.", run.text)
                ended = [json.loads(line) for line in run.text.splitlines() if '"completed"' in line]
                self.assertEqual(sum(row["amount"] for row in ended if not row["reused"]), clips * PRICE, run.text)

    def test_a_row_that_waits_for_the_budget_says_that_its_beginning_is_paid(self):
        self.generate(chain("xy"))
        self.film.set_budget(total=4 * PRICE)
        self.film.service.set_faults(["submit#1:amount=3"])
        rows = pathlib.Path(self.film.service.folder.name) / "rows.jsonl"
        rows.write_text(json.dumps({"duration": 4, "prompt": "b", "first_image": link("a") + "#last"}) + "\n")
        tasks = len(self.tasks())
        run, code = self.film.run("batch", "--poll-interval", "10", "--http-timeout", "30", str(rows), LINK_MODEL)
        self.assertEqual(code, 75, run.text)
        (row,) = [json.loads(line) for line in run.text.splitlines() if line.startswith("{")]
        self.assertEqual((row["outcome"], row["charged"], row["retry"], row["amount"]), ("pending", "yes", True, 3), run.text)
        self.assertNotIn("Nothing was sent", run.text)
        self.assertEqual(len(self.tasks()), tasks + 1)
        self.assertIn("Paid by this run: 3 credits.", run.text)

    def batch(self, rows, *options):
        """The run of these rows one after the other, its exit code, and what it says of each row."""
        file = pathlib.Path(self.film.service.folder.name) / "rows.jsonl"
        file.write_text("".join(json.dumps({"duration": 4, **row}) + "\n" for row in rows))
        run, code = self.film.run("batch", "--poll-interval", "10", "--http-timeout", "30", "--jobs", "1", *options, str(file), LINK_MODEL)
        return run, code, [json.loads(line) for line in run.text.splitlines() if line.startswith("{")]

    def test_max_amount_counts_what_a_row_that_is_tried_again_has_paid(self):
        self.film.set_budget(assumed_price=2)
        self.film.service.set_faults(["submit#1:amount=7", "submit#2:status=429;retry-after=0", "submit#3:amount=5"])
        picture = uri_of("dream-5.0", prompt="a")
        rows = [{"prompt": "c", "first_image": link("b", first_image=picture) + "#last"}]
        run, code, (row,) = self.batch(rows, "--max-amount", "11")
        self.assertEqual((code, len(self.tasks())), (1, 2), run.text)
        self.assertEqual((row["outcome"], row["charged"], row["budget"], row["amount"]), ("not-submitted", "yes", "max-amount", 12), run.text)
        self.assertIn("that this run has paid for", run.text)

    def test_a_small_store_keeps_what_a_later_row_needs(self):
        x = link("x")
        of_x = [{"prompt": f"of x {number}", "first_image": x + part} for number, part in enumerate(("#first", "#last"))]
        for name, before, rows, tasks in (("shared", None, of_x, 3),
                                          ("stored", x, [{"prompt": "another"}, *of_x], 3),
                                          ("a row of its own first", None, [{"prompt": "x"}, {"prompt": "another"}, of_x[0]], 3),
                                          ("a row of its own last", None, [of_x[0], {"prompt": "x"}, {"prompt": "another"}], 3)):
            with self.subTest(name), Film() as self.film:
                if before:
                    self.generate(before)
                first = len(self.tasks())
                run, code, _ = self.batch(rows, "--store-max-size", "1B")
                self.assertEqual(code, 0, run.text)
                self.assertEqual(len(self.tasks()), first + tasks, run.text)
                self.assertIn(f"{len(rows)} of {len(rows)} clips are done. Of them, {len(rows) - 1} ha", run.text)
                self.assertIn(f" to make room. Paid by this run: {tasks * PRICE} credits.", run.text)
                self.assertEqual(len(self.film.records()), 1, "the limit holds in the end")

    def test_what_later_rows_need_leaves_files_to_open_for_the_clips_under_way(self):
        pictures = [uri_of("dream-5.0", prompt=f"first {number}") for number in range(40)]
        rows = [{"prompt": f"first {number}"} for number in range(40)]
        rows += [{"prompt": f"of {number}", "reference_images": [picture]} for number, picture in enumerate(pictures)]
        file = pathlib.Path(self.film.service.folder.name) / "rows.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        few, most = 60, resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, most[1]))
        try:
            run, code = self.film.run("batch", "--poll-interval", "10", "--http-timeout", "30", str(file), "dream-5.0")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, most)
        self.assertEqual(code, 0, run.text)
        self.assertEqual(len(self.tasks()), len(rows))

    def test_prefetch_in_a_small_store_pays_for_a_shared_clip_once(self):
        script = pathlib.Path(self.film.service.folder.name) / "film.txt"
        script.write_text("".join(uri + "\n" for uri in (chain("ab"), chain("ac"), chain("ad"))), encoding="utf-8")
        run, code = self.film.run("prefetch", "--yes", "--poll-interval", "10", "--http-timeout", "30", "--jobs", "1",
                                  "--store-max-size", "1B", str(script))
        self.assertEqual(code, 0, run.text)
        self.assertEqual(len(self.tasks()), 4)
        self.assertIn(f"3 of 3 clips are done. Of them, 2 have left the store again to make room. Paid by this run: {4 * PRICE} credits.", run.text)

    def test_a_batch_counts_each_task_that_it_pays_and_none_of_an_earlier_run(self):
        self.film.service.set_faults(["submit#1:lose-answer"])
        self.refuse(link("x"), "--retries", "0")
        run, code, rows = self.batch([{"prompt": "b", "first_image": link("x") + "#last"}])
        self.assertEqual(code, 0, run.text)
        self.assertEqual((rows[0]["amount"], rows[0]["charged"]), (2 * PRICE, "yes"), run.text)
        self.assertIn(f"Paid by this run: {2 * PRICE} credits.", run.text)

    def test_a_batch_counts_a_clip_that_fails_and_is_charged_as_often_as_it_is_paid(self):
        self.film.service.set_faults(["submit#1-:fail=No.", "query:set=amount:9"])
        run, code, rows = self.batch([{"prompt": prompt, "first_image": link("x") + "#last"} for prompt in "bc"])
        self.assertEqual(code, 1, run.text)
        self.assertEqual(len(self.tasks()), 2)
        self.assertEqual([(row["charged"], row["amount"]) for row in rows], [("yes", 9), ("yes", 9)], run.text)
        self.assertIn("Paid by this run: 18 credits.", run.text)

    def test_a_batch_says_that_the_cost_of_a_clip_before_was_not_told(self):
        self.film.service.set_faults(["submit#1:no-amount"])
        run, code, _ = self.batch([{"prompt": prompt, "first_image": link("x") + "#last"} for prompt in "bc"])
        self.assertEqual(code, 0, run.text)
        self.assertIn(f"Paid by this run: {2 * PRICE} credits, and a clip whose cost was not told.", run.text)

    def test_prefetch_counts_the_clips_that_others_begin_with_too(self):
        script = pathlib.Path(self.film.service.folder.name) / "film.txt"
        # The first clip of the two chains is named by itself too.
        script.write_text("".join(uri + "\n" for uri in (chain("ab"), chain("ac"), chain("a"))), encoding="utf-8")
        run, code = self.film.run("prefetch", "--yes", "--poll-interval", "10", "--http-timeout", "30", str(script))
        self.assertEqual(code, 0, run.text)
        self.assertEqual(len(self.tasks()), 3)
        self.assertIn(f"3 of 3 clips are stored. Paid by this run: {3 * PRICE} credits.", run.text)


if __name__ == "__main__":
    unittest.main()
