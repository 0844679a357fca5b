// Which texts are listed: what a slice is called, and what of an address can be listed.
import assert from "node:assert/strict";
import test from "node:test";
import { whichOf, wordsOf } from "../../annotator/web/panel/saliency/slices.js";

for (const [query, words] of [
  [{}, ""],
  [{ label: "positive", split: "test" }, "positive · test"],
  [{ unlabelled: "yes", length: "4-9" }, "no label · 4–9 tokens"],
  [{ length: "4-4" }, "4 tokens"],
  [{ fact: "year", value: "2001", group: "age", member: "30" }, "year: 2001 · annotators' age: 30"],
  [{ fact: "year" }, ""],
])
  test(`a slice is called "${words}"`, () => assert.equal(wordsOf(query), words));

const MODELS = [1, 3, 4].map((run) => ({ run, method: "" }));
for (const [query, which, answers, other] of [
  ["", "all", "1", "3"],
  ["which=wrong", "wrong", "1", "3"],
  ["which=wrong&answers=3", "wrong", "3", "1"],
  ["which=lost&answers=3&other=4", "lost", "3", "4"],
  ["which=wrong&answers=7", "all", "", "3"],
  ["which=lost&answers=3&other=3", "all", "3", ""],
  ["which=foo&answers=3", "all", "3", "1"],
  ["which=perturbed", "perturbed", "1", "3"],
])
  test(`of “${query}” no other model's answers are listed`, () => {
    const taken = whichOf(new URLSearchParams(query), MODELS);
    assert.deepEqual([taken.which, taken.answers, taken.other], [which, answers, other]);
    assert.equal(taken.isAll, which === "all" && query !== "");
    assert.equal(taken.gone.length, Number(taken.isAll));
  });
